"""Ranges of a book's pages to their packed measures and text lines."""

from __future__ import annotations

from collections.abc import Iterator

import apache_beam as beam

from schemas.records import PackedRange, PageRange
from transforms.settings import JobSettings
from transforms.steps.again_later import TriesAgain
from transforms.steps.display import ShowsSettings
from transforms.steps.redistribute import Redistribute
from transforms.tables.notes import note
from transforms.walks import calls_of_process, walk_range


def _range_key(pages: PageRange) -> str:
    return f"{pages.document.doc_id}/{pages.first}"


class _ReadRange(ShowsSettings, TriesAgain[PageRange]):
    def __init__(self, job: JobSettings) -> None:
        super().__init__("read_ranges", job.read.again_s, job.notes_uri)
        self._job = job
        self._settings = job.read

    def process(self, element: PageRange) -> Iterator[PackedRange]:
        return self._metrics.measure(self.read(element), taken=element.count)

    def read(self, element: PageRange, tries: int = 0) -> Iterator[PackedRange]:
        """Its packed measures and lines."""
        found = walk_range(element, self._job, calls_of_process(self._job.read))
        if found.away and self._later.takes(element, tries):
            return
        self._metrics.failed(found.failures)
        note(self._job.notes_uri, pages=element.count, failures=found.failures)
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
