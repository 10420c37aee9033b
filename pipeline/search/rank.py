"""Rank matching pages, best first.
A page's score depends on how many of the query's words it contains, how close together, and how many of them one heading has. Words are
weighted by their rarity (Robertson and Spärck Jones 1976), and by their frequency on a page as in BM25 (Robertson and Zaragoza, The
Probabilistic Relevance Framework: BM25 and Beyond, 2009)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from pdfmill.pipeline.search.index_file import StoredPage
from pdfmill.pipeline.search.query import Leaf
from pdfmill.pipeline.search.terms import fold_text, is_unspaced
from pdfmill.pipeline.search.word_forms import is_form

#: Separates joined texts. Words are separated by one space, so no phrase matches across it.
_BETWEEN: Final = " \n "
Span = tuple[int, int]
Numbers = NDArray[np.int64]
Floats = NDArray[np.float64]


class Texts:
    """Several normalised texts joined into one, so that one pass searches all. starts: offset of each text, and at last the end."""

    def __init__(self, folded: Sequence[str]) -> None:
        self._whole = f" {_BETWEEN.join(folded)} "
        self.lengths = np.fromiter(map(len, folded), np.int64, len(folded))
        self.starts = 1 + np.concatenate(([0], np.cumsum(self.lengths + len(_BETWEEN))))

    def places(self, leaf: Leaf) -> list[Span]:
        """Return (start, end) of each occurrence of a word or phrase of the query in the joined text, ascending."""
        return sorted(place for word in leaf.words or (leaf.text,) for place in self._spans(word, leaf.prefix))

    def _spans(self, text: str, is_prefix: bool) -> Iterator[Span]:
        is_open = is_unspaced(text[-1])  # also matches the beginning of a pair
        needle = f" {text}{' ' * (not is_open and not is_prefix)}"
        at = self._whole.find(needle)
        while at >= 0:
            end = at + 1 + len(text)
            yield at + 1, self._whole.index(" ", end) if is_prefix and not is_open else end
            at = self._whole.find(needle, at + 1)

    def forms(self, leaf: Leaf, number: int) -> list[Span]:
        """Return (start, end) in the joined text of the words of text `number` that are other forms of the leaf's word."""
        found: set[Span] = set()
        first, last = self.starts[number : number + 2].tolist()
        for root in leaf.forms.roots:
            at = self._whole.find(root, first, last)
            while at >= 0:
                start, end = self._whole.rindex(" ", 0, at + 1) + 1, self._whole.index(" ", at)
                if is_form(word := self._whole[start:end], leaf.forms.roots) and word != leaf.text:
                    found.add((start, end))
                at = self._whole.find(root, end, last)
        return sorted(found)

    def counts(self, places: Sequence[Span]) -> Numbers:
        """Return the number of occurrences in each text (int[texts]). places: (start, end) of each in the joined text."""
        return np.bincount(np.searchsorted(self.starts, [start for start, _ in places], "right") - 1, minlength=len(self.lengths))


#: Weights and lengths, chosen by `make search-quality` on one half of the documents and confirmed on the other. BM25's `k1` (the higher,
#: the more repetitions of a word count) and `b` (influence of a page's length, from 0 to 1), and a page's average length in characters.
_K1, _B, _LENGTH = 1.2, 0.75, 2500.0
#: Weight of another form of a word, relative to the word.
_FORM: Final = 0.6
#: Characters, about three lines; words within this length count as close together.
_WINDOW: Final = 240
#: Weights of the query's words in a heading, in one that has hardly any other words, and in the page's best passage, relative to their BM25
#: scores in the page's text.
_HEADING, _NAMED, _CLOSE = 2.0, 4.0, 12.0
#: Most words of the query, the heaviest, that determine the best passage, and most occurrences of each that are examined on all candidates
#: together. They limit the time and memory of a query of many common words.
_JUDGED: Final = 12
_PLACES: Final = 6_000


class Ranker:
    """Scores pages for one query by their text."""

    def __init__(self, leaves: Sequence[Leaf], total: int) -> None:
        """Make a ranker. leaves: words and phrases of the query. total: number of pages in the index."""
        self._leaves = leaves
        pages = np.array([leaf.pages for leaf in leaves])
        self._weights: Floats = np.log(1 + (np.maximum(total, pages) - pages + 0.5) / (pages + 0.5))  # inverse document frequencies

    def judge(self, pages: Sequence[StoredPage], kind: str | None = None) -> list[tuple[float, int]]:
        """Return for each page its score, and the offset of its best passage in its normalised text. kind: only text in sections of this
        kind counts; None for all."""
        texts = Texts([fold_text(page.of_kind(kind)) for page in pages])
        # pairs of neighbouring characters make a text longer than it is written
        stretch = np.maximum(1.0, texts.lengths / [max(1, len(page.text)) for page in pages])
        found = [self._places(texts, leaf) for leaf in self._leaves]
        counts = np.stack([texts.counts(places) for places, _ in found], axis=1)
        weights = self._weights * np.where(np.stack([own for _, own in found], axis=1), 1.0, _FORM)
        norm = _K1 * (1 - _B + _B * texts.lengths / stretch / _LENGTH)
        scores: Floats = (weights * counts * (_K1 + 1) / (counts + norm[:, None])).sum(axis=1)
        scores += self._headings(pages, weights * (counts > 0))
        close, starts = self._closest(texts, [places for places, _ in found], weights, stretch)
        scores = (scores + _CLOSE * close) / (self._weights.sum() or 1.0)
        return list(zip(scores.tolist(), starts.tolist(), strict=True))

    def _places(self, texts: Texts, leaf: Leaf) -> tuple[list[Span], NDArray[np.bool_]]:
        """Return (start, end) of the occurrences of a word or phrase in the joined text, and bool[pages]: which pages contain it exactly.
        For other pages the occurrences of the word's other forms are returned."""
        places = texts.places(leaf)
        own = texts.counts(places) > 0
        if leaf.forms.roots:
            places = sorted([*places, *(place for page in np.flatnonzero(~own).tolist() for place in texts.forms(leaf, page))])
        return places, own

    def _headings(self, pages: Sequence[StoredPage], weights: Floats) -> Floats:
        """Return float[pages]: a score for the query's words in the best heading of each page, reduced by its other words. weights:
        float[pages, leaves], of each word of the query on each page."""
        found = np.zeros(len(pages))
        every = [fold_text(page.text[start:end]) for page in pages for start, end in page.headings]
        if every:
            texts, owners = Texts(every), np.repeat(np.arange(len(pages)), [len(page.headings) for page in pages])
            held = np.stack([texts.counts(texts.places(leaf)) > 0 for leaf in self._leaves], axis=1) * (weights[owners] > 0)
            words = np.array([max(1, len(heading.split())) for heading in every])
            share = np.minimum(1.0, held.sum(axis=1) / words)
            worth = _HEADING * (0.5 + 0.5 * share) + _NAMED * share**3
            np.maximum.at(found, owners, (held * weights[owners]).sum(axis=1) * worth)
        return found

    def _closest(self, texts: Texts, places: Sequence[list[Span]], weights: Floats, stretch: Floats) -> tuple[Floats, Numbers]:
        """Return for each page the score of its best passage (the weights of its words, reduced by its length), and the passage's offset.
        places: (start, end) of each word's occurrences in the joined text. weights: float[pages, leaves], of each word on each page.
        stretch: float[pages], by how much each text is longer than it is written."""
        count = len(texts.lengths)
        heaviest = np.argsort(-self._weights, kind="stable")[:_JUDGED].tolist()
        spans = [np.array(places[leaf][:_PLACES], np.int64).reshape(-1, 2) for leaf in heaviest]
        starts = np.unique(np.concatenate([each[:, 0] for each in spans]))
        best, at = np.zeros(count), np.zeros(count, np.int64)
        if not len(starts):
            return best, at
        owners = np.searchsorted(texts.starts, starts, "right") - 1
        ends, worth = np.empty((len(starts), len(spans))), np.zeros((len(starts), len(spans)))
        for column, (leaf, each) in enumerate(zip(heaviest, spans, strict=True)):
            padded = np.vstack([each, [[texts.starts[-1]] * 2]])[np.searchsorted(each[:, 0], starts)]
            within = (padded[:, 0] - starts <= _WINDOW * stretch[owners]) & (padded[:, 0] < texts.starts[owners + 1])
            ends[:, column] = (padded[:, 1] - starts) / stretch[owners]
            worth[:, column] = np.where(within, weights[owners, leaf], 0.0)
        order = np.argsort(ends, axis=1, kind="stable")
        held = np.cumsum(np.take_along_axis(worth, order, axis=1), axis=1)
        values = (held * 2 * _WINDOW / (2 * _WINDOW + np.take_along_axis(ends, order, axis=1))).max(axis=1)
        ranked = np.lexsort((-starts, values))  # so that a page's best is written last; of equal ones, the first on the page
        best[owners[ranked]], at[owners[ranked]] = values[ranked], (starts - texts.starts[owners])[ranked]
        return best, at
