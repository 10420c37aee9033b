"""Books brought together by the shard of their rows, finished, and written: what of their pages crosses after they are structured."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import apache_beam as beam

from transforms.settings import JobSettings, WriteSettings
from transforms.steps.display import Shown, ShowsSettings
from transforms.steps.finish_books import Joined, rows_of_books
from transforms.steps.keys import ParcelKey
from transforms.steps.metrics import StepMetrics
from transforms.tables.names import of_books
from transforms.tables.parcels import write_rows
from transforms.tables.shards import Shards
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
        settings = self._settings if shards is None else replace(self._settings, shards=Shards(*shards).books)
        rows = rows_of_books(element[1], self._job, calls_of_process(self._job.read))
        return self._metrics.measure(write_rows(rows, settings) for _ in range(1))


@beam.typehints.with_output_types(Written)
class WriteBooks(beam.PTransform[object, Written]):
    """`heads` and `ranges` of books, both by shard, to what was written of them."""

    def __init__(self, job: JobSettings, write: WriteSettings, shards: beam.pvalue.AsSingleton | None = None) -> None:
        """job: by whose shards rows are packed. shards: `Shards`, of which the number of books counts instead of that of `write`."""
        super().__init__()
        self._job, self._write = job, write
        self._beside = [] if shards is None else [shards]

    def expand(self, sides: dict[str, beam.PCollection[object]]) -> beam.PCollection[Written]:
        """Bring each shard together, finish and write it."""
        return sides | beam.CoGroupByKey() | "Write" >> beam.ParDo(_Write(self._job, self._write), *self._beside)
