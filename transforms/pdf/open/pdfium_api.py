"""The functions of PDFium's C interface that pdfmill calls, and the assumptions about them. Check these when raising PDFium's version.

These assumptions go beyond PDFium's documentation; each is followed by the module that relies on it and whose tests fail when it changes:

- One text object for each text-showing operator (ISO 32000-2 §9.4.3), in their order, forms included: `text.text_objects`.
- The characters of a line are sorted by position, and right-to-left runs are reversed with their brackets mirrored: `text.glyphs`,
  `text.writing_direction`, `text.page`. Between two characters of one text object lies no other object.
- A character without a text object was invented (spaces, line ends). U+0002 marks a hyphen at a line end, soft or hard:
  `text.glyphs`, `text.soft_hyphens`.
- A character that its font does not map comes as its code, or in a composite font as the number of its glyph: `fonts.symbol_fonts`,
  `fonts.unicode_guess`.
- All characters of a code share the box of its glyph; a code that follows one of the same letter may be dropped:
  `text.shared_texts`.
- A text object without width, and one drawn nearly over another, is not in the text page: `text.lost_text`, `text.unseen_text`.
- The loose box of a character joins its advance with its ink, so an italic letter reaches into the next one: `text.glyphs`.
- The handle of a font may be given to another font once its page is closed: `text.strokes`, `text.glyphs`.
- Times without a font descriptor has a weight of 600 and more: `text.glyphs`.
- The page count is the entry Count of the page tree, even if some of these pages cannot be loaded: `open.document`.
- A damaged cross-reference table is rebuilt without a message: `open.document`.
- For a font that is not embedded a substitute is used: one of the machine's fonts, or else a built-in one. A substitute is shared by all
  documents, and its weight and width are set each time a glyph is drawn; boxes are then those of the shape drawn last (`Faces`).
- The error code of the last failure is kept, and not reset when a document without pages is opened (`open_engine`).

Functions are called for every character or object of a page by a compiled loop (`_loops.c`) if a C compiler was there when pdfmill was
installed, else one by one by `ctypes`. Both give the same bytes. pypdfium2's own bindings check each argument in Python; these keep the
interpreter lock and take plain integers: handles (0 for none), indices, addresses of memory.
"""

from __future__ import annotations

import ctypes
from collections import deque
from collections.abc import Callable, Iterable
from ctypes import c_float, c_int, c_size_t, c_uint, c_ulong, c_void_p
from enum import IntEnum
from importlib import import_module
from itertools import repeat
from typing import Any, Final, NamedTuple

import numpy as np
import pypdfium2
import pypdfium2.raw as pdfium_c
from numpy.typing import NDArray
from pypdfium2.internal import bases

_compiled: Callable[[int, int, int, NDArray[Any], NDArray[Any]], None] | None
try:
    _compiled = import_module("pdfmill.transforms.pdf.open._loops").run
except ImportError:  # no C compiler where pdfmill was installed
    _compiled = None

#: Path of a file that does not exist.
_NOWHERE: Final = b"\0"
#: Red, green, blue and alpha of objects that state no colour.
BLACK: Final = np.array([0, 0, 0, 255], np.uint32)


class Faces:
    """The fonts that PDFium uses in this process (the machine's, or built-in substitutes). Restarts PDFium to change them. Callers must
    hold the lock on PDFium."""

    def __init__(self) -> None:
        self._has_machine_fonts = True  # pypdfium2 begins the library so
        self._wants_machine_fonts = False
        self._drawn = False

    def note_drawn(self) -> None:
        """Record that a page is being drawn, which changes substitute fonts."""
        self._drawn = True

    def want(self, *, machine_fonts: bool) -> bool:
        """Choose whether documents opened from now on may use the machine's fonts. Return whether open documents must be closed first."""
        self._wants_machine_fonts = machine_fonts
        return self._stale

    def begin(self) -> None:
        """Restart PDFium if it must use other fonts, or if drawing has changed its substitute fonts; not while a document is open."""
        if not self._stale or any(reference() is not None for references in bases.ObjectTracker.values() for reference in references):
            return
        pdfium_c.FPDF_DestroyLibrary()
        no_folders = (ctypes.POINTER(ctypes.c_char) * 1)()  # a list that ends at once; without a list PDFium looks in the system's folders
        pdfium_c.FPDF_InitLibraryWithConfig(
            pdfium_c.FPDF_LIBRARY_CONFIG(
                version=2,
                m_pUserFontPaths=None if self._wants_machine_fonts else no_folders,
                m_pIsolate=None,
                m_v8EmbedderSlot=0,
            )
        )
        self._has_machine_fonts = self._wants_machine_fonts
        self._drawn = False

    @property
    def _stale(self) -> bool:
        """Whether PDFium must be restarted: it uses other fonts than wanted, or drawing has changed the boxes of characters."""
        if self._has_machine_fonts != self._wants_machine_fonts:
            return True
        return self._drawn and not self._wants_machine_fonts


#: The state of this process.
FACES: Final = Faces()


def open_engine(data: bytes, password: str | None = None) -> pypdfium2.PdfDocument:
    """Open a PDF in PDFium.

    PDFium keeps the error code of its last failure, so this function first causes an error that no bytes of a file can cause.

    Raises:
        pypdfium2.PdfiumError: PDFium cannot open the file, or finds no page (error code FPDF_ERR_SUCCESS).
    """
    FACES.begin()
    pdfium_c.FPDF_LoadDocument(_NOWHERE, None)
    try:
        return pypdfium2.PdfDocument(data, password=password)
    except pypdfium2.PdfiumError as error:
        if error.err_code != pdfium_c.FPDF_ERR_FILE:
            raise
        raise pypdfium2.PdfiumError("Failed to load document (PDFium: Success).", err_code=pdfium_c.FPDF_ERR_SUCCESS) from None


def _bind(name: str, result: Any, *arguments: Any) -> Callable[..., Any]:
    return ctypes.PYFUNCTYPE(result, *arguments)(function_address(name))


def function_address(name: str) -> int:
    """Return the memory address of a function of PDFium.

    Raises:
        ImportError: the installed PDFium has no function of this name.
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
mark_bytes = _bind("FPDFPageObjMark_GetParamBlobValue", c_int, c_void_p, ctypes.c_char_p, c_void_p, c_ulong, c_void_p)

clip_count_segments = _bind("FPDFClipPath_CountPathSegments", c_int, c_void_p, c_int)
clip_segment = _bind("FPDFClipPath_GetPathSegment", c_size_t, c_void_p, c_int, c_int)
segment_point = _bind("FPDFPathSegment_GetPoint", c_int, c_void_p, c_void_p, c_void_p)

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
    """Make all calls of a lazy iterable (such as `map`), and drop their results."""
    deque(calls, maxlen=0)


def black(rows: int) -> NDArray[np.uint32]:
    """Return uint32[rows, 4], black colours (red, green, blue, alpha). A row stays black if the call that reads its colour fails."""
    colors = np.empty((rows, 4), np.uint32)
    colors[:] = BLACK
    return colors


class Shape(IntEnum):
    """The kind of a PDFium function by its arguments and its result, numbered as in `_loops.c`. "whole" is the handle of a page, a text
    page or a path; an "address" is that of a row of the array `out`."""

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


#: Number of addresses that a function of each shape takes. A function without them returns its value.
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
    """A function of PDFium that is called for many characters or objects."""

    shape: Shape  # kind of its arguments
    address: int  # in memory
    call: Callable[..., Any]  # the function as called by ctypes


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
IMAGE_PIXELS: Final = _native(Shape.OBJECT_TWO, "FPDFImageObj_GetImagePixelSize")
PATH_DRAW_MODE: Final = _native(Shape.OBJECT_TWO, "FPDFPath_GetDrawMode")
PATH_SEGMENTS: Final = _native(Shape.OBJECT_INT, "FPDFPath_CountSegments")
PATH_SEGMENT: Final = _native(Shape.CHAR_HANDLE, "FPDFPath_GetPathSegment")
GLYPH_SEGMENT: Final = _native(Shape.CHAR_HANDLE, "FPDFGlyphPath_GetGlyphPathSegment")
SEGMENT_POINT: Final = _native(Shape.OBJECT_TWO, "FPDFPathSegment_GetPoint")
SEGMENT_TYPE: Final = _native(Shape.OBJECT_INT, "FPDFPathSegment_GetType")
SEGMENT_CLOSE: Final = _native(Shape.OBJECT_INT, "FPDFPathSegment_GetClose")


def of_parts(function: Native, whole: int, indices: NDArray[np.signedinteger[Any]], out: NDArray[Any]) -> NDArray[Any]:
    """Call a function of PDFium for some parts of an object. Each call writes its row of `out`, which is returned; a failed call does not.
    whole: the handle of a text page, a page or a path. indices: of its characters, objects or segments, from 0."""
    return _run(function, whole, np.ascontiguousarray(indices, np.int32), out)


def of_objects(function: Native, handles: NDArray[np.uint64], out: NDArray[Any]) -> NDArray[Any]:
    """Call a function of PDFium for each of these page objects. Each call writes its row of `out`, which is returned; a failed call does
    not."""
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
        starts = range(out.ctypes.data, out.ctypes.data + columns * out.itemsize, out.itemsize)
        exhaust(map(function.call, *own, *([c_void_p(start + row * out.strides[0]) for row in range(len(out))] for start in starts)))
    else:
        out[:] = list(map(function.call, *own))


def page_objects(page: int) -> NDArray[np.uint64]:
    """Return the handles of the objects of a page, without those inside form XObjects. page: PDFium's handle."""
    count = max(count_objects(page), 0)
    return of_parts(PAGE_OBJECT, page, np.arange(count, dtype=np.int32), np.zeros(count, np.uint64))


def char_objects(text_page: int, count: int) -> NDArray[np.uint64]:
    """Return uint64[count], the handle of each character's text object; 0 for characters that PDFium inserted, such as spaces."""
    return of_parts(CHAR_OBJECT, text_page, np.arange(count, dtype=np.int32), np.zeros(count, np.uint64))
