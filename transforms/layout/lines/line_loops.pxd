# Types of `line_loops.py` for Cython. `float` is numpy's float32: what is compared in single precision there is so here.
cimport cython

cdef int SAME, STACKED, IN_SEQUENCE, DRAWN, WORD, INFERRED, TAB, CUT
cdef int SPACED, DROPPED, EQUAL, TABS
cdef int FOLLOWS, BETWEEN, SEQUENCE, RAISED, DROPS
cdef unsigned int RIGHT_TO_LEFT, AFTER_RIGHT_TO_LEFT, RIGHT_TO_LEFT_FORMS

@cython.locals(count=cython.Py_ssize_t, m=cython.Py_ssize_t, i=cython.Py_ssize_t, begins=cython.bint,
               em=cython.float, small=cython.float, gap=cython.float, value=cython.float)
cpdef Py_ssize_t break_fragments(
    const float[::1] start, const float[::1] end, const float[::1] baseline, const float[::1] size,
    float drift, float backward, float column_gap, float raised_size,
    long long[::1] first, float[::1] low, float[::1] high, float[::1] largest,
) except -1

@cython.locals(count=cython.Py_ssize_t, i=cython.Py_ssize_t, k=cython.longlong, anchor=cython.double, em=cython.double,
               level=cython.double, own=cython.double)
cpdef Py_ssize_t group_baselines(
    const long long[::1] order, const float[::1] baseline, const float[::1] size, double join, long long[::1] home,
) except -1

@cython.locals(m=cython.Py_ssize_t, i=cython.Py_ssize_t, found=cython.int,
               least=cython.float, most=cython.float, value=cython.float, em=cython.float, tall=cython.float, early=cython.float,
               gap=cython.float, rise=cython.float)
cpdef int survey_fragments(
    const float[::1] start, const float[::1] end, const float[::1] baseline, const float[::1] size,
    float drift, float join, float raised_up, float raised_between, float raised_reach, double raised_size, float dropped_size,
) except -1

@cython.locals(count=cython.Py_ssize_t, i=cython.Py_ssize_t, k=cython.Py_ssize_t, begin=cython.Py_ssize_t, place=cython.longlong,
               after=cython.longlong, own=cython.longlong, stretch=cython.longlong, pairs=cython.Py_ssize_t, wide=cython.Py_ssize_t,
               found=cython.int, bits=cython.int, same=cython.bint, returns=cython.bint,
               smallest=cython.float, largest=cython.float, value=cython.float, step=cython.float, none=cython.float, shrink=cython.float,
               reach=cython.double, total=cython.double, factor=cython.double, mean=cython.double, ends=cython.double)
cpdef int measure_gaps(
    const long long[::1] position, const long long[::1] group,
    const float[::1] start, const float[::1] end, const float[::1] size, const float[::1] baseline, const unsigned char[::1] space_before,
    float tiny, double far, float apart, double squeezed, Py_ssize_t squeezed_glyphs, double least, double spacing,
    Py_ssize_t spacing_glyphs, float dropped,
    float[::1] em, double[::1] gap, double[::1] relative, unsigned char[::1] marks,
) except -1

@cython.locals(i=cython.Py_ssize_t, found=cython.int, bits=cython.int, before=cython.bint, inferred=cython.bint, small=cython.bint,
               last=cython.double, limit=cython.double)
cpdef int part_words(
    const long long[::1] position, const float[::1] em, const double[::1] gap, const double[::1] relative,
    const unsigned char[::1] no_spaces, const unsigned char[::1] forbidden, const double[::1] extra,
    double word_gap, float single_gap, float drawn_space, double spaced_out, double spaced_equal, float tab_gap, float column_gap,
    unsigned char[::1] marks,
) except -1

@cython.locals(count=cython.Py_ssize_t, i=cython.Py_ssize_t, line=cython.Py_ssize_t, place=cython.longlong, after=cython.longlong,
               bits=cython.int, word=cython.bint, largest=cython.float)
cpdef Py_ssize_t begin_words(
    const long long[::1] position, const float[::1] size, const float[::1] baseline, const unsigned char[::1] marks,
    float raised_size, float drift, Py_ssize_t note_mark,
    unsigned char[::1] begins, long long[::1] starts, float[::1] main,
) except -1

# The records of `fill_lines`; their dtypes are in `lines.py`.
cdef struct GlyphRecord:
    float box[4]
    int style
    int mcid

cdef struct WordRecord:
    int line
    int span[2]
    float box[4]
    int content

cdef struct LineRecord:
    float box[4]
    int span[2]
    int content
    int whole
    int spans

cdef struct SpanRecord:
    int start
    int style

@cython.locals(count=cython.Py_ssize_t, word=cython.Py_ssize_t, span=cython.Py_ssize_t, at=cython.Py_ssize_t,
               line=cython.Py_ssize_t, begin=cython.Py_ssize_t, end=cython.Py_ssize_t, origin=cython.Py_ssize_t, i=cython.Py_ssize_t,
               first=cython.Py_ssize_t, side=cython.Py_ssize_t, place=cython.longlong, own=cython.int, last=cython.int,
               code=cython.uint, largest=cython.uint, value=cython.float)
cpdef unsigned int fill_lines(
    GlyphRecord[::1] glyphs, const long long[::1] order, const unsigned char[::1] begins, const unsigned int[::1] unicode,
    const long long[::1] starts, unsigned int[::1] codes, WordRecord[::1] words, LineRecord[::1] lines, SpanRecord[::1] spans,
) except? 0xFFFFFFFF

@cython.locals(last=cython.uint, code=cython.uint, found=cython.uint, marked=cython.uint, i=cython.Py_ssize_t)
cpdef unsigned int survey_glyphs(
    const unsigned int[::1] unicode, const unsigned char[::1] flags, const unsigned char[::1] classes,
) except? 0xFFFFFFFF

@cython.locals(last=cython.uint, code=cython.uint, m=cython.Py_ssize_t, i=cython.Py_ssize_t, space=cython.bint, place=cython.longlong)
cpdef Py_ssize_t take_inked(
    const long long[::1] members, const unsigned int[::1] unicode, const unsigned char[::1] blank, const short[::1] angle,
    const unsigned char[::1] flags, unsigned char special, unsigned char unmeasured,
    const float[::1] x0, const float[::1] x1, const float[::1] y, const int[::1] style, const float[::1] sizes,
    long long[::1] glyph, float[::1] start, float[::1] end, float[::1] baseline, float[::1] size,
    unsigned char[::1] space_before, unsigned char[::1] no_spaces,
) except -2
