# Types of `text_loops.py` for Cython.
cimport cython

@cython.locals(found=cython.longlong, plain=cython.longlong, turns=cython.longlong, accents=cython.longlong, stage=cython.int,
               mixed=cython.bint, small=cython.bint, in_word=cython.bint, sign=cython.Py_UCS4)
cpdef long long count_odd(str text, str signs) except -1
