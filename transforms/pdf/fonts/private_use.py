"""Private-use characters whose meaning foundries agree on: Adobe's corporate use (Adobe Glyph List; symbol.txt of Unicode's mappings for
the pieces of brackets) and the Thai forms of Windows fonts."""

from __future__ import annotations

import re
from functools import cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

#: The part of the private area that they share.
FIRST_PRIVATE, LAST_PRIVATE = 0xF6BE, 0xF8FF
#: Pieces of brackets, arrows and signs, from U+F8E5 on.
_FIRST_PIECE, _PIECES = 0xF8E5, "‾⏐⎯®©™⎛⎜⎝⎡⎢⎣⎧⎨⎩⎪⎮⎞⎟⎠⎤⎥⎦⎫⎬⎭"
#: Thai letters without their lower part, and marks moved to the left or down, from U+F700 on.
_FIRST_THAI, _THAI = (
    0xF700,
    "\u0e10\u0e34\u0e35\u0e36\u0e37\u0e48\u0e49\u0e4a\u0e4b\u0e4c\u0e48\u0e49\u0e4a\u0e4b\u0e4c\u0e0d\u0e31\u0e4d\u0e47\u0e48\u0e49\u0e4a\u0e4b\u0e4c\u0e38\u0e39\u0e3a",
)
#: What Adobe's names say of the look: small capitals, old-style figures, raised and lowered ones, marks moved aside.
_LOOK: Final = re.compile(r"(small|oldstyle|superior|inferior|fitted|serif|(upper|low)?(left|right)(?=thai))")

_OTHERS: Final = {"registerserif": "®", "dotlessj": "ȷ", "threequartersemdash": "—"}


@cache
def private_characters() -> NDArray[np.uint32]:
    """uint32[FIRST_PRIVATE to LAST_PRIVATE]: the character that each stands for, itself where nobody says; small capitals as capitals."""
    from fontTools import agl  # slow to import, and few documents need it

    found = np.arange(FIRST_PRIVATE, LAST_PRIVATE + 1, dtype=np.uint32)
    for glyph, points in agl.LEGACY_AGL2UV.items():
        code, plain = points[0], _LOOK.sub("", glyph)
        if FIRST_PRIVATE <= code <= LAST_PRIVATE:
            said = (agl.toUnicode(plain), agl.toUnicode(plain.lower()), _OTHERS.get(glyph, ""))
            found[code - FIRST_PRIVATE] = next(
                (ord(text[0]) for text in said if text and not FIRST_PRIVATE <= ord(text[0]) <= LAST_PRIVATE), code
            )
    for first, texts in ((_FIRST_PIECE, _PIECES), (_FIRST_THAI, _THAI)):
        found[first - FIRST_PRIVATE : first - FIRST_PRIVATE + len(texts)] = [ord(character) for character in texts]
    return found
