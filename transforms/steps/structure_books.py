"""Books of which all pages are read, to parcels of their finished rows.

All workers share the reading of a book. What comes then is done for a book where all of its text lines meet: its style, its structure,
its sections. So text lines cross workers once, and rows once; it is a quarter of the work, which a book of 5,000 pages has in a minute.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import apache_beam as beam

from schemas.records import Book, BookRange, DocId, PackedRange, Parcel, PartKey, Recovery, RowsOfPart
from transforms.scratch import scratch_folder
from transforms.settings import JobSettings
from transforms.steps.display import Shown
from transforms.steps.keys import ParcelKey, shard_of_book
from transforms.steps.metrics import StepMetrics
from transforms.tables.parcels import parcel
from transforms.tables.spool import Place, Spool
from transforms.walks import calls_of_process, describe_book, finish_book, structure_range


class _Structure(beam.DoFn):
    def __init__(self, job: JobSettings) -> None:
        self._job = job
        self._metrics = StepMetrics("structure_books")

    def display_data(self) -> dict[str, Shown]:
        """The one option that it heeds, which `WalkDocuments` heeds too."""
        return {"section_chars": self._job.sections.chars}

    def process(self, element: tuple[DocId, Iterable[BookRange]]) -> Iterator[tuple[ParcelKey, Parcel]]:
        return self._metrics.measure(self._parcels(sorted(element[1], key=lambda part: part.pages.first)))

    def _parcels(self, ranges: list[BookRange]) -> Iterator[tuple[ParcelKey, Parcel]]:
        book = ranges[0].book
        assert book is not None
        key = "", shard_of_book(book.ref, self._job.write.shards)
        for rows in finished_book(book, [each.read for each in ranges if each.read is not None], self._job):
            yield key, parcel(rows)


def finished_book(book: Book, ranges: list[PackedRange], job: JobSettings) -> Iterator[list[RowsOfPart]]:
    """The packed rows of a book, range by range, each with the sections that begin there; the first with those of the book itself.

    They wait in a file of this machine until the sections are made, so that memory only holds the text lines.

    Raises:
        transforms.storage.errors.SourceError: the machine's disk does not take them.
    """
    call = calls_of_process(job.read)
    said = describe_book(book, [part.measures for part in ranges], job, call)
    losses: list[Recovery] = []
    kept: list[list[tuple[PartKey, tuple[object, ...], Place]]] = []
    with scratch_folder() as folder, Spool(folder) as spool:
        for part, style in zip(ranges, said.styles, strict=True):
            made = structure_range(book.ref.doc_id, part.pages, part.lines, style, job, call)
            losses += made.losses
            kept.append([(key, order, spool.put(data)) for key, (order, data) in made.rows])
        blocks = [place for part in kept for (table, _), _, place in part if table == "blocks"]
        further: list[list[RowsOfPart]] = [[] for _ in ranges]
        further[0] += said.rows
        for number, rows in finish_book(book, said.row, losses, job, call, (spool.path, blocks)):
            further[number].append(rows)
        for waited, others in zip(kept, further, strict=True):
            yield [*((key, (order, spool.get(place))) for key, order, place in waited), *others]


@beam.typehints.with_input_types(tuple[DocId, BookRange])
@beam.typehints.with_output_types(tuple[ParcelKey, Parcel])
class StructureBooks(beam.PTransform[tuple[DocId, BookRange], tuple[ParcelKey, Parcel]]):
    """Ranges of books that are read, to a parcel of each, under the key of the book's shard."""

    def __init__(self, job: JobSettings) -> None:
        super().__init__()
        self._structure = _Structure(job)

    def expand(self, ranges: beam.PCollection[tuple[DocId, BookRange]]) -> beam.PCollection[tuple[ParcelKey, Parcel]]:
        """All of a book meets in one place, packed: some 6 kB a page."""
        structure = beam.ParDo(self._structure).with_output_types(tuple[ParcelKey, Parcel])
        return ranges | "Gather" >> beam.GroupByKey() | "Structure" >> structure
