"""Find the occurrences of a query's words in folded (normalised) texts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from pdfmill.pipeline.search.query import Leaf
from pdfmill.pipeline.search.terms import is_unspaced
from pdfmill.pipeline.search.word_forms import is_form

#: Separates two texts. Words are separated by one space, so no phrase matches across this.
_BETWEEN: Final = " \n "
Span = tuple[int, int]
Numbers = NDArray[np.int64]


class Texts:
    """Several normalised texts joined into one, so that one pass searches all. starts: offset of each, then the total length."""

    def __init__(self, folded: Sequence[str]) -> None:
        self._whole = f" {_BETWEEN.join(folded)} "
        lengths = np.fromiter((len(each) for each in folded), np.int64, len(folded))
        self.lengths = lengths
        self.starts = 1 + np.concatenate(([0], np.cumsum(lengths + len(_BETWEEN))))

    def places(self, leaf: Leaf) -> list[Span]:
        """Return (start, end) of each occurrence of a word or phrase of the query, ascending."""
        if len(leaf.words) > 1:
            return sorted(place for word in leaf.words for place in self._spans(word, leaf.prefix))
        return list(self._spans(leaf.words[0] if leaf.words else leaf.text, leaf.prefix))

    def _spans(self, text: str, is_prefix: bool) -> Iterator[Span]:
        before = not is_unspaced(text)
        is_open = is_unspaced(text[-1])
        needle = f"{' ' * before}{text}{' ' * (not is_open and not is_prefix)}"
        at = self._whole.find(needle)
        while at >= 0:
            start = at + before
            yield start, self._whole.index(" ", start + len(text)) if is_prefix and not is_open else start + len(text)
            at = self._whole.find(needle, start + 1)

    def forms(self, leaf: Leaf, number: int) -> list[Span]:
        """Return (start, end) of each occurrence of another form of the leaf's word in one of the texts."""
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

    def of(self, places: Sequence[Span]) -> tuple[Numbers, Numbers]:
        """Return for these occurrences, as arrays, the index of the text of each, and how many are in each text."""
        owners = np.searchsorted(self.starts, [start for start, _ in places], "right") - 1
        return owners, np.bincount(owners, minlength=len(self.lengths))
