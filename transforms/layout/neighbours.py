"""Which lines stand next to a line? Above, below and beside it, by pairwise overlap of boxes (plain geometry, no style)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from transforms.layout.frame import Floats, Frame, Ints
from transforms.layout.settings import DEFAULTS, LayoutSettings


class NeighbourLists(NamedTuple):
    """The columns of `Neighbours` as plain numbers, see `transforms.layout.frame.LineLists`."""

    above: list[int]
    below: list[int]
    gap_above: list[float]
    gap_below: list[float]
    before: list[int]
    after: list[int]
    margin: list[float]
    limit: list[float]


@dataclass(frozen=True)
class Neighbours:
    """For each of n lines of a frame; -1 or nan where there is none.

    above, below: the nearest line that overlaps horizontally. gap_above, gap_below: baseline to baseline, points.
    before, after: the nearest line on the same row, in reading direction.
    margin, limit: where the column around the line starts and ends (a low and a high quantile of overlapping lines).
    """

    above: Ints
    below: Ints
    gap_above: Floats
    gap_below: Floats
    before: Ints
    after: Ints
    margin: Floats
    limit: Floats

    @cached_property
    def lists(self) -> NeighbourLists:
        """All columns as lists."""
        columns = (self.above, self.below, self.gap_above, self.gap_below, self.before, self.after, self.margin, self.limit)
        return NeighbourLists(*(values.tolist() for values in columns))


def _nearest(distance: Floats, allowed: NDArray[np.bool_]) -> Ints:
    masked = np.where(allowed, distance, np.inf)
    nearest = masked.argmin(axis=1)
    return np.where(np.isfinite(masked[np.arange(len(nearest)), nearest]), nearest, -1)


def _quantile_of_overlapping(values: Floats, overlapping: NDArray[np.bool_], share: float) -> Floats:
    """For each line the share-quantile of `values` over the lines that overlap it; every line overlaps itself."""
    order = np.argsort(values, kind="stable")
    counts = overlapping[:, order].cumsum(axis=1)
    wanted = np.maximum(1, np.ceil(counts[:, -1] * share))
    return np.asarray(values[order[(counts >= wanted[:, None]).argmax(axis=1)]])


def find_neighbours(frame: Frame, settings: LayoutSettings = DEFAULTS) -> Neighbours:
    """Neighbours of all lines. Beyond `settings.max_pairs_lines` lines only those of one slice of the page see each other: memory
    is the square of their number."""
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
    """Neighbours of slices as those of the page."""

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
    start, end, width = frame.start, frame.end, np.maximum(frame.end - frame.start, 0.1)
    overlap = np.minimum(end[:, None], end) - np.maximum(start[:, None], start)
    narrower = np.minimum(width[:, None], width)
    beside = overlap > settings.neighbour_overlap * narrower
    down = frame.baseline[None, :] - frame.baseline[:, None]
    height = np.maximum(frame.bottom - frame.top, 0.1)
    shared = np.minimum(frame.bottom[:, None], frame.bottom) - np.maximum(frame.top[:, None], frame.top)
    one_row = shared > settings.same_row * np.minimum(height[:, None], height)
    lower = (down > 0.25 * np.minimum(frame.size[:, None], frame.size)) & beside
    np.fill_diagonal(lower, False)
    below = _nearest(down, lower)
    above = _nearest(-down, lower.T)
    rows = np.arange(n)
    right = one_row & (start[None, :] >= end[:, None] - 1.0)
    np.fill_diagonal(right, False)
    after = _nearest(start[None, :] - end[:, None], right)
    before = _nearest(start[:, None] - end[None, :], right.T)
    column = overlap > 0.5 * narrower
    return Neighbours(
        above=above,
        below=below,
        gap_above=np.where(above >= 0, frame.baseline - frame.baseline[above], np.nan),
        gap_below=np.where(below >= 0, down[rows, below], np.nan),
        before=before,
        after=after,
        margin=_quantile_of_overlapping(start, column, 0.2),
        limit=_quantile_of_overlapping(end, column, 0.8),
    )
