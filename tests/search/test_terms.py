"""Text to terms: one form for case, accents and scripts; pairs where there are no spaces."""

from __future__ import annotations

import pytest

from pipeline.search.terms import fold_text, fold_word, terms_of, words_of


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
    assert list(terms_of(text)) == terms


@pytest.mark.parametrize("text", ["Ärger Über", "プログラム", "한국어 문서", "Ελληνικά", "«Élan», 3½", "𝑤ℎ𝑒𝑛"])
def test_a_text_folds_as_its_words_do(text) -> None:
    assert [fold_word(text[word.start : word.end]) for word in words_of(text)] == [
        fold_text(text)[word.start : word.end] for word in words_of(fold_text(text))
    ]


def test_words_know_their_places() -> None:
    text = "Das Café 東京都."
    assert [(text[word.start : word.end], word.terms) for word in words_of(text)] == [
        ("Das", ("das",)), ("Café", ("cafe",)), ("東京都", ("東京", "京都")),
    ]  # fmt: skip
