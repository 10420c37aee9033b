"""The words and signs that rules use for each language, read once from `languages/*.toml`, named by ISO 639-1 code.

A document may contain several languages, and rules run before its language is known, so a rule looks for the words of all of them. To add a
language, add a file.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Iterable
from functools import cache
from importlib.resources import files
from typing import Any, Final

from msgspec import Struct

_FOLDER: Final = "languages"


class Language(Struct, frozen=True):
    """The contents of a file of `languages/`. Case does not matter when words are compared."""

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
        TypeError: it has a key that is no field of `Language`.

    >>> parse_language('page = ["sida"]').page
    ('sida',)
    """
    return Language(**{name: _frozen(value) for name, value in tomllib.loads(text).items()})


def _frozen(value: Any) -> Any:
    return tuple(map(_frozen, value)) if isinstance(value, list) else value


@cache
def languages() -> dict[str, Language]:
    """Return all languages by their codes, sorted."""
    found = (file for file in files("pdfmill.transforms.language").joinpath(_FOLDER).iterdir() if file.name.endswith(".toml"))
    return {
        file.name.removesuffix(".toml"): parse_language(file.read_text(encoding="utf-8"))
        for file in sorted(found, key=lambda file: file.name)
    }


def alternatives(words_of: Callable[[Language], Iterable[str]]) -> str:
    """Return some words of all languages as alternatives for a regular expression, longer ones first. words_of: returns the words to take
    from a language.

    >>> alternatives(lambda language: language.after_page)
    'ページ|頁|页'
    """
    words = {word for language in languages().values() for word in words_of(language)}
    return "|".join(re.escape(word) for word in sorted(words, key=lambda word: (-len(word), word)))
