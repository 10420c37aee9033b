# Types of `gutter_loops.py` for Cython.
cimport cython

@cython.locals(i=cython.Py_ssize_t, count=cython.Py_ssize_t)
cpdef long long measure_extent(const double[:] start, const double[:] end, const long long[::1] chars, long long least, double[::1] extent) except -1

cdef Py_ssize_t bin_at(double place, Py_ssize_t last) noexcept

@cython.locals(i=cython.Py_ssize_t, k=cython.Py_ssize_t, last=cython.Py_ssize_t, covered=cython.longlong,
               count=cython.Py_ssize_t, inside=cython.bint)
cpdef long long find_free(
    const double[:] start, const double[:] end, const long long[::1] chars, long long least, long long low, long long high, double allowed,
    long long[::1] cover, long long[:, ::1] free,
) except -1

@cython.locals(i=cython.Py_ssize_t, before=cython.Py_ssize_t, behind=cython.Py_ssize_t, found=cython.uint)
cpdef long long stand_beside(
    const double[:] start, const double[:] end, const long long[::1] chars, long long least, double middle, unsigned char[::1] beside,
) except -1

cdef int OVERLONG, ALIKE

@cython.locals(m=cython.Py_ssize_t, count=cython.Py_ssize_t, i=cython.Py_ssize_t, j=cython.Py_ssize_t, k=cython.longlong,
               other=cython.longlong, lower=cython.double, upper=cython.double, apart=cython.double, larger=cython.double)
cpdef Py_ssize_t cross_gutter(
    const long long[::1] lines, const double[:] start, const double[:] end, const double[:] top, const double[:] bottom,
    const double[:] size, double middle, double slack, double overlong_beside, double near_size, unsigned char[::1] crossing,
    long long[::1] sides,
) except -1

@cython.locals(begin=cython.Py_ssize_t, n=cython.Py_ssize_t, m=cython.Py_ssize_t, first=cython.longlong, line=cython.longlong,
               left=cython.double, right=cython.double, upper=cython.double, lower=cython.double, height=cython.double, joins=cython.bint)
cpdef int order_rows(
    const long long[::1] order, const double[:] start, const double[:] end, const double[:] top, const double[:] bottom,
    double slack, double same_row, Py_ssize_t most, long long[::1] found,
) except -1
