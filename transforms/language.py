"""The language of a text by langdetect: Shuyo, Language Detection Library for Java (2010), character n-grams and naive Bayes."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from functools import cache, lru_cache
from pathlib import Path
from typing import Final, TypedDict

import numpy as np
from langdetect.detector import Detector
from langdetect.detector_factory import PROFILES_DIRECTORY, DetectorFactory
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
#: Probability from which one trial is enough: the other six of a text that is no mixture say the same.
NO_DOUBT: Final = 0.999
#: Confidence in a page's language from which its blocks are not asked for their own unless they look otherwise.
SURE: Final = 0.9
#: Blocks of one page that are asked for their own language, of so much of each, so often.
MAX_BLOCKS: Final = 8
BLOCK_SAMPLE: Final = (300, 1)
BLOCK_TRIALS: Final = 1
_LOOKED_AT: Final = 150
#: Words from which the share of common ones tells, and that share. Of 860 gold blocks in five languages 3 % of a language's own have
#: fewer, and 95 % of another's (of Italian for Spanish and back 80 %).
_MIN_WORDS, _COMMON_SHARE = 15, 0.07
#: The same for a page, whose text is longer, and how many letters of other scripts it may have. On 1,161 pages, 809 of which have
#: it so, answers differ as seldom from those for all of the text (46) as when each page is asked for its own.
_PAGE_WORDS, _PAGE_COMMON_SHARE, _FOREIGN_SHARE = 25, 0.12, 0.05
_WORD: Final = re.compile(r"[^\W\d_]+")
#: Languages that the library knows and that are not written in Latin letters, and the end of the blocks of these.
_OTHER_SCRIPTS: Final = frozenset(["ar", "bg", "bn", "el", "fa", "gu", "he", "hi", "ja", "kn", "ko", "mk", "ml", "mr", "ne", "pa", "ru", "ta", "te", "th", "uk", "ur", "zh-cn", "zh-tw"])
_LATIN_BLOCKS_END: Final = "\u0370"
#: The commonest words of languages with Latin letters.
_WORDS: Final = {
    language: words.split()
    for language, words in {
        "en": "the of and to in a is that for it as was with be by on not at are this have from or an they which we were can has their",
        "de": "der die und in den von zu das mit sich des auf für ist im dem nicht ein eine als auch es an werden aus er hat dass sie bei",
        "fr": "de la le et les des en un une du dans que est pour qui sur par au plus ne se pas ce avec il sont l d aux ou à",
        "es": "de la que el en y a los se del las un por con no una su para es al lo como más o pero sus le ha este entre",
        "it": "di e il la che in a per un del non è una i con si da le della dei nel al più alla sono anche delle come gli l",
        "pt": "de a o que e do da em um para com não uma os no se na por mais as dos como mas ao das foi ou à é pelo",
        "nl": "de van het een en in is dat op te zijn met voor die niet aan er om ook als dan maar bij door over of uit naar worden wordt",
        "sv": "och i att det som en på är av för med den till inte om ett har de var från vi kan men eller så sig hade ska också vid",
        "da": "og i at det som en på er af for med den til ikke om et har de var fra kan men eller så sig ved der blev også vil",
        "no": "og i at det som en på er av for med den til ikke om et har de var fra kan men eller så seg ved der ble også vil",
        "fi": "ja on ei se että oli hän en mutta joka ovat myös kun niin tai kuin jos ole sen ne siitä mukaan voi vain sekä",
        "pl": "i w na z się do nie to że jest o jak po za od przez co dla oraz są ale czy ma być jego które który tym roku",
        "cs": "a v se na je že s z do o i to k pro ve jako za by po jsou od které který při tak podle nebo jeho aby byl",
        "tr": "ve bir bu da de için ile olarak olan çok daha en kadar gibi sonra ne olduğu ise var her o veya tarafından değil",
        "ro": "de și în a la cu pe nu din o că un este pentru mai ce care se sau prin al au sunt fi lui ca dar le fost după",
        "hu": "a az és hogy nem is egy ez meg de csak van volt mint vagy ki már még el lehet ha között után szerint azt",
        "ca": "de la i el en que a les els del un per una amb es és no al com més dels o seva són va ha aquest l d",
    }.items()
}
#: Those of them that at most three of the languages share.
_COMMON: Final = {
    language: frozenset(word for word in words if sum(word in others for others in _WORDS.values()) <= 3) for language, words in _WORDS.items()
}
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
    known = _profiles().known
    found: list[str] = []
    for end in range(2, len(word) + 1):
        if word[end - 1].isupper() and word[end - 2].isupper():
            continue
        found += [gram for start in range(end - 1, max(0, end - 3) - 1, -1) if (gram := word[start:end]) != " " and gram in known]
    return tuple(found)


@lru_cache(maxsize=20_000)
def _likelihoods(gram: str) -> NDArray[np.float64]:
    """How likely an n-gram is in each language."""
    return np.array([profile["freq"].get(gram, 0) / profile["n_words"][len(gram) - 1] for profile in _profiles().profiles])


def _detector() -> _Detector:
    return _Detector(_profiles())


class _Profile(TypedDict):
    """A language: how often it has each n-gram, and how many of one, two and three letters it has."""

    name: str
    freq: dict[str, int]
    n_words: list[int]


class _Profiles(DetectorFactory):
    """The library's languages, as they stand in its files: its own table of all n-grams takes half a second to fill, of which a
    job looks up a tenth, and a second thread of an engine's worker would be given it half full."""

    def __init__(self) -> None:
        super().__init__()
        files = (path for path in Path(PROFILES_DIRECTORY).iterdir() if path.is_file() and not path.name.startswith("."))
        self.profiles: list[_Profile] = [json.loads(path.read_bytes()) for path in files]
        self.langlist = [profile["name"] for profile in self.profiles]
        self.known = frozenset().union(*(profile["freq"] for profile in self.profiles))


@cache
def _profiles() -> _Profiles:
    return _Profiles()


def sampled(text: str, chars: int, slices: int) -> str:
    """At most that many characters, in slices spread evenly over the text.

    >>> sampled("abcdefghij", 4, 2)
    'ab fg'
    """
    if len(text) <= chars:
        return text
    starts = (len(text) * number // slices for number in range(slices))
    return " ".join(text[start : start + chars // slices] for start in starts)


def page_language(text: str, document: tuple[str | None, float | None]) -> tuple[str | None, float | None]:
    """As `detect_language`, for one page of many. document: language and confidence of all of them, which a page has too
    when its words say so."""
    language, confidence = document
    if language is not None and confidence is not None and confidence >= SURE and _speaks(text, language):
        return document
    return detect_language(text, sample=PAGE_SAMPLE, trials=PAGE_TRIALS)


def _speaks(text: str, language: str) -> bool:
    """Whether a text has so many of the language's commonest words, and so few letters of another script, that it is in it."""
    common = _COMMON.get(language)
    if common is None or len(text) < MIN_CHARS:
        return False
    sample = sampled(text, *PAGE_SAMPLE).lower()
    if not sample.isascii() and _beyond_latin(sample) > _FOREIGN_SHARE * len(sample):
        return False
    words = _WORD.findall(sample)
    return len(words) >= _PAGE_WORDS and len([word for word in words if word in common]) >= _PAGE_COMMON_SHARE * len(words)


def _beyond_latin(text: str) -> int:
    return sum(character >= _LATIN_BLOCKS_END for character in text)


def block_languages(texts: Sequence[str], page: tuple[str | None, float | None]) -> list[tuple[str | None, float | None]]:
    """Language and confidence of each block of a page. page: those of the page's text.

    A block has the page's when it looks like it; else, and where the page's is a guess, it is asked for its own. Text that is too
    short has none, nor have blocks beyond the `MAX_BLOCKS` that are asked for on one page.
    """
    language, confidence = page
    sure = confidence is not None and confidence >= SURE
    left = MAX_BLOCKS
    found: list[tuple[str | None, float | None]] = []
    for text in texts:
        if len(text) < MIN_CHARS or language is None:
            found.append((None, None))
        elif sure and looks_like(text, language):
            found.append(page)
        else:
            left -= 1
            found.append(detect_language(text, sample=BLOCK_SAMPLE, trials=BLOCK_TRIALS) if left >= 0 else (None, None))
    return found


def looks_like(text: str, language: str) -> bool:
    """Whether nothing speaks against a text's being in the language: its letters are of that script, and where the language's
    commonest words are known, some of them stand in it. Some thirty times as cheap as detection."""
    start = text[:_LOOKED_AT].lower()
    beyond = 0 if start.isascii() else _beyond_latin(start)
    if (language in _OTHER_SCRIPTS) != (beyond * 4 > len(start)):
        return False
    common = _COMMON.get(language)
    words = _WORD.findall(start) if common else []
    return common is None or len(words) < _MIN_WORDS or len(words) - len([word for word in words if word not in common]) >= _COMMON_SHARE * len(words)


def detect_language(text: str, *, sample: tuple[int, int] = DOCUMENT_SAMPLE, trials: int = DOCUMENT_TRIALS) -> tuple[str | None, float | None]:
    """ISO 639-1 code (zh-cn, zh-tw apart) and confidence from 0 to 1; (None, None) when the text is too short or has no letters.

    >>> detect_language("too short")
    (None, None)
    """
    if len(text) < MIN_CHARS:
        return None, None
    sampled_text = sampled(text, *sample)
    best = _best(sampled_text, 1)
    if trials > 1 and best is not None and best[1] < NO_DOUBT:
        best = _best(sampled_text, trials)
    return best if best is not None else (None, None)


def _best(text: str, trials: int) -> tuple[str, float] | None:
    """The likeliest language, averaged over trials; None for a text without letters."""
    detector = _detector()
    detector.seed = SEED
    detector.n_trial = trials
    detector.append(text)
    try:
        best = detector.get_probabilities()
    except LangDetectException:  # its word for "no features in text"
        return None
    return (best[0].lang, round(float(best[0].prob), 4)) if best else None
