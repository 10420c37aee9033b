"""Packed rows to Parquet parts, and what was written."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import TypeAlias

import apache_beam as beam

from schemas.records import PackedRows, PartKey, RowsOfPart
from transforms.settings import WriteSettings
from transforms.steps.display import ShowsSettings
from transforms.steps.metrics import StepMetrics
from transforms.tables.parts import empty_parts, write_part
from transforms.tables.written import Written

#: How many parts a table gets: a number, or the one element of a collection, where it follows from what is listed.
Shards: TypeAlias = "int | beam.PCollection[int]"


def shards_beside(shards: Shards) -> int | beam.pvalue.AsSingleton:
    """As an argument of a step; one part where nothing was listed."""
    return shards if isinstance(shards, int) else beam.pvalue.AsSingleton(shards, default_value=1)


def _empty(_begin: bytes, settings: WriteSettings, shards: int) -> Iterator[RowsOfPart]:
    yield from empty_parts(replace(settings, shards=shards))


class _Write(ShowsSettings, beam.DoFn):
    def __init__(self, settings: WriteSettings) -> None:
        self._metrics = StepMetrics("write_tables")
        self._settings = settings

    def process(self, element: tuple[PartKey, Iterable[PackedRows]], shards: int) -> Iterator[Written]:
        return self._metrics.measure(self._written(element, shards))

    def _written(self, keyed: tuple[PartKey, Iterable[PackedRows]], shards: int) -> Iterator[Written]:
        yield write_part(*keyed, replace(self._settings, shards=shards))


@beam.typehints.with_input_types(RowsOfPart)
@beam.typehints.with_output_types(Written)
class WriteTables(beam.PTransform[RowsOfPart, Written]):
    """Packed rows, keyed by their part, to what was written of each; every part is, also one without rows."""

    def __init__(self, settings: WriteSettings, shards: Shards | None = None) -> None:
        """shards: instead of those of the settings."""
        super().__init__()
        self._settings = settings
        self._shards = settings.shards if shards is None else shards

    def expand(self, rows: beam.PCollection[RowsOfPart]) -> beam.PCollection[Written]:
        """Bring each part together, write it."""
        beside = shards_beside(self._shards)
        empty = rows.pipeline | beam.Impulse() | "Empty parts" >> beam.FlatMap(_empty, self._settings, beside).with_output_types(RowsOfPart)
        return (empty, rows) | beam.Flatten() | "Gather" >> beam.GroupByKey() | "Write" >> beam.ParDo(_Write(self._settings), beside)
