"""PDFium functions bound for being called thousands of times a page.

pypdfium2's own bindings check each argument in Python; these keep the interpreter lock and take plain integers (handles,
indices, addresses of preallocated memory), which halves the price of a call. Those called for every character or text object
(`fast_`) have no argument types at all: they take ready-made `c_void_p` objects and small integers, which halves it again.
Handles are integers, 0 for none.
"""

from __future__ import annotations

import ctypes
from collections import deque
from collections.abc import Callable, Iterable
from ctypes import c_float, c_int, c_size_t, c_uint, c_ulong, c_void_p
from itertools import repeat
from typing import Any

import numpy as np
import pypdfium2.raw as pdfium_c
from numpy.typing import NDArray


def _bind(name: str, result: Any, *arguments: Any) -> Callable[..., Any]:
    return ctypes.PYFUNCTYPE(result, *arguments)(_address(name))


def _address(name: str) -> int:
    address = ctypes.cast(getattr(pdfium_c, name), c_void_p).value
    if address is None:
        raise ImportError(f"PDFium has no {name}")
    return address


load_page = _bind("FPDF_LoadPage", c_size_t, c_void_p, c_int)
close_page = _bind("FPDF_ClosePage", None, c_void_p)
page_box = _bind("FPDF_GetPageBoundingBox", c_int, c_void_p, c_void_p)
page_rotation = _bind("FPDFPage_GetRotation", c_int, c_void_p)
count_objects = _bind("FPDFPage_CountObjects", c_int, c_void_p)
get_object = _bind("FPDFPage_GetObject", c_size_t, c_void_p, c_int)
count_form_objects = _bind("FPDFFormObj_CountObjects", c_int, c_void_p)
get_form_object = _bind("FPDFFormObj_GetObject", c_size_t, c_void_p, c_ulong)

load_text = _bind("FPDFText_LoadPage", c_size_t, c_void_p)
close_text = _bind("FPDFText_ClosePage", None, c_void_p)
count_chars = _bind("FPDFText_CountChars", c_int, c_void_p)
get_text = _bind("FPDFText_GetText", c_int, c_void_p, c_int, c_int, c_void_p)
char_unicode = _bind("FPDFText_GetUnicode", c_uint, c_void_p, c_int)
char_object = _bind("FPDFText_GetTextObject", c_size_t, c_void_p, c_int)
char_map_error = _bind("FPDFText_HasUnicodeMapError", c_int, c_void_p, c_int)
char_hyphen = _bind("FPDFText_IsHyphen", c_int, c_void_p, c_int)
char_generated = _bind("FPDFText_IsGenerated", c_int, c_void_p, c_int)
char_loose_box = _bind("FPDFText_GetLooseCharBox", c_int, c_void_p, c_int, c_void_p)
char_box = _bind("FPDFText_GetCharBox", c_int, c_void_p, c_int, c_void_p, c_void_p, c_void_p, c_void_p)
char_origin = _bind("FPDFText_GetCharOrigin", c_int, c_void_p, c_int, c_void_p, c_void_p)
char_matrix = _bind("FPDFText_GetMatrix", c_int, c_void_p, c_int, c_void_p)

object_type = _bind("FPDFPageObj_GetType", c_int, c_void_p)
object_bounds = _bind("FPDFPageObj_GetBounds", c_int, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p)
object_matrix = _bind("FPDFPageObj_GetMatrix", c_int, c_void_p, c_void_p)
object_fill = _bind("FPDFPageObj_GetFillColor", c_int, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p)
object_stroke = _bind("FPDFPageObj_GetStrokeColor", c_int, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p)
object_stroke_width = _bind("FPDFPageObj_GetStrokeWidth", c_int, c_void_p, c_void_p)
object_content_id = _bind("FPDFPageObj_GetMarkedContentID", c_int, c_void_p)
object_count_marks = _bind("FPDFPageObj_CountMarks", c_int, c_void_p)
object_clip_path = _bind("FPDFPageObj_GetClipPath", c_size_t, c_void_p)
clip_count_paths = _bind("FPDFClipPath_CountPaths", c_int, c_void_p)
clip_count_segments = _bind("FPDFClipPath_CountPathSegments", c_int, c_void_p, c_int)
clip_segment = _bind("FPDFClipPath_GetPathSegment", c_size_t, c_void_p, c_int, c_int)
path_draw_mode = _bind("FPDFPath_GetDrawMode", c_int, c_void_p, c_void_p, c_void_p)
path_count_segments = _bind("FPDFPath_CountSegments", c_int, c_void_p)
path_segment = _bind("FPDFPath_GetPathSegment", c_size_t, c_void_p, c_int)
segment_point = _bind("FPDFPathSegment_GetPoint", c_int, c_void_p, c_void_p, c_void_p)
segment_type = _bind("FPDFPathSegment_GetType", c_int, c_void_p)
segment_close = _bind("FPDFPathSegment_GetClose", c_int, c_void_p)

text_object_font = _bind("FPDFTextObj_GetFont", c_size_t, c_void_p)
text_object_size = _bind("FPDFTextObj_GetFontSize", c_int, c_void_p, c_void_p)
text_object_mode = _bind("FPDFTextObj_GetTextRenderMode", c_int, c_void_p)
font_base_name = _bind("FPDFFont_GetBaseFontName", c_ulong, c_void_p, c_void_p, c_ulong)
font_weight = _bind("FPDFFont_GetWeight", c_int, c_void_p)
font_flags = _bind("FPDFFont_GetFlags", c_int, c_void_p)
font_embedded = _bind("FPDFFont_GetIsEmbedded", c_int, c_void_p)
font_italic_angle = _bind("FPDFFont_GetItalicAngle", c_int, c_void_p, c_void_p)
font_ascent = _bind("FPDFFont_GetAscent", c_int, c_void_p, c_float, c_void_p)
font_descent = _bind("FPDFFont_GetDescent", c_int, c_void_p, c_float, c_void_p)
font_glyph_width = _bind("FPDFFont_GetGlyphWidth", c_int, c_void_p, c_uint, c_float, c_void_p)
font_data = _bind("FPDFFont_GetFontData", c_int, c_void_p, c_void_p, c_ulong, c_void_p)


def _bind_fast(name: str, result: Any) -> Callable[..., Any]:
    return ctypes.PYFUNCTYPE(result)(_address(name))


fast_loose_box = _bind_fast("FPDFText_GetLooseCharBox", None)
fast_char_object = _bind_fast("FPDFText_GetTextObject", c_size_t)
fast_char_matrix = _bind_fast("FPDFText_GetMatrix", None)
fast_char_origin = _bind_fast("FPDFText_GetCharOrigin", None)
fast_char_box = _bind_fast("FPDFText_GetCharBox", None)
fast_map_error = _bind_fast("FPDFText_HasUnicodeMapError", c_int)
fast_font = _bind_fast("FPDFTextObj_GetFont", c_size_t)
fast_size = _bind_fast("FPDFTextObj_GetFontSize", None)
fast_mode = _bind_fast("FPDFTextObj_GetTextRenderMode", c_int)
fast_fill = _bind_fast("FPDFPageObj_GetFillColor", None)
fast_content_id = _bind_fast("FPDFPageObj_GetMarkedContentID", c_int)


class Scratch:
    """Memory that calls write to, kept from page to page with a pointer to each cell. Not for two threads at once, as PDFium."""

    def __init__(self, kind: type[np.generic], columns: int) -> None:
        self._table: NDArray[Any] = np.zeros((0, columns), kind)
        self._pointers: list[list[c_void_p]] = [[] for _ in range(columns)]

    def cells(self, rows: int, columns: int = 1) -> tuple[NDArray[Any], list[list[c_void_p]]]:
        """A zeroed table of so many rows, to be copied from, and pointers to each row of its first columns (too many: `map` stops
        at the shortest)."""
        if rows > len(self._table):
            self._table = np.zeros((max(rows, 4096, 2 * len(self._table)), self._table.shape[1]), self._table.dtype)
            self._pointers = [[] for _ in self._pointers]
        for column in range(columns):
            if not self._pointers[column]:
                self._pointers[column] = [c_void_p(address) for address in addresses(self._table, column)]
        table = self._table[:rows]
        table[:] = 0
        return table, self._pointers[:columns]


FLOATS_4 = Scratch(np.float32, 4)
FLOATS_6 = Scratch(np.float32, 6)
DOUBLES_4 = Scratch(np.float64, 4)
UINTS_4 = Scratch(np.uint32, 4)


def exhaust(calls: Iterable[object]) -> None:
    """Run a `map` for its effect."""
    deque(calls, maxlen=0)


def addresses(table: NDArray[Any], column: int = 0) -> range:
    """Address of one column of each row of a C-contiguous 2-d table."""
    start = table.ctypes.data + column * table.itemsize
    return range(start, start + len(table) * table.strides[0], table.strides[0]) if len(table) else range(0)


def read_floats(call: Callable[..., Any], handles: Iterable[int], rows: int, columns: int) -> NDArray[np.float32]:
    """float32[rows, columns] of a function that fills one structure of floats per handle; zeros where it fails."""
    table = np.zeros((rows, columns), np.float32)
    exhaust(map(call, handles, addresses(table)))
    return table


def read_colors(call: Callable[..., Any], handles: Iterable[int], rows: int) -> NDArray[np.uint32]:
    """uint32[rows, 4], red, green, blue and alpha of each object; black and opaque where it has none."""
    table = np.zeros((rows, 4), np.uint32)
    table[:, 3] = 255
    exhaust(map(call, handles, *(addresses(table, column) for column in range(4))))
    return table


def per_char(call: Callable[..., Any], text_page: int, indices: Iterable[int]) -> list[int]:
    """Results of a function of (text page, character index)."""
    return list(map(call, repeat(text_page), indices))
