"""Find rules in the image of a page: thin straight horizontal or vertical lines of tables, forms and footnotes.
A rule is a long run of dark pixels with paper on both sides. Runs are searched on sampled columns, and then measured on all columns."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from typing import Final

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

Floats = NDArray[np.float32]
Bools = NDArray[np.bool_]
#: A run of dark pixels: first row, last row, left, right, pixels.
Run = tuple[int, int, int, int]


class RuleSettings(Struct, frozen=True):
    """Thresholds for finding rules in an image. Lengths are in points; the comment of a field names any other unit."""

    dark: float = 0.2  # share of white by which ink is darker than paper; rules are often thinner than a pixel
    least: float = 30.0  # smallest length; shorter ones are strokes of letters
    thickest: float = 6.0  # largest thickness, with the slope that remains after straightening
    step: int = 8  # pixels between sampled columns
    filled: float = 0.93  # smallest share of dark pixels along a rule
    beside: float = 2.5  # distance from a rule at which there must be paper
    free: float = 0.6  # smallest share of paper along each side of a rule, because text touches rules and other rules cross them
    border: float = 8.0  # margin of the image that is ignored, because it has shadows and the scanner's lid


DEFAULTS: Final = RuleSettings()


def find_rules(dark: Floats, scale: float) -> Floats:
    """Return the rules in a straightened image as float32[n, 4]: x0, top, x1, bottom in points.
    dark: the `darkness` of the image (`scans.ink`). scale: points per pixel."""
    ink = dark >= DEFAULTS.dark
    across = [(left, first, right, last) for first, last, left, right in _runs_across(ink, scale)]
    down = [(first, left, last, right) for first, last, left, right in _runs_across(np.ascontiguousarray(ink.T), scale)]
    return np.array([*across, *down], np.float32).reshape(-1, 4) * np.float32(scale)


def as_edges(rules: Floats) -> Floats:
    """Return the centre lines of rules, used as borders of table cells. Rules and centre lines are float32[n, 4]: x0, top, x1, bottom."""
    across = rules[:, 2] - rules[:, 0] >= rules[:, 3] - rules[:, 1]
    middle = (rules[:, :2] + rules[:, 2:]) / 2
    edges: Floats = rules.copy()
    edges[across, 1] = edges[across, 3] = middle[across, 1]
    edges[~across, 0] = edges[~across, 2] = middle[~across, 0]
    return edges


def _runs_across(ink: Bools, scale: float) -> Iterator[Run]:
    height, width = ink.shape
    border, least, beside = (max(1, round(each / scale)) for each in (DEFAULTS.border, DEFAULTS.least, DEFAULTS.beside))
    if height <= 2 * (border + beside) or width <= 2 * border:
        return
    for rows, left, right in _rows_together(_long_rows(ink, least)):
        first, last = rows[0], rows[-1] + 1
        if first < border or last > height - border or (last - first) * scale > DEFAULTS.thickest:
            continue
        left, right = max(left, border), min(right, width - border)
        filled = ink[first - 1 : last + 1, left:right].any(axis=0)
        above, below = first - beside, last + beside
        sides = [ink[at - 1 : at + 1, left:right].any(axis=0) for at in (above, below)]
        if right - left >= least and filled.mean() >= DEFAULTS.filled and all(1 - side.mean() >= DEFAULTS.free for side in sides):
            yield first, last, left, right


def _long_rows(ink: Bools, least: int) -> Iterator[tuple[int, int, int]]:
    """Yield (row, left, right), pixels, of long horizontal runs of dark pixels, or of pixels above or below dark ones, in sampled columns.
    ink: bool[height, width], the dark pixels. least: shortest length, pixels."""
    some = ink[:, :: DEFAULTS.step]
    some = some | np.roll(some, 1, axis=0) | np.roll(some, -1, axis=0)
    padded = np.zeros((some.shape[0], some.shape[1] + 1), np.bool_)
    padded[:, :-1] = some
    flat = padded.ravel()
    ends = np.flatnonzero(flat[1:] != flat[:-1]) + 1
    if flat[0]:
        ends = np.concatenate(([0], ends))
    starts, stops = ends[::2], ends[1::2]
    long = stops - starts >= max(2, least // DEFAULTS.step)
    wide = padded.shape[1]
    for start, stop in zip(starts[long].tolist(), stops[long].tolist(), strict=True):
        yield start // wide, start % wide * DEFAULTS.step, min(ink.shape[1], ((stop - 1) % wide + 1) * DEFAULTS.step)


def _rows_together(found: Iterator[tuple[int, int, int]]) -> Iterator[tuple[list[int], int, int]]:
    """Join horizontal runs of dark pixels that overlap and lie in neighbouring rows. Yield (rows, left, right), pixels, of each group.
    found: (row, left, right) of each run, sorted by row."""
    open_: list[tuple[list[int], int, int]] = []
    for row, runs in groupby(found, key=lambda each: each[0]):
        level = [(left, right) for _, left, right in runs]
        still = []
        for rows, left, right in open_:
            if rows[-1] < row - 1:
                yield rows, left, right
            else:
                still.append((rows, left, right))
        open_ = still
        for left, right in level:
            over = [each for each in open_ if each[1] < right and each[2] > left]
            open_ = [each for each in open_ if each not in over]
            rows = sorted({row, *(number for each in over for number in each[0])})
            open_.append((rows, min([left, *(each[1] for each in over)]), max([right, *(each[2] for each in over)])))
    yield from open_
