"""Words of a language: the frequency lists of pyspellchecker (MIT), looked up in their own text, which is in order, as building a set
of it takes three times as long as reading it."""

from __future__ import annotations

import gzip
from collections.abc import Collection, Container, Sequence
from functools import cache, cached_property
from pkgutil import get_data
from typing import Final

#: Languages whose compounds are written apart or with a hyphen; where they are written in one, no list has them all.
_LANGUAGES: Final = frozenset({"en", "es", "fr", "it", "pt"})

_JOINING: Final = ("-", "\u2010", "\u00ad")


class WordList(Container[str]):
    """Words that there are: what the document shows of its own, what the lines of the page hold, and those of the language."""

    def __init__(self, own: Collection[str], language: str | None = None, lines: Sequence[str] = ()) -> None:
        self._own, self._language, self._lines = own, (language or "")[:2], lines

    def __contains__(self, word: object) -> bool:
        if not isinstance(word, str) or not word:
            return False
        return word in self._own or _occurs(self._page, word) or (self._language in _LANGUAGES and _listed(_text(self._language), word))

    @cached_property
    def _page(self) -> str:
        return "\n".join(self._lines).casefold()


def _occurs(text: str, word: str) -> bool:
    """Whether the text holds the word whole; what a line end cuts is none."""
    place = text.find(word)
    while place >= 0:
        before, after = text[max(place - 2, 0) : place], text[place + len(word) : place + len(word) + 1]
        if not (before[-1:].isalnum() or before[-1:] in _JOINING or (before[-1:] == "\n" and before[0] in _JOINING) or after.isalnum() or after in _JOINING):
            return True
        place = text.find(word, place + 1)
    return False


@cache
def _text(language: str) -> bytes:
    """Lines of `"word": frequency` by code point."""
    return gzip.decompress(get_data("spellchecker", f"resources/{language}.json.gz") or b"")


def _listed(text: bytes, word: str) -> bool:
    wanted = b'"' + word.encode("utf-8", "ignore") + b'":'
    low, high = 0, len(text)
    while low < high:
        start = text.rfind(b"\n", low, (low + high) // 2) + 1 or low
        end = text.find(b"\n", start) + 1 or len(text)
        line = text[start:end].lstrip()
        if line.startswith(wanted):
            return True
        if line[:1] == b'"' and line[1 : line.find(b'"', 1)] > wanted[1:-2]:
            high = start
        else:
            low = end
    return False
