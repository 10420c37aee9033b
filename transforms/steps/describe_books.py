"""What all pages of a book say together, to its rows of `assets`, its row of `documents` so far and its style for each range of pages."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final, TypedDict

import apache_beam as beam

from schemas.records import Book, DocId, PageRange, RowsOfPart, page_ranges
from transforms.settings import JobSettings
from transforms.steps.metrics import StepMetrics
from transforms.tables.names import for_shards
from transforms.walks import calls_of_process, describe_book

ROWS: Final = "rows"
STYLES: Final = "styles"
DOCUMENTS: Final = "documents"

#: (document, first page of a range): what a range's lines and its book's style meet under.
RangeKey = tuple[DocId, int]


class MeasuredBooks(TypedDict):
    """measures: of all ranges of the books, packed."""

    books: beam.PCollection[tuple[DocId, Book]]
    measures: beam.PCollection[tuple[DocId, bytes]]


class DescribedBooks(TypedDict):
    """rows: of `assets`. styles: of each range of pages, packed. documents: packed rows, see `schemas.records.DescribedBook`."""

    rows: beam.PCollection[RowsOfPart]
    styles: beam.PCollection[tuple[RangeKey, tuple[PageRange, bytes]]]
    documents: beam.PCollection[tuple[DocId, bytes]]


class _Joined(TypedDict):
    """What meets under a document: its one `Book`, and the packed measures of its ranges."""

    books: Iterable[Book]
    measures: Iterable[bytes]


class _Describe(beam.DoFn):
    def __init__(self, job: JobSettings) -> None:
        self._job = job
        self._metrics = StepMetrics("describe_books")

    def process(self, element: tuple[DocId, _Joined]) -> Iterator[object]:
        return self._metrics.measure(self._describe(element))

    def _describe(self, element: tuple[DocId, _Joined]) -> Iterator[object]:
        doc_id, joined = element
        (book,) = joined["books"]
        read = self._job.read
        found = describe_book(book, sorted(joined["measures"]), self._job, calls_of_process(self._job.read))
        for row in found.rows:
            yield beam.pvalue.TaggedOutput(ROWS, for_shards(row, book.ref.shards))
        yield beam.pvalue.TaggedOutput(DOCUMENTS, (doc_id, found.row))
        for pages, style in zip(page_ranges(book.ref, book.page_count, read.pages_per_range), found.styles, strict=True):
            yield beam.pvalue.TaggedOutput(STYLES, ((doc_id, pages.first), (pages, style)))


@beam.typehints.with_input_types(books=tuple[DocId, Book], measures=tuple[DocId, bytes])
class DescribeBooks(beam.PTransform[MeasuredBooks, DescribedBooks]):
    """What the ranges of books say, to the books' styles."""

    def __init__(self, job: JobSettings) -> None:
        super().__init__()
        self._job = job

    def expand(self, sides: MeasuredBooks) -> DescribedBooks:
        """One join by document."""
        found = sides | beam.CoGroupByKey() | "Describe" >> beam.ParDo(_Describe(self._job)).with_outputs(ROWS, STYLES, DOCUMENTS)
        return {ROWS: found[ROWS], STYLES: found[STYLES], DOCUMENTS: found[DOCUMENTS]}
