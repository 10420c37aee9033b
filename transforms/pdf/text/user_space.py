"""Convert positions in PDF user space to the displayed page, by crop box, rotation and user unit (ISO 32000-2 §8.3.2.3, §14.11.2)."""

from __future__ import annotations

from typing import Final, TypeVar

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

# Limit coordinates that are on no page: a matrix of 10^30 puts text beyond the precision of numbers, or to NaN.


Numbers = TypeVar("Numbers", bound=NDArray[np.floating])

#: Largest absolute coordinate, points, and factor of a matrix. A page has at most 14,400 points (ISO 32000-2 Annex C), and squares of this
#: number still have useful single precision.
FARTHEST: Final = 1e6


def bounded(numbers: Numbers) -> Numbers:
    """Limit numbers to the range from -`FARTHEST` to `FARTHEST`, in place, and return them; NaN becomes 0."""
    if numbers.size and not (numbers.max() <= FARTHEST and numbers.min() >= -FARTHEST):  # true also if a number is NaN
        np.clip(np.nan_to_num(numbers, copy=False, nan=0.0, posinf=FARTHEST, neginf=-FARTHEST), -FARTHEST, FARTHEST, out=numbers)
    return numbers


Floats = NDArray[np.float32]


class PageSpace(Struct, frozen=True):
    """The part of user space that a page displays."""

    box: tuple[float, float, float, float]  # left, bottom, right, top
    rotation: int = 0  # clockwise degrees
    scale: float = 1.0  # points per unit

    @property
    def size(self) -> tuple[float, float]:
        """The width and height of the displayed page, points."""
        left, bottom, right, top = self.box
        width, height = (right - left) * self.scale, (top - bottom) * self.scale
        return (height, width) if self.rotation % 180 else (width, height)

    def points(self, x: Floats, y: Floats) -> tuple[Floats, Floats]:
        """Convert positions in user space to the displayed page. Return x and y in points, from the top left."""
        (left, bottom, right, top), scale = self.box, self.scale
        if self.rotation == 90:
            return (y - bottom) * scale, (x - left) * scale
        if self.rotation == 180:
            return (right - x) * scale, (y - bottom) * scale
        if self.rotation == 270:
            return (top - y) * scale, (right - x) * scale
        return (x - left) * scale, (top - y) * scale

    def boxes(self, left: Floats, bottom: Floats, right: Floats, top: Floats) -> Floats:
        """Convert boxes in user space to the displayed page. Return float32[n, 4]: x0, top, x1, bottom in points."""
        x0, y0 = self.points(left, bottom)
        x1, y1 = self.points(right, top)
        boxes = np.empty((len(x0), 4), np.float32, order="F")  # stored by column, because columns are used
        for column, (least, other) in enumerate(((x0, x1), (y0, y1))):
            np.minimum(least, other, out=boxes[:, column])
            np.maximum(least, other, out=boxes[:, column + 2])
        return boxes

    def angles(self, dx: Floats, dy: Floats) -> NDArray[np.int16]:
        """Convert directions (dx, dy) in user space to the displayed page. Return int16[n], clockwise degrees from 0 to 359."""
        degrees = np.rint(-np.degrees(np.arctan2(dy, dx))).astype(np.int64) + self.rotation
        return (degrees % 360).astype(np.int16)
