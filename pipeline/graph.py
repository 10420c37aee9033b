"""The road as a Beam graph, in the order data flows; what its steps do stands in `transforms.road`."""

from __future__ import annotations

from dataclasses import replace

import apache_beam as beam

from schemas.records import DocId, DocumentRef, PackedRange, RowsOfPart
from transforms.settings import JobSettings
from transforms.steps.describe_books import DescribeBooks, DescribedBooks, MeasuredBooks, RangeKey
from transforms.steps.finish_books import FinishBooks, StructuredBooks
from transforms.steps.read_ranges import ReadRanges
from transforms.steps.structure_ranges import StructuredRanges, StructureRanges, StyledRanges
from transforms.steps.walk_documents import WalkDocuments, WalkedDocuments
from transforms.steps.write_tables import WriteTables, shards_beside
from transforms.tables.names import FINE_SHARDS
from transforms.tables.written import Written


def _measures(part: PackedRange) -> tuple[DocId, bytes]:
    return part.pages.document.doc_id, part.measures


def _lines(part: PackedRange) -> tuple[RangeKey, bytes]:
    return (part.pages.document.doc_id, part.pages.first), part.lines


def index_documents(
    documents: beam.PCollection[DocumentRef], job: JobSettings, shards: beam.PCollection[int] | None = None
) -> beam.PCollection[Written]:
    """Document references to Parquet parts; of each what was written. shards: parts of a table, instead of what the job's settings say."""
    if shards is None:
        return structure_documents(documents, job) | "WriteTables" >> WriteTables(job.write)
    # A reference takes the number along: told to the rows, it would cost them an exchange of their own on Flink.
    told = documents | "Tell shards" >> beam.Map(_with_shards, shards_beside(shards)).with_output_types(DocumentRef)
    rows = structure_documents(told, replace(job, write=replace(job.write, shards=FINE_SHARDS)))
    return rows | "WriteTables" >> WriteTables(job.write, shards)


def _with_shards(ref: DocumentRef, shards: int) -> DocumentRef:
    return replace(ref, shards=shards)


def structure_documents(documents: beam.PCollection[DocumentRef], job: JobSettings) -> beam.PCollection[RowsOfPart]:
    """Document references to the packed rows of all tables."""
    walked: WalkedDocuments = documents | "WalkDocuments" >> WalkDocuments(job)
    further = walked["ranges"] | "ReadRanges" >> ReadRanges(job)
    ranges = (walked["first"], further) | "Ranges of books" >> beam.Flatten()
    said: MeasuredBooks = {"books": walked["books"], "measures": ranges | "Measures" >> beam.Map(_measures)}
    described: DescribedBooks = said | "DescribeBooks" >> DescribeBooks(job)
    styled: StyledRanges = {"lines": ranges | "Lines" >> beam.Map(_lines), "styles": described["styles"]}
    structured: StructuredRanges = styled | "StructureRanges" >> StructureRanges(job)
    ended: StructuredBooks = {
        "books": walked["books"],
        "documents": described["documents"],
        "rows": structured["rows"],
        "losses": structured["losses"],
    }
    finished = ended | "FinishBooks" >> FinishBooks(job)
    return (walked["rows"], described["rows"], structured["rows"], finished) | "Rows" >> beam.Flatten()
