"""The Beam steps for long documents ("books"): read their page ranges on several workers, and make their packed rows.
The worker that collects the text lines of a book computes its style, structure and sections, a quarter of all work."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import apache_beam as beam
from msgspec.structs import replace

from pdfmill.schemas.records import BookRange, DocId, Parcel
from pdfmill.transforms.road.guarded_road import calls_of_process, structure_book_guarded, walk_range_guarded
from pdfmill.transforms.road.job_settings import JobSettings
from pdfmill.transforms.steps.display import Shown, ShowsSettings
from pdfmill.transforms.steps.metrics import StepMetrics
from pdfmill.transforms.steps.redistribute import ParcelKey, Redistribute, shard_of_book
from pdfmill.transforms.steps.retry_away import TriesAgain
from pdfmill.transforms.tables.packed_rows import parcel
from pdfmill.transforms.tables.worker_progress import note


class _Structure(beam.DoFn):
    def __init__(self, job: JobSettings) -> None:
        self._job = job
        self._metrics = StepMetrics("structure_books")

    def display_data(self) -> dict[str, Shown]:
        """Show the largest size of a section, the one setting of this step that a flag sets."""
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
    """Make the packed rows of each long document from its page ranges: one message per document with its rows in all tables, keyed by the
    number (shard) of its Parquet file."""

    def __init__(self, job: JobSettings) -> None:
        super().__init__()
        self._structure = _Structure(job)

    def expand(self, ranges: beam.PCollection[tuple[DocId, BookRange]]) -> beam.PCollection[tuple[ParcelKey, Parcel]]:
        """Group the packed page ranges of each long document, some 6 kB per page, on one worker, and make its rows there."""
        structure = beam.ParDo(self._structure).with_output_types(tuple[ParcelKey, Parcel])
        return ranges | "Gather" >> beam.GroupByKey() | "Structure" >> structure


def _range_key(part: BookRange) -> str:
    return f"{part.pages.document.doc_id}/{part.pages.first}"


class _ReadRange(ShowsSettings, TriesAgain[BookRange]):
    def __init__(self, job: JobSettings) -> None:
        super().__init__("read_ranges", job.read.again_s, job.notes_uri)
        self._job = job
        self._settings = job.read

    def process(self, element: BookRange) -> Iterator[tuple[DocId, BookRange]]:
        return self._metrics.measure(self.read(element), taken=0 if element.read else element.pages.count)

    def read(self, element: BookRange, tries: int = 0) -> Iterator[tuple[DocId, BookRange]]:
        """Yield the document's id, and the range with the content of its pages. tries: earlier attempts."""
        found = element.read
        if found is None:
            found = walk_range_guarded(element.pages, self._job, calls_of_process(self._job.read))
            if found.store_failed and self._later.takes(element, tries):
                return
            self._metrics.failed(found.failures)
            note(self._job.notes_uri, pages=element.pages.count, failures=found.failures)
        yield element.pages.document.doc_id, replace(element, read=found)


@beam.typehints.with_input_types(BookRange)
@beam.typehints.with_output_types(tuple[DocId, BookRange])
class ReadRanges(beam.PTransform[BookRange, tuple[DocId, BookRange]]):
    """Distribute page ranges over the workers and read them, so that all workers share the pages of a long document."""

    def __init__(self, job: JobSettings) -> None:
        super().__init__()
        self._job = job

    def expand(self, ranges: beam.PCollection[BookRange]) -> beam.PCollection[tuple[DocId, BookRange]]:
        read = beam.ParDo(_ReadRange(self._job)).with_output_types(tuple[DocId, BookRange])
        return ranges | "Redistribute" >> Redistribute(_range_key) | "Read" >> read
