"""Facts and what the pages say together to the documents row, and the document's style for each of its page ranges."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain
from typing import Final, TypedDict

import apache_beam as beam

from schemas.records import DocId
from transforms.documents import DocumentReading, describe_document
from transforms.metrics import StepMetrics
from transforms.packing import pack, unpack
from transforms.pages import PageMeasures, added
from transforms.read_pages import range_index
from transforms.settings import JobSettings

ROWS: Final = "rows"
STYLES: Final = "styles"


def _pack(doc_id: DocId, reading: DocumentReading) -> tuple[DocId, bytes]:
    return doc_id, pack(reading)


class _Joined(TypedDict):
    """What meets under a document, packed: its one `DocumentReading`, the `PageMeasures` of its first and further ranges of pages."""

    readings: Iterable[bytes]
    first: Iterable[bytes]
    further: Iterable[bytes]


class _Describe(beam.DoFn):
    def __init__(self, settings: JobSettings) -> None:
        self._settings = settings
        self._metrics = StepMetrics("describe_documents")

    def process(self, element: tuple[DocId, _Joined]) -> Iterator[object]:
        return self._metrics.measure(self._describe(element))

    def _describe(self, element: tuple[DocId, _Joined]) -> Iterator[object]:
        doc_id, joined = element
        (reading,) = map(unpack, joined["readings"])
        assert isinstance(reading, DocumentReading)
        ranges = map(unpack, chain(joined["first"], joined["further"]))
        statistics, losses = added(each for each in ranges if isinstance(each, PageMeasures))
        row, style = describe_document(reading, statistics, losses, self._settings.layout)
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
        """`readings`, and packed measures of `first` and `further` pages, by document."""
        packed = joined | {"readings": joined["readings"] | "Pack" >> beam.MapTuple(_pack)}
        return packed | beam.CoGroupByKey() | "Describe" >> beam.ParDo(_Describe(self._settings)).with_outputs(ROWS, STYLES)
