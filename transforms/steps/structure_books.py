"""Turn books whose pages are all read into parcels of finished rows.

All workers share the reading of a book. What comes then is done for a book where all of its text lines meet: its style, its structure,
its sections. So text lines cross workers once, and rows once; it is a quarter of the work, which a book of 5,000 pages has in a minute.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import apache_beam as beam

from pdfmill.schemas.records import BookRange, DocId, Parcel
from pdfmill.transforms.road.guarded_road import calls_of_process, structure_book_guarded
from pdfmill.transforms.road.job_settings import JobSettings
from pdfmill.transforms.steps.display import Shown
from pdfmill.transforms.steps.keys import ParcelKey, shard_of_book
from pdfmill.transforms.steps.metrics import StepMetrics
from pdfmill.transforms.tables.packed_rows import parcel


class _Structure(beam.DoFn):
    def __init__(self, job: JobSettings) -> None:
        self._job = job
        self._metrics = StepMetrics("structure_books")

    def display_data(self) -> dict[str, Shown]:
        """Show the one option that it uses, which `WalkDocuments` uses too."""
        return {"section_chars": self._job.sections.chars}

    def process(self, element: tuple[DocId, Iterable[BookRange]]) -> Iterator[tuple[ParcelKey, Parcel]]:
        return self._metrics.measure(self._parcels(sorted(element[1], key=lambda part: part.pages.first)))

    def _parcels(self, ranges: list[BookRange]) -> Iterator[tuple[ParcelKey, Parcel]]:
        book = ranges[0].book
        assert book is not None
        read = [each.read for each in ranges if each.read is not None]
        key = "", shard_of_book(book.ref, self._job.write.shards)
        for rows in structure_book_guarded(book, read, self._job, calls_of_process(self._job.read)):
            yield key, parcel(rows)


@beam.typehints.with_input_types(tuple[DocId, BookRange])
@beam.typehints.with_output_types(tuple[ParcelKey, Parcel])
class StructureBooks(beam.PTransform[tuple[DocId, BookRange], tuple[ParcelKey, Parcel]]):
    """Turn the read ranges of each book into one parcel, under the key of the book's shard."""

    def __init__(self, job: JobSettings) -> None:
        super().__init__()
        self._structure = _Structure(job)

    def expand(self, ranges: beam.PCollection[tuple[DocId, BookRange]]) -> beam.PCollection[tuple[ParcelKey, Parcel]]:
        """Group all packed ranges of a book, some 6 kB a page, and structure the book."""
        structure = beam.ParDo(self._structure).with_output_types(tuple[ParcelKey, Parcel])
        return ranges | "Gather" >> beam.GroupByKey() | "Structure" >> structure
