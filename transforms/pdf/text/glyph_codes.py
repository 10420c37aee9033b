"""Find the character code and the position of each glyph on a page, so that OCR of the page can show what each code means."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pdfmill.schemas.codes import PageError
from pdfmill.schemas.glyphs import Glyphs
from pdfmill.transforms.pdf.fonts.unicode_guess import guesser_of
from pdfmill.transforms.pdf.open.document import PdfDocument
from pdfmill.transforms.pdf.open.limits import DEFAULT_PAGE_LIMITS, PageLimits
from pdfmill.transforms.pdf.open.objects import OBJECT_ERRORS, Key, key_of
from pdfmill.transforms.pdf.text.glyphs import read_glyphs
from pdfmill.transforms.pdf.text.page import loaded_page, page_space
from pdfmill.transforms.pdf.text.text_objects import shown_by_object, text_objects


class CodedGlyphs(NamedTuple):
    """The n glyphs of a page whose character codes are known, in PDFium's order. Positions and sizes are points of the displayed page.
    fonts: keys of the font dictionaries. font: index of each glyph in `fonts`. width: of the page."""

    fonts: list[Key]  # keys of the font dictionaries
    font: NDArray[np.int32]  # int32[n], index into `fonts`
    code: NDArray[np.int64]  # int64[n], character code
    unicode: NDArray[np.uint32]  # uint32[n], PDFium's character
    middle: NDArray[np.float32]  # float32[n], horizontal middle in points of the displayed page
    baseline: NDArray[np.float32]  # float32[n], y in points of the displayed page
    size: NDArray[np.float32]  # float32[n], points
    width: float  # of the page, points


def coded_glyphs(document: PdfDocument, number: int, limits: PageLimits = DEFAULT_PAGE_LIMITS) -> CodedGlyphs | None:
    """Return the horizontal glyphs of page `number`, from 1, whose character codes are known; None if there are none.

    Raises:
        PageError: PDFium cannot load the page or its text, or it has too many glyphs.
    """
    with loaded_page(document.pdfium, number) as (page, text_page):
        space = page_space(page, document, number)
        try:
            glyphs, handles = read_glyphs(text_page, space, limits.max_glyphs)
            shown = shown_by_object(text_objects(page), number, document)
        except OverflowError as error:
            raise PageError("too_large", f"page {number}: {error}") from error
        except OBJECT_ERRORS:
            return None
        bounds = np.searchsorted(glyphs.run, np.arange(len(handles) + 1)).tolist()
        fonts: dict[Key, int] = {}
        font, code, place, middle = [np.zeros(0, np.int32)], [np.zeros(0, np.int64)], [np.zeros(0, np.int64)], [np.zeros(0, np.float32)]
        for run, handle in enumerate(handles):
            operator = shown.get(handle)
            key = key_of(operator.font) if operator is not None else None
            if operator is None or key is None:
                continue
            guesser = guesser_of(operator.font, document)
            codes = guesser.codes(operator.codes) if guesser is not None else []
            first, last = bounds[run], bounds[run + 1]
            starts = guesser.starts(codes, glyphs.unicode[first:last].tolist()) if guesser is not None and last > first else None
            if starts is None or not codes:
                continue
            bound = np.array(starts) + first
            font.append(np.full(len(codes), fonts.setdefault(key, len(fonts)), np.int32))
            code.append(np.array([int.from_bytes(each, "big") for each in codes], np.int64))
            place.append(np.where(bound[:-1] < bound[1:], bound[:-1], np.maximum(bound[:-1] - 1, first)))
            middle.append(_middles(glyphs, bound, first, last))
        places = np.concatenate(place)
        kept = glyphs.angle[places] == 0
        if not kept.any():
            return None
        places = places[kept]
        return CodedGlyphs(
            list(fonts),
            np.concatenate(font)[kept],
            np.concatenate(code)[kept],
            glyphs.unicode[places],
            np.concatenate(middle)[kept],
            glyphs.origin_y[places],
            glyphs.sizes(places),
            space.size[0],
        )


def _middles(glyphs: Glyphs, bound: NDArray[np.int64], first: int, last: int) -> NDArray[np.float32]:
    """Return float32[n]: for each code of a run the horizontal middle of its glyph, in points, or of its gap if PDFium dropped the glyph.
    bound: int64[n + 1], index of the first glyph of each code, followed by the end. first, last: slice of the run's glyphs."""
    start, end = bound[:-1], bound[1:]
    left = np.where(start < end, glyphs.x0[np.minimum(start, last - 1)], glyphs.x1[np.maximum(start - 1, first)])
    right = np.where(start < end, glyphs.x1[np.maximum(end - 1, first)], glyphs.x0[np.minimum(start, last - 1)])
    middle: NDArray[np.float32] = ((left + right) / 2).astype(np.float32)
    return middle
