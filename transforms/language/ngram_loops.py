"""Loops over n-grams for language detection, see `detect.py`.
Cython compiles them with the types of `ngram_loops.pxd`; without a compiled build they run as Python."""

from __future__ import annotations

from typing import Any

#: Maximum number of code points of an n-gram; number of bits of each in the n-gram's key; first code point that langdetect does not
#: normalize.
LONGEST, CODE_BITS, NORMALIZED_END = 3, 21, 0x10000


def fill_slots(keys: Any, slots: Any) -> int:
    """Fill a hash table of n-gram keys, with open addressing. Return 0.
    keys: uint64[n]. slots: int32[m], m a power of two greater than n; initially all -1, it receives the indices of the keys."""
    mask = len(slots) - 1
    for place in range(len(keys)):
        key = keys[place]
        slot = (key ^ key >> 13 ^ key >> 29) & mask
        while slots[slot] >= 0:
            slot = slot + 1 & mask
        slots[slot] = place
    return 0


def find_ngrams(text: str, normal: str, keys: Any, slots: Any, found: Any) -> int:
    """Write the known n-grams of a text into `found`, in langdetect's order, and return their number. Those that end in two capitals are
    left out.
    normal: text whose character number n replaces code point n. keys: uint64[n], the known n-grams. slots: hash table of the indices in
    `keys` (`fill_slots`). found: int64[3 * characters], receives indices into `keys`."""
    mask = len(slots) - 1
    count = place = 0
    last = pair = 0  # the keys of the character before, and of that with the one before it
    space = upper = False
    for sign in text:
        letter = normal[ord(sign)] if ord(sign) < NORMALIZED_END else sign
        code = ord(letter)
        if code == 32 and space:
            continue
        space = code == 32
        capital = letter.isupper()
        if not (capital and upper):
            for length in range(place + 1 if place < LONGEST else LONGEST):
                key = code if length == 0 else (last if length == 1 else pair) << CODE_BITS | code
                slot = (key ^ key >> 13 ^ key >> 29) & mask
                while slots[slot] >= 0 and keys[slots[slot]] != key:
                    slot = slot + 1 & mask
                if slots[slot] >= 0:
                    found[count] = slots[slot]
                    count += 1
        pair = last << CODE_BITS | code
        last = code
        upper = capital
        place += 1
    return count


def add_gains(ngrams: Any, first: Any, language: Any, gain: Any, sums: Any) -> int:
    """Add the log likelihoods of n-grams in each language to `sums`, float64[languages]. Return 0.
    ngrams: int64[k], indices of n-grams. first: int64[n + 1]; the entries of n-gram i are first[i] to first[i + 1] (excluded). language,
    gain:
    of each entry, the index of its language and the log likelihood."""
    for n in range(len(ngrams)):
        for entry in range(first[ngrams[n]], first[ngrams[n] + 1]):
            sums[language[entry]] += gain[entry]
    return 0
