"""The Beam step that reads page ranges of long documents to packed statistics and text lines."""

from __future__ import annotations

from collections.abc import Iterator

import apache_beam as beam
from msgspec.structs import replace

from pdfmill.schemas.records import BookRange, DocId
from pdfmill.transforms.road.guarded_road import calls_of_process, walk_range_guarded
from pdfmill.transforms.road.job_settings import JobSettings
from pdfmill.transforms.steps.display import ShowsSettings
from pdfmill.transforms.steps.redistribute import Redistribute
from pdfmill.transforms.steps.retry_away import TriesAgain
from pdfmill.transforms.tables.worker_progress import note


def _range_key(part: BookRange) -> str:
    return f"{part.pages.document.doc_id}/{part.pages.first}"


class _ReadRange(ShowsSettings, TriesAgain[BookRange]):
    def __init__(self, job: JobSettings) -> None:
        super().__init__("read_ranges", job.read.again_s, job.notes_uri)
        self._job = job
        self._settings = job.read

    def process(self, element: BookRange) -> Iterator[tuple[DocId, BookRange]]:
        return self._metrics.measure(self.read(element), taken=0 if element.read else element.pages.count)

    def read(self, element: BookRange, tries: int = 0) -> Iterator[tuple[DocId, BookRange]]:
        """Yield the document's id, and the range with the content of its pages. tries: earlier attempts."""
        found = element.read
        if found is None:
            found = walk_range_guarded(element.pages, self._job, calls_of_process(self._job.read))
            if found.store_failed and self._later.takes(element, tries):
                return
            self._metrics.failed(found.failures)
            note(self._job.notes_uri, pages=element.pages.count, failures=found.failures)
        yield element.pages.document.doc_id, replace(element, read=found)


@beam.typehints.with_input_types(BookRange)
@beam.typehints.with_output_types(tuple[DocId, BookRange])
class ReadRanges(beam.PTransform[BookRange, tuple[DocId, BookRange]]):
    """Distribute page ranges over the workers and read them, so that all workers share the pages of a long document."""

    def __init__(self, job: JobSettings) -> None:
        super().__init__()
        self._job = job

    def expand(self, ranges: beam.PCollection[BookRange]) -> beam.PCollection[tuple[DocId, BookRange]]:
        read = beam.ParDo(_ReadRange(self._job)).with_output_types(tuple[DocId, BookRange])
        return ranges | "Redistribute" >> Redistribute(_range_key) | "Read" >> read
