"""Document references to facts, assets, first pages and the ranges of further pages. Attached PDFs follow their parent.

The first range of pages is read at once, while the document is open: a small document is fetched and opened exactly once,
and only what a document has beyond that is redistributed.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import apache_beam as beam

from schemas.records import DocId, DocumentRef
from transforms.display import ShowsSettings
from transforms.documents import page_ranges, read_with_children
from transforms.isolation import read_guarded
from transforms.metrics import StepMetrics
from transforms.progress import tick
from transforms.read_pages import page_key
from transforms.settings import ReadSettings

FACTS: Final = "facts"
PAGES: Final = "pages"
RANGES: Final = "ranges"
ASSETS: Final = "assets"


class _ReadDocuments(ShowsSettings, beam.DoFn):
    def __init__(self, settings: ReadSettings) -> None:
        self._settings = settings
        self._metrics = StepMetrics("read_documents")

    def process(self, element: DocumentRef) -> Iterator[object]:
        return self._metrics.measure(self._read(element))

    def _read(self, element: DocumentRef) -> Iterator[object]:
        for reading, first_pages in read_with_children(element, self._settings, read_guarded):
            self._metrics.failed(reading.row["status"] != "ok")
            tick(documents=1, pages=len(first_pages), failures=reading.row["status"] != "ok")
            doc_id: DocId = reading.ref.doc_id
            yield beam.pvalue.TaggedOutput(FACTS, (doc_id, reading))
            ranges = page_ranges(reading.ref, reading.page_count, self._settings.pages_per_range)
            if first_pages:
                yield beam.pvalue.TaggedOutput(PAGES, (page_key(ranges[0], self._settings), first_pages))
            for pages in ranges[1:]:
                yield beam.pvalue.TaggedOutput(RANGES, pages)
            if reading.assets:
                yield beam.pvalue.TaggedOutput(ASSETS, (doc_id, reading.assets))


class ReadDocuments(beam.PTransform[DocumentRef, object]):
    """Tagged outputs: FACTS (doc_id, DocumentReading), PAGES (page key, the first PageLines), RANGES PageRange, ASSETS (doc_id, rows)."""

    def __init__(self, settings: ReadSettings) -> None:
        super().__init__()
        self._settings = settings

    def expand(self, refs: beam.PCollection[DocumentRef]) -> beam.pvalue.DoOutputsTuple:
        """Open each document once."""
        return refs | "Read" >> beam.ParDo(_ReadDocuments(self._settings)).with_outputs(FACTS, PAGES, RANGES, ASSETS)
