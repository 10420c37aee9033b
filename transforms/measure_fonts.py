"""Pages to their document's statistics: histograms that add up in any order."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import apache_beam as beam

from schemas.records import DocId, PageLines
from schemas.statistics import DocumentStatistics
from transforms.metrics import Measured
from transforms.packing import pack, unpack
from transforms.pages import measured
from transforms.read_pages import PageKey


def _plain(accumulator: DocumentStatistics | bytes) -> DocumentStatistics:
    plain = unpack(accumulator) if isinstance(accumulator, bytes) else accumulator
    assert isinstance(plain, DocumentStatistics)
    return plain


class _Merge(beam.CombineFn):
    """Sums of `DocumentStatistics`; workers add up their own pages, and what is shuffled is packed."""

    def create_accumulator(self) -> DocumentStatistics | bytes:
        return DocumentStatistics()

    def add_input(self, mutable_accumulator: DocumentStatistics | bytes, element: DocumentStatistics) -> DocumentStatistics | bytes:
        total = _plain(mutable_accumulator)
        total.add(element)
        return total

    def merge_accumulators(self, accumulators: Iterable[DocumentStatistics | bytes]) -> DocumentStatistics | bytes:
        total = DocumentStatistics()
        for accumulator in accumulators:
            total.add(_plain(accumulator))
        return total

    def compact(self, accumulator: DocumentStatistics | bytes) -> DocumentStatistics | bytes:
        return accumulator if isinstance(accumulator, bytes) else pack(accumulator)

    def extract_output(self, accumulator: DocumentStatistics | bytes) -> bytes:
        """Packed: the join with the document's facts shuffles it again."""
        return accumulator if isinstance(accumulator, bytes) else pack(accumulator)


def _measure(keyed: tuple[PageKey, PageLines]) -> Iterator[tuple[DocId, DocumentStatistics]]:
    (doc_id, _), page = keyed
    yield doc_id, measured(page)


class MeasureFonts(beam.PTransform[tuple[PageKey, PageLines], tuple[DocId, bytes]]):
    """One packed `DocumentStatistics` per document that has pages."""

    def expand(self, pages: beam.PCollection[tuple[PageKey, PageLines]]) -> beam.PCollection[tuple[DocId, bytes]]:
        """Measure each page, add up by document."""
        return pages | "Measure" >> beam.ParDo(Measured("measure_fonts", _measure)) | "Merge" >> beam.CombinePerKey(_Merge())
