"""The pages and blocks of all ranges of a book, and what was lost on the way, to all of its rows."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import TypedDict

import apache_beam as beam

from schemas.records import BookHead, BookRange, DocId, Recovery, RowsOfPart
from transforms.settings import JobSettings
from transforms.steps.display import Shown
from transforms.steps.keys import ParcelKey, shard_of_book
from transforms.steps.metrics import StepMetrics
from transforms.tables.names import for_shards
from transforms.tables.parcels import unparcel
from transforms.walks import Call, calls_of_process, finish_book


class Joined(TypedDict):
    """What meets of some books: of each its one head, and its ranges."""

    heads: Iterable[BookHead]
    ranges: Iterable[BookRange]


def rows_of_books(joined: Joined, job: JobSettings, call: Call) -> Iterator[RowsOfPart]:
    """Their rows of all tables, book after book; the packed blocks of one book are in memory, some 2 kB a page."""
    ranges: dict[DocId, list[BookRange]] = defaultdict(list)
    for each in joined["ranges"]:
        ranges[each.doc_id].append(each)
    for head in sorted(joined["heads"], key=lambda head: head.book.ref.doc_id):
        ref = head.book.ref
        made = [*head.rows]
        blocks: list[bytes] = []
        losses: list[Recovery] = []
        for part in sorted(ranges.pop(ref.doc_id), key=lambda part: part.first):
            losses += part.losses
            for rows in unparcel(shard_of_book(ref, job.write.shards), part.parcel):
                if rows[0][0] == "blocks":
                    blocks.append(rows[1][1])
                yield rows
        made += finish_book(head.book, head.row, losses, job, call, blocks)
        yield from (for_shards(rows, ref.shards) for rows in made)


class _Finish(beam.DoFn):
    def __init__(self, job: JobSettings) -> None:
        self._job = job
        self._metrics = StepMetrics("finish_books")

    def display_data(self) -> dict[str, Shown]:
        """The one option that it heeds, which `WalkDocuments` heeds too."""
        return {"section_chars": self._job.sections.chars}

    def process(self, element: tuple[ParcelKey, Joined]) -> Iterator[RowsOfPart]:
        return self._metrics.measure(rows_of_books(element[1], self._job, calls_of_process(self._job.read)))


@beam.typehints.with_output_types(RowsOfPart)
class FinishBooks(beam.PTransform[object, RowsOfPart]):
    """`heads` and `ranges` of books, both by document, to their packed rows."""

    def __init__(self, job: JobSettings) -> None:
        super().__init__()
        self._job = job

    def expand(self, sides: dict[str, beam.PCollection[object]]) -> beam.PCollection[RowsOfPart]:
        """All of a book meets in one place: some 5 kB a page."""
        return sides | beam.CoGroupByKey() | "Finish" >> beam.ParDo(_Finish(self._job))
