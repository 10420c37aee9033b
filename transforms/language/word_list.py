"""Look up words in the word lists of `words/`, which `scripts/word_lists.py` makes from pyspellchecker's.

A list is searched as one text, because building a set takes three times as long as reading the text.
"""

from __future__ import annotations

import gzip
from collections.abc import Collection, Container, Sequence
from functools import cache, cached_property
from importlib.resources import files
from typing import Final

#: Languages with a word list. They write compounds as separate words or with a hyphen. No list could have all compounds of the others.
LANGUAGES: Final = frozenset({"en", "es", "fr", "it", "pt"})

_JOINING: Final = ("-", "\u2010", "\u00ad")


class WordList(Container[str]):
    """The set of words known for a page: words of the document, words in the lines of the page, and the word list of the language."""

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
    """Return whether the language's list contains the word, given in small letters. language: one of `LANGUAGES`."""
    return _listed(_text(language), word)


def _occurs(text: str, word: str) -> bool:
    """Return whether the text contains the whole word; a word hyphenated at a line end does not count."""
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
    """Return the words of a language as UTF-8 text: one per line, ascending by code point."""
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
