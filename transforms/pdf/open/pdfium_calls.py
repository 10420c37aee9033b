"""PDFium functions bound for being called thousands of times a page.

pypdfium2's own bindings check each argument in Python; these keep the interpreter lock and take plain integers (handles,
indices, addresses of preallocated memory), which halves the price of a call. Those called for every character or text object are
in `pdfmill.transforms.pdf.open.pdfium_loops`. Handles are integers, 0 for none.
"""

from __future__ import annotations

import ctypes
from collections import deque
from collections.abc import Callable, Iterable
from ctypes import c_float, c_int, c_size_t, c_uint, c_ulong, c_void_p
from typing import Any

import pypdfium2.raw as pdfium_c
from numpy.typing import NDArray


def _bind(name: str, result: Any, *arguments: Any) -> Callable[..., Any]:
    return ctypes.PYFUNCTYPE(result, *arguments)(function_address(name))


def function_address(name: str) -> int:
    """Address of a function of PDFium.

    Raises:
        ImportError: the installed PDFium has none of this name.
    """
    address = ctypes.cast(getattr(pdfium_c, name), c_void_p).value
    if address is None:
        raise ImportError(f"PDFium has no {name}")
    return address


load_page = _bind("FPDF_LoadPage", c_size_t, c_void_p, c_int)
close_page = _bind("FPDF_ClosePage", None, c_void_p)
page_box = _bind("FPDF_GetPageBoundingBox", c_int, c_void_p, c_void_p)
page_rotation = _bind("FPDFPage_GetRotation", c_int, c_void_p)
count_objects = _bind("FPDFPage_CountObjects", c_int, c_void_p)
count_form_objects = _bind("FPDFFormObj_CountObjects", c_int, c_void_p)
get_form_object = _bind("FPDFFormObj_GetObject", c_size_t, c_void_p, c_ulong)

load_text = _bind("FPDFText_LoadPage", c_size_t, c_void_p)
close_text = _bind("FPDFText_ClosePage", None, c_void_p)
count_chars = _bind("FPDFText_CountChars", c_int, c_void_p)
get_text = _bind("FPDFText_GetText", c_int, c_void_p, c_int, c_int, c_void_p)
char_hyphen = _bind("FPDFText_IsHyphen", c_int, c_void_p, c_int)

object_count_marks = _bind("FPDFPageObj_CountMarks", c_int, c_void_p)
object_mark = _bind("FPDFPageObj_GetMark", c_size_t, c_void_p, c_ulong)
mark_value_type = _bind("FPDFPageObjMark_GetParamValueType", c_int, c_void_p, ctypes.c_char_p)

clip_count_segments = _bind("FPDFClipPath_CountPathSegments", c_int, c_void_p, c_int)
clip_segment = _bind("FPDFClipPath_GetPathSegment", c_size_t, c_void_p, c_int, c_int)
segment_point = _bind("FPDFPathSegment_GetPoint", c_int, c_void_p, c_void_p, c_void_p)
segment_type = _bind("FPDFPathSegment_GetType", c_int, c_void_p)

font_base_name = _bind("FPDFFont_GetBaseFontName", c_ulong, c_void_p, c_void_p, c_ulong)
font_weight = _bind("FPDFFont_GetWeight", c_int, c_void_p)
font_flags = _bind("FPDFFont_GetFlags", c_int, c_void_p)
font_italic_angle = _bind("FPDFFont_GetItalicAngle", c_int, c_void_p, c_void_p)
font_ascent = _bind("FPDFFont_GetAscent", c_int, c_void_p, c_float, c_void_p)
font_descent = _bind("FPDFFont_GetDescent", c_int, c_void_p, c_float, c_void_p)
font_embedded = _bind("FPDFFont_GetIsEmbedded", c_int, c_void_p)
font_data = _bind("FPDFFont_GetFontData", c_int, c_void_p, c_void_p, c_size_t, c_void_p)
font_glyph_path = _bind("FPDFFont_GetGlyphPath", c_size_t, c_void_p, c_uint, c_float)
glyph_count_segments = _bind("FPDFGlyphPath_CountGlyphSegments", c_int, c_void_p)
font_glyph_width = _bind("FPDFFont_GetGlyphWidth", c_int, c_void_p, c_uint, c_float, c_void_p)


def exhaust(calls: Iterable[object]) -> None:
    """Run a `map` for its effect."""
    deque(calls, maxlen=0)


def addresses(table: NDArray[Any], column: int = 0) -> range:
    """Address of one column of each row of a C-contiguous 2-d table."""
    start = table.ctypes.data + column * table.itemsize
    return range(start, start + len(table) * table.strides[0], table.strides[0]) if len(table) else range(0)
