"""The interface of OCR engines (recognisers), which return the words of a straightened grey image in reading order, line by line.
The available ones are in `pdfmill.transforms.scans.installed`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

#: An image, uint8[height, width], with grey values from 0 for black.
Picture = NDArray[np.uint8]


class OcrError(Exception):
    """A recogniser is not installed or failed. The message names the recogniser and the reason."""


class Word(Struct, frozen=True):
    """A word that was recognised on an image. line: an identifier that all words of a line share. box: x0, top, x1, bottom in pixels."""

    line: tuple[str, ...]  # an identifier that the words of a line have in common
    text: str
    box: tuple[int, int, int, int]  # x0, top, x1, bottom in pixels
    confidence: float = 1.0  # 0 to 1, by the recogniser


def mean_confidence(words: Sequence[Word]) -> float:
    """Return the mean confidence of these words, 0 to 1, weighted by their length."""
    return round(sum(word.confidence * len(word.text) for word in words) / sum(len(word.text) for word in words), 3)


class Recognizer(Protocol):
    """An OCR engine."""

    def missing(self) -> str | None:
        """Return a sentence that says what this machine lacks; None if the recogniser can be used."""

    def languages(self) -> tuple[str, ...]:
        """Return the installed languages, by Tesseract's names; () if it reads all its languages at once."""

    def read(self, picture: Picture, dpi: float, language: str, seconds: float) -> list[Word]:
        """Return the words of an image, line by line. language: Tesseract's names, joined by +. seconds: time limit.

        Raises:
            OcrError: the recogniser or a language is not installed, the time limit was exceeded, or any other failure.
        """
