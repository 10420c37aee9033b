"""Marks for matches of a search: their boxes in document order, and the ranges of a page's text under them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final, NamedTuple

import numpy as np
from msgspec import Struct

from pdfmill.pipeline.render.rows import box_in, structs_in, text_in, whole_in
from pdfmill.schemas.records import Row

#: Boxes on one line become one mark if the gap between them is at most this fraction of their height, as between the words of a phrase.
_JOIN_SPACE: Final = 0.6
#: Boxes are on one line if they share at least this fraction of the smaller one's height.
_SAME_LINE: Final = 0.5
#: Share of a word's box that must be covered to mark it. It is low, because a matched part of a word has only a part of its box.
_COVERED: Final = 0.2


class Box(NamedTuple):
    """A rectangle on a page: points from the top left."""

    x0: float
    top: float
    x1: float
    bottom: float


class Match(Struct, frozen=True):
    """One place on a page where the query matches. number: from 1, in document order."""

    number: int
    page: int
    box: Box


class Placed(NamedTuple):
    page: int
    box: Box


def matches_of(placed: Iterable[Placed]) -> list[Match]:
    """Return the matches page by page, from boxes with their pages. Neighbouring boxes on a line, and equal boxes, become one match."""
    by_page: dict[int, list[Box]] = {}
    for page, box in placed:
        by_page.setdefault(page, []).append(box)
    joined = ((page, box) for page in sorted(by_page) for box in _joined(by_page[page]))
    return [Match(number, page, box) for number, (page, box) in enumerate(joined, start=1)]


def _joined(boxes: Sequence[Box]) -> Iterator[Box]:
    last: Box | None = None
    for box in dict.fromkeys(boxes):
        if last is not None and _are_neighbours(last, box):
            last = Box(min(last.x0, box.x0), min(last.top, box.top), max(last.x1, box.x1), max(last.bottom, box.bottom))
            continue
        if last is not None:
            yield last
        last = box
    if last is not None:
        yield last


def _are_neighbours(one: Box, other: Box) -> bool:
    height = min(one.bottom - one.top, other.bottom - other.top)
    shared = min(one.bottom, other.bottom) - max(one.top, other.top)
    space = max(one.x0, other.x0) - min(one.x1, other.x1)
    return shared >= _SAME_LINE * height and space <= _JOIN_SPACE * height


class Span(NamedTuple):
    """A marked range of a page's text. match: index of the box that marks it."""

    start: int
    end: int
    match: int


def spans_under(page: Row, boxes: Sequence[Box]) -> list[Span]:
    """Return the ranges of a page's text under the boxes, which mark its matches. Neighbouring words under one box form one range.
    page: a row of `pages`."""
    words = structs_in(page, "words")
    if not words or not boxes:
        return []
    text = text_in(page, "text")
    corners = np.array([box_in(word) for word in words])
    covered = np.stack([_shares(corners, box) for box in boxes])
    under, best = covered.max(axis=0) >= _COVERED, covered.argmax(axis=0)
    found: list[Span] = []
    for place in np.flatnonzero(under).tolist():
        start, end = _trimmed(text, whole_in(words[place], "start") or 0, whole_in(words[place], "end") or 0)
        if found and found[-1].match == best[place] and not any(map(str.isalnum, text[found[-1].end : start])):
            found[-1] = Span(found[-1].start, end, found[-1].match)
        else:
            found.append(Span(start, end, int(best[place])))
    return found


def _trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    """Return the range of a word without punctuation and quotation marks around it; a single sign is kept."""
    first = next((place for place in range(start, end) if text[place].isalnum()), start)
    last = next((place for place in range(end, first, -1) if text[place - 1].isalnum()), end)
    return first, last


def _shares(corners: np.ndarray[tuple[int, int], np.dtype[np.float64]], box: Box) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    across = np.minimum(corners[:, 2], box.x1) - np.maximum(corners[:, 0], box.x0)
    down = np.minimum(corners[:, 3], box.bottom) - np.maximum(corners[:, 1], box.top)
    areas = (corners[:, 2] - corners[:, 0]) * (corners[:, 3] - corners[:, 1])
    shares: np.ndarray[tuple[int], np.dtype[np.float64]] = across.clip(0) * down.clip(0) / np.maximum(areas, 1e-6)
    return shares


def boxes_between(page: Row, start: int, end: int) -> list[Box]:
    """Return the boxes of the words in text[start:end] of a page, joined line by line. page: a row of `pages`."""
    touched = [word for word in structs_in(page, "words") if (whole_in(word, "end") or 0) > start and (whole_in(word, "start") or 0) < end]
    return list(_joined([Box(*box_in(word)) for word in touched]))


class Piece(NamedTuple):
    """A part of a text that is either marked as a whole or not. match: index of its mark; -1 if it is not marked."""

    text: str
    match: int


def pieces_of(text: str, start: int, spans: Iterable[Span]) -> list[Piece]:
    """Split the text, which begins at offset `start` of its page, at the marked ranges.

    >>> pieces_of("a red bridge", 10, [Span(12, 15, 0)])
    [Piece(text='a ', match=-1), Piece(text='red', match=0), Piece(text=' bridge', match=-1)]
    """
    pieces: list[Piece] = []
    position = 0
    for span in spans:
        first, last = max(span.start - start, position), min(span.end - start, len(text))
        if first >= last:
            continue
        pieces += [Piece(text[position:first], -1)] * (first > position) + [Piece(text[first:last], span.match)]
        position = last
    return pieces + [Piece(text[position:], -1)] * (position < len(text))
