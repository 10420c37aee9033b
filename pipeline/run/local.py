"""The run on one machine: guarded processes (child processes with limits of time and memory) read documents, and this process collects
their rows. It does not use Beam, whose import takes as long as a small job, but makes the same calls (`guarded_road`), so the tables are
the same. A long document is split into page ranges, which all processes read. Rows and text lines are collected in a file, not in
memory."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from functools import partial
from queue import SimpleQueue
from typing import Any, Final, Protocol, TypeVar

from pdfmill.pipeline.run.progress import Progress
from pdfmill.schemas.records import (
    Book,
    DescribedBook,
    DocumentRef,
    DocumentResult,
    Notice,
    PackedRange,
    PageRange,
    RowsOfPart,
    StructuredRange,
    page_ranges,
)
from pdfmill.transforms.road.guarded_road import (
    Call,
    calls,
    describe_book_guarded,
    finish_book_guarded,
    structure_range_guarded,
    walk_range_guarded,
    walk_together_guarded,
)
from pdfmill.transforms.road.isolation import Guard, LostError
from pdfmill.transforms.road.job_settings import JobSettings, ReadSettings
from pdfmill.transforms.storage.errors import SourceError
from pdfmill.transforms.tables.output_layout import WriteSettings, part_keys
from pdfmill.transforms.tables.spool import Place, Spool
from pdfmill.transforms.tables.write_summary import Written, joined

T = TypeVar("T")

#: Name of the runner in a run file.
LOCAL: Final = "local"
#: Number of calls per process that are in progress or waiting, so that no process waits for the listing.
_AHEAD: Final = 3
#: Most small documents that are read in one call, and most bytes of them: the overhead of a call equals the work for a short document.
_TOGETHER: Final = 24
_TOGETHER_BYTES: Final = 1 << 18


class Listed(Protocol):
    """A listed object. size: its size in bytes, None if unknown."""

    @property
    def size(self) -> int | None: ...


L = TypeVar("L", bound=Listed)


def batches(documents: Iterable[L], max_documents: int, max_bytes: int) -> Iterator[list[L]]:
    """Group consecutive objects into batches of at most `max_documents` objects and `max_bytes` listed bytes; a larger object is a batch of
    its own.

    >>> [len(b) for b in batches([DocumentRef.of_uri(f"file:///{i}") for i in range(5)], 2, 1000)]
    [2, 2, 1]
    """
    batch: list[L] = []
    size = 0
    for document in documents:
        if batch and (len(batch) == max_documents or size + (document.size or 0) > max_bytes):
            yield batch
            batch, size = [], 0
        batch.append(document)
        size += document.size or 0
    if batch:
        yield batch


class Workers:
    """A pool of `count` threads, each with a guarded process (a child process with limits of time and memory). calls_ahead: how many calls
    may be in progress or waiting."""

    def __init__(self, count: int, read: ReadSettings) -> None:
        self.calls_ahead = _AHEAD * count
        self._read = read
        self._guards: list[Guard] = []
        self._own = threading.local()
        self._threads = ThreadPoolExecutor(count, thread_name_prefix="pdfmill-calls", initializer=self._begin)

    def _begin(self) -> None:
        guard = self._own.guard = Guard(self._read.max_memory)
        self._guards.append(guard)
        self._own.has_begun = False

    def submit(self, function: Callable[..., T], *arguments: object) -> Future[T]:
        """Call the function in a free thread, and return its future result. It gets these arguments and a `Call`, which runs another
        function in the thread's guarded process."""
        return self._threads.submit(self._run, function, arguments)

    def _run(self, function: Callable[..., T], arguments: tuple[object, ...]) -> T:
        call = calls(self._read, lambda: self._own.guard)
        if not self._own.has_begun:
            self._own.has_begun = True
            with suppress(LostError):  # which the function's own call meets again, and tells of its document
                call("os:getpid", seconds=None)  # the start of a process is in no document's time
        return function(*arguments, call)

    def close(self) -> None:
        """End all processes now; pending calls get no result."""
        self._threads.shutdown(wait=False, cancel_futures=True)
        for guard in self._guards:
            guard.close()
        self._threads.shutdown()


@contextmanager
def local_workers(count: int, read: ReadSettings) -> Iterator[Workers]:
    """Yield a pool of `count` guarded processes (child processes with limits of time and memory), which end after the block."""
    workers = Workers(count, read)
    try:
        yield workers
    finally:
        workers.close()


def run_batch(
    documents: Iterable[DocumentRef], job: JobSettings, workers: Workers, scratch: str, progress: Progress | None = None
) -> Written:
    """Read documents, write their rows to the Parquet files that `job.write` names, and return the record of these.
    scratch: folder for temporary files. progress: updated with each document.

    Raises:
        pdfmill.transforms.storage.errors.SourceError: the output store failed.
    """
    with Spool(scratch) as spool:
        batch = _Batch(job, workers, spool, progress or Progress())
        batch.read(documents)
        return batch.write()


class _OpenBook:
    """The state of reading a long document, range by range. lines, measures: positions of the text lines in the temporary file, and
    statistics of the pages, packed, by the first page of their range. missing: ranges still to be read. blocks: positions of the rows of
    `blocks`, by sort key. unstructured: ranges without rows so far. row: the row of `documents`, packed. warnings: of the ranges with
    rows."""

    def __init__(self, book: Book, ranges: list[PageRange]) -> None:
        self.book = book
        self.ranges = ranges
        self.lines: dict[int, Place] = {}
        self.measures: dict[int, bytes] = {}
        self.blocks: dict[tuple[Any, ...], Place] = {}
        self.unstructured = len(ranges)
        self.row = b""
        self.warnings: list[Notice] = []

    @property
    def missing(self) -> int:
        return len(self.ranges) - len(self.lines)


class _Batch:
    """The state of reading a batch of documents. Only the thread that calls `read` and `write` uses it."""

    def __init__(self, job: JobSettings, workers: Workers, spool: Spool, progress: Progress) -> None:
        self._job = job
        self._workers = workers
        self._spool = spool
        self._progress = progress
        self._answers: SimpleQueue[tuple[Callable[[Any], None], Future[Any]]] = SimpleQueue()
        self._waiting = 0
        self._reading = 0
        self._later: list[Callable[[], None]] = []
        self._tries_left = len(job.read.again_s)

    def read(self, documents: Iterable[DocumentRef]) -> None:
        """Read all documents, and put their rows in a temporary file. Documents whose store failed are tried again at the end."""
        for together in _together(documents, self._job):
            self._read(together)
        self._take_all()
        for seconds in self._job.read.again_s:
            if not self._later:
                return
            time.sleep(seconds)
            self._tries_left -= 1
            again, self._later = self._later, []
            for start in again:
                start()
            self._take_all()

    def _read(self, documents: list[DocumentRef]) -> None:
        while self._reading >= self._workers.calls_ahead:
            self._take_answer()
        self._reading += 1
        self._start(partial(self._walked, documents), walk_together_guarded, documents, self._job)

    def write(self) -> Written:
        """Write the rows in the temporary file to Parquet files, and return the record of these."""
        written: list[Written] = []
        for key in part_keys(self._job.write):
            self._start(written.append, _write_part, self._spool.path, key, self._spool.parts.get(key, []), self._job.write)
        self._take_all()
        return joined(written)

    def _start(self, then: Callable[[Any], None], function: Callable[..., Any], *arguments: object) -> None:
        self._waiting += 1
        future = self._workers.submit(function, *arguments)
        future.add_done_callback(lambda done: self._answers.put((then, done)))

    def _take_all(self) -> None:
        while self._waiting:
            self._take_answer()

    def _take_answer(self) -> None:
        then, done = self._answers.get()
        self._waiting -= 1
        then(done.result())

    def _walked(self, documents: list[DocumentRef], results: list[tuple[float, list[DocumentResult]]]) -> None:
        self._reading -= 1
        for document, (seconds, found) in zip(documents, results, strict=True):
            self._take(document, seconds, found)

    def _take(self, document: DocumentRef, seconds: float, found: list[DocumentResult]) -> None:
        if self._tries_left and any(each.store_failed for each in found):
            self._later.append(partial(self._read, [document]))
            return
        self._progress.took(document.uri, seconds)
        for each in found:
            self._progress.add(documents=1, pages=each.pages, failures=each.all_failures)
            self._keep(each.rows)
            if each.book is not None and each.first is not None:
                self._open(each.book, each.first)

    def _keep(self, rows: Iterable[RowsOfPart]) -> None:
        for each in rows:
            self._spool.put_rows(each)

    def _open(self, book: Book, first: PackedRange) -> None:
        opened = _OpenBook(book, page_ranges(book.ref, book.page_count, self._job.read.pages_per_range))
        self._ranges_come(opened, first)
        for pages in opened.ranges[1:]:
            self._start(partial(self._read_range, opened), walk_range_guarded, pages, self._job)

    def _read_range(self, opened: _OpenBook, part: PackedRange) -> None:
        if self._tries_left and part.store_failed:
            self._later.append(partial(self._start, partial(self._read_range, opened), walk_range_guarded, part.pages, self._job))
            return
        self._progress.add(pages=part.pages.count, failures=part.failures)
        self._ranges_come(opened, part)

    def _ranges_come(self, opened: _OpenBook, part: PackedRange) -> None:
        opened.lines[part.pages.first] = self._spool.put(part.lines)
        opened.measures[part.pages.first] = part.measures
        if not opened.missing:
            measures = [opened.measures[each.first] for each in opened.ranges]
            opened.measures.clear()
            self._start(partial(self._described, opened), describe_book_guarded, opened.book, measures, self._job)

    def _described(self, opened: _OpenBook, found: DescribedBook) -> None:
        opened.row = found.row
        self._keep(found.rows)
        for pages, style in zip(opened.ranges, found.styles, strict=True):
            self._start(
                partial(self._structured, opened), _structure_range_queued, self._spool, opened.lines[pages.first], pages, style, self._job
            )

    def _structured(self, opened: _OpenBook, found: StructuredRange) -> None:
        opened.warnings += found.warnings
        for each in found.rows:
            place = self._spool.put_rows(each)
            (table, _), (order, _) = each
            if table == "blocks":
                opened.blocks[order] = place
        opened.unstructured -= 1
        if not opened.unstructured:
            places = [opened.blocks[order] for order in sorted(opened.blocks)]
            self._start(self._keep, _finish_book_queued, self._spool.path, places, opened.book, opened.row, opened.warnings, self._job)


def _together(documents: Iterable[DocumentRef], job: JobSettings) -> Iterator[list[DocumentRef]]:
    """Group documents into lists, each for one call of a guarded process: several small documents, or one large one, or one with OCR."""
    for batch in batches(documents, 1 if job.read.ocr else _TOGETHER, _TOGETHER_BYTES):
        yield from [batch] if all(each.size is not None for each in batch) else [[each] for each in batch]


def _structure_range_queued(spool: Spool, place: Place, pages: PageRange, style: bytes, job: JobSettings, call: Call) -> StructuredRange:
    return structure_range_guarded(pages.document.doc_id, pages, spool.get(place), style, job, call)


def _finish_book_queued(
    path: str, places: list[Place], book: Book, row: bytes, warnings: list[Notice], job: JobSettings, call: Call
) -> list[RowsOfPart]:
    return [rows for _, rows in finish_book_guarded(book, row, warnings, job, call, path, places)]


def _write_part(
    path: str, key: tuple[str, int], places: list[tuple[tuple[object, ...], Place]], settings: WriteSettings, call: Call
) -> Written:
    written = call(
        "pdfmill.transforms.road.guarded_road:write_whole_part", path, key, places, settings, seconds=None, raises=(SourceError,)
    )
    assert isinstance(written, Written)
    return written
