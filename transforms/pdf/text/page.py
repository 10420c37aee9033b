"""Read one page: its glyphs, graphics and geometry."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Final, NamedTuple, TypeVar

import numpy as np
import pypdfium2
from msgspec import Struct, field

from pdfmill.schemas.codes import PageError
from pdfmill.schemas.glyphs import GlyphFlag, Glyphs, PageContent
from pdfmill.schemas.records import Notice
from pdfmill.transforms.pdf.facts.annotations import read_answers
from pdfmill.transforms.pdf.fonts.symbol_fonts import map_symbols
from pdfmill.transforms.pdf.fonts.unicode_guess import NOTHING_LEARNED, LearnedFonts
from pdfmill.transforms.pdf.open import pdfium_api as calls
from pdfmill.transforms.pdf.open.contents import decoded_page
from pdfmill.transforms.pdf.open.document import PdfDocument
from pdfmill.transforms.pdf.open.limits import DEFAULT_PAGE_LIMITS, PageLimits
from pdfmill.transforms.pdf.open.objects import OBJECT_ERRORS
from pdfmill.transforms.pdf.open.page_tree import PageTree, page_frame, user_unit
from pdfmill.transforms.pdf.open.pdfium_api import open_engine
from pdfmill.transforms.pdf.text.actual_text import Stated, add_answers, add_stated, put_stated, stated_texts
from pdfmill.transforms.pdf.text.clipped import mark_clipped
from pdfmill.transforms.pdf.text.drawn_signs import add_drawn_bullets, add_drawn_underscores
from pdfmill.transforms.pdf.text.glyphs import read_glyphs
from pdfmill.transforms.pdf.text.graphics import Graphics, read_graphics
from pdfmill.transforms.pdf.text.repair_text import REPLACEMENT, odd_characters, repair_text
from pdfmill.transforms.pdf.text.ruled_tables import find_ruled_tables
from pdfmill.transforms.pdf.text.shared_texts import add_doubled, restore_drawn_order, rtl_targets, settle_shared
from pdfmill.transforms.pdf.text.soft_hyphens import restore_soft_hyphens
from pdfmill.transforms.pdf.text.text_objects import text_objects
from pdfmill.transforms.pdf.text.unseen_text import mark_same_color, paints_shadings, show_copied, show_outlined
from pdfmill.transforms.pdf.text.user_space import PageSpace
from pdfmill.transforms.pdf.text.writing_direction import mark_stacked, restore_mirrored


class PageReading(Struct):
    """A page while it is read: what PDFium gave, changed in place by the repairs."""

    number: int  # page number, from 1
    page: int  # PDFium's handle of the page; 0 if PDFium has not loaded it
    space: PageSpace
    limits: PageLimits
    document: PdfDocument | None  # the document, for its objects in qpdf; None if only PDFium has it open
    learned: LearnedFonts  # texts recognised by OCR for the codes of fonts
    glyphs: Glyphs
    handles: list[int]  # PDFium's handle of each run's text object; empty if pdfminer read the page
    graphics: Graphics
    warnings: list[Notice] = field(default_factory=list)
    decoded_by_learned_fonts: bool = False  # text of the page comes from `learned`
    read_again: bool = False  # pdfminer read the page
    pictured: list[Stated] = field(default_factory=list)  # replacement texts for content without characters


class Repair(NamedTuple):
    """A function that repairs one kind of error in a page's text, in place."""

    name: str
    mends: str  # the state of the page after it
    assumes: str  # the state of the page before it
    run: Callable[[PageReading], object]


def _doubt_odd(reading: PageReading) -> None:
    if (odd := odd_characters(reading.glyphs.unicode)).any():
        reading.glyphs.flags[odd] |= GlyphFlag.UNTRUSTED


def _restore_soft_hyphens(reading: PageReading) -> None:
    if reading.document is not None:
        restore_soft_hyphens(reading.glyphs, reading.handles, reading.page, reading.number, reading.document, reading.warnings)


def _repair_text(r: PageReading) -> None:
    if r.document is not None:
        r.decoded_by_learned_fonts = repair_text(r.glyphs, r.handles, r.page, r.space, r.number, r.document, r.warnings, r.learned)


def _replace_odd(reading: PageReading) -> None:
    reading.glyphs.unicode[odd_characters(reading.glyphs.unicode)] = REPLACEMENT


#: Smallest number of text objects from which a page is judged, and share of them that must have given characters.
_MIN_OBJECTS, _MIN_SHARE = 20, 0.3


def lost_text(objects: int, heard: int) -> bool:
    """Return whether so few text objects of a page gave characters (`heard` of `objects`) that PDFium must have lost text."""
    return objects >= _MIN_OBJECTS and heard < _MIN_SHARE * objects


def _read_again(r: PageReading) -> None:
    if r.document is None or not lost_text(r.graphics.text_objects, len(set(r.handles))):
        return
    from pdfmill.transforms.pdf.text.pdfminer_text import more_text, read_again  # hardly a page needs it

    if again := more_text(r.glyphs, read_again(r.document, r.number, r.space)):
        r.glyphs, r.handles, r.read_again = again, [], True
        r.warnings.append(Notice("second_engine", r.number, "PDFium finds little of the page's text, so the page was read by pdfminer"))


def _put_stated(r: PageReading) -> None:
    if r.document is not None and not r.read_again and (stated := stated_texts(r.document, r.number, r.warnings)):
        r.pictured = put_stated(r.glyphs, r.handles, r.graphics.form_texts, stated, r.limits.max_glyphs)


def _mark_clipped(reading: PageReading) -> None:
    if not reading.read_again:
        mark_clipped(reading.glyphs, reading.handles, reading.graphics.form_texts, reading.space)


def _show_hidden(r: PageReading) -> None:
    show_copied(r.glyphs, r.handles, r.page)
    show_outlined(r.glyphs, r.handles, r.graphics.painted, r.space)


def _add_underscores(reading: PageReading) -> None:
    rules, dashes = reading.graphics.rules, reading.graphics.dashes
    if len(rules) or len(dashes):
        found = add_drawn_underscores(reading.glyphs, np.concatenate((rules, dashes)))
        reading.graphics.rules = rules[~found[: len(rules)]]


def _add_pictured(reading: PageReading) -> None:
    if reading.pictured:
        add_stated(reading.glyphs, reading.page, reading.pictured, reading.space)


def _add_answers(reading: PageReading) -> None:
    if reading.document is not None and (answers := read_answers(reading.document, reading.number)):
        add_answers(reading.glyphs, answers, reading.space.size, reading.limits.max_glyphs)


#: The repairs in the order in which they run.
REPAIRS: Final = (
    Repair("shared texts", "a text that several objects share is there once", "PDFium's order of runs",
           lambda r: settle_shared(r.glyphs, r.handles, r.page, r.space)),
    Repair("drawn order", "runs of scripts with stacked letters are in drawing order", "each run is of a text object",
           lambda r: restore_drawn_order(r.glyphs, r.handles, r.page)),
    Repair("mirrored brackets", "brackets are as drawn", "PDFium's order of characters", lambda r: restore_mirrored(r.glyphs)),
    Repair("symbol fonts", "codes of known symbol fonts are replaced by their characters", "no code was guessed",
           lambda r: map_symbols(r.glyphs, r.handles)),
    Repair("odd characters", "characters that cannot occur in text are untrusted", "known symbols are replaced", _doubt_odd),
    Repair("soft hyphens", "hyphens at line ends are hard or soft", "PDFium's order of runs", _restore_soft_hyphens),
    Repair("fonts and layers", "untrusted characters are read from their font; lost ones are added; hidden layers are marked",
           "untrusted characters are marked", _repair_text),
    Repair("replacement", "characters that are still impossible are U+FFFD", "fonts were read", _replace_odd),
    Repair("second engine", "a page of which PDFium gives little text is read by pdfminer", "lost characters were added", _read_again),
    Repair("stated texts", "ActualText of tags replaces the text of their content", "each run is of a text object", _put_stated),
    Repair("clipped", "text outside its clipping path is marked", "each run is of a text object", _mark_clipped),
    Repair("vertical runs", "stacked ideographs are vertical", "characters are right", lambda r: mark_stacked(r.glyphs)),
    Repair("same colour", "text in the colour of its background is marked", "boxes are right",
           lambda r: mark_same_color(r.glyphs, r.graphics, r.space, lambda: paints_shadings(r.document, r.number))),
    Repair("hidden copies", "text with a visible copy or outline is not marked as unseen", "unseen text is marked", _show_hidden),
    Repair("doubled letters", "second letters that PDFium took for copies are added", "each run is of a text object",
           lambda r: add_doubled(r.glyphs, r.handles, r.page, r.graphics.text_objects, r.space)),
    Repair("drawn bullets", "bullets drawn as shapes are in the text", "unseen text is marked",
           lambda r: add_drawn_bullets(r.glyphs, r.graphics.marks)),
    Repair("drawn underscores", "underscores drawn as short rules are in the text", "unseen text is marked", _add_underscores),
    Repair("form fields", "the values that form fields show are in their boxes", "all other text is read", _add_answers),
    Repair("pictured texts", "ActualText of pictures is added", "all other text is read", _add_pictured),
)  # fmt: skip


def read_page(
    pdf: pypdfium2.PdfDocument,
    number: int,
    *,
    limits: PageLimits = DEFAULT_PAGE_LIMITS,
    document: PdfDocument | None = None,
    learned: LearnedFonts = NOTHING_LEARNED,
) -> PageContent:
    """Read page `number`, from 1, and repair its text by `REPAIRS`.
    document: without it, characters that PDFium cannot map stay unmapped, and hidden layers are shown. learned: texts of font codes from
    OCR.

    Raises:
        PageError: page_unreadable if PDFium cannot load the page or its text; too_large beyond `limits.max_glyphs`.
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
        graphics = read_graphics(page, space, max_objects=limits.max_objects, max_depth=limits.max_depth)
        reading = PageReading(number, page, space, limits, document, learned, glyphs, handles, graphics)
        for repair in REPAIRS:
            repair.run(reading)
        width, height = space.size
        return PageContent(
            number,
            width,
            height,
            space.rotation,
            reading.glyphs,
            rules=graphics.rules,
            fills=graphics.fills,
            images=graphics.images,
            warnings=reading.warnings,
            tables=find_ruled_tables(graphics.edges, limits.max_edges),
            decoded_by_learned_fonts=reading.decoded_by_learned_fonts,
        )


def _read_decoded(coded: bytes, number: int, limits: PageLimits) -> PageContent:
    """Read a page whose content PDFium cannot decode. coded: bytes of a PDF that has only this page, with its content decoded."""
    try:
        engine = open_engine(coded)
    except pypdfium2.PdfiumError as error:
        raise PageError("page_unreadable", f"page {number}: PDFium cannot read its content, which is packed as a JPEG: {error}") from error
    try:
        content = read_page(engine, 1, limits=limits)
    finally:
        engine.close()
    content.page = number
    content.warnings.append(
        Notice("repaired_object", number, "the page's content is packed as a JPEG, which PDFium does not decode; pdfmill decoded it")
    )
    return content


@contextmanager
def loaded_page(pdf: pypdfium2.PdfDocument, number: int) -> Iterator[tuple[int, int]]:
    """Return a context with PDFium's handles of page `number`, from 1, and of its text page, which are closed at its end.

    Raises:
        PageError: page_unreadable.
    """
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
    """Return the displayed part of user space, its rotation and its unit. page: PDFium's handle.
    document: states the unit, and the displayed part if the crop box lies outside the media box; without it a unit is a point."""
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


def read_drawn(document: PdfDocument, number: int, *, limits: PageLimits = DEFAULT_PAGE_LIMITS) -> Glyphs:
    """Return the glyphs of page `number`, from 1, text object by text object in the order of the content stream.

    Raises:
        PageError: PDFium cannot load the page or its text.
        OverflowError: the page has more characters than `limits.max_glyphs`.
    """
    with loaded_page(document.pdfium, number) as (page, text_page):
        glyphs, handles = read_glyphs(text_page, page_space(page, document, number), limits.max_glyphs)
        place = {each.handle: order for order, each in enumerate(text_objects(page))}
        rank = np.array([place.get(handle, len(place)) for handle in handles], np.int64)
        glyphs.select(np.argsort(rank[glyphs.run], kind="stable"))
        return glyphs
