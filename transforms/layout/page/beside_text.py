"""Find the pictures, tables and lines of other parts beside the lines of a column part."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence

import numpy as np

from pdfmill.transforms.layout.page.line_frame import Floats, Frame, Ints


class BesideText:
    """An index of a page's pictures and lines by left edge, so that each of many parts looks only at its share."""

    def __init__(self, frame: Frame, lines: Ints, pictures: Floats) -> None:
        """lines: int[n], positions in the frame. pictures: boxes of the frame, float64[m, 4]."""
        self._at, self._pictures = frame.lists, pictures
        self._lines = sorted(lines.tolist(), key=self._at.start.__getitem__)
        self._starts = [self._at.start[k] for k in self._lines]

    def of(self, part: Sequence[int]) -> Floats:
        """float64[k, 4]: the pictures, and the lines that begin within the part's width and do not belong to it, in order."""
        at = self._at
        first = bisect_right(self._starts, min(at.start[k] for k in part))
        last = bisect_left(self._starts, max(at.end[k] for k in part))
        inside = sorted(set(self._lines[first:last]).difference(part))
        if not inside:
            return self._pictures
        boxes = np.array([(at.start[k], at.top[k], at.end[k], at.bottom[k]) for k in inside])
        return np.concatenate([self._pictures, boxes]) if len(self._pictures) else boxes
