# Types of `page_loops.py` for Cython.
cimport cython

@cython.locals(found=list, length=cython.Py_ssize_t, size=cython.Py_ssize_t, at=cython.Py_ssize_t, end=cython.Py_ssize_t)
cpdef list places_of(str folded, str term, bint is_bound, bint is_prefix, Py_ssize_t most)

@cython.locals(count=cython.Py_ssize_t, number=cython.Py_ssize_t, total=cython.Py_ssize_t, words=cython.Py_ssize_t, own=list,
               heads="long long[::1]", seen="long long[::1]", counts="long long[::1]", begins="long long[::1]", ends="long long[::1]",
               owners="long long[::1]", owner=cython.Py_ssize_t, start=cython.longlong, end=cython.longlong, first=cython.longlong,
               last=cython.longlong, head=cython.Py_ssize_t, ahead=cython.Py_ssize_t, at=cython.Py_ssize_t, place=cython.Py_ssize_t,
               left=cython.Py_ssize_t, is_better=cython.bint, best=cython.double, held=cython.double, weight=cython.double,
               found=cython.double, value=cython.double)
cpdef tuple closest(list places, list weights, long long window, double rounding)
