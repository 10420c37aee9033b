"""One page, from its reference to its rows: the work of the steps `ReadPages` and `StructurePages`, without Beam."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from schemas.records import Block, DocId, Failure, PageLines, PageRange, Row, StructColumns, StructuredPage
from schemas.statistics import DocumentStatistics, DocumentStyle
from transforms.language import page_language
from transforms.layout.columns import split_lines
from transforms.layout.lines import find_lines
from transforms.layout.settings import LayoutSettings
from transforms.layout.statistics import measure_page
from transforms.layout.structure import structure_page
from transforms.layout.typography import fold_typography
from transforms.open_documents import NATIVE_LOCK, get_document
from transforms.pdf.annotations import read_annotations
from transforms.pdf.bombs import refuse_bomb
from transforms.pdf.document import PdfDocument
from transforms.pdf.errors import DocumentError, PageError
from transforms.pdf.limits import DEFAULT_PAGE_LIMITS, PageLimits
from transforms.pdf.page import read_page
from transforms.pdf.page_facts import read_page_facts
from transforms.pdf.tags import read_page_tags
from transforms.pdf.threads import read_page_beads
from transforms.recognize import recognize_page
from transforms.settings import ReadSettings
from transforms.storage.errors import SourceError

log = logging.getLogger("pdfmill")

#: Above this share of characters whose Unicode value is a guess, the page wants OCR.
UNTRUSTED_LIMIT: Final = 0.5
#: Share of a page's seconds that its OCR may take, so that it fails before the page does.
OCR_SHARE: Final = 0.8


def read_page_lines(document: PdfDocument, number: int, limits: PageLimits = DEFAULT_PAGE_LIMITS) -> PageLines:
    """Text lines, graphics and annotations of one page; a page that cannot be read is a page with a `failure`."""
    try:
        refuse_bomb(document, number)
        page = split_lines(find_lines(read_page(document.pdfium, number, limits=limits, document=document)))
    except PageError as error:
        return PageLines(number, failure=Failure(error.code, str(error)))
    stated = read_page_facts(document, number, page.warnings)
    page.label, page.media_box, page.crop_box, page.user_unit = stated.label, stated.media_box, stated.crop_box, stated.user_unit
    page.annotations = read_annotations(document, number, page.warnings)
    page.tags = read_page_tags(document, number, page.warnings)
    page.beads = read_page_beads(document, number, page.warnings)
    if not page.tags:
        page.word_content = page.word_content[:0]
    return page


def read_pages(pages: PageRange, settings: ReadSettings) -> Iterator[PageLines]:
    """Every page of the range, in order; when the document itself cannot be had, each page says why."""
    try:
        with NATIVE_LOCK:
            get_document(pages.document, settings)
    except (SourceError, DocumentError) as error:
        for number in range(pages.first, pages.last + 1):
            yield PageLines(number, failure=Failure(error.code, str(error)))
        return
    for number in range(pages.first, pages.last + 1):
        with NATIVE_LOCK:
            page = read_page_lines(get_document(pages.document, settings).pdf, number, settings.page_limits)
            if settings.ocr and needs_ocr(page):
                page = recognize_page(page, get_document(pages.document, settings).pdf, settings.ocr_language, OCR_SHARE * settings.seconds_per_page)
        if settings.fold_typography:
            fold_typography(page)
        yield page


def needs_ocr(page: PageLines) -> bool:
    """The page shows text that its text layer does not give: images and no text, or mostly untrusted characters."""
    if page.failure is not None:
        return False
    chars = sum(len(line.text) for line in page.lines)
    if chars == 0:
        return bool(len(page.images))
    return page.untrusted_chars > UNTRUSTED_LIMIT * chars


def measured(page: PageLines) -> DocumentStatistics:
    """The page's statistics; a page that our own code stumbles over adds none."""
    try:
        return measure_page(page)
    except Exception:  # see `page_rows`
        log.exception("page %d cannot be measured", page.page)
        return DocumentStatistics(pages=1)


def word_columns(structured: StructuredPage) -> StructColumns:
    """The column `pages.words`."""
    words, boxes = structured.words, structured.word_boxes
    return StructColumns(
        {"start": words[:, 0], "end": words[:, 1], "x0": boxes[:, 0], "top": boxes[:, 1], "x1": boxes[:, 2], "bottom": boxes[:, 3]}
    )


def page_row(doc_id: DocId, page: PageLines, structured: StructuredPage) -> Row:
    """The row of `pages`."""
    language, confidence = page_language(structured.text)
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
        "error_code": page.failure.code if page.failure else None,
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


def block_row(doc_id: DocId, page: int, number: int, block: Block) -> Row:
    """The row of `blocks`; number: place in the page's reading order from 1."""
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
    }


def page_rows(doc_id: DocId, page: PageLines, style: DocumentStyle, settings: LayoutSettings) -> tuple[Row, list[Row]]:
    """The page's row and the rows of its blocks; a page that our own code stumbles over is a failed page."""
    try:
        structured = structure_page(page, style, settings)
    except Exception as error:  # a mistake of ours on one page must not cost the job all others
        log.exception("document %s, page %d: cannot be structured", doc_id, page.page)
        page = replace(page, failure=Failure("internal", f"{type(error).__name__}: {error}"))
        structured = StructuredPage.empty(page.page)
    blocks = [block_row(doc_id, page.page, number, block) for number, block in enumerate(structured.blocks, start=1)]
    return page_row(doc_id, page, structured), blocks
