# Types of `neighbour_loops.py` for Cython.
cimport cython

@cython.locals(n=cython.Py_ssize_t, i=cython.Py_ssize_t, j=cython.Py_ssize_t, k=cython.Py_ssize_t, under=cython.Py_ssize_t,
               behind=cython.Py_ssize_t, first=cython.double, last=cython.double, least=cython.double, upper=cython.double,
               foot=cython.double, line=cython.double, lowered=cython.double, far=cython.double, apart=cython.double, em=cython.double,
               begin=cython.double, finish=cython.double, narrow=cython.double)
cpdef int nearest_lines(
    const double[::1] start, const double[::1] end, const double[::1] width, const double[::1] top, const double[::1] bottom,
    const double[::1] height, const double[::1] baseline, const double[::1] size,
    double overlap, double same_row, double lower, double slack,
    long long[::1] above, long long[::1] below, long long[::1] before, long long[::1] after,
) except -1

@cython.locals(n=cython.Py_ssize_t, i=cython.Py_ssize_t, j=cython.Py_ssize_t, m=cython.Py_ssize_t, count=cython.Py_ssize_t,
               first=cython.double, last=cython.double, least=cython.double, begin=cython.double, finish=cython.double,
               narrow=cython.double, most=cython.double)
cpdef int column_edges(
    const double[::1] start, const double[::1] end, const double[::1] width, const double[::1] values, const long long[::1] order,
    double overlap, double share, double[::1] found,
) except -1
