# Types of `ngram_loops.py` for Cython.
cimport cython

cdef int LONGEST, CODE_BITS, NORMALIZED_END

@cython.locals(mask=cython.longlong, place=cython.Py_ssize_t, key=cython.ulonglong, slot=cython.Py_ssize_t)
cpdef int fill_slots(const unsigned long long[::1] keys, int[::1] slots) except -1

@cython.locals(mask=cython.longlong, count=cython.Py_ssize_t, place=cython.Py_ssize_t, length=cython.Py_ssize_t, slot=cython.Py_ssize_t,
               last=cython.ulonglong, pair=cython.ulonglong, key=cython.ulonglong, code=cython.ulonglong, sign=cython.Py_UCS4,
               letter=cython.Py_UCS4, space=cython.bint, upper=cython.bint, capital=cython.bint)
cpdef Py_ssize_t find_ngrams(
    str text, str normal, const unsigned long long[::1] keys, const int[::1] slots, long long[::1] found,
) except -1

@cython.locals(n=cython.Py_ssize_t, entry=cython.longlong)
cpdef int add_gains(
    const long long[::1] ngrams, const long long[::1] first, const unsigned char[::1] language, const double[::1] gain, double[::1] sums,
) except -1
