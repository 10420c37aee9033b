"""Make the rows of one page from its text lines, which `pdfmill.transforms.road.document_road` reads, and pool the statistics of pages."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator, Sequence
from typing import Final, NamedTuple

import numpy as np
from msgspec.structs import replace

from pdfmill.schemas.declare import Row, StructColumns, as_row
from pdfmill.schemas.records import Decision, DocId, Failure, PageLines, StructuredPage
from pdfmill.schemas.rows import Block, Notice, PageRow
from pdfmill.schemas.statistics import DocumentStatistics, DocumentStyle, InkLooks
from pdfmill.transforms.language.detect import block_languages, page_language
from pdfmill.transforms.layout.blocks.page_structure import structure_page
from pdfmill.transforms.layout.document.derotate import displayed_size, turn_back
from pdfmill.transforms.layout.document.ink_looks import pool_ink, settle_looks
from pdfmill.transforms.layout.document.page_analysis import PageView
from pdfmill.transforms.layout.document.page_statistics import measure_page
from pdfmill.transforms.layout.lines.no_language import count_strange
from pdfmill.transforms.layout.settings.layout_settings import LayoutSettings
from pdfmill.transforms.layout.settings.text_settings import TextSettings

log = logging.getLogger("pdfmill")

#: The page needs OCR if more than this share of its characters have a guessed Unicode value.
UNTRUSTED_LIMIT: Final = 0.5

#: A page is decoded with the learned character maps of its fonts if at most this share of its characters stays unknown.
UNKNOWN_LIMIT: Final = 0.05
#: Shares of unknown characters: above the first, OCR of the page itself pays; above the second, the page is probably in another script.
UNKNOWN_SOME: Final = 0.02
UNKNOWN_MOST: Final = 0.4
#: Confidence below which a recognised word is doubtful. On clean scans 1 in 60 of Tesseract's words is, and 3 in 4 of those are wrong.
UNSURE: Final = 0.6
_CONFIDENCE_DIGITS: Final = 3


def needs_ocr(page: PageLines) -> bool:
    """Return whether the page shows text that its text layer lacks, in pictures or because most Unicode values are guesses."""
    if page.failure is not None:
        return False
    chars = sum(len(line.text) for line in page.lines)
    if _is_guessed(page):
        return True
    if page.shown_letters is None or page.ocr:
        return not chars and bool(len(page.images))
    from pdfmill.transforms.scans.shown_text import DEFAULTS as SHOWN  # most pages show no pictures

    return page.shown_letters >= max(SHOWN.fewest, chars)


def is_untrusted(page: PageLines) -> bool:
    """Return whether the Unicode values of most characters of the page are guesses."""
    return page.untrusted_chars > 0 and page.untrusted_chars > UNTRUSTED_LIMIT * sum(len(line.text) for line in page.lines)


def _is_guessed(page: PageLines) -> bool:
    return is_untrusted(page) and not page.decoded_by_learned_fonts


def learned_maps_fail(page: PageLines) -> bool:
    """Return whether the character maps from OCR fail on this page: too many characters stay unknown, or the text is in no language."""
    return _unknown(page) > UNKNOWN_LIMIT or count_strange(page.lines, page.styles, TextSettings()) > 0


def has_some_unknown(page: PageLines) -> bool:
    """Return whether the character maps from OCR of sample pages lack some characters of this page, but not most. OCR of it may give
    them."""
    return UNKNOWN_SOME < _unknown(page) <= UNKNOWN_MOST


def _unknown(page: PageLines) -> float:
    text = "".join(line.text for line in page.lines)
    return text.count("\N{REPLACEMENT CHARACTER}") / max(1, len(text))


class PageMeasures(NamedTuple):
    """Statistics of some pages of a document, from which its style is decided. warnings: errors on the pages. scans: the scanned pages,
    whose statistics are added when their text styles are decided."""

    statistics: DocumentStatistics
    warnings: list[Notice]  # errors on them
    #: Scanned pages, a few kilobytes each. Their statistics are added when the text styles of all of them are decided.
    scans: list[PageLines]


def measure_pages(pages: Iterable[PageLines | PageView]) -> PageMeasures:
    """Return the statistics of these pages together."""
    return join_measures(map(_measured, pages))


def _measured(page: PageLines | PageView) -> PageMeasures:
    """Return the statistics and warnings of one page. A scanned page has none yet and is returned itself."""
    lines = lines_of(page)
    warnings = list(page_warnings(lines))
    if lines.ink is not None:
        return PageMeasures(DocumentStatistics(), warnings, [lines])
    statistics, further = page_statistics(page)
    return PageMeasures(statistics, [*warnings, *further], [])


def lines_of(page: PageLines | PageView) -> PageLines:
    """Return the `PageLines` of a `PageView`, or the argument itself."""
    return page.page if isinstance(page, PageView) else page


def join_measures(measures: Iterable[PageMeasures]) -> PageMeasures:
    """Add up the measures (statistics of pages, by which the document is judged) of several page ranges."""
    total = PageMeasures(DocumentStatistics(), [], [])
    for each in measures:
        total.statistics.add(each.statistics)
        total.warnings.extend(each.warnings)
        total.scans.extend(each.scans)
    return total


def settle_scans(measures: PageMeasures) -> tuple[DocumentStatistics, InkLooks | None, list[Notice]]:
    """Decide the text styles of all scanned pages of a document together. Return the statistics of all pages, the styles (None without
    scans), and the errors."""
    looks = None
    warnings: list[Notice] = []
    try:
        looks = pool_ink(measures.scans)
    except Exception as error:  # see `page_rows`
        log.exception("the text styles of scanned pages cannot be decided")
        warnings += (_notice("looks_undecided", page, error) for page in measures.scans)
    for page in measures.scans:
        statistics, more = page_statistics(page, looks)
        measures.statistics.add(statistics)
        warnings += more
    return measures.statistics, looks, warnings


def page_statistics(page: PageLines | PageView, looks: InkLooks | None = None) -> tuple[DocumentStatistics, list[Notice]]:
    """Return the page's statistics and the errors in computing them, after which it counts as empty. looks: text styles of scanned
    pages."""
    lines = lines_of(page)
    try:
        statistics = measure_page(settle_looks(lines, looks) if lines.ink is not None else page)
    except Exception as error:  # see `page_rows`
        log.exception("page %d cannot be measured", lines.page)
        return DocumentStatistics(pages=1), [_notice("page_unmeasured", lines, error)]
    if _is_guessed(lines):
        statistics.sample = ()
    return statistics, []


def _notice(code: str, page: PageLines, error: Exception) -> Notice:
    return Notice(code, page.page, f"{type(error).__name__}: {error}")


def page_warnings(page: PageLines) -> Iterator[Notice]:
    """Yield the page's failure and warnings as warnings of its document."""
    if page.failure is not None:
        yield Notice(page.failure.code, page.page, page.failure.message)
    yield from page.warnings


def word_columns(structured: StructuredPage) -> StructColumns:
    """Make the column `pages.words`: for each word its start and end in the page's text, and its box in points."""
    words, boxes = structured.words, structured.word_boxes
    return StructColumns(
        {"start": words[:, 0], "end": words[:, 1], "x0": boxes[:, 0], "top": boxes[:, 1], "x1": boxes[:, 2], "bottom": boxes[:, 3]}
    )


def page_row(doc_id: DocId, page: PageLines, structured: StructuredPage, detected: tuple[str | None, float | None]) -> PageRow:
    """Make the row of `pages`. detected: the page's language and the confidence in it, 0 to 1."""
    language, confidence = detected
    width, height = displayed_size(page)
    chars = sum(len(line.text) for line in page.lines)
    sure = (
        np.round(structured.word_confidences.astype(np.float64), _CONFIDENCE_DIGITS).tolist() if len(structured.word_confidences) else None
    )
    return PageRow(
        doc_id=doc_id,
        page=page.page,
        label=page.facts.label or structured.printed_label,
        width=width,
        height=height,
        rotation=page.rotation,
        user_unit=page.facts.user_unit,
        media_box=page.facts.media_box,
        crop_box=page.facts.crop_box,
        status="failed" if page.failure else "partial" if page.warnings else "ok",
        error_code=page.failure.code if page.failure else "lines_unplaced" if structured.unplaced else None,
        text=structured.text,
        language=language,
        language_confidence=confidence,
        char_count=len(structured.text),
        column_count=structured.column_count,
        needs_ocr=needs_ocr(page),
        ocr=page.ocr,
        ocr_quality=page.ocr_quality,
        untrusted_ratio=min(1.0, page.untrusted_chars / chars) if chars else None,
        hidden_text=page.hidden,
        words=word_columns(structured),
        word_confidences=sure,
        unsure_words=None if sure is None else sum(each < UNSURE for each in sure),
        annotations=page.annotations,
    )


def place_blocks(doc_id: DocId, page: int, blocks: Sequence[Block], detected: tuple[str | None, float | None]) -> None:
    """Number the blocks of a page from 1, and set their document, page and language, in place. detected: the page's language and
    confidence."""
    languages = block_languages(["" if block.role == "code" else block.text for block in blocks], detected)
    for number, (block, result) in enumerate(zip(blocks, languages, strict=True), start=1):
        block.doc_id, block.page, block.block = doc_id, page, number
        block.language, block.language_confidence = result


def _with_unplaced(doc_id: DocId, page: PageLines, structured: StructuredPage) -> PageLines:
    if not structured.unplaced:
        return page
    notice = Notice("lines_unplaced", page.page, f"{len(structured.unplaced)} text lines of page {page.page} are in none of its blocks")
    log.error("document %s: %s", doc_id, notice.message)
    return replace(page, warnings=[*page.warnings, notice])


class PageRows(NamedTuple):
    """The row of a page, the rows of its blocks, the decisions about its lines if they were requested, and the errors in structuring it."""

    page: Row
    blocks: list[Row]
    why: list[Row]
    warnings: list[Notice]


def page_rows(doc_id: DocId, view: PageLines | PageView, style: DocumentStyle, settings: LayoutSettings) -> PageRows:
    """Make the row of the page and the rows of its blocks. If pdfmill's own code fails on a page, its row states the failure."""
    page = lines_of(view)
    before = list(page_warnings(page))
    try:
        if page.ink is not None:
            view = page = settle_looks(page, style.ink)
        structured = turn_back(structure_page(view, style, settings), page)
        page = _with_unplaced(doc_id, page, structured)
    except Exception as error:  # a mistake of ours on one page must not cost the job all others
        log.exception("document %s, page %d: cannot be structured", doc_id, page.page)
        page = replace(page, failure=Failure("internal", f"{type(error).__name__}: {error}"))
        structured = StructuredPage.empty(page.page)
    detected = (None, None) if _is_guessed(page) else page_language(structured.text, (style.language, style.language_confidence))
    place_blocks(doc_id, page.page, structured.blocks, detected)
    why = why_rows(page, (*style.why.get(page.page, ()), *structured.why))
    blocks = [as_row(block) for block in structured.blocks]
    return PageRows(
        as_row(page_row(doc_id, page, structured, detected)),
        blocks,
        list(why),
        [each for each in page_warnings(page) if each not in before],
    )


def why_rows(page: PageLines, decisions: Iterable[Decision]) -> Iterator[Row]:
    """Yield the decisions about a page's lines as dictionaries, each with the text of the lines that it is about."""
    for each in decisions:
        text = " / ".join(page.lines[line].text for line in each.lines if line < len(page.lines))
        yield {"page": page.page, "question": each.question, "rule": each.rule, "taken": each.taken, "says": each.says, "text": text}
