"""Other forms of words: what a page is found by beside its words as written, and which words are forms of one."""

from __future__ import annotations

import pytest

from pdfmill.pipeline.search.word_forms import forms_of, is_form, stems_of


@pytest.mark.parametrize(
    ("text", "language", "stem"),
    [
        ("inspections", "en", "inspect"), ("Häuser", "de", "haus"), ("Verwaltungsgericht", "de", "gericht"), ("новыми", "ru", "нов"),
        ("archives", "fr", "archiv"), ("서울은", "ko", "서울"), ("running", None, None), ("软件包", "zh-cn", None),
    ],
)  # fmt: skip
def test_pages_have_the_stems_of_their_language(text: str, language: str | None, stem: str | None) -> None:
    found = stems_of([text, "x", text], language).split()
    assert found.count(stem) == 1 if stem else not found


@pytest.mark.parametrize(
    ("typed", "language", "word", "is_one"),
    [
        ("inspection", "en", "inspecting", True), ("ship", "en", "shipwright", False),
        ("gericht", "de", "verwaltungsgericht", True),
        ("서울", "ko", "서울은", True), ("art", "en", "party", False), ("новый", "ru", "новыми", True),
    ],
)  # fmt: skip
def test_words_of_a_page_are_forms_of_one_that_is_typed(typed: str, language: str, word: str, is_one: bool) -> None:
    assert is_form(word, forms_of(typed, (language,)).roots) is is_one
