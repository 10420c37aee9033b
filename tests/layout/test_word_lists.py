"""The lists of words are what their script makes, and can be searched."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from pdfmill.transforms.language import language_words as word_list
from pdfmill.transforms.language.language_words import LANGUAGES, WordList
from scripts.word_lists import packed

FOLDER = Path(word_list.__file__).parent / "words"


def test_there_is_a_list_for_each_language() -> None:
    assert sorted(path.name for path in FOLDER.iterdir()) == sorted(f"{language}.txt.gz" for language in LANGUAGES)


def test_a_list_is_what_the_script_makes() -> None:
    assert gzip.decompress(packed("es")) == gzip.decompress((FOLDER / "es.txt.gz").read_bytes())


@pytest.mark.parametrize("language", sorted(LANGUAGES))
def test_words_are_found_wherever_they_stand(language: str) -> None:
    words = gzip.decompress((FOLDER / f"{language}.txt.gz").read_bytes()).decode().splitlines()
    assert words == sorted(set(words))
    known = WordList((), language)
    some = [words[0], *words[:: len(words) // 50], words[-1]]
    assert [word for word in some if word not in known] == []
    assert [word for word in some if word + "\u017fx" in known] == []
