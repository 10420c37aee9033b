"""Mark vertical columns of ideographs, and restore the brackets that PDFium mirrors, where its order of characters runs from the right."""

from __future__ import annotations

import unicodedata
from functools import cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

from pdfmill.schemas.glyphs import GlyphFlag, Glyphs
from pdfmill.schemas.scripts import FIRST_RIGHT_TO_LEFT, rtl_mask

# Chinese, Japanese and Korean characters that are set below each other: vertical writing without a vertical font.


#: Largest horizontal distance between the middles of neighbours in a column, and bounds of the distance of their tops, em.
_SIDEWAYS: Final = 0.55
_DOWN: Final = (0.6, 1.8)
#: Smallest number of characters in a column.
_MIN_COLUMN: Final = 3


def mark_stacked(glyphs: Glyphs) -> None:
    """Set the flag `VERTICAL` and the downward angle, in place, on columns of upright ideographs and kana drawn one after the other."""
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
    """Return bool[n + 1], which glyphs belong to a chain of at least `_MIN_COLUMN` linked neighbours. pairs: whether i and i + 1 are
    linked."""
    row = np.cumsum(np.concatenate(([False], ~pairs)))
    long: NDArray[np.bool_] = np.bincount(row)[row] >= _MIN_COLUMN
    return long


#: Ranges of Unicode that contain brackets and signs with a mirror image.
_BLOCKS: Final = (
    (0x20, 0x100),
    (0x2000, 0x2100),
    (0x2200, 0x2300),
    (0x2760, 0x2780),
    (0x27E0, 0x27F0),
    (0x2980, 0x2A00),
    (0x3000, 0x3020),
    (0xFF00, 0xFF70),
)
_SIDES: Final = (("LEFT", "RIGHT"), ("LESS-THAN", "GREATER-THAN"))


@cache
def _mirrors() -> dict[int, int]:
    """Return the mirror image of each bracket or sign, by code point, as Unicode names with left and right, or less and greater, give
    them."""
    found: dict[int, int] = {}
    for first, end in _BLOCKS:
        for code in range(first, end):
            label = unicodedata.name(chr(code), "")
            for one, other in _SIDES:
                if unicodedata.mirrored(chr(code)) and one in label and (twin := _named(label.replace(one, other))):
                    found |= {code: twin, twin: code}
    return found


@cache
def _is_mirrored() -> NDArray[np.bool_]:
    found = np.zeros(0x10000, np.bool_)
    found[list(_mirrors())] = True
    return found


def _named(label: str) -> int | None:
    try:
        return ord(unicodedata.lookup(label))
    except KeyError:
        return None


def restore_mirrored(glyphs: Glyphs) -> None:
    """Restore mirrored brackets in text that PDFium reordered from right to left, in place, by the direction of the nearer neighbour."""
    codes = glyphs.unicode
    if codes.max(initial=0) < FIRST_RIGHT_TO_LEFT or not rtl_mask(codes).any():
        return
    places = np.flatnonzero(_is_mirrored()[np.minimum(codes, 0xFFFF)])
    if not len(places):
        return
    before, after = (_ahead(glyphs, places, places + step) for step in (-1, 1))
    near = np.abs(before) <= np.abs(after)
    leftwards = np.where(near, (before > 0) & np.isfinite(before), after < 0)
    for place in places[leftwards].tolist():
        codes[place] = _mirrors()[int(codes[place])]


def _ahead(glyphs: Glyphs, places: NDArray[np.intp], others: NDArray[np.intp]) -> NDArray[np.float64]:
    """Return float64[n], the distance along the line, points, from the glyphs `places` to `others`; infinite for those on another line."""
    others, outside = np.clip(others, 0, len(glyphs.unicode) - 1), (others < 0) | (others >= len(glyphs.unicode))
    angle = np.radians(glyphs.angle[places].astype(np.float64))
    dx, dy = (column[others].astype(np.float64) - column[places] for column in (glyphs.origin_x, glyphs.origin_y))
    along, across = dx * np.cos(angle) + dy * np.sin(angle), dy * np.cos(angle) - dx * np.sin(angle)
    height = glyphs.bottom[places] - glyphs.top[places]
    return np.where(outside | (np.abs(across) > 0.5 * height) | (glyphs.angle[others] != glyphs.angle[places]), np.inf, along)
