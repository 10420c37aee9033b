"""The words and signs of each language that rules look for, from `languages/*.toml` (named by ISO 639-1 code), and word lists.

Rules look for the words of all languages. To add a language, add a file. `scripts/word_lists.py` makes `words/` from the lists of
pyspellchecker; they are searched as one text, because building a set takes three times as long.

`text_quality` is the share of OCR text that consists of words: of the word list or, without one or for capitals, by the rules of Taghva,
Nartker, Condit and Borsack ("Automatic removal of garbage strings in OCR text", 2001)."""

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
    """The contents of a language's file in `languages/`: for each purpose the words or signs, as the comments explain; case does not
    matter."""

    chapter: tuple[str, ...] = ()  # words before the number of a chapter, a part, an appendix
    around_chapter: tuple[tuple[str, str], ...] = ()  # pairs of signs around the number, as in 第3章
    numerals: str = ""  # signs used in numbers besides digits
    caption: tuple[str, ...] = ()  # words before the number of a figure, a table, an example
    page: tuple[str, ...] = ()  # words before a page number
    after_page: tuple[str, ...] = ()  # words after a page number
    of: tuple[str, ...] = ()  # words between a page number and the total number of pages
    abstract: tuple[str, ...] = ()  # headings of an abstract
    contents: tuple[str, ...] = ()  # headings of a table of contents
    untitled: tuple[str, ...] = ()  # no titles: defaults of programs, placeholders of templates, stamps
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
    """The words known for a page: of the document, of its own lines, and of the language's list. They are looked up in small letters."""

    def __init__(self, own: Collection[str], language: str | None = None, lines: Sequence[str] = ()) -> None:
        self._own, self._language, self._lines = own, (language or "")[:2], lines

    def __contains__(self, word: object) -> bool:
        if not isinstance(word, str) or not word:
            return False
        return word in self._own or _occurs(self._page, word) or (self._language in LANGUAGES and is_listed(word, self._language))

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


class QualitySettings(Struct, frozen=True):
    """Thresholds that separate words from garbage. The comment of each field gives its meaning and unit."""

    words: int = 20  # least number of judged words from which a page's share is computed
    letters: int = 3  # least length of a word that is looked up: shorter ones are abbreviations as often
    longest: int = 40  # largest length of a string without a space, characters; compounds have less
    same: int = 4  # number of equal characters in a row that marks garbage
    signs: int = 2  # number of different signs within a string that marks garbage
    listed: float = 0.95  # share of the letters that are in listed words in a faultless text; the others are in technical terms


DEFAULTS: Final = QualitySettings()
_VOWELS: Final = frozenset("aeiouyæœøıàáâãäåèéêëìíîïòóôõöùúûüýÿąęěůűő")
_SMALL: Final = re.compile(r"[a-zß-öø-ÿœ]+")
_LATIN: Final = re.compile(r"[A-Za-zÀ-ÖØ-öø-ÿ]+")
#: Letters of scripts that have spaces between words, and vowels.
_ALPHABET: Final = re.compile("[A-Za-z\u00c0-\u024f\u0370-\u04ff]")
_EDGES: Final = ".,;:!?()[]{}\"'“”‘’«»…–—-*"
_ADDRESS: Final = re.compile(r"://|@|www\.|^\W*[\w.-]*[/\\]|\.\w{2,4}$|\d")
_REPEATED: Final = re.compile(rf"([^\W\d_])\1{{{DEFAULTS.same - 1}}}")


def text_quality(text: str, language: str | None) -> float | None:
    """Return the share of letters in words, 0 to 1; None if there are too few words in Latin, Greek or Cyrillic letters to judge.
    language: ISO 639-1 code; without a word list, only strings that look like no word (`is_garbage`) count as wrong."""
    known = (language or "")[:2]
    right = wrong = judged = 0
    for word in (string.strip(_EDGES) for string in text.split()):
        if not _ALPHABET.search(word) or _ADDRESS.search(word) or len(word) < DEFAULTS.letters:
            continue
        judged += 1
        looked_up = known in LANGUAGES and _SMALL.fullmatch(word) is not None
        good = is_listed(word, known) if looked_up else not is_garbage(word)
        right, wrong = right + good * len(word), wrong + (not good) * len(word)
    return round(min(1.0, right / (right + wrong) / DEFAULTS.listed), 3) if judged >= DEFAULTS.words else None


def is_garbage(word: str) -> bool:
    """Return whether a string does not look like a word of any language. word: without punctuation at its ends."""
    letters = sum(map(str.isalpha, word))
    if len(word) > DEFAULTS.longest or 2 * letters < len(word) or _REPEATED.search(word):
        return True
    if len({c for c in word if not c.isalnum() and c not in "-'’‐­"}) >= DEFAULTS.signs:
        return True
    if word[0].islower() and word[-1].islower() and any(map(str.isupper, word)):
        return True
    return bool(_LATIN.fullmatch(word)) and word.islower() and len(word) > DEFAULTS.same and not _VOWELS & set(word)
