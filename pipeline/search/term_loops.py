"""The loop over the characters of a text that writes its terms, see `terms.py`.
Cython compiles it with the types of `term_loops.pxd`; without a compiled build it runs as Python."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

#: Bits of a character's entry: it belongs to a script without spaces; its normal form is more or less than one character, or depends on
#: its neighbours. The bits above `CODE_BITS` are the code point of its normal form, a space for a character that is in no word.
UNSPACED, HARD, CODE_BITS = 1, 2, 2
#: Most characters that are written for one: Unicode's longest decomposition has 18, and each may become a pair with a space behind it.
LONGEST: Final = 54


def write_terms(text: str, entries: Any, learn: Callable[[str], int], fold: Callable[[str], str], out: Any, is_paired: bool) -> int:
    """Write the code points of a text's words in normal form into `out`, each word followed by a space, and return their number.
    entries: uint32[65536], of each character, 0 if not known yet. learn: returns the entry of a character. fold: returns what is written
    for a word with a `HARD` character. out: uint32[`LONGEST` * characters]. is_paired: write runs without spaces as pairs of characters."""
    size = place = 0
    first = begin = 0  # where the current word begins in `text` and in `out`
    run = 0  # length of the current run without spaces
    is_hard = False  # whether the current word has a hard character
    for sign in text:
        place += 1
        code = ord(sign)
        entry = entries[code] if code < len(entries) else 0
        if entry == 0:
            entry = learn(sign)
        code = entry >> CODE_BITS
        if entry & (HARD | UNSPACED) == 0 and code != 32 and run == 0:  # most characters
            if not is_hard:
                out[size] = code
                size += 1
        elif is_hard and code != 32:
            continue
        else:
            if run and not entry & UNSPACED:
                if code != 32:
                    out[size] = 32
                    size += 1
                run = 0
            if code == 32:
                if is_hard:
                    size = begin
                    for letter in fold(text[first : place - 1]):
                        out[size] = ord(letter)
                        size += 1
                if size > begin:
                    out[size] = 32
                    size += 1
                first = place
                begin = size
                is_hard = False
            elif entry & HARD:
                is_hard = True
            else:
                if entry & UNSPACED:
                    if run == 0 and size > begin:
                        out[size] = 32
                        size += 1
                    run += 1
                    if is_paired and run > 1:
                        out[size] = code
                        out[size + 1] = 32
                        size += 2
                out[size] = code
                size += 1
    return size - 1 if size else 0
