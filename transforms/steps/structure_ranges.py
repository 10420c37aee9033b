"""The one join of a book's pages with its style: text lines to rows of `pages` and `blocks`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final, TypedDict

import apache_beam as beam

from schemas.records import DocId, PageRange, Recovery, RowsOfPart
from transforms.settings import JobSettings
from transforms.steps.describe_books import RangeKey
from transforms.steps.metrics import StepMetrics
from transforms.tables.names import for_shards
from transforms.walks import calls_of_process, structure_range

ROWS: Final = "rows"
LOSSES: Final = "losses"


class StyledRanges(TypedDict):
    """Ranges of books' pages: their packed text lines, and the styles of their books, cut to them."""

    lines: beam.PCollection[tuple[RangeKey, bytes]]
    styles: beam.PCollection[tuple[RangeKey, tuple[PageRange, bytes]]]


class StructuredRanges(TypedDict):
    """rows: of `pages` and `blocks`. losses: what went wrong meanwhile, by document."""

    rows: beam.PCollection[RowsOfPart]
    losses: beam.PCollection[tuple[DocId, Recovery]]


class _Joined(TypedDict):
    """What meets under a range of pages: its packed text lines, and the one style of its book, cut to it."""

    lines: Iterable[bytes]
    styles: Iterable[tuple[PageRange, bytes]]


class _Structure(beam.DoFn):
    def __init__(self, job: JobSettings) -> None:
        self._job = job
        self._metrics = StepMetrics("structure_ranges")

    def process(self, element: tuple[RangeKey, _Joined]) -> Iterator[object]:
        return self._metrics.measure(self._structure(element))

    def _structure(self, element: tuple[RangeKey, _Joined]) -> Iterator[object]:
        (doc_id, _), joined = element
        (lines,), ((pages, style),) = joined["lines"], joined["styles"]
        found = structure_range(doc_id, pages, lines, style, self._job, calls_of_process(self._job.read))
        for row in found.rows:
            yield beam.pvalue.TaggedOutput(ROWS, for_shards(row, pages.document.shards))
        for loss in found.losses:
            yield beam.pvalue.TaggedOutput(LOSSES, (doc_id, loss))


@beam.typehints.with_input_types(lines=tuple[RangeKey, bytes], styles=tuple[RangeKey, tuple[PageRange, bytes]])
class StructureRanges(beam.PTransform[StyledRanges, StructuredRanges]):
    """Ranges of books' pages to finished rows."""

    def __init__(self, job: JobSettings) -> None:
        super().__init__()
        self._job = job

    def expand(self, sides: StyledRanges) -> StructuredRanges:
        """One join by range: at most a range of pages meets in one place."""
        found = sides | beam.CoGroupByKey() | "Structure" >> beam.ParDo(_Structure(self._job)).with_outputs(ROWS, LOSSES)
        return {ROWS: found[ROWS], LOSSES: found[LOSSES]}
