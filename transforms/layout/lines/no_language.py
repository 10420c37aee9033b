"""Detect text in no language: under a wrong character map each glyph is some letter, and the result has no words.
Judged by font: in Latin, Greek and Cyrillic text, vowels and consonants alternate, most letters have no accent, capitals begin words.
For other scripts see `script_letters`."""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Sequence
from functools import lru_cache
from operator import ne
from string import ascii_letters, ascii_lowercase
from typing import Any, Final, NamedTuple

from msgspec.structs import replace

from pdfmill.schemas.compiled import fastest
from pdfmill.schemas.records import FontStyle, TextLine
from pdfmill.transforms.layout.lines.script_letters import holds_script, is_shuffled
from pdfmill.transforms.layout.settings.text_settings import TextSettings

_LOOPS: Final[Any] = fastest("pdfmill.transforms.layout.lines.text_loops")
_VOWELS: Final = frozenset("aeiouyæœøıаеиоуыэюяєіαεηιουω")
#: Words of at least four letters. Strings with digits, signs or other letters are codes.
_WORD: Final = re.compile(r"(?<![\w'’.@/-])[^\W\d_][^\W\d_]{3,}(?![\w'’@/-])")
#: Smallest length of a string that is searched for signs within it: that of the words above.
_SIGNED_LENGTH: Final = 4
_LOWER: Final = re.compile("[a-zß-öø-ɏα-ωа-яё]+")
#: Letters with accents, phonetic signs, and combining accents.
_ACCENTED: Final = re.compile("[À-ÖØ-öø-\u036f]")
#: Signs that no language has within a word. A wrong map that exchanges letters and signs puts them there.
_SIGNS: Final = '“”„«»?!:;|=<>(){}[]#%&*+~^\\"…•†‡§¶©®™°¢£¥€¿¡\ufffd'
_SIGNED: Final = re.compile(rf"\w[{re.escape(_SIGNS)}]\S*\w")
_PIECE: Final = re.compile(r"[^\W\d_]{3,}")
#: Signs that may close a string, used in `_REGULAR`.
_CLOSING: Final = ".,;:!?)"
#: Strings whose results are cached, because pages of a document share many.
_KEPT: Final = 16_384
_STRING: Final = re.compile(r"\S*[^\W\d_]\S*")
_TURNS: Final = re.compile("[a-zß-ÿ][A-ZÀ-Þ]")


#: Letters of the scripts that are judged, and letters of other scripts.
_ALPHABETS: Final = "[A-Za-zÀ-ÖØ-öø-ɏͰ-ԯḀ-῿ﬀ-ﬆ]"
_LETTER, _LETTERS = re.compile(_ALPHABETS), re.compile(_ALPHABETS + "{3,}")
_OTHER: Final = re.compile("[\u0530-\u1dff\u2c00-\ufaff\ufb1d-\uffdc\U00010000-\U0003ffff]")
_SMALL, _PLAIN = ascii_lowercase.encode(), ascii_letters.encode()
_ASCII: Final = re.compile("[\x00-\x7f]+")
_REPEATED: Final = re.compile(r"([^\w\s])\1+")
_PARTS: Final = re.compile(r"[^\W_]+")
#: A hexadecimal number, such as a hash: it says nothing about a map. A wrong map gives such strings by chance only.
_HEXADECIMAL: Final = re.compile("[0-9a-f]{4,}|[0-9A-F]{4,}")
#: A string as in ordinary text: opening signs, words or numbers with one sign between two of them, closing signs.
_REGULAR: Final = re.compile(
    r"""["'“”„‘’‚«»‹›(\[{¿¡#§$€£*†‡–—•~<+−-]{0,3}"""
    r"""(?P<core>[^\W_]+(?:(?:[-‐‑–—'’/.@&_:,·]|://)[^\W_]+)*)"""
    r"""["'“”„‘’«»‹›.,;:!?…)\]}*†‡%°®™©>–—/-]{0,4}"""
)


_ANY_FONT: Final = ("", False)


def count_strange(lines: Sequence[TextLine], styles: Sequence[FontStyle], settings: TextSettings) -> int:
    """Return the number of characters of a page in fonts whose text is in no language."""
    if not _is_suspect([line.text for line in lines], settings):
        return 0
    texts = _by_font([(lines, styles)])
    strange = {font for font, parts in texts.items() if _is_suspect(parts, settings) and _is_no_language(font, parts, settings)}
    rest = [part for font, parts in texts.items() if font not in strange for part in parts]
    if strange and _is_no_language(_ANY_FONT, rest, replace(settings, shuffled_rarity=settings.shuffled_rarity / 2)):  # each has too little
        strange = set(texts)
    return sum(len(part) for font in strange for part in texts[font])


def _is_suspect(parts: Sequence[str], settings: TextSettings) -> bool:
    """Return whether text must be judged: it has many odd patterns, few small letters, or a script that can be judged. parts: its lines."""
    text = "\n".join(parts)
    odd = _LOOPS.count_odd(text, _SIGNS) >= settings.strange_glance * max(settings.strange_words, text.count(" ") + text.count("\n"))
    return odd or not _has_small_letters(text, len(text) / 2) or (not text.isascii() and holds_script(text))


def strange_fonts(pages: Iterable[tuple[Sequence[TextLine], Sequence[FontStyle]]], settings: TextSettings) -> set[str]:
    """Return the names of the fonts whose text on all these pages together is in no language. pages: lines and styles of each page."""
    return {font[0] for font, parts in _by_font(pages).items() if _is_no_language(font, parts, settings)}


def _by_font(pages: Iterable[tuple[Sequence[TextLine], Sequence[FontStyle]]]) -> dict[tuple[str, bool], list[str]]:
    """Return the texts of lines by the font that most of the line is in: its name, and whether it is monospaced."""
    texts: dict[tuple[str, bool], list[str]] = defaultdict(list)
    for lines, styles in pages:
        for line in lines:
            texts[styles[line.style].font, styles[line.style].monospaced].append(line.text)
    return texts


def _is_no_language(font: tuple[str, bool], parts: Sequence[str], settings: TextSettings) -> bool:
    text = "\n".join(parts)
    return (is_irregular_code if font[1] else is_strange)(text, settings) or (not text.isascii() and is_shuffled(text, settings))


def _has_small_letters(text: str, enough: float) -> bool:
    plain = text.encode("ascii", "ignore")
    return len(plain) - len(plain.translate(None, _SMALL)) >= enough or sum(map(str.islower, _ACCENTED.sub("", text))) >= enough


def is_strange(text: str, settings: TextSettings) -> bool:
    """Return whether text in Latin, Greek or Cyrillic letters is in no language; False if it has too few words for a judgement."""
    if is_irregular(text, settings):
        return True
    strings = {string for string in _STRING.findall(text) if len(string) >= _SIGNED_LENGTH}
    if len(strings) >= settings.strange_words and 2 * sum(map(bool, map(_SIGNED.search, strings))) > len(strings):
        # Program text has as many signs, between words; formulas have no words.
        pieces = set(_PIECE.findall(text))
        return len(pieces) >= settings.strange_words and _turns(map(_plain, pieces)) < settings.strange_turns
    words = {word for word in _WORD.findall(text) if _LOWER.search(word) and not word.isupper()}
    if len(words) < settings.strange_words:
        return False
    needed = settings.strange_share * len(words)
    switched = sum(len(_TURNS.findall(word)) > 1 for word in words)
    accented = sum(2 * len(_ACCENTED.findall(word)) > len(word) for word in words if not word.isascii())
    return max(switched, accented) > needed or _turns(map(_plain, words)) < settings.strange_turns


class _Strings(NamedTuple):
    """Statistics of a text's strings (parts between white space); the defaults are those of ordinary text. regular: share of characters in
    words or numbers. letters: share of letters. pieces: number of runs of letters. turns: how often vowels and consonants alternate, as a
    multiple of random order."""

    regular: float = 1.0  # share of the characters of its distinct strings that are in words or numbers
    letters: float = 0.0  # share of letters among all characters
    pieces: int = 0  # number of distinct runs of at least three letters
    turns: float = 0.0  # frequency with which vowels and consonants alternate in these, see `_turns`


def is_irregular(text: str, settings: TextSettings) -> bool:
    """Return whether few of the text's strings are words or numbers, as under a wrong map. Program text and formulas are excluded."""
    found = _strings(text, settings.irregular, settings)
    few = found.regular < settings.irregular_few
    if few and found.letters < settings.irregular_bare and not _is_formulas(text, settings):
        return True
    needed = settings.irregular_few_turns if few else settings.irregular_turns
    return found.regular < settings.irregular and found.pieces >= settings.strange_words and found.turns < needed


def is_irregular_code(text: str, settings: TextSettings) -> bool:
    """Return whether text of a monospaced font is under a wrong character map. It may also be program text or base 64, so limits are
    strict."""
    found = _strings(text, settings.irregular_few, settings)
    kinds = len(set(_plain(text))) if 2 * found.pieces >= settings.strange_words else 0
    return found.turns < settings.strange_turns and found.letters < settings.irregular_key and kinds >= settings.irregular_kinds


def _strings(text: str, most: float, settings: TextSettings) -> _Strings:
    """Return the statistics of the text's strings (parts between white space), or those of ordinary text if it is short, in another script,
    or if at least `most` of its characters are in words or numbers."""
    strings = {string for string in text.split() if len(string) > 1}
    length = sum(map(len, strings))
    if length < settings.strange_length:
        return _Strings()
    letters = _count_letters(text)
    if not text.isascii() and 2 * len(_OTHER.findall(text)) > letters:
        return _Strings()
    regular = sum(map(len, filter(_is_regular, strings))) / length
    if regular >= most:
        return _Strings()
    pieces = set(_LETTERS.findall(text))
    return _Strings(regular, letters / sum(map(len, text.split())), len(pieces), _turns(map(_plain, pieces)))


def _count_letters(text: str) -> int:
    plain = text.encode("ascii", "ignore")
    found = len(plain) - len(plain.translate(None, _PLAIN))
    return found if len(plain) == len(text) else found + len(_LETTER.findall(_ASCII.sub("", text)))


def _is_formulas(text: str, settings: TextSettings) -> bool:
    """Return whether the text has about as many closing as opening brackets, as formulas have."""
    opened, closed = (sum(map(text.count, signs)) for signs in ("([{", ")]}"))
    return min(opened, closed) >= settings.irregular_closed * max(opened, closed, 1)


@lru_cache(_KEPT)
def _is_regular(string: str) -> bool:
    """Return whether a string is words or numbers with signs around them, a web address, or one sign, possibly repeated (leader dots)."""
    if string.isalpha() and (string.isascii() or unicodedata.is_normalized("NFKC", string)):  # most strings
        return _is_word(string)
    if string[-1] in _CLOSING and string[:-1].isalpha() and string.isascii():  # most of the rest
        return _is_word(string[:-1])
    if "://" in string:
        return True
    string = _REPEATED.sub(r"\1", unicodedata.normalize("NFKC", string))
    if (found := _REGULAR.fullmatch(string)) is None:
        return len(string) == 1
    parts = (part for part in _PARTS.findall(found["core"]) if not _HEXADECIMAL.fullmatch(part))
    words = (part.rstrip("0123456789") for part in parts)  # without a note's number
    return all(_is_word(word) for word in words if word)


def _is_word(string: str) -> bool:
    """Return whether the string has letters only: all small, all small after a capital at the beginning, or all capitals."""
    return string.isalpha() and (string.islower() or string.isupper() or string[1:].islower())


def _plain(word: str) -> str:
    if word.isascii():  # most words
        return word.lower()
    return "".join(character for character in unicodedata.normalize("NFD", word.lower()) if not unicodedata.combining(character))


def _turns(words: Iterable[str]) -> float:
    """Return how often vowels and consonants alternate in these words, divided by the frequency expected in random order."""
    letters = vowels = pairs = turns = 0
    for word in words:
        sounds = [character in _VOWELS for character in word]
        letters += len(sounds)
        vowels += sum(sounds)
        pairs += len(sounds) - 1
        turns += sum(map(ne, sounds, sounds[1:]))
    by_chance = 2 * vowels * (letters - vowels) / max(letters, 1) ** 2
    return turns / pairs / by_chance if by_chance else 0.0
