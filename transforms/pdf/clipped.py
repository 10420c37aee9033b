"""Text that the clipping path keeps off the page (ISO 32000-2 §8.5.4).

Asked of each text object; nearly all clips are rectangles around what they show, so first two opposite corners are looked at, and
only where these leave a glyph outside all points. A glyph is clipped when its box lies outside the box of one of the paths.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import repeat
from typing import Final

import numpy as np
from numpy.typing import NDArray

from schemas.glyphs import GlyphFlag, Glyphs
from transforms.pdf import calls
from transforms.pdf.loops import CLIP_PATHS, OBJECT_CLIP, of_objects
from transforms.pdf.space import PageSpace

Floats = NDArray[np.float32]

#: Clipping paths of one object that are looked at, and segments of one; longer ones are drawings.
_MAX_PATHS: Final = 8
_RECTANGLE: Final = (4, 6)
_MAX_SEGMENTS: Final = 200


def mark_clipped(glyphs: Glyphs, handles: list[int], page: int, space: PageSpace) -> None:
    """Set `CLIPPED` on glyphs wholly outside a clipping path, in place; text in forms is left alone (its clips are in the form's space).

    handles: text object of each run. page: PDFium's handle.
    """
    found = of_objects(OBJECT_CLIP, np.array(handles, np.uint64), np.zeros(len(handles), np.uint64))
    counts = of_objects(CLIP_PATHS, found, np.zeros(len(handles), np.int32))
    runs = np.flatnonzero((counts > 0) & (counts <= _MAX_PATHS))
    if not len(runs):
        return
    clips = found.tolist()
    pairs = [(run, path) for run in runs.tolist() for path in range(counts[run])]
    corners = np.array([_corners(clips[run], path) for run, path in pairs], np.float32)
    owners = np.array([run for run, _ in pairs], np.int64)
    suspects = _outside(glyphs, owners, corners, space)
    if not suspects:
        return
    own = set(map(calls.get_object, repeat(page), range(calls.count_objects(page))))
    suspects = [pair for pair in suspects if handles[owners[pair]] in own]
    whole = np.array([_box(clips[pairs[pair][0]], pairs[pair][1]) for pair in suspects], np.float32).reshape(-1, 4)
    _outside(glyphs, owners[suspects], whole, space, mark=True)


def _outside(glyphs: Glyphs, owners: NDArray[np.int64], boxes: Floats, space: PageSpace, *, mark: bool = False) -> list[int]:
    """Which of the boxes (left, bottom, right, top in user space) leave a glyph of their run outside; marks these glyphs."""
    if not len(boxes):
        return []
    shown = space.boxes(boxes[:, 0], boxes[:, 1], boxes[:, 2], boxes[:, 3])
    first = np.searchsorted(glyphs.run, owners)
    last = np.searchsorted(glyphs.run, owners, side="right")
    kept = last > first
    low, high = np.zeros((len(owners), 2), np.float32), np.zeros((len(owners), 2), np.float32)
    for column, (near, far) in enumerate(((glyphs.x0, glyphs.x1), (glyphs.top, glyphs.bottom))):
        bounds = np.stack((first, last), axis=1).ravel()  # one cell more, for `reduceat` takes no end beyond the last
        low[:, column] = np.minimum.reduceat(np.append(far, 0), bounds)[::2]
        high[:, column] = np.maximum.reduceat(np.append(near, 0), bounds)[::2]
    touched = kept & ((low <= shown[:, :2]) | (high >= shown[:, 2:])).any(axis=1)
    found: list[int] = np.flatnonzero(touched).tolist()
    for pair in found if mark else ():
        part, box = slice(int(first[pair]), int(last[pair])), shown[pair]
        gone = (glyphs.x1[part] <= box[0]) | (glyphs.x0[part] >= box[2]) | (glyphs.bottom[part] <= box[1]) | (glyphs.top[part] >= box[3])
        glyphs.flags[part][gone] |= np.uint8(GlyphFlag.CLIPPED)
    return found


def _corners(clip: int, path: int) -> tuple[float, float, float, float]:
    """Two opposite corners of a rectangle; an endless box for anything else that is not looked at."""
    segments = calls.clip_count_segments(clip, path)
    if _RECTANGLE[0] <= segments <= _RECTANGLE[1]:
        (x0, y0), (x1, y1) = _point(clip, path, 0), _point(clip, path, 2)
        return min(x0, x1), min(y0, y1), max(x0, x1), max(y0, y1)
    return _box(clip, path)


def _box(clip: int, path: int) -> tuple[float, float, float, float]:
    """The box of all points of a path, control points of curves too."""
    segments = calls.clip_count_segments(clip, path)
    if not 0 < segments <= _MAX_SEGMENTS:
        return _ENDLESS
    xs, ys = zip(*_points(clip, path, segments), strict=True)
    return min(xs), min(ys), max(xs), max(ys)


def _points(clip: int, path: int, segments: int) -> Iterator[tuple[float, float]]:
    for index in range(segments):
        yield _point(clip, path, index)


def _point(clip: int, path: int, index: int) -> tuple[float, float]:
    calls.segment_point(calls.clip_segment(clip, path, index), _X, _Y)
    return float(_POINT[0]), float(_POINT[1])


_POINT: Final = np.zeros(2, np.float32)
_X, _Y = _POINT.ctypes.data, _POINT.ctypes.data + 4
_ENDLESS: Final = (-1e9, -1e9, 1e9, 1e9)
