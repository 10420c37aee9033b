"""Text to terms: one form for case, accents and scripts; pairs where there are no spaces."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pdfmill.pipeline.search.terms import Word, fold_text, fold_word, is_unspaced, terms_of, words_of


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
        ("がか", ["がか", "か"]),
        ("ภาษา", ["ภา", "าษ", "ษา", "า"]),
        ("서울은", ["서울은"]),
        ("... — !", []),
    ],
)
def test_terms(text, terms) -> None:
    assert terms_of(text) == terms


@pytest.mark.parametrize("text", ["Ärger Über", "プログラム", "한국어 문서", "Ελληνικά", "«Élan», 3½", "𝑤ℎ𝑒𝑛"])
def test_a_text_folds_as_its_words_do(text) -> None:
    assert [fold_word(text[word.start : word.end]) for word in words_of(text)] == [
        fold_text(text)[word.start : word.end] for word in words_of(fold_text(text))
    ]


@given(st.text(st.sampled_from("aZ éßÆœŁłﬁ½²ªµ'\u2019\u00ad\u0301\u200d_-→…\ufffd€東ภ\ud800٤𝑤😀")))
def test_the_quick_way_for_western_texts_gives_the_same(text) -> None:
    """A character alone is a letter or none, is left out or parts words: beside others all of it shows."""
    assert terms_of(text) == [term for word in words_of(text) for term in (*word.terms, *_end_of_run(text, word))]


def _end_of_run(text: str, word: Word) -> tuple[str, ...]:
    return (text[word.end - 1],) if len(word.terms) > 1 or (len(word.terms[0]) > 1 and is_unspaced(word.terms[0])) else ()


def test_words_know_their_places() -> None:
    text = "Das Café 東京都."
    assert [(text[word.start : word.end], word.terms) for word in words_of(text)] == [
        ("Das", ("das",)), ("Café", ("cafe",)), ("東京都", ("東京", "京都")),
    ]  # fmt: skip
