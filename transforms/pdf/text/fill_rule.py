"""Determine which points a filled path covers (ISO 32000-2 §8.5.3.3); a frame's box contains its inside, its area does not."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from pdfmill.transforms.pdf.open.pdfium_api import (
    OBJECT_MATRIX,
    PATH_SEGMENT,
    PATH_SEGMENTS,
    SEGMENT_POINT,
    SEGMENT_TYPE,
    of_objects,
    of_parts,
)
from pdfmill.transforms.pdf.text.graphics import Painted
from pdfmill.transforms.pdf.text.user_space import PageSpace

Points = NDArray[np.float64]
Mask = NDArray[np.bool_]

#: Paths of more segments are drawings: nothing is said about what they paint.
_MAX_SEGMENTS: Final = 2_000
#: Straight pieces that a curve is asked by.
_PIECES: Final = 4
_CURVE, _MOVE = 1, 2
#: Corners of a rectangle closer to its box than this, points, are on it.
_ON_BOX: Final = 0.01


def paints(fills: Painted, which: int, space: PageSpace, x: Points, y: Points) -> Mask | None:
    """Return whether a fill covers each point of the displayed page; None if that would take too long. x, y: inside its box."""
    handle = int(fills.handles[which])
    count = int(of_objects(PATH_SEGMENTS, fills.handles[which : which + 1], np.zeros(1, np.int32))[0])
    if not 0 < count <= _MAX_SEGMENTS:
        return None
    segments = of_parts(PATH_SEGMENT, handle, np.arange(count, dtype=np.int32), np.zeros(count, np.uint64))
    kinds = of_objects(SEGMENT_TYPE, segments, np.zeros(count, np.int32))
    points = of_objects(SEGMENT_POINT, segments, np.zeros((count, 2), np.float32)).astype(np.float64)
    own = of_objects(OBJECT_MATRIX, fills.handles[which : which + 1], np.zeros((1, 6), np.float32)).astype(np.float64).reshape(3, 2)
    for matrix in (own, fills.matrix):
        points = points @ matrix[:2] + matrix[2]
    shown = np.stack(space.points(points[:, 0].astype(np.float32), points[:, 1].astype(np.float32)), axis=1).astype(np.float64)
    if _is_rectangle(shown, kinds):
        return np.ones(len(x), np.bool_)
    return _winds(_edges(shown, kinds), x, y, even_odd=bool(fills.even_odd[which]))


def _is_rectangle(points: Points, kinds: NDArray[np.int32]) -> bool:
    """Return whether it is one upright rectangle, the usual case."""
    if not 4 <= len(points) <= 5 or (kinds[1:] != 0).any():
        return False
    low, high = points.min(axis=0), points.max(axis=0)
    on_low, on_high = points - low < _ON_BOX, high - points < _ON_BOX
    turns = np.abs(np.diff(points[:4], axis=0)) < _ON_BOX
    return bool((on_low | on_high).all() and (turns.sum(axis=1) == 1).all() and (turns[0] != turns[1]).all())


def _edges(points: Points, kinds: NDArray[np.int32]) -> Points:
    """float64[n, 4]: from and to of the straight pieces of a path, curves by a few of them, every part closed."""
    found: list[tuple[Points, Points]] = []
    start = last = points[0]
    place = 0
    while place < len(points):
        here = points[place]
        if kinds[place] == _MOVE:
            found.append((last, start))
            start = here
        elif kinds[place] == _CURVE and place + 2 < len(points):
            control, here = points[place : place + 2], points[place + 2]
            for at in _curve(last, control[0], control[1], here):
                found.append((last, at))
                last = at
            place += 2
        else:
            found.append((last, here))
        last = here
        place += 1
    found.append((last, start))
    return np.array([(*one, *two) for one, two in found], np.float64)


def _curve(start: Points, first: Points, second: Points, end: Points) -> Points:
    """Points of a cubic curve after its start (§8.5.2.2)."""
    t = np.linspace(0, 1, _PIECES + 1)[1:, None]
    return np.asarray((1 - t) ** 3 * start + 3 * (1 - t) ** 2 * t * first + 3 * (1 - t) * t**2 * second + t**3 * end)


def _winds(edges: Points, x: Points, y: Points, *, even_odd: bool) -> Mask:
    """Return whether each point is inside, by the crossings of a ray to the right with the edges."""
    x0, y0, x1, y1 = edges[edges[:, 1] != edges[:, 3]].T
    up = (y0 <= y[:, None]) & (y[:, None] < y1)
    down = (y1 <= y[:, None]) & (y[:, None] < y0)
    beyond = x[:, None] < x0 + (y[:, None] - y0) / (y1 - y0) * (x1 - x0)
    winding = (up & beyond).sum(axis=1) - (down & beyond).sum(axis=1)
    inside: Mask = winding % 2 == 1 if even_odd else winding != 0
    return inside
