"""Locate the words of a query on a page: offsets in its text, a snippet around the best passage, boxes."""

from __future__ import annotations

import unicodedata
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from typing import Any, Final

import pyarrow.compute as pc

from pdfmill.pipeline.search.answers import Box
from pdfmill.pipeline.search.query import Leaf
from pdfmill.pipeline.search.rank import Span, Texts
from pdfmill.pipeline.search.terms import is_unspaced, placed_terms
from pdfmill.transforms.tables.table_reader import HeldTables, read_batches

#: Most characters of a snippet, and of its text before the best passage.
_SNIPPET: Final = 240
_BEFORE: Final = 60
_RTL: Final = ("R", "AL")


def marks_of(text: str, leaves: Sequence[Leaf], at: int) -> tuple[list[Span], int]:
    """Return (start, end) in a page's text where these words or phrases of the query (`leaves`), or other forms of them, occur; ascending,
    with overlaps merged. Also return the offset in the page's text of the character at offset `at` of its normalised text."""
    folded, places = placed_terms(text)
    texts, found = Texts([folded]), list[Span]()
    for start, end in sorted({span for leaf in leaves for span in (*texts.places(leaf), *texts.forms(leaf, 0))}):
        first, last = int(places[start - 1]), int(places[end - 1])
        if found and first < found[-1][1]:
            first, last = found[-1][0], max(last, found.pop()[1])
        found.append((first, last))
    return found, int(places[at])


def snippet_of(text: str, marks: Sequence[Span], at: int) -> tuple[list[tuple[str, bool]], int]:
    """Return a snippet of a page's text around its best passage, as (text, whether it is marked), and the passage's offset.
    marks: (start, end) of the matched words. at: approximate offset of the passage."""
    start = min((start for start, _ in marks), key=lambda start: abs(start - at), default=min(at, max(len(text) - 1, 0)))
    first = 0 if start <= _BEFORE else text.find(" ", start - _BEFORE, start) + 1 or start - _BEFORE
    last = len(text) if len(text) - first <= _SNIPPET else max(text.rfind(" ", first, first + _SNIPPET), start + _BEFORE)
    parts = [("… ", False)] if first else []
    done = first
    for begin, end in marks:
        if done <= begin and end <= last:
            parts += [(text[done:begin], False), (text[begin:end], True)]
            done = end
    parts += [(text[done:last], False), (" …" * (last < len(text)), False)]
    return [(part.replace("\n", " "), is_marked) for part, is_marked in parts if part], start


def page_words(shown: HeldTables, stem: str, doc_id: str, page: int) -> list[dict[str, Any]]:
    """Return the words of a page with their boxes, as the table `pages` has them. stem: name of the page's Parquet file.

    Raises:
        SourceError: the tables cannot be read.
    """
    for batch in read_batches(shown, stem, "pages", ["doc_id", "page", "words"], [doc_id]):
        rows = batch.filter(pc.equal(batch["page"], page))
        if rows.num_rows:
            return rows["words"].to_pylist()[0] or []
    return []


def boxes_of(words: Sequence[dict[str, Any]], page: int, text: str, marks: Sequence[Span]) -> list[Box]:
    """Return a box for each marked word, or marked part of a word. words: from `page_words`. marks: (start, end) in `text`, the page's."""
    starts, ends = [word["start"] for word in words], [word["end"] for word in words]
    return [
        _cut(page, word, text, max(start, word["start"]), min(end, word["end"]))
        for start, end in marks
        for word in words[bisect_right(ends, start) : bisect_left(starts, end)]
    ]


def _cut(page: int, word: dict[str, Any], text: str, start: int, end: int) -> Box:
    """Return the part of a word's box for text[start:end], in proportion to the characters, in reading direction; punctuation is not cut
    off."""
    if not any(map(str.isalnum, text[word["start"] : start] + text[end : word["end"]])):
        start, end = word["start"], word["end"]
    x0, top, x1, bottom = (float(word[name]) for name in ("x0", "top", "x1", "bottom"))
    length = word["end"] - word["start"]
    begin, stop = (start - word["start"]) / length, (end - word["start"]) / length
    written = text[word["start"] : word["end"]]
    if is_unspaced(written) and bottom - top > x1 - x0:
        return Box(page, x0, top + begin * (bottom - top), x1, top + stop * (bottom - top))
    if any(unicodedata.bidirectional(each) in _RTL for each in written):
        begin, stop = 1.0 - stop, 1.0 - begin
    return Box(page, x0 + begin * (x1 - x0), top, x0 + stop * (x1 - x0), bottom)
