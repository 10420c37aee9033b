"""The road as a Beam graph, in the order data flows; what its steps do stands in `transforms.road`."""

from __future__ import annotations

from dataclasses import replace

import apache_beam as beam

from schemas.records import DocId, DocumentRef, PackedRange, RowsOfPart
from transforms.settings import JobSettings
from transforms.steps import describe_books, structure_ranges, walk_documents
from transforms.steps.describe_books import DescribeBooks, RangeKey
from transforms.steps.finish_books import FinishBooks
from transforms.steps.read_ranges import ReadRanges
from transforms.steps.structure_ranges import StructureRanges
from transforms.steps.walk_documents import WalkDocuments
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
    walked = documents | "WalkDocuments" >> WalkDocuments(job)
    further = walked[walk_documents.RANGES] | "ReadRanges" >> ReadRanges(job)
    ranges = (walked[walk_documents.FIRST], further) | "Ranges of books" >> beam.Flatten()
    said = {"books": walked[walk_documents.BOOKS], "measures": ranges | "Measures" >> beam.Map(_measures)}
    described = said | "DescribeBooks" >> DescribeBooks(job)
    styled = {"lines": ranges | "Lines" >> beam.Map(_lines), "styles": described[describe_books.STYLES]}
    structured = styled | "StructureRanges" >> StructureRanges(job)
    rows = structured[structure_ranges.ROWS]
    ended = {
        "books": walked[walk_documents.BOOKS],
        "documents": described[describe_books.DOCUMENTS],
        "rows": rows,
        "losses": structured[structure_ranges.LOSSES],
    }
    finished = ended | "FinishBooks" >> FinishBooks(job)
    return (walked[walk_documents.ROWS], described[describe_books.ROWS], rows, finished) | "Rows" >> beam.Flatten()
