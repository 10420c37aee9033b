"""Convert the lines of a page to numpy columns, the page's frame: coordinates in which text runs from left to right and lines downwards."""

from __future__ import annotations

from collections import Counter
from functools import cached_property
from typing import NamedTuple

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from pdfmill.schemas.records import PageLines, TextLine

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


class LineLists(NamedTuple):
    """The columns of a `Frame` as Python lists, for loops over single lines, in which numpy scalars are several times slower."""

    start: list[float]
    end: list[float]
    top: list[float]
    bottom: list[float]
    baseline: list[float]
    size: list[float]


class Frame(Struct, frozen=True, dict=True):
    """The n lines of the page's main writing direction, in coordinates in which reading begins at the left and goes down. Lengths are in
    points. index: index of each line on the page. others: lines in other directions."""

    index: Ints  # int[n], index in `PageLines.lines`
    start: Floats  # float[n], left end in reading direction (mirrored for right-to-left pages)
    end: Floats  # float[n], right end
    top: Floats  # float[n], growing downwards
    bottom: Floats  # float[n]
    baseline: Floats  # float[n]
    size: Floats  # float[n], main font size of the line
    others: tuple[int, ...]  # indices of lines in other directions
    width: float  # of the page in this frame
    height: float  # of the page in this frame
    direction: int  # clockwise degrees of the lines' direction: 0, 90, 180 or 270
    rtl: bool  # the page is right-to-left

    def __len__(self) -> int:
        return len(self.index)

    @cached_property
    def lists(self) -> LineLists:
        """The columns start, end, top, bottom, baseline and size as lists."""
        return LineLists(*(values.tolist() for values in (self.start, self.end, self.top, self.bottom, self.baseline, self.size)))

    def map_boxes(self, boxes: NDArray[np.floating], page: PageLines) -> Floats:
        """Convert boxes of the page (x0, top, x1, bottom) to the coordinates of this frame; return float64[n, 4]."""
        return _turn(np.asarray(boxes, np.float64).reshape(-1, 4), self.direction, self.rtl, page.width, page.height)


def _direction(line: TextLine) -> int:
    """Return the direction of a line: 0, 90, 180 or 270 clockwise degrees; -1 for any other angle; 90 for vertical writing."""
    if line.vertical:
        return 90
    return line.angle % 360 if line.angle % 90 == 0 else -1


def _turn(boxes: Floats, direction: int, rtl: bool, width: float, height: float) -> Floats:
    if direction <= 0 and not rtl:
        return boxes
    x0, top, x1, bottom = boxes.T
    if direction == 90:
        x0, top, x1, bottom, width = top, width - x1, bottom, width - x0, height
    elif direction == 180:
        x0, top, x1, bottom = width - x1, height - bottom, width - x0, height - top
    elif direction == 270:
        x0, top, x1, bottom, width = height - bottom, x0, height - top, x1, height
    if rtl:
        x0, x1 = width - x1, width - x0
    return np.stack([x0, top, x1, bottom], axis=1)


def _baselines(page: PageLines, index: list[int], direction: int) -> Floats:
    raw = np.array([page.lines[i].baseline for i in index], np.float64)
    if direction == 90:
        return np.asarray(page.width - raw)
    if direction == 180:
        return np.asarray(page.height - raw)
    return raw


def _reads_leftwards(page: PageLines, right_to_left: int, chars: int) -> bool:
    """Return whether the page is right-to-left: most characters are, or a fair share of them is and its lines are aligned right."""
    if right_to_left * 2 > chars or right_to_left * 5 <= chars:
        return right_to_left * 2 > chars
    left = Counter(round(line.x0) for line in page.lines)
    right = Counter(round(line.x1) for line in page.lines)
    return max(right.values()) > max(left.values())


def read_frame(page: PageLines) -> Frame:
    """Return the lines in the writing direction of most characters of the page, converted to reading coordinates."""
    if not any(line.angle or line.vertical or line.rtl for line in page.lines):
        return _upright(page)
    chars: Counter[int] = Counter()
    right_to_left = 0
    directions = [_direction(line) for line in page.lines]
    for line, direction in zip(page.lines, directions, strict=True):
        chars[direction] += len(line.text)
        right_to_left += len(line.text) if line.rtl else 0
    usable = {d: n for d, n in chars.items() if d >= 0}
    main = max(usable, key=lambda d: (usable[d], -d)) if usable else 0
    rtl = _reads_leftwards(page, right_to_left, sum(chars.values()))
    index = [i for i, d in enumerate(directions) if d == main]
    raw = np.array([(page.lines[i].x0, page.lines[i].top, page.lines[i].x1, page.lines[i].bottom) for i in index], np.float64).reshape(
        -1, 4
    )
    boxes = _turn(raw, main, rtl, page.width, page.height)
    turned = main in (90, 270)
    return Frame(
        index=np.array(index, np.int64),
        start=boxes[:, 0],
        top=boxes[:, 1],
        end=boxes[:, 2],
        bottom=boxes[:, 3],
        baseline=_baselines(page, index, main),
        size=np.array([page.styles[page.lines[i].style].size for i in index], np.float64),
        others=tuple(i for i, d in enumerate(directions) if d != main),
        width=page.height if turned else page.width,
        height=page.width if turned else page.height,
        direction=main,
        rtl=rtl,
    )


def _upright(page: PageLines) -> Frame:
    lines, sizes = page.lines, [style.size for style in page.styles]
    return Frame(
        index=np.arange(len(lines)),
        start=np.array([line.x0 for line in lines], np.float64),
        top=np.array([line.top for line in lines], np.float64),
        end=np.array([line.x1 for line in lines], np.float64),
        bottom=np.array([line.bottom for line in lines], np.float64),
        baseline=np.array([line.baseline for line in lines], np.float64),
        size=np.array([sizes[line.style] for line in lines], np.float64),
        others=(),
        width=page.width,
        height=page.height,
        direction=0,
        rtl=False,
    )


def word_bounds(page: PageLines) -> list[int]:
    """Return the index of the first word of each line, followed by the number of words."""
    lines = np.arange(len(page.lines) + 1, dtype=page.word_lines.dtype)
    bounds: list[int] = page.word_lines.searchsorted(lines).tolist()
    return bounds
