"""Which pages answer a query, best first.

The index says which pages hold the words; of the most promising the text says how well: how much of the query's weight a page has, how
close together, how much of it in one of its headings. Words weigh by their rarity (Robertson and Spärck Jones 1976), and count on a page as
in BM25 (Robertson and Zaragoza, The Probabilistic Relevance Framework: BM25 and Beyond, 2009).
"""

from __future__ import annotations

import heapq
import math
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, NamedTuple

from pdfmill.pipeline.search.index_file import StoredPage
from pdfmill.pipeline.search.occurrences import sought
from pdfmill.pipeline.search.query import HEADING, OFTEN, PATH, TITLE, Leaf, Node, Query, Without, expression
from pdfmill.pipeline.search.terms import fold_page, fold_text, terms_of
from pdfmill.schemas.compiled import fastest

_LOOPS: Final = fastest("pdfmill.pipeline.search.page_loops")


@dataclass(frozen=True, slots=True)
class RankSettings:
    """candidates: pages whose text is looked at. common_share: of all pages; words that stand on more of them find none, they only rank.
    asked: how often the index is asked for pages with fewer of the words. least_weight: share of the query's weight that a page must have
    then. rarest: so many words find pages, the rarest ones.
    k1, b: of BM25. window: characters that a passage spans in which words count as close together; about three lines.
    heading, close, title: what the share of the query's weight counts in a heading, in the best passage, in the document's title, against
    all of BM25 in the text. Chosen by `make search-quality` on one half of the documents, shown on the other.
    """

    candidates: int = 24
    common_share: float = 0.2
    asked: int = 16
    least_weight: float = 0.4
    rarest: int = 10
    k1: float = 1.2
    b: float = 0.75
    window: int = 240
    heading: float = 1.0
    close: float = 4.0
    title: float = 0.1


DEFAULT_RANK: Final = RankSettings()
#: What sums of the same weights in another order differ by at most.
_ROUNDING: Final = -1e-9


@dataclass(frozen=True, slots=True)
class Weighed:
    """A leaf with what it weighs, and how many pages have it."""

    leaf: Leaf
    weight: float
    pages: int


def weigh(database: sqlite3.Connection, leaves: Sequence[Leaf], total: int) -> list[Weighed]:
    """The leaves with their inverse document frequency. total: pages in the index."""
    return [
        Weighed(leaf, math.log(1 + (total - pages + 0.5) / (pages + 0.5)), pages)
        for leaf in leaves
        for pages in [_pages_with(database, leaf, total)]
    ]


def _pages_with(database: sqlite3.Connection, leaf: Leaf, total: int) -> int:
    """About how many pages have the leaf: those of its rarest term. Of terms that many have this is noted; others are counted."""
    counts: list[int] = []
    for place, term in enumerate(leaf.terms):
        first = f"{leaf.field or ''}{term}"
        asked, values = "term = ?", [first]
        is_begin = leaf.prefix and place == len(leaf.terms) - 1
        if is_begin:
            asked, values = "term >= ? AND term < ?", [first, first + "\U0010ffff"]
        (noted,) = database.execute(f"SELECT coalesce(sum(pages), 0) FROM common WHERE {asked}", values).fetchone()
        if noted < (total if is_begin else 1):
            (noted,) = database.execute(f"SELECT coalesce(sum(doc), 0) FROM vocabulary WHERE {asked}", values).fetchone()
        counts.append(noted)
    return min(total, *counts)


class Found(NamedTuple):
    """numbers: of the pages to look at. more: what more pages match than those; None where these are all."""

    numbers: list[int]
    more: str | None


def found_pages(
    ask: Callable[[str, int], list[int]], query: Query, weighed: Sequence[Weighed], total: int, wanted: int, settings: RankSettings
) -> Found:
    """Pages to look at, `wanted` at most, the most promising first. ask: gives those that match an expression of FTS5, at most so many."""
    if query.root is not None:
        asked = [*_first(query), expression(query.root)]
        given = [ask(each, wanted) for each in asked]
        numbers = dict.fromkeys(number for each in given for number in each)
        return Found(list(numbers)[:wanted], asked[-1] if len(given[-1]) == wanted else None)
    found: dict[int, None] = {}
    more = None
    for turn, leaves in enumerate(_subsets(query, weighed, total, settings)):
        for each in _expressions(leaves):
            last = ask(each, wanted)
            found |= dict.fromkeys(last)
            if not turn and len(last) == wanted:
                more = " AND ".join(leaf.expression() for leaf in leaves)
        if len(found) >= wanted or turn + 1 == settings.asked:
            break
    return Found(list(found)[:wanted], more)


def _first(query: Query) -> Iterator[str]:
    """Where all that is looked for, as far as it is in no field, stands in headings."""
    plain = [leaf for leaf in query.leaves if leaf.field is None]
    if plain and len(plain) == len(query.leaves):
        assert query.root is not None
        yield f"({_in(HEADING, plain)}) AND {expression(query.root)}"


def _in(sign: str, leaves: Sequence[Leaf]) -> str:
    return " AND ".join(Leaf(leaf.terms, sign, leaf.prefix).expression() for leaf in leaves)


def _expressions(leaves: Sequence[Leaf]) -> Iterator[str]:
    """What FTS5 is asked for pages that have all these: first those that have them in headings, or often."""
    plain = [leaf for leaf in leaves if leaf.field is None]
    rest = [leaf.expression() for leaf in leaves if leaf.field is not None]
    if plain:
        yield " AND ".join([_in(HEADING, plain), *rest])
        yield " AND ".join([_in(OFTEN, plain), *rest])
    yield " AND ".join(leaf.expression() for leaf in leaves)


def _subsets(query: Query, weighed: Sequence[Weighed], total: int, settings: RankSettings) -> Iterator[list[Leaf]]:
    """What pages are asked for one after the other: all words, then fewer, those first that lose the least weight."""
    needed = [each.leaf for each in weighed if each.leaf in query.needed]
    plain = sorted((each for each in weighed if each.leaf not in query.needed and each.pages), key=lambda each: each.weight)
    rare = [each for each in plain if each.pages <= settings.common_share * total]
    plain = (rare or plain)[-settings.rarest :]
    whole = sum(each.weight for each in plain)
    if not plain:
        if needed:
            yield needed
        return
    waiting: list[tuple[float, tuple[int, ...]]] = [(0.0, ())]  # (weight lost, places of what is left out, ascending)
    while waiting:
        lost, out = heapq.heappop(waiting)
        if lost and lost > (1.0 - settings.least_weight) * whole:
            return
        left = [each.leaf for place, each in enumerate(plain) if place not in out]
        if left or needed:
            yield [*needed, *left]
        for place in range(out[-1] + 1 if out else 0, len(plain)):
            heapq.heappush(waiting, (lost + plain[place].weight, (*out, place)))


@dataclass(slots=True)
class Passage:
    """How well a page answers. at: about where its best passage begins in the page's text."""

    score: float
    at: int


class Ranker:
    """Judges pages by their text."""

    def __init__(self, query: Query, weighed: Sequence[Weighed], length: float, settings: RankSettings) -> None:
        """length: characters of a page on average."""
        self._query = query
        self._sought = [sought(each.leaf) for each in weighed]
        self._weights = [each.weight for each in weighed]
        self._length = length
        self._settings = settings
        self._whole = sum(self._weights) or 1.0

    def judge(
        self,
        page: StoredPage,
        title: str,
        path: Callable[[], str],
        kind_places: Sequence[tuple[int, int]] | None = None,
        least: float = 0.0,
    ) -> Passage | None:
        """The page's score and best passage; None for a page that has a phrase's words in another order, or not where they must stand.

        kind_places: (start, end) of the text that counts, where not all does. least: a score below which it does not matter; what could
        not reach it even if its words stood side by side has some lower score.
        """
        text = page.text if kind_places is None else "\n".join(page.text[start:end] for start, end in kind_places)
        folded = fold_page(text)
        places = [each.places(folded) for each in self._sought]
        headings = [_folded(page.text[start:end]) for start, end in page.headings]
        fields = {HEADING: lambda: "\n".join(headings), TITLE: lambda: _folded(title), PATH: lambda: _folded(path())}
        if not self._matches(folded, fields) or (kind_places is not None and not any(places)):
            return None
        settings, whole = self._settings, self._whole
        norm = settings.k1 * (1 - settings.b + settings.b * len(text) / self._length)
        counts = [len(each) // 2 for each in places]
        score = sum(
            weight * count * (settings.k1 + 1) / (count + norm) for weight, count in zip(self._weights, counts, strict=True) if count
        )
        score += settings.heading * max((self._heading(each) for each in headings), default=0.0)
        score += settings.title * self._held(_folded(title))
        most = settings.close * sum(weight for weight, count in zip(self._weights, counts, strict=True) if count)
        if (score + most) / whole < least:
            return Passage(score / whole, 0)
        close, start = _LOOPS.closest(places, self._weights, settings.window, _ROUNDING)
        score += settings.close * close
        return Passage(score / whole, _offset(start * len(text) // max(1, len(folded)), kind_places))

    def _matches(self, folded: str, fields: dict[str, Callable[[], str]]) -> bool:
        if self._query.root is not None:
            return self._is_true(self._query.root, folded, fields)
        return all(self._has(leaf, folded, fields) for leaf in self._query.needed)

    def _is_true(self, node: Node, folded: str, fields: dict[str, Callable[[], str]]) -> bool:
        if isinstance(node, Leaf):
            return self._has(node, folded, fields)
        if isinstance(node, Without):
            return not self._is_true(node.part, folded, fields)
        return (all if node.every else any)(self._is_true(part, folded, fields) for part in node.parts)

    def _has(self, leaf: Leaf, folded: str, fields: dict[str, Callable[[], str]]) -> bool:
        if leaf.field:
            return sought(leaf).stands_in(fields[leaf.field]())
        looked_for = sought(leaf)
        return looked_for.stands_in(folded) or (leaf.field is None and any(looked_for.stands_in(fields[sign]()) for sign in (TITLE, PATH)))

    def _held(self, folded: str) -> float:
        """Weight of the words that stand in a text."""
        return sum(weight for weight, each in zip(self._weights, self._sought, strict=True) if each.stands_in(folded))

    def _heading(self, folded: str) -> float:
        """Weight of the words that stand in a heading, less where it has many others."""
        held = [weight for weight, each in zip(self._weights, self._sought, strict=True) if each.stands_in(folded)]
        if not held:
            return 0.0
        words = len(terms_of(folded))
        return sum(held) * (0.5 + 0.5 * min(1.0, len(held) / words))


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
