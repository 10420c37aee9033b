"""Signatures to find near-duplicates: MinHash (A. Z. Broder, "On the resemblance and containment of documents", 1997).

Two documents' signatures agree in about that share of places in which their sets of five-word shingles agree. The hash functions are those
of datasketch 2.0 (scheme `affine32`), which wrote the first crawls: signatures of old and new snapshots can be compared.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from functools import cache
from hashlib import sha1
from typing import Final

import numpy as np
from numpy.typing import NDArray

#: Places of a signature: an error of about 1/sqrt(64) = 0.125 in the likeness.
PLACES: Final = 64
#: Words of a shingle; the usual value for pages of prose (Broder takes 10 tokens, later work 4 to 8 words).
SHINGLE: Final = 5
#: Words that count; what follows them changes the signature of a book too little to be worth its time.
MAX_WORDS: Final = 20_000
#: Of the random permutations; another one makes signatures that cannot be compared with those of old snapshots.
_SEED: Final = 1
_WORD: Final = re.compile(r"\w+")


def text_signature(texts: Sequence[str]) -> list[int] | None:
    """Return the signature of a text given in parts; None if it has no words.

    >>> text_signature(["One and two", "and three and four"]) == text_signature(["one, and two and three", "and FOUR"])
    True
    """
    words: list[str] = []
    for text in texts:
        words += _WORD.findall(text.lower())
        if len(words) >= MAX_WORDS:
            break
    if not words:
        return None
    words = words[:MAX_WORDS]
    return minhash({" ".join(words[at : at + SHINGLE]).encode() for at in range(max(1, len(words) - SHINGLE + 1))})


def minhash(members: Collection[bytes]) -> list[int]:
    """Return, for each of `PLACES` permutations of the 32-bit numbers, the smallest image of a member of the set.

    members: one or more.
    """
    factors, summands = _permutations()
    hashes = _mixed(np.array([int.from_bytes(sha1(member, usedforsecurity=False).digest()[:4], "little") for member in members], np.uint32))
    return [int((hashes * factor + summand).min()) for factor, summand in zip(factors, summands, strict=True)]


@cache
def _permutations() -> tuple[NDArray[np.uint32], NDArray[np.uint32]]:
    """Return odd factors and summands: h -> factor * h + summand modulo 2^32 is one to one.

    `RandomState` gives the same numbers in every version of numpy.
    """
    random = np.random.RandomState(_SEED)
    factors = random.randint(0, 1 << 31, PLACES, dtype=np.uint32) * np.uint32(2) + np.uint32(1)
    return factors, random.randint(0, 1 << 32, PLACES, dtype=np.uint32)


def _mixed(hashes: NDArray[np.uint32]) -> NDArray[np.uint32]:
    """Apply the last step of MurmurHash3 (A. Appleby, 2011), which is one to one; every bit of the result depends on all bits."""
    hashes = (hashes ^ (hashes >> np.uint32(16))) * np.uint32(0x85EBCA6B)
    hashes = (hashes ^ (hashes >> np.uint32(13))) * np.uint32(0xC2B2AE35)
    return hashes ^ (hashes >> np.uint32(16))
