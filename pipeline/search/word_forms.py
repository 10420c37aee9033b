"""Other forms of words: stems by language, parts of compounds, pairs of Hangul syllables.

The index holds each of its words once beside its stems and parts, as the term `stem=word`: a word that is typed is looked for with all
words of the index that share a stem with it. It has no language, so it is stemmed by each language that the index holds.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cache, lru_cache
from typing import Final

import numpy as np
import pyphen
from tantivy import Filter, TextAnalyzer, TextAnalyzerBuilder, Tokenizer

from pdfmill.pipeline.search.terms import fold_text, fold_word, indexed, terms_of

#: Languages by ISO 639-1 that have a Snowball stemmer in Tantivy.
_STEMMERS: Final = {
    "ar": "arabic", "da": "danish", "de": "german", "el": "greek", "en": "english", "es": "spanish", "fi": "finnish", "fr": "french",
    "hu": "hungarian", "it": "italian", "nl": "dutch", "no": "norwegian", "pt": "portuguese", "ro": "romanian", "ru": "russian",
    "sv": "swedish", "tr": "turkish",
}  # fmt: skip
#: Languages that write compounds as one word, with the patterns by which pyphen cuts them.
_COMPOUNDING: Final = {"da": "da_DK", "de": "de_DE", "nl": "nl_NL", "no": "nb_NO", "sv": "sv_SE"}
#: Letters of a word from which it may be a compound, and of a part of one.
_COMPOUND, _PART = 9, 4
#: Between a stem and a word in a term; stands in no word.
OF_STEM: Final = "="
_HANGUL: Final = re.compile("[\uac00-\ud7a3]+")
_WORD: Final = re.compile(r"[^\W\d_]+")
_KEPT: Final = 50_000
#: Places for hashes of words: more than twice as many as there are words before their forms are asked for, and new ones of a text.
_SLOTS: Final = 1 << 20


@cache
def _stemmer(language: str) -> TextAnalyzer:
    return TextAnalyzerBuilder(Tokenizer.whitespace()).filter(Filter.lowercase()).filter(Filter.stemmer(_STEMMERS[language])).build()


@cache
def _patterns(language: str) -> pyphen.Pyphen:
    return pyphen.Pyphen(lang=_COMPOUNDING[language], left=_PART, right=_PART)


def known_language(language: str | None) -> str:
    """The language under which a page's words are stemmed, empty for none."""
    short = (language or "").partition("-")[0]
    return short if short in _STEMMERS else ""


class Vocabulary:
    """The words that an index takes in of one language, until their forms are asked for."""

    def __init__(self, language: str) -> None:
        self._language = language
        self._known = np.zeros(_SLOTS, np.uint64)
        self._words: dict[str, None] = {}

    def __len__(self) -> int:
        return len(self._words)

    def terms(self, text: str) -> str:
        """The terms of a text, with spaces between."""
        terms, new = indexed(text, self._known)
        if new:
            self._words.update(dict.fromkeys(map(str.lower, new)))
        return terms

    def forms(self) -> str:
        """The terms by which its words are found from others of their stem, with spaces between."""
        return " ".join(forms_of(self._words, self._language))


def forms_of(words: Iterable[str], language: str) -> Iterator[str]:
    """Words, folded, behind their stems, where these are other words, and those of their parts where they may be compounds; behind the
    pairs of their Hangul syllables.

    >>> [*forms_of(["häuser", "landtag"], "de")], [*forms_of(["서울은"], "")]
    (['haus=hauser'], ['서울=서울은', '울은=서울은'])
    """
    words = [word for word in words if word.isalpha()]
    if language:
        pieces = [(piece, word) for word in words for piece in (word, *_parts(word, language))]
        stems = _stemmer(language).analyze(" ".join([piece for piece, _ in pieces]))  # all at once: a call costs as much as ten words
        for stem, (_, word) in zip(stems, pieces, strict=True):
            if stem != word:
                folded = fold_word(word), fold_word(stem)
                yield f"{folded[1]}{OF_STEM}{folded[0]}"
    yield from (f"{pair}{OF_STEM}{fold_word(word)}" for word in words if not word.isascii() for pair in _pairs(word))


def _pairs(word: str) -> Sequence[str]:
    """The pairs of Hangul syllables of a word."""
    return [run[at : at + 2] for run in _HANGUL.findall(word) for at in range(len(run) - 1)]


def _parts(word: str, language: str) -> Sequence[str]:
    """Return possible first and last parts of a long compound, the first without a linking element; empty in most languages."""
    if language not in _COMPOUNDING or len(word) < _COMPOUND:
        return ()
    places = _patterns(language).positions(word)
    return [part for at in places for part in (word[:at], word[:at].removesuffix("s"), word[at:]) if len(part) >= _PART]


@lru_cache(_KEPT)
def stems_asked(word: str, languages: tuple[str, ...]) -> Sequence[tuple[str, ...]]:
    """The stems of a word, as typed, in some languages: other forms of it have one of these, or all of a tuple.

    >>> stems_asked("inspections", ("en",)), stems_asked("서울은", ())
    ([('inspect',)], [('서울', '울은')])
    """
    if _HANGUL.fullmatch(word):
        return [tuple(_pairs(word))] if len(word) > 1 else []
    if not _WORD.fullmatch(word):
        return []
    stems = (stem for language in languages for each in _stemmer(language).analyze(word) for stem in terms_of(fold_text(each)))
    return [(stem,) for stem in dict.fromkeys(stems)]
