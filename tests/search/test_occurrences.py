"""Places of words in folded texts, the closest passage, and places on the page as it is written."""

from __future__ import annotations

import re
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pdfmill.pipeline.search import rank
from pdfmill.pipeline.search.index_file import StoredPage
from pdfmill.pipeline.search.query import Leaf
from pdfmill.pipeline.search.rank import Ranker, Texts
from pdfmill.pipeline.search.terms import fold_text
from pdfmill.pipeline.search.word_forms import Forms
from pdfmill.pipeline.search.word_marks import marks_of


def page(text: str, *headings: str) -> StoredPage:
    """A page of a text and headings before it."""
    whole = " ".join([*headings, text])
    starts = [len(" ".join(["", *headings[:number]])) for number in range(len(headings))]
    return StoredPage("d", "file:///d.pdf", 1, whole, [(at, at + len(each)) for at, each in zip(starts, headings, strict=True)], [])


@settings(deadline=None)
@given(st.lists(st.text("ab 東", max_size=20), min_size=1, max_size=4), st.text("ab", min_size=1, max_size=2), st.booleans())
def test_words_are_found_whole_in_their_text(texts: list[str], word: str, prefix: bool) -> None:
    folded = [fold_text(text) for text in texts]
    found = Texts(folded)
    places = found.places(Leaf(word, None, prefix))
    matching = [[each.startswith(word) if prefix else each == word for each in text.split()] for text in folded]
    assert found.counts(places).tolist() == [sum(each) for each in matching]


@settings(deadline=None)
@given(st.lists(st.lists(st.sampled_from(["a", "b", "cc", "x" * 60]), max_size=12), min_size=1, max_size=4))
def test_the_best_passage_is_what_the_definition_says(pages: list[list[str]]) -> None:
    """The heaviest stretch within the window, less the longer it is: all stretches are tried here."""
    weights = {"a": 1.0, "b": 2.0, "cc": 3.0}
    ranker = Ranker([Leaf(word) for word in weights], 1)
    ranker._weights = np.array(list(weights.values()))
    window = rank._WINDOW
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(rank, "_K1", 1e-12)  # repetitions do not count
        patch.setattr(rank, "_CLOSE", 1.0)
        judged = ranker.judge([page(" ".join(words)) for words in pages])
    for words, (score, start) in zip(pages, judged, strict=True):
        counted = sum(weights[word] for word in {*words} if word in weights)
        spans = [(match.start(), match.end(), match[0]) for match in re.finditer(r"\w+", " ".join(words)) if match[0] in weights]
        best = 0.0
        for (first, _, _), (begin, end, _) in product(spans, spans):
            if first <= begin <= first + window:
                held = sum(weights[word] for word in {word for at, stop, word in spans if first <= at and stop <= end})
                best = max(best, held * 2 * window / (2 * window + end - first))
        assert score * 6 == pytest.approx(counted + best)
        assert not spans or start in [first for first, _, _ in spans]


def test_a_heading_counts_more_the_less_else_it_says() -> None:
    ranker = Ranker([Leaf("plans", pages=3)], 30)
    scores = [score for score, _ in ranker.judge([page("plans", "Plans"), page("plans", "Plans of the year"), page("plans")])]
    assert scores == sorted(scores, reverse=True)
    assert scores[0] > scores[1] > scores[2]


@pytest.mark.parametrize(
    ("text", "leaf", "marked"),
    [
        ("Die Straße, straßen", Leaf("strasse"), ["Straße"]),
        ("Die Straße, Straßen", Leaf("strass", None, True), ["Straße", "Straßen"]),
        ("ﬁnd it", Leaf("find"), ["ﬁnd"]),
        ("東京都の文書", Leaf("京都"), ["京都"]),
        ("東京都の文書", Leaf("東京 京都"), ["東京都"]),
        ("東京都の文書", Leaf("京", None, True), ["京"]),
        ("第3章 と", Leaf("3 章"), ["3章"]),
        ("grey - stone", Leaf("grey stone", quoted=True), ["grey - stone"]),
        ("Inspections, inspecting", Leaf("inspection", forms=Forms(roots=("inspect",))), ["Inspections", "inspecting"]),
        ("...", Leaf("a"), []),
    ],
)
def test_marks_stand_on_the_words_as_written(text: str, leaf: Leaf, marked: list[str]) -> None:
    assert [text[start:end] for start, end in marks_of(text, [leaf], 0)[0]] == marked
