"""A language is a file: its words reach every rule that looks for words."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec import ValidationError

from pdfmill.transforms.language import language_words
from pdfmill.transforms.language.detect import looks_like
from pdfmill.transforms.language.language_words import alternatives, languages, parse_language
from pdfmill.transforms.layout.document.furniture_signs import printed_number
from pdfmill.transforms.layout.page.hyphens import join_lines
from pdfmill.transforms.layout.page.patterns import CAPTION, CHAPTER_ONLY, number_of, numbering_depth


def test_every_file_is_a_language() -> None:
    folder = Path(language_words.__file__).parent / "languages"
    assert sorted(languages()) == sorted(path.stem for path in folder.iterdir())
    assert all(path.suffix == ".toml" for path in folder.iterdir())


@pytest.mark.parametrize("language", languages().values(), ids=languages())
def test_words_are_small_letters_each_once(language: language_words.Language) -> None:
    for words in (
        language.chapter,
        language.caption,
        language.page,
        language.of,
        language.suspending,
        tuple(language.common.split()),
    ):
        assert [word for word in words if word != word.lower() or word != word.strip() or not word] == []
        assert len(set(words)) == len(words)


def test_a_word_for_an_unknown_question_is_an_error() -> None:
    with pytest.raises(ValidationError, match="charpter"):
        parse_language('charpter = ["kapitel"]')


def test_words_are_no_patterns() -> None:
    assert "p\\." in alternatives(lambda language: language.page).split("|")


@pytest.mark.parametrize(
    "caption", ["Şekil 14.9: Dere", "Rysunek 8. Rzeka", "Obr. 2: Řeka", "Kuva 3. Joki", "ภาพที่ 4 แม่น้ำ", "شکل ۲: رود", "Tabelul 1. Ape"]
)
def test_captions_of_more_languages(caption: str) -> None:
    assert CAPTION.match(caption)


@pytest.mark.parametrize(
    ("chapter", "caption", "page"),
    [
        ("Κεφάλαιο 3", "Πίνακας 2: Ύδατα", "Σελίδα 7 από 80"),
        ("Bilaga 3", "Tabell 2. Vatten", "Sida 7 av 80"),
        ("Capítulo 3", "Tabela 2 – Água", "Página 7 de 80"),
        ("Глава 3", "Рис. 2. Вода", "Стр. 7 из 80"),
    ],
)
def test_chapters_captions_and_pages(chapter: str, caption: str, page: str) -> None:
    assert CHAPTER_ONLY.match(chapter)
    assert (numbering_depth(chapter + ". Title"), number_of(chapter)) == (1, (3,))
    assert CAPTION.match(caption)
    assert printed_number(page) == (7, "7")


def test_signs_around_a_number() -> None:
    assert all(CHAPTER_ONLY.match(text) for text in ("第3章", "第 十二 部", "第三編"))
    assert not CHAPTER_ONLY.match("第三課題")
    assert printed_number("12ページ") == (12, "12")


def test_a_suspended_hyphen_stays() -> None:
    assert join_lines(["Haus-", "und Hof"]).text == "Haus- und Hof"
    assert join_lines(["χαρτο-", "και βιβλιοπωλείο"]).text == "χαρτο- και βιβλιοπωλείο"


def test_common_words_tell_a_language() -> None:
    text = "det är en bok som jag har om de djur och växter som finns i skogen vid sjön, och den är inte så stor men ett nöje att läsa"
    assert looks_like(text, "sv")
    assert not looks_like(text, "nl")
