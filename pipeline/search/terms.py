"""Convert text to index terms: words in one form, whatever their case, accents or script.

A word is a run of letters, digits and combining marks. Scripts written without spaces have no such words: each run of their characters is
indexed as its pairs of neighbouring characters, and a single character as itself.
"""

from __future__ import annotations

import re
import unicodedata
from functools import cache, lru_cache
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from pdfmill.pipeline.search.word_loops import ODD, SPACE
from pdfmill.schemas.compiled import compiled, fastest
from pdfmill.schemas.scripts import NOTE_MARK, RADICALS, UNSPACED_LETTERS

#: Version of what stands here: an index made by another one is built anew.
TERMS_VERSION: Final = 4

#: Marks that are written or left out at will: accents of Latin, Greek and Cyrillic, points of Hebrew, vowels of Arabic. Those of other
#: scripts are letters (Thai, Indic scripts) or make another letter (kana).
_MARKS: Final = (
    "\u0300-\u036f\u0483-\u0487\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a\u0640\u064b-\u065f\u0670\u06d6-\u06dc"
    "\u06df-\u06e8\u06ea-\u06ed\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f"
)
#: Characters within a word that nobody types: soft hyphens, joiners, marks of direction.
_SILENT: Final = "\u00ad\u034f\u061c\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff"
#: The fraction slash is what a sign like ½ leaves between its digits.
_UNWRITTEN: Final = re.compile(f"[{_MARKS}{_SILENT}\u2044]")
#: Letters that Unicode does not decompose, and the one that stands for them where they cannot be typed; forms of Arabic letters that
#: languages or habits write for one another (Lucene's ArabicNormalizer and PersianNormalizer do the same).
_LETTERS: Final = str.maketrans({
        "æ": "ae", "œ": "oe", "ø": "o", "đ": "d", "ð": "d", "ł": "l", "þ": "th", "ı": "i", "ħ": "h",
        "\u0671": "\u0627", "\u0649": "\u064a", "\u06cc": "\u064a", "\u0629": "\u0647", "\u06a9": "\u0643", "\u06c1": "\u0647",
        "\u06be": "\u0647", "\u06d2": "\u064a",
})  # fmt: skip
_DIGIT: Final = re.compile(r"(?![0-9])\d")
_UNSPACED: Final = re.compile(f"[{UNSPACED_LETTERS}]")
_UNSPACED_RUN: Final = re.compile(f"[{UNSPACED_LETTERS}]+")
#: Words whose forms are kept.
_KEPT: Final = 300_000
_FIRST_MARK, _FIRST_PLANE = 0x300, 0x10000
#: Letters of Hangul that form syllables.
_JAMO: Final = range(0x1100, 0x1200)
_FIRST_RADICAL: Final = min(RADICALS)
#: Numbers for new words of one text: two for each.
_NEW: Final = 200_000
_NONE: Final = np.empty(0, np.uint64)
_LOOPS_NAME: Final = "pdfmill.pipeline.search.word_loops"
_LOOPS: Final[Any] = fastest(_LOOPS_NAME)
_IS_COMPILED: Final = compiled(_LOOPS_NAME) is not None


@cache
def _word() -> re.Pattern[str]:
    """Compile the pattern of a word: letters and digits as in `str.isalnum`, radicals, and marks after them. Underscores must have been
    replaced before."""
    marks = [chr(code) for code in range(_FIRST_MARK, _FIRST_PLANE) if unicodedata.category(chr(code)) in ("Mn", "Mc")]
    letters = rf"\w{chr(min(RADICALS))}-{chr(max(RADICALS))}"
    return re.compile(rf"[{letters}][{letters}{''.join(marks)}{_SILENT}]*")


@lru_cache(_KEPT)
def fold_word(word: str) -> str:
    """Return a word in its index form; runs of scripts without spaces and the mark of a note get spaces around them.

    >>> [fold_word(each) for each in ("Café", "STRAẞE", "ﬁnd", "أحمد", "٤٢", "第3章", "2014¹", "km²")]
    ['cafe', 'strasse', 'find', 'احمد', '42', '第 3 章', '2014 1', 'km2']
    """
    folded = word.casefold()
    if folded.isascii():
        return folded
    folded = NOTE_MARK.sub(r" \g<0>", folded)
    folded = _UNWRITTEN.sub("", unicodedata.normalize("NFKD", folded.translate(RADICALS)).casefold()).translate(_LETTERS)
    folded = _DIGIT.sub(lambda match: str(unicodedata.digit(match[0])), unicodedata.normalize("NFC", folded))
    if not _UNSPACED.search(folded):
        return " ".join(folded.split())
    return " ".join(_UNSPACED_RUN.sub(r" \g<0> ", folded).split())


def placed_words(text: str) -> list[tuple[int, int, str]]:
    """Return the words of a text: start, end, index form."""
    found = [(*match.span(), fold_word(match[0])) for match in _word().finditer(text.replace("_", " "))]
    return [word for word in found if word[2]]


def words_of(text: str) -> list[str]:
    """Return the words of a text as written."""
    return _word().findall(text.replace("_", " "))


@cache
def _folds() -> str:
    """What a letter is folded to where that is one letter whatever stands beside it, see `word_loops.fold`."""
    return "".join(chr(_fold_code(code)) for code in range(_FIRST_RADICAL))


def _fold_code(code: int) -> int:
    sign = chr(code)
    folded = fold_word(sign) if words_of(sign) else ""
    if len(folded) == 1 and not _UNSPACED.match(folded) and code not in _JAMO and unicodedata.category(sign) != "No":  # such as 2014¹
        return ord(folded)
    return ODD if folded or unicodedata.category(sign)[0] == "M" or _UNWRITTEN.match(sign) else SPACE


def indexed(text: str, known: NDArray[np.uint64] | None = None) -> tuple[str, list[str]]:
    """The terms of a text with spaces between, and those of its words, as written, whose hashes are not in `known` (see `word_loops.fold`),
    which takes them: some may be repeated."""
    return _fold(text, _NONE if known is None else known, indexed=True)


def _fold(text: str, known: NDArray[np.uint64], *, indexed: bool = False) -> tuple[str, list[str]]:
    if not _IS_COMPILED:  # the words one by one are faster than the loop
        spans, folded, new = np.array([[0, len(text)]]), "\0", []
    else:
        out, odd, fresh = (
            np.empty(len(text) + 1, np.uint32),
            np.empty(len(text) + 2, np.int64),
            np.empty(min(len(text), _NEW) + 2, np.int64),
        )
        counts = np.empty(2, np.int64)
        length = _LOOPS.fold(text + " ", _folds(), known, out, odd, fresh, counts)
        folded = out[: max(0, length - 1)].tobytes().decode("utf-32-le")
        spans = odd[: 2 * counts[0]].reshape(-1, 2)
        places = fresh[: 2 * counts[1]].tolist()
        new = [text[start:end] for start, end in zip(places[::2], places[1::2], strict=True)]
    if not len(spans):
        return folded, new
    pieces = folded.split("\0")
    for at, (start, end) in enumerate(spans.tolist()):
        words = words_of(text[start:end])
        new += words
        folded = " ".join(map(fold_word, words))
        pieces[at] += _paired(folded, False) if indexed else folded
    folded = "".join(pieces)
    return " ".join(folded.split()) if "  " in folded or folded[:1] == " " or folded[-1:] == " " else folded, new


def fold_text(text: str) -> str:
    """Return the index forms of a text's words, joined by spaces.

    >>> fold_text("Der Preis: 5 € für „Café“ in 東京都")
    'der preis 5 fur cafe in 東京都'
    """
    return _fold(text, _NONE)[0]


def is_unspaced(text: str) -> bool:
    """Return whether the text begins with a letter of a script written without spaces."""
    return _UNSPACED.match(text) is not None


def terms_of(folded: str, *, is_query: bool = False) -> list[str]:
    """Return the terms of a folded text, in order. The last character of a run without spaces is a term too, so that every character begins
    one; not for queries.

    >>> terms_of("the 東京都 e mail"), terms_of("東京都 京", is_query=True)
    (['the', '東京', '京都', '都', 'e', 'mail'], ['東京', '京都', '京'])
    """
    return _paired(folded, is_query).split()


def _paired(folded: str, is_query: bool) -> str:
    if folded.isascii() or not _UNSPACED.search(folded):
        return folded
    return _UNSPACED_RUN.sub(lambda match: " ".join(_pairs(match[0], is_query)), folded)


def _pairs(run: str, is_query: bool) -> list[str]:
    """Return the pairs of neighbouring characters of a run; a single character as itself."""
    pairs = [run[at : at + 2] for at in range(len(run) - 1)]
    return pairs if is_query and pairs else [*pairs, run[-1]]
