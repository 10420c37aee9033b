"""The Beam graph of a job, in the order of the data flow. `pdfmill.transforms.road.document_road` has the functions of its steps."""

from __future__ import annotations

from collections.abc import Iterator

import apache_beam as beam
from msgspec.structs import replace

from pdfmill.schemas.records import BookRange, DocumentRef, Parcel, RowsOfPart
from pdfmill.transforms.road.job_settings import JobSettings
from pdfmill.transforms.steps.books import ReadRanges, StructureBooks
from pdfmill.transforms.steps.find_documents import in_wave
from pdfmill.transforms.steps.redistribute import ParcelKey
from pdfmill.transforms.steps.walk_documents import SortedParcels, SortParcels, UnpackParcels, WalkDocuments
from pdfmill.transforms.steps.write_tables import WriteDocuments, WriteParcels, WrittenDocuments, shards_beside, with_every_table
from pdfmill.transforms.tables.output_layout import FINE_SHARDS
from pdfmill.transforms.tables.shards import ShardCounts, Shards
from pdfmill.transforms.tables.write_summary import Written, joined


def index_documents(
    documents: beam.PCollection[DocumentRef], job: JobSettings, shards: beam.PCollection[ShardCounts] | None = None
) -> beam.PCollection[Written]:
    """Build the Beam graph from document references to Parquet files. Return one element: the record of the files and the summary of their
    rows.
    Long documents are read range by range, others as a whole. Finished rows are shuffled once, to the worker that writes them.
    shards: the numbers of files that the step `CountShards` computes; None for those in the settings."""
    sharded, packed, beside = _tell(documents, job, shards)
    parcels = sharded | "WalkDocuments" >> WalkDocuments(packed)
    done: WrittenDocuments = parcels | "WriteDocuments" >> WriteDocuments(job, beside)
    books = structure_books(done["ranges"], packed) | "WriteBooks" >> WriteParcels(job.write, beside, books=True)
    written = (done["written"], books) | "Written" >> beam.Flatten() | "All written" >> beam.CombineGlobally(joined)
    return written | "Every table" >> beam.Map(with_every_table, job.write, *([] if beside is None else [beside]))


def _tell(
    documents: beam.PCollection[DocumentRef], job: JobSettings, shards: beam.PCollection[ShardCounts] | None
) -> tuple[beam.PCollection[DocumentRef], JobSettings, beam.pvalue.AsSingleton | None]:
    """Return the documents, each with the numbers of Parquet files to write; the settings for packing rows; and the numbers as a side
    input, None if `shards` is None. shards: the result of the step `CountShards`."""
    if shards is None:
        return documents, job, None
    # A reference takes the numbers along: given to the rows, they would cost them an exchange of their own on Flink.
    beside = shards_beside(shards)
    sharded = documents | "Tell shards" >> beam.FlatMap(_with_shards, beside).with_output_types(DocumentRef)
    return sharded, replace(job, write=replace(job.write, shards=FINE_SHARDS)), beside


def _with_shards(ref: DocumentRef, counts: ShardCounts) -> Iterator[DocumentRef]:
    """Yield the document with the numbers of Parquet files to write; nothing if a later job of the same run reads it.
    counts: number of files for short documents, for long documents, and number of jobs."""
    shards = Shards(*counts)
    if in_wave(ref, 0, shards.waves):
        yield replace(ref, shards=shards.documents, book_shards=shards.books)


def write_together(
    documents: beam.PCollection[DocumentRef], job: JobSettings, shards: beam.PCollection[ShardCounts] | None = None
) -> beam.PCollection[Written]:
    """Build the Beam graph from document references to Parquet files that hold both short and long documents, as a crawl needs them.
    shards: the result of the step `CountShards`; None for the number in the job's settings."""
    sharded, packed, beside = _tell(documents, job, shards)
    return _finished(sharded, packed) | "WriteTables" >> WriteParcels(job.write, beside)


def structure_documents(documents: beam.PCollection[DocumentRef], job: JobSettings) -> beam.PCollection[RowsOfPart]:
    """Build the Beam graph from document references to the rows of all tables, packed as bytes, with the key of the Parquet file that gets
    them."""
    return _finished(documents, job) | "Rows" >> UnpackParcels()


def _finished(documents: beam.PCollection[DocumentRef], job: JobSettings) -> beam.PCollection[tuple[ParcelKey, Parcel]]:
    walked: SortedParcels = documents | "WalkDocuments" >> WalkDocuments(job) | "Sort parcels" >> SortParcels(job)
    return (walked["finished"], structure_books(walked["ranges"], job)) | "Parcels" >> beam.Flatten()


def structure_books(ranges: beam.PCollection[BookRange], job: JobSettings) -> beam.PCollection[tuple[ParcelKey, Parcel]]:
    """Build the Beam graph from page ranges of long documents to their rows, packed as bytes, with the key of the Parquet file. It has no
    join of collections, for the reason in docs/scale.md."""
    return ranges | "ReadRanges" >> ReadRanges(job) | "StructureBooks" >> StructureBooks(job)
