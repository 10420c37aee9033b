"""Page numbers that a recogniser leaves out: a digit alone at the head or foot of a page looks like dirt to it.

Marks of a letter's size that stand by themselves in those parts of the picture, outside of all words, are read again one by one; what is a
number is a word of the page.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from statistics import median
from typing import Final

import numpy as np
from numpy.typing import NDArray

from transforms.scans.ink import darkness
from transforms.scans.recognizers import Picture, Recognizer, Word

Box = tuple[int, int, int, int]


@dataclass(frozen=True, slots=True)
class MarkSettings:
    """Lengths in heights of the page's usual word."""

    edge: float = 0.15  # share of the picture's height that is its head, and its foot
    dark: float = 0.3  # of white, from which a pixel is ink
    around: float = 0.5  # of words, where their own ink may reach
    border: float = 1.0  # of the picture, where frames and shadows are
    gap: float = 1.0  # between two marks; figures of a number stand nearer
    heights: tuple[float, float] = (0.5, 1.6)
    widths: tuple[float, float] = (0.1, 4.0)
    ink: float = 0.1  # of the box's area at least
    most: int = 2  # marks of a page; more are dirt
    margin: int = 20  # pixels of paper around a mark that is read
    confident: float = 0.5  # of recognition
    seconds: float = 5.0


DEFAULTS: Final = MarkSettings()
_NUMBER: Final = re.compile(r"[0-9]{1,4}|[ivxlc]{1,6}")


def read_marks(
    picture: Picture, words: Sequence[Word], recognizer: Recognizer, dpi: float, settings: MarkSettings = DEFAULTS
) -> list[Word]:
    """The numbers that stand alone at the head and foot of a picture and are none of its words."""
    marks = find_marks(picture, words, settings)
    found = []
    for number, (x0, top, x1, bottom) in enumerate(marks if len(marks) <= settings.most else []):
        cut = picture[top:bottom, x0:x1]
        alone = np.pad(cut, settings.margin, constant_values=int(np.quantile(cut, 1.0)))
        for word in recognizer.read_line(alone, dpi, settings.seconds):
            if word.confidence >= settings.confident and _NUMBER.fullmatch(word.text):
                found.append(replace(word, line=("mark", str(number)), box=(x0, top, x1, bottom)))
    return found


def find_marks(picture: Picture, words: Sequence[Word], settings: MarkSettings = DEFAULTS) -> list[Box]:
    """Boxes of marks of a letter's size that stand by themselves, pixels."""
    em = float(median(word.box[3] - word.box[1] for word in words))
    height, width = picture.shape
    border, around = int(settings.border * em), int(settings.around * em)
    edge = int(settings.edge * height)
    found: list[Box] = []
    for first, last in ((border, edge), (height - edge, height - border)):
        ink = darkness(picture[first:last]) >= settings.dark
        for word in words:
            x0, top, x1, bottom = word.box
            ink[max(0, top - around - first) : max(0, bottom + around - first), max(0, x0 - around) : x1 + around] = False
        found += _marks(ink[:, border : width - border], em, (border, first), settings)
    return found


def _marks(ink: NDArray[np.bool_], em: float, corner: tuple[int, int], settings: MarkSettings) -> Iterator[Box]:
    """The marks in a part of a picture. corner: its left and top."""
    for top, bottom in _runs(np.any(ink, axis=1), 1):
        for x0, x1 in _runs(np.any(ink[top:bottom], axis=0), int(settings.gap * em)):
            high, wide, dark = (bottom - top) / em, (x1 - x0) / em, float(ink[top:bottom, x0:x1].mean())
            if _within(high, settings.heights) and _within(wide, settings.widths) and dark >= settings.ink:
                yield corner[0] + x0, corner[1] + top, corner[0] + x1, corner[1] + bottom


def _within(value: float, bounds: tuple[float, float]) -> bool:
    return bounds[0] <= value <= bounds[1]


def _runs(filled: NDArray[np.bool_], gap: int) -> list[tuple[int, int]]:
    """From where to where something is, with gaps of at most so many places in it."""
    places = np.flatnonzero(filled)
    if not len(places):
        return []
    cuts = [0, *(np.flatnonzero(np.diff(places) > gap + 1) + 1).tolist(), len(places)]
    return [(int(places[first]), int(places[last - 1]) + 1) for first, last in pairwise(cuts)]
