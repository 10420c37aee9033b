"""Packed rows to the addresses of the Parquet parts written."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial

import apache_beam as beam

from schemas.records import PackedRows, PartKey, RowsOfPart
from transforms.settings import WriteSettings
from transforms.steps.display import ShowsSettings
from transforms.steps.metrics import Measured
from transforms.tables.parts import empty_parts, write_part


def _write(keyed: tuple[PartKey, Iterable[PackedRows]], settings: WriteSettings) -> Iterator[str]:
    yield from write_part(*keyed, settings)


class _Write(ShowsSettings, Measured[tuple[PartKey, Iterable[PackedRows]], str]):
    def __init__(self, settings: WriteSettings) -> None:
        super().__init__("write_tables", partial(_write, settings=settings))
        self._settings = settings


class WriteTables(beam.PTransform[RowsOfPart, str]):
    """Packed rows, keyed by their part, to the addresses of the files of the parts; every part is written, also one without rows."""

    def __init__(self, settings: WriteSettings) -> None:
        super().__init__()
        self._settings = settings

    def expand(self, rows: beam.PCollection[RowsOfPart]) -> beam.PCollection[str]:
        """Bring each part together, write it."""
        empty = rows.pipeline | "Empty parts" >> beam.Create(list(empty_parts(self._settings)), reshuffle=False)
        return (empty, rows) | beam.Flatten() | "Gather" >> beam.GroupByKey() | "Write" >> beam.ParDo(_Write(self._settings))
