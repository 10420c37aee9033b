"""Convert text to index terms: words in one normal form, whatever their case, accents or script.
A word is a run of letters, digits and combining marks; in scripts without spaces each pair of neighbouring characters is a term, and a
single character is one too. If terms change, `index_file.VERSION` must change."""

from __future__ import annotations

import re
import unicodedata
from array import array
from functools import cache, lru_cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

from pdfmill.pipeline.search.term_loops import CODE_BITS, HARD, LONGEST, UNSPACED
from pdfmill.schemas.compiled import fastest
from pdfmill.schemas.scripts import NOTE_MARK, RADICALS, RAISED_FIGURES, UNSPACED_LETTERS

#: Marks that may be written or left out: accents of Latin, Greek and Cyrillic, points of Hebrew, vowels of Arabic. Those of other scripts
#: are letters (Thai, Indic scripts) or make another letter (kana).
_MARKS: Final = (
    "\u0300-\u036f\u0483-\u0487\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a\u0640\u064b-\u065f\u0670\u06d6-\u06dc"
    "\u06df-\u06e8\u06ea-\u06ed\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f"
)
#: Invisible characters within words: soft hyphens, joiners, marks of direction.
_SILENT: Final = "\u00ad\u034f\u061c\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff"
#: Characters that are removed. The last ones come from decomposing characters such as ½, ⑴, ⒈ and ŀ.
_UNWRITTEN: Final = re.compile(f"[{_MARKS}{_SILENT}\u2044().,\u00b7]")
#: Letters without decomposition in Unicode and their usual replacement; Ukrainian i, for which TeX draws the Latin one; forms of Arabic
#: letters that are written for one another (as in Lucene's ArabicNormalizer and PersianNormalizer).
_LETTERS: Final = str.maketrans({
        "æ": "ae", "œ": "oe", "ø": "o", "đ": "d", "ð": "d", "ł": "l", "þ": "th", "ı": "i", "ħ": "h", "\u0456": "i",
        "\u0671": "\u0627", "\u0649": "\u064a", "\u06cc": "\u064a", "\u0629": "\u0647", "\u06a9": "\u0643", "\u06c1": "\u0647",
        "\u06be": "\u0647", "\u06d2": "\u064a",
})  # fmt: skip
_DIGIT: Final = re.compile(r"(?![0-9])\d")
_UNSPACED_RUN: Final = re.compile(f"[{UNSPACED_LETTERS}]+")
#: The last character of a run without spaces, as a term behind the run's pairs. It is no term of a query, because the run may go on there.
LAST_OF_RUN: Final = re.compile(f"(?<=[{UNSPACED_LETTERS}]{{2}}) [{UNSPACED_LETTERS}](?= |$)")
#: What pairs of one run have between them; replacing it by the group gives the run.
BETWEEN_PAIRS: Final = re.compile(f"(?<=[{UNSPACED_LETTERS}])([{UNSPACED_LETTERS}]) \\1(?=[{UNSPACED_LETTERS}])")
#: Number of words whose normal form is cached.
_KEPT: Final = 300_000
#: Letters of Hangul, which compose with their neighbours.
_JAMO: Final = frozenset(map(chr, range(0x1100, 0x1200)))
_loops: Final = fastest("pdfmill.pipeline.search.term_loops")
_ENTRIES: Final = array("I", bytes(4 * 0x10000))
_FIRST_MARK, _FIRST_PLANE = 0x300, 0x10000


@cache
def _word() -> re.Pattern[str]:
    """Compile the pattern of a word: letters, digits and radicals, each with its marks, and underscores, which callers must replace
    first."""
    marks = [chr(code) for code in range(_FIRST_MARK, _FIRST_PLANE) if unicodedata.category(chr(code)) in ("Mn", "Mc")]
    letters = rf"\w{chr(min(RADICALS))}-{chr(max(RADICALS))}"
    return re.compile(rf"[{letters}][{letters}{''.join(marks)}{_SILENT}]*")


@lru_cache(_KEPT)
def fold_word(word: str) -> str:
    """Return the normal form of a word. Spaces are put between the pairs of scripts without spaces, and around a footnote mark.

    >>> [fold_word(each) for each in ("Café", "STRAẞE", "ﬁnd", "أحمد", "٤٢", "第3章", "2014¹", "km²")]
    ['cafe', 'strasse', 'find', 'احمد', '42', '第 3 章', '2014 1', 'km2']
    >>> fold_word("м\u0456сто") == fold_word("мiсто")  # the second has a Latin i
    True
    """
    folded = word.casefold()
    if folded.isascii():
        return folded
    folded = NOTE_MARK.sub(r" \g<0>", folded)
    folded = _UNWRITTEN.sub("", unicodedata.normalize("NFKD", folded.translate(RADICALS)).casefold()).translate(_LETTERS)
    folded = _DIGIT.sub(lambda match: str(unicodedata.digit(match[0])), unicodedata.normalize("NFC", folded))
    return " ".join(_UNSPACED_RUN.sub(lambda run: f" {' '.join(pairs(run[0]))} ", folded).split())


def placed_terms(text: str) -> tuple[str, NDArray[np.uint32]]:
    """Return the terms of a text in order, joined by spaces. In scripts without spaces, a run of characters gives its pairs of neighbouring
    characters as terms, and its last character too, so that each character of the run begins a term. Also return the offset in the text of
    each of their characters, with one further item; for the space behind a term, or the end, it is the offset where the term ends.

    >>> placed_terms("für 東京都")
    ('fur 東京 京都 都', array([0, 1, 2, 3, 4, 5, 6, 5, 6, 7, 6, 7], dtype=uint32))
    """
    places = np.empty(LONGEST * (len(text) + 1), np.uint32)
    folded = _written(text, np.empty_like(places), places)
    return folded, places[: len(folded) + 1]


def fold_text(text: str) -> str:
    """Return the terms of a text in order, joined by spaces.

    >>> fold_text("Der Preis: 5 € für „Café“ in 東京都")
    'der preis 5 fur cafe in 東京 京都 都'
    """
    out = np.empty(LONGEST * (len(text) + 1), np.uint32)
    return _written(text, out, out)


def _written(text: str, out: NDArray[np.uint32], places: NDArray[np.uint32]) -> str:
    size = _loops.write_terms(f"{text} ", _ENTRIES, _learn, _fold_words, out, places)
    return out[:size].tobytes().decode("utf-32-le")


@cache
def _learn(sign: str) -> int:
    """Return the normalised form of a character, and flags, as one number, and keep it in `_ENTRIES`."""
    within = _fold_words(f"a{sign}a")[1:-1]
    form = within.strip() or " "
    is_hard = (
        within != (f" {form} " if is_unspaced(form) else form)
        or len(form) > 1
        or sign in RAISED_FIGURES
        or any(unicodedata.category(each)[0] == "M" or each in _JAMO for each in sign + form)
    )
    form = sign if is_hard else form
    entry = ord(form) << CODE_BITS | is_hard * HARD | is_unspaced(form) * UNSPACED
    if ord(sign) < len(_ENTRIES):
        _ENTRIES[ord(sign)] = entry
    return entry


@lru_cache(_KEPT)
def _fold_words(text: str) -> str:
    return " ".join(filter(None, map(fold_word, _word().findall(text.replace("_", " ")))))


def is_unspaced(text: str) -> bool:
    """Return whether the text begins with a letter of a script written without spaces."""
    return _UNSPACED_RUN.match(text) is not None


def pairs(run: str) -> list[str]:
    """Return the pairs of neighbouring characters in a run of characters, and then its last character alone."""
    return [run[at : at + 2] for at in range(len(run))]
