"""The Beam step that writes packed rows to Parquet files, and records the files."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import apache_beam as beam

from pdfmill.schemas.records import TABLE_NAMES, PackedRows, PartKey, RowsOfPart
from pdfmill.transforms.steps.display import ShowsSettings
from pdfmill.transforms.steps.metrics import StepMetrics
from pdfmill.transforms.tables.output_layout import WriteSettings
from pdfmill.transforms.tables.parts import empty_parts, write_part
from pdfmill.transforms.tables.shards import ShardCounts, Shards, in_shards
from pdfmill.transforms.tables.write_summary import Written, joined


def shards_beside(shards: beam.PCollection[ShardCounts]) -> beam.pvalue.AsSingleton:
    """Return the result of `CountShards`, the numbers of Parquet files, as a side input of a step; without documents one file per table."""
    return beam.pvalue.AsSingleton(shards, default_value=tuple(Shards()))


def _empty(_begin: bytes, settings: WriteSettings) -> Iterator[RowsOfPart]:
    yield from empty_parts(settings)


class _Write(ShowsSettings, beam.DoFn):
    def __init__(self, settings: WriteSettings) -> None:
        self._metrics = StepMetrics("write_tables")
        self._settings = settings

    def process(self, element: tuple[PartKey, Iterable[PackedRows]]) -> Iterator[Written]:
        return self._metrics.measure(self._written(element))

    def _written(self, keyed: tuple[PartKey, Iterable[PackedRows]]) -> Iterator[Written]:
        yield write_part(*keyed, self._settings)


@beam.typehints.with_input_types(RowsOfPart)
@beam.typehints.with_output_types(Written)
class WriteTables(beam.PTransform[RowsOfPart, Written]):
    """Write packed rows, keyed by their Parquet file, and return records of the files. Every file is written, even if it has no rows."""

    def __init__(self, settings: WriteSettings) -> None:
        super().__init__()
        self._settings = settings

    def expand(self, rows: beam.PCollection[RowsOfPart]) -> beam.PCollection[Written]:
        begin = rows.pipeline | beam.Impulse()
        empty = begin | "Empty parts" >> beam.FlatMap(_empty, self._settings).with_output_types(RowsOfPart)
        return (empty, rows) | beam.Flatten() | "Gather" >> beam.GroupByKey() | "Write" >> beam.ParDo(_Write(self._settings))


def with_every_table(written: Written, settings: WriteSettings, shards: ShardCounts | None = None) -> Written:
    """Write a Parquet file without rows for each table that has none, and return the record with these files added.
    shards: result of `CountShards`, None for the settings' number of files."""
    there = {part.table for part in written.parts}
    one = in_shards(settings, shards)
    return joined([written, *(write_part((table, 0), [], one) for table in TABLE_NAMES if table not in there)])
