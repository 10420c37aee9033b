"""Where the words of a query stand in a page: offsets in its text, a snippet around the best passage, boxes on the page."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any, Final

import pyarrow.compute as pc
import pyarrow.parquet as pq

from pipeline.search.answers import Box
from pipeline.search.query import Leaf
from pipeline.search.rank import Passage
from pipeline.search.read_tables import Shown, may_hold
from pipeline.search.terms import Word, is_unspaced, words_of
from transforms.storage.objects import look_up, open_file

#: Characters of a snippet, and of it before the passage.
_SNIPPET: Final = 240
_BEFORE: Final = 60
#: Row groups whose words are kept: of the hits of a page of results.
_KEPT: Final = 16
_RTL: Final = ("R", "AL")

Span = tuple[int, int]


def matched(words: Sequence[Word], leaves: Sequence[Leaf]) -> list[Span]:
    """Where the leaves stand, by the words of a text: start and end of each place, ascending, none within another."""
    marks: set[Span] = set()
    plain = {leaf.terms[0] for leaf in leaves if not leaf.is_phrase and not leaf.prefix}
    prefixes = tuple(leaf.terms[0] for leaf in leaves if not leaf.is_phrase and leaf.prefix)
    for word in words:
        if len(word.terms) == 1:
            if word.terms[0] in plain or (prefixes and word.terms[0].startswith(prefixes)):
                marks.add((word.start, word.end))
        else:
            for place, term in enumerate(word.terms):
                if term in plain:
                    marks.add((word.start + place, word.start + place + 2))
                elif prefixes and term.startswith(prefixes):
                    marks.add((word.start + place, word.start + place + 1))
            if prefixes and word.terms[-1][-1:] in prefixes:
                marks.add((word.end - 1, word.end))
    for leaf in leaves:
        if leaf.is_phrase:
            marks.update(_phrases(words, leaf))
    return _joined(sorted(marks))


def _phrases(words: Sequence[Word], leaf: Leaf) -> Iterator[Span]:
    terms = [
        (term, word.start + place, word.start + place + 2 if len(word.terms) > 1 else word.end)
        for word in words
        for place, term in enumerate(word.terms)
    ]
    length = len(leaf.terms)
    for at in range(len(terms) - length + 1):
        if all(terms[at + place][0] == term for place, term in enumerate(leaf.terms)):
            yield terms[at][1], terms[at + length - 1][2]


def _joined(marks: Sequence[Span]) -> list[Span]:
    """Overlapping places as one."""
    found: list[Span] = []
    for start, end in marks:
        if found and start < found[-1][1]:
            found[-1] = found[-1][0], max(end, found[-1][1])
        else:
            found.append((start, end))
    return found


def snippet_of(text: str, leaves: Sequence[Leaf], passage: Passage) -> tuple[list[Span], list[tuple[str, bool]], int]:
    """All places of the words in a page's text; its best passage with marks; where that begins.

    passage: in the folded text, where the words stand in the same order: so many places lie before it.
    """
    marks = matched(list(words_of(text)), leaves)
    start = _at(text, marks, passage)
    first = 0 if start <= _BEFORE else text.find(" ", start - _BEFORE, start) + 1 or start - _BEFORE
    last = len(text) if len(text) - first <= _SNIPPET else max(text.rfind(" ", first, first + _SNIPPET), start + 1)
    parts: list[tuple[str, bool]] = []
    at = first
    for begin, end in marks:
        if begin < first or end > last:
            continue
        if begin > at:
            parts.append((_plain(text[at:begin]), False))
        parts.append((_plain(text[begin:end]), True))
        at = end
    if at < last:
        parts.append((_plain(text[at:last]), False))
    if first and parts:
        parts.insert(0, ("… ", False))
    if last < len(text) and parts:
        parts.append((" …", False))
    return marks, parts, start


def _at(text: str, marks: Sequence[Span], passage: Passage) -> int:
    """The offset in the text of a passage that is known in the folded text, which may be longer or shorter: the nearest mark."""
    return min(
        (start for start, _ in marks), key=lambda start: abs(start - passage.start), default=min(passage.start, max(len(text) - 1, 0))
    )


def _plain(text: str) -> str:
    return text.replace("\n", " ")


class WordBoxes:
    """Boxes of words, from the table `pages`."""

    def __init__(self, shown: Shown) -> None:
        self._shown = shown
        self._words = lru_cache(_KEPT)(self._read)

    def of(self, doc_id: str, stem: str, page: int, text: str, marks: Sequence[Span]) -> list[Box]:
        """A box for each word, or part of one, that is marked. text: of the page."""
        if not marks:
            return []
        found: list[Box] = []
        at = 0
        for word in self._words(doc_id, stem).get(page, ()):
            while at < len(marks) and marks[at][1] <= word["start"]:
                at += 1
            for start, end in marks[at:]:
                if start >= word["end"]:
                    break
                found.append(_cut(page, word, text, max(start, word["start"]), min(end, word["end"])))
        return found

    def _read(self, doc_id: str, stem: str) -> dict[int, list[dict[str, Any]]]:
        """The words of a document's pages."""
        uri = self._shown.parts.get(("pages", stem))
        if uri is None:
            return {}
        with open_file(look_up(uri)) as file:
            part = pq.ParquetFile(file)
            groups = [at for at in range(part.num_row_groups) if may_hold(part, at, (doc_id,))]
            rows = part.read_row_groups(groups, columns=["doc_id", "page", "words"])
            rows = rows.filter(pc.equal(rows["doc_id"], doc_id))
            return dict(zip(rows["page"].to_pylist(), rows["words"].to_pylist(), strict=True))


def _cut(page: int, word: dict[str, Any], text: str, start: int, end: int) -> Box:
    """The share of a word's box: along the longer side of scripts without spaces, backwards in those from right to left."""
    x0, top, x1, bottom = (float(word[name]) for name in ("x0", "top", "x1", "bottom"))
    length = word["end"] - word["start"]
    begin, stop = (start - word["start"]) / length, (end - word["start"]) / length
    written = text[word["start"] : word["end"]]
    if is_unspaced(written) and bottom - top > x1 - x0:
        return Box(page, x0, top + begin * (bottom - top), x1, top + stop * (bottom - top))
    if any(unicodedata.bidirectional(each) in _RTL for each in written):
        begin, stop = 1.0 - stop, 1.0 - begin
    return Box(page, x0 + begin * (x1 - x0), top, x0 + stop * (x1 - x0), bottom)
