"""The one join of a book's pages with its style: text lines to rows of `pages` and `blocks`, a parcel of each range."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TypedDict

import apache_beam as beam

from schemas.records import BookRange, PageRange
from transforms.settings import JobSettings
from transforms.steps.describe_books import RangeKey
from transforms.steps.keys import KeyOfBook, ParcelKey
from transforms.steps.metrics import StepMetrics
from transforms.tables.parcels import parcel
from transforms.walks import calls_of_process, structure_range


class StyledRanges(TypedDict):
    """Ranges of books' pages: their packed text lines, and the styles of their books, cut to them."""

    lines: beam.PCollection[tuple[RangeKey, bytes]]
    styles: beam.PCollection[tuple[RangeKey, tuple[PageRange, bytes]]]


class _Joined(TypedDict):
    """What meets under a range of pages: its packed text lines, and the one style of its book, cut to it."""

    lines: Iterable[bytes]
    styles: Iterable[tuple[PageRange, bytes]]


class _Structure(beam.DoFn):
    def __init__(self, job: JobSettings, key: KeyOfBook) -> None:
        self._job, self._key = job, key
        self._metrics = StepMetrics("structure_ranges")

    def process(self, element: tuple[RangeKey, _Joined]) -> Iterator[tuple[ParcelKey, BookRange]]:
        return self._metrics.measure(self._structure(element))

    def _structure(self, element: tuple[RangeKey, _Joined]) -> Iterator[tuple[ParcelKey, BookRange]]:
        (doc_id, _), joined = element
        (lines,), ((pages, style),) = joined["lines"], joined["styles"]
        found = structure_range(doc_id, pages, lines, style, self._job, calls_of_process(self._job.read))
        _, packed = parcel(found.rows)
        yield self._key(pages.document), BookRange(doc_id, pages.first, packed, found.losses)


@beam.typehints.with_input_types(lines=tuple[RangeKey, bytes], styles=tuple[RangeKey, tuple[PageRange, bytes]])
@beam.typehints.with_output_types(tuple[ParcelKey, BookRange])
class StructureRanges(beam.PTransform[StyledRanges, tuple[ParcelKey, BookRange]]):
    """Ranges of books' pages to their rows, under the keys of their books."""

    def __init__(self, job: JobSettings, key: KeyOfBook) -> None:
        super().__init__()
        self._structure = _Structure(job, key)

    def expand(self, sides: StyledRanges) -> beam.PCollection[tuple[ParcelKey, BookRange]]:
        """One join by range: at most a range of pages meets in one place."""
        structure = beam.ParDo(self._structure).with_output_types(tuple[ParcelKey, BookRange])
        return sides | beam.CoGroupByKey() | "Structure" >> structure
