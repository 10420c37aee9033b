"""Text to terms: one form for case, accents and scripts; pairs where there are no spaces."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pdfmill.pipeline.search.terms import _folds, fold_text, fold_word, indexed, placed_words, terms_of, words_of
from tests.compiled import same_in_both


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("Café naïve STRASSE Straße", ["cafe", "naive", "strasse", "strasse"]),
        ("ﬁnd Łódź søster", ["find", "lodz", "soster"]),
        ("soft\u00adhyphen don't e-mail", ["softhyphen", "don", "t", "e", "mail"]),
        ("أَحْمَد إلى المدرسة", ["احمد", "الي", "المدرسه"]),
        ("کتاب ۱۲", ["كتاب", "12"]),
        ("שָׁלוֹם", ["שלום"]),
        ("हिन्दी", ["हिन्दी"]),
        ("東京都 PDF文書", ["東京", "京都", "都", "pdf", "文書", "書"]),
        ("⻑い⽇ ⻄", ["長い", "い日", "日", "西"]),
        ("がか", ["がか", "か"]),
        ("ภาษา", ["ภา", "าษ", "ษา", "า"]),
        ("서울은", ["서울은"]),
        ("... — !", []),
    ],
)
def test_terms(text, terms) -> None:
    assert terms_of(fold_text(text)) == terms


@given(st.text(st.sampled_from("aZ éßÆœŁłﬁ½²ªµ'\u2019\u00ad\u0301\u200d_-→…\ufffd€東ภ\ud800٤𝑤😀3")))
def test_folding_twice_changes_nothing_and_words_add_up(text) -> None:
    folded = fold_text(text)
    assert fold_text(folded) == folded
    assert folded == " ".join(word for _, _, word in placed_words(text))
    assert "  " not in folded


@given(st.text(st.sampled_from("aZ éßΣςﬁ½ªµ0¹²'\u2019\u00ad\u0301_-…東ภ٤𝑤😀3\u1100\u1161가й\u093fक"), max_size=30), st.integers(0, 1))
def test_both_builds_fold_alike_and_as_words_by_themselves(text, slots) -> None:
    size = len(text) + 1
    known, out, odd, new = (
        np.zeros(64 * slots, np.uint64),
        np.zeros(size, np.uint32),
        np.zeros(2 * size, np.int64),
        np.zeros(2 * size, np.int64),
    )
    same_in_both("pdfmill.pipeline.search.word_loops", "fold", text + " ", _folds(), known, out, odd, new, np.zeros(2, np.int64))
    assert fold_text(text) == " ".join(" ".join(map(fold_word, words_of(text))).split())


def test_new_words_are_met_once() -> None:
    known = np.zeros(64, np.uint64)
    assert indexed("The sea, the Sea; 東京都!", known) == ("the sea the sea 東京 京都 都", ["The", "sea", "東京都"])
    assert indexed("A sea of the Straße", known) == ("a sea of the strasse", ["A", "of", "Straße"])


def test_words_know_their_places() -> None:
    text = "Das Café 東京3_x."
    assert [(text[start:end], word) for start, end, word in placed_words(text)] == [
        ("Das", "das"), ("Café", "cafe"), ("東京3", "東京 3"), ("x", "x"),
    ]  # fmt: skip
    assert [fold_word(each) for each in ("STRAẞE", "第3章")] == ["strasse", "第 3 章"]
