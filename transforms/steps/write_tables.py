"""Packed rows to Parquet parts, and what was written."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial

import apache_beam as beam

from schemas.records import PackedRows, PartKey, RowsOfPart
from transforms.settings import WriteSettings
from transforms.steps.display import ShowsSettings
from transforms.steps.metrics import Measured
from transforms.tables.parts import empty_parts, write_part
from transforms.tables.written import Written


def _write(keyed: tuple[PartKey, Iterable[PackedRows]], settings: WriteSettings) -> Iterator[Written]:
    yield write_part(*keyed, settings)


class _Write(ShowsSettings, Measured[tuple[PartKey, Iterable[PackedRows]], Written]):
    def __init__(self, settings: WriteSettings) -> None:
        super().__init__("write_tables", partial(_write, settings=settings))
        self._settings = settings


@beam.typehints.with_output_types(Written)
class WriteTables(beam.PTransform[RowsOfPart, Written]):
    """Packed rows, keyed by their part, to what was written of each; every part is, also one without rows."""

    def __init__(self, settings: WriteSettings) -> None:
        super().__init__()
        self._settings = settings

    def expand(self, rows: beam.PCollection[RowsOfPart]) -> beam.PCollection[Written]:
        """Bring each part together, write it."""
        empty = rows.pipeline | "Empty parts" >> beam.Create(list(empty_parts(self._settings)), reshuffle=False)
        return (empty, rows) | beam.Flatten() | "Gather" >> beam.GroupByKey() | "Write" >> beam.ParDo(_Write(self._settings))
