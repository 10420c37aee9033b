"""Ranges of a book's pages to their packed measures and text lines."""

from __future__ import annotations

from collections.abc import Iterator

import apache_beam as beam

from schemas.records import PackedRange, PageRange
from transforms.isolation import guard_of_process
from transforms.settings import JobSettings
from transforms.steps.again_later import AgainLater, at_end_of_bundle
from transforms.steps.display import ShowsSettings
from transforms.steps.metrics import StepMetrics
from transforms.steps.redistribute import Redistribute
from transforms.tables.notes import note, settle_notes
from transforms.walks import calls, walk_range


def _range_key(pages: PageRange) -> str:
    return f"{pages.document.doc_id}/{pages.first}"


class _ReadRange(ShowsSettings, beam.DoFn):
    def __init__(self, job: JobSettings) -> None:
        self._job = job
        self._settings = job.read
        self._metrics = StepMetrics("read_ranges")
        self._later: AgainLater[PageRange] = AgainLater(job.read.again_s)

    def start_bundle(self) -> None:
        self._later.begin()

    def process(self, element: PageRange) -> Iterator[PackedRange]:
        return self._metrics.measure(self._read(element), taken=element.last - element.first + 1)

    def finish_bundle(self) -> Iterator[object]:
        for element, tries in self._later.again():
            yield from map(at_end_of_bundle, self._metrics.measure(self._read(element, tries), taken=0))
        settle_notes(self._job.notes_uri)

    def _read(self, element: PageRange, tries: int = 0) -> Iterator[PackedRange]:
        read = self._settings
        found = walk_range(element, self._job, calls(read, lambda: guard_of_process(read.max_memory)))
        if found.away and self._later.takes(element, tries):
            return
        self._metrics.failed(found.failures)
        note(self._job.notes_uri, pages=element.last - element.first + 1, failures=found.failures)
        yield found


@beam.typehints.with_input_types(PageRange)
@beam.typehints.with_output_types(PackedRange)
class ReadRanges(beam.PTransform[PageRange, PackedRange]):
    """Ranges are redistributed, so that all workers share a book."""

    def __init__(self, job: JobSettings) -> None:
        super().__init__()
        self._job = job

    def expand(self, ranges: beam.PCollection[PageRange]) -> beam.PCollection[PackedRange]:
        """Redistribute and read."""
        return ranges | "Redistribute" >> Redistribute(_range_key) | "Read" >> beam.ParDo(_ReadRange(self._job))
