"""Join letter-spaced words ("A B S T R A C T"), which OCR returns as words of one letter."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby, pairwise
from statistics import median
from typing import Final

from msgspec import Struct

from pdfmill.transforms.scans.recognizers import Word, mean_confidence


class SpacedSettings(Struct, frozen=True):
    """Thresholds: how many letters in a row are a spaced word, and how wide the gaps between them may be."""

    letters: int = 4  # smallest number of letters in a row; initials and list labels are fewer
    gap: float = 1.0  # largest gap, letter heights; cells of a table have larger ones
    even: float = 1.7  # ratio to the usual gap, from which a gap ends a word


DEFAULTS: Final = SpacedSettings()


def join_spaced(line: Sequence[Word], settings: SpacedSettings = DEFAULTS) -> list[Word]:
    """Return the words of a line, with spaced letters joined to words, but not letters in alphabetical order (names of columns or
    choices)."""
    return [
        word
        for single, members in groupby(line, key=lambda word: len(word.text) == 1 and word.text.isalpha())
        for word in (_joined(list(members), settings) if single else members)
    ]


def _joined(letters: list[Word], settings: SpacedSettings) -> Iterator[Word]:
    gaps = [b.box[0] - a.box[2] for a, b in pairwise(letters)]
    texts = [word.text.lower() for word in letters]
    if len(letters) < settings.letters or texts == sorted(texts) or min(gaps) < 0:
        yield from letters
        return
    usual = median(gaps)
    if usual > settings.gap * median(word.box[3] - word.box[1] for word in letters):
        yield from letters
        return
    ends = [place for place, gap in enumerate(gaps, start=1) if gap > settings.even * usual]
    for first, last in pairwise([0, *ends, len(letters)]):
        yield _one(letters[first:last])


def _one(letters: Sequence[Word]) -> Word:
    x0, top, x1, bottom = zip(*(word.box for word in letters), strict=True)
    text = "".join(word.text for word in letters)
    return Word(letters[0].line, text, (min(x0), min(top), max(x1), max(bottom)), mean_confidence(letters))
