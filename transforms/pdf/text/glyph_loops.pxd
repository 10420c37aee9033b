# Types of `glyph_loops.py` for Cython. `float` is numpy's float32: what is compared in single precision there is so here.
cimport cython

@cython.locals(i=cython.Py_ssize_t, code=cython.uint, largest=cython.uint)
cpdef unsigned int mark_drawn(
    const unsigned int[::1] unicode, const float[:, ::1] loose, const unsigned char[::1] halves, unsigned char[::1] drawn,
) except? 0xFFFFFFFF

@cython.locals(m=cython.Py_ssize_t, runs=cython.Py_ssize_t, i=cython.Py_ssize_t, side=cython.Py_ssize_t, shares=cython.bint,
               begins=cython.bint, last=cython.ulonglong)
cpdef bint take_drawn(
    const unsigned char[::1] mask, const unsigned long long[::1] objects, const unsigned int[::1] unicode, const float[:, ::1] loose,
    long long[::1] drawn, unsigned int[::1] codes, float[:, ::1] boxes, int[::1] run, long long[::1] first, unsigned char[::1] joined,
    long long[::1] counts,
) except? -1

@cython.locals(i=cython.Py_ssize_t, code=cython.Py_ssize_t, characters=cython.Py_ssize_t)
cpdef Py_ssize_t number_characters(const unsigned int[::1] unicode, int[::1] of_code) except -1

@cython.locals(count=cython.Py_ssize_t, i=cython.Py_ssize_t, value=cython.longlong, last=cython.longlong, kinds=cython.Py_ssize_t)
cpdef Py_ssize_t number_kinds(
    const long long[::1] font, const int[::1] run, const unsigned int[::1] unicode, const unsigned char[::1] joined,
    const int[::1] of_code, long long characters, int[::1] table, long long[::1] sample, long long[::1] kind,
) except -1

@cython.locals(i=cython.Py_ssize_t, which=cython.longlong, width=cython.float, relative=cython.double)
cpdef object spread_of_kinds(
    const long long[::1] kind, const int[::1] run, const float[:, ::1] loose, const float[::1] em,
    double[::1] counts, double[::1] sums, double[::1] squares,
)

@cython.locals(i=cython.Py_ssize_t, scale=cython.float, step=cython.float)
cpdef object set_advances(
    const long long[::1] kind, const int[::1] run, const float[:, ::1] loose, const float[::1] before, const float[::1] advance,
    const float[::1] em, const float[::1] pen, float[::1] origin_x, float[::1] origin_y, float[::1] end,
)

@cython.locals(begin=cython.Py_ssize_t, end=cython.Py_ssize_t, letters=cython.Py_ssize_t, counted=cython.Py_ssize_t, i=cython.Py_ssize_t,
               k=cython.longlong, place=cython.Py_ssize_t, side=cython.float)
cpdef object share_boxes(
    const long long[::1] members, const unsigned char[::1] first, const unsigned char[::1] marks, const unsigned char[::1] accents,
    const unsigned char[::1] leftwards, const float[:, ::1] loose, float[::1] origin_x, float[::1] width,
)

@cython.locals(i=cython.Py_ssize_t, found=cython.bint)
cpdef bint falls_down(const int[::1] run, const float[:, ::1] loose, const float[::1] step) except? -1

@cython.locals(i=cython.Py_ssize_t, x0=cython.float, x1=cython.float, y0=cython.float, y1=cython.float, px=cython.float, py=cython.float,
               ax=cython.float, ay=cython.float, bx=cython.float, by=cython.float)
cpdef object place_glyphs(
    const int[::1] run, const float[::1] start, const float[::1] end, const float[::1] origin_x, const float[::1] origin_y,
    const float[::1] up, const float[::1] down, float left, float bottom, float right, float top, int turn, float scale,
    float width, float height, unsigned char outside,
    float[:, ::1] boxes, float[::1] x, float[::1] y, unsigned char[::1] flags,
)

@cython.locals(found=cython.Py_ssize_t, i=cython.Py_ssize_t, own=cython.longlong, m=cython.Py_ssize_t, begin=cython.Py_ssize_t,
               step=cython.Py_ssize_t, axis=cython.Py_ssize_t, k=cython.Py_ssize_t, low=cython.double, high=cython.double,
               line=cython.Py_ssize_t, height=cython.double, count=cython.Py_ssize_t, other=cython.Py_ssize_t, y0=cython.double,
               y1=cython.double, x=cython.double, at=cython.Py_ssize_t, winding=cython.longlong, start=cython.double)
cpdef Py_ssize_t cross_letters(
    const long long[::1] letter, const int[::1] kind, const float[:, ::1] place, const double[:, ::1] weights, const double[::1] shares,
    double[:, ::1] points, long long[::1] following, double[::1] crossings, long long[::1] ways, double[:, ::1] runs,
) except -1
