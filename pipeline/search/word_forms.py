"""Other forms of words: stems by language, parts of compounds, pairs of Hangul syllables.

They are indexed besides the words as written, and have a lower weight. The language of a query is unknown, so its words are stemmed in
every language of the index; that costs little, since a stem on no page matches nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cache, lru_cache
from itertools import chain, islice
from typing import Final, NamedTuple

import pyphen
from tantivy import Filter, TextAnalyzer, TextAnalyzerBuilder, Tokenizer

from pdfmill.pipeline.search.terms import fold_text, fold_word, terms_of

#: Tantivy's Snowball stemmers by ISO 639-1 code of the language.
_STEMMERS: Final = {
    "ar": "arabic", "da": "danish", "de": "german", "el": "greek", "en": "english", "es": "spanish", "fi": "finnish", "fr": "french",
    "hu": "hungarian", "it": "italian", "nl": "dutch", "no": "norwegian", "pt": "portuguese", "ro": "romanian", "ru": "russian",
    "sv": "swedish", "tr": "turkish",
}  # fmt: skip
#: Languages that write compounds as one word, with the hyphenation patterns of pyphen by which they are split.
_COMPOUNDING: Final = {"da": "da_DK", "de": "de_DE", "nl": "nl_NL", "no": "nb_NO", "sv": "sv_SE"}
#: Least letters of a compound, and of a part of one.
_COMPOUND, _PART = 9, 4
#: Number of letters by which a form of a word may be longer than the root.
_ENDING: Final = 4
#: Least letters of a root that all forms of a word begin with, and of one that may occur within a longer word.
_ROOT, _INNER = 3, 5
_HANGUL: Final = re.compile("[\uac00-\ud7a3]+")
_WORD: Final = re.compile(r"[^\W\d_]+")
_KEPT: Final = 50_000
#: Cache of stems: by language, for each word its stems, separated by spaces. `_KNOWN` is the most words in it, some 40 MB.
_known: dict[str | None, dict[str, str]] = {}
_KNOWN: Final = 300_000


class Forms(NamedTuple):
    """Other forms of a word in a query. stems: alternatives, each a term or a tuple of terms that must all occur. roots: letters with which
    its forms begin."""

    stems: tuple[tuple[str, ...], ...]
    roots: tuple[str, ...]


NO_FORMS: Final = Forms((), ())


@cache
def _stemmer(language: str) -> TextAnalyzer:
    return TextAnalyzerBuilder(Tokenizer.whitespace()).filter(Filter.lowercase()).filter(Filter.stemmer(_STEMMERS[language])).build()


@cache
def _patterns(language: str) -> pyphen.Pyphen:
    return pyphen.Pyphen(lang=_COMPOUNDING[language], left=_PART, right=_PART)


def known_language(language: str | None) -> str | None:
    """Return the language whose stemmer is used for a page; None if there is none."""
    short = (language or "").partition("-")[0]
    return short if short in _STEMMERS else None


def stems_of(words: Iterable[str], language: str | None) -> str:
    """Return the additional terms of a page with these words, joined by spaces.

    >>> stems_of(["Die", "Inspektionen", "der", "Häuser", "Häuser"], "de").split(), stems_of(["서울은"], "ko")
    (['inspektion', 'inspek', 'tion', 'inspekti', 'onen', 'haus'], '서울 울은')
    """
    short, held = known_language(language), dict.fromkeys(words)
    known = _known.setdefault(short, {})
    if len(known) > _KNOWN:
        known = _known[short] = {}
    if new := [word for word in held if word not in known]:
        known.update(zip(new, map(" ".join, _stems(new, short)), strict=True))
    return " ".join(filter(None, map(known.__getitem__, held)))


def _stems(words: Sequence[str], language: str | None) -> Iterator[Iterable[str]]:
    """Yield for each word its stem, if that differs, and the stems of its parts if it may be a compound; for Hangul its pairs
    of syllables."""
    pieces = [(word, *_parts(word, language)) if language and word.isalpha() else () for word in words]
    stems = iter(_stemmer(language).analyze(" ".join(chain(*pieces))) if language else ())  # all at once: a call costs as much as ten words
    for word, own in zip(words, pieces, strict=True):
        terms = dict.fromkeys(map(fold_word, islice(stems, len(own))))
        terms.pop(fold_word(word), None)
        yield terms if word.isascii() else [*(run[at : at + 2] for run in _HANGUL.findall(word) for at in range(len(run) - 1)), *terms]


def _parts(word: str, language: str) -> Sequence[str]:
    """Return possible first and last parts of a long compound, the first without a linking element; () in most languages."""
    if language not in _COMPOUNDING or len(word) < _COMPOUND:
        return ()
    places = _patterns(language).positions(word)
    return [part for at in places for part in (word[:at], word[:at].removesuffix("s"), word[at:]) if len(part) >= _PART]


@lru_cache(_KEPT)
def forms_of(word: str, languages: tuple[str, ...]) -> Forms:
    """Return the forms of a word in these languages. word: as typed.

    >>> forms_of("inspections", ("en",))
    Forms(stems=(('inspect',),), roots=('inspect',))
    """
    folded = fold_word(word)
    if _HANGUL.fullmatch(word):
        pairs = tuple(word[at : at + 2] for at in range(len(word) - 1))
        return Forms((pairs,), (word,)) if pairs else NO_FORMS
    if not _WORD.fullmatch(word):
        return NO_FORMS
    stems = dict.fromkeys(stem for language in languages for each in _stemmer(language).analyze(word) for stem in terms_of(fold_text(each)))
    shared = {_shared(folded, stem) for stem in stems}
    roots = sorted(each for each in shared if len(each) >= max(_ROOT, len(folded) - 2 * _ENDING))
    return Forms(
        tuple((stem,) for stem in stems),
        tuple(each for each in roots if not any(each.startswith(other) for other in roots if other != each)),
    )


def _shared(one: str, other: str) -> str:
    """Return the common prefix of both words."""
    return one[: next((at for at, pair in enumerate(zip(one, other, strict=False)) if pair[0] != pair[1]), min(len(one), len(other)))]


def is_form(word: str, roots: Iterable[str]) -> bool:
    """Return whether a normalised word begins with one of the roots and is a form of that word or a compound with it."""
    return any(
        (word.startswith(root) and len(word) <= len(root) + _ENDING) or (len(root) >= _INNER and root in word) for root in roots
    ) or any(_HANGUL.fullmatch(root) and root in word for root in roots)
