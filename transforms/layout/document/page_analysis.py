"""A page's lines with data derived from them: their coordinates in reading direction, text styles, neighbours, spacing, tables.
Each is computed once."""

from __future__ import annotations

from collections import Counter
from functools import cached_property
from itertools import pairwise
from typing import Final

import numpy as np
from numpy.typing import NDArray

from pdfmill.schemas.records import PageLines, TextLine
from pdfmill.schemas.statistics import Look, median
from pdfmill.transforms.layout.page.charts import Chart, find_charts
from pdfmill.transforms.layout.page.columns import split_lines
from pdfmill.transforms.layout.page.line_frame import Frame, Ints, read_frame
from pdfmill.transforms.layout.page.neighbours import Neighbours, find_neighbours
from pdfmill.transforms.layout.page.patterns import ending_number, names_contents
from pdfmill.transforms.layout.page.text_style import line_looks
from pdfmill.transforms.layout.settings.layout_settings import LayoutSettings
from pdfmill.transforms.layout.tables.find import TableFinder
from pdfmill.transforms.layout.tables.model import Table

#: Points; smallest type size used, because type in damaged files may have no size.
_LEAST_SIZE: Final = 0.1


class PageView:
    """A page's lines with data derived from them, each computed at first use."""

    def __init__(self, page: PageLines, settings: LayoutSettings) -> None:
        self.page = page = split_lines(page, settings)
        self.settings = settings
        self.frame: Frame = read_frame(page)
        #: index on the page of each line of the frame
        self.index: list[int] = self.frame.index.tolist()
        self._lines: list[TextLine] = [page.lines[i] for i in self.index]
        self.texts: list[str] = [line.text for line in self._lines]
        self.looks: list[Look] = line_looks(self._lines, page.styles)
        self.neighbours: Neighbours = find_neighbours(self.frame, settings)
        self.main_size = self._main_size()
        self.group_spacing = self._group_spacing()

    @property
    def heads_contents(self) -> bool:
        """Whether a table of contents begins at the top of the page."""
        return self.contents_head >= 0

    @cached_property
    def contents_head(self) -> int:
        """The position of a line at the top that names a table of contents, if the page numbers at the ends of lines ascend; else -1."""
        frame, settings = self.frame, self.settings
        tops = np.flatnonzero(frame.baseline < settings.contents_head * frame.height).tolist()
        head = next((k for k in tops if names_contents(self.texts[k])), -1)
        if head < 0:
            return head
        ends = [(frame.baseline[k], ended) for k in range(len(frame)) if (ended := ending_number(self.texts[k])) is not None]
        arabic = [number for _, (number, roman) in sorted(ends, key=lambda end: float(end[0])) if not roman]
        falls = sum(a > b for a, b in pairwise(arabic))
        return head if len(ends) >= settings.contents_lines and falls * settings.contents_lines <= len(arabic) else -1

    @cached_property
    def chars(self) -> Ints:
        """The number of characters of each line, int64[n]."""
        return np.array([len(text) for text in self.texts], np.int64)

    @cached_property
    def word_gaps(self) -> NDArray[np.float32]:
        """The horizontal gap between each word and the next, float32[words - 1], points; negative if they overlap."""
        boxes = self.page.word_boxes
        gaps: NDArray[np.float32] = np.maximum(boxes[1:, 0] - boxes[:-1, 2], boxes[:-1, 0] - boxes[1:, 2])
        return gaps

    @cached_property
    def charts(self) -> list[Chart]:
        """The charts of the page, whose labels are in no paragraph and no table."""
        return find_charts(self.page, self.frame)

    @cached_property
    def labels(self) -> frozenset[int]:
        """The indices of the page's lines that are labels of charts, without tables of numbers in charts."""
        if not self.charts:
            return frozenset()
        tabled = {line for table in self.evident_tables for line in table.lines}
        return frozenset(line for chart in self.charts for line in chart.lines if line not in tabled)

    @cached_property
    def table_finder(self) -> TableFinder:
        """The object that finds the page's tables."""
        return TableFinder(
            self.page, self.frame, self.settings, contents=self.heads_contents, charts=[chart.lines for chart in self.charts]
        )

    @cached_property
    def evident_tables(self) -> list[Table]:
        """The tables that can be found before the document's style is known."""
        return self.table_finder.evident()

    @cached_property
    def ruled(self) -> frozenset[int]:
        """The indices of the page's lines that are in a chart, or in a table found before the document's style is known."""
        return self.labels.union(line for table in self.evident_tables for line in table.lines)

    def line(self, position: int) -> TextLine:
        """Return the line at this position in `frame`."""
        return self._lines[position]

    def _main_size(self) -> float:
        chars: Counter[float] = Counter()
        for text, look in zip(self.texts, self.looks, strict=True):
            chars[look.size] += len(text)
        return max(chars, key=lambda size: (chars[size], size)) if chars else 0.0

    def _group_spacing(self) -> float:
        """Return the largest distance of baselines within a group of lines, em, which is larger on double-spaced pages."""
        settings = self.settings
        main = self.frame.size == self.main_size
        gaps = self.neighbours.gap_below[main & np.isfinite(self.neighbours.gap_below)] / max(self.main_size, _LEAST_SIZE)
        gaps = gaps[gaps <= settings.spacing_limit]
        if len(gaps) < settings.double_lines:
            return settings.group_spacing
        usual = median(gaps.tolist())
        uniform = 2 * np.count_nonzero(np.abs(gaps - usual) < settings.same_size * usual) > len(gaps)
        return max(settings.group_spacing, settings.heading_gap * usual) if uniform else settings.group_spacing

    def share_font(self, a: int, b: int) -> bool:
        """Return whether two lines, by their positions in `frame`, have a font style in common."""
        one, two = self._lines[a].spans, self._lines[b].spans
        if len(one) == len(two) == 1:
            return one[0][1] == two[0][1]
        return not {s for _, s in one}.isdisjoint(s for _, s in two)


def view_of(page: PageLines | PageView, settings: LayoutSettings) -> PageView:
    """Return the page's view: `page` itself if it is one, else a new one."""
    return page if isinstance(page, PageView) else PageView(page, settings)
