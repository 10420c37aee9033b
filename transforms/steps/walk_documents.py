"""Document references to finished rows, and of books to their facts and first pages.

A document of one range of pages is fetched and opened once, in one guarded process, and leaves it as finished rows: its text lines
cross no worker boundary. Only books are shared out. Attached PDFs follow their parent.

All of it is one collection of parcels under keys: Beam's runner for Flink hands the output of a step with several collections to whoever
takes one of them as a whole, so that the rows of a page crossed five times.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

import apache_beam as beam

from schemas.records import Book, DocumentRef, PackedRange, Parcel, Walked, page_ranges
from transforms.packing import pack, unpack
from transforms.settings import JobSettings
from transforms.steps.again_later import TriesAgain
from transforms.steps.display import Shown, shown
from transforms.steps.keys import ParcelKey, alone, shard_of_key
from transforms.tables.names import for_shards
from transforms.tables.notes import note
from transforms.tables.parcels import parcel, unparcel
from transforms.walks import calls_of_process, walk

ROWS: Final = "rows"
BOOKS: Final = "books"
FIRST: Final = "first"
RANGES: Final = "ranges"


def of_book(parcel: Parcel, pages_per_range: int) -> Iterator[beam.pvalue.TaggedOutput]:
    """What a book's parcel holds: BOOKS (doc_id, `Book`), FIRST `PackedRange`, and RANGES `PageRange`, those that are still to be read."""
    found = unpack(parcel[1])
    assert isinstance(found, tuple)
    book, first = found
    assert isinstance(book, Book)
    assert isinstance(first, PackedRange)
    yield beam.pvalue.TaggedOutput(BOOKS, (book.ref.doc_id, book))
    yield beam.pvalue.TaggedOutput(FIRST, first)
    for pages in page_ranges(book.ref, book.page_count, pages_per_range)[1:]:
        yield beam.pvalue.TaggedOutput(RANGES, pages)


class _Walk(TriesAgain[DocumentRef]):
    def __init__(self, job: JobSettings) -> None:
        super().__init__("walk_documents", job.read.again_s, job.notes_uri)
        self._job = job

    def display_data(self) -> dict[str, Shown]:
        """The settings of reading, and those of the structure that a flag sets."""
        return shown(self._job.read) | shown(self._job.layout, "hyphens", "keep_furniture")

    def process(self, element: DocumentRef) -> Iterator[tuple[ParcelKey, Parcel]]:
        return self._metrics.measure(self.read(element))

    def read(self, element: DocumentRef, tries: int = 0) -> Iterator[tuple[ParcelKey, Parcel]]:
        """Its parcel, and those of the PDFs in it."""
        walked = list(walk(element, self._job, calls_of_process(self._job.read)))
        if any(found.away for found in walked) and self._later.takes(element, tries):
            return
        failures = sum(found.all_failures for found in walked)
        note(self._job.notes_uri, documents=1, pages=sum(found.pages for found in walked), failures=failures)
        for found in walked:
            self._metrics.failed(not found.ok)
            yield from _parcels(found, element)


def _parcels(found: Walked, ref: DocumentRef) -> Iterator[tuple[ParcelKey, Parcel]]:
    if found.rows:
        rows = [for_shards(each, ref.shards) for each in found.rows]
        ((_, shard), _), *_ = rows
        yield ("", shard), parcel(rows)
    if found.book is not None and found.first is not None:
        book = replace(found.book, ref=replace(found.book.ref, shards=ref.book_shards))
        yield alone(book.ref), (book.ref.doc_id, pack((book, found.first)))


@beam.typehints.with_input_types(DocumentRef)
@beam.typehints.with_output_types(tuple[ParcelKey, Parcel])
class WalkDocuments(beam.PTransform[DocumentRef, tuple[ParcelKey, Parcel]]):
    """One collection of parcels, of finished documents and of books."""

    def __init__(self, job: JobSettings) -> None:
        super().__init__()
        self._job = job

    def expand(self, refs: beam.PCollection[DocumentRef]) -> beam.PCollection[tuple[ParcelKey, Parcel]]:
        """Open each document once."""
        return refs | "Walk" >> beam.ParDo(_Walk(self._job)).with_output_types(tuple[ParcelKey, Parcel])


class _Unpack(beam.DoFn):
    def __init__(self, pages_per_range: int) -> None:
        self._pages_per_range = pages_per_range

    def process(self, element: tuple[ParcelKey, Parcel]) -> Iterator[beam.pvalue.TaggedOutput]:
        key, packed = element
        shard = shard_of_key(key)
        if shard is None:
            yield from of_book(packed, self._pages_per_range)
        else:
            yield from (beam.pvalue.TaggedOutput(ROWS, rows) for rows in unparcel(shard, packed[1]))


class UnpackParcels(beam.PTransform[tuple[ParcelKey, Parcel], object]):
    """Parcels where they are. Tagged outputs: ROWS `RowsOfPart`, and those of `of_book`."""

    def __init__(self, job: JobSettings) -> None:
        super().__init__()
        self._unpack = _Unpack(job.read.pages_per_range)

    def expand(self, parcels: beam.PCollection[tuple[ParcelKey, Parcel]]) -> beam.pvalue.DoOutputsTuple:
        """Take each apart."""
        return parcels | "Unpack" >> beam.ParDo(self._unpack).with_outputs(ROWS, BOOKS, FIRST, RANGES)
