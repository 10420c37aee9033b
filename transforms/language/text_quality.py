"""Estimate the quality of text from OCR by the text alone: which share of it consists of words.

A word in small letters must be in the word list of its language, if there is one. Any other string must look like a word by the rules of
Taghva, Nartker, Condit and Borsack ("Automatic removal of garbage strings in OCR text", 2001). Names, numbers and signs are not counted.
"""

from __future__ import annotations

import re
from typing import Final

from msgspec import Struct

from pdfmill.transforms.language.language_words import LANGUAGES, is_listed


class QualitySettings(Struct, frozen=True):
    """Thresholds that separate words from garbage."""

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


def text_quality(text: str, language: str | None, settings: QualitySettings = DEFAULTS) -> float | None:
    """Return the share of letters in words, 0 to 1; None if there are too few words in Latin, Greek or Cyrillic letters to judge.

    language: ISO 639-1 code. Without a word list for it, a word counts as wrong only if `is_garbage`.
    """
    known = (language or "")[:2]
    right = wrong = judged = 0
    for word in (string.strip(_EDGES) for string in text.split()):
        if not _ALPHABET.search(word) or _ADDRESS.search(word) or len(word) < settings.letters:
            continue
        judged += 1
        looked_up = known in LANGUAGES and _SMALL.fullmatch(word) is not None
        good = is_listed(word, known) if looked_up else not is_garbage(word, settings)
        right, wrong = right + good * len(word), wrong + (not good) * len(word)
    return round(min(1.0, right / (right + wrong) / settings.listed), 3) if judged >= settings.words else None


def is_garbage(word: str, settings: QualitySettings = DEFAULTS) -> bool:
    """Return whether a string does not look like a word of any language. word: without punctuation at its ends."""
    letters = sum(map(str.isalpha, word))
    if len(word) > settings.longest or 2 * letters < len(word) or _REPEATED.search(word):
        return True
    if len({c for c in word if not c.isalnum() and c not in "-'’‐­"}) >= settings.signs:
        return True
    if word[0].islower() and word[-1].islower() and any(map(str.isupper, word)):
        return True
    return bool(_LATIN.fullmatch(word)) and word.islower() and len(word) > settings.same and not _VOWELS & set(word)
