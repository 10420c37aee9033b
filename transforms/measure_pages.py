"""Ranges of pages to what goes on from where they were read: what they say about their document, and their lines, both packed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

import apache_beam as beam

from schemas.records import PageLines
from transforms.metrics import StepMetrics
from transforms.packing import pack
from transforms.pages import measured
from transforms.read_pages import PageKey

MEASURES: Final = "measures"
LINES: Final = "lines"


class _Measure(beam.DoFn):
    def __init__(self) -> None:
        self._metrics = StepMetrics("measure_pages")

    def process(self, element: tuple[PageKey, Sequence[PageLines]]) -> Iterator[object]:
        return self._metrics.measure(self._measure(element), taken=len(element[1]))

    def _measure(self, element: tuple[PageKey, Sequence[PageLines]]) -> Iterator[object]:
        key, pages = element
        yield beam.pvalue.TaggedOutput(MEASURES, (key[0], pack(measured(pages))))
        yield beam.pvalue.TaggedOutput(LINES, (key, pack(pages)))


class MeasurePages(beam.PTransform[object, object]):
    """Tagged outputs: MEASURES (doc_id, packed `PageMeasures`), LINES (page key, packed pages), one of each for a range.

    A document's measures are added up where it is described. All that is as large as a page is packed before pages of two steps
    meet: there the embedded runner copies what it is given.
    """

    def expand(self, pages: beam.PCollection[tuple[PageKey, Sequence[PageLines]]]) -> beam.pvalue.DoOutputsTuple:
        """Measure and pack."""
        return pages | "Measure" >> beam.ParDo(_Measure()).with_outputs(MEASURES, LINES)
