"""Match PDFium's characters to the codes of a shown string where their numbers differ.

PDFium gives a code the characters of its font's map. Of several spaces in a row it keeps the first one, whatever the glyphs are that a font
maps to spaces, and into wide gaps it puts a space that has no code (`CPDF_TextPage`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

_SPACE: Final = ord(" ")


def place_codes(texts: Sequence[str | None], characters: Sequence[int]) -> list[int] | None:
    """Return where the characters of each code begin, and where those of the last end; None if the characters do not fit the codes.

    A code that PDFium dropped begins where the next one does. A space that has no code belongs to the code before it.

    texts: what PDFium makes of each code, None where that is not known. characters: what it gives of all, as code points.

    >>> place_codes(["a", " ", " ", "b"], [*map(ord, "a b")])
    [0, 1, 2, 2, 3]
    >>> place_codes([None, None, "c"], [*map(ord, "a bc")])
    [0, 2, 3, 4]
    >>> place_codes(["a", "fi"], [*map(ord, "afi")]), place_codes(["a", "b"], [*map(ord, "ac")])
    ([0, 1, 3], None)
    """
    starts, at, end = [], 0, len(characters)
    for text in texts:
        if text == " ":
            starts.append(at)
            at += at < end and characters[at] == _SPACE
            continue
        while at < end and characters[at] == _SPACE:
            at += 1
        starts.append(at)
        if at >= end or (text is not None and len(text) == 1 and ord(text) != characters[at]):
            return None
        at += len(text or " ")
    return [*starts, end] if at <= end and all(character == _SPACE for character in characters[at:]) else None
