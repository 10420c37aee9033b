"""The road as a Beam graph, in the order data flows; what its steps do stands in `transforms.road`."""

from __future__ import annotations

from dataclasses import replace

import apache_beam as beam

from schemas.records import DocId, DocumentRef, PackedRange, RowsOfPart
from transforms.settings import JobSettings
from transforms.steps.describe_books import DescribeBooks, DescribedBooks, MeasuredBooks, RangeKey
from transforms.steps.finish_books import FinishBooks, StructuredBooks
from transforms.steps.keys import KeyOfBook, alone, by_shard
from transforms.steps.read_ranges import ReadRanges
from transforms.steps.structure_ranges import StructureRanges, StyledRanges
from transforms.steps.walk_documents import FurtherBooks, UnpackedParcels, UnpackParcels, WalkDocuments
from transforms.steps.write_books import WriteBooks
from transforms.steps.write_documents import WriteDocuments, WrittenDocuments
from transforms.steps.write_tables import WriteTables, shards_beside, with_every_table
from transforms.tables.names import FINE_SHARDS
from transforms.tables.written import Written, joined


def _measures(part: PackedRange) -> tuple[DocId, bytes]:
    return part.pages.document.doc_id, part.measures


def _lines(part: PackedRange) -> tuple[RangeKey, bytes]:
    return (part.pages.document.doc_id, part.pages.first), part.lines


def index_documents(
    documents: beam.PCollection[DocumentRef], job: JobSettings, shards: beam.PCollection[tuple[int, int]] | None = None
) -> beam.PCollection[Written]:
    """Document references to Parquet parts, of documents of one range of pages and of books; one element, what was written.

    shards: `Shards`, instead of what the job's settings say. Finished rows cross once, from where they were read to where they are written,
    and with them what is to be known of a book before its other pages are read.
    """
    told, packed, beside = _tell(documents, job, shards)
    parcels = told | "WalkDocuments" >> WalkDocuments(packed)
    done: WrittenDocuments = parcels | "WriteDocuments" >> WriteDocuments(job, beside)
    books = structure_books(done, packed, by_shard(packed.write.shards)) | "WriteBooks" >> WriteBooks(packed, job.write, beside)
    written = (done["written"], books) | "Written" >> beam.Flatten() | "All written" >> beam.CombineGlobally(joined)
    return written | "Every table" >> beam.Map(with_every_table, job.write, *([] if beside is None else [beside]))


def _tell(
    documents: beam.PCollection[DocumentRef], job: JobSettings, shards: beam.PCollection[tuple[int, int]] | None
) -> tuple[beam.PCollection[DocumentRef], JobSettings, beam.pvalue.AsSingleton | None]:
    """The documents with their shards, the settings by which rows are packed, and the shards as an argument of steps."""
    if shards is None:
        return documents, job, None
    # A reference takes the numbers along: told to the rows, they would cost them an exchange of their own on Flink.
    beside = shards_beside(shards)
    told = documents | "Tell shards" >> beam.Map(_with_shards, beside).with_output_types(DocumentRef)
    return told, replace(job, write=replace(job.write, shards=FINE_SHARDS)), beside


def _with_shards(ref: DocumentRef, shards: tuple[int, int]) -> DocumentRef:
    documents, books = shards
    return replace(ref, shards=documents, book_shards=books)


def write_together(
    documents: beam.PCollection[DocumentRef], job: JobSettings, shards: beam.PCollection[tuple[int, int]] | None = None
) -> beam.PCollection[Written]:
    """Document references to Parquet parts in which books stand beside other documents, as crawls have them; of each what was written.

    shards: `Shards`, both numbers alike, instead of what the job's settings say.
    """
    told, packed, beside = _tell(documents, job, shards)
    return structure_documents(told, packed) | "WriteTables" >> WriteTables(job.write, beside)


def structure_documents(documents: beam.PCollection[DocumentRef], job: JobSettings) -> beam.PCollection[RowsOfPart]:
    """Document references to the packed rows of all tables, of books and others."""
    walked: UnpackedParcels = documents | "WalkDocuments" >> WalkDocuments(job) | "Unpack" >> UnpackParcels(job)
    books = structure_books(walked, job, alone) | "FinishBooks" >> FinishBooks(job)
    return (walked["rows"], books) | "Rows" >> beam.Flatten()


def structure_books(walked: FurtherBooks, job: JobSettings, key: KeyOfBook) -> StructuredBooks:
    """Books, their first ranges and the references of the others, to what is left of them to be joined, `heads` and `ranges` by key."""
    further = walked["ranges"] | "ReadRanges" >> ReadRanges(job)
    ranges = (walked["first"], further) | "Ranges of books" >> beam.Flatten()
    said: MeasuredBooks = {"books": walked["books"], "measures": ranges | "Measures" >> beam.Map(_measures)}
    described: DescribedBooks = said | "DescribeBooks" >> DescribeBooks(job, key)
    styled: StyledRanges = {"lines": ranges | "Lines" >> beam.Map(_lines), "styles": described["styles"]}
    return {"heads": described["heads"], "ranges": styled | "StructureRanges" >> StructureRanges(job, key)}
