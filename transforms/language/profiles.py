"""langdetect's language profiles as one table: the weight of each n-gram for each language, for lookups of whole arrays.

langdetect has a JSON file for each language and loads them into a dictionary of all n-grams, which takes longer than reading a short
document. This module computes one table from these files, once, and keeps it in the user's cache folder (XDG Base Directory Specification:
`~/.cache/pdfmill`). If the folder cannot be written, each process computes its own table.
"""

from __future__ import annotations

import json
import logging
import os
import tempfile
import unicodedata
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final, NamedTuple, TypedDict
from zipfile import BadZipFile

import numpy as np
from numpy.typing import NDArray

from pdfmill.schemas.compiled import fastest
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
    """A language profile, as langdetect's file contains it."""

    name: str  # code of the language
    freq: dict[str, int]  # count of each n-gram
    n_words: list[int]  # total count of n-grams of one, two and three characters


class Profiles(NamedTuple):
    """The n known n-grams of up to three characters, with m entries. An entry is a language that has the n-gram, and its weight."""

    languages: NDArray[np.str_]  # codes of the languages
    keys: NDArray[np.uint64]  # uint64[n], ascending: the code points of an n-gram, 21 bits each
    first: NDArray[np.int64]  # int64[n + 1], index of an n-gram's first entry
    language: NDArray[np.uint8]  # uint8[m], index into `languages`
    #: float64[m], log ratio of the n-gram's probability in the entry's language to its probability in a language that lacks it.
    gain: NDArray[np.float64]
    normal: NDArray[np.uint32]  # uint32[65536], replacement of each code point in n-grams
    slots: NDArray[np.int32]  # int32[a power of two], a hash table of `keys` (`ngram_loops.fill_slots`)

    def find(self, parts: list[str]) -> list[NDArray[np.int64]]:
        """Return the known n-grams of each text, as indices into `keys`, in langdetect's order. As in langdetect, letters after two
        capitals are in no n-gram."""
        room, normal = np.empty(LONGEST * (max(map(len, parts), default=0) + 1), np.int64), _normal_text()
        return [room[: _LOOPS.find_ngrams(f" {part}", normal, self.keys, self.slots, room)].copy() for part in parts]

    def strange_share(self, text: str, language: int) -> float:
        """Return the share of a text's letters that a language does not use; Chinese characters are not counted, since profiles cover too
        few. language: index into `languages`."""
        if text.isascii():
            return 0.0
        codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), "<u4")
        codes = codes[codes < NORMALIZED_END]
        letters = codes[_alphabetic()[codes]]
        return float(np.count_nonzero(~_spelled(language)[letters])) / max(1, len(letters))

    def weigh(self, ngrams: list[NDArray[np.int64]]) -> NDArray[np.float64]:
        """Return float64[parts, languages]: the sum of the log probabilities of each part's n-grams in each language, relative to an n-gram
        that no language has. ngrams: for each part, indices into `keys`."""
        gains = np.zeros((len(ngrams), len(self.languages)))
        for asked, sums in zip(ngrams, gains, strict=True):
            _LOOPS.add_gains(asked, self.first, self.language, self.gain, sums)
        return gains


@cache
def _normal_text() -> str:
    """Return `Profiles.normal` as a text: character number n is the replacement of code point n."""
    return profiles().normal.astype("<u4").tobytes().decode("utf-32-le", "surrogatepass")


@cache
def _alphabetic() -> NDArray[np.bool_]:
    """Return bool[65536]: which code points of the basic plane are letters other than Chinese characters."""
    found: NDArray[np.bool_] = np.char.isalpha(np.arange(NORMALIZED_END, dtype=np.uint32).view("U1"))
    found[0x3400:0xA000] = False
    return found


@cache
def _spelled(language: int) -> NDArray[np.bool_]:
    """Return bool[65536]: which code points a language uses. Polytonic Greek counts by its base letters, because the profiles lack it.
    ASCII belongs to all languages, whose texts have foreign names."""
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
    """Return the table; it is loaded from the cache folder, or computed if it is not there."""
    path = _cache_folder() / f"{_installed()}-{_FORM}.npz"
    try:
        with np.load(path, allow_pickle=False) as arrays:
            return Profiles(**{name: arrays[name] for name in Profiles._fields})
    except (OSError, ValueError, KeyError, EOFError, BadZipFile) as error:
        log.debug("the table of languages is made: %s", error)
    made = make_profiles()
    try:
        _keep(made, path)
    except OSError as error:
        log.debug("the table of languages cannot be kept: %s", error)
    return made


def _installed() -> str:
    """Return the name and version of the installed library, e.g. `langdetect-1.0.9`. It is taken from the name of the metadata folder that
    installers make (PyPA, "Recording installed projects"); `importlib.metadata` would import the e-mail package for this, which takes 20
    ms."""
    spec = find_spec("langdetect")
    beside = Path(spec.origin).parent.parent if spec is not None and spec.origin else Path()
    return next((path.stem for path in sorted(beside.glob("langdetect-*.dist-info"))), "langdetect")


def _cache_folder() -> Path:
    """Return the user's folder for files that can be made again."""
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
    """Compute the table from the installed library's files."""
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
    """Return whether langdetect would use the text as an n-gram: it has at most three characters and is not just a space."""
    return gram != " " and len(gram) <= LONGEST


def _keys(grams: list[str]) -> NDArray[np.uint64]:
    """Return uint64[n]: the keys of n-grams, see `Profiles`."""
    codes = np.array(grams, f"U{LONGEST}").view(np.uint32).reshape(-1, LONGEST).astype(np.uint64)
    lengths = np.array([len(gram) for gram in grams])
    key = np.zeros(len(grams), np.uint64)
    for place in range(LONGEST):
        key = np.where(place < lengths, key << np.uint64(CODE_BITS) | codes[:, place], key)
    return key


def _shares(profile: _Profile) -> NDArray[np.float64]:
    """Return the frequency of each n-gram in a language, relative to all n-grams of the same length."""
    totals = profile["n_words"]
    return np.array([count / totals[len(gram) - 1] for gram, count in profile["freq"].items() if _is_ngram(gram)])


def _normal() -> NDArray[np.uint32]:
    """Return langdetect's replacement for each code point, see `Profiles.normal`."""
    from langdetect.utils.ngram import NGram

    return np.array([ord(NGram.normalize(chr(code))) for code in range(NORMALIZED_END)], np.uint32)
