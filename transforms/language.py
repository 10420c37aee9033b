"""The language of a text by langdetect: Shuyo, Language Detection Library for Java (2010), character n-grams and naive Bayes."""

from __future__ import annotations

import re
from functools import cache, lru_cache
from typing import Final

import numpy as np
from langdetect import detector_factory
from langdetect.detector import Detector
from langdetect.lang_detect_exception import LangDetectException
from langdetect.utils.ngram import NGram
from numpy.typing import NDArray

#: Shorter texts make it guess; measured in characters.
MIN_CHARS: Final = 100
#: How many characters of a text are looked at, and in how many slices of it: cost grows with the first, and a page that begins
#: with a heading in English is not English. Measured on 751 gold pages against all of their text: 500 characters from the start
#: differ on 43 pages, in 5 slices on 21.
PAGE_SAMPLE: Final = (500, 5)
DOCUMENT_SAMPLE: Final = (2000, 1)
#: How often the library tries with other n-grams of the text and averages; its own default is the document's.
PAGE_TRIALS: Final = 1
DOCUMENT_TRIALS: Final = 7
#: The library draws its n-grams at random; a fixed seed makes a text's answer its own.
SEED: Final = 0


_SPACES: Final = re.compile(" {2,}")
#: Below it there are Latin letters only, and the library's search for texts of two scripts finds nothing.
_LATIN_END: Final = "\u0300"


class _Normal(dict[int, str]):
    """Code points to what the library puts in their place, asked once for each."""

    def __missing__(self, code: int) -> str:
        if len(self) > 10_000:
            self.clear()
        return self.setdefault(code, str(NGram.normalize(chr(code))))


_NORMAL: Final = _Normal()


class _Detector(Detector):
    """The library's detector, to the last digit, at half its price: n-grams by the word instead of by the character,
    probabilities as arrays."""

    def append(self, text: str) -> None:
        """Take a text as the library does: without addresses, with single spaces. Call it once."""
        text = NGram.normalize_vi(self.MAIL_RE.sub(" ", self.URL_RE.sub(" ", text)))
        self.text = _SPACES.sub(" ", text[: self.max_text_length])

    def cleaning_text(self) -> None:
        """Without letters beyond Latin there is nothing to clean."""
        if max(self.text, default="") >= _LATIN_END:
            super().cleaning_text()

    def _extract_ngrams(self) -> list[str]:
        *words, last = self.text.translate(_NORMAL).split(" ")
        found: list[str] = []
        for word in words:
            if word:
                found += _ngrams(f" {word} ")
        return found + list(_ngrams(f" {last}")) if last else found

    def _init_probability(self) -> NDArray[np.float64]:
        return np.full(len(self.langlist), 1.0 / len(self.langlist))

    def _update_lang_prob(self, prob: NDArray[np.float64], word: str, alpha: float) -> bool:
        prob *= alpha / self.BASE_FREQ + _likelihoods(word)
        return True

    def _normalize_prob(self, prob: NDArray[np.float64]) -> float:
        prob /= sum(prob.tolist())  # in the library's order, for numpy's sum rounds another way
        return float(prob.max())


@lru_cache(maxsize=20_000)
def _ngrams(word: str) -> tuple[str, ...]:
    """What the library knows of a word's n-grams of one to three letters. word: behind a space, with one behind it unless it
    ends the text. A capital after a capital says nothing."""
    known = _factory().word_lang_prob_map
    found: list[str] = []
    for end in range(2, len(word) + 1):
        if word[end - 1].isupper() and word[end - 2].isupper():
            continue
        found += [gram for start in range(end - 1, max(0, end - 3) - 1, -1) if (gram := word[start:end]) != " " and gram in known]
    return tuple(found)


@lru_cache(maxsize=20_000)
def _likelihoods(gram: str) -> NDArray[np.float64]:
    """How likely an n-gram is in each language."""
    return np.array(_factory().word_lang_prob_map[gram])


def _detector() -> _Detector:
    return _Detector(_factory())


@cache
def _factory() -> detector_factory.DetectorFactory:
    detector_factory.init_factory()
    return detector_factory._factory


def sampled(text: str, chars: int, slices: int) -> str:
    """At most that many characters, in slices spread evenly over the text.

    >>> sampled("abcdefghij", 4, 2)
    'ab fg'
    """
    if len(text) <= chars:
        return text
    starts = (len(text) * number // slices for number in range(slices))
    return " ".join(text[start : start + chars // slices] for start in starts)


def page_language(text: str) -> tuple[str | None, float | None]:
    """As `detect_language`, for one page of many."""
    return detect_language(text, sample=PAGE_SAMPLE, trials=PAGE_TRIALS)


def detect_language(text: str, *, sample: tuple[int, int] = DOCUMENT_SAMPLE, trials: int = DOCUMENT_TRIALS) -> tuple[str | None, float | None]:
    """ISO 639-1 code (zh-cn, zh-tw apart) and confidence from 0 to 1; (None, None) when the text is too short or has no letters.

    >>> detect_language("too short")
    (None, None)
    """
    if len(text) < MIN_CHARS:
        return None, None
    detector = _detector()
    detector.seed = SEED
    detector.n_trial = trials
    detector.append(sampled(text, *sample))
    try:
        best = detector.get_probabilities()
    except LangDetectException:  # its word for "no features in text"
        return None, None
    if not best:
        return None, None
    return best[0].lang, round(float(best[0].prob), 4)
