"""Text to the terms by which it is found: words in one form, whatever their case, accents or script.

A word is a run of letters, digits and marks. Scripts written without spaces have no such words: each run of theirs counts as its pairs
of neighbouring characters, and a character alone as itself.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from functools import cache
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pdfmill.schemas.scripts import UNSPACED_LETTERS

#: Version of what stands here: an index made by another one is built anew.
TERMS_VERSION: Final = 1

#: Marks that are written or left out at will: accents of Latin, Greek and Cyrillic, points of Hebrew, vowels of Arabic. Those of other
#: scripts are letters (Thai, Indic scripts) or make another letter (kana).
_MARKS: Final = (
    "\u0300-\u036f\u0483-\u0487\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a\u0640\u064b-\u065f\u0670\u06d6-\u06dc"
    "\u06df-\u06e8\u06ea-\u06ed\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f"
)
#: Characters within a word that nobody types: soft hyphens, joiners, marks of direction.
_SILENT: Final = "\u00ad\u034f\u061c\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff"
_SILENT_SIGNS: Final = re.compile(f"[{_SILENT}]")
#: The fraction slash is what a sign like ½ leaves between its digits.
_UNWRITTEN: Final = re.compile(f"[{_MARKS}{_SILENT}\u2044]")
#: What changes in a text whose letters are small: anything but ASCII and the punctuation of good typography.
_IS_FOLDED: Final = re.compile(
    "[^\\x00-\\x7f\u2010\u2012-\u2016\u2018-\u2023\u2030\u2039\u203a\u2022\u20ac\u25a0-\u25ff\xab\xbb\xa7\xb0-\xb1\xd7]"
)
#: Letters that Unicode does not decompose, and the one that stands for them where they cannot be typed; forms of Arabic letters that
#: languages or habits write for one another (Lucene's ArabicNormalizer and PersianNormalizer do the same).
_LETTERS: Final = {
        "æ": "ae", "œ": "oe", "ø": "o", "đ": "d", "ð": "d", "ł": "l", "þ": "th", "ı": "i", "ħ": "h",
        "\u0671": "\u0627", "\u0649": "\u064a", "\u06cc": "\u064a", "\u0629": "\u0647", "\u06a9": "\u0643", "\u06c1": "\u0647",
        "\u06be": "\u0647", "\u06d2": "\u064a",
}  # fmt: skip
_LETTER: Final = re.compile("[" + "".join(_LETTERS) + "]")


#: Digits of other scripts.
_DIGIT: Final = re.compile(r"(?![0-9])\d")
#: What else changes in a text without accents: the letters above, what decomposes and is no accented letter (scripts of India and beyond,
#: kana, Hangul), digits of other scripts.
_IS_RARE: Final = re.compile("[" + "".join(_LETTERS) + "\u0660-\u0669\u06f0-\u06f9\u0900-\u1cff\u3040-\u30ff\uff10-\uff19]")

#: What changes though it neither decomposes nor has a small letter.
_CHANGED: Final = re.compile(f"{_UNWRITTEN.pattern}|{_LETTER.pattern}|{_DIGIT.pattern}")

#: A run of letters and digits, where no marks and no scripts without spaces are.
_PLAIN_WORDS: Final = re.compile(r"[^\W_]+")
#: Characters beyond the first plane, for which `re` has no tables: the rarer Chinese ones, and all others, which are words as they are.
_FAR_UNSPACED: Final = "\U00020000-\U0003ffff"
_FIRST_PLANE: Final = 0xFFFF


class _Patterns(NamedTuple):
    """special: a character that may make words another thing than a run of letters and digits. runs: of a script without spaces, a group.
    spaced: a word of the others: letters and digits as `str.isalnum` has them, and marks, which belong to them. words: either."""

    special: re.Pattern[str]
    runs: re.Pattern[str]
    spaced: re.Pattern[str]
    words: re.Pattern[str]


@cache
def _patterns() -> _Patterns:
    unspaced = re.compile(f"[{UNSPACED_LETTERS}]")
    first_plane = [chr(code) for code in range(_FIRST_PLANE + 1)]
    runs = _ranges(each for each in first_plane if unspaced.match(each))
    marks = _ranges(each for each in first_plane if unicodedata.category(each) in ("Mn", "Mc") and not unspaced.match(each)) + _SILENT
    letters = _ranges(each for each in first_plane if each.isalnum() and not unspaced.match(each))
    run, spaced = f"([{runs}]+|[{_FAR_UNSPACED}]+)", f"[{letters}][{letters}{marks}]*|(?:(?![{runs}{_FAR_UNSPACED}])[^\\W_])+"
    return _Patterns(
        re.compile(f"[{runs}{marks}]|[\U00010000-\U0010ffff]"), re.compile(run), re.compile(spaced), re.compile(f"{run}|{spaced}")
    )


def _ranges(characters: Iterable[str]) -> str:
    """Ascending characters as the inside of a character class."""
    found: list[list[int]] = []
    for code in map(ord, characters):
        if found and found[-1][1] == code - 1:
            found[-1][1] = code
        else:
            found.append([code, code])
    return "".join(f"{re.escape(chr(first))}-{re.escape(chr(last))}" for first, last in found)


class Word(NamedTuple):
    """A word of a text. start, end: offsets. terms: what it is found by, one but for a run of a script without spaces."""

    start: int
    end: int
    terms: tuple[str, ...]


class _Folded(dict[str, str]):
    """Words to their one form, asked once for each; emptied now and then, as numbers are without end."""

    def __missing__(self, word: str) -> str:
        if len(self) > 200_000:
            self.clear()
        return self.setdefault(word, fold_text(word))


def fold_text(text: str) -> str:
    """A text whose words are in the form by which they are found; offsets differ from the text's own.

    >>> fold_text("Der Preis: 5 € für „Café“")
    'der preis: 5 € fur „cafe“'
    """
    folded = text.casefold()
    if not _IS_FOLDED.search(folded):
        return folded
    folded = _UNWRITTEN.sub("", unicodedata.normalize("NFKD", folded).casefold())
    if not _IS_RARE.search(folded):
        return folded
    folded = _LETTER.sub(lambda match: _LETTERS[match[0]], folded)
    return _DIGIT.sub(_digit, unicodedata.normalize("NFC", folded))


def _digit(match: re.Match[str]) -> str:
    return str(unicodedata.digit(match[0]))


_FOLDED: Final = _Folded()


def fold_word(word: str) -> str:
    """A word in the form by which it is found.

    >>> [fold_word(each) for each in ("Café", "STRAẞE", "ﬁnd", "أحمد", "٤٢")]
    ['cafe', 'strasse', 'find', 'احمد', '42']
    """
    return _FOLDED[word]


#: Frequent letters that fold to two, and are replaced before.
_SEVERAL: Final = (("ß", "ss"), ("œ", "oe"), ("æ", "ae"), ("ﬁ", "fi"), ("ﬂ", "fl"), ("½", "12"))
#: What `_table` says of a character beside the one that it folds to: its form is no single one or hangs on its neighbours; it is of a
#: script without spaces; nothing is left of it.
_NOT_ALONE: Final = 1 << 16
_UNSPACED: Final = 1 << 17
_NOTHING: Final = 1 << 18
#: Of a character whose block is not in the table yet; characters of a block, as a power of two.
_UNKNOWN: Final = 1 << 19
_BLOCK_BITS: Final = 8
_UNSPACED_LETTER: Final = re.compile(f"[{UNSPACED_LETTERS}]")
#: The code page that most Western text can be written in but for these signs, which are in no word; the byte for what has no form there.
_WESTERN: Final = "latin-1"
_SIGNS: Final = "‘’“”„–—−•…●→€™"
_NO_FORM: Final = 0xFF
#: Letters and digits of formulas, beyond the first plane, each of which folds to one.
_MATHEMATICAL: Final = re.compile("[\U0001d400-\U0001d7ff]+")


class _Western(NamedTuple):
    """For `bytes.translate`: the byte that each byte of the code page folds to, and those that are left out."""

    folded: bytes
    nothing: bytes


@cache
def _table() -> NDArray[np.uint32]:
    """By character of the first plane: the one that it folds to, a space for what is in no word; and the bits above. Filled block by block
    as characters are met (`_fill`): all at once take a third of a second."""
    return np.full(_FIRST_PLANE + 1, _UNKNOWN, np.uint32)


def _fill(codes: NDArray[np.uint16]) -> None:
    """Put the blocks of these characters into the table."""
    table = _table()
    for block in np.unique(codes >> _BLOCK_BITS).tolist():
        first = block << _BLOCK_BITS
        if table[first] == _UNKNOWN:
            table[first : first + (1 << _BLOCK_BITS)] = [_form_of(chr(code)) for code in range(first, first + (1 << _BLOCK_BITS))]


def _form_of(character: str) -> int:
    """What the table says of a character."""
    category = unicodedata.category(character)
    if category == "Cs":
        return _NOT_ALONE
    if not (character.isalnum() or category in ("Mn", "Mc") or _SILENT_SIGNS.match(character)):
        return ord(" ")
    changes = unicodedata.decomposition(character) or character != character.casefold() or _CHANGED.match(character)
    form = fold_text(character) if changes else character
    bare = _UNWRITTEN.sub("", unicodedata.normalize("NFKD", character))
    flags = _UNSPACED if _UNSPACED_LETTER.match(character) else 0
    if len(form) > 1 or form > chr(_FIRST_PLANE) or bare[:1] in _joining() or (form and unicodedata.combining(form)):
        return _NOT_ALONE | flags
    return (ord(form) if form else _NOTHING) | flags


@cache
def _joining() -> frozenset[str]:
    """Characters that join the one before them: second parts of what is composed, vowels and ends of Hangul syllables."""
    split = [each for code in range(_FIRST_PLANE + 1) if " " in (each := unicodedata.decomposition(chr(code))) and each[0] != "<"]
    return frozenset(chr(int(each.split()[1], 16)) for each in split) | set(map(chr, (*range(0x1161, 0x1176), *range(0x11A8, 0x11C3))))


@cache
def _western() -> _Western:
    _fill(np.zeros(1, np.uint16))
    folded, nothing = bytearray([_NO_FORM]) * (_NO_FORM + 1), bytearray()
    for byte in range(_NO_FORM + 1):
        form = int(_table()[byte])
        if form == _NOTHING:
            nothing.append(byte)
        elif form < _NO_FORM:
            folded[byte] = form
    return _Western(bytes(folded), bytes(nothing))


def _quick(text: str, allowed: int) -> str | None:
    """A text folded character by character, with a space for each that is in no word; None for texts for which that is not right. allowed:
    bits of flags that characters may have."""
    if not text.isascii():
        for letter, several in _SEVERAL:
            if letter in text:
                text = text.replace(letter, several)
        for sign in _SIGNS:
            if sign in text:
                text = text.replace(sign, " ")
    try:
        western = text.encode(_WESTERN).translate(*_western())
    except UnicodeEncodeError:
        return _any_quick(text, allowed)
    return western.decode(_WESTERN) if _NO_FORM not in western else _any_quick(text, allowed)


def _any_quick(text: str, allowed: int) -> str | None:
    codes = np.frombuffer(text.encode("utf-16-le", "surrogatepass"), np.uint16)
    forms = _table()[codes]
    if (flags := int(np.bitwise_or.reduce(forms, initial=0))) & _UNKNOWN:
        _fill(codes)
        forms = _table()[codes]
        flags = int(np.bitwise_or.reduce(forms, initial=0))
    if flags & (_NOT_ALONE | _UNSPACED) & ~allowed:
        return None
    if flags & _NOTHING:
        forms = forms[forms & _NOTHING == 0]
    return forms.astype(np.uint16).tobytes().decode("utf-16-le")


def fold_page(text: str) -> str:
    """As `fold_text`, many times as fast where each character folds to one; signs between words may have become spaces.

    >>> fold_page("Der Preis: 5 € für „Café“")
    'der preis  5   fur  cafe '
    """
    quick = _quick(text, _UNSPACED)
    if quick is None and _MATHEMATICAL.search(text):
        quick = _quick(_MATHEMATICAL.sub(_folded_letters, text), _UNSPACED)
    return quick if quick is not None else fold_text(text)


def _folded_letters(match: re.Match[str]) -> str:
    return _FOLDED[match[0]]


def fold_in_place(text: str) -> str | None:
    """As `fold_page`, each character at its own offset; None where that cannot be, and for scripts without spaces.

    >>> fold_in_place("Für „Café“"), fold_in_place("Straße")
    ('fur  cafe ', None)
    """
    if not text.isascii() and (any(letter in text for letter, _ in _SEVERAL) or _patterns().special.search(text)):
        return None
    folded = _quick(text, 0)
    return folded if folded is not None and len(folded) == len(text) else None


def terms_of(text: str) -> list[str]:
    """The terms of a text, in order; of a run without spaces its last character too, so that each one begins a term.

    >>> terms_of("The naïve 東京都 e-mail")
    ['the', 'naive', '東京', '京都', '都', 'e', 'mail']
    """
    quick = _quick(text, 0)
    return quick.split() if quick is not None else _any_terms(text)


def _any_terms(text: str) -> list[str]:
    if not _patterns().special.search(text):
        return [*map(_FOLDED.__getitem__, _PLAIN_WORDS.findall(text))]
    terms: list[str] = []
    for place, piece in enumerate(_patterns().runs.split(text)):
        if not place % 2:
            terms += map(_FOLDED.__getitem__, _patterns().spaced.findall(piece))
            continue
        run = _FOLDED[piece]
        terms += pairs(run)
        if len(run) > 1:
            terms.append(run[-1])
    return terms


def folded_words(text: str) -> Iterator[tuple[int, int, str, bool]]:
    """The words of a text: start, end, their one form, whether it is a run of a script without spaces."""
    if _patterns().special.search(text):
        for match in _patterns().words.finditer(text):
            yield match.start(), match.end(), _FOLDED[match[0]], match[1] is not None
    else:
        for match in _PLAIN_WORDS.finditer(text):
            yield match.start(), match.end(), _FOLDED[match[0]], False


def words_of(text: str) -> Iterator[Word]:
    """The words of a text with their places."""
    for start, end, folded, unspaced in folded_words(text):
        yield Word(start, end, pairs(folded) if unspaced else (folded,))


def pairs(run: str) -> tuple[str, ...]:
    """The pairs of neighbouring characters; a character alone.

    >>> pairs("東京都"), pairs("京")
    (('東京', '京都'), ('京',))
    """
    return tuple(run[at : at + 2] for at in range(len(run) - 1)) if len(run) > 1 else (run,)


def is_unspaced(word: str) -> bool:
    """The word is a run of a script without spaces."""
    match = _patterns().words.match(word)
    return match is not None and match[1] is not None
