"""Page ranges to the text lines of their pages."""

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


def page_key(pages: PageRange, settings: ReadSettings) -> PageKey:
    """The key that the document's style will look for these pages under."""
    return pages.document.doc_id, range_index(pages.first, settings)


def range_index(page: int, settings: ReadSettings) -> int:
    """Which range a page belongs to, from 0."""
    return (page - 1) // settings.pages_per_range


def _range_key(pages: PageRange) -> str:
    return f"{pages.document.doc_id}/{pages.first}"


class _ReadPages(ShowsSettings, beam.DoFn):
    def __init__(self, settings: ReadSettings) -> None:
        self._settings = settings
        self._metrics = StepMetrics("read_pages")

    def process(self, element: PageRange) -> Iterator[tuple[PageKey, list[PageLines]]]:
        return self._metrics.measure(self._read(element))

    def _read(self, element: PageRange) -> Iterator[tuple[PageKey, list[PageLines]]]:
        pages = read_pages_guarded(element, self._settings)
        failures = sum(page.failure is not None for page in pages)
        tick(pages=len(pages), failures=failures)
        self._metrics.failed(failures)
        yield page_key(element, self._settings), pages


class ReadPages(beam.PTransform[PageRange, tuple[PageKey, list[PageLines]]]):
    """Ranges are redistributed, so that all workers share a book; what comes out is the pages of a range.

    A range, not a page, crosses over: a small document is then opened by one worker only.
    """

    def __init__(self, settings: ReadSettings) -> None:
        super().__init__()
        self._settings = settings

    def expand(self, ranges: beam.PCollection[PageRange]) -> beam.PCollection[tuple[PageKey, list[PageLines]]]:
        """Redistribute and read."""
        return ranges | "Redistribute" >> Redistribute(_range_key) | "Read" >> beam.ParDo(_ReadPages(self._settings))
