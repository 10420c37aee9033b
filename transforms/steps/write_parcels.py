"""The Beam step that groups packed rows by shard, the number of the Parquet file that gets them, and writes these files."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import apache_beam as beam

from pdfmill.schemas.records import Parcel
from pdfmill.transforms.steps.display import ShowsSettings
from pdfmill.transforms.steps.keys import ParcelKey
from pdfmill.transforms.steps.metrics import StepMetrics
from pdfmill.transforms.tables.output_layout import WriteSettings, of_books
from pdfmill.transforms.tables.packed_rows import write_shard
from pdfmill.transforms.tables.shards import ShardCounts, in_shards
from pdfmill.transforms.tables.write_summary import Written


class _Write(ShowsSettings, beam.DoFn):
    def __init__(self, settings: WriteSettings, *, books: bool) -> None:
        self._metrics = StepMetrics("write_books" if books else "write_tables")
        self._settings = of_books(settings) if books else settings
        self._books = books

    def process(self, element: tuple[ParcelKey, Iterable[Parcel]], shards: ShardCounts | None = None) -> Iterator[Written]:
        return self._metrics.measure(self._write(element, in_shards(self._settings, shards, books=self._books)))

    def _write(self, element: tuple[ParcelKey, Iterable[Parcel]], settings: WriteSettings) -> Iterator[Written]:
        (_, shard), parcels = element
        yield write_shard(shard, parcels, settings, every_table=not self._books)


@beam.typehints.with_input_types(tuple[ParcelKey, Parcel])
@beam.typehints.with_output_types(Written)
class WriteParcels(beam.PTransform[tuple[ParcelKey, Parcel], Written]):
    """Write packed rows of finished documents, keyed by the number (shard) of their Parquet file, and return records of the files."""

    def __init__(self, settings: WriteSettings, shards: beam.pvalue.AsSingleton | None = None, *, books: bool = False) -> None:
        """Make the transform. shards: result of `CountShards`; None to take the number in `settings`. books: all rows are of long
        documents, and go to files of their own."""
        super().__init__()
        self._write = _Write(settings, books=books)
        self._beside = [] if shards is None else [shards]

    def expand(self, parcels: beam.PCollection[tuple[ParcelKey, Parcel]]) -> beam.PCollection[Written]:
        return parcels | "Gather" >> beam.GroupByKey() | "Write" >> beam.ParDo(self._write, *self._beside)
