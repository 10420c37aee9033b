"""PDFium functions called for every character or text object of a page: by a compiled loop where there is one, else by `ctypes`.

`_loops.c` is optional: it is compiled when pdfmill is installed where a C compiler is, and makes the text layer about a third
faster. Without it the calls go through `ctypes` with ready-made `c_void_p` objects and without argument types, which is the
cheapest that Python has. Both give the same bytes.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from ctypes import c_int, c_size_t, c_void_p
from enum import IntEnum
from importlib import import_module
from itertools import repeat
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pdfmill.transforms.pdf.open.pdfium_calls import addresses, count_objects, exhaust, function_address

_compiled: Callable[[int, int, int, NDArray[Any], NDArray[Any]], None] | None
try:
    _compiled = import_module("pdfmill.transforms.pdf.open._loops").run
except ImportError:  # no C compiler where pdfmill was installed
    _compiled = None

#: Text objects are looked for every so many characters, then between two that differ; a power of two.
_STRIDE: Final = 16
#: Red, green, blue, alpha of what states no colour.
BLACK: Final = np.array([0, 0, 0, 255], np.uint32)


def black(rows: int) -> NDArray[np.uint32]:
    """Room for so many colours, which are black where a call fails."""
    colors = np.empty((rows, 4), np.uint32)
    colors[:] = BLACK
    return colors


class Shape(IntEnum):
    """What a function takes and gives, numbered as in `_loops.c`. An address is one of memory in the row of the result."""

    CHAR_STRUCT = 0  # (whole, index, address)
    CHAR_POINT = 1  # (whole, index, addresses of two doubles)
    CHAR_BOX = 2  # (whole, index, addresses of four doubles)
    CHAR_HANDLE = 3  # (whole, index) to a handle
    CHAR_INT = 4  # (whole, index) to an int
    OBJECT_HANDLE = 5  # (object) to a handle
    OBJECT_INT = 6  # (object) to an int
    OBJECT_STRUCT = 7  # (object, address)
    OBJECT_TWO = 8  # (object, addresses of two cells of four bytes)
    OBJECT_FOUR = 9  # (object, addresses of four cells of four bytes)


#: How many addresses a function takes; one that takes none returns its value.
_ADDRESSES: Final = {
    Shape.CHAR_STRUCT: 1,
    Shape.CHAR_POINT: 2,
    Shape.CHAR_BOX: 4,
    Shape.OBJECT_STRUCT: 1,
    Shape.OBJECT_TWO: 2,
    Shape.OBJECT_FOUR: 4,
}
_RESULTS: Final = {Shape.CHAR_HANDLE: c_size_t, Shape.OBJECT_HANDLE: c_size_t, Shape.CHAR_INT: c_int, Shape.OBJECT_INT: c_int}


class Native(NamedTuple):
    """One function of PDFium."""

    shape: Shape
    address: int
    call: Callable[..., Any]


def _native(shape: Shape, name: str) -> Native:
    address = function_address(name)
    return Native(shape, address, ctypes.PYFUNCTYPE(_RESULTS.get(shape))(address))


LOOSE_BOX: Final = _native(Shape.CHAR_STRUCT, "FPDFText_GetLooseCharBox")
CHAR_MATRIX: Final = _native(Shape.CHAR_STRUCT, "FPDFText_GetMatrix")
CHAR_ORIGIN: Final = _native(Shape.CHAR_POINT, "FPDFText_GetCharOrigin")
CHAR_BOX: Final = _native(Shape.CHAR_BOX, "FPDFText_GetCharBox")
CHAR_OBJECT: Final = _native(Shape.CHAR_HANDLE, "FPDFText_GetTextObject")
CHAR_UNICODE: Final = _native(Shape.CHAR_INT, "FPDFText_GetUnicode")
CHAR_GENERATED: Final = _native(Shape.CHAR_INT, "FPDFText_IsGenerated")
MAP_ERROR: Final = _native(Shape.CHAR_INT, "FPDFText_HasUnicodeMapError")
OBJECT_FONT: Final = _native(Shape.OBJECT_HANDLE, "FPDFTextObj_GetFont")
OBJECT_SIZE: Final = _native(Shape.OBJECT_STRUCT, "FPDFTextObj_GetFontSize")
OBJECT_MODE: Final = _native(Shape.OBJECT_INT, "FPDFTextObj_GetTextRenderMode")
OBJECT_FILL: Final = _native(Shape.OBJECT_FOUR, "FPDFPageObj_GetFillColor")
OBJECT_STROKE: Final = _native(Shape.OBJECT_FOUR, "FPDFPageObj_GetStrokeColor")
OBJECT_CONTENT_ID: Final = _native(Shape.OBJECT_INT, "FPDFPageObj_GetMarkedContentID")
OBJECT_CLIP: Final = _native(Shape.OBJECT_HANDLE, "FPDFPageObj_GetClipPath")
CLIP_PATHS: Final = _native(Shape.OBJECT_INT, "FPDFClipPath_CountPaths")
PAGE_OBJECT: Final = _native(Shape.CHAR_HANDLE, "FPDFPage_GetObject")
OBJECT_TYPE: Final = _native(Shape.OBJECT_INT, "FPDFPageObj_GetType")
OBJECT_BOUNDS: Final = _native(Shape.OBJECT_FOUR, "FPDFPageObj_GetBounds")
OBJECT_MATRIX: Final = _native(Shape.OBJECT_STRUCT, "FPDFPageObj_GetMatrix")
PATH_DRAW_MODE: Final = _native(Shape.OBJECT_TWO, "FPDFPath_GetDrawMode")
PATH_SEGMENTS: Final = _native(Shape.OBJECT_INT, "FPDFPath_CountSegments")
PATH_SEGMENT: Final = _native(Shape.CHAR_HANDLE, "FPDFPath_GetPathSegment")
GLYPH_SEGMENT: Final = _native(Shape.CHAR_HANDLE, "FPDFGlyphPath_GetGlyphPathSegment")
SEGMENT_POINT: Final = _native(Shape.OBJECT_TWO, "FPDFPathSegment_GetPoint")
SEGMENT_TYPE: Final = _native(Shape.OBJECT_INT, "FPDFPathSegment_GetType")
SEGMENT_CLOSE: Final = _native(Shape.OBJECT_INT, "FPDFPathSegment_GetClose")


def of_parts(function: Native, whole: int, indices: NDArray[np.signedinteger[Any]], out: NDArray[Any]) -> NDArray[Any]:
    """Ask a text page, a page or a path for its parts of these indices; rows of C-contiguous `out` are filled in place, or left
    where the call fails."""
    return _run(function, whole, np.ascontiguousarray(indices, np.int32), out)


def of_objects(function: Native, handles: NDArray[np.uint64], out: NDArray[Any]) -> NDArray[Any]:
    """Ask each of these objects, as `of_parts`. Returns `out`."""
    return _run(function, 0, np.ascontiguousarray(handles, np.uint64), out)


def _run(function: Native, handle: int, keys: NDArray[Any], out: NDArray[Any]) -> NDArray[Any]:
    if not len(keys):
        return out
    if _compiled is not None:
        _compiled(function.shape, function.address, handle, keys, out)
    else:
        _run_in_python(function, handle, keys, out)
    return out


def _run_in_python(function: Native, handle: int, keys: NDArray[Any], out: NDArray[Any]) -> None:
    by_object = function.shape >= Shape.OBJECT_HANDLE
    own = [[c_void_p(key) for key in keys.tolist()]] if by_object else [repeat(c_void_p(handle)), keys.tolist()]
    if columns := _ADDRESSES.get(function.shape, 0):
        table, pointers = _scratch(out).cells(len(out), columns)
        table[:] = out.reshape(table.shape)
        exhaust(map(function.call, *own, *pointers))
        out[:] = table.reshape(out.shape)
    else:
        out[:] = list(map(function.call, *own))


def page_objects(page: int) -> NDArray[np.uint64]:
    """Handles of what a page draws, without what is in its forms."""
    count = max(count_objects(page), 0)
    return of_parts(PAGE_OBJECT, page, np.arange(count, dtype=np.int32), np.zeros(count, np.uint64))


def char_objects(text_page: int, count: int, reordered: bool) -> NDArray[np.uint64]:
    """Handle of the text object of each character; 0 where PDFium invented it. reordered: the page has right-to-left text.

    In Python by bisection, unless reordered: between two characters of one object lies no other object.
    """
    if _compiled is not None or reordered:
        return of_parts(CHAR_OBJECT, text_page, np.arange(count, dtype=np.int32), np.zeros(count, np.uint64))
    objects = np.zeros(count + 2 * _STRIDE, np.uint64)
    page = repeat(c_void_p(text_page))
    objects[0:count:_STRIDE] = list(map(CHAR_OBJECT.call, page, range(0, count, _STRIDE)))
    step = _STRIDE // 2
    while step:
        middle = np.arange(step, count, 2 * step)
        objects[middle] = objects[middle - step]
        unsure = middle[(objects[middle - step] != objects[middle + step]) | (objects[middle] == 0)]
        objects[unsure] = list(map(CHAR_OBJECT.call, page, unsure.tolist()))
        step //= 2
    return objects[:count]


class _Scratch:
    """Memory that calls write to, kept from page to page with a pointer to each cell. Not for two threads at once, as PDFium."""

    def __init__(self, kind: np.dtype[Any], columns: int) -> None:
        self._table: NDArray[Any] = np.zeros((0, columns), kind)
        self._pointers: list[list[c_void_p]] = [[] for _ in range(columns)]

    def cells(self, rows: int, columns: int) -> tuple[NDArray[Any], list[list[c_void_p]]]:
        """A table of so many rows, and pointers to each row of its first columns (too many: `map` stops at the shortest)."""
        if rows > len(self._table):
            self._table = np.zeros((max(rows, 4096, 2 * len(self._table)), self._table.shape[1]), self._table.dtype)
            self._pointers = [[] for _ in self._pointers]
        for column in range(columns):
            if not self._pointers[column]:
                self._pointers[column] = [c_void_p(address) for address in addresses(self._table, column)]
        return self._table[:rows], self._pointers[:columns]


_SCRATCH: Final[dict[tuple[np.dtype[Any], int], _Scratch]] = {}


def _scratch(out: NDArray[Any]) -> _Scratch:
    key = (out.dtype, out.shape[1] if out.ndim > 1 else 1)
    return _SCRATCH.setdefault(key, _Scratch(*key))
