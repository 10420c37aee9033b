"""Read the characters of a page by pdfminer if PDFium drops text that is scaled very narrow. pdfminer takes forty times as long."""

from __future__ import annotations

import io
import struct
from collections.abc import Iterator
from typing import Any, Final

import numpy as np

from pdfmill.schemas.glyphs import Glyphs
from pdfmill.schemas.records import FontStyle
from pdfmill.schemas.scripts import rtl_mask
from pdfmill.transforms.pdf.fonts.fonts import plain_name
from pdfmill.transforms.pdf.open.document import PdfDocument
from pdfmill.transforms.pdf.open.objects import OBJECT_ERRORS
from pdfmill.transforms.pdf.text.user_space import PageSpace

#: Factor by which pdfminer must find more characters. A smaller one is no sign of lost text, because many text objects contain only spaces.
_MIN_GAIN: Final = 2
_SPACES: Final = np.array([0x20, 0xA0], np.uint32)


def read_again(document: PdfDocument, number: int, space: PageSpace) -> Glyphs | None:
    """Return the characters of page `number`, from 1, as pdfminer reads them; None if that fails or the page is rotated."""
    if space.rotation:
        return None
    import pdfplumber  # slow to import, and hardly a page needs it
    from pdfminer.pdfexceptions import PDFException
    from pdfminer.psexceptions import PSException
    from pdfplumber.utils.exceptions import MalformedPDFException, PdfminerException

    try:
        with pdfplumber.open(io.BytesIO(document.data), password=document.password or None, pages=[number]) as pdf:
            page = pdf.pages[0]
            bottom = float(page.page_obj.mediabox[1])  # pdfplumber gives x in user space, y from the media box
            rows = [row for char in page.chars for row in _rows(char, bottom, space.scale)]
    except (PDFException, PSException, MalformedPDFException, PdfminerException, *OBJECT_ERRORS, AssertionError, struct.error):
        return None
    return _glyphs(rows, space) if rows else None


def more_text(first: Glyphs, again: Glyphs | None) -> Glyphs | None:
    """Return `again` (by pdfminer) if it has so many more characters than `first` (by PDFium) that PDFium must have lost text, else
    None."""
    if again is None:
        return None
    heard, gained = (int(np.count_nonzero(~np.isin(glyphs.unicode, _SPACES))) for glyphs in (first, again))
    return again if gained >= _MIN_GAIN * max(heard, 1) else None


_Row = tuple[int, float, float, float, float, float, FontStyle]


def _rows(char: dict[str, Any], bottom: float, scale: float) -> Iterator[_Row]:
    """Yield code point, box in user space (left, bottom, right, top), baseline and style for each character of an upright glyph of
    pdfminer.
    bottom: lower side of the media box. scale: points per unit of user space."""
    text = str(char["text"])
    if not text or not char["upright"]:
        return
    style = FontStyle(plain_name(str(char["fontname"])), round(float(char["size"]) * scale, 1))
    part = (char["x1"] - char["x0"]) / len(text)
    leftwards = rtl_mask(np.array([ord(character) for character in text], np.uint32)).any()
    for place, character in enumerate(text):
        left = char["x0"] + part * (len(text) - 1 - place if leftwards else place)
        yield ord(character), left, char["y0"] + bottom, left + part, char["y1"] + bottom, char["matrix"][5] + bottom, style


def _glyphs(rows: list[_Row], space: PageSpace) -> Glyphs:
    styles = list(dict.fromkeys(row[6] for row in rows))
    number = {style: index for index, style in enumerate(styles)}
    table = np.array([row[1:6] for row in rows], np.float32)
    boxes = space.boxes(table[:, 0], table[:, 1], table[:, 2], table[:, 3])
    x, y = space.points(table[:, 0], table[:, 4])
    count = len(rows)
    return Glyphs(
        np.array([row[0] for row in rows], np.uint32), boxes[:, 0], boxes[:, 1], boxes[:, 2], boxes[:, 3], x, y,
        np.zeros(count, np.int16), np.array([number[row[6]] for row in rows], np.int32), np.arange(count, dtype=np.int32),
        np.full(count, -1, np.int32), np.zeros(count, np.uint8), styles,
    )  # fmt: skip
