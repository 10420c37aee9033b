"""The Beam step that chooses the number of Parquet files of each table from a sample of documents (`pdfmill.transforms.tables.shards`)."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Iterator

import apache_beam as beam
from msgspec.structs import replace

from pdfmill.schemas.records import DocumentRef
from pdfmill.transforms.road.guarded_road import bytes_of_pages, calls_of_process
from pdfmill.transforms.road.job_settings import JobSettings
from pdfmill.transforms.steps.metrics import Measured
from pdfmill.transforms.steps.redistribute import Redistribute
from pdfmill.transforms.tables.shards import Listing, ShardCounts, Sizes, count_in, joined, sampled, shards_for, size_class


class _Listing(beam.CombineFn):
    """Combine document references into one `Listing`: for each size class the number and bytes of its documents, and a sample."""

    def create_accumulator(self) -> Listing:
        return {}

    def add_input(self, mutable_accumulator: Listing, element: DocumentRef) -> Listing:
        count_in(mutable_accumulator, element)
        return mutable_accumulator

    def merge_accumulators(self, accumulators: Iterable[Listing]) -> Listing:
        return joined(accumulators)

    def extract_output(self, accumulator: Listing) -> Listing:
        return accumulator


class _Sample:
    """Read a document only to learn the size of its rows. Errors are not reported here, because it is read again for the tables."""

    def __init__(self, job: JobSettings) -> None:
        self._job = replace(job, read=replace(job.read, assets_uri=None))

    def __call__(self, ref: DocumentRef) -> Iterator[tuple[int, int, int]]:
        yield size_class(ref), *bytes_of_pages(ref, self._job, calls_of_process(self._job.read))


def _shards(listing: Listing, read: Iterable[tuple[int, int, int]], wave_bytes: float) -> ShardCounts:
    sizes: dict[int, list[Sizes]] = defaultdict(list)
    for size, *packed in read:
        sizes[size].append(Sizes(*packed))
    documents, books, waves = shards_for(listing, sizes, wave_bytes)
    return documents, books, waves


@beam.typehints.with_input_types(DocumentRef)
@beam.typehints.with_output_types(ShardCounts)
class CountShards(beam.PTransform[DocumentRef, ShardCounts]):
    """Compute the numbers of Parquet files and of jobs, as one tuple with the fields of `Shards`; nothing without documents. wave_bytes:
    most bytes of packed rows of `pages` per job."""

    def __init__(self, job: JobSettings, wave_bytes: float = math.inf) -> None:
        super().__init__()
        self._job = job
        self._wave_bytes = wave_bytes

    def expand(self, refs: beam.PCollection[DocumentRef]) -> beam.PCollection[ShardCounts]:
        listing = refs | "Listing" >> beam.CombineGlobally(_Listing()).without_defaults()
        sizes = (
            listing
            | "Sampled" >> beam.FlatMap(sampled).with_output_types(DocumentRef)
            | "Spread" >> Redistribute(lambda ref: str(ref.doc_id))
            | "Sample" >> beam.ParDo(Measured("count_shards", _Sample(self._job))).with_output_types(tuple[int, int, int])
        )
        return listing | "Shards" >> beam.Map(_shards, beam.pvalue.AsIter(sizes), self._wave_bytes).with_output_types(ShardCounts)
