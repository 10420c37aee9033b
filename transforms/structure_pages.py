"""The one join of pages with their document's style; text lines to rows of `pages` and `blocks`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain
from typing import Final, TypedDict

import apache_beam as beam

from schemas.records import PageLines
from schemas.statistics import DocumentStyle
from transforms.display import ShowsSettings
from transforms.layout.settings import LayoutSettings
from transforms.metrics import StepMetrics
from transforms.packing import pack, unpack
from transforms.pages import page_rows
from transforms.read_pages import PageKey

PAGES: Final = "pages"
BLOCKS: Final = "blocks"


class _Joined(TypedDict):
    """What meets under a page key, packed: the `PageLines` of a range, first or further, and the one `DocumentStyle` cut to it."""

    first: Iterable[bytes]
    further: Iterable[bytes]
    styles: Iterable[bytes]


def _pack(key: PageKey, style: DocumentStyle) -> tuple[PageKey, bytes]:
    return key, pack(style)


def _unpack(packed: bytes) -> list[PageLines]:
    pages = unpack(packed)
    assert isinstance(pages, list)
    return pages


class _Structure(ShowsSettings, beam.DoFn):
    shown_settings = ("hyphens", "keep_furniture")  # what a flag sets; the rest are thresholds

    def __init__(self, settings: LayoutSettings) -> None:
        self._settings = settings
        self._metrics = StepMetrics("structure_pages")

    def process(self, element: tuple[PageKey, _Joined]) -> Iterator[object]:
        return self._metrics.measure(self._structure(element))

    def _structure(self, element: tuple[PageKey, _Joined]) -> Iterator[object]:
        (doc_id, _), joined = element
        (style,) = map(unpack, joined["styles"])
        assert isinstance(style, DocumentStyle)
        pages, blocks = [], []
        for page in chain.from_iterable(map(_unpack, chain(joined["first"], joined["further"]))):
            row, of_page = page_rows(doc_id, page, style, self._settings)
            pages.append(row)
            blocks.extend(of_page)
        yield beam.pvalue.TaggedOutput(PAGES, (doc_id, pages))
        yield beam.pvalue.TaggedOutput(BLOCKS, (doc_id, blocks))


class StructurePages(beam.PTransform[object, object]):
    """Tagged outputs: PAGES and BLOCKS, (doc_id, rows) for each page range."""

    def __init__(self, settings: LayoutSettings) -> None:
        super().__init__()
        self._settings = settings

    def expand(self, joined: dict[str, beam.PCollection[object]]) -> beam.pvalue.DoOutputsTuple:
        """Packed lines of `first` and `further` pages, and `styles`, by page key: at most a range of pages meets in one place."""
        packed = joined | {"styles": joined["styles"] | "Pack" >> beam.MapTuple(_pack)}
        return packed | beam.CoGroupByKey() | "Structure" >> beam.ParDo(_Structure(self._settings)).with_outputs(PAGES, BLOCKS)
