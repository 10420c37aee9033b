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


class StructureRanges(beam.PTransform[object, object]):
    """`lines` and `styles` of ranges to (key, `BookRange`)."""

    def __init__(self, job: JobSettings, key: KeyOfBook) -> None:
        super().__init__()
        self._structure = _Structure(job, key)

    def expand(self, joined: dict[str, beam.PCollection[object]]) -> beam.PCollection[tuple[ParcelKey, BookRange]]:
        """Packed lines and styles by range: at most a range of pages meets in one place."""
        structure = beam.ParDo(self._structure).with_output_types(tuple[ParcelKey, BookRange])
        return joined | beam.CoGroupByKey() | "Structure" >> structure
