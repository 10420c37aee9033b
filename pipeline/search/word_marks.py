"""Where the words of a query stand in a page: offsets in its text, a snippet around the best passage, boxes on the page."""

from __future__ import annotations

import threading
import unicodedata
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any, Final

import pyarrow as pa
import pyarrow.compute as pc

from pdfmill.pipeline.search.answers import Box, SearchError
from pdfmill.pipeline.search.occurrences import occurrences
from pdfmill.pipeline.search.query import Leaf
from pdfmill.pipeline.search.read_tables import OpenPart
from pdfmill.pipeline.search.terms import Word, fold_in_place, folded_words, is_unspaced, pairs, words_of
from pdfmill.pipeline.search.word_forms import is_form
from pdfmill.transforms.storage.errors import SourceError
from pdfmill.transforms.tables.table_reader import HeldTables

#: Characters of a snippet, and of it before the passage.
_SNIPPET: Final = 240
_BEFORE: Final = 60
#: Row groups whose words are kept: of the hits of a page of results.
_KEPT: Final = 16
#: Parts whose footers are kept.
_OPEN: Final = 32
#: What is read of `pages`.
_READ: Final = ["doc_id", "page", "words"]
_RTL: Final = ("R", "AL")

Span = tuple[int, int]


def matched(text: str, leaves: Sequence[Leaf]) -> list[Span]:
    """Where the leaves stand in a text: start and end of each place, ascending, none within another."""
    marks: set[Span] = set()
    if (in_place := fold_in_place(text)) is not None:
        for leaf in leaves:
            marks.update(occurrences(in_place, leaf))
        return _joined(sorted(marks))
    plain = {word for leaf in leaves if not leaf.is_phrase and not leaf.prefix for word in leaf.words or leaf.terms}
    roots = tuple(root for leaf in leaves for root in leaf.forms.roots)
    prefixes = tuple(leaf.terms[0] for leaf in leaves if not leaf.is_phrase and leaf.prefix)
    for start, end, folded, unspaced in folded_words(text):
        if not unspaced:
            if folded in plain or (prefixes and folded.startswith(prefixes)) or is_form(folded, roots):
                marks.add((start, end))
            continue
        for place, term in enumerate(pairs(folded)):
            if term in plain:
                marks.add((start + place, start + place + 2))
        if prefixes:
            marks.update((start + place, start + place + 1) for place, each in enumerate(folded) if each in prefixes)
    for leaf in leaves:
        if leaf.is_phrase:
            marks.update(_phrases(list(words_of(text)), leaf))
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


def snippet_of(text: str, leaves: Sequence[Leaf], at: int) -> tuple[list[tuple[str, bool]], int]:
    """A stretch of a page's text around its best passage, with marks; where the passage begins. at: about where that is."""
    begin = max(0, at - _SNIPPET)
    marks = [(begin + start, begin + end) for start, end in matched(text[begin : at + 2 * _SNIPPET], leaves)]
    start = min((start for start, _ in marks), key=lambda start: abs(start - at), default=min(at, max(len(text) - 1, 0)))
    first = 0 if start <= _BEFORE else text.find(" ", start - _BEFORE, start) + 1 or start - _BEFORE
    last = len(text) if len(text) - first <= _SNIPPET else max(text.rfind(" ", first, first + _SNIPPET), start + _BEFORE)
    parts = [("… ", False)] if first else []
    done = first
    for begin, end in marks:
        if done <= begin and end <= last:
            parts += [(_plain(text[done:begin]), False), (_plain(text[begin:end]), True)]
            done = end
    parts.append((_plain(text[done:last]), False))
    if last < len(text):
        parts.append((" …", False))
    return [part for part in parts if part[0]], start


def _plain(text: str) -> str:
    return text.replace("\n", " ")


class WordBoxes:
    """Boxes of words, from the table `pages`."""

    def __init__(self, shown: HeldTables) -> None:
        self._shown = shown
        self._lock = threading.Lock()  # a file is read by one thread at a time
        self._parts = lru_cache(_OPEN)(OpenPart)
        self._words = lru_cache(_KEPT)(self._read)

    def of(self, doc_id: str, stem: str, page: int, text: str, leaves: Sequence[Leaf]) -> list[Box]:
        """A box for each word, or part of one, that is looked for. text: of the page.

        Raises:
            SearchError: the tables cannot be read.
        """
        marks = matched(text, leaves)
        uris = self._shown.uris("pages", stem)
        if not marks or not uris:
            return []
        try:
            with self._lock:
                words = self._of_page(uris, doc_id, page)
        except (SourceError, OSError, pa.ArrowException) as error:
            raise SearchError(f"{uris[0]} cannot be read, perhaps another run has replaced it: {error}") from error
        found: list[Box] = []
        at = 0
        for word in words:
            while at < len(marks) and marks[at][1] <= word["start"]:
                at += 1
            for start, end in marks[at:]:
                if start >= word["end"]:
                    break
                found.append(_cut(page, word, text, max(start, word["start"]), min(end, word["end"])))
        return found

    def _of_page(self, uris: Sequence[str], doc_id: str, page: int) -> list[dict[str, Any]]:
        for uri in uris:
            for group in self._parts(uri).groups_with(doc_id, page):
                for rows in self._rows(uri, group):
                    found = rows.filter(pc.and_(pc.equal(rows["doc_id"], doc_id), pc.equal(rows["page"], page)))
                    if found.num_rows:
                        words: list[dict[str, Any]] = found["words"].to_pylist()[0] or []
                        return words
        return []

    def _rows(self, uri: str, group: int) -> Iterator[pa.Table | pa.RecordBatch]:
        """A row group, which is kept, or piece by piece where it is large."""
        whole = self._words(uri, group)
        return iter([whole]) if whole is not None else self._parts(uri).batches([group], _READ)

    def _read(self, uri: str, group: int) -> pa.Table | None:
        return self._parts(uri).read(group, _READ)


def _cut(page: int, word: dict[str, Any], text: str, start: int, end: int) -> Box:
    """The share of a word's box: along the longer side of scripts without spaces, backwards in those from right to left. With stops and
    quotation marks around it a word has its whole box: they are narrower than their share, which would cut its letters."""
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
