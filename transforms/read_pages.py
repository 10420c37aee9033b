"""Page ranges to text lines, one element per page."""

from __future__ import annotations

from collections.abc import Iterator

import apache_beam as beam

from schemas.records import DocId, PageLines, PageRange
from transforms.display import ShowsSettings
from transforms.isolation import read_pages_guarded
from transforms.metrics import StepMetrics
from transforms.progress import tick
from transforms.redistribute import Redistribute
from transforms.settings import ReadSettings

#: (document, index of the page range): what pages and their document's style meet under.
PageKey = tuple[DocId, int]


def with_key(pages: PageRange, page: PageLines, settings: ReadSettings) -> tuple[PageKey, PageLines]:
    """The page under the key that its document's style will look for."""
    return (pages.document.doc_id, range_index(pages.first, settings)), page


def range_index(page: int, settings: ReadSettings) -> int:
    """Which range a page belongs to, from 0."""
    return (page - 1) // settings.pages_per_range


def _range_key(pages: PageRange) -> str:
    return f"{pages.document.doc_id}/{pages.first}"


class _ReadPages(ShowsSettings, beam.DoFn):
    def __init__(self, settings: ReadSettings) -> None:
        self._settings = settings
        self._metrics = StepMetrics("read_pages")

    def process(self, element: PageRange) -> Iterator[tuple[PageKey, PageLines]]:
        return self._metrics.measure(self._read(element))

    def _read(self, element: PageRange) -> Iterator[tuple[PageKey, PageLines]]:
        for page in read_pages_guarded(element, self._settings):
            tick(pages=1, failures=page.failure is not None)
            self._metrics.failed(page.failure is not None)
            yield with_key(element, page, self._settings)


class ReadPages(beam.PTransform[PageRange, tuple[PageKey, PageLines]]):
    """Ranges are redistributed, so that all workers share a book; what comes out is one element per page.

    A range, not a page, crosses over: a small document is then opened by one worker only.
    """

    def __init__(self, settings: ReadSettings) -> None:
        super().__init__()
        self._settings = settings

    def expand(self, ranges: beam.PCollection[PageRange]) -> beam.PCollection[tuple[PageKey, PageLines]]:
        """Redistribute and read."""
        return ranges | "Redistribute" >> Redistribute(_range_key) | "Read" >> beam.ParDo(_ReadPages(self._settings))
