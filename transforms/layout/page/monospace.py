"""Detect monospaced words in a scan from the widths of words and their numbers of letters.
In monospaced type a word of n letters is n pitches wide. In proportional type the widths vary with the square root of n."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

Floats = NDArray[np.float64]


class PitchSettings(Struct, frozen=True):
    """Thresholds for monospaced type; widths are in em. The pitch is the width of a character."""

    empty: float = 0.12  # white space at both ends of a word together, between its ink and its first and last pitch
    fixed_error: float = 0.06  # standard deviation of the width of a monospaced word, because letters fill their pitch more or less
    free_error: float = 0.13  # standard deviation of the width of a letter in proportional type
    words: int = 4  # smallest number of words of a line that can be judged by itself
    odds: float = 3.0  # log odds from which such a line is monospaced
    lines: int = 3  # smallest number of lines with one pitch in a document that has monospaced type
    share: float = 0.08  # smallest share of such lines among those of that mean width; some proportional lines look monospaced by chance
    agree: float = 0.04  # relative difference of pitches that are equal
    apart: float = 0.12  # smallest relative difference of two pitches of a document
    pitches: tuple[float, float] = (0.4, 0.75)  # smallest and largest pitch of monospaced type
    most: int = 3  # largest number of pitches of a document: text, code, notes


DEFAULTS: Final = PitchSettings()


class WordWidths(NamedTuple):
    """The widths and numbers of letters of some words: three columns of one length."""

    letters: Floats  # number of letters of each word
    widths: Floats  # points
    sizes: Floats  # font sizes, points


def width_odds(words: WordWidths, pitch: float, free: float, settings: PitchSettings = DEFAULTS) -> Floats:
    """Return the log odds that each word is monospaced. pitch: width of a monospaced character, points. free: mean width of other letters,
    em."""
    letters, widths, sizes = words
    fixed = (widths - pitch * letters + settings.empty * sizes) / (settings.fixed_error * sizes)
    error = settings.free_error * np.sqrt(letters)
    other = (widths / sizes - free * letters + settings.empty) / error
    odds: Floats = (np.square(other) - np.square(fixed)) / 2 + np.log(error / settings.fixed_error)
    return odds


def line_pitch(words: WordWidths, settings: PitchSettings = DEFAULTS) -> float:
    """Return the mean width of a letter in a line, points."""
    return float((words.widths + settings.empty * words.sizes).sum() / words.letters.sum())


def find_pitches(lines: Sequence[WordWidths], settings: PitchSettings = DEFAULTS) -> tuple[tuple[float, ...], float]:
    """Return the pitches of the document's monospaced type, points, and the mean width of a letter in its proportional type, em."""
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
    """Return whether the widths of a line's words fit this pitch (points) clearly better than proportional type."""
    em = float(line.sizes[0])
    low, high = settings.pitches
    enough = len(line.letters) >= settings.words and low * em < pitch < high * em
    return enough and float(width_odds(line, pitch, pitch / em, settings).sum()) >= settings.odds


def median(values: NDArray[np.floating], weights: NDArray[np.number]) -> float:
    """Return the weighted median of some values; nan for none."""
    order = np.argsort(values, kind="stable")
    total = np.cumsum(weights[order])
    return float(values[order[int(np.searchsorted(total, total[-1] / 2))]]) if len(values) else math.nan
