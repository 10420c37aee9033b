"""Find the lines above, below and beside each line by overlap of their boxes; text styles are not used."""

from __future__ import annotations

from functools import cached_property
from typing import Any, Final, NamedTuple

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from pdfmill.schemas.compiled import fastest
from pdfmill.transforms.layout.page.line_frame import Floats, Frame, Ints
from pdfmill.transforms.layout.settings.layout_settings import DEFAULTS, LayoutSettings

_LOOPS: Final[Any] = fastest("pdfmill.transforms.layout.page.neighbour_loops")


#: Smallest width and height of a line, points.
_LEAST: Final = 0.1


class NeighbourLists(NamedTuple):
    """The columns of `Neighbours` as Python lists, for loops over single lines, in which numpy scalars are slow."""

    above: list[int]
    below: list[int]
    gap_above: list[float]
    gap_below: list[float]
    before: list[int]
    after: list[int]
    margin: list[float]
    limit: list[float]


class Neighbours(Struct, frozen=True, dict=True):
    """The neighbours of the n lines of a page, as indices and distances of baselines in points; -1 or nan if there is none. margin, limit:
    start and end of the column around each line, points."""

    above: Ints  # index of the nearest line above that overlaps horizontally
    below: Ints  # index of the nearest line below that overlaps horizontally
    gap_above: Floats  # distance of the baselines, points
    gap_below: Floats  # distance of the baselines, points
    before: Ints  # index of the nearest line to the left on the same row
    after: Ints  # index of the nearest line to the right on the same row
    margin: Floats  # start of the column around the line (a low quantile of the starts of overlapping lines), points
    limit: Floats  # end of the column (a high quantile of their ends), points

    @cached_property
    def lists(self) -> NeighbourLists:
        """The columns of this object as Python lists."""
        columns = (self.above, self.below, self.gap_above, self.gap_below, self.before, self.after, self.margin, self.limit)
        return NeighbourLists(*(values.tolist() for values in columns))


def find_neighbours(frame: Frame, settings: LayoutSettings = DEFAULTS) -> Neighbours:
    """Return the neighbours of all lines. On pages of more than `settings.max_pairs_lines` lines, only lines at similar height are
    compared, because the time grows with the square of their number."""
    n, most = len(frame), settings.max_pairs_lines
    if n <= most:
        return _find(frame, settings)
    order = np.argsort(frame.baseline, kind="stable")
    slices = [order[first : first + most] for first in range(0, n, most)]
    return _spread([_find(_sub_frame(frame, part), settings) for part in slices], slices, n)


def _sub_frame(frame: Frame, part: Ints) -> Frame:
    columns = {name: getattr(frame, name)[part] for name in ("index", "start", "end", "top", "bottom", "baseline", "size")}
    return replace(frame, **columns)


def _spread(found: list[Neighbours], slices: list[Ints], n: int) -> Neighbours:
    """Convert the neighbours of lines in slices of the page to those of the whole page. n: number of all lines."""

    def lines(columns: list[Ints]) -> Ints:
        values = np.full(n, -1, np.int64)
        for own, part in zip(columns, slices, strict=True):
            values[part] = np.where(own >= 0, part[own], -1)
        return values

    def places(columns: list[Floats]) -> Floats:
        values = np.zeros(n, np.float64)
        for own, part in zip(columns, slices, strict=True):
            values[part] = own
        return values

    return Neighbours(
        above=lines([f.above for f in found]),
        below=lines([f.below for f in found]),
        gap_above=places([f.gap_above for f in found]),
        gap_below=places([f.gap_below for f in found]),
        before=lines([f.before for f in found]),
        after=lines([f.after for f in found]),
        margin=places([f.margin for f in found]),
        limit=places([f.limit for f in found]),
    )


def _find(frame: Frame, settings: LayoutSettings) -> Neighbours:
    n = len(frame)
    if n == 0:
        none, empty = np.zeros(0, np.int64), np.zeros(0)
        return Neighbours(none, none, empty, empty, none, none, empty, empty)
    start, end, top, bottom, baseline, size = (
        np.ascontiguousarray(column, np.float64) for column in (frame.start, frame.end, frame.top, frame.bottom, frame.baseline, frame.size)
    )
    width = np.maximum(end - start, _LEAST)
    above, below, before, after = np.full((4, n), -1, np.int64)
    _LOOPS.nearest_lines(
        start, end, width, top, bottom, np.maximum(bottom - top, _LEAST), baseline, size,
        settings.neighbour_overlap, settings.same_row, settings.neighbour_lower, settings.edge_slack,
        above, below, before, after,
    )  # fmt: skip
    margin, limit = np.empty(n), np.empty(n)
    for values, share, found in ((start, settings.margin_share, margin), (end, 1 - settings.margin_share, limit)):
        _LOOPS.column_edges(start, end, width, values, np.argsort(values, kind="stable"), settings.column_overlap, share, found)
    return Neighbours(
        above=above,
        below=below,
        gap_above=np.where(above >= 0, baseline - baseline[above], np.nan),
        gap_below=np.where(below >= 0, baseline[below] - baseline, np.nan),
        before=before,
        after=after,
        margin=margin,
        limit=limit,
    )
