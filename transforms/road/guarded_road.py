"""Run the stages of `transforms.road.document_road` in a guarded process: a child process with a deadline and a memory limit.
If it dies (`LostError`), the work is repeated in smaller pieces, down to single pages, so that only the page that kills the parser fails.
A function `x_guarded` calls `document_road.x` in this way; in the local run, `_x_queued` calls `x_guarded` for items of its queue."""

from __future__ import annotations

import importlib
import logging
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from functools import partial
from typing import Final, Protocol

from msgspec.structs import replace

from pdfmill.schemas.records import (
    Book,
    DescribedBook,
    DocId,
    DocumentRef,
    DocumentResult,
    Failure,
    Notice,
    PackedRange,
    PageRange,
    PartKey,
    RowsOfPart,
    StructuredRange,
    page_ranges,
)
from pdfmill.transforms.road.isolation import Guard, LostError, all_memory, guard_of_process
from pdfmill.transforms.road.job_settings import JobSettings, ReadSettings
from pdfmill.transforms.storage.scratch import scratch_folder
from pdfmill.transforms.tables.output_layout import WriteSettings
from pdfmill.transforms.tables.shards import Sizes
from pdfmill.transforms.tables.spool import Place, Spool, as_kind
from pdfmill.transforms.tables.write_summary import Written

log = logging.getLogger("pdfmill")

#: Bytes of packed `pages` rows per byte of packed text lines: 0.69 over ten books, 0.46 to 0.78 for single ones.
ROWS_BY_LINES: Final = 0.69


class Call(Protocol):
    """A callable that runs a function, here or in another process, and returns its result. function: `module:function`, or only the name of
    one of `document_road`. seconds: time limit, None for none. raises: exceptions of the function that are passed on. LostError: the other
    process died or exceeded a limit, or the function raised another exception."""

    def __call__(self, function: str, /, *arguments: object, seconds: float | None, raises: tuple[type[Exception], ...] = ()) -> object: ...


def _full(function: str) -> str:
    return function if ":" in function else f"pdfmill.transforms.road.document_road:{function}"


def guarded(guard: Guard) -> Call:
    """Return a callable that runs functions in the guarded process (a child process with limits of time and memory) of `guard`."""

    def call(function: str, /, *arguments: object, seconds: float | None, raises: tuple[type[Exception], ...] = ()) -> object:
        return guard.call(_full(function), *arguments, seconds=seconds, raises=raises)

    return call


def unguarded(function: str, /, *arguments: object, seconds: float | None, raises: tuple[type[Exception], ...] = ()) -> object:
    """Call a function in this process, without protection: a crash of the parser ends this process, and `seconds` is ignored."""
    module, _, name = _full(function).partition(":")
    answer: object = getattr(importlib.import_module(module), name)(*arguments)
    return answer


def calls(settings: ReadSettings, guard: Callable[[], Guard]) -> Call:
    """Return a callable that runs functions in a guarded process (made by `guard`) if the settings isolate parsing, else here."""
    return guarded(guard()) if settings.isolate else unguarded


def calls_of_process(settings: ReadSettings) -> Call:
    """Return a callable that runs functions in the guarded process that all threads of this process share, if the settings isolate
    parsing."""
    return calls(settings, lambda: guard_of_process(settings.max_memory))


def walk_guarded(ref: DocumentRef, job: JobSettings, call: Call, first: DocumentResult | None = None) -> Iterator[DocumentResult]:
    """Process the document and the PDFs attached to it, at any depth, and yield the result of each, parents first. Attachments of a PDF
    that is attached to itself are not read again. call: runs a function in a guarded process. first: the document's own result, if
    known."""
    waiting: list[tuple[DocumentRef, frozenset[str]]] = [(ref, frozenset())]
    given = 0
    while waiting:
        each, above = waiting.pop()
        given += 1
        room = job.read.max_children + 1 - given - len(waiting)
        found = first if first is not None and given == 1 else _walk_one(each, job, above, room, call)
        yield found
        below = above | {found.digest} if found.digest else above
        waiting.extend((child, below) for child in reversed(found.children))


def walk_together_guarded(refs: Sequence[DocumentRef], job: JobSettings, call: Call) -> list[tuple[float, list[DocumentResult]]]:
    """Process several small documents and their attached PDFs in one call. Return for each the seconds that it took, and its results.
    If the process dies, or needs longer than one document may, each is processed by itself."""
    firsts: list[tuple[float, DocumentResult | None]] = [(0.0, None)] * len(refs)
    if len(refs) > 1:
        with suppress(LostError):
            firsts = as_kind(list, call("walk_documents", refs, job, job.read.max_children, seconds=job.read.seconds_per_document))
    found = []
    for ref, (seconds, first) in zip(refs, firsts, strict=True):
        started = time.monotonic()
        walks = list(walk_guarded(ref, job, call, first))
        found.append((seconds + time.monotonic() - started, walks))
    return found


def _walk_one(ref: DocumentRef, job: JobSettings, above: frozenset[str], room: int, call: Call) -> DocumentResult:
    """Process one document; if the process dies, read its facts alone and then page by page. above: SHA-256 checksums of the documents
    around it. room: how many attached PDFs may still be read."""
    seconds = job.read.seconds_per_document
    # Recognition takes longer than all else: then the first pages have their own time, as those of every further range.
    first = seconds + (job.read.seconds_per_page * job.read.pages_per_range if job.read.ocr else 0)
    try:
        return as_kind(DocumentResult, call("walk_document", ref, job, above, room, seconds=first))
    except LostError:  # which part was it?
        pass
    try:
        found, count, reading = as_kind(tuple, call("read_facts_alone", ref, job, above, room, seconds=seconds))
    except LostError as lost:
        if _samples(job):
            return _walk_one(ref, _without_samples(job), above, room, call)
        return as_kind(DocumentResult, call("fail_document", ref, Failure(lost.code, f"{ref.name()}: {lost}"), job, seconds=seconds))
    return _page_by_page(ref, found, count, reading, job, call) if count else found


def _page_by_page(ref: DocumentRef, found: DocumentResult, count: int, reading: bytes, job: JobSettings, call: Call) -> DocumentResult:
    """Read the first page range of a document page by page, and add it to `found`, the result of reading its facts. count: number of its
    pages.
    reading: its packed `DocumentReading`."""
    first = _read_one_by_one(page_ranges(ref, count, job.read.pages_per_range)[0], job, call)
    found.book, found.first = Book(ref, count, reading), first
    found.pages, found.failures = first.pages.last, first.failures
    return found


def bytes_of_pages(ref: DocumentRef, job: JobSettings, call: Call) -> Sizes:
    """Process a document and its attached PDFs only to learn the size in bytes of their packed rows of `pages`; see `sizes_of`."""
    return sizes_of(walk_guarded(ref, job, call))


def sizes_of(results: Iterable[DocumentResult]) -> Sizes:
    """Return the size in bytes of the packed rows of `pages`; of a document of several page ranges an estimate from its first range."""
    documents, books = 0, 0.0
    for found in results:
        documents += sum(len(data) for (table, _), (_, data) in found.rows if table == "pages")
        if found.book is not None and found.first is not None:
            books += ROWS_BY_LINES * len(found.first.lines) * found.book.page_count / found.first.pages.count
    return Sizes(documents, round(books))


def walk_range_guarded(pages: PageRange, job: JobSettings, call: Call) -> PackedRange:
    """Read a range of pages and compute their statistics in a guarded process; one by one if that dies."""
    try:
        return as_kind(PackedRange, call("walk_range", pages, job, seconds=job.read.seconds_per_page * pages.count))
    except LostError:
        return _read_one_by_one(pages, job, call)


def _read_one_by_one(pages: PageRange, job: JobSettings, call: Call) -> PackedRange:
    """Read each page of a range, and compute its statistics, in a call of its own. A page on which the process dies gets a failure."""
    parts: list[object] = []
    for number in range(pages.first, pages.last + 1):
        one = PageRange(pages.document, number, number)
        try:
            part, job = _read_alone(one, job, call)
            parts.append(part)
        except LostError as lost:
            failure = Failure(lost.code, f"{pages.document.name()}, page {number}: {lost}")
            parts.append(call("lost_page", one, failure, job, seconds=job.read.seconds_per_page))
    return as_kind(PackedRange, call("join_ranges", pages, parts, seconds=job.read.seconds_per_page * pages.count))


def _read_alone(page: PageRange, job: JobSettings, call: Call) -> tuple[PackedRange, JobSettings]:
    """Read one page, and compute its statistics. Return the result, and the settings for later pages, without sample pages if these killed
    the process."""
    read = partial(call, "walk_range", page, seconds=job.read.seconds_per_page)
    try:
        return as_kind(PackedRange, read(job)), job
    except LostError:
        if not _samples(job):
            raise
    job = _without_samples(job)
    return as_kind(PackedRange, read(job)), job


def _samples(job: JobSettings) -> bool:
    """Return whether reading any page range of a document also reads sample pages of it, one of which may kill the process."""
    return job.read.ocr and job.read.sample_pages


def _without_samples(job: JobSettings) -> JobSettings:
    return replace(job, read=replace(job.read, sample_pages=False))


def describe_book_guarded(book: Book, measures: list[bytes], job: JobSettings, call: Call) -> DescribedBook:
    """Decide the style of a book (a document of several page ranges), and make its row of `documents`; without the statistics if the
    process dies. measures: for each range the packed statistics of its pages."""
    describe = partial(call, "describe_book", book.reading)
    try:
        found = describe(measures, job, seconds=job.read.seconds_per_document)
    except LostError as lost:
        found = describe([], job, Failure(lost.code, f"{book.ref.name()}: {lost}"), seconds=job.read.seconds_per_document)
    return as_kind(DescribedBook, found)


def structure_range_guarded(doc_id: DocId, pages: PageRange, lines: bytes, style: bytes, job: JobSettings, call: Call) -> StructuredRange:
    """Make the rows of `pages` and `blocks` of a range of pages in a guarded process; page by page if that dies.
    lines: the packed list of `PageLines`. style: the packed `DocumentStyle`."""
    structure = partial(call, "structure_range", doc_id, lines, style, job)
    try:
        return as_kind(StructuredRange, structure(seconds=job.read.seconds_per_page * pages.count))
    except LostError:
        each = [_structure_one(structure, pages, position, job) for position in range(pages.count)]
        return StructuredRange([row for one in each for row in one.rows], [notice for one in each for notice in one.warnings])


def _structure_one(structure: Callable[..., object], pages: PageRange, position: int, job: JobSettings) -> StructuredRange:
    """Make the rows of one page of a range, or a row with the failure if the process dies. structure: runs `structure_range` for the range
    in a guarded process; it takes the page's index from 0 (`position`) and, optionally, a failure."""
    seconds = job.read.seconds_per_page
    try:
        found = structure(position, seconds=seconds)
    except LostError as lost:
        failure = Failure(lost.code, f"{pages.document.name()}, page {pages.first + position}: {lost}")
        found = structure(position, failure, seconds=seconds)
    return as_kind(StructuredRange, found)


def finish_book_guarded(
    book: Book, row: bytes, warnings: list[Notice], job: JobSettings, call: Call, path: str, blocks: list[Place]
) -> list[tuple[int, RowsOfPart]]:
    """Make the rows of `documents` and `sections` of a book (a document of several page ranges). Return (index of a page range from 0,
    packed rows): of `documents` with range 0, of a section with the range in which it begins.
    row: the packed row from `DescribedBook`. warnings: errors in structuring the pages. path: the file with the packed rows of `blocks`.
    blocks: the position in that file of each range's rows, in order."""
    doc_id, seconds = book.ref.doc_id, max(job.read.seconds_per_document, job.read.seconds_per_page * book.page_count)
    sections: list[tuple[int, RowsOfPart]] = []
    try:
        sections = as_kind(list, call("section_book", doc_id, path, blocks, job, seconds=seconds))
    except LostError as lost:
        log.error("document %s: its sections cannot be made: %s", doc_id, lost)
        warnings = [*warnings, Notice("sections_missing", None, f"{book.ref.name()}: its sections cannot be made ({lost.code}): {lost}")]
    document = as_kind(list, call("finish_book", doc_id, row, warnings, job, seconds=job.read.seconds_per_document))
    return [*((0, rows) for rows in document), *sections]


def structure_book_guarded(book: Book, ranges: list[PackedRange], job: JobSettings, call: Call) -> Iterator[list[RowsOfPart]]:
    """Yield the packed rows of a book (a document of several page ranges), one list for each range: its pages, its blocks, and the sections
    that begin in it; first also those of `documents` and `assets`. They wait in a local file until the sections are made.

    Raises:
        pdfmill.transforms.storage.errors.SourceError: the local file cannot be written.
    """
    said = describe_book_guarded(book, [part.measures for part in ranges], job, call)
    warnings: list[Notice] = []
    kept: list[list[tuple[PartKey, tuple[object, ...], Place]]] = []
    with scratch_folder() as folder, Spool(folder) as spool:
        for part, style in zip(ranges, said.styles, strict=True):
            made = structure_range_guarded(book.ref.doc_id, part.pages, part.lines, style, job, call)
            warnings += made.warnings
            kept.append([(key, order, spool.put(data)) for key, (order, data) in made.rows])
        blocks = [place for part in kept for (table, _), _, place in part if table == "blocks"]
        further: list[list[RowsOfPart]] = [[] for _ in ranges]
        further[0] += said.rows
        for number, rows in finish_book_guarded(book, said.row, warnings, job, call, spool.path, blocks):
            further[number].append(rows)
        for waited, others in zip(kept, further, strict=True):
            yield [*((key, (order, spool.get(place))) for key, order, place in waited), *others]


def write_whole_part(path: str, key: PartKey, places: Sequence[tuple[tuple[object, ...], Place]], settings: WriteSettings) -> Written:
    """Write one Parquet file from packed rows in the local file `path`, without the memory limit of this guarded process, because the rows
    of many documents are written. key: (table, shard). places: (sort key, range of bytes in `path`) of each batch of rows."""
    from pdfmill.transforms.tables.parts import write_spooled_part  # loads Arrow, which the process that drives the road does without

    with all_memory():
        return write_spooled_part(path, key, places, settings)
