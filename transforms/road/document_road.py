"""The stages of reading a document: read, measure, describe, structure. Start reading the code here; every runner calls these functions.

    read_document   reference -> facts, assets, attached PDFs
    read_pages      a range of pages -> text lines
    measure_pages   text lines -> statistics, from which the style is decided (`pdfmill.transforms.road.page_rows`)
    describe_pages  facts and statistics -> the row of `documents`, and the document's style (`pdfmill.transforms.road.document_rows`)
    structure_pages text lines and style -> rows of `pages` and `blocks`
    section_rows    rows of `blocks` -> rows of `sections` (`pdfmill.transforms.layout.document.sections`)

A document of one page range is processed by one call of `walk_document`. A longer document is called a book, and needs several calls:

    walk_document   the facts and, unless workers share all ranges, the first range
    walk_range      the text lines and statistics of each other range
    describe_book   the style, when all ranges are measured
    structure_range the rows of `pages` and `blocks` of each range
    section_book    the sections, from the blocks of all ranges
    finish_book     the row of `documents`, with the errors that occurred meanwhile

The steps of Beam and the local run make these calls in guarded processes (child processes with limits of time and memory, `guarded_road`),
so that their own processes do not load the parsers. `show`, `draw`, the scores and the benchmarks call `finish` with the pages of a
document.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Iterable, Iterator, Sequence
from hashlib import sha256
from itertools import groupby
from typing import Final, NamedTuple, Protocol

from msgspec.structs import replace

from pdfmill.schemas.codes import DocumentError, PageError
from pdfmill.schemas.records import (
    Book,
    DescribedBook,
    DocId,
    DocumentRef,
    DocumentResult,
    Failure,
    Notice,
    PackedRange,
    PageLines,
    PageRange,
    Row,
    RowsOfPart,
    StructuredRange,
    page_ranges,
)
from pdfmill.schemas.statistics import DocumentStyle, InkLooks
from pdfmill.transforms.language.detect import page_language
from pdfmill.transforms.language.language_words import text_quality
from pdfmill.transforms.layout.document.page_analysis import PageView
from pdfmill.transforms.layout.document.sections import section_rows
from pdfmill.transforms.layout.lines.lines import find_lines, is_ocr_layer
from pdfmill.transforms.layout.page.columns import split_lines
from pdfmill.transforms.layout.settings.layout_settings import LayoutSettings
from pdfmill.transforms.pdf.facts.annotations import read_annotations
from pdfmill.transforms.pdf.facts.facts import Asset, DocumentFacts, failed_facts, read_facts, read_page_facts
from pdfmill.transforms.pdf.facts.navigation import read_page_beads
from pdfmill.transforms.pdf.facts.tags import read_page_tags
from pdfmill.transforms.pdf.fonts.unicode_guess import NOTHING_LEARNED, LearnedFonts
from pdfmill.transforms.pdf.open.contents import note_lost_content, refuse_bomb
from pdfmill.transforms.pdf.open.document import PdfDocument
from pdfmill.transforms.pdf.open.limits import DEFAULT_PAGE_LIMITS, PageLimits
from pdfmill.transforms.pdf.text.page import read_page
from pdfmill.transforms.road.document_rows import (
    DocumentReading,
    describe_document,
    failed_reading,
    keep_children,
    source_row,
    with_warnings,
)
from pdfmill.transforms.road.job_settings import JobSettings, ReadSettings
from pdfmill.transforms.road.open_documents import NATIVE_LOCK, fetch_bytes, get_document
from pdfmill.transforms.road.page_rows import (
    PageMeasures,
    has_some_unknown,
    join_measures,
    learned_maps_fail,
    lines_of,
    measure_pages,
    needs_ocr,
    page_rows,
    page_warnings,
    settle_scans,
)
from pdfmill.transforms.road.time_limits import time_limit
from pdfmill.transforms.storage.errors import SourceError
from pdfmill.transforms.storage.objects import join_uri, write_bytes
from pdfmill.transforms.tables.spool import Place, pack, read_place, unpack

log = logging.getLogger("pdfmill")

#: The error code of a store that does not answer, or answers with an error. A later attempt may succeed.
_AWAY: Final = "store_error"


def read_document(ref: DocumentRef, settings: ReadSettings) -> DocumentReading:
    """Fetch and open one document and read its facts. Errors of the document become part of its row; they raise no exception."""
    if ref.failure is not None:
        return failed_reading(ref, ref.failure)
    with NATIVE_LOCK:
        return _read_found(ref, settings)


def _read_found(ref: DocumentRef, settings: ReadSettings) -> DocumentReading:
    """Fetch and open a document, and read its facts. Errors of the document become part of its row. The caller must hold `NATIVE_LOCK`,
    because the native libraries are not thread-safe."""
    try:
        data = fetch_bytes(ref, settings)
    except (SourceError, DocumentError) as error:
        return failed_reading(ref, Failure(error.code, str(error)))
    digest: Row = {"content_sha256": sha256(data).hexdigest()}
    try:
        document = get_document(ref, settings, data)
    except (SourceError, DocumentError) as error:  # a file of passwords is read here
        return failed_reading(ref, Failure(error.code, str(error)), failed_facts(data) | digest)
    if settings.ocr:
        from pdfmill.transforms.road.sample_pages import fonts_learned  # who recognises nothing does without, here and below

        fonts_learned(document, settings)
    facts = read_facts(document, data, export=settings.export if settings.assets_uri else frozenset(), keep_jpeg=settings.keep_jpeg)
    reading = DocumentReading(ref, source_row(ref) | digest | facts.row | {"status": "ok", "page_count": document.page_count})
    reading.assets = list(_assets(ref, facts, settings))
    reading.warnings = [*document.warnings, *facts.warnings]
    reading.children = _children(ref, facts)
    return reading


def _assets(ref: DocumentRef, facts: DocumentFacts, settings: ReadSettings) -> Iterator[Row]:
    for number, asset in enumerate(facts.assets, start=1):
        child = ref.child(asset.pdf_position).doc_id if asset.pdf_position is not None else None
        uri = None
        try:
            uri = export_asset(asset, settings)
        except SourceError as error:  # the output store's fault, not the document's
            facts.warnings.append(Notice(error.code, None, f"asset {number} could not be written: {error}"))
        yield asset.row | {"doc_id": ref.doc_id, "asset": number, "child_doc_id": child, "uri": uri}


def export_asset(asset: Asset, settings: ReadSettings) -> str | None:
    """Write the bytes of an asset to a file named by their SHA-256 checksum. Return its address; None if this kind is not exported.
    Names that a PDF gives its attachments are never used as paths."""
    if settings.assets_uri is None or asset.data is None or asset.row["kind"] not in settings.export:
        return None
    digest = sha256(asset.data).hexdigest()
    uri = join_uri(join_uri(settings.assets_uri, digest[:2]), digest)
    write_bytes(uri, asset.data)
    return uri


def _children(ref: DocumentRef, facts: DocumentFacts) -> list[DocumentRef]:
    return [ref.child(asset.pdf_position) for asset in facts.assets if asset.pdf_position is not None]


def read_page_lines(
    document: PdfDocument, number: int, limits: PageLimits = DEFAULT_PAGE_LIMITS, learned: LearnedFonts = NOTHING_LEARNED
) -> PageLines:
    """Read the text lines of one page: repair its glyphs (`pdfmill.transforms.pdf.text.page.REPAIRS`), join them to lines, add annotations
    and tags, and rate its OCR layer. A page that cannot be read has a `failure`.
    learned: character maps learned by OCR, preferred to those in the file."""
    try:
        refuse_bomb(document, number)
        content = read_page(document.pdfium, number, limits=limits, document=document, learned=learned)
        scan = None
        if is_ocr_layer(content.glyphs):
            from pdfmill.transforms.scans.ocr_layers import picture_under, straighten_text  # few documents have such a layer

            scan = picture_under(content, document)
            content = straighten_text(content, scan) if scan is not None else content
        page = split_lines(find_lines(content))
    except PageError as error:
        return PageLines(number, failure=Failure(error.code, str(error)))
    page.decoded_by_learned_fonts = content.decoded_by_learned_fonts
    _add_stated(page, document)
    if len(page.images) and not page.ocr:
        from pdfmill.transforms.scans.shown_text import shown_letters  # most pages show no pictures

        page.shown_letters = shown_letters(page, document)
    if page.ocr:
        text = "\n".join(line.text for line in page.lines)
        page.ocr_quality = text_quality(text, page_language(text, (None, None))[0])
    if scan is None or not page.lines:
        return page
    from pdfmill.transforms.scans.ocr_layers import look_at_layer

    return look_at_layer(page, scan)


def _add_stated(page: PageLines, document: PdfDocument) -> None:
    """Add to the page, in place, what the document states outside the page's content stream, such as annotations and tags, and warnings of
    missing content."""
    number, warnings = page.page, page.warnings
    page.facts = read_page_facts(document, number, warnings)
    page.annotations = read_annotations(document, number, warnings)
    page.tags = read_page_tags(document, number, warnings)
    page.beads = read_page_beads(document, number, warnings)
    if not page.tags:
        page.word_content = page.word_content[:0]
    note_lost_content(document, page)


def read_pages(pages: PageRange, settings: ReadSettings) -> Iterator[PageLines]:
    """Yield every page of the range, in order. If the document itself cannot be opened, each page has its error as `failure`."""
    try:
        with NATIVE_LOCK:
            get_document(pages.document, settings)
    except (SourceError, DocumentError) as error:
        for number in range(pages.first, pages.last + 1):
            yield PageLines(number, failure=Failure(error.code, str(error)))
        return
    for number in range(pages.first, pages.last + 1):
        with NATIVE_LOCK:
            document = get_document(pages.document, settings)
            page = read_by_learned(document, number, settings)
            if settings.ocr:
                page = recognized(page, document, settings)
        if settings.fold_typography:
            from pdfmill.transforms.layout.page.typography import fold_typography

            fold_typography(page)
        yield page


def recognized(page: PageLines, document: PdfDocument, settings: ReadSettings) -> PageLines:
    """Return the page with text recognised by OCR: all of it if it has none or, if the settings allow it, a bad OCR layer; else the images
    that show letters. The quality of a doubtful OCR layer is measured and set in the page."""
    from pdfmill.transforms.road.sample_pages import OCR_SHARE, ocr_language
    from pdfmill.transforms.scans.installed import recognizer
    from pdfmill.transforms.scans.ocr_languages import AUTO
    from pdfmill.transforms.scans.ocr_layers import CHECKS, checked_quality, is_doubted
    from pdfmill.transforms.scans.recognize import recognize_page, recognize_regions
    from pdfmill.transforms.scans.regions import lettered_regions

    ends = time.monotonic() + OCR_SHARE * settings.seconds_per_page
    reader = recognizer(settings.recognizer)
    if page.ocr:
        if is_doubted(page):
            page.ocr_quality = checked_quality(page, document, reader, ocr_language(document, settings), ends - time.monotonic())
        again = settings.ocr_redo and page.ocr_quality is not None and page.ocr_quality < CHECKS.bad
    else:
        again = needs_ocr(page)
    if again:
        language, named = ocr_language(document, settings), settings.ocr_language != AUTO
        return recognize_page(page, document, reader, language, ends - time.monotonic(), named=named)
    if page.ocr or page.failure is not None or not page.lines or not len(page.images):
        return page
    boxes = lettered_regions(page, document)
    return recognize_regions(page, document, boxes, reader, ocr_language(document, settings), ends - time.monotonic()) if boxes else page


def read_by_learned(document: PdfDocument, number: int, settings: ReadSettings) -> PageLines:
    """Read the lines of a page. If the job uses OCR, use character maps learned by OCR of sample pages, unless these fail on the page."""
    if not settings.ocr:
        return _read_in_time(document, number, settings)
    from pdfmill.transforms.road.sample_pages import fonts_learned, fonts_learned_here

    page = _read_in_time(document, number, settings, fonts_learned(document, settings))
    if page.decoded_by_learned_fonts and has_some_unknown(page):
        page = _read_in_time(document, number, settings, fonts_learned_here(document, number, settings))
    return _read_in_time(document, number, settings) if page.decoded_by_learned_fonts and learned_maps_fail(page) else page


def _read_in_time(document: PdfDocument, number: int, settings: ReadSettings, learned: LearnedFonts = NOTHING_LEARNED) -> PageLines:
    with time_limit(settings.seconds_per_page):
        return read_page_lines(document, number, settings.page_limits, learned)


class Wanted(Protocol):
    """A set of page numbers (`set`, `range` or any object with `in`)."""

    def __contains__(self, page: int, /) -> bool:
        """Return whether the page with this number, counted from 1, is in the set."""


class Finished(NamedTuple):
    """The rows of a document in `documents` and `assets`, and in `pages` and `blocks` for all or some of its pages. why: the layout's
    decisions about lines, if they were requested. ink: text styles of the scanned pages."""

    document: Row
    pages: list[Row]
    blocks: list[Row]
    assets: list[Row]
    why: list[Row]  # the decisions about lines, if they were requested
    ink: InkLooks | None = None  # the text styles of its scanned pages


def views(pages: Iterable[PageLines], settings: LayoutSettings) -> Iterator[PageView | PageLines]:
    """Yield a `PageView` for each page, with data that both measuring and structuring need; a scanned page unchanged, because its text
    styles are decided later. A page on which pdfmill's own code fails gets a `failure`."""
    for page in pages:
        if page.ink is not None:
            yield page
            continue
        try:
            yield PageView(page, settings)
        except Exception as error:  # a mistake of ours on one page must not cost the job all others
            log.exception("page %d cannot be laid out", page.page)
            yield PageView(PageLines(page.page, failure=Failure("internal", f"{type(error).__name__}: {error}")), settings)


def finish(reading: DocumentReading, pages: Iterable[PageLines], settings: LayoutSettings, wanted: Wanted | None = None) -> Finished:
    """Make the rows of a document from all of its pages. wanted: numbers of the pages that get rows; None for all."""
    kept: list[PageView | PageLines] = []

    def measure() -> Iterator[PageView | PageLines]:
        for view in views(pages, settings):
            if wanted is None or lines_of(view).page in wanted:
                kept.append(view)
            yield view

    measures = measure_pages(measure())
    row, style, warnings = describe_pages(reading, measures, settings)
    made = structure_pages(reading.ref.doc_id, kept, style, settings)
    return Finished(with_warnings(row, [*warnings, *made.warnings]), made.pages, made.blocks, reading.assets, made.why, style.ink)


class Described(NamedTuple):
    """The `documents` row of a document, without its warnings; the style found in all its pages; and the warnings."""

    row: Row  # row of `documents`, without the warnings
    style: DocumentStyle  # fonts and sizes of running text and headings, running heads
    warnings: list[Notice]  # errors of the steps before


def describe_pages(reading: DocumentReading, measures: PageMeasures, settings: LayoutSettings) -> Described:
    """Decide a document's style (the fonts and sizes of body text and headings) and make its row of `documents` from page statistics."""
    statistics, ink, warnings = settle_scans(measures)
    row, style = describe_document(reading, statistics, settings)
    return Described(row, replace(style, ink=ink), [*measures.warnings, *warnings])


class Structured(NamedTuple):
    """The rows of `pages` and `blocks` of some pages of a document. why: the layout's decisions about lines, if requested. warnings: errors
    in structuring the pages."""

    pages: list[Row]
    blocks: list[Row]
    why: list[Row]  # see `Finished`
    warnings: list[Notice]  # errors that occurred in structuring them


def structure_pages(doc_id: DocId, pages: Iterable[PageLines | PageView], style: DocumentStyle, settings: LayoutSettings) -> Structured:
    """Make the rows of `pages` and `blocks` for some pages of a document whose style is known."""
    made = [page_rows(doc_id, page, style.for_pages(number, number), settings) for page in pages for number in [lines_of(page).page]]
    return Structured(
        [each.page for each in made],
        [block for each in made for block in each.blocks],
        [row for each in made for row in each.why],
        [notice for each in made for notice in each.warnings],
    )


def walk_document(ref: DocumentRef, job: JobSettings, above: frozenset[str] = frozenset(), room: int = 0) -> DocumentResult:
    """Process a document of one page range up to its finished rows. Of a longer document read only the facts and, unless
    `job.shares_books`, the first range.
    above: SHA-256 checksums of the documents in which this one is embedded. room: how many attached PDFs may still be read."""
    found, made = _walk(ref, job, above, room)
    if made is not None:
        (found.rows,) = finished_rows([(ref.doc_id, made)], job)
    return found


def walk_documents(refs: Sequence[DocumentRef], job: JobSettings, room: int) -> list[tuple[float, DocumentResult]]:
    """Process several small documents, and pack their rows together. Return for each the seconds that it took, and its result.
    room: how many attached PDFs of each document may be read."""
    walks = []
    for ref in refs:
        started = time.monotonic()
        found, made = _walk(ref, job, frozenset(), room)
        walks.append((time.monotonic() - started, found, ref.doc_id, made))
    whole = [(found, doc_id, made) for _, found, doc_id, made in walks if made is not None]
    packed = finished_rows([(doc_id, made) for _, doc_id, made in whole], job)
    for (found, _, _), rows in zip(whole, packed, strict=True):
        found.rows = rows
    return [(seconds, found) for seconds, found, _, _ in walks]


def _walk(ref: DocumentRef, job: JobSettings, above: frozenset[str], room: int) -> tuple[DocumentResult, Finished | None]:
    """Process a document of one page range, and return its result and its unpacked rows; None for rows of a longer document, see
    `walk_document`."""
    reading = open_reading(ref, job, above, room)
    ranges = page_ranges(ref, reading.page_count, job.read.pages_per_range)
    if len(ranges) <= 1:
        pages = [page for each in ranges for page in read_pages(each, job.read)]
        return document_result(reading, pages), finish(reading, pages, job.layout)
    pages = [] if job.shares_books else list(read_pages(ranges[0], job.read))
    found = document_result(reading, pages)
    found.book = Book(ref, reading.page_count, pack(reading))
    found.first = None if job.shares_books else packed_range(ranges[0], pages, job.layout)
    return found, None


def open_reading(ref: DocumentRef, job: JobSettings, above: frozenset[str], room: int) -> DocumentReading:
    """Read a document's facts, and choose which of its attached PDFs are read too. above: SHA-256 checksums of the documents around it.
    room: how many attached PDFs may still be read."""
    reading = read_document(ref, job.read)
    keep_children(reading, reading.row.get("content_sha256") in above, job.read, room)
    return reading


def document_result(reading: DocumentReading, pages: Sequence[PageLines] = ()) -> DocumentResult:
    """Return the result of reading a document without its rows, which `walk_document` adds. pages: the pages read so far."""
    digest = reading.row.get("content_sha256")
    return DocumentResult(
        [],
        reading.children,
        str(digest) if digest else None,
        reading.row["status"] == "ok",
        len(pages),
        _failures(pages),
        store_failed=reading.ref.failure is None and reading.row.get("error_code") == _AWAY,
    )


def _failures(pages: Iterable[PageLines]) -> int:
    return sum(page.failure is not None for page in pages)


def read_facts_alone(ref: DocumentRef, job: JobSettings, above: frozenset[str], room: int) -> tuple[DocumentResult, int, bytes]:
    """Read a document's facts, but no pages. Return the result, the number of pages, and the packed `DocumentReading`. Only a document
    without pages gets its finished rows. above: SHA-256 checksums of the documents around it. room: how many attached PDFs may still be
    read."""
    reading = open_reading(ref, job, above, room)
    found = document_result(reading)
    if not reading.page_count:
        (found.rows,) = finished_rows([(ref.doc_id, finish(reading, [], job.layout))], job)
    return found, reading.page_count, pack(reading)


def fail_document(ref: DocumentRef, failure: Failure, job: JobSettings) -> DocumentResult:
    """Return the result for a document whose process died: a row of `documents` with the failure."""
    reading = failed_reading(ref, failure)
    found = document_result(reading)
    (found.rows,) = finished_rows([(ref.doc_id, finish(reading, [], job.layout))], job)
    return found


def walk_range(pages: PageRange, job: JobSettings) -> PackedRange:
    """Read one range of pages of a book (a document of several ranges), and compute the statistics of the pages."""
    return packed_range(pages, list(read_pages(pages, job.read)), job.layout)


def lost_page(pages: PageRange, failure: Failure, job: JobSettings) -> PackedRange:
    """Return the result of a page whose reading killed the process: a page without text that states the failure. pages: only this page."""
    return packed_range(pages, [PageLines(pages.first, failure=failure)], job.layout)


def packed_range(pages: PageRange, lines: list[PageLines], settings: LayoutSettings) -> PackedRange:
    """Pack the text lines of a range of pages, and their statistics. lines: one record for each page of the range, in order."""
    store_failed = any(page.failure is not None and page.failure.code == _AWAY for page in lines)
    return PackedRange(pages, pack(measure_pages(views(lines, settings))), pack(lines), _failures(lines), store_failed)


def join_ranges(pages: PageRange, parts: Sequence[PackedRange]) -> PackedRange:
    """Join the results of consecutive ranges of pages to the result for `pages`, the range that they make up."""
    lines = [page for part in parts for page in unpack(list, part.lines)]
    return PackedRange(
        pages, pack(join_measures(unpack(PageMeasures, part.measures) for part in parts)), pack(lines), sum(part.failures for part in parts)
    )


def describe_book(reading: bytes, measures: Iterable[bytes], job: JobSettings, failure: Failure | None = None) -> DescribedBook:
    """Decide the style of a book (a document of several page ranges) and make its row of `documents`.
    reading: the packed `DocumentReading`. measures: the packed `PageMeasures` of all ranges, in any order. failure: why there are none; the
    book then has the default style and the status "failed"."""
    found = unpack(DocumentReading, reading)
    if failure is not None:
        found.row |= {"status": "failed", "error_code": failure.code, "error_message": failure.message}
    from pdfmill.transforms.tables.parts import pack_rows  # loads Arrow, which what shows one document does without

    said = join_measures(unpack(PageMeasures, each) for each in (() if failure else measures))
    row, style, warnings = describe_pages(found, said, job.layout)
    ranges = page_ranges(found.ref, found.page_count, job.read.pages_per_range)
    return DescribedBook(
        list(pack_rows("assets", found.ref.doc_id, found.assets, job.write.shards)),
        pack((row, warnings)),
        [pack(style.for_pages(each.first, each.last)) for each in ranges],
    )


def structure_range(
    doc_id: DocId, lines: bytes, style: bytes, job: JobSettings, only: int | None = None, failure: Failure | None = None
) -> StructuredRange:
    """Make the rows of `pages` and `blocks` of a range of pages. lines: the packed list of `PageLines`. style: the packed `DocumentStyle`.
    only: index from 0 of the one page to structure; None for all. failure: why the pages cannot be structured."""
    pages: list[PageLines] = unpack(list, lines)
    decided = unpack(DocumentStyle, style)
    warnings = []
    if only is not None:
        pages = [pages[only]]
    if failure is not None:
        pages = [PageLines(page.page, failure=failure) for page in pages]
        warnings = [each for page in pages for each in page_warnings(page)]
    from pdfmill.transforms.tables.parts import pack_rows  # loads Arrow, which what shows one document does without

    made = structure_pages(doc_id, pages, decided, job.layout)
    rows = [*pack_rows("pages", doc_id, made.pages, job.write.shards), *pack_rows("blocks", doc_id, made.blocks, job.write.shards)]
    return StructuredRange(rows, [*warnings, *made.warnings])


def section_book(doc_id: DocId, path: str, places: Sequence[Place], job: JobSettings) -> list[tuple[int, RowsOfPart]]:
    """Make the rows of `sections` of a book (a document of several page ranges). Return (index from 0 of a page range, packed rows of the
    sections that begin in it). path: a file with the packed rows of `blocks`. places: position of the rows of each page range in it."""
    from pdfmill.transforms.tables.parts import pack_rows, read_rows

    with open(path, "rb") as file:
        found = section_rows(doc_id, read_rows("blocks", (read_place(file.fileno(), place) for place in places)), job.sections)
        ranges = groupby(found, lambda row: (int(str(row["first_page"])) - 1) // job.read.pages_per_range)
        return [(number, each) for number, rows in ranges for each in pack_rows("sections", doc_id, list(rows), job.write.shards)]


def finish_book(doc_id: DocId, row: bytes, warnings: Sequence[Notice], job: JobSettings) -> list[RowsOfPart]:
    """Complete and pack the row of `documents` of a book (a document of several page ranges).
    row: the packed row that `describe_book` returned. warnings: errors that occurred after that call, in any order."""
    from pdfmill.transforms.tables.parts import pack_rows

    described_row, read = unpack(tuple, row)
    return list(pack_rows("documents", doc_id, [with_warnings(described_row, [*read, *warnings])], job.write.shards))


def finished_rows(documents: Sequence[tuple[DocId, Finished]], job: JobSettings) -> list[list[RowsOfPart]]:
    """Make the rows of `sections` of several documents and pack the rows of all tables. Return for each document its packed rows by Parquet
    file."""
    from pdfmill.transforms.tables.parts import pack_documents  # loads Arrow, which what shows one document does without

    tables = {
        "documents": [[made.document] for _, made in documents],
        "pages": [made.pages for _, made in documents],
        "blocks": [made.blocks for _, made in documents],
        "sections": [list(section_rows(doc_id, made.blocks, job.sections)) for doc_id, made in documents],
        "assets": [made.assets for _, made in documents],
    }
    found: list[list[RowsOfPart]] = [[] for _ in documents]
    for table, rows in tables.items():
        owned = [(doc_id, own) for (doc_id, _), own in zip(documents, rows, strict=True)]
        for place, packed in pack_documents(table, owned, job.write.shards):
            found[place].append(packed)
    return found
