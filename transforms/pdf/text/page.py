"""One page: glyphs, graphics and geometry."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import TypeVar

import numpy as np
import pypdfium2

from pdfmill.schemas.glyphs import GlyphFlag, PageContent
from pdfmill.schemas.records import Notice
from pdfmill.transforms.pdf.fonts.symbol_fonts import map_symbols
from pdfmill.transforms.pdf.fonts.unicode_guess import NOTHING_LEARNED, LearnedFonts
from pdfmill.transforms.pdf.open import pdfium_api as calls
from pdfmill.transforms.pdf.open.document import PdfDocument
from pdfmill.transforms.pdf.open.errors import PageError
from pdfmill.transforms.pdf.open.jbig2_contents import decoded_page
from pdfmill.transforms.pdf.open.limits import DEFAULT_PAGE_LIMITS, PageLimits
from pdfmill.transforms.pdf.open.objects import OBJECT_ERRORS
from pdfmill.transforms.pdf.open.page_transform import page_frame, user_unit
from pdfmill.transforms.pdf.open.page_tree import PageTree
from pdfmill.transforms.pdf.open.pdfium_api import open_engine
from pdfmill.transforms.pdf.text.actual_text import Stated, add_stated, put_stated, stated_texts
from pdfmill.transforms.pdf.text.clipped import mark_clipped
from pdfmill.transforms.pdf.text.doubled_letters import add_doubled
from pdfmill.transforms.pdf.text.glyphs import read_glyphs
from pdfmill.transforms.pdf.text.graphics import read_graphics
from pdfmill.transforms.pdf.text.hidden_copies import show_copied
from pdfmill.transforms.pdf.text.ligatures import rtl_targets
from pdfmill.transforms.pdf.text.mirrored_brackets import restore_mirrored
from pdfmill.transforms.pdf.text.pdfminer_text import lost_text, more_text, read_again
from pdfmill.transforms.pdf.text.repair_text import REPLACEMENT, odd_characters, repair_text
from pdfmill.transforms.pdf.text.ruled_tables import find_ruled_tables
from pdfmill.transforms.pdf.text.same_color import mark_same_color
from pdfmill.transforms.pdf.text.shared_texts import settle_shared
from pdfmill.transforms.pdf.text.soft_hyphens import restore_soft_hyphens
from pdfmill.transforms.pdf.text.user_space import PageSpace
from pdfmill.transforms.pdf.text.vertical_runs import mark_stacked


def read_page(
    pdf: pypdfium2.PdfDocument,
    number: int,
    *,
    limits: PageLimits = DEFAULT_PAGE_LIMITS,
    document: PdfDocument | None = None,
    learned: LearnedFonts = NOTHING_LEARNED,
) -> PageContent:
    """Read page `number` (from 1). learned: see `repair_text`.

    document: the same document with its objects; without it unmapped characters stay unmapped and hidden layers show.

    Raises:
        PageError: page_unreadable when PDFium cannot load it or its text; too_large beyond `limits.max_glyphs`.
    """
    with loaded_page(pdf, number) as (page, text_page):
        if document is not None and not calls.count_objects(page) and (coded := decoded_page(document, number)):
            return _read_decoded(coded, number, limits)
        space = page_space(page, document, number)
        try:
            glyphs, handles = read_glyphs(
                text_page, space, limits.max_glyphs, partial(rtl_targets, document) if document is not None else None
            )
        except OverflowError as error:
            raise PageError("too_large", f"page {number}: {error}") from error
        warnings: list[Notice] = []
        fonts_read = False
        settle_shared(glyphs, handles, page, space)
        restore_mirrored(glyphs)
        map_symbols(glyphs)
        if (odd := odd_characters(glyphs.unicode)).any():
            glyphs.flags[odd] |= GlyphFlag.UNTRUSTED
        if document is not None:
            restore_soft_hyphens(glyphs, handles, page, number, document, warnings)
            fonts_read = repair_text(glyphs, handles, page, space, number, document, warnings, learned)
        glyphs.unicode[odd_characters(glyphs.unicode)] = REPLACEMENT
        drawn: list[Stated] = []
        graphics = read_graphics(page, space, max_objects=limits.max_objects, max_depth=limits.max_depth)
        if (
            document is not None
            and lost_text(graphics.text_objects, len(set(handles)))
            and (again := more_text(glyphs, read_again(document, number, space)))
        ):
            glyphs, handles = again, []
            warnings.append(Notice("second_engine", number, "PDFium gives little of the page's text: read by pdfminer"))
        else:
            if document is not None and (stated := stated_texts(document, number, warnings)):
                drawn = put_stated(glyphs, handles, graphics.form_texts, stated, limits.max_glyphs)
            mark_clipped(glyphs, handles, graphics.form_texts, space)
        mark_stacked(glyphs)
        mark_same_color(glyphs, graphics, space)
        show_copied(glyphs, handles, page)
        add_doubled(glyphs, handles, page, graphics.text_objects, space)
        if drawn:
            add_stated(glyphs, page, drawn, space)
        width, height = space.size
        return PageContent(
            number,
            width,
            height,
            space.rotation,
            glyphs,
            rules=graphics.rules,
            fills=graphics.fills,
            images=graphics.images,
            warnings=warnings,
            tables=find_ruled_tables(graphics.edges, limits.max_edges),
            fonts_read=fonts_read,
        )


def _read_decoded(coded: bytes, number: int, limits: PageLimits) -> PageContent:
    """As `read_page`, of a page whose content PDFium does not decode. coded: a document of that page alone."""
    try:
        engine = open_engine(coded)
    except pypdfium2.PdfiumError as error:
        raise PageError("page_unreadable", f"page {number}: PDFium cannot load its content decoded: {error}") from error
    try:
        content = read_page(engine, 1, limits=limits)
    finally:
        engine.close()
    content.page = number
    content.warnings.append(Notice("repaired_object", number, "the page's content is in a picture: its samples are the operators"))
    return content


@contextmanager
def loaded_page(pdf: pypdfium2.PdfDocument, number: int) -> Iterator[tuple[int, int]]:
    """Handles of a page and its text page, closed at the end."""
    page = calls.load_page(ctypes.cast(pdf.raw, ctypes.c_void_p).value, number - 1)
    if not page:
        raise PageError("page_unreadable", f"page {number}: PDFium cannot load it")
    try:
        text_page = calls.load_text(page)
        if not text_page:
            raise PageError("page_unreadable", f"page {number}: PDFium cannot read its text")
        try:
            yield page, text_page
        finally:
            calls.close_text(text_page)
    finally:
        calls.close_page(page)


def page_space(page: int, document: PdfDocument | None, number: int) -> PageSpace:
    """The displayed part of user space and its rotation. page: PDFium's handle.

    document: tells the page's unit, and what is displayed where the crop box lies outside the media box; without it, or where the
    page's dictionary cannot be read (which its facts then tell), a unit is a point.
    """
    box = np.zeros(4, np.float32)  # FS_RECTF: left, top, right, bottom
    calls.page_box(page, box.ctypes.data)
    left, top, right, bottom = box.tolist()
    if not (left < right and bottom < top) and (frame := _stated(page_frame, document, number)) is not None:
        left, bottom, right, top = frame.crop
    unit = _stated(user_unit, document, number)
    return PageSpace((left, bottom, right, top), calls.page_rotation(page) % 4 * 90, 1.0 if unit is None else unit)


_Stated = TypeVar("_Stated")


def _stated(read: Callable[[PageTree, int], _Stated], document: PdfDocument | None, number: int) -> _Stated | None:
    try:
        return read(document.tree, number) if document is not None and number <= len(document.tree.pages) else None
    except OBJECT_ERRORS:
        return None
