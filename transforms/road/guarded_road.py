"""Run the stages of `transforms.road.document_road` in a guarded process: a child process with a deadline and a memory limit.

If the process dies (`LostError`), the work is repeated in smaller pieces: the facts alone, then page by page. So only the page that kills
the parser becomes a page with a failure. This module does not load the parsers.

A function `x_guarded` calls `document_road.x` in this way. In the local run, `_x_queued` calls `x_guarded` for items of its queue.
"""

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
    a function of `pdfmill.transforms.road.document_road`. seconds: time limit, None for none. raises: exceptions of the function that are
    passed on. If another process runs the function, LostError may be raised: the process died or exceeded a limit, or the function raised
    another exception."""

    def __call__(self, function: str, /, *arguments: object, seconds: float | None, raises: tuple[type[Exception], ...] = ()) -> object: ...


def _full(function: str) -> str:
    """Return `module:function` for the name of a function; without a module it is one of `document_road`."""
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
    """Return a callable that runs functions. If the settings isolate parsing, they run in a guarded process (a child process with limits of
    time and memory), otherwise in this process. guard: makes the guarded process; it is called once, and only if the settings isolate
    parsing."""
    return guarded(guard()) if settings.isolate else unguarded


def calls_of_process(settings: ReadSettings) -> Call:
    """Return a callable that runs functions in the guarded process (a child process with limits of time and memory) that all threads of
    this process share. If the settings do not isolate parsing, functions run in this process."""
    return calls(settings, lambda: guard_of_process(settings.max_memory))


def walk_guarded(ref: DocumentRef, job: JobSettings, call: Call, first: DocumentResult | None = None) -> Iterator[DocumentResult]:
    """Process the document and the PDFs attached to it, at any depth, and yield the result of each. A document comes before its
    attachments. The attachments of a PDF that is attached to itself are not read again. call: runs a function in a guarded process. first:
    the result of the document itself, if it was processed before."""
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
    """Process several small documents and their attached PDFs in one call. Return for each document the seconds that it took, and its
    results. If the process dies, or needs more time for all of them than one document is allowed, each document is processed by itself."""
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
    """Process one document. If the process that reads it dies, read the document's facts alone and then page by page. above: SHA-256
    checksums of the documents in which this one is embedded. room: how many attached PDFs may still be read. call: runs a function in a
    guarded process, and starts another if that dies."""
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
    """Read the first page range of a document page by page, and add it to the document's result. The document is then treated as one of
    several ranges. found: the result of reading its facts, which is changed and returned. count: number of its pages. reading: its packed
    `DocumentReading` (facts and reference). call: runs a function in a guarded process."""
    first = _read_one_by_one(page_ranges(ref, count, job.read.pages_per_range)[0], job, call)
    found.book, found.first = Book(ref, count, reading), first
    found.pages, found.failures = first.pages.last, first.failures
    return found


def bytes_of_pages(ref: DocumentRef, job: JobSettings, call: Call) -> Sizes:
    """Process a document and its attached PDFs only to learn the size in bytes of their packed rows of `pages`. For a document of several
    page ranges, only the first range is read, and the size is estimated from it."""
    return sizes_of(walk_guarded(ref, job, call))


def sizes_of(results: Iterable[DocumentResult]) -> Sizes:
    """Return the size in bytes of the packed rows of `pages` in these results. The size of a document of several page ranges is estimated
    from its first range."""
    documents, books = 0, 0.0
    for found in results:
        documents += sum(len(data) for (table, _), (_, data) in found.rows if table == "pages")
        if found.book is not None and found.first is not None:
            books += ROWS_BY_LINES * len(found.first.lines) * found.book.page_count / found.first.pages.count
    return Sizes(documents, round(books))


def walk_range_guarded(pages: PageRange, job: JobSettings, call: Call) -> PackedRange:
    """Read a range of pages in a guarded process (a child process with limits), and compute the pages' statistics. If the process dies, the
    pages are read one by one. call: runs a function in a guarded process."""
    try:
        return as_kind(PackedRange, call("walk_range", pages, job, seconds=job.read.seconds_per_page * pages.count))
    except LostError:
        return _read_one_by_one(pages, job, call)


def _read_one_by_one(pages: PageRange, job: JobSettings, call: Call) -> PackedRange:
    """Read each page of a range, and compute its statistics, in a call of its own. A page on which the process dies gets a failure. call:
    runs a function in a guarded process."""
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
    """Read one page, and compute its statistics. Return the result, and the settings for later pages. If reading sample pages killed the
    process, the settings no longer ask for sample pages."""
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
    """Return the settings with sample pages switched off."""
    return replace(job, read=replace(job.read, sample_pages=False))


def describe_book_guarded(book: Book, measures: list[bytes], job: JobSettings, call: Call) -> DescribedBook:
    """Decide the style of a book (a document of several page ranges), and make its row of `documents`. If the process dies, this is done
    again without the statistics. measures: for each range the packed statistics of its pages. call: runs a function in a guarded
    process."""
    describe = partial(call, "describe_book", book.reading)
    try:
        found = describe(measures, job, seconds=job.read.seconds_per_document)
    except LostError as lost:
        found = describe([], job, Failure(lost.code, f"{book.ref.name()}: {lost}"), seconds=job.read.seconds_per_document)
    return as_kind(DescribedBook, found)


def structure_range_guarded(doc_id: DocId, pages: PageRange, lines: bytes, style: bytes, job: JobSettings, call: Call) -> StructuredRange:
    """Make the rows of `pages` and `blocks` of a range of pages in a guarded process. If the process dies, the rows are made page by page.
    lines: the packed list of `PageLines`. style: the packed `DocumentStyle`. call: runs a function in the guarded process."""
    structure = partial(call, "structure_range", doc_id, lines, style, job)
    try:
        return as_kind(StructuredRange, structure(seconds=job.read.seconds_per_page * pages.count))
    except LostError:
        each = [_structure_one(structure, pages, position, job) for position in range(pages.count)]
        return StructuredRange([row for one in each for row in one.rows], [notice for one in each for notice in one.warnings])


def _structure_one(structure: Callable[..., object], pages: PageRange, position: int, job: JobSettings) -> StructuredRange:
    """Make the rows of one page of a range. If the process dies, make a row with the failure instead. structure: runs `structure_range` for
    the range in a guarded process; it takes the page's position and, optionally, a failure. position: index of the page in the range, from
    0."""
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
    """Make the rows of `documents` and `sections` of a book (a document of several page ranges). Return pairs (index of a page range from
    0, packed rows): the row of `documents` is with range 0, and a section with the range in which it begins. If the sections cannot be
    made, the document's row gets a warning.

    row: the packed row of `documents` from `DescribedBook`. warnings: errors in structuring the pages. path: the file with the packed rows
    of `blocks`. blocks: the position in that file of each range's rows, in order.
    """
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
    that begin in it. The first list also has the rows of `documents` and `assets`.

    Finished rows are kept in a local file until the sections are made, so that memory only holds the text lines.

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
    of many documents are written. key: (table, shard) of the Parquet file. places: (sort key, range of bytes in `path`) of each batch of
    rows."""
    from pdfmill.transforms.tables.parts import write_spooled_part  # loads Arrow, which the process that drives the road does without

    with all_memory():
        return write_spooled_part(path, key, places, settings)
