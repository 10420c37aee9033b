"""One page, from its text lines to its rows: the work of the steps `MeasurePages` and `StructurePages`, without Beam.

What reads the text lines is in `transforms.road`.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Final, NamedTuple

from schemas.records import Block, DocId, Failure, PageLines, Recovery, Row, StructColumns, StructuredPage
from schemas.statistics import DocumentStatistics, DocumentStyle
from transforms.language import block_languages, page_language
from transforms.layout.settings import LayoutSettings
from transforms.layout.statistics import measure_page
from transforms.layout.structure import structure_page
from transforms.layout.view import PageView

log = logging.getLogger("pdfmill")

#: Above this share of characters whose Unicode value is a guess, the page wants OCR.
UNTRUSTED_LIMIT: Final = 0.5



def needs_ocr(page: PageLines) -> bool:
    """The page shows text that its text layer does not give: images and no text, or mostly untrusted characters."""
    if page.failure is not None:
        return False
    chars = sum(len(line.text) for line in page.lines)
    if chars == 0:
        return bool(len(page.images))
    return page.untrusted_chars > UNTRUSTED_LIMIT * chars


class PageMeasures(NamedTuple):
    """What pages say about their document. losses: what went wrong on them."""

    statistics: DocumentStatistics
    losses: list[Recovery]


def measured(pages: Iterable[PageLines | PageView]) -> PageMeasures:
    """What these pages say about their document, added up."""
    return added(PageMeasures(page_statistics(page), list(page_losses(lines_of(page)))) for page in pages)


def lines_of(page: PageLines | PageView) -> PageLines:
    """The page itself, of a view of it or of itself."""
    return page.page if isinstance(page, PageView) else page


def added(measures: Iterable[PageMeasures]) -> PageMeasures:
    """What several ranges of pages say together; without any, that there are no pages."""
    total = PageMeasures(DocumentStatistics(), [])
    for each in measures:
        total.statistics.add(each.statistics)
        total.losses.extend(each.losses)
    return total


def page_statistics(page: PageLines | PageView) -> DocumentStatistics:
    """The page's statistics; a page that our own code stumbles over adds none."""
    try:
        return measure_page(page)
    except Exception:  # see `page_rows`
        log.exception("page %d cannot be measured", lines_of(page).page)
        return DocumentStatistics(pages=1)


def page_losses(page: PageLines) -> Iterator[Recovery]:
    """What a page lost, for its document's warnings."""
    if page.failure is not None:
        yield Recovery(page.failure.code, page.page, page.failure.message)
    yield from page.warnings


def word_columns(structured: StructuredPage) -> StructColumns:
    """The column `pages.words`."""
    words, boxes = structured.words, structured.word_boxes
    return StructColumns(
        {"start": words[:, 0], "end": words[:, 1], "x0": boxes[:, 0], "top": boxes[:, 1], "x1": boxes[:, 2], "bottom": boxes[:, 3]}
    )


def page_row(doc_id: DocId, page: PageLines, structured: StructuredPage, told: tuple[str | None, float | None]) -> Row:
    """The row of `pages`. told: language and confidence."""
    language, confidence = told
    chars = sum(len(line.text) for line in page.lines)
    return {
        "doc_id": doc_id,
        "page": page.page,
        "label": page.label or structured.printed_label,
        "width": page.width,
        "height": page.height,
        "rotation": page.rotation,
        "user_unit": page.user_unit,
        "media_box": page.media_box,
        "crop_box": page.crop_box,
        "status": "failed" if page.failure else "partial" if page.warnings else "ok",
        "error_code": page.failure.code if page.failure else "lines_unplaced" if structured.unplaced else None,
        "text": structured.text,
        "language": language,
        "language_confidence": confidence,
        "char_count": len(structured.text),
        "column_count": structured.column_count,
        "needs_ocr": needs_ocr(page),
        "ocr": page.ocr,
        "untrusted_ratio": min(1.0, page.untrusted_chars / chars) if chars else None,
        "hidden_text": [{"reason": each.reason, "text": each.text} for each in page.hidden],
        "words": word_columns(structured),
        "annotations": page.annotations,
    }


def block_row(doc_id: DocId, page: int, number: int, block: Block, told: tuple[str | None, float | None]) -> Row:
    """The row of `blocks`; number: place in the page's reading order from 1. told: language and confidence."""
    return {
        "doc_id": doc_id,
        "block": number,
        "page": page,
        "role": block.role,
        "level": block.level,
        "text": block.text,
        "heading_path": list(block.heading_path),
        "boxes": [{"page": page, "x0": x0, "top": top, "x1": x1, "bottom": bottom} for x0, top, x1, bottom in block.boxes],
        "text_start": block.start,
        "text_end": block.end,
        "continues": block.continues,
        "font": block.style.font,
        "size": block.style.size,
        "bold": block.style.bold,
        "italic": block.style.italic,
        "html": block.html,
        "run_in": block.run_in,
        "language": told[0],
        "language_confidence": told[1],
    }


def _with_unplaced(doc_id: DocId, page: PageLines, structured: StructuredPage) -> PageLines:
    """The page, with a warning where lines of it fit nowhere in its structure: the document's row is written before, the log and the page tell it."""
    if not structured.unplaced:
        return page
    told = Recovery("lines_unplaced", page.page, f"{len(structured.unplaced)} lines fit nowhere in the structure of page {page.page}")
    log.error("document %s: %s", doc_id, told.message)
    return replace(page, warnings=[*page.warnings, told])


def page_rows(doc_id: DocId, view: PageLines | PageView, style: DocumentStyle, settings: LayoutSettings) -> tuple[Row, list[Row]]:
    """The page's row and the rows of its blocks; a page that our own code stumbles over is a failed page."""
    page = lines_of(view)
    try:
        structured = structure_page(view, style, settings)
        page = _with_unplaced(doc_id, page, structured)
    except Exception as error:  # a mistake of ours on one page must not cost the job all others
        log.exception("document %s, page %d: cannot be structured", doc_id, page.page)
        page = replace(page, failure=Failure("internal", f"{type(error).__name__}: {error}"))
        structured = StructuredPage.empty(page.page)
    told = page_language(structured.text, (style.language, style.language_confidence))
    languages = block_languages(["" if block.role == "code" else block.text for block in structured.blocks], told)
    numbered = enumerate(zip(structured.blocks, languages, strict=True), start=1)
    return page_row(doc_id, page, structured, told), [block_row(doc_id, page.page, number, block, own) for number, (block, own) in numbered]
