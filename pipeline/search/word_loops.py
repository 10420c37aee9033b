"""The words of a text in the form by which they are found, character by character, see `terms.py`.

Compiled by Cython with the types of `word_loops.pxd`, and run as it stands where nothing is compiled.
"""

from __future__ import annotations

from typing import Any

#: What stands for a character of no word, and for one whose word is folded elsewhere.
SPACE, ODD = 32, 0
#: The hash of Fowler, Noll and Vo (FNV-1a) of 64 bits.
BASIS, PRIME, BITS = 0xCBF29CE484222325, 0x100000001B3, 0xFFFFFFFFFFFFFFFF


def fold(text: str, folds: str, known: Any, out: Any, odd: Any, new: Any, counts: Any) -> int:
    """Fold a text that ends in a space, each word followed by a space, and return the length.

    folds: for each code point what stands for it; those beyond its end are odd. out: uint32, as long as the text, takes code points; a
    word with odd characters is one `ODD`. odd, new: int64[2 for each word], take start and end of odd words and of words whose hashes are
    not in known: uint64[0 or a power of two, more than half of it 0], which takes them. counts: int64[2], takes how many these are; no
    more words are new than `new` has space for.
    """
    size, most = len(folds), len(new) // 2 if len(known) else 0
    mask = len(known) - 1
    length = begin = strange = unknown = 0
    first = -1
    is_odd = False
    value = BASIS
    for place, sign in enumerate(text):
        letter = ord(folds[ord(sign)]) if ord(sign) < size else ODD
        if letter != SPACE:
            if first < 0:
                first = place
                begin = length
                value = BASIS
            if letter == ODD:
                is_odd = True
            else:
                out[length] = letter
                length += 1
                value = (value ^ letter) * PRIME & BITS
        elif first >= 0:
            if is_odd:
                length = begin
                out[length] = ODD
                length += 1
                odd[2 * strange] = first
                odd[2 * strange + 1] = place
                strange += 1
            elif unknown < most:
                slot = (value ^ value >> 32) & mask
                while known[slot] != 0 and known[slot] != value:
                    slot = slot + 1 & mask
                if known[slot] == 0:
                    known[slot] = value
                    new[2 * unknown] = first
                    new[2 * unknown + 1] = place
                    unknown += 1
            out[length] = SPACE
            length += 1
            first = -1
            is_odd = False
    counts[0] = strange
    counts[1] = unknown
    return length
