"""Find list bullets that a page draws as small shapes, as browsers and presentation programs do, and add them to the text as `•`."""

from __future__ import annotations

from collections import defaultdict
from typing import Final

import numpy as np
from numpy.typing import NDArray

from pdfmill.schemas.glyphs import GlyphFlag, Glyphs

#: Smallest and largest side of a bullet, height of its middle above the baseline, and space between it and the text; then the free space
#: that a bullet needs to its left. All in em (font size of the text).
_SIDE, _RISE, _SPACE, _ROOM = (0.12, 0.55), (0.12, 0.55), (0.1, 2.5), 2.0
#: Smallest number of equal bullets below each other on a page; a single shape is an ornament.
_ALIKE: Final = 2
#: Small shapes on a page; more are a drawing.
_MOST: Final = 400


def add_drawn_bullets(glyphs: Glyphs, marks: NDArray[np.float32]) -> int:
    """Add a bullet to the text, in place, for each shape with the size of a bullet left of a line of text. Return their number.
    marks: float32[n, 4], boxes of small shapes, about as high as wide, on the displayed page."""
    if not 0 < len(marks) <= _MOST:
        return 0
    kinds: dict[tuple[int, ...], list[tuple[int, int]]] = defaultdict(list)
    sizes = glyphs.sizes()
    letters = (glyphs.angle == 0) & (glyphs.unicode > ord(" ")) & ((glyphs.flags & ~GlyphFlag.UNTRUSTED) == 0) & (sizes > 0)
    for mark, (x0, top, x1, bottom) in enumerate(marks.tolist()):
        rise = (glyphs.origin_y - (top + bottom) / 2) / sizes.clip(1)
        row = (letters & (rise > _RISE[0]) & (rise < _RISE[1])).nonzero()[0]
        after = row[glyphs.origin_x[row] >= x1]
        if not len(after):
            continue
        first = int(after[glyphs.origin_x[after].argmin()])
        em = float(sizes[first])
        space = float(glyphs.origin_x[first]) - x1
        beside = (glyphs.x1[row] > x0 - _ROOM * em) & (glyphs.origin_x[row] < x1)
        if _SIDE[0] * em < x1 - x0 < _SIDE[1] * em and _SPACE[0] * em < space < _SPACE[1] * em and not beside.any():
            kinds[round(x1 - x0), round(bottom - top), round(x0), round(space)].append((first, mark))
    found = sorted({first: mark for kind in kinds.values() if len(kind) >= _ALIKE for first, mark in kind}.items())
    if found:
        firsts, (x0, _, x1, _) = np.array([first for first, _ in found]), marks[[mark for _, mark in found]].T
        glyphs.insert_copies(firsts, firsts, unicode=ord("•"), flags=0, x0=x0, x1=x1, origin_x=x0)
    return len(found)
