"""Detect text outside the clipping path, which viewers do not show (ISO 32000-2 §8.5.4).
A glyph is clipped if it lies outside the bounding box of a clipping path; nearly all are rectangles, read by two corners."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pdfmill.schemas.glyphs import GlyphFlag, Glyphs
from pdfmill.transforms.pdf.open import pdfium_api as calls
from pdfmill.transforms.pdf.open.pdfium_api import CLIP_PATHS, OBJECT_CLIP, of_objects
from pdfmill.transforms.pdf.text.graphics import FormTexts, Matrix
from pdfmill.transforms.pdf.text.user_space import PageSpace

Floats = NDArray[np.float32]
Box = tuple[float, float, float, float]

#: Largest number of clipping paths of one object that are examined.
_MAX_PATHS: Final = 8
#: Least and greatest number of segments of a path that is taken as a rectangle.
_RECTANGLE: Final = (4, 6)
#: Largest number of segments of one path; a longer one is a drawing.
_MAX_SEGMENTS: Final = 200
#: Share of the page. A path that contains more only trims the page for printing, and text in the margins outside of it is kept.
_TRIMMED: Final = 0.8


def mark_clipped(glyphs: Glyphs, handles: list[int], form_texts: Sequence[FormTexts], space: PageSpace) -> None:
    """Set the flag `CLIPPED` on glyphs that lie completely outside a clipping path, in place.
    handles: PDFium's handles of the text objects; `Glyphs.run` has each glyph's index in this list. form_texts: text objects in forms."""
    clips = _clips(handles, form_texts)
    if not clips:
        return
    paths = _Paths()
    corners = np.array([paths.corners(each) for each in clips], np.float32)
    owners = np.array([each.run for each in clips], np.int64)
    if suspects := _outside(glyphs, owners, corners, space):
        whole = np.array([paths.box(clips[pair]) for pair in suspects], np.float32).reshape(-1, 4)
        _outside(glyphs, owners[suspects], whole, space, mark=True)


class _Clip(NamedTuple):
    """A clipping path that applies to a run (the glyphs of one text object). clip: PDFium's handle of the object's clipping paths. path:
    index among them. matrix: from the path's space to user space; None if it is user space."""

    run: int  # index of the run
    clip: int  # PDFium's handle of the object's clipping paths
    path: int  # index of this path within them
    matrix: Matrix | None  # from its space to user space; None if its space is user space


def _clips(handles: list[int], form_texts: Sequence[FormTexts]) -> list[_Clip]:
    """Return the clipping paths that apply to each run (the glyphs of one text object): its own and those of the forms that contain it.
    Objects with more than `_MAX_PATHS` paths are left out."""
    form_of = {handle: texts for texts in form_texts for handle in texts.handles}
    found = _paths(handles, [(texts.matrix if (texts := form_of.get(handle)) else None) for handle in handles] if form_of else [])
    if form_of:
        inside = [(run, texts.forms) for run, handle in enumerate(handles) if (texts := form_of.get(handle))]
        around = {form: _paths([form], [matrix]) for _, forms in inside for form, matrix in forms}
        found += [clip._replace(run=run) for run, forms in inside for form, _ in forms for clip in around[form]]
    return found


def _paths(objects: list[int], matrices: Sequence[Matrix | None]) -> list[_Clip]:
    clips = of_objects(OBJECT_CLIP, np.array(objects, np.uint64), np.zeros(len(objects), np.uint64))
    counts = of_objects(CLIP_PATHS, clips, np.zeros(len(objects), np.int32))
    runs = ((counts > 0) & (counts <= _MAX_PATHS)).nonzero()[0].tolist()
    return [_Clip(run, int(clips[run]), path, matrices[run] if matrices else None) for run in runs for path in range(counts[run])]


def _outside(glyphs: Glyphs, owners: NDArray[np.int64], boxes: Floats, space: PageSpace, *, mark: bool = False) -> list[int]:
    """Return the indices of the boxes whose run has a glyph that lies completely outside the box.
    owners: int64[boxes], the run of each box. boxes: float32[boxes, 4], left, bottom, right, top in user space. mark: set `CLIPPED`."""
    if not len(boxes):
        return []
    shown = space.boxes(boxes[:, 0], boxes[:, 1], boxes[:, 2], boxes[:, 3])
    shown[_trims(shown, space)] = _ENDLESS
    first = np.searchsorted(glyphs.run, owners)
    last = np.searchsorted(glyphs.run, owners, side="right")
    kept = last > first
    low, high = np.zeros((len(owners), 2), np.float32), np.zeros((len(owners), 2), np.float32)
    for column, (near, far) in enumerate(((glyphs.x0, glyphs.x1), (glyphs.top, glyphs.bottom))):
        bounds = np.stack((first, last), axis=1).ravel()  # one cell is added, because `reduceat` accepts no index after the last
        low[:, column] = np.minimum.reduceat(np.append(far, 0), bounds)[::2]
        high[:, column] = np.maximum.reduceat(np.append(near, 0), bounds)[::2]
    touched = kept & ((low <= shown[:, :2]) | (high >= shown[:, 2:])).any(axis=1)
    found: list[int] = touched.nonzero()[0].tolist()
    for pair in found if mark else ():
        part, box = slice(int(first[pair]), int(last[pair])), shown[pair]
        gone = (glyphs.x1[part] <= box[0]) | (glyphs.x0[part] >= box[2]) | (glyphs.bottom[part] <= box[1]) | (glyphs.top[part] >= box[3])
        glyphs.flags[part][gone] |= GlyphFlag.CLIPPED
    return found


def _trims(shown: Floats, space: PageSpace) -> NDArray[np.bool_]:
    """Return bool[n]: whether each of the boxes contains nearly the whole page. shown: float32[n, 4], boxes on the displayed page."""
    width, height = space.size
    across = np.minimum(shown[:, 2], width) - np.maximum(shown[:, 0], 0)
    down = np.minimum(shown[:, 3], height) - np.maximum(shown[:, 1], 0)
    trims: NDArray[np.bool_] = np.maximum(across, 0) * np.maximum(down, 0) >= _TRIMMED * width * height
    return trims


class _Paths:
    """A cache of the boxes of clipping paths. Objects with the same clipping path share its handle in PDFium."""

    def __init__(self) -> None:
        self._known: dict[tuple[int, int, bool], list[tuple[float, float]]] = {}

    def corners(self, clip: _Clip) -> Box:
        """Return the bounding box of a path (left, bottom, right, top; user space), of a rectangle by two opposite corners."""
        segments = calls.clip_count_segments(clip.clip, clip.path)
        if clip.matrix is None and _RECTANGLE[0] <= segments <= _RECTANGLE[1]:
            (x0, y0), (x1, y1) = self._points(clip, segments, whole=False)
            return min(x0, x1), min(y0, y1), max(x0, x1), max(y0, y1)
        return self.box(clip)

    def box(self, clip: _Clip) -> Box:
        """Return the bounding box of all points of a path as left, bottom, right, top in user space; infinite for too many segments."""
        segments = calls.clip_count_segments(clip.clip, clip.path)
        if not 0 < segments <= _MAX_SEGMENTS:
            return _ENDLESS
        points = self._points(clip, segments, whole=True)
        xs, ys = zip(*points, strict=True) if clip.matrix is None else (np.array(points) @ clip.matrix[:2] + clip.matrix[2]).T.tolist()
        return min(xs), min(ys), max(xs), max(ys)

    def _points(self, clip: _Clip, segments: int, *, whole: bool) -> list[tuple[float, float]]:
        """Return the points of a path in its own space; if not `whole`, only two opposite corners of a rectangle."""
        first = calls.clip_segment(clip.clip, clip.path, 0)
        key = first, segments, whole
        if (known := self._known.get(key)) is None:
            wanted = range(1, segments) if whole else (2,)
            known = [_point(first), *(_point(calls.clip_segment(clip.clip, clip.path, index)) for index in wanted)]
            self._known[key] = known
        return known


def _point(segment: int) -> tuple[float, float]:
    calls.segment_point(segment, _X, _Y)
    return float(_POINT[0]), float(_POINT[1])


_POINT: Final = np.zeros(2, np.float32)
_X, _Y = _POINT.ctypes.data, _POINT.ctypes.data + 4
_ENDLESS: Final = (-1e9, -1e9, 1e9, 1e9)
