"""The road as a Beam graph, in the order data flows; what its steps do stands in `transforms.road`."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import apache_beam as beam

from schemas.records import DocId, DocumentRef, PackedRange, RowsOfPart
from transforms.settings import JobSettings
from transforms.steps import describe_books, walk_documents, write_documents
from transforms.steps.describe_books import DescribeBooks, RangeKey
from transforms.steps.finish_books import FinishBooks
from transforms.steps.keys import KeyOfBook, alone, by_shard
from transforms.steps.read_ranges import ReadRanges
from transforms.steps.structure_ranges import StructureRanges
from transforms.steps.walk_documents import UnpackParcels, WalkDocuments
from transforms.steps.write_books import WriteBooks
from transforms.steps.write_documents import WriteDocuments
from transforms.steps.write_tables import WriteTables, shards_beside, with_every_table
from transforms.tables.names import FINE_SHARDS
from transforms.tables.shards import Shards
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
    write, beside = job.write, None
    if shards is not None:
        # A reference takes the numbers along: told to the rows, they would cost them an exchange of their own on Flink.
        beside = shards_beside(shards)
        documents = documents | "Tell shards" >> beam.Map(_with_shards, beside).with_output_types(DocumentRef)
        job = replace(job, write=replace(write, shards=FINE_SHARDS))
    parcels = documents | "WalkDocuments" >> WalkDocuments(job)
    done = parcels | "WriteDocuments" >> WriteDocuments(replace(job, write=write), beside)
    books = structure_books(done, job, by_shard(job.write.shards)) | "WriteBooks" >> WriteBooks(job, write, beside)
    written = (done[write_documents.WRITTEN], books) | "Written" >> beam.Flatten() | "All written" >> beam.CombineGlobally(joined)
    return written | "Every table" >> beam.Map(with_every_table, write, *([] if beside is None else [beside]))


def _with_shards(ref: DocumentRef, shards: tuple[int, int]) -> DocumentRef:
    documents, books = shards
    return replace(ref, shards=documents, book_shards=books)


def write_together(
    documents: beam.PCollection[DocumentRef], job: JobSettings, shards: beam.PCollection[tuple[int, int]] | None = None
) -> beam.PCollection[Written]:
    """Document references to Parquet parts in which books stand beside other documents, as crawls have them; of each what was written.

    shards: as in `index_documents`; a table has as many parts as both numbers come to.
    """
    if shards is None:
        return structure_documents(documents, job) | "WriteTables" >> WriteTables(job.write)
    beside = shards_beside(shards)
    told = documents | "Tell shards" >> beam.Map(_with_one_number, beside).with_output_types(DocumentRef)
    rows = structure_documents(told, replace(job, write=replace(job.write, shards=FINE_SHARDS)))
    return rows | "WriteTables" >> WriteTables(job.write, beside)


def _with_one_number(ref: DocumentRef, shards: tuple[int, int]) -> DocumentRef:
    together = Shards(*shards).together
    return replace(ref, shards=together, book_shards=together)


def structure_documents(documents: beam.PCollection[DocumentRef], job: JobSettings) -> beam.PCollection[RowsOfPart]:
    """Document references to the packed rows of all tables, of books and others."""
    walked = documents | "WalkDocuments" >> WalkDocuments(job) | "Unpack" >> UnpackParcels(job)
    books = structure_books(walked, job, alone) | "FinishBooks" >> FinishBooks(job)
    return (walked[walk_documents.ROWS], books) | "Rows" >> beam.Flatten()


def structure_books(walked: beam.pvalue.DoOutputsTuple, job: JobSettings, key: KeyOfBook) -> dict[str, beam.PCollection[Any]]:
    """Books, their first ranges and the references of the others, to what is left of them to be joined, `heads` and `ranges` by key."""
    further = walked[walk_documents.RANGES] | "ReadRanges" >> ReadRanges(job)
    ranges = (walked[walk_documents.FIRST], further) | "Ranges of books" >> beam.Flatten()
    said = {"books": walked[walk_documents.BOOKS], "measures": ranges | "Measures" >> beam.Map(_measures)}
    described = said | "DescribeBooks" >> DescribeBooks(job, key)
    styled = {"lines": ranges | "Lines" >> beam.Map(_lines), "styles": described[describe_books.STYLES]}
    return {"heads": described[describe_books.HEADS], "ranges": styled | "StructureRanges" >> StructureRanges(job, key)}
