"""Facts and statistics to the documents row, and the document's style for each of its page ranges."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final, TypedDict

import apache_beam as beam

from schemas.records import DocId, PageLines, Recovery
from schemas.statistics import DocumentStatistics
from transforms.documents import DocumentReading, describe_document, page_losses
from transforms.metrics import StepMetrics
from transforms.packing import pack, unpack
from transforms.read_pages import PageKey, range_index
from transforms.settings import JobSettings

ROWS: Final = "rows"
STYLES: Final = "styles"


def _losses(keyed: tuple[PageKey, PageLines]) -> Iterator[tuple[DocId, Recovery]]:
    (doc_id, _), page = keyed
    for loss in page_losses(page):
        yield doc_id, loss


def _pack(doc_id: DocId, reading: DocumentReading) -> tuple[DocId, bytes]:
    return doc_id, pack(reading)


class _Joined(TypedDict):
    """What meets under a document: its one `DocumentReading`, packed; its packed statistics if it has pages; what its pages lost."""

    readings: Iterable[bytes]
    statistics: Iterable[bytes]
    losses: Iterable[Recovery]


class _Describe(beam.DoFn):
    def __init__(self, settings: JobSettings) -> None:
        self._settings = settings
        self._metrics = StepMetrics("describe_documents")

    def process(self, element: tuple[DocId, _Joined]) -> Iterator[object]:
        return self._metrics.measure(self._describe(element))

    def _describe(self, element: tuple[DocId, _Joined]) -> Iterator[object]:
        doc_id, joined = element
        (reading,) = map(unpack, joined["readings"])
        statistics = next(map(unpack, joined["statistics"]), DocumentStatistics())
        assert isinstance(reading, DocumentReading)
        assert isinstance(statistics, DocumentStatistics)
        row, style = describe_document(reading, statistics, list(joined["losses"]), self._settings.layout)
        yield beam.pvalue.TaggedOutput(ROWS, (doc_id, [row]))
        step = self._settings.read.pages_per_range
        for first in range(1, reading.page_count + 1, step):
            key = (doc_id, range_index(first, self._settings.read))
            yield beam.pvalue.TaggedOutput(STYLES, (key, style.for_pages(first, min(first + step - 1, reading.page_count))))


class DescribeDocuments(beam.PTransform[object, object]):
    """One join by document. Tagged outputs: ROWS (doc_id, rows of `documents`), STYLES (page key, DocumentStyle)."""

    def __init__(self, settings: JobSettings) -> None:
        super().__init__()
        self._settings = settings

    def expand(self, joined: dict[str, beam.PCollection[object]]) -> beam.pvalue.DoOutputsTuple:
        """`readings` and packed `statistics` by document, `pages` by page key."""
        losses = joined["pages"] | "Losses" >> beam.FlatMap(_losses)
        readings = joined["readings"] | "Pack" >> beam.MapTuple(_pack)
        sides = {"readings": readings, "statistics": joined["statistics"], "losses": losses}
        return sides | beam.CoGroupByKey() | "Describe" >> beam.ParDo(_Describe(self._settings)).with_outputs(ROWS, STYLES)
