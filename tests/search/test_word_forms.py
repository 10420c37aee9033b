"""Other forms of words: the stems behind which words stand in the index, and those of a word that is typed."""

from __future__ import annotations

import pytest

from pdfmill.pipeline.search.word_forms import Vocabulary, known_language, stems_asked


@pytest.mark.parametrize(
    ("text", "language", "stem"),
    [
        ("inspections", "en", "inspect"), ("Häuser", "de", "haus"), ("Verwaltungsgericht", "de", "gericht"), ("новыми", "ru", "нов"),
        ("archives", "fr", "archiv"), ("서울은", "ko", "서울"), ("running", None, None), ("软件包", "zh-cn", None),
    ],
)  # fmt: skip
def test_words_stand_behind_their_stems(text: str, language: str | None, stem: str | None) -> None:
    words = Vocabulary(known_language(language))
    words.terms(f"{text}, x {text}")
    found = [term.partition("=")[0] for term in words.forms().split()]
    assert found.count(stem) == 1 if stem else not found


@pytest.mark.parametrize(
    ("typed", "languages", "stems"),
    [
        ("Inspections", ("en",), [("inspect",)]), ("서울은", (), [("서울", "울은")]), ("is", ("en", "fr"), [("is",)]),
        ("2026", ("en",), []), ("은", (), []),
    ],
)  # fmt: skip
def test_what_is_typed_is_stemmed_by_all_languages(typed: str, languages: tuple[str, ...], stems: list[tuple[str, ...]]) -> None:
    assert stems_asked(typed, languages) == stems
