"""The one join of a book's pages with its style: text lines to rows of `pages` and `blocks`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final, TypedDict

import apache_beam as beam

from schemas.records import PageRange
from transforms.settings import JobSettings
from transforms.steps.describe_books import RangeKey
from transforms.steps.metrics import StepMetrics
from transforms.tables.names import for_shards
from transforms.walks import calls_of_process, structure_range

ROWS: Final = "rows"
LOSSES: Final = "losses"


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


class StructureRanges(beam.PTransform[object, object]):
    """`lines` and `styles` of ranges to finished rows. Tagged outputs: ROWS `RowsOfPart`, LOSSES (doc_id, `Recovery`)."""

    def __init__(self, job: JobSettings) -> None:
        super().__init__()
        self._job = job

    def expand(self, joined: dict[str, beam.PCollection[object]]) -> beam.pvalue.DoOutputsTuple:
        """Packed lines and styles by range: at most a range of pages meets in one place."""
        return joined | beam.CoGroupByKey() | "Structure" >> beam.ParDo(_Structure(self._job)).with_outputs(ROWS, LOSSES)
