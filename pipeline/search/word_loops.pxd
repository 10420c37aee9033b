# Types of `word_loops.py` for Cython.
cimport cython

cdef unsigned int SPACE, ODD
cdef unsigned long long BASIS, PRIME, BITS

@cython.locals(size=cython.Py_ssize_t, most=cython.Py_ssize_t, mask=cython.ulonglong, place=cython.Py_ssize_t, length=cython.Py_ssize_t,
               begin=cython.Py_ssize_t, strange=cython.Py_ssize_t, unknown=cython.Py_ssize_t, first=cython.Py_ssize_t, is_odd=cython.bint,
               value=cython.ulonglong, sign=cython.Py_UCS4, letter=cython.uint, slot=cython.ulonglong)
cpdef Py_ssize_t fold(
    str text, str folds, unsigned long long[::1] known, unsigned int[::1] out, long long[::1] odd, long long[::1] new,
    long long[::1] counts,
) except -1
