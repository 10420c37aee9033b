"""The one join of pages with their document's style; text lines to rows of `pages` and `blocks`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
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
    """What meets under a page key, packed: the `PageLines` of a range, and the one `DocumentStyle` cut to it."""

    pages: Iterable[bytes]
    styles: Iterable[bytes]


def _pack(key: PageKey, value: PageLines | DocumentStyle) -> tuple[PageKey, bytes]:
    return key, pack(value)


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
        unpacked = [page for page in map(unpack, joined["pages"]) if isinstance(page, PageLines)]
        pages, blocks = [], []
        for page in sorted(unpacked, key=lambda each: each.page):
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
        """`pages` and `styles`, both by page key: at most a range of pages meets in one place."""
        packed = {name: values | f"Pack {name}" >> beam.MapTuple(_pack) for name, values in joined.items()}
        return packed | beam.CoGroupByKey() | "Structure" >> beam.ParDo(_Structure(self._settings)).with_outputs(PAGES, BLOCKS)
