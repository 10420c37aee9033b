"""The road of a document: read, measure, describe, structure. The place to start reading; everybody runs this one.

    read_document   reference -> facts, assets, attached PDFs
    read_pages      a range of pages -> text lines
    measured        text lines -> what they say about their document (`transforms.pages`)
    described       facts and measures -> the row of `documents`, and the document's style
    structured      text lines and style -> rows of `pages` and `blocks`

`finish` is the last three for a document whose pages are at hand; a book goes range by range. The steps of Beam and the local run call
this module in a guarded process (`transforms.isolation`), so that their own processes do not load the parsers; `show`, `draw`, the
scores and the benchmarks call it as it is.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator
from hashlib import sha256
from typing import Final, NamedTuple, Protocol

from schemas.records import DocId, DocumentRef, Failure, PageLines, PageRange, Recovery, Row
from schemas.statistics import DocumentStyle
from transforms.documents import DocumentReading, describe_document, failed_reading, page_ranges, source_row
from transforms.layout.columns import split_lines
from transforms.layout.lines import find_lines
from transforms.layout.settings import LayoutSettings
from transforms.layout.typography import fold_typography
from transforms.layout.view import PageView
from transforms.open_documents import NATIVE_LOCK, fetch_bytes, get_document
from transforms.pages import lines_of, measured, needs_ocr, page_rows
from transforms.pdf.annotations import read_annotations
from transforms.pdf.bombs import refuse_bomb
from transforms.pdf.contents import note_lost_content
from transforms.pdf.document import PdfDocument
from transforms.pdf.errors import DocumentError, PageError
from transforms.pdf.facts import Asset, DocumentFacts, failed_facts, read_facts
from transforms.pdf.limits import DEFAULT_PAGE_LIMITS, PageLimits
from transforms.pdf.page import read_page
from transforms.pdf.page_facts import read_page_facts
from transforms.pdf.tags import read_page_tags
from transforms.pdf.threads import read_page_beads
from transforms.recognize import recognize_page
from transforms.settings import ReadSettings
from transforms.storage.errors import SourceError
from transforms.storage.objects import join_uri, write_bytes

log = logging.getLogger("pdfmill")

#: Share of a page's seconds that its OCR may take, so that it fails before the page does.
OCR_SHARE: Final = 0.8


def read_document(ref: DocumentRef, settings: ReadSettings) -> DocumentReading:
    """Fetch, open and describe one document. Whatever goes wrong with the document ends in its row, never in an exception."""
    if ref.failure is not None:
        return failed_reading(ref, ref.failure)
    with NATIVE_LOCK:
        return _read_found(ref, settings)


def _read_found(ref: DocumentRef, settings: ReadSettings) -> DocumentReading:
    try:
        data = fetch_bytes(ref, settings)
    except (SourceError, DocumentError) as error:
        return failed_reading(ref, Failure(error.code, str(error)))
    digest: Row = {"content_sha256": sha256(data).hexdigest()}
    try:
        document = get_document(ref, settings, data)
    except (SourceError, DocumentError) as error:  # a file of passwords is read here
        return failed_reading(ref, Failure(error.code, str(error)), failed_facts(data) | digest)
    facts = read_facts(document.pdf, data, export=settings.export if settings.assets_uri else frozenset(), keep_jpeg=settings.keep_jpeg)
    reading = DocumentReading(ref, source_row(ref) | digest | facts.row | {"status": "ok", "page_count": document.pdf.page_count})
    reading.assets = list(_assets(ref, facts, settings))
    reading.warnings = [*document.pdf.warnings, *facts.warnings]
    reading.children = _children(ref, facts)
    return reading


def _assets(ref: DocumentRef, facts: DocumentFacts, settings: ReadSettings) -> Iterator[Row]:
    for number, asset in enumerate(facts.assets, start=1):
        child = ref.child(asset.pdf_position).doc_id if asset.pdf_position is not None else None
        uri = None
        try:
            uri = export_asset(asset, settings)
        except SourceError as error:  # the output store's fault, not the document's
            facts.warnings.append(Recovery(error.code, None, f"asset {number} could not be written: {error}"))
        yield asset.row | {"doc_id": ref.doc_id, "asset": number, "child_doc_id": child, "uri": uri}


def export_asset(asset: Asset, settings: ReadSettings) -> str | None:
    """Write the bytes under their checksum, once for all documents; None when this kind is not asked for.

    The name comes from the checksum alone: a name found in a PDF is never a path.
    """
    if settings.assets_uri is None or asset.data is None or asset.row["kind"] not in settings.export:
        return None
    digest = sha256(asset.data).hexdigest()
    uri = join_uri(join_uri(settings.assets_uri, digest[:2]), digest)
    write_bytes(uri, asset.data)
    return uri


def _children(ref: DocumentRef, facts: DocumentFacts) -> list[DocumentRef]:
    return [ref.child(asset.pdf_position) for asset in facts.assets if asset.pdf_position is not None]


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
    note_lost_content(document, page)
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


class Wanted(Protocol):
    """A choice of pages."""

    def __contains__(self, page: int, /) -> bool:
        """Whether the page is one of them; pages count from 1."""


class Finished(NamedTuple):
    """The rows of a document, of all or some of its pages."""

    document: Row
    pages: list[Row]
    blocks: list[Row]
    assets: list[Row]


def views(pages: Iterable[PageLines], settings: LayoutSettings) -> Iterator[PageView]:
    """The pages as they are measured and structured; one that our own code stumbles over is a page with a failure."""
    for page in pages:
        try:
            yield PageView(page, settings)
        except Exception as error:  # a mistake of ours on one page must not cost the job all others
            log.exception("page %d cannot be laid out", page.page)
            yield PageView(PageLines(page.page, failure=Failure("internal", f"{type(error).__name__}: {error}")), settings)


def finish(reading: DocumentReading, pages: Iterable[PageLines], settings: LayoutSettings, wanted: Wanted | None = None) -> Finished:
    """The rows of a document whose pages are at hand, all of them. wanted: of which pages rows are made; of all where None."""
    kept: list[PageView] = []

    def measure() -> Iterator[PageView]:
        for view in views(pages, settings):
            if wanted is None or view.page.page in wanted:
                kept.append(view)
            yield view

    row, style = describe_document(reading, *measured(measure()), settings)
    return Finished(row, *structured(reading.ref.doc_id, kept, style, settings), reading.assets)


def structured(doc_id: DocId, pages: Iterable[PageLines | PageView], style: DocumentStyle, settings: LayoutSettings) -> tuple[list[Row], list[Row]]:
    """The rows of `pages` and `blocks` of some pages of a document whose style is known."""
    made = [page_rows(doc_id, page, style.for_pages(number, number), settings) for page in pages for number in [lines_of(page).page]]
    return [row for row, _ in made], [block for _, blocks in made for block in blocks]


def read_with_first_pages(ref: DocumentRef, settings: ReadSettings) -> tuple[DocumentReading, list[PageLines]]:
    """Facts, and the first range of pages while the document is open."""
    reading = read_document(ref, settings)
    ranges = page_ranges(ref, reading.page_count, settings.pages_per_range)
    return reading, list(read_pages(ranges[0], settings)) if ranges else []
