"""What all pages of a book say together, to its rows of `assets`, its row of `documents` so far and its style for each range of pages."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final, TypedDict

import apache_beam as beam

from schemas.records import Book, DocId, page_ranges
from transforms.settings import JobSettings
from transforms.steps.metrics import StepMetrics
from transforms.tables.names import for_shards
from transforms.walks import calls_of_process, describe_book

ROWS: Final = "rows"
STYLES: Final = "styles"
DOCUMENTS: Final = "documents"

#: (document, first page of a range): what a range's lines and its book's style meet under.
RangeKey = tuple[DocId, int]


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


class DescribeBooks(beam.PTransform[object, object]):
    """One join by document. Tagged outputs: ROWS `RowsOfPart`, STYLES (`RangeKey`, (`PageRange`, packed style)),
    DOCUMENTS (doc_id, packed row, see `DescribedBook`)."""

    def __init__(self, job: JobSettings) -> None:
        super().__init__()
        self._job = job

    def expand(self, joined: dict[str, beam.PCollection[object]]) -> beam.pvalue.DoOutputsTuple:
        """`books`, and packed `measures` of all their ranges, by document."""
        return joined | beam.CoGroupByKey() | "Describe" >> beam.ParDo(_Describe(self._job)).with_outputs(ROWS, STYLES, DOCUMENTS)
