"""The words and signs of each language that rules look for, read once from `languages/*.toml`, and word lists. The files are named by ISO
639-1 code.

A document may contain several languages, and rules run before its language is known, so a rule looks for the words of all of them. To add a
language, add a file.

The word lists of `words/` are made by `scripts/word_lists.py` from those of pyspellchecker. Each is searched as one text, because building
a set takes three times as long as reading the text.
"""

from __future__ import annotations

import gzip
import re
import tomllib
from collections.abc import Callable, Collection, Container, Iterable, Sequence
from functools import cache, cached_property
from importlib.resources import files
from typing import Final

from msgspec import Struct, convert

_FOLDER: Final = "languages"


class Language(Struct, frozen=True, forbid_unknown_fields=True):
    """The contents of a language's file in `languages/`. Case does not matter when words are compared."""

    chapter: tuple[str, ...] = ()  # words before the number of a chapter, a part, an appendix
    around_chapter: tuple[tuple[str, str], ...] = ()  # pairs of signs around the number, as in 第3章
    numerals: str = ""  # signs used in numbers besides digits
    caption: tuple[str, ...] = ()  # words before the number of a figure, a table, an example
    page: tuple[str, ...] = ()  # words before a page number
    after_page: tuple[str, ...] = ()  # words after a page number
    of: tuple[str, ...] = ()  # words between a page number and the total number of pages
    abstract: tuple[str, ...] = ()  # headings of an abstract
    contents: tuple[str, ...] = ()  # headings of a table of contents
    untitled: tuple[str, ...] = ()  # titles that programs give to a document without a name
    suspending: tuple[str, ...] = ()  # words after a hyphen at a line's end that is to be kept: "Haus- und Hof"
    common: str = ""  # the most common words, separated by spaces; only of languages in Latin letters


def parse_language(text: str) -> Language:
    """Parse the file of a language.

    Raises:
        msgspec.ValidationError: it has a key that is no field of `Language`, or a value of another type.

    >>> parse_language('page = ["sida"]').page
    ('sida',)
    """
    return convert(tomllib.loads(text), Language)


@cache
def languages() -> dict[str, Language]:
    """Return all languages by code, sorted."""
    found = (file for file in files("pdfmill.transforms.language").joinpath(_FOLDER).iterdir() if file.name.endswith(".toml"))
    return {
        file.name.removesuffix(".toml"): parse_language(file.read_text(encoding="utf-8"))
        for file in sorted(found, key=lambda file: file.name)
    }


def alternatives(words_of: Callable[[Language], Iterable[str]]) -> str:
    """Return words of all languages as alternatives for a regular expression, longer ones first. words_of: returns the words to take from a
    language.

    >>> alternatives(lambda language: language.after_page)
    'ページ|頁|页'
    """
    words = {word for language in languages().values() for word in words_of(language)}
    return "|".join(re.escape(word) for word in sorted(words, key=lambda word: (-len(word), word)))


#: Languages with a word list. They write compounds as separate words or with a hyphen. No list could have all compounds of the others.
LANGUAGES: Final = frozenset({"en", "es", "fr", "it", "pt"})

_JOINING: Final = ("-", "\u2010", "\u00ad")


class WordList(Container[str]):
    """The set of words known for a page: words of the document, words in the lines of the page, and the word list of the language. Words
    are looked up in small letters."""

    def __init__(self, own: Collection[str], language: str | None = None, lines: Sequence[str] = ()) -> None:
        self._own, self._language, self._lines = own, (language or "")[:2], lines

    def __contains__(self, word: object) -> bool:
        if not isinstance(word, str) or not word:
            return False
        return word in self._own or _occurs(self._page, word) or (self._language in LANGUAGES and _listed(_text(self._language), word))

    @cached_property
    def _page(self) -> str:
        return "\n".join(self._lines).casefold()


def is_listed(word: str, language: str) -> bool:
    """Return whether the language's word list contains the word, given in small letters. language: one of `LANGUAGES`."""
    return _listed(_text(language), word)


def _occurs(text: str, word: str) -> bool:
    """Return whether the text contains the word as a whole; a word hyphenated at a line end does not count."""
    place = text.find(word)
    while place >= 0:
        before, after = text[max(place - 2, 0) : place], text[place + len(word) : place + len(word) + 1]
        if not (
            before[-1:].isalnum()
            or before[-1:] in _JOINING
            or (before[-1:] == "\n" and before[0] in _JOINING)
            or after.isalnum()
            or after in _JOINING
        ):
            return True
        place = text.find(word, place + 1)
    return False


@cache
def _text(language: str) -> bytes:
    """Return the word list of a language as UTF-8 text: one word per line, ascending by code point."""
    return gzip.decompress(files("pdfmill.transforms.language").joinpath("words", f"{language}.txt.gz").read_bytes())


def _listed(text: bytes, word: str) -> bool:
    wanted = word.encode("utf-8", "ignore")
    low, high = 0, len(text)
    while low < high:
        start = text.rfind(b"\n", low, (low + high) // 2) + 1 or low
        end = text.find(b"\n", start)
        found = text[start:end]
        if found == wanted:
            return True
        low, high = (low, start) if found > wanted else (end + 1, high)
    return False
