"""Where what is looked for stands in a folded text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Final

from pdfmill.pipeline.search.query import Leaf
from pdfmill.pipeline.search.terms import is_unspaced
from pdfmill.schemas.compiled import fastest

_LOOPS: Final = fastest("pdfmill.pipeline.search.page_loops")
#: More places than a text has.
_ALL: Final = 1 << 62
#: Leaves of queries that are kept.
_KEPT: Final = 1000


class Sought:
    """A leaf as it is looked for, again and again."""

    __slots__ = ("_is_bound", "_is_prefix", "_pattern", "_term")

    def __init__(self, leaf: Leaf) -> None:
        self._pattern = _phrase(leaf) if leaf.is_phrase else None
        self._term = leaf.terms[0]
        self._is_bound = not is_unspaced(self._term)
        self._is_prefix = leaf.prefix

    def places(self, folded: str) -> list[int]:
        """Start and end of each place, one after the other."""
        if self._pattern is not None:
            return [offset for match in self._pattern.finditer(folded) for offset in match.span()]
        found: list[int] = _LOOPS.places_of(folded, self._term, self._is_bound, self._is_prefix, _ALL)
        return found

    def stands_in(self, folded: str) -> bool:
        """Whether there is a place."""
        if self._pattern is not None:
            return self._pattern.search(folded) is not None
        return self._term in folded and bool(_LOOPS.places_of(folded, self._term, self._is_bound, self._is_prefix, 1))


@lru_cache(_KEPT)
def sought(leaf: Leaf) -> Sought:
    """A leaf as it is looked for."""
    return Sought(leaf)


def occurrences(folded: str, leaf: Leaf) -> Iterator[tuple[int, int]]:
    """Where a leaf stands in a folded text: start and end of each place."""
    places = iter(sought(leaf).places(folded))
    return zip(places, places, strict=True)


def _phrase(leaf: Leaf) -> re.Pattern[str]:
    """A phrase as a pattern over folded text: signs and spaces between its words; the pairs of a run without spaces overlap."""
    words: list[str] = []
    for term in leaf.terms:
        if words and is_unspaced(term) and is_unspaced(words[-1]) and words[-1][-1] == term[0] and len(term) > 1:
            words[-1] += term[1:]
        else:
            words.append(term)
    between = r"[\W_]+"
    before = "" if is_unspaced(words[0]) else r"(?<![^\W_])"
    after = "" if is_unspaced(words[-1]) or leaf.prefix else r"(?![^\W_])"
    return re.compile(before + between.join(map(re.escape, words)) + after)
