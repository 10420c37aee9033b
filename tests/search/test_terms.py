"""Text to terms: one form for case, accents and scripts; pairs where there are no spaces."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pdfmill.pipeline.search.terms import fold_text, fold_word, indexed, placed_words


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
    assert indexed(fold_text(text)).split() == terms


@given(st.text(st.sampled_from("aZ éßÆœŁłﬁ½²ªµ'\u2019\u00ad\u0301\u200d_-→…\ufffd€東ภ\ud800٤𝑤😀3")))
def test_folding_twice_changes_nothing_and_words_add_up(text) -> None:
    folded = fold_text(text)
    assert fold_text(folded) == folded
    assert folded == " ".join(word for _, _, word in placed_words(text))
    assert "  " not in folded


def test_words_know_their_places() -> None:
    text = "Das Café 東京3_x."
    assert [(text[start:end], word) for start, end, word in placed_words(text)] == [
        ("Das", "das"), ("Café", "cafe"), ("東京3", "東京 3"), ("x", "x"),
    ]  # fmt: skip
    assert [fold_word(each) for each in ("STRAẞE", "第3章")] == ["strasse", "第 3 章"]
