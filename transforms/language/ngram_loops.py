"""What is counted n-gram by n-gram to tell the language of a text, see `profiles.py`.

Compiled by Cython with the types of `ngram_loops.pxd`, and run as it stands where nothing is compiled.
"""

from __future__ import annotations

from typing import Any

#: Code points of an n-gram, bits of each in its key, and the code point from which the library puts none in the place of another.
LONGEST, CODE_BITS, NORMALIZED_END = 3, 21, 0x10000


def fill_slots(keys: Any, slots: Any) -> int:
    """A hash table of keys, open addressing. keys: uint64[n]. slots: int32[a power of two above n], full of -1, takes places in `keys`."""
    mask = len(slots) - 1
    for place in range(len(keys)):
        key = keys[place]
        slot = (key ^ key >> 13 ^ key >> 29) & mask
        while slots[slot] >= 0:
            slot = slot + 1 & mask
        slots[slot] = place
    return 0


def find_ngrams(text: str, normal: str, keys: Any, slots: Any, found: Any) -> int:
    """The known n-grams of a text in the library's order, and their number; a capital after a capital ends none.

    normal: for each code point what stands for it. keys: uint64[n]. slots: see `fill_slots`. found: int64[3 a character of the text],
    whose first places take the places in `keys`.
    """
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
    """How likely n-grams are in each language. ngrams: int64[k], places. first, language, gain: see `Profiles`. sums: float64[languages],
    to which the logarithms are added."""
    for n in range(len(ngrams)):
        for entry in range(first[ngrams[n]], first[ngrams[n] + 1]):
            sums[language[entry]] += gain[entry]
    return 0
