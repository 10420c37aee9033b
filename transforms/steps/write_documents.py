"""Parcels brought together: those of finished documents become the parts of their shard, those of books go on."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Final

import apache_beam as beam

from schemas.records import Parcel
from transforms.settings import JobSettings, WriteSettings
from transforms.steps.display import ShowsSettings
from transforms.steps.keys import ParcelKey, shard_of_key
from transforms.steps.metrics import StepMetrics
from transforms.steps.walk_documents import BOOKS, FIRST, RANGES, of_book
from transforms.tables.parcels import write_shard
from transforms.tables.shards import Shards

WRITTEN: Final = "written"


class _Write(ShowsSettings, beam.DoFn):
    def __init__(self, job: JobSettings) -> None:
        self._metrics = StepMetrics("write_documents")
        self._settings = job.write
        self._pages_per_range = job.read.pages_per_range

    def process(
        self, element: tuple[ParcelKey, Iterable[Parcel]], shards: tuple[int, int] | None = None
    ) -> Iterator[beam.pvalue.TaggedOutput]:
        settings = self._settings if shards is None else replace(self._settings, shards=Shards(*shards).documents)
        return self._metrics.measure(self._write(element, settings))

    def _write(self, element: tuple[ParcelKey, Iterable[Parcel]], settings: WriteSettings) -> Iterator[beam.pvalue.TaggedOutput]:
        key, parcels = element
        shard = shard_of_key(key)
        if shard is None:
            (book,) = parcels
            yield from of_book(book, self._pages_per_range)
        else:
            yield beam.pvalue.TaggedOutput(WRITTEN, write_shard(shard, parcels, settings))


class WriteDocuments(beam.PTransform[tuple[ParcelKey, Parcel], object]):
    """The one exchange of finished rows. Tagged outputs: WRITTEN `Written`, and those of `of_book`."""

    def __init__(self, job: JobSettings, shards: beam.pvalue.AsSingleton | None = None) -> None:
        """shards: `Shards`, of which the number of documents counts instead of that of the settings."""
        super().__init__()
        self._job = job
        self._beside = [] if shards is None else [shards]

    def expand(self, parcels: beam.PCollection[tuple[ParcelKey, Parcel]]) -> beam.pvalue.DoOutputsTuple:
        """Bring each shard together, write it."""
        write = beam.ParDo(_Write(self._job), *self._beside).with_outputs(WRITTEN, BOOKS, FIRST, RANGES)
        return parcels | "Gather" >> beam.GroupByKey() | "Write" >> write
