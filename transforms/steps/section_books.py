"""The blocks of all ranges of a book, to its rows of `sections`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TypedDict

import apache_beam as beam

from schemas.records import Book, DocId, PackedRows, RowsOfPart
from transforms.isolation import guard_of_process
from transforms.settings import JobSettings
from transforms.steps.display import Shown
from transforms.steps.metrics import StepMetrics
from transforms.walks import calls, section_book


class _Joined(TypedDict):
    """What meets under a document: its one `Book`, and the packed rows of `blocks` of its ranges."""

    books: Iterable[Book]
    blocks: Iterable[PackedRows]


def _blocks(rows: RowsOfPart) -> Iterator[tuple[DocId, PackedRows]]:
    (table, _), packed = rows
    if table == "blocks":
        yield DocId(str(packed[0][0])), packed


class _Section(beam.DoFn):
    def __init__(self, job: JobSettings) -> None:
        self._job = job
        self._metrics = StepMetrics("section_books")

    def display_data(self) -> dict[str, Shown]:
        """The one option that it heeds, which `WalkDocuments` heeds too."""
        return {"section_chars": self._job.sections.chars}

    def process(self, element: tuple[DocId, _Joined]) -> Iterator[RowsOfPart]:
        return self._metrics.measure(self._section(element))

    def _section(self, element: tuple[DocId, _Joined]) -> Iterator[RowsOfPart]:
        doc_id, joined = element
        (book,) = joined["books"]
        blocks = [data for _, data in sorted(joined["blocks"], key=lambda packed: packed[0])]
        read = self._job.read
        yield from section_book(doc_id, book.page_count, self._job, calls(read, lambda: guard_of_process(read.max_memory)), blocks)


class SectionBooks(beam.PTransform[object, RowsOfPart]):
    """`books` by document, and `rows` of their ranges, to rows of `sections`."""

    def __init__(self, job: JobSettings) -> None:
        super().__init__()
        self._job = job

    def expand(self, sides: dict[str, beam.PCollection[object]]) -> beam.PCollection[RowsOfPart]:
        """The packed blocks of a book meet in one place: some 2 kB a page."""
        blocks = sides["rows"] | "Blocks" >> beam.FlatMap(_blocks)
        return {"books": sides["books"], "blocks": blocks} | beam.CoGroupByKey() | "Section" >> beam.ParDo(_Section(self._job))
