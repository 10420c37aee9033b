"""Document references to finished rows, and of books to their facts, first pages and the ranges of further pages.

A document of one range of pages is fetched and opened once, in one guarded process, and leaves it as finished rows: its text lines
cross no worker boundary. Only books are shared out. Attached PDFs follow their parent.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, TypedDict

import apache_beam as beam

from schemas.records import Book, DocId, DocumentRef, PackedRange, PageRange, RowsOfPart, page_ranges
from transforms.settings import JobSettings
from transforms.steps.again_later import TriesAgain
from transforms.steps.display import Shown, shown
from transforms.tables.names import for_shards
from transforms.tables.notes import note
from transforms.walks import calls_of_process, walk

ROWS: Final = "rows"
BOOKS: Final = "books"
FIRST: Final = "first"
RANGES: Final = "ranges"


class WalkedDocuments(TypedDict):
    """rows: of documents of one range of pages, finished. books: longer documents. first: their first ranges. ranges: their others."""

    rows: beam.PCollection[RowsOfPart]
    books: beam.PCollection[tuple[DocId, Book]]
    first: beam.PCollection[PackedRange]
    ranges: beam.PCollection[PageRange]


class _Walk(TriesAgain[DocumentRef]):
    def __init__(self, job: JobSettings) -> None:
        super().__init__("walk_documents", job.read.again_s, job.notes_uri)
        self._job = job

    def display_data(self) -> dict[str, Shown]:
        """The settings of reading, and those of the structure that a flag sets."""
        return shown(self._job.read) | shown(self._job.layout, "hyphens", "keep_furniture")

    def process(self, element: DocumentRef) -> Iterator[object]:
        return self._metrics.measure(self.read(element))

    def read(self, element: DocumentRef, tries: int = 0) -> Iterator[object]:
        """Its tagged outputs."""
        read = self._job.read
        walked = list(walk(element, self._job, calls_of_process(self._job.read)))
        if any(found.away for found in walked) and self._later.takes(element, tries):
            return
        failures = sum(found.all_failures for found in walked)
        note(self._job.notes_uri, documents=1, pages=sum(found.pages for found in walked), failures=failures)
        for found in walked:
            self._metrics.failed(not found.ok)
            for row in found.rows:
                yield beam.pvalue.TaggedOutput(ROWS, for_shards(row, element.shards))
            if found.book is not None and found.first is not None:
                doc_id = found.book.ref.doc_id
                yield beam.pvalue.TaggedOutput(BOOKS, (doc_id, found.book))
                yield beam.pvalue.TaggedOutput(FIRST, found.first)
                for pages in page_ranges(found.book.ref, found.book.page_count, read.pages_per_range)[1:]:
                    yield beam.pvalue.TaggedOutput(RANGES, pages)


@beam.typehints.with_input_types(DocumentRef)
class WalkDocuments(beam.PTransform[DocumentRef, WalkedDocuments]):
    """Document references to finished rows, and to what is known of books so far."""

    def __init__(self, job: JobSettings) -> None:
        super().__init__()
        self._job = job

    def expand(self, refs: beam.PCollection[DocumentRef]) -> WalkedDocuments:
        """Open each document once."""
        found = refs | "Walk" >> beam.ParDo(_Walk(self._job)).with_outputs(ROWS, BOOKS, FIRST, RANGES)
        return {ROWS: found[ROWS], BOOKS: found[BOOKS], FIRST: found[FIRST], RANGES: found[RANGES]}
