"""Find page numbers that OCR misses, because a single digit at the top or bottom of a page looks like dirt.
Isolated marks of letter size are copied below the page, several times in a row, because OCR accepts several marks as text. A mark whose
copies are all read as the same number becomes a word."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Final, NamedTuple

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from pdfmill.transforms.pdf.draw.render import POINTS
from pdfmill.transforms.scans.ink import darkness
from pdfmill.transforms.scans.recognizers import Picture, Recognizer, Word, mean_confidence

Box = tuple[int, int, int, int]


class MarkSettings(Struct, frozen=True):
    """Thresholds for isolated marks that may be page numbers. Lengths are in points; the comment of a field names any other unit."""

    edge: float = 0.15  # share of the image's height that is its head, and its foot
    dark: float = 0.3  # share of white by which ink is darker than paper
    border: float = 10.0  # margin of the image that is ignored, because it has frames and shadows
    gap: float = 10.0  # smallest distance of two marks; digits of one number are nearer
    heights: tuple[float, float] = (4.0, 15.0)  # smallest and largest height: digits of 6 to 20 points
    widths: tuple[float, float] = (1.0, 30.0)  # smallest and largest width: up to four digits
    ink: float = 0.1  # smallest share of the box that is dark
    most: int = 4  # marks on a page; more are dirt, or cells of a table
    copies: int = 4  # copies in a row; OCR sometimes ignores three
    between: float = 5.0  # distance of copies
    above: float = 25.0  # empty space above a row; OCR may join a nearer row to the page's last line
    confident: float = 0.5  # smallest OCR confidence of a copy


DEFAULTS: Final = MarkSettings()
_NUMBER: Final = re.compile(r"[0-9]{1,4}|[ivxlc]{1,6}")


class _Row(NamedTuple):
    """A row of copies of a mark, added below the image of the page. Lengths are in pixels."""

    mark: Box  # box of the mark on the page
    top: float  # of the row with half of the space around it
    bottom: float  # of the row with half of the space around it


def read_with_marks(picture: Picture, recognizer: Recognizer, dpi: float, language: str, seconds: float) -> list[Word]:
    """Return the words of an image, including isolated numbers at its top and bottom. language: Tesseract's names, joined by +. seconds:
    time limit. Raises OcrError if the recogniser fails."""
    marks = find_marks(picture, dpi)
    if not 0 < len(marks) <= DEFAULTS.most:
        return recognizer.read(picture, dpi, language, seconds)
    shown, rows = _with_copies(picture, marks, dpi / POINTS)
    read = recognizer.read(shown, dpi, language, seconds)
    words = [word for word in read if word.box[3] <= picture.shape[0]]
    return words + [number for row in rows for number in _numbers(row, read, words)]


def _with_copies(picture: Picture, marks: Sequence[Box], scale: float) -> tuple[Picture, list[_Row]]:
    above, between = round(DEFAULTS.above * scale), round(DEFAULTS.between * scale)
    rows, places, end = [], [], picture.shape[0]
    for mark in marks:
        top = end + above
        end = top + mark[3] - mark[1]
        rows.append(_Row(mark, top - above / 2, end + above / 2))
        places.append(top)
    shown = np.full((end + above, picture.shape[1]), int(np.median(picture[::16, ::16])), np.uint8)
    shown[: picture.shape[0]] = picture
    for (x0, top, x1, bottom), place in zip(marks, places, strict=True):
        wide = DEFAULTS.copies * (x1 - x0 + between)
        left = max(0, min(x0, picture.shape[1] - wide))
        for at in range(left, min(left + wide, picture.shape[1] - (x1 - x0)), x1 - x0 + between):
            shown[place : place + bottom - top, at : at + x1 - x0] = picture[top:bottom, x0:x1]
    return shown, rows


def _numbers(row: _Row, read: Sequence[Word], words: Sequence[Word]) -> Iterator[Word]:
    """Yield the number that a mark shows, if all its copies were read as the same number, and no word of the page overlaps it.
    read: all recognised words, including those of the copies. words: the page's own words."""
    copies = sorted((word for word in read if row.top < (word.box[1] + word.box[3]) / 2 < row.bottom), key=lambda word: word.box[0])
    text = "".join(word.text for word in copies)
    said = text[: len(text) // DEFAULTS.copies]
    if text != said * DEFAULTS.copies or not _NUMBER.fullmatch(said) or (sure := mean_confidence(copies)) < DEFAULTS.confident:
        return
    x0, top, x1, bottom = row.mark
    if not any(w.box[0] < x1 and w.box[2] > x0 and w.box[1] < bottom and w.box[3] > top for w in words):
        yield Word(("mark", str(top), str(x0)), said, row.mark, sure)


def find_marks(picture: Picture, dpi: float) -> list[Box]:
    """Return the boxes, pixels, of isolated marks of the size of letters at the top and bottom of an image. dpi: pixels per inch."""
    scale = dpi / POINTS
    height, width = picture.shape
    border, edge = round(DEFAULTS.border * scale), int(DEFAULTS.edge * height)
    return [
        mark
        for first, last in ((border, edge), (height - edge, height - border))
        for mark in _marks(darkness(picture[first:last])[:, border : width - border] >= DEFAULTS.dark, scale, (border, first))
    ]


def _marks(ink: NDArray[np.bool_], scale: float, corner: tuple[int, int]) -> Iterator[Box]:
    """Yield the boxes of isolated marks in a part of an image, pixels of the whole image. ink: bool[rows, columns], the dark pixels.
    scale: pixels per point. corner: left and top of the part, pixels."""
    for top, bottom in _runs(np.any(ink, axis=1), 1):
        if not _within((bottom - top) / scale, DEFAULTS.heights):
            continue
        for x0, x1 in _runs(np.any(ink[top:bottom], axis=0), int(DEFAULTS.gap * scale)):
            dark = ink[top:bottom, x0:x1]
            if _within((x1 - x0) / scale, DEFAULTS.widths) and float(dark.mean()) >= DEFAULTS.ink:
                yield corner[0] + x0, corner[1] + top, corner[0] + x1, corner[1] + bottom


def _within(value: float, bounds: tuple[float, float]) -> bool:
    return bounds[0] <= value <= bounds[1]


def _runs(filled: NDArray[np.bool_], gap: int) -> list[tuple[int, int]]:
    """Return (start, end) of runs of filled positions; gaps of at most `gap` positions do not end a run."""
    places = np.flatnonzero(filled)
    if not len(places):
        return []
    cuts = [0, *(np.flatnonzero(np.diff(places) > gap + 1) + 1).tolist(), len(places)]
    return [(int(places[first]), int(places[last - 1]) + 1) for first, last in pairwise(cuts)]
