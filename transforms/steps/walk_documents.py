"""The Beam step that reads documents to finished rows; of long ones ("books") only the facts and the first page range.

A short document is fetched and opened once, with the PDFs attached to it, in one guarded process (a child process with limits of time and
memory). Only the page ranges of long documents are distributed over the workers.

The step has one output, with keys: Beam's runner for Flink sends all outputs of a step to every step that reads one of them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, TypedDict

import apache_beam as beam
from msgspec.structs import replace

from pdfmill.schemas.records import Book, BookRange, DocumentRef, DocumentResult, PackedRange, Parcel, RowsOfPart, page_ranges
from pdfmill.transforms.road.guarded_road import calls_of_process, walk_guarded
from pdfmill.transforms.road.job_settings import JobSettings
from pdfmill.transforms.steps.display import Shown, shown
from pdfmill.transforms.steps.redistribute import ParcelKey, alone, shard_of_key
from pdfmill.transforms.steps.retry_away import TriesAgain
from pdfmill.transforms.tables.output_layout import for_shards
from pdfmill.transforms.tables.packed_rows import parcel, unparcel
from pdfmill.transforms.tables.spool import pack, unpack
from pdfmill.transforms.tables.worker_progress import note

FINISHED: Final = "finished"
RANGES: Final = "ranges"


def ranges_of_book(parcel: Parcel, pages_per_range: int) -> Iterator[beam.pvalue.TaggedOutput]:
    """Unpack a long document (a `Book`) and yield its page ranges, with the tag RANGES. The first holds what was read already.
    parcel: (document id, the packed document)."""
    found = unpack(tuple, parcel[1])
    book, read = found
    assert isinstance(book, Book)
    assert read is None or isinstance(read, PackedRange)
    first, *others = page_ranges(book.ref, book.page_count, pages_per_range)
    yield beam.pvalue.TaggedOutput(RANGES, BookRange(first, book, read))
    for pages in others:
        yield beam.pvalue.TaggedOutput(RANGES, BookRange(pages))


class SortedParcels(TypedDict):
    """The outputs of `SortParcels`: finished documents, and page ranges to be read."""

    finished: beam.PCollection[tuple[ParcelKey, Parcel]]  # packed rows of finished documents
    ranges: beam.PCollection[BookRange]  # page ranges of the books


class _Walk(TriesAgain[DocumentRef]):
    def __init__(self, job: JobSettings) -> None:
        super().__init__("walk_documents", job.read.again_s, job.notes_uri)
        self._job = replace(job, shares_books=True)

    def display_data(self) -> dict[str, Shown]:
        """Show the settings for reading, and the layout settings that a flag can change."""
        return shown(self._job.read) | shown(self._job.layout, "hyphens", "keep_furniture")

    def process(self, element: DocumentRef) -> Iterator[tuple[ParcelKey, Parcel]]:
        return self._metrics.measure(self.read(element))

    def read(self, element: DocumentRef, tries: int = 0) -> Iterator[tuple[ParcelKey, Parcel]]:
        """Yield the packed results of a document and of the PDFs attached to it: finished rows, or a long document to be read in page
        ranges.
        tries: earlier attempts."""
        results = list(walk_guarded(element, self._job, calls_of_process(self._job.read)))
        if any(found.store_failed for found in results) and self._later.takes(element, tries):
            return
        failures = sum(found.all_failures for found in results)
        note(self._job.notes_uri, documents=1, pages=sum(found.pages for found in results), failures=failures)
        for found in results:
            self._metrics.failed(not found.ok)
            yield from _parcels(found, element)


def _parcels(found: DocumentResult, ref: DocumentRef) -> Iterator[tuple[ParcelKey, Parcel]]:
    if found.rows:
        rows = [for_shards(each, ref.shards) for each in found.rows]
        ((_, shard), _), *_ = rows
        yield ("", shard), parcel(rows)
    if found.book is not None:
        book = replace(found.book, ref=replace(found.book.ref, shards=ref.book_shards))
        yield alone(book.ref), (book.ref.doc_id, pack((book, found.first)))


@beam.typehints.with_input_types(DocumentRef)
@beam.typehints.with_output_types(tuple[ParcelKey, Parcel])
class WalkDocuments(beam.PTransform[DocumentRef, tuple[ParcelKey, Parcel]]):
    """Read each document to a message of packed bytes: all its rows or, for a long document, its facts."""

    def __init__(self, job: JobSettings) -> None:
        super().__init__()
        self._job = job

    def expand(self, refs: beam.PCollection[DocumentRef]) -> beam.PCollection[tuple[ParcelKey, Parcel]]:
        return refs | "Walk" >> beam.ParDo(_Walk(self._job)).with_output_types(tuple[ParcelKey, Parcel])


class _Sort(beam.DoFn):
    def __init__(self, pages_per_range: int) -> None:
        self._pages_per_range = pages_per_range

    def process(self, element: tuple[ParcelKey, Parcel]) -> Iterator[beam.pvalue.TaggedOutput]:
        key, packed = element
        if shard_of_key(key) is None:
            yield from ranges_of_book(packed, self._pages_per_range)
        else:
            yield beam.pvalue.TaggedOutput(FINISHED, element)


@beam.typehints.with_input_types(tuple[ParcelKey, Parcel])
class SortParcels(beam.PTransform[tuple[ParcelKey, Parcel], SortedParcels]):
    """Separate the packed rows of finished documents from long documents, which are split into page ranges. Neither leaves its worker."""

    def __init__(self, job: JobSettings) -> None:
        super().__init__()
        self._sort = _Sort(job.read.pages_per_range)

    def expand(self, parcels: beam.PCollection[tuple[ParcelKey, Parcel]]) -> SortedParcels:
        found = parcels | "Sort" >> beam.ParDo(self._sort).with_outputs(FINISHED, RANGES)
        return {FINISHED: found[FINISHED], RANGES: found[RANGES]}


def _unpack(element: tuple[ParcelKey, Parcel]) -> Iterator[RowsOfPart]:
    (_, shard), (_, packed) = element
    return unparcel(shard, packed)


@beam.typehints.with_input_types(tuple[ParcelKey, Parcel])
@beam.typehints.with_output_types(RowsOfPart)
class UnpackParcels(beam.PTransform[tuple[ParcelKey, Parcel], RowsOfPart]):
    """Unpack the messages with the rows of finished documents into packed rows by table. They stay on their worker."""

    def expand(self, parcels: beam.PCollection[tuple[ParcelKey, Parcel]]) -> beam.PCollection[RowsOfPart]:
        return parcels | "Unpack" >> beam.FlatMap(_unpack).with_output_types(RowsOfPart)
