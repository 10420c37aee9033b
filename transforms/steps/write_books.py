"""Books brought together by the shard of their rows, finished, and written: what of their pages crosses after they are structured."""

from __future__ import annotations

from collections.abc import Iterator

import apache_beam as beam

from schemas.records import BookHead, BookRange
from transforms.settings import JobSettings, WriteSettings
from transforms.steps.display import Shown, ShowsSettings
from transforms.steps.finish_books import Joined, StructuredBooks, rows_of_books
from transforms.steps.keys import ParcelKey
from transforms.steps.metrics import StepMetrics
from transforms.tables.names import of_books
from transforms.tables.parcels import write_rows
from transforms.tables.shards import in_shards
from transforms.tables.written import Written
from transforms.walks import calls_of_process


class _Write(ShowsSettings, beam.DoFn):
    def __init__(self, job: JobSettings, write: WriteSettings) -> None:
        self._metrics = StepMetrics("write_books")
        self._job = job
        self._settings = of_books(write)

    def display_data(self) -> dict[str, Shown]:
        """The options that it heeds."""
        return super().display_data() | {"section_chars": self._job.sections.chars}

    def process(self, element: tuple[ParcelKey, Joined], shards: tuple[int, int] | None = None) -> Iterator[Written]:
        return self._metrics.measure(self._write(element[1], in_shards(self._settings, shards, books=True)))

    def _write(self, joined: Joined, settings: WriteSettings) -> Iterator[Written]:
        yield write_rows(rows_of_books(joined, self._job, calls_of_process(self._job.read)), settings)


@beam.typehints.with_input_types(heads=tuple[ParcelKey, BookHead], ranges=tuple[ParcelKey, BookRange])
@beam.typehints.with_output_types(Written)
class WriteBooks(beam.PTransform[StructuredBooks, Written]):
    """Structured books, under the keys of their shards, to what was written of them."""

    def __init__(self, job: JobSettings, write: WriteSettings, shards: beam.pvalue.AsSingleton | None = None) -> None:
        """job: by whose shards rows are packed. shards: `Shards`, of which the number of books counts instead of that of `write`."""
        super().__init__()
        self._job, self._write = job, write
        self._beside = [] if shards is None else [shards]

    def expand(self, sides: StructuredBooks) -> beam.PCollection[Written]:
        """Bring each shard together, finish and write it."""
        return sides | beam.CoGroupByKey() | "Write" >> beam.ParDo(_Write(self._job, self._write), *self._beside)
