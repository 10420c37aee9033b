"""Relate each heading candidate to the other lines of its document; candidates of one text style are judged together.

Each candidate has been weighed by itself (`transforms.layout.document.heading_signs`). The relations compare its log odds with those of its
look, of its look at its indent, and of the looks that are weighed better: bold lines are headings where nothing better is,
and runs of emphasis under larger headings.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

#: Each relation in words, for whom asks why.
RELATIONS: Final[dict[str, str]] = {
    "own": "by its own signs",
    "look": "by those of its look",
    "place": "by those of its look at its indent",
    "least": "by the least of its look",
    "best": "against the best look of the document",
    "better": "after headings of better looks, a page",
    "so_far": "after headings of its own and better looks, a page",
    "headings": "in a document of many headings a page",
}
#: Log odds beyond which one candidate says no more about others: it is sure.
SURE: Final = 6.0
#: Headings a page beyond which there are many.
MANY: Final = 6.0
#: Decimals of log odds that count: what sums differ by on other machines does not.
_DIGITS: Final = 6


def relate(looks: Sequence[Hashable], indents: Sequence[int], odds: Floats, pages: int) -> Floats:
    """The relations of each candidate of a document, float64[n, relations].

    looks: of each candidate. indents: where each begins, em. odds: log odds by its own signs, float64[n]. pages: that have candidates.
    """
    if not len(odds):
        return np.zeros((0, len(RELATIONS)))
    odds = np.clip(odds, -SURE, SURE).round(_DIGITS)
    look, place = _numbered(looks), _numbered(list(zip(looks, indents, strict=True)))
    means, of_place = _means(look, odds), _means(place, odds)
    least = np.full(len(means), SURE)
    np.minimum.at(least, look, odds)
    likely = np.bincount(look, 1 / (1 + np.exp(-odds))) / pages
    better, so_far = _above(means, likely)
    mean, lowest, before, upto = np.stack([means, least, np.minimum(better, MANY), np.minimum(so_far, MANY)])[:, look]
    best, headings = np.full(len(odds), means.max()), np.full(len(odds), min(likely.sum(), MANY))
    return np.stack([odds, mean, of_place[place], lowest, best, before, upto, headings], 1)


def _numbered(keys: Sequence[Hashable]) -> NDArray[np.int64]:
    """A number for each key, the same for equal ones, counting from 0."""
    numbers: dict[Hashable, int] = {}
    return np.array([numbers.setdefault(key, len(numbers)) for key in keys], np.int64)


def _means(group: NDArray[np.int64], values: Floats) -> Floats:
    """The mean of the values of each group."""
    means: Floats = (np.bincount(group, values) / np.bincount(group)).round(_DIGITS)
    return means


def _above(means: Floats, likely: Floats) -> tuple[Floats, Floats]:
    """For each look the sum of what is likely over those of higher means, and over those of no lower ones."""
    order = np.argsort(means, kind="stable")
    below = np.concatenate([[0.0], np.cumsum(likely[order])])
    ranks = [np.searchsorted(means[order], means, side) for side in ("right", "left")]
    better, so_far = (below[-1] - below[rank] for rank in ranks)
    return better, so_far
