"""Where what is looked for stands in a folded text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Final

from pdfmill.pipeline.search.query import Leaf, written
from pdfmill.pipeline.search.terms import is_unspaced
from pdfmill.pipeline.search.word_forms import is_form
from pdfmill.schemas.compiled import fastest

_LOOPS: Final = fastest("pdfmill.pipeline.search.page_loops")
#: More places than a text has.
_ALL: Final = 1 << 62
#: Leaves of queries that are kept.
_KEPT: Final = 1000


class Sought:
    """A leaf as it is looked for, again and again."""

    __slots__ = ("_is_bound", "_is_prefix", "_pattern", "_roots", "_words")

    def __init__(self, leaf: Leaf) -> None:
        self._pattern = _phrase(leaf) if leaf.is_phrase else None
        self._words = leaf.words or leaf.terms
        self._roots = leaf.forms.roots
        self._is_bound = not is_unspaced(self._words[0])
        self._is_prefix = leaf.prefix

    def places(self, folded: str) -> list[int]:
        """Start and end of each place, one after the other."""
        if self._pattern is not None:
            return [offset for match in self._pattern.finditer(folded) for offset in match.span()]
        found: list[int] = []
        for word in self._words:
            found += _LOOPS.places_of(folded, word, self._is_bound, self._is_prefix, _ALL)
        return found if len(self._words) == 1 else [offset for place in sorted(_paired(found)) for offset in place]

    def forms(self, folded: str) -> list[int]:
        """Start and end of each place of another form of the word."""
        found: set[tuple[int, int]] = set()
        for root in self._roots:
            for start, end in _paired(_LOOPS.places_of(folded, root, False, False, _ALL)):
                while start and folded[start - 1].isalnum():
                    start -= 1
                while end < len(folded) and folded[end].isalnum():
                    end += 1
                if is_form(folded[start:end], self._roots) and folded[start:end] != self._words[0]:
                    found.add((start, end))
        return [offset for place in sorted(found) for offset in place]

    def stands_in(self, folded: str) -> bool:
        """Whether there is a place."""
        if self._pattern is not None:
            return self._pattern.search(folded) is not None
        return any(word in folded and bool(_LOOPS.places_of(folded, word, self._is_bound, self._is_prefix, 1)) for word in self._words)


def _paired(offsets: list[int]) -> Iterator[tuple[int, int]]:
    ends = iter(offsets)
    return zip(ends, ends, strict=True)


@lru_cache(_KEPT)
def sought(leaf: Leaf) -> Sought:
    """A leaf as it is looked for."""
    return Sought(leaf)


def occurrences(folded: str, leaf: Leaf) -> Iterator[tuple[int, int]]:
    """Where a leaf or a form of it stands in a folded text: start and end of each place."""
    looked_for = sought(leaf)
    return _paired(looked_for.places(folded) + looked_for.forms(folded))


def _phrase(leaf: Leaf) -> re.Pattern[str]:
    """A phrase as a pattern over folded text: signs and spaces between its words."""
    words = written(leaf.terms)
    between = r"[\W_]+"
    before = "" if is_unspaced(words[0]) else r"(?<![^\W_])"
    after = "" if is_unspaced(words[-1]) or leaf.prefix else r"(?![^\W_])"
    return re.compile(before + between.join(map(re.escape, words)) + after)
