"""Pages that match, best first.

The text of a page says how well it answers: how much of the query's weight it has, how close together, how much of it in one of its
headings. Words weigh by their rarity (Robertson and Spärck Jones 1976), and count on a page as in BM25 (Robertson and Zaragoza, The
Probabilistic Relevance Framework: BM25 and Beyond, 2009).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache
from typing import Final

from msgspec import Struct

from pdfmill.pipeline.search.index_file import StoredPage
from pdfmill.pipeline.search.matching import Counted
from pdfmill.pipeline.search.occurrences import sought
from pdfmill.pipeline.search.query import Leaf
from pdfmill.pipeline.search.terms import fold_page, fold_text, terms_of
from pdfmill.schemas.compiled import fastest

_LOOPS: Final = fastest("pdfmill.pipeline.search.page_loops")


class RankSettings(Struct, frozen=True):
    """candidates: pages, the best by BM25, whose text is looked at. k1, b: of BM25. length: characters of a page on average. form: what
    another form of a word weighs against the word. window: characters that a passage spans in which words count as close together; about
    three lines. heading, close, title: what the share of the query's weight counts in a heading, in the best passage, in the document's
    title, against all of BM25 in the text. Chosen by `make search-quality` on one half of the documents, shown on the other.
    """

    candidates: int = 150
    k1: float = 1.2
    b: float = 0.75
    length: float = 2500.0
    form: float = 0.6
    window: int = 240
    heading: float = 1.0
    close: float = 4.0
    title: float = 0.1


DEFAULT_RANK: Final = RankSettings()
#: What sums of the same weights in another order differ by at most.
_ROUNDING: Final = -1e-9


def weigh(counted: Sequence[Counted], total: int) -> list[float]:
    """The inverse document frequency of each leaf. total: pages in the index."""
    return [math.log(1 + (max(total, each.pages) - each.pages + 0.5) / (each.pages + 0.5)) for each in counted]


class Passage(Struct):
    """How well a page answers. at: about where its best passage begins in the page's text."""

    score: float
    at: int


class Ranker:
    """Judges pages by their text."""

    def __init__(self, leaves: Sequence[Leaf], weights: Sequence[float], settings: RankSettings) -> None:
        self._sought = [sought(leaf) for leaf in leaves]
        self._weights = list(weights)
        self._settings = settings
        self._whole = sum(self._weights) or 1.0

    def judge(self, page: StoredPage, title: str, kind_places: Sequence[tuple[int, int]] | None = None) -> Passage:
        """The page's score and best passage. kind_places: (start, end) of the text that counts, where not all does."""
        text = page.text if kind_places is None else "\n".join(page.text[start:end] for start, end in kind_places)
        folded = fold_page(text)
        settings = self._settings
        places = [each.places(folded) for each in self._sought]
        weights = self._weights
        if not all(places):  # other forms of words that the page lacks
            weights = [weight if own else weight * settings.form for weight, own in zip(weights, places, strict=True)]
            places = [own or each.forms(folded) for each, own in zip(self._sought, places, strict=True)]
        norm = settings.k1 * (1 - settings.b + settings.b * len(text) / settings.length)
        counts = [len(each) // 2 for each in places]
        score = sum(weight * count * (settings.k1 + 1) / (count + norm) for weight, count in zip(weights, counts, strict=True) if count)
        here = [number for number, count in enumerate(counts) if count]
        headings = (_folded(page.text[start:end]) for start, end in page.headings)
        score += settings.heading * max((self._heading(each, here) for each in headings), default=0.0)
        score += settings.title * self._held(_folded(title))
        close, start = _LOOPS.closest(places, weights, settings.window, _ROUNDING)
        score += settings.close * close
        return Passage(score / self._whole, _offset(start * len(text) // max(1, len(folded)), kind_places))

    def _held(self, folded: str) -> float:
        """Weight of the words that stand in a text."""
        return sum(weight for weight, each in zip(self._weights, self._sought, strict=True) if each.stands_in(folded))

    def _heading(self, folded: str, here: Sequence[int]) -> float:
        """Weight of the words that stand in a heading, less where it has many others. here: the words that stand on its page."""
        held = [self._weights[number] for number in here if self._sought[number].stands_in(folded)]
        return sum(held) * (0.5 + 0.5 * min(1.0, len(held) / len(terms_of(folded)))) if held else 0.0


def _offset(at: int, places: Sequence[tuple[int, int]] | None) -> int:
    """An offset into stretches of a text that were put together, with a character between them, as one into the text."""
    for start, end in places or ():
        if at <= end - start:
            return start + at
        at -= end - start + 1
    return at


@lru_cache(20_000)
def _folded(text: str) -> str:
    """`fold_text` of titles and headings, of which the same come again."""
    return fold_text(text)
