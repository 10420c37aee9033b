"""What all pages of a book say together, to what waits for its pages and its style for each range of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Final, TypedDict

import apache_beam as beam

from schemas.records import Book, BookHead, DocId, page_ranges
from transforms.settings import JobSettings
from transforms.steps.keys import KeyOfBook
from transforms.steps.metrics import StepMetrics
from transforms.walks import calls_of_process, describe_book

HEADS: Final = "heads"
STYLES: Final = "styles"

#: (document, first page of a range): what a range's lines and its book's style meet under.
RangeKey = tuple[DocId, int]


class _Joined(TypedDict):
    """What meets under a document: its one `Book`, and the packed measures of its ranges."""

    books: Iterable[Book]
    measures: Iterable[bytes]


class _Describe(beam.DoFn):
    def __init__(self, job: JobSettings, key: KeyOfBook) -> None:
        self._job, self._key = job, key
        self._metrics = StepMetrics("describe_books")

    def process(self, element: tuple[DocId, _Joined]) -> Iterator[object]:
        return self._metrics.measure(self._describe(element))

    def _describe(self, element: tuple[DocId, _Joined]) -> Iterator[object]:
        doc_id, joined = element
        (book,) = joined["books"]
        read = self._job.read
        found = describe_book(book, sorted(joined["measures"]), self._job, calls_of_process(self._job.read))
        head = BookHead(replace(book, reading=b""), found.rows, found.row)
        yield beam.pvalue.TaggedOutput(HEADS, (self._key(book.ref), head))
        for pages, style in zip(page_ranges(book.ref, book.page_count, read.pages_per_range), found.styles, strict=True):
            yield beam.pvalue.TaggedOutput(STYLES, ((doc_id, pages.first), (pages, style)))


class DescribeBooks(beam.PTransform[object, object]):
    """One join by document. Tagged outputs: HEADS (key, `BookHead`), STYLES (`RangeKey`, (`PageRange`, packed style))."""

    def __init__(self, job: JobSettings, key: KeyOfBook) -> None:
        super().__init__()
        self._describe = _Describe(job, key)

    def expand(self, joined: dict[str, beam.PCollection[object]]) -> beam.pvalue.DoOutputsTuple:
        """`books`, and packed `measures` of all their ranges, by document."""
        return joined | beam.CoGroupByKey() | "Describe" >> beam.ParDo(self._describe).with_outputs(HEADS, STYLES)
