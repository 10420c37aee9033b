"""Chinese, Japanese and Korean characters set under each other one by one: vertical writing without a vertical font."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from pdfmill.schemas.glyphs import GlyphFlag, Glyphs

#: Sideways distance of two middles, and the way down from one top to the next, em.
_SIDEWAYS: Final = 0.55
_DOWN: Final = (0.6, 1.8)
#: Characters in a row that make a column.
_MIN_COLUMN: Final = 3


def mark_stacked(glyphs: Glyphs) -> None:
    """Set `VERTICAL` and the downward angle on columns of upright ideographs and kana that were drawn one after the other, in place."""
    codes = glyphs.unicode
    if len(codes) < _MIN_COLUMN or int(codes.max()) < 0x3000:
        return
    size = glyphs.sizes()
    middle = (glyphs.x0 + glyphs.x1) / 2
    way = (glyphs.top[1:] - glyphs.top[:-1]) / np.maximum(size[1:], np.float32(1e-3))
    ideograph = (codes >= 0x3000) & (codes < 0xFB00) | (codes >= 0xFE10) & (codes < 0xFE50) | (codes >= 0xFF00) & (codes < 0xFFF0)
    upright = (glyphs.angle == 0) | ((glyphs.flags & GlyphFlag.VERTICAL) != 0)  # punctuation may come from a vertical font
    stacked = ideograph[1:] & ideograph[:-1] & upright[1:] & upright[:-1] & (way > _DOWN[0]) & (way < _DOWN[1])
    stacked &= np.abs(middle[1:] - middle[:-1]) < _SIDEWAYS * size[1:]
    members = _long_runs(stacked)
    if members.any():
        glyphs.flags[members] |= GlyphFlag.VERTICAL
        glyphs.angle = np.where(members, 90, glyphs.angle).astype(np.int16)
        glyphs.origin_x = np.where(members, middle, glyphs.origin_x).astype(np.float32)
        glyphs.origin_y = np.where(members, glyphs.top, glyphs.origin_y).astype(np.float32)


def _long_runs(pairs: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """bool[n + 1]: what stands in a row of linked neighbours that is long enough. pairs: bool[n], i and i + 1 are linked."""
    row = np.cumsum(np.concatenate(([False], ~pairs)))
    long: NDArray[np.bool_] = np.bincount(row)[row] >= _MIN_COLUMN
    return long
