"""Find tables by their ruling lines, with the rules of pdfplumber.table (after Nurminen 2013, "Algorithmic extraction of data in tables in
PDF documents"). The edges come from PDFium, so that no page is parsed twice."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable
from operator import itemgetter
from typing import Final

import numpy as np
from numpy.typing import NDArray

from pdfmill.schemas.records import RuledTable

Box = tuple[float, float, float, float]
Point = tuple[float, float]
#: Position of an edge across its direction, and its start and end along it.
Edge = tuple[float, float, float]
#: Points where edges meet, with the indices of the vertical and of the horizontal edges.
Crossings = dict[Point, tuple[set[int], set[int]]]

#: Distance, points, within which edges are merged, meet, or are joined end to end: pdfplumber's defaults.
_SNAP: Final = 3.0
_JOIN: Final = 3.0
_MEET: Final = 3.0
#: Smallest length of an edge, points; shorter ones are no cell borders.
_MIN_LENGTH: Final = 3.0
#: Smallest number of cells of a table; a single cell is a frame.
_MIN_CELLS: Final = 2
#: Crossings of a page beyond which it is a chart or hatching, because tables have fewer.
_MAX_CROSSINGS: Final = 2000


def find_ruled_tables(edges: NDArray[np.float32], max_edges: int) -> list[RuledTable]:
    """Return the tables formed by horizontal and vertical edges (x0, top, x1, bottom; points); none if there are more than `max_edges`."""
    if not _may_cross(edges) or len(edges) > max_edges:
        return []
    boxes: list[Box] = edges.tolist()
    down = merge_edges((x0, top, bottom) for x0, top, _, bottom in boxes if top != bottom)
    crossings = _crossings(down, merge_edges((top, x0, x1) for x0, top, x1, bottom in boxes if top == bottom))
    if len(crossings) > _MAX_CROSSINGS:
        return []
    tables = [_table(group) for group in _touching(_cells(crossings)) if len(group) >= _MIN_CELLS]
    return [table for table in tables if len(table.rows) > 1 or len(table.rows[0]) > 1]


def merge_edges(edges: Iterable[Edge]) -> list[Edge]:
    """Move parallel edges that are near each other to their mean position, join those that nearly touch, drop short ones, and sort them."""
    near: list[list[Edge]] = []
    for edge in sorted(edges):
        if near and edge[0] <= near[-1][-1][0] + _SNAP:
            near[-1].append(edge)
        else:
            near.append([edge])
    joined: list[Edge] = []
    for group in near:
        mean = sum(map(itemgetter(0), group)) / len(group)
        for position, start, end in sorted((position + (mean - position), start, end) for position, start, end in group):
            if joined and joined[-1][0] == position and start <= joined[-1][2] + _JOIN:
                joined[-1] = (position, joined[-1][1], max(joined[-1][2], end))
            else:
                joined.append((position, start, end))
    return [edge for edge in joined if edge[2] - edge[1] >= _MIN_LENGTH]


def _crossings(down: list[Edge], across: list[Edge]) -> Crossings:
    tops, lefts, rights = np.array(across, np.float64).reshape(-1, 3).T
    found: Crossings = {}
    for n, (x, top, bottom) in enumerate(down):
        meets = (top <= tops + _MEET) & (bottom >= tops - _MEET) & (x >= lefts - _MEET) & (x <= rights + _MEET)
        for k in np.flatnonzero(meets).tolist():
            vertical, horizontal = found.setdefault((x, float(tops[k])), (set(), set()))
            vertical.add(n)
            horizontal.add(k)
    return found


def _cells(crossings: Crossings) -> list[Box]:
    """Return, for each crossing at which a cell has its top left corner, the smallest such cell, ordered by left and top side."""
    below: dict[float, list[float]] = {}
    beside: dict[float, list[float]] = {}
    for x, y in sorted(crossings):
        below.setdefault(x, []).append(y)
        beside.setdefault(y, []).append(x)
    return [cell for point in sorted(crossings) if (cell := _smallest(point, below[point[0]], beside[point[1]], crossings)) is not None]


def _smallest(point: Point, ys: list[float], xs: list[float], crossings: Crossings) -> Box | None:
    """Return the smallest cell whose top left corner is `point`, or None. ys, xs: crossings in the point's column and row, ascending."""
    x, y = point
    vertical, horizontal = crossings[point]
    right = [(far, crossings[far, y][0]) for far in xs[bisect_right(xs, x) :] if horizontal & crossings[far, y][1]]
    for low in ys[bisect_right(ys, y) :]:
        if not vertical & crossings[x, low][0]:
            continue
        foot = crossings[x, low][1]
        for far, side in right:
            corner = crossings.get((far, low))
            if corner is not None and side & corner[0] and foot & corner[1]:
                return x, y, far, low
    return None


def _touching(cells: list[Box]) -> list[list[Box]]:
    """Group cells that share corners, directly or by other cells. Groups are ordered by their top left cells."""
    at: dict[Point, list[int]] = {}
    for n, (x0, top, x1, bottom) in enumerate(cells):
        for corner in ((x0, top), (x0, bottom), (x1, top), (x1, bottom)):
            at.setdefault(corner, []).append(n)
    group = [-1] * len(cells)
    for first in range(len(cells)):
        waiting = [first] if group[first] < 0 else []
        while waiting:
            n = waiting.pop()
            if group[n] >= 0:
                continue
            group[n] = first
            x0, top, x1, bottom = cells[n]
            waiting += [m for corner in ((x0, top), (x0, bottom), (x1, top), (x1, bottom)) for m in at.pop(corner, []) if group[m] < 0]
    members: dict[int, list[Box]] = {}
    for n, cell in enumerate(cells):
        members.setdefault(group[n], []).append(cell)
    return sorted(members.values(), key=lambda found: min((cell[1], cell[0]) for cell in found))


def _may_cross(edges: NDArray[np.float32]) -> bool:
    """Return whether there are at least two edges in each direction and a pair that meets: a fast check before the search."""
    flat = edges[:, 1] == edges[:, 3]
    across, down = edges[flat], edges[~flat]
    if len(across) < 2 or len(down) < 2:
        return False
    x, y = down[:, 0], across[:, 1]
    meets = (
        (across[:, :1] <= x + _MEET)
        & (across[:, 2:3] >= x - _MEET)
        & (down[:, 1] <= y[:, None] + _MEET)
        & (down[:, 3] >= y[:, None] - _MEET)
    )
    return bool(meets.any())


def _table(cells: list[Box]) -> RuledTable:
    """Build a table with a row for each top side and a column for each left side of its cells. Covered positions are None."""
    lefts = sorted({cell[0] for cell in cells})
    by_top: dict[float, dict[float, Box]] = {}
    for cell in cells:
        by_top.setdefault(cell[1], {})[cell[0]] = cell
    rows = [[by_top[top].get(left) for left in lefts] for top in sorted(by_top)]
    return RuledTable(min(c[0] for c in cells), min(c[1] for c in cells), max(c[2] for c in cells), max(c[3] for c in cells), rows)
