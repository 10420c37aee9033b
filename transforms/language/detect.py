"""Detect the language of a text with langdetect's method: character n-grams and naive Bayes (Shuyo, Language Detection Library for Java,
2010).

langdetect draws n-grams at random; this module classifies several parts of the text, so that a text always gets the same answer. The
confidence is the parts' agreement. One table, computed from langdetect's files and kept in the user's cache folder (XDG Base Directory
Specification: `~/.cache/pdfmill`), replaces its dictionaries, which take longer to load than reading a short document."""

from __future__ import annotations

import json
import logging
import os
import re
import tempfile
import unicodedata
from collections import Counter
from collections.abc import Sequence
from functools import cache
from importlib.util import find_spec
from itertools import groupby
from pathlib import Path
from typing import Any, Final, NamedTuple, TypedDict
from zipfile import BadZipFile

import numpy as np
from numpy.typing import NDArray

from pdfmill.schemas.compiled import fastest
from pdfmill.schemas.statistics import median
from pdfmill.transforms.language.language_words import languages
from pdfmill.transforms.language.ngram_loops import CODE_BITS, LONGEST, NORMALIZED_END

_LOOPS: Final[Any] = fastest("pdfmill.transforms.language.ngram_loops")

log = logging.getLogger("pdfmill")

#: Version of the table's file format; it is part of the file's name.
_FORM: Final = 2
#: Constant that naive Bayes adds to the frequency of each n-gram, so that none is impossible: langdetect's ALPHA_DEFAULT / BASE_FREQ.
_SMOOTHING: Final = 0.5 / 10_000
#: First code point of Greek letters with breathings, and the one after the last.
_OLD_GREEK: Final = (0x1F00, 0x2000)


class _Profile(TypedDict):
    """A language profile, as langdetect's file contains it. freq: count of each n-gram. n_words: counts of n-grams of 1, 2 and 3
    characters."""

    name: str  # code of the language
    freq: dict[str, int]  # count of each n-gram
    n_words: list[int]  # total count of n-grams of one, two and three characters


class Profiles(NamedTuple):
    """The n known n-grams of up to three characters, and the languages that have them. The entries of n-gram i are first[i] to first[i + 1]
    (excluded), each with a `language` (index into `languages`) and a weight (`gain`). keys: the n-grams as numbers. normal: replacement of
    each code point before the look-up. slots: a hash table of `keys`."""

    languages: NDArray[np.str_]  # codes of the languages
    keys: NDArray[np.uint64]  # uint64[n], ascending: the code points of an n-gram, 21 bits each
    first: NDArray[np.int64]  # int64[n + 1], index of an n-gram's first entry
    language: NDArray[np.uint8]  # uint8[m], index into `languages`
    #: float64[m], log ratio of the n-gram's probability in the entry's language to its probability in a language that lacks it.
    gain: NDArray[np.float64]
    normal: NDArray[np.uint32]  # uint32[65536], replacement of each code point in n-grams
    slots: NDArray[np.int32]  # int32[a power of two], a hash table of `keys` (`ngram_loops.fill_slots`)

    def find(self, parts: list[str]) -> list[NDArray[np.int64]]:
        """Return the known n-grams of each text, as indices into `keys`, in langdetect's order. Those that end in two capitals are left
        out."""
        room, normal = np.empty(LONGEST * (max(map(len, parts), default=0) + 1), np.int64), _normal_text()
        return [room[: _LOOPS.find_ngrams(f" {part}", normal, self.keys, self.slots, room)].copy() for part in parts]

    def strange_share(self, text: str, language: int) -> float:
        """Return the share of a text's letters, 0 to 1, that a language does not use, without Chinese. language: index into `languages`."""
        if text.isascii():
            return 0.0
        codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), "<u4")
        codes = codes[codes < NORMALIZED_END]
        letters = codes[_alphabetic()[codes]]
        return float(np.count_nonzero(~_spelled(language)[letters])) / max(1, len(letters))

    def weigh(self, ngrams: list[NDArray[np.int64]]) -> NDArray[np.float64]:
        """Return float64[parts, languages]: the sum of log probabilities of each part's n-grams in each language, relative to an unknown
        n-gram.
        ngrams: for each part the indices of its n-grams in `keys`."""
        gains = np.zeros((len(ngrams), len(self.languages)))
        for asked, sums in zip(ngrams, gains, strict=True):
            _LOOPS.add_gains(asked, self.first, self.language, self.gain, sums)
        return gains


@cache
def _normal_text() -> str:
    """Return `Profiles.normal` as a text: its character number n is the replacement of code point n."""
    return profiles().normal.astype("<u4").tobytes().decode("utf-32-le", "surrogatepass")


@cache
def _alphabetic() -> NDArray[np.bool_]:
    """Return bool[65536]: which code points of the Basic Multilingual Plane are letters other than Chinese characters."""
    found: NDArray[np.bool_] = np.char.isalpha(np.arange(NORMALIZED_END, dtype=np.uint32).view("U1"))
    found[0x3400:0xA000] = False
    return found


@cache
def _spelled(language: int) -> NDArray[np.bool_]:
    """Return bool[65536]: which code points a language uses: its letters, accented old Greek ones, and ASCII, because of foreign names."""
    table = profiles()
    ends = table.first[: int(table.keys.searchsorted(NORMALIZED_END)) + 1]
    singles = np.repeat(table.keys[: len(ends) - 1], np.diff(ends))[table.language[: ends[-1]] == language]
    found = np.isin(table.normal, singles.astype(np.uint32))
    found[:0x80] = True
    old = np.arange(*_OLD_GREEK)
    found[old] |= found[[ord(unicodedata.normalize("NFD", chr(code))[0]) for code in old.tolist()]]
    return found


@cache
def profiles() -> Profiles:
    """Return the table of all languages, loaded from the cache folder, or computed if it is not there."""
    path = _cache_folder() / f"{_installed()}-{_FORM}.npz"
    try:
        with np.load(path, allow_pickle=False) as arrays:
            return Profiles(**{name: arrays[name] for name in Profiles._fields})
    except (OSError, ValueError, KeyError, EOFError, BadZipFile) as error:
        log.debug("the table of language profiles is computed, because it cannot be loaded: %s", error)
    made = make_profiles()
    try:
        _keep(made, path)
    except OSError as error:
        log.debug("the table of language profiles cannot be written to the cache: %s", error)
    return made


def _installed() -> str:
    """Return the name and version of the installed langdetect, e.g. `langdetect-1.0.9`, from its metadata folder (PyPA, "Recording
    installed projects"). `importlib.metadata` takes 20 ms to import."""
    spec = find_spec("langdetect")
    beside = Path(spec.origin).parent.parent if spec is not None and spec.origin else Path()
    return next((path.stem for path in sorted(beside.glob("langdetect-*.dist-info"))), "langdetect")


def _cache_folder() -> Path:
    named = os.environ.get("XDG_CACHE_HOME", "")
    return (Path(named) if os.path.isabs(named) else Path("~/.cache").expanduser()) / "pdfmill"


def _keep(made: Profiles, path: Path) -> None:
    """Write the table to a temporary file, then rename it to `path`, because other processes may read or write that file now."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f"{path.name}-")
    try:
        with os.fdopen(handle, "wb") as file:
            np.savez(file, **made._asdict())
        os.replace(temporary, path)
    except OSError:
        os.unlink(temporary)
        raise


def make_profiles() -> Profiles:
    """Compute the table of the n-grams of all languages from the files of the installed langdetect."""
    from langdetect import PROFILES_DIRECTORY

    files = sorted(path for path in Path(PROFILES_DIRECTORY).iterdir() if path.is_file() and not path.name.startswith("."))
    found: list[_Profile] = [json.loads(path.read_bytes()) for path in files]
    entries = [(_keys([gram for gram in profile["freq"] if _is_ngram(gram)]), number, profile) for number, profile in enumerate(found)]
    keys = np.concatenate([own for own, _, _ in entries])
    language = np.concatenate([np.full(len(own), number, np.uint8) for own, number, _ in entries])
    shares = np.concatenate([_shares(profile) for _, _, profile in entries])
    order = np.argsort(keys, kind="stable")
    distinct, first = np.unique(keys[order], return_index=True)
    slots = np.full(1 << (2 * len(distinct)).bit_length(), -1, np.int32)
    _LOOPS.fill_slots(distinct, slots)
    return Profiles(
        languages=np.array([profile["name"] for profile in found]),
        keys=distinct,
        first=np.append(first, len(keys)).astype(np.int64),
        language=language[order],
        gain=(np.log(shares + _SMOOTHING) - np.log(_SMOOTHING))[order],
        normal=_normal(),
        slots=slots,
    )


def _is_ngram(gram: str) -> bool:
    return gram != " " and len(gram) <= LONGEST


def _keys(grams: list[str]) -> NDArray[np.uint64]:
    """Return uint64[n]: n-grams as numbers, made of the code points of their characters, 21 bits each."""
    codes = np.array(grams, f"U{LONGEST}").view(np.uint32).reshape(-1, LONGEST).astype(np.uint64)
    lengths = np.array([len(gram) for gram in grams])
    key = np.zeros(len(grams), np.uint64)
    for place in range(LONGEST):
        key = np.where(place < lengths, key << np.uint64(CODE_BITS) | codes[:, place], key)
    return key


def _shares(profile: _Profile) -> NDArray[np.float64]:
    totals = profile["n_words"]
    return np.array([count / totals[len(gram) - 1] for gram, count in profile["freq"].items() if _is_ngram(gram)])


def _normal() -> NDArray[np.uint32]:
    """Return uint32[65536], langdetect's replacement for each code point."""
    from langdetect.utils.ngram import NGram

    return np.array([ord(NGram.normalize(chr(code))) for code in range(NORMALIZED_END)], np.uint32)


#: Shorter texts, in characters, are not classified, because the answer would be a guess.
MIN_CHARS: Final = 100
#: Number of characters of a text that are classified, and number of slices from which they are taken. The cost grows with the first;
#: several slices are needed because a page that begins with an English heading may not be English. On 751 gold pages, compared with
#: classifying all text, 500 characters from the start give another answer on 43 pages, in 5 slices on 21.
PAGE_SAMPLE: Final = (500, 5)
DOCUMENT_SAMPLE: Final = (2000, 1)
#: Number of parts of a text that are classified separately, and their least length in characters. Naive Bayes gives one language nearly all
#: of the probability, also for a text in two languages; the agreement of parts is a better confidence. Of joined strings of programs in 36
#: languages, 100 to 500 characters, all 1,155 answers with a confidence of 0.9 and more are right, and of the others 260 of 285; of texts
#: half in one language and half in another none has 0.9.
PAGE_PARTS: Final = 5
DOCUMENT_PARTS: Final = 7
_PART_CHARS: Final = 50
#: Number of n-grams of a part that are classified, spread evenly over it. Using all of them takes twice the time and is right as often.
_PART_NGRAMS: Final = 64
#: Confidence in a document's or page's language from which its pages or blocks get that language without detection, unless they look like
#: another one. It means that most of the parts agree.
SURE: Final = 0.75
#: Most blocks of a page whose language is detected; characters and slices of each that are classified; number of its parts.
MAX_BLOCKS: Final = 8
BLOCK_SAMPLE: Final = (300, 3)
BLOCK_PARTS: Final = 3
_LOOKED_AT: Final = (150, 2)
#: Number of words from which the share of common words is meaningful, and the share at which a text counts as in the language. Of 860 gold
#: blocks in five languages 3 % have a smaller share of their own language's common words, and 95 % a smaller share of another's (of Italian
#: for Spanish and back 80 %).
_MIN_WORDS, _COMMON_SHARE = 15, 0.07
#: The same two for a page, whose text is longer, and the highest share of letters of other scripts. On 1,161 pages, 809 of which pass this
#: check, answers differ from those for all text as seldom (46) as if each page's language were detected.
_PAGE_WORDS, _PAGE_COMMON_SHARE, _FOREIGN_SHARE = 25, 0.12, 0.05
_WORD: Final = re.compile(r"[^\W\d_]+")
#: Languages that langdetect knows and that are not written in Latin letters, and the last code point of their scripts' blocks.
_OTHER_SCRIPTS: Final = frozenset(
    [
        "ar",
        "bg",
        "bn",
        "el",
        "fa",
        "gu",
        "he",
        "hi",
        "ja",
        "kn",
        "ko",
        "mk",
        "ml",
        "mr",
        "ne",
        "pa",
        "ru",
        "ta",
        "te",
        "th",
        "uk",
        "ur",
        "zh-cn",
        "zh-tw",
    ]
)
_BEYOND_LATIN: Final = re.compile("[^\x00-\u036f]")  # a negated class, because one up to the last code point takes 5 ms to compile
#: The most common words of languages in Latin letters.
_WORDS: Final = {code: language.common.split() for code, language in languages().items() if language.common}
#: Number of languages that have each of these words.
_SHARED: Final = Counter(word for words in _WORDS.values() for word in set(words))
#: Those of these words that at most three of the languages share.
_COMMON: Final = {language: frozenset(word for word in words if _SHARED[word] <= 3) for language, words in _WORDS.items()}
#: For each language the words that are common in others and not in it.
_STRANGE: Final = {language: frozenset().union(*_COMMON.values()) - set(words) for language, words in _WORDS.items()}
#: A text in a language may have one word of `_STRANGE`, or this share of the number of its own common words. In strings of one language 2 %
#: of those of 150 characters have more and 1 % of those of 500; of strings half in another language 65 % and 85 %.
_STRANGE_SHARE: Final = 0.5

#: Share of letters that a language does not use, from which a text is not in that language. Of texts of 240 and 800 characters in 37
#: languages of langdetect none has more than .011; in 11 languages in the same scripts that it does not know most have .04 to .8.
_STRANGE_LETTERS: Final = 0.04
#: Syllables that Japanese and Korean mix with Chinese characters, and the smallest share of them in such texts.
_KANA: Final = re.compile("[\u3041-\u30fa]")
_HANGUL: Final = re.compile("[\u1100-\u11ff\uac00-\ud7a3]")
_EAST_ASIAN: Final = re.compile("[\u1100-\u11ff\u3041-\u30fa\u3400-\u9fff\uac00-\ud7a3]")
_SYLLABLES: Final = 0.05
#: The lowest probability of a language, so that none becomes zero when others are excluded.
_LEAST: Final = 1e-300

#: A text whose code points are all below this has Latin letters only, so that langdetect's removal of Latin letters from texts in other
#: scripts does nothing.
_LATIN_END: Final = "\u0300"
#: What langdetect counts as Latin letters, and as other letters.
_LATIN: Final = re.compile("[A-z]")
_NOT_LATIN: Final = re.compile("[^\x00-\u02ff\u1e00-\u1eff]")
#: Combining marks of Vietnamese that langdetect joins with the letter before them.
_MARKS: Final = "\u0300\u0301\u0303\u0309\u0323"


def clean(text: str) -> str:
    """Return the text that langdetect would classify: without web and mail addresses, and without Latin letters in mostly other text."""
    if "://" in text or "@" in text or (not text.isascii() and any(map(text.__contains__, _MARKS))):
        text = _without_addresses(text)
    if not text.isascii() and max(text) >= _LATIN_END and 2 * len(_LATIN.findall(text)) < len(_NOT_LATIN.findall(text)):
        text = _LATIN.sub("", text)
    return text


def _without_addresses(text: str) -> str:
    from langdetect.detector import Detector
    from langdetect.utils.ngram import NGram

    joined: str = NGram.normalize_vi(Detector.MAIL_RE.sub(" ", Detector.URL_RE.sub(" ", text)))
    return joined


def sampled(text: str, chars: int, slices: int) -> str:
    """Return at most `chars` characters of a text, in `slices` slices spread evenly over it.

    >>> sampled("abcdefghij", 4, 2)
    'ab fg'
    """
    if len(text) <= chars:
        return text
    starts = (len(text) * number // slices for number in range(slices))
    return " ".join(text[start : start + chars // slices] for start in starts)


def page_language(text: str, document: tuple[str | None, float | None]) -> tuple[str | None, float | None]:
    """Return the language code of a page and the confidence, 0 to 1; (None, None) if the text is too short.
    document: language and confidence of the whole document, which the page gets if its words confirm it."""
    language, confidence = document
    if language is not None and confidence is not None and confidence >= SURE and _speaks(text, language):
        return document
    return detect_language(text, sample=PAGE_SAMPLE, parts=PAGE_PARTS)


def _speaks(text: str, language: str) -> bool:
    if language not in _COMMON or len(text) < MIN_CHARS:
        return False
    sample = sampled(text, *PAGE_SAMPLE).lower()
    if _beyond_latin(sample) > _FOREIGN_SHARE * len(sample):
        return False
    words = _WORD.findall(sample)
    return len(words) >= _PAGE_WORDS and _share_common(words, language) >= _PAGE_COMMON_SHARE


def _share_common(words: Sequence[str], language: str) -> float:
    """Return the share of the words, 0 to 1, among the most common ones of the language; 0 if too many are common only in other
    languages."""
    rest = [word for word in words if word not in _COMMON[language]]
    own, strange = len(words) - len(rest), len([word for word in rest if word in _STRANGE[language]])
    return 0.0 if strange > max(1, _STRANGE_SHARE * own) else own / len(words)


def _beyond_latin(text: str) -> int:
    return 0 if text.isascii() else len(_BEYOND_LATIN.findall(text))


def block_languages(texts: Sequence[str], page: tuple[str | None, float | None]) -> list[tuple[str | None, float | None]]:
    """Return the language and the confidence of each block of a page; (None, None) for short ones, and after `MAX_BLOCKS` detections.
    page: language and confidence of the page, which blocks get without detection if they look like it."""
    language, confidence = page
    sure = confidence is not None and confidence >= SURE
    found: list[tuple[str | None, float | None]] = [(None, None)] * len(texts)
    asked: list[int] = []
    for number, text in enumerate(texts):
        if len(text) < MIN_CHARS or language is None:
            continue
        if sure and looks_like(text, language):
            found[number] = page
        elif len(asked) < MAX_BLOCKS:
            asked.append(number)
    answers = detect_languages([texts[number] for number in asked], sample=BLOCK_SAMPLE, parts=BLOCK_PARTS)
    for number, each in zip(asked, answers, strict=True):
        found[number] = each
    return found


def looks_like(text: str, language: str) -> bool:
    """Return whether the text may be in the language, by its letters and by common words, in a thirtieth of the time of detection."""
    looked_at = sampled(text, *_LOOKED_AT).lower()
    beyond = _beyond_latin(looked_at)
    if (language in _OTHER_SCRIPTS) != (beyond * 4 > len(looked_at)):
        return False
    words = _WORD.findall(looked_at) if language in _COMMON else []
    return len(words) < _MIN_WORDS or _share_common(words, language) >= _COMMON_SHARE


def detect_language(
    text: str, *, sample: tuple[int, int] = DOCUMENT_SAMPLE, parts: int = DOCUMENT_PARTS
) -> tuple[str | None, float | None]:
    """Return the ISO 639-1 code (zh-cn and zh-tw are distinct) of a text's main language, and a confidence from 0 to 1, averaged over up to
    `parts` parts of the text; (None, None) if the text is too short or has no letters.
    sample: number of characters that are classified, and number of slices of the text from which they are taken."""
    return detect_languages([text], sample=sample, parts=parts)[0]


def detect_languages(texts: Sequence[str], *, sample: tuple[int, int], parts: int) -> list[tuple[str | None, float | None]]:
    """Detect the languages of several texts together, at half the cost, as ISO 639-1 codes with the confidence; (None, None) if unknown.
    sample: number of characters that are classified, and number of slices from which they are taken. parts: largest number of parts."""
    answers: list[tuple[str | None, float | None]] = [(None, None)] * len(texts)
    cut = [_parts(sampled(text, *sample), parts) if len(text) >= MIN_CHARS else [] for text in texts]
    pieces = [(number, piece) for number, each in enumerate(cut) for piece in each]
    if not pieces:
        return answers
    ngrams = profiles().find([piece for _, piece in pieces])
    known = [(number, piece, _spread(each)) for (number, piece), each in zip(pieces, ngrams, strict=True) if len(each)]
    if not known:
        return answers
    likely = _probabilities([each for _, _, each in known])
    for number, rows in groupby(range(len(known)), key=lambda row: known[row][0]):
        asked = list(rows)
        answers[number] = _answer(likely[asked], [known[row][1] for row in asked])
    return answers


def _answer(likely: NDArray[np.float64], pieces: list[str]) -> tuple[str | None, float | None]:
    """Return the language with the highest mean probability, and this; (None, None) if it does not use too many of the letters.
    likely: float64[parts, languages], probabilities. pieces: the text's parts."""
    possible = _possible("".join(pieces))
    if possible:
        likely = np.where(np.isin(profiles().languages, possible), likely + _LEAST, 0.0)
        likely /= likely.sum(axis=1, keepdims=True)
    mean = np.add.reduce(likely) / len(likely)  # several times as fast as `mean` on few rows
    best = int(mean.argmax())
    language = str(profiles().languages[best])
    its_own = [piece for piece, main in zip(pieces, likely.argmax(axis=1).tolist(), strict=True) if main == best]
    if median([profiles().strange_share(piece, best) for piece in its_own] or [0.0]) > _STRANGE_LETTERS:
        return None, None
    return language, round(float(mean[best]), 4)


def _possible(text: str) -> tuple[str, ...]:
    """Return the codes of the possible languages of a text in Chinese characters, kana or Hangul; () for other texts."""
    if text.isascii() or _EAST_ASIAN.search(text) is None:
        return ()
    kana, hangul, all_of_them = (len(each.findall(text)) for each in (_KANA, _HANGUL, _EAST_ASIAN))
    if 2 * all_of_them < len(_LATIN.findall(text)) + len(_NOT_LATIN.findall(text)):
        return ()
    if max(kana, hangul) < _SYLLABLES * all_of_them:
        return "zh-cn", "zh-tw"
    return ("ja",) if kana > hangul else ("ko",)


def _parts(text: str, most: int) -> list[str]:
    count = max(1, min(most, len(text) // _PART_CHARS))
    return [clean(text[len(text) * number // count : len(text) * (number + 1) // count]) for number in range(count)]


def _spread(ngrams: NDArray[np.int64]) -> NDArray[np.int64]:
    count = len(ngrams)
    return ngrams if count <= _PART_NGRAMS else ngrams[count * np.arange(_PART_NGRAMS) // _PART_NGRAMS]


def _probabilities(ngrams: list[NDArray[np.int64]]) -> NDArray[np.float64]:
    """Return float64[parts, languages]: the probability that each part is in each language, assuming that it is in one of them."""
    logs = profiles().weigh(ngrams)
    likely: NDArray[np.float64] = np.exp(logs - logs.max(axis=1, keepdims=True))
    likely /= likely.sum(axis=1, keepdims=True)
    return likely
