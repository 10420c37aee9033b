"""The Beam steps that write packed rows, or whole packed documents, to Parquet files, and record the files."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final, TypedDict

import apache_beam as beam

from pdfmill.schemas.records import TABLE_NAMES, BookRange, PackedRows, Parcel, PartKey, RowsOfPart
from pdfmill.transforms.road.job_settings import JobSettings
from pdfmill.transforms.steps.display import ShowsSettings
from pdfmill.transforms.steps.metrics import StepMetrics
from pdfmill.transforms.steps.redistribute import ParcelKey, shard_of_key
from pdfmill.transforms.steps.walk_documents import RANGES, ranges_of_book
from pdfmill.transforms.tables.output_layout import WriteSettings, of_books
from pdfmill.transforms.tables.packed_rows import write_shard
from pdfmill.transforms.tables.parts import empty_parts, write_part
from pdfmill.transforms.tables.shards import ShardCounts, Shards, in_shards
from pdfmill.transforms.tables.write_summary import Written, joined


def shards_beside(shards: beam.PCollection[ShardCounts]) -> beam.pvalue.AsSingleton:
    """Return the result of `CountShards`, the numbers of Parquet files, as a side input of a step; without documents one file per table."""
    return beam.pvalue.AsSingleton(shards, default_value=tuple(Shards()))


def _empty(_begin: bytes, settings: WriteSettings) -> Iterator[RowsOfPart]:
    yield from empty_parts(settings)


class _WriteParts(ShowsSettings, beam.DoFn):
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
    """Write rows to Parquet files, and return records of the files. Every file is written, even if it has no rows.
    Input: batches of rows, packed as bytes (`PackedRows`), by the key of their file: (table, shard)."""

    def __init__(self, settings: WriteSettings) -> None:
        super().__init__()
        self._settings = settings

    def expand(self, rows: beam.PCollection[RowsOfPart]) -> beam.PCollection[Written]:
        begin = rows.pipeline | beam.Impulse()
        empty = begin | "Empty parts" >> beam.FlatMap(_empty, self._settings).with_output_types(RowsOfPart)
        return (empty, rows) | beam.Flatten() | "Gather" >> beam.GroupByKey() | "Write" >> beam.ParDo(_WriteParts(self._settings))


def with_every_table(written: Written, settings: WriteSettings, shards: ShardCounts | None = None) -> Written:
    """Write a Parquet file without rows for each table that has none, and return the record with these files added.
    shards: result of `CountShards`, None for the settings' number of files."""
    there = {part.table for part in written.parts}
    one = in_shards(settings, shards)
    return joined([written, *(write_part((table, 0), [], one) for table in TABLE_NAMES if table not in there)])


class _WriteParcels(ShowsSettings, beam.DoFn):
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
    """Write rows of finished documents to Parquet files, and return records of the files.
    Input: the rows of a document, packed as bytes (`Parcel`), by the number (shard) of their file."""

    def __init__(self, settings: WriteSettings, shards: beam.pvalue.AsSingleton | None = None, *, books: bool = False) -> None:
        """Make the transform. shards: result of `CountShards`; None to take the number in `settings`. books: all rows are of long
        documents, and go to files of their own."""
        super().__init__()
        self._write = _WriteParcels(settings, books=books)
        self._beside = [] if shards is None else [shards]

    def expand(self, parcels: beam.PCollection[tuple[ParcelKey, Parcel]]) -> beam.PCollection[Written]:
        return parcels | "Gather" >> beam.GroupByKey() | "Write" >> beam.ParDo(self._write, *self._beside)


WRITTEN: Final = "written"


class WrittenDocuments(TypedDict):
    """The outputs of `WriteDocuments`: records of the Parquet files, and page ranges of long documents to be read."""

    written: beam.PCollection[Written]  # records of the Parquet files
    ranges: beam.PCollection[BookRange]  # page ranges of books


class _Write(ShowsSettings, beam.DoFn):
    def __init__(self, job: JobSettings) -> None:
        self._metrics = StepMetrics("write_documents")
        self._settings = job.write
        self._pages_per_range = job.read.pages_per_range

    def process(self, element: tuple[ParcelKey, Iterable[Parcel]], shards: ShardCounts | None = None) -> Iterator[beam.pvalue.TaggedOutput]:
        return self._metrics.measure(self._write(element, in_shards(self._settings, shards)))

    def _write(self, element: tuple[ParcelKey, Iterable[Parcel]], settings: WriteSettings) -> Iterator[beam.pvalue.TaggedOutput]:
        key, parcels = element
        shard = shard_of_key(key)
        if shard is None:
            (book,) = parcels
            yield from ranges_of_book(book, self._pages_per_range)
        else:
            yield beam.pvalue.TaggedOutput(WRITTEN, write_shard(shard, parcels, settings))


@beam.typehints.with_input_types(tuple[ParcelKey, Parcel])
class WriteDocuments(beam.PTransform[tuple[ParcelKey, Parcel], WrittenDocuments]):
    """Group packed documents by key, in one shuffle: finished rows for the worker that writes their Parquet file, long documents ("books")
    for the workers that read their page ranges."""

    def __init__(self, job: JobSettings, shards: beam.pvalue.AsSingleton | None = None) -> None:
        """Make the transform. shards: result of `CountShards`; None to take the number in `job`."""
        super().__init__()
        self._job = job
        self._beside = [] if shards is None else [shards]

    def expand(self, parcels: beam.PCollection[tuple[ParcelKey, Parcel]]) -> WrittenDocuments:
        write = beam.ParDo(_Write(self._job), *self._beside).with_outputs(WRITTEN, RANGES)
        found = parcels | "Gather" >> beam.GroupByKey() | "Write" >> write
        return {WRITTEN: found[WRITTEN], RANGES: found[RANGES]}
