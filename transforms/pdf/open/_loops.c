/* Loops over PDFium's functions that are called for every character or text object of a page.

   Optional: where it was not compiled, `pdfmill.transforms.pdf.open.pdfium_api` does the same in Python. It knows nothing of PDFium but the shapes of its
   calls: `run(shape, function, handle, keys, out)` calls `function`, an address, once for each row of `out` and lets it write there.
   keys are indices in `handle` (int32) or handles of objects (uint64). A call that fails leaves its row as it was. */
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <stdint.h>

typedef void *Handle;

/* The shapes, as `pdfmill.transforms.pdf.open.pdfium_api` numbers them. */
enum { CHAR_STRUCT, CHAR_POINT, CHAR_BOX, CHAR_HANDLE, CHAR_INT, OBJECT_HANDLE, OBJECT_INT, OBJECT_STRUCT, OBJECT_TWO, OBJECT_FOUR, SHAPES };

static const Py_ssize_t key_sizes[SHAPES] = {4, 4, 4, 4, 4, 8, 8, 8, 8, 8};
/* Bytes of a row that a call may write to; the two that write a structure write one of the row's own size. */
static const Py_ssize_t row_sizes[SHAPES] = {4, 16, 32, 8, 4, 8, 4, 4, 8, 16};

static void loop(int shape, uintptr_t function, Handle handle, const char *keys, char *out, Py_ssize_t rows, Py_ssize_t stride) {
  const int32_t *index = (const int32_t *)keys;
  const uint64_t *object = (const uint64_t *)keys;
  for (Py_ssize_t row = 0; row < rows; row++, out += stride) {
    double *d = (double *)out;
    uint32_t *u = (uint32_t *)out;
    Handle own = (shape >= OBJECT_HANDLE) ? (Handle)(uintptr_t)object[row] : handle;
    switch (shape) {
    case CHAR_STRUCT: ((int (*)(Handle, int, void *))function)(own, index[row], out); break;
    case CHAR_POINT: ((int (*)(Handle, int, double *, double *))function)(own, index[row], d, d + 1); break;
    case CHAR_BOX: ((int (*)(Handle, int, double *, double *, double *, double *))function)(own, index[row], d, d + 1, d + 2, d + 3); break;
    case CHAR_HANDLE: *(uint64_t *)out = (uint64_t)(uintptr_t)((Handle (*)(Handle, int))function)(own, index[row]); break;
    case CHAR_INT: *(int32_t *)out = ((int (*)(Handle, int))function)(own, index[row]); break;
    case OBJECT_HANDLE: *(uint64_t *)out = (uint64_t)(uintptr_t)((Handle (*)(Handle))function)(own); break;
    case OBJECT_INT: *(int32_t *)out = ((int (*)(Handle))function)(own); break;
    case OBJECT_STRUCT: ((int (*)(Handle, void *))function)(own, out); break;
    case OBJECT_TWO: ((int (*)(Handle, void *, void *))function)(own, u, u + 1); break;
    case OBJECT_FOUR: ((int (*)(Handle, void *, void *, void *, void *))function)(own, u, u + 1, u + 2, u + 3); break;
    }
  }
}

static PyObject *run(PyObject *self, PyObject *args) {
  int shape;
  unsigned long long function, handle;
  Py_buffer keys, out;
  if (!PyArg_ParseTuple(args, "iKKy*w*", &shape, &function, &handle, &keys, &out)) return NULL;
  PyObject *result = NULL;
  if (shape < 0 || shape >= SHAPES || !function) {
    PyErr_SetString(PyExc_ValueError, "no such shape, or no function");
  } else {
    Py_ssize_t rows = keys.len / key_sizes[shape];
    Py_ssize_t stride = rows ? out.len / rows : row_sizes[shape];
    if (keys.len % key_sizes[shape] || (rows && (out.len % rows || stride < row_sizes[shape]))) {
      PyErr_SetString(PyExc_ValueError, "keys and rows do not fit each other");
    } else {
      loop(shape, (uintptr_t)function, (Handle)(uintptr_t)handle, keys.buf, out.buf, rows, stride);
      result = Py_NewRef(Py_None);
    }
  }
  PyBuffer_Release(&keys);
  PyBuffer_Release(&out);
  return result;
}

static PyMethodDef methods[] = {{"run", run, METH_VARARGS, "run(shape, function, handle, keys, out): call once for each row of out."}, {NULL, NULL, 0, NULL}};
static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "_loops", NULL, -1, methods, NULL, NULL, NULL, NULL};
PyMODINIT_FUNC PyInit__loops(void) { return PyModule_Create(&module); }
