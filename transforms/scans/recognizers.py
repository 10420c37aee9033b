"""The interface of OCR engines.

A recogniser takes a straightened grey picture and gives its words in reading order, line by line. Those that there are stand in
`pdfmill.transforms.scans.installed`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

#: Grey values of a picture, uint8[height, width].
Picture = NDArray[np.uint8]


class OcrError(Exception):
    """The recogniser is not installed, or failed; the message says which and how."""


class Word(Struct, frozen=True):
    """A word on a picture.

    line: what is the same for all words of a line. box: x0, top, x1, bottom in pixels. confidence: 0 to 1, as the recogniser tells it.
    """

    line: tuple[str, ...]
    text: str
    box: tuple[int, int, int, int]
    confidence: float = 1.0


def mean_confidence(words: Sequence[Word]) -> float:
    """Return the recogniser's mean confidence for these words, weighted by their length."""
    return round(sum(word.confidence * len(word.text) for word in words) / sum(len(word.text) for word in words), 3)


class Recognizer(Protocol):
    """An OCR engine."""

    def missing(self) -> str | None:
        """Return what it lacks on this machine, as a sentence; None if it can be used."""

    def languages(self) -> tuple[str, ...]:
        """Return the languages that it can read here, by Tesseract's names; none if it reads all of its languages at once."""

    def read(self, picture: Picture, dpi: float, language: str, seconds: float) -> list[Word]:
        """Return the words of a picture, line by line. dpi: pixels per inch. language: by Tesseract's names, joined by +.

        Raises:
            OcrError: not installed, no such language, out of time, or any other failure.
        """
