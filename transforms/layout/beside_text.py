"""What may the lines of a column part stand beside: pictures, tables, lines of other parts?"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from transforms.layout.frame import Floats, Frame, Ints


class BesideText:
    """Pictures and lines of a page, found by where they begin: what each of many parts looks at is its share of them, not all."""

    def __init__(self, frame: Frame, lines: Ints, pictures: Floats) -> None:
        """lines: int[n], places in the frame. pictures: boxes of the frame, float64[m, 4]."""
        self._frame, self._pictures = frame, pictures
        self._boxes = np.stack([frame.start, frame.top, frame.end, frame.bottom], axis=1)
        self._lines = lines[np.argsort(frame.start[lines], kind="stable")]
        self._starts = frame.start[self._lines]

    def of(self, part: Sequence[int]) -> Floats:
        """float64[k, 4]: the pictures, and the lines that begin within the part's width and are none of its own, in their order."""
        own = np.array(part, np.int64)
        first = int(np.searchsorted(self._starts, self._frame.start[own].min(), side="right"))
        last = int(np.searchsorted(self._starts, self._frame.end[own].max(), side="left"))
        inside = np.setdiff1d(self._lines[first:last], own, assume_unique=True)
        return np.concatenate([self._pictures, self._boxes[np.sort(inside)]])
