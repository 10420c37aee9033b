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


def write_terms(text: str, entries: Any, learn: Callable[[str], int], fold: Callable[[str], str], out: Any, places: Any) -> int:
    """Write the code points of a text's terms into `out`, with one space between terms, and return their number. The text ends with a
    space. `places` receives for each code point the offset in `text` of the character from which it was made, and for the space behind a
    term the offset where the term ends; within a word with a `HARD` character, offsets are estimated from the lengths of both forms.

    entries: uint32[65536], the entry of each character, 0 if it is not known yet. learn: returns the entry of a character. fold: returns
    what is written for a word with a `HARD` character. out, places: uint32[`LONGEST` times the number of characters]; one array for both if
    no offsets are needed, because offsets are written first.
    """
    size = 0
    first = begin = 0  # where the current word begins in `text` and in `out`
    run = 0  # length of the current run without spaces
    is_hard = False  # whether the current word has a hard character
    places[0] = 0
    for place, sign in enumerate(text):
        code = ord(sign)
        entry = entries[code] if code < len(entries) else 0
        if entry == 0:
            entry = learn(sign)
        code = entry >> CODE_BITS
        if entry & (HARD | UNSPACED) == 0 and code != 32 and run == 0:  # most characters
            if not is_hard:
                places[size] = place
                out[size] = code
                size += 1
        elif not is_hard or code == 32:
            if run and not entry & UNSPACED:
                if code != 32:
                    places[size] = place
                    out[size] = 32
                    size += 1
                run = 0
            if code == 32:
                if is_hard:
                    size = begin
                    folded = fold(text[first:place])
                    for letter in folded:
                        places[size] = first + (size - begin) * (place - first) // len(folded)
                        out[size] = ord(letter)
                        size += 1
                if size > begin:
                    places[size] = place
                    out[size] = 32
                    size += 1
                first = place + 1
                begin = size
                is_hard = False
            elif entry & HARD:
                is_hard = True
            else:
                if entry & UNSPACED:
                    if run == 0 and size > begin:
                        places[size] = place
                        out[size] = 32
                        size += 1
                    run += 1
                    if run > 1:
                        places[size] = place
                        places[size + 1] = place + 1
                        out[size] = code
                        out[size + 1] = 32
                        size += 2
                places[size] = place
                out[size] = code
                size += 1
    return size - 1 if size else 0
