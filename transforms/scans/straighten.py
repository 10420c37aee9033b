"""Measure the skew of an image, and rotate it straight: at the right angle neighbouring rows of pixels differ most (Postl 1986; the
differential square sum is from Bloomberg, Kopec and Dasari 1995)."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import Final

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from pdfmill.transforms.scans.recognizers import Picture

Floats = NDArray[np.float32]


class StraightenSettings(Struct, frozen=True):
    """The angles that are tried to straighten an image, and thresholds. The comment of each field gives its unit."""

    width: int = 800  # pixels of the reduced image; a line of text keeps at least 3 rows
    strip: int = 32  # columns of the reduced image that are shifted together
    #: Of each pass: degrees around the best angle so far, and step.
    steps: tuple[tuple[float, float], ...] = ((5.0, 0.5), (0.5, 0.1), (0.1, 0.02))
    contrast: float = 0.3  # smallest share of white by which ink is darker than paper
    #: Ratio of sums of squares, on its side to upright, from which an image lies on its side; for text it is 6 and more.
    sideways: float = 1.5
    rough: tuple[float, float] = (5.0, 1.0)  # degrees around level, and step, for that test
    least: float = 0.05  # degrees, smallest skew that is corrected: half a pixel over half a page
    sharper: float = 1.02  # ratio to the sum of squares without rotation; a smaller one is no evidence


DEFAULTS: Final = StraightenSettings()
_WHITE: Final = 255


def find_turn(picture: Picture) -> float:
    """Return the skew of an image: degrees by which its lines of text fall to the right; 0 if there is no clear angle."""
    strips = _strips(picture)
    if strips.shape[0] < 2 or not strips.any():
        return 0.0
    best, flat = 0.0, _sharpness(strips, 0.0, DEFAULTS.strip)
    top = flat
    for reach, step in DEFAULTS.steps:
        around = best
        for angle in np.arange(around - reach, around + reach + step / 2, step).tolist():
            if (found := _sharpness(strips, angle, DEFAULTS.strip)) > top:
                best, top = angle, found
    return best if abs(best) >= DEFAULTS.least and top >= DEFAULTS.sharper * flat else 0.0


def is_sideways(picture: Picture) -> bool:
    """Return whether the lines of text in an image are vertical."""
    across, along = (_best(each) for each in (picture, picture.T))
    return along > DEFAULTS.sideways * across


def _best(picture: Picture) -> float:
    """Return how sharply rows with text and empty rows alternate in an image, at the best of several angles; 0 for an empty image."""
    strips = _strips(picture)
    if strips.shape[0] < 2 or not strips.any():
        return 0.0
    reach, step = DEFAULTS.rough
    return max(_sharpness(strips, angle, DEFAULTS.strip) for angle in np.arange(-reach, reach + step / 2, step).tolist())


def _strips(picture: Picture) -> Floats:
    """Return float32[strips, rows]: the number of dark pixels of each row in each vertical strip of the reduced image."""
    factor = max(1, round(picture.shape[1] / DEFAULTS.width))
    height, width = picture.shape[0] // factor, picture.shape[1] // (factor * DEFAULTS.strip)
    small = picture[: height * factor : factor, : width * factor * DEFAULTS.strip : factor]
    dark = small < float(np.median(small[::factor, ::factor])) - DEFAULTS.contrast * _WHITE
    words = np.packbits(np.ascontiguousarray(dark), axis=1).reshape(height, width, DEFAULTS.strip // 8)
    strips: Floats = np.bitwise_count(words).sum(axis=2, dtype=np.uint8).T.astype(np.float32)
    return strips


def _sharpness(strips: Floats, angle: float, strip: int) -> float:
    """Return the sum of squared differences of dark pixels between neighbouring rows of an image rotated by `angle` degrees, by shifting
    strips.
    strips: float32[strips, rows], numbers of dark pixels. strip: width of a strip, pixels."""
    count, height = strips.shape
    shift = (np.arange(count) - (count - 1) / 2) * strip * math.tan(math.radians(angle))
    whole = np.floor(shift).astype(np.int64)
    part = (shift - whole).astype(np.float32)[:, None]
    reach = int(np.abs(whole).max()) + 1
    padded = np.empty((count, height + 2 * reach), np.float32)
    padded[:, :reach], padded[:, reach : reach + height], padded[:, reach + height :] = strips[:, :1], strips, strips[:, -1:]
    moved = np.empty((count, height + 1), np.float32)
    for number, by in enumerate(whole.tolist()):
        moved[number] = padded[number, reach + by : reach + by + height + 1]
    near, next_ = (moved * (1 - part)).sum(axis=0), (moved * part).sum(axis=0)
    profile = near[:-1] + next_[1:]
    return float(np.square(np.diff(profile)).sum())


def turned_up(picture: Picture, degrees: float) -> Picture:
    """Rotate the image, keeping its size, so that lines that fall by `degrees` to the right become horizontal.
    Two shears move whole pixels, so that nothing is blurred, but letters have occasional steps of one pixel."""
    if not degrees:
        return picture
    slope = math.tan(math.radians(degrees))
    paper = int(np.median(picture[:: picture.shape[0] // 64 + 1, :: picture.shape[1] // 64 + 1]))
    level = _sheared(np.ascontiguousarray(picture.T), slope, paper).T
    return _sheared(np.ascontiguousarray(level), -slope, paper)


def _sheared(picture: Picture, slope: float, paper: int) -> Picture:
    """Return the image with each row shifted left by `slope` times its distance below the middle. paper: grey value of new pixels."""
    height, width = picture.shape
    moved = np.full_like(picture, paper)
    shift = np.rint((np.arange(height) - (height - 1) / 2) * slope).astype(np.int64)
    starts = np.concatenate(([0], np.flatnonzero(np.diff(shift)) + 1, [height])).tolist()
    for first, last in pairwise(starts):
        by = int(shift[first])
        if by >= 0:
            moved[first:last, : max(0, width - by)] = picture[first:last, by:]
        else:
            moved[first:last, -by:] = picture[first:last, : width + by]
    return moved
