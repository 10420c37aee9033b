"""Places of words and their closest passage: compiled and as it stands the same, and what the definition says."""

from __future__ import annotations

import re
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pdfmill.pipeline.search import page_loops
from pdfmill.schemas.compiled import compiled

NAME = "pdfmill.pipeline.search.page_loops"
LETTERS = st.text("ab é_東京\U00020000\ud800", max_size=40)
#: Of a word: what stands before each place.
GAPS = st.lists(st.integers(0, 12), max_size=12)


def in_both(function: str, *arguments: object) -> Any:
    """What the source gives; the compiled module, where there is one, must give the same."""
    found = [getattr(build, function)(*arguments) for build in (page_loops, compiled(NAME)) if build is not None]
    assert found[0] == found[-1]
    return found[0]


@settings(deadline=None)
@given(LETTERS, st.sampled_from(["a", "ab", "é", "aba", "東京"]), st.booleans(), st.booleans())
def test_places(folded: str, term: str, is_bound: bool, is_prefix: bool) -> None:
    before, after = (r"(?<![^\W_])", r"[^\W_]*" if is_prefix else r"(?![^\W_])") if is_bound else ("", "")
    said = [offset for match in re.finditer(before + term + after, folded) for offset in match.span()]
    assert in_both("places_of", folded, term, is_bound, is_prefix, 100) == said
    assert in_both("places_of", folded, term, is_bound, is_prefix, 1) == said[:2]


@settings(deadline=None)
@given(st.lists(GAPS, min_size=1, max_size=4), st.integers(1, 8), st.sampled_from([0, 5, 30]))
def test_closest(words: list[list[int]], length: int, window: int) -> None:
    places: list[list[int]] = []
    for gaps in words:
        own = [0]
        for gap in gaps:
            own += [own[-1] + gap, own[-1] + gap + length]
        places.append(own[1:])
    weights = [1.0 + number / 3 for number in range(len(places))]
    best, first = in_both("closest", places, weights, window, -1e-9)
    marks = sorted((start, end, number) for number, own in enumerate(places) for start, end in zip(own[::2], own[1::2], strict=True))
    tried = [0.0]
    for start, _, _ in marks:
        seen: set[int] = set()
        for other, end, number in marks:
            if start <= other <= start + window and number not in seen:
                seen.add(number)
                tried.append(sum(weights[each] for each in seen) * 2 * window / (2 * window + end - start) if window else 0.0)
    assert best == pytest.approx(max(tried))
    assert best == 0.0 or first in {start for start, _, _ in marks}
