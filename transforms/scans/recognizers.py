"""What reads words on a picture: the door.

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
    """The recogniser is not there, or gave up; the message says which and how."""


class Word(Struct, frozen=True):
    """A word on a picture.

    line: what is the same for all words of a line. box: x0, top, x1, bottom in pixels. confidence: 0 to 1, as the recogniser tells it.
    """

    line: tuple[str, ...]
    text: str
    box: tuple[int, int, int, int]
    confidence: float = 1.0


def mean_confidence(words: Sequence[Word]) -> float:
    """How sure the recogniser was of these words, each counted by its length."""
    return round(sum(word.confidence * len(word.text) for word in words) / sum(len(word.text) for word in words), 3)


class Recognizer(Protocol):
    """Reads a picture."""

    def missing(self) -> str | None:
        """What it lacks on this machine, as a sentence; None where it can be called."""

    def languages(self) -> tuple[str, ...]:
        """The languages that it can read here, by Tesseract's names; none where it reads all that it knows at once."""

    def read(self, picture: Picture, dpi: float, language: str, seconds: float) -> list[Word]:
        """The words of a picture, those of a line one after the other. dpi: pixels per inch. language: by Tesseract's names, joined by +.

        Raises:
            OcrError: not installed, no such language, out of time, or any other failure.
        """
