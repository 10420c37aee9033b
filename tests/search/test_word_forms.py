"""Other forms of words: what a page is found by beside its words as written, and which words are forms of one."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from pdfmill.pipeline.search.word_forms import forms_of, inner_terms, is_form


def known(*terms: str) -> Callable[[str, str], list[tuple[str, int]]]:
    """An index with these terms of texts, and of parts of words those that begin with <."""
    return lambda field, begin: [(term, 1) for term in terms if term.startswith(begin) and (field == "inner") == (term[0] == "<")]


@pytest.mark.parametrize(
    ("typed", "language", "term", "is_one"),
    [
        ("inspection", "en", "inspecting", True), ("studies", "en", "study", True), ("car", "en", "carbon", False),
        ("Häuser", "de", "haus", True), ("новый", "ru", "новыми", True), ("car", "en", "care", False),
        ("archives", "fr", "archiver", True), ("running", "ru", "runs", False),
    ],
)  # fmt: skip
def test_words_of_the_index_with_the_same_stem_are_forms(typed: str, language: str, term: str, is_one: bool) -> None:
    assert forms_of(typed, (language,), known(term)).words == (term,) * is_one


def test_parts_of_words_are_found() -> None:
    assert forms_of("Gericht", ("de",), known(*inner_terms("das verwaltungsgericht", "de").split())).inner == ("<thciregsgnutlawrev",)
    assert forms_of("Gericht", ("de",), known("gerichte", "<etchiregsgnutlawrev", "<etthcireg")).inner == ()
    assert forms_of("Gericht", ("de",), known("gerichte", "<ethciregsgnutlawrev")).inner == ("<ethciregsgnutlawrev",)
    assert inner_terms("서울은 서울은", "ko").split() == ["서울", "울은"]
    assert forms_of("서울은", (), known()).pairs == ("서울", "울은")
    assert inner_terms("running", None) == inner_terms("软件包", "zh-cn") == ""


@pytest.mark.parametrize(
    ("typed", "language", "word", "is_one"),
    [
        ("inspection", "en", "inspecting", True), ("ship", "en", "shipwright", False),
        ("gericht", "de", "verwaltungsgericht", True),
        ("서울", "ko", "서울은", True), ("art", "en", "party", False), ("новый", "ru", "новыми", True),
    ],
)  # fmt: skip
def test_words_of_a_page_are_forms_of_one_that_is_typed(typed: str, language: str, word: str, is_one: bool) -> None:
    assert is_form(word, forms_of(typed, (language,), known()).roots) is is_one
