"""Text in the colour of what lies beneath it: nobody sees it (white on white, mostly)."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from schemas.glyphs import GlyphFlag, Glyphs
from transforms.pdf.graphics import Graphics

Floats = NDArray[np.floating]

_PAPER: Final = 0xFFFFFF
#: Difference of a colour channel, of 255, that no eye sees.
_SAME: Final = 3
#: Bits to the right of each channel.
_SHIFTS: Final = np.array([0, 8, 16])


def mark_same_color(glyphs: Glyphs, graphics: Graphics) -> None:
    """Set `SAME_COLOR`, in place. The ground is the last filled area under a glyph's middle, else paper; over images and shadings
    nothing is said, for what they show is not known. A page of one colour is not judged: its ground must be drawn another way."""
    colors = np.array([style.color for style in glyphs.styles], np.int64)
    grounds = np.append(graphics.fill_colors.astype(np.int64), _PAPER)
    suspects = np.any(_distance(colors[:, None], grounds) <= _SAME, axis=1, keepdims=True)[:, 0]
    if not suspects.any():
        return
    members = suspects[glyphs.style].nonzero()[0]
    if not len(members):
        return
    x: Floats = (glyphs.x0[members] + glyphs.x1[members]) * np.float32(0.5)
    y: Floats = (glyphs.top[members] + glyphs.bottom[members]) * np.float32(0.5)
    ground = np.full(len(members), _PAPER, np.int64)
    for box, color in zip(graphics.fills, graphics.fill_colors.tolist(), strict=True):
        ground[_inside(x, y, box)] = color
    same = _distance(colors[glyphs.style[members]], ground) <= _SAME
    for box in (*graphics.images, *graphics.shadings):
        same &= ~_inside(x, y, box)
    glyphs.flags[members[same]] |= GlyphFlag.SAME_COLOR


def _inside(x: Floats, y: Floats, box: Floats) -> NDArray[np.bool_]:
    inside: NDArray[np.bool_] = (x >= box[0]) & (x <= box[2]) & (y >= box[1]) & (y <= box[3])
    return inside


def _distance(first: NDArray[np.int64], second: NDArray[np.int64]) -> NDArray[np.int64]:
    """Largest difference of a channel."""
    distance: NDArray[np.int64] = np.abs((first[..., None] >> _SHIFTS & 0xFF) - (second[..., None] >> _SHIFTS & 0xFF)).max(axis=-1)
    return distance
