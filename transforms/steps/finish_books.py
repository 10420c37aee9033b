"""The blocks of all ranges of a book, and what was lost on the way, to its rows of `sections` and `documents`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TypedDict

import apache_beam as beam

from schemas.records import Book, DocId, PackedRows, Recovery, RowsOfPart
from transforms.settings import JobSettings
from transforms.steps.display import Shown
from transforms.steps.metrics import StepMetrics
from transforms.tables.names import for_shards
from transforms.walks import calls_of_process, finish_book


class StructuredBooks(TypedDict):
    """Books, and by document their packed rows and what their ranges lost; rows: of the ranges."""

    books: beam.PCollection[tuple[DocId, Book]]
    documents: beam.PCollection[tuple[DocId, bytes]]
    rows: beam.PCollection[RowsOfPart]
    losses: beam.PCollection[tuple[DocId, Recovery]]


class _Joined(TypedDict):
    """What meets under a document: its one `Book`, its one packed row, the packed rows of `blocks` of its ranges, and their losses."""

    books: Iterable[Book]
    documents: Iterable[bytes]
    blocks: Iterable[PackedRows]
    losses: Iterable[Recovery]


def _blocks(rows: RowsOfPart) -> Iterator[tuple[DocId, PackedRows]]:
    (table, _), packed = rows
    if table == "blocks":
        yield DocId(str(packed[0][0])), packed


class _Finish(beam.DoFn):
    def __init__(self, job: JobSettings) -> None:
        self._job = job
        self._metrics = StepMetrics("finish_books")

    def display_data(self) -> dict[str, Shown]:
        """The one option that it heeds, which `WalkDocuments` heeds too."""
        return {"section_chars": self._job.sections.chars}

    def process(self, element: tuple[DocId, _Joined]) -> Iterator[RowsOfPart]:
        return self._metrics.measure(self._finish(element))

    def _finish(self, element: tuple[DocId, _Joined]) -> Iterator[RowsOfPart]:
        _, joined = element
        (book,), (row,) = joined["books"], joined["documents"]
        blocks = [data for _, data in sorted(joined["blocks"], key=lambda packed: packed[0])]
        call = calls_of_process(self._job.read)
        for rows in finish_book(book, row, list(joined["losses"]), self._job, call, blocks):
            yield for_shards(rows, book.ref.shards)


@beam.typehints.with_input_types(books=tuple[DocId, Book], documents=tuple[DocId, bytes], rows=RowsOfPart, losses=tuple[DocId, Recovery])
@beam.typehints.with_output_types(RowsOfPart)
class FinishBooks(beam.PTransform[StructuredBooks, RowsOfPart]):
    """Books whose ranges are structured, to their rows of `sections` and `documents`."""

    def __init__(self, job: JobSettings) -> None:
        super().__init__()
        self._job = job

    def expand(self, sides: StructuredBooks) -> beam.PCollection[RowsOfPart]:
        """The packed blocks of a book meet in one place: some 2 kB a page."""
        blocks = sides["rows"] | "Blocks" >> beam.FlatMap(_blocks)
        joined = {"books": sides["books"], "documents": sides["documents"], "blocks": blocks, "losses": sides["losses"]}
        return joined | beam.CoGroupByKey() | "Finish" >> beam.ParDo(_Finish(self._job))
