"""Find the charts of a page, to keep their labels together and out of paragraphs and tables.
A chart has a label turned by a right angle beside drawn lines, in a font that the page's text does not use."""

from __future__ import annotations

from collections import Counter
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pdfmill.schemas.records import PageLines
from pdfmill.transforms.layout.page.line_frame import Frame
from pdfmill.transforms.layout.page.patterns import CAPTION, count_words

#: Em of the turned label; largest distance of two parts of a chart.
_REACH: Final = 2.0
#: Em of it; largest distance from the left of a chart of other turned labels.
_AXIS: Final = 6.0
#: Words from which a line is running text; labels are shorter.
_PROSE: Final = 8
#: Smallest number of drawn lines and areas, and of lines of text, of a chart.
_SHAPES, _LABELS = 3, 3
#: Share of the page's area from which a filled area is the page's background, and of its height from which text at both ends is no chart.
_BACKGROUND: Final = 0.8


class Chart(NamedTuple):
    """A drawing with labels."""

    box: NDArray[np.float64]  # float64[4]: x0, top, x1, bottom, points on the page
    lines: tuple[int, ...]  # indices of the lines of its labels: horizontal ones by rows, then turned ones


def find_charts(page: PageLines, frame: Frame) -> list[Chart]:
    """Return the charts of a page whose text is horizontal, from top to bottom."""
    if frame.direction or not frame.others:
        return []
    foreign = _is_foreign(page)
    seeds = [i for i in frame.others if foreign[i] and not page.lines[i].vertical and page.lines[i].angle in (90, 270)]
    if not seeds:
        return []
    boxes = np.array([(line.x0, line.top, line.x1, line.bottom) for line in page.lines], np.float64)
    middles = (boxes[:, :2] + boxes[:, 2:]) / 2
    shapes = np.concatenate((page.rules, page.fills)).astype(np.float64)
    shapes = shapes[(shapes[:, 2:] - shapes[:, :2]).prod(axis=1) < _BACKGROUND * page.width * page.height]
    parts = np.concatenate((shapes, boxes[foreign]))
    charts: list[Chart] = []
    taken: set[int] = set()
    for seed in sorted(seeds, key=lambda i: (round(boxes[i, 1]), boxes[i, 0])):
        if seed in taken:
            continue
        em = page.styles[page.lines[seed].style].size
        beside = [i for i in seeds if abs(middles[i, 0] - middles[seed, 0]) > _AXIS * em]  # of other charts, or of an axis at the right
        box = _grown(boxes[seed], parts, np.concatenate((middles[~foreign], middles[beside])), _REACH * em)
        inside = np.flatnonzero(foreign & _within(middles, box)).tolist()
        if (
            len(inside) >= _LABELS
            and _within((shapes[:, :2] + shapes[:, 2:]) / 2, box).sum() >= _SHAPES
            and taken.isdisjoint(inside)
            and box[3] - box[1] < _BACKGROUND * page.height  # else a turned running head with a head and a foot
        ):
            taken.update(inside)
            inside.sort(key=lambda i: (page.lines[i].angle != 0, page.lines[i].baseline, page.lines[i].x0))
            charts.append(Chart(box, tuple(inside)))
    return charts


def _is_foreign(page: PageLines) -> NDArray[np.bool_]:
    """Return bool[n], which lines are no captions and in a font that neither most letters of the page nor any line of running text has."""
    fonts = [page.styles[line.style].font for line in page.lines]
    letters: Counter[str] = Counter()
    for line, font in zip(page.lines, fonts, strict=True):
        letters[font] += sum(map(str.isalpha, line.text))
    own = {font for line, font in zip(page.lines, fonts, strict=True) if count_words(line.text) >= _PROSE}
    own.add(max(letters, key=letters.__getitem__))
    return np.array([font not in own and not CAPTION.match(line.text) for line, font in zip(page.lines, fonts, strict=True)], np.bool_)


def _grown(box: NDArray[np.float64], parts: NDArray[np.float64], outside: NDArray[np.float64], reach: float) -> NDArray[np.float64]:
    """Return the box, extended by the parts within `reach` (points) of it, and so on, but not around any of the points `outside`.
    parts: float64[n, 4]. outside: float64[m, 2]."""
    left = np.ones(len(parts), np.bool_)
    while True:
        near = left & (np.maximum(parts[:, :2] - box[2:], box[:2] - parts[:, 2:]).max(axis=1) <= reach)
        if not near.any():
            return box
        left &= ~near
        for members in [near.nonzero()[0]] if not _within(outside, _around(box, parts[near])).any() else near.nonzero()[0][:, None]:
            wider = _around(box, parts[members])
            if not _within(outside, wider).any():
                box = wider


def _around(box: NDArray[np.float64], parts: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.concatenate((np.minimum(box[:2], parts[:, :2].min(axis=0)), np.maximum(box[2:], parts[:, 2:].max(axis=0))))


def _within(points: NDArray[np.float64], box: NDArray[np.float64]) -> NDArray[np.bool_]:
    inside: NDArray[np.bool_] = np.all((points >= box[:2]) & (points <= box[2:]), axis=1)
    return inside
