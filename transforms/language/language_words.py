"""The words and signs that rules use for each language, read once from `languages/*.toml`, named by ISO 639-1 code.

A document may hold several languages and is read before its own is known, so a rule looks for the words of all of them. A new
language is a new file.
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
    """The contents of a file of `languages/`. Words match in any case.

    chapter: what stands before the number of a chapter, a part, an appendix. around_chapter: pairs of signs around it, as in 第3章.
    numerals: signs that count besides digits. caption: what stands before the number of a figure, a table, an example.
    page, after_page: what stands before and behind a page's number. of: what stands between it and the number of pages.
    abstract: the heading over an abstract. contents: the one over a table of contents.
    untitled: what programs call a document without a name.
    suspending: what may follow a hyphen that stays: "Haus- und Hof".
    common: the commonest words, separated by spaces; only of languages in Latin letters.
    """

    chapter: tuple[str, ...] = ()
    around_chapter: tuple[tuple[str, str], ...] = ()
    numerals: str = ""
    caption: tuple[str, ...] = ()
    page: tuple[str, ...] = ()
    after_page: tuple[str, ...] = ()
    of: tuple[str, ...] = ()
    abstract: tuple[str, ...] = ()
    contents: tuple[str, ...] = ()
    untitled: tuple[str, ...] = ()
    suspending: tuple[str, ...] = ()
    common: str = ""


def parse_language(text: str) -> Language:
    """Read the file of a language.

    Raises:
        TypeError: it says something that `Language` does not know.

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
    """Return words of all languages as an alternation for a regular expression, longer ones first.

    >>> alternatives(lambda language: language.after_page)
    'ページ|頁|页'
    """
    words = {word for language in languages().values() for word in words_of(language)}
    return "|".join(re.escape(word) for word in sorted(words, key=lambda word: (-len(word), word)))
