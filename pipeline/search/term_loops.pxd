# Types of `term_loops.py` for Cython.
cimport cython

cdef unsigned int UNSPACED, HARD, CODE_BITS

@cython.locals(size=cython.Py_ssize_t, first=cython.Py_ssize_t, begin=cython.Py_ssize_t, run=cython.Py_ssize_t, is_hard=cython.bint,
               place=cython.Py_ssize_t, code=cython.uint, entry=cython.uint, sign=cython.Py_UCS4, letter=cython.Py_UCS4, folded=str)
cpdef Py_ssize_t write_terms(
    str text, const unsigned int[::1] entries, object learn, object fold, unsigned int[::1] out, unsigned int[::1] places,
) except -1
