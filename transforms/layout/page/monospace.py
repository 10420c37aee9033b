"""Detect words of a scan in monospaced type, from the widths of words relative to their number of letters.

In monospaced type a word of n letters is n pitches wide, less the white at both ends; in proportional type the widths of words of n letters
vary with the square root of n, as sums of independent widths do.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

Floats = NDArray[np.float64]


class PitchSettings(Struct, frozen=True):
    """Thresholds; widths in em."""

    empty: float = 0.12  # of a word's first and last pitch together that its ink does not reach
    fixed_error: float = 0.06  # standard deviation of a word's width in type of one width: letters fill their pitch more or less
    free_error: float = 0.13  # of a letter's width in other type
    words: int = 4  # of a line that may tell by itself
    odds: float = 3.0  # log odds from which it does
    lines: int = 3  # that agree before the document has such type
    share: float = 0.08  # of the lines of that mean width: of other type some are so by chance
    agree: float = 0.04  # relative difference of their pitches
    apart: float = 0.12  # relative difference of two pitches
    pitches: tuple[float, float] = (0.4, 0.75)  # what there is
    most: int = 3  # pitches of a document: text, code, notes


DEFAULTS: Final = PitchSettings()


class WordWidths(NamedTuple):
    """Words of a line or of a page. letters: number in each word. widths: points. sizes: of their type, points."""

    letters: Floats
    widths: Floats
    sizes: Floats


def width_odds(words: WordWidths, pitch: float, free: float, settings: PitchSettings = DEFAULTS) -> Floats:
    """Return the log odds that each word is in monospaced type.

    pitch: of that type, points. free: mean width of a letter in other type, em.
    """
    letters, widths, sizes = words
    fixed = (widths - pitch * letters + settings.empty * sizes) / (settings.fixed_error * sizes)
    error = settings.free_error * np.sqrt(letters)
    other = (widths / sizes - free * letters + settings.empty) / error
    odds: Floats = (np.square(other) - np.square(fixed)) / 2 + np.log(error / settings.fixed_error)
    return odds


def line_pitch(words: WordWidths, settings: PitchSettings = DEFAULTS) -> float:
    """Return the mean width of a line's letters, points."""
    return float((words.widths + settings.empty * words.sizes).sum() / words.letters.sum())


def find_pitches(lines: Sequence[WordWidths], settings: PitchSettings = DEFAULTS) -> tuple[tuple[float, ...], float]:
    """Return the pitches of the document's monospaced type, points, and the mean width of a letter in its other type, em."""
    pitches = np.array([line_pitch(line, settings) for line in lines])
    ems = np.array([float(line.sizes[0]) for line in lines])
    letters = np.array([line.letters.sum() for line in lines])
    tells = np.array([_tells(line, pitch, settings) for line, pitch in zip(lines, pitches.tolist(), strict=True)], np.bool_)
    free = median((pitches / ems)[~tells], letters[~tells]) if not tells.all() else median(pitches / ems, letters)
    long = np.array([len(line.letters) >= settings.words for line in lines], np.bool_)
    found: list[float] = []
    left = tells
    while left.any() and len(found) < settings.most:
        near = [int((np.abs(pitches[left] - pitch) <= settings.agree * pitch).sum()) for pitch in pitches[left].tolist()]
        center = float(pitches[left][int(np.argmax(near))])
        near_center = np.abs(pitches - center) <= settings.agree * center
        agreeing = left & near_center
        if int(agreeing.sum()) >= max(settings.lines, settings.share * int((near_center & long).sum())):
            found.append(median(pitches[agreeing], letters[agreeing]))
        left &= np.abs(pitches - center) > settings.apart * center
    return tuple(found), free


def _tells(line: WordWidths, pitch: float, settings: PitchSettings) -> bool:
    """Return whether each word's width is its number of letters times the pitch, more exactly than by chance."""
    em = float(line.sizes[0])
    low, high = settings.pitches
    enough = len(line.letters) >= settings.words and low * em < pitch < high * em
    return enough and float(width_odds(line, pitch, pitch / em, settings).sum()) >= settings.odds


def median(values: NDArray[np.floating], weights: NDArray[np.number]) -> float:
    """Return the weighted median."""
    order = np.argsort(values, kind="stable")
    total = np.cumsum(weights[order])
    return float(values[order[int(np.searchsorted(total, total[-1] / 2))]]) if len(values) else math.nan
