"""The Beam step that writes the rows of finished documents to Parquet files, and passes long documents on as page ranges."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final, TypedDict

import apache_beam as beam

from pdfmill.schemas.records import BookRange, Parcel
from pdfmill.transforms.road.job_settings import JobSettings
from pdfmill.transforms.steps.display import ShowsSettings
from pdfmill.transforms.steps.keys import ParcelKey, shard_of_key
from pdfmill.transforms.steps.metrics import StepMetrics
from pdfmill.transforms.steps.walk_documents import RANGES, ranges_of_book
from pdfmill.transforms.tables.output_layout import WriteSettings
from pdfmill.transforms.tables.packed_rows import write_shard
from pdfmill.transforms.tables.shards import ShardCounts, in_shards
from pdfmill.transforms.tables.write_summary import Written

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
