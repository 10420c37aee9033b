"""Find other forms of a query's word: words with the same stem, compounds, and Hangul words with the same pairs of syllables.
The index has no stems; words with the same first letters are stemmed at a query, in every language of the indexed documents."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from itertools import accumulate
from typing import Final, NamedTuple

from tantivy import Filter, TextAnalyzer, TextAnalyzerBuilder, Tokenizer

from pdfmill.pipeline.search.terms import fold_text, fold_word, pairs

#: Tantivy's Snowball stemmers by ISO 639-1 code of the language.
STEMMERS: Final = {
    "ar": "arabic", "da": "danish", "de": "german", "el": "greek", "en": "english", "es": "spanish", "fi": "finnish", "fr": "french",
    "hu": "hungarian", "it": "italian", "nl": "dutch", "no": "norwegian", "pt": "portuguese", "ro": "romanian", "ru": "russian",
    "sv": "swedish", "tr": "turkish",
}  # fmt: skip
#: Languages that write compounds as one word.
_COMPOUNDING: Final = ("da", "de", "nl", "no", "sv")
#: Least letters of a compound, and of a part of one.
_COMPOUND, _PART = 9, 4
#: Most letters by which a form of a word may be longer than its root, the beginning that word and stem share.
_ENDING: Final = 4
#: Least letters of a root with which forms of a word begin, and of one that is also searched within longer words.
_ROOT, _INNER = 3, 5
#: Most words, the most frequent ones, that are examined as forms of a word.
_EXAMINED: Final = 64
#: Translation of bytes of UTF-8 that makes ASCII characters spaces; the pattern below takes long to pass them.
_FOREIGN: Final = bytes(32 if each < 128 else each for each in range(256))
_HANGUL: Final = re.compile("[\uac00-\ud7a3]+")
_WORD: Final = re.compile(r"[^\W\d_]+")
#: First character of terms that are words written backwards, by which compounds are found by their ends.
_BACKWARDS: Final = "<"


class Forms(NamedTuple):
    """Other forms of a word in a query. words: with the same stem. inner: terms of compounds that begin or end with the word (see
    `inner_terms`). pairs: the pairs of Hangul syllables in the word. roots: the letters with which the other forms begin."""

    words: tuple[str, ...] = ()
    inner: tuple[str, ...] = ()
    pairs: tuple[str, ...] = ()
    roots: tuple[str, ...] = ()


@cache
def _stemmer(language: str) -> TextAnalyzer:
    return TextAnalyzerBuilder(Tokenizer.whitespace()).filter(Filter.lowercase()).filter(Filter.stemmer(STEMMERS[language])).build()


def inner_terms(terms: str, language: str | None) -> str:
    """Return further terms of a text with these terms, joined by spaces, for parts of words: the pairs of Hangul syllables; in languages
    with compounds each long word as it is and reversed.

    >>> inner_terms("das verwaltungsgericht", "de"), inner_terms("서울은", "ko")
    ('verwaltungsgericht <thciregsgnutlawrev', '서울 울은')
    """
    if language in _COMPOUNDING:
        long = [word for word in dict.fromkeys(terms.split()) if len(word) >= _COMPOUND]
        return " ".join(long + [_BACKWARDS + word[::-1] for word in long])
    runs = () if terms.isascii() else _HANGUL.findall(b" ".join(terms.encode().translate(_FOREIGN).split()).decode())
    return " ".join(dict.fromkeys(pair for run in runs for pair in pairs(run)[:-1]))


def forms_of(typed: str, languages: Sequence[str], known: Callable[[str, str], Iterable[tuple[str, int]]]) -> Forms:
    """Return the other forms of the word `typed` in these languages. known: returns (term, number of pages) of the index's terms in a field
    with a beginning.

    >>> forms_of("inspections", ("en",), lambda field, begin: [("inspect", 3), ("inspector", 2)])
    Forms(words=('inspect',), inner=('inspect', 'inspector'), pairs=(), roots=('inspect',))
    """
    folded = fold_word(typed)
    if _HANGUL.fullmatch(typed):
        return Forms((), (), tuple(pairs(typed)[:-1]), (typed,))
    if not _WORD.fullmatch(typed):
        return Forms()
    stems = {language: {*_stems([folded], language), *map(fold_text, _stems([typed], language))} for language in languages}
    # the longest beginning of the word that is one of the stem, too
    shared = {[*filter(stem.startswith, accumulate(folded, initial=""))][-1] for each in stems.values() for stem in each}
    possible = [each for each in shared if len(each) >= max(_ROOT, len(folded) - 2 * _ENDING)]
    roots = sorted(each for each in possible if not any(each.startswith(other) for other in possible if other != each))
    near = [
        (term, pages)
        for root in roots
        for term, pages in known("text", root[: max(_ROOT + 1, len(root) - 1)])
        if len(term) <= len(root) + _ENDING and term != folded
    ]
    words = frequent(near)
    alike = {term for language in languages for term, stem in zip(words, _stems(words, language), strict=True) if stem in stems[language]}
    forms = tuple(term for term in words if term in alike)
    begins = [folded, *(_BACKWARDS + word[::-1] for word in (folded, *forms))] if len(folded) >= _PART else ()
    return Forms(forms, tuple(frequent([each for begin in begins for each in known("inner", begin)])), (), tuple(roots))


def frequent(terms: Iterable[tuple[str, int]]) -> list[str]:
    """Return the `_EXAMINED` terms with the most pages. terms: (term, number of pages)."""
    return [term for term, _ in sorted(dict(terms).items(), key=lambda each: (-each[1], each[0]))[:_EXAMINED]]


def _stems(words: Sequence[str], language: str) -> Sequence[str]:
    return _stemmer(language).analyze(" ".join(words))


def is_form(word: str, roots: Iterable[str]) -> bool:
    """Return whether a normalised word begins with one of these roots and is at most `_ENDING` letters longer, or contains a long or Hangul
    root. roots: from `Forms`."""
    return any(
        (word.startswith(root) and len(word) <= len(root) + _ENDING) or ((len(root) >= _INNER or _HANGUL.match(root)) and root in word)
        for root in roots
    )
