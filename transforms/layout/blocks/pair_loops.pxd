# Types of `pair_loops.py` for Cython.
cimport cython

cdef double NONE, UNNUMBERED, INFINITE

@cython.locals(pairs=cython.Py_ssize_t, p=cython.Py_ssize_t, full=cython.double, far=cython.double, ends=cython.double,
               lower=cython.double, last=cython.double, first_gap=cython.double, gap=cython.double, em=cython.double,
               room=cython.double, spaced=cython.double, unit=cython.double, near=cython.double, other=cython.double,
               middle=cython.double)
cpdef int compare_rows(
    const double[:, ::1] rows, double margin, double limit, double usual, double spaced_from, double full_to, double[:, ::1] found,
) except -1

@cython.locals(pairs=cython.Py_ssize_t, trees=cython.Py_ssize_t, depth=cython.Py_ssize_t, p=cython.Py_ssize_t, t=cython.Py_ssize_t,
               d=cython.Py_ssize_t, sign=cython.Py_ssize_t, limit=cython.double)
cpdef int add_leaves(
    const double[:, ::1] evidence, const long long[:, ::1] signs, const double[:, ::1] limits, const long long[:, ::1] leaves,
    long long[::1] place, long long[::1] total,
) except -1
