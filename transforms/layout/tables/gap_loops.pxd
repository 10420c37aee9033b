# Types of `gap_loops.py` for Cython.
cimport cython

cdef double BEFORE, NONE

@cython.locals(n=cython.Py_ssize_t, bins=cython.Py_ssize_t, begin=cython.Py_ssize_t, m=cython.Py_ssize_t, i=cython.Py_ssize_t,
               w=cython.Py_ssize_t, k=cython.Py_ssize_t, count=cython.Py_ssize_t, depth=cython.longlong, left=cython.double,
               right=cython.double, start=cython.double, end=cython.double, reach=cython.double, limit=cython.double,
               from_left=cython.bint, from_right=cython.bint)
cpdef Py_ssize_t find_gaps(
    const double[:, ::1] chunks, const long long[:, ::1] places, const double[::1] x0, const double[::1] x1, double low, double step,
    bint rivers, long long crossed, double least, double cell_gap, double overhang, double overhang_share,
    double[:, ::1] spans, long long[::1] opened, double[:, ::1] found,
) except -1

@cython.locals(apart=cython.Py_ssize_t, i=cython.Py_ssize_t, j=cython.Py_ssize_t, a=cython.double, b=cython.double)
cpdef int sort_spans(double[:, ::1] spans, Py_ssize_t begin, Py_ssize_t end) except -1

@cython.locals(n=cython.Py_ssize_t, rows=cython.Py_ssize_t, i=cython.Py_ssize_t, w=cython.Py_ssize_t, ended=cython.double,
               begun=cython.double, inside=cython.bint, before=cython.bint, behind=cython.bint, over=cython.bint)
cpdef bint parts_chunks(
    const double[:, ::1] chunks, const long long[:, ::1] places, const double[::1] x0, const double[::1] x1, double middle,
) except -1
