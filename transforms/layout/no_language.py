"""Text that is no language: a wrong map gives each glyph some letter, and what comes out forms no word of any.

Asked of each font of a page, by what holds in every language written in Latin, Greek or Cyrillic letters: vowels and consonants take turns,
most letters have no accent, capitals begin words. Tables of codes, program text and few words say nothing.
"""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Sequence
from operator import ne
from typing import Any, Final

from schemas.compiled import fastest
from schemas.records import FontStyle, TextLine
from transforms.layout.text_settings import TextSettings

_LOOPS: Final[Any] = fastest("transforms.layout.text_loops")
_VOWELS: Final = frozenset("aeiouyæœøıаеиоуыэюяєіαεηιουω")
#: Words of small letters, a capital before them or not; what holds digits, signs or other letters is a code.
_WORD: Final = re.compile(r"(?<![\w'’.@/-])[^\W\d_][^\W\d_]{3,}(?![\w'’@/-])")
#: Characters of a string that is looked at for signs within it: as many as a word has that is looked at.
_SIGNED_LENGTH: Final = 4
_LOWER: Final = re.compile("[a-zß-öø-ÿα-ωа-яё]+")
_ACCENTED: Final = re.compile("[À-ÖØ-öø-ÿ]")
#: Signs within a word that no language has there, as a map has them that makes letters of signs and signs of letters.
_SIGNS: Final = '“”„«»?!:;|=<>(){}[]#%&*+~^\\"…•†‡§¶©®™°¢£¥€¿¡\ufffd'
_SIGNED: Final = re.compile(rf"\w[{re.escape(_SIGNS)}]\S*\w")
_PIECE: Final = re.compile(r"[^\W\d_]{3,}")
_STRING: Final = re.compile(r"\S*[^\W\d_]\S*")
_TURNS: Final = re.compile("[a-zß-ÿ][A-ZÀ-Þ]")


def count_strange(lines: Sequence[TextLine], styles: Sequence[FontStyle], settings: TextSettings) -> int:
    """Characters of the fonts whose text is no language."""
    text = "\n".join(line.text for line in lines)
    if _LOOPS.count_odd(text, _SIGNS) < settings.strange_glance * max(settings.strange_words, text.count(" ") + text.count("\n")):
        return 0
    texts: dict[str, list[str]] = defaultdict(list)
    for line in lines:
        if not styles[line.style].monospaced:
            texts[styles[line.style].font].append(line.text)
    return sum(sum(map(len, parts)) for parts in texts.values() if is_strange("\n".join(parts), settings))


def is_strange(text: str, settings: TextSettings) -> bool:
    """Whether no language is written so; False where there are too few words to tell."""
    strings = {string for string in _STRING.findall(text) if len(string) >= _SIGNED_LENGTH}
    if len(strings) >= settings.strange_words and sum(map(bool, map(_SIGNED.search, strings))) > settings.strange_signs * len(strings):
        # Program text has as many signs, between words.
        return _turns(map(_plain, set(_PIECE.findall(text)))) < settings.strange_turns
    words = {word for word in _WORD.findall(text) if _LOWER.search(word) and not word.isupper()}
    if len(words) < settings.strange_words:
        return False
    needed = settings.strange_share * len(words)
    switched = sum(len(_TURNS.findall(word)) > 1 for word in words)
    accented = sum(2 * len(_ACCENTED.findall(word)) > len(word) for word in words)
    return max(switched, accented) > needed or _turns(map(_plain, words)) < settings.strange_turns


def _plain(word: str) -> str:
    """Small letters without their accents."""
    return "".join(character for character in unicodedata.normalize("NFD", word.lower()) if not unicodedata.combining(character))


def _turns(words: Iterable[str]) -> float:
    """How often a vowel follows a consonant or a consonant a vowel, as a share of what would be if letters followed each other by
    chance."""
    letters = vowels = pairs = turns = 0
    for word in words:
        sounds = [character in _VOWELS for character in word]
        letters += len(sounds)
        vowels += sum(sounds)
        pairs += len(sounds) - 1
        turns += sum(map(ne, sounds, sounds[1:]))
    by_chance = 2 * vowels * (letters - vowels) / max(letters, 1) ** 2
    return turns / pairs / by_chance if by_chance else 0.0
