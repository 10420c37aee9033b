"""Replace a letter and an accent that is drawn over it as a glyph of its own, as with TeX's first fonts, by one accented letter."""

from __future__ import annotations

import unicodedata
from typing import Final

import numpy as np
from msgspec.structs import replace
from numpy.typing import NDArray

from pdfmill.schemas.glyphs import Glyphs
from pdfmill.schemas.scripts import COMBINING_OF_ACCENT
from pdfmill.transforms.layout.settings.text_settings import TextSettings

IS_ACCENT: Final = np.zeros(max(COMBINING_OF_ACCENT) + 2, np.bool_)
IS_ACCENT[list(COMBINING_OF_ACCENT)] = True
#: First code point beyond ASCII.
_BEYOND_ASCII: Final = 0x80
#: Factor that allows for rounding when distances of single and double precision are compared.
_LOOSE: Final = 1.001
_DOTTED: Final = {"ı": "i", "ȷ": "j"}


def compose_accents(glyphs: Glyphs, shown: NDArray[np.bool_], settings: TextSettings) -> tuple[Glyphs, NDArray[np.bool_]]:
    """Return the glyphs with accented letters instead of letters under an accent, and bool[n]: which glyphs are accents that were used.
    The letter is the one drawn after the accent, else the one before it, else any letter of the page; it must overlap the accent.
    shown: bool[n], the visible glyphs."""
    gone = np.zeros(len(shown), np.bool_)
    accents = np.flatnonzero(IS_ACCENT.take(glyphs.unicode, mode="clip"))
    if not len(accents):
        return glyphs, gone
    accents = accents[shown[accents] & (glyphs.angle[accents] == 0)]
    unicode = glyphs.unicode.copy()
    places: GlyphIndex | None = None
    for accent in accents.tolist():
        beside = np.arange(max(accent - 1, 0), min(accent + 2, len(shown)))
        under = beside[_under(glyphs, accent, beside, settings)]
        if (
            not len(under) and unicode[accent] >= _BEYOND_ASCII
        ):  # the letter is drawn elsewhere; ASCII signs such as ^ mostly are no accents
            places = places or GlyphIndex(glyphs)
            near = places.near(accent, _reach(glyphs, accent, settings))
            under = near[_under(glyphs, accent, near, settings)]
        for letter in under[shown[under] & ~gone[under]][::-1].tolist():
            character = chr(unicode[letter])
            whole = unicodedata.normalize("NFC", _DOTTED.get(character, character) + COMBINING_OF_ACCENT[int(glyphs.unicode[accent])])
            if len(whole) == 1 and character.isalpha():
                unicode[letter], gone[accent] = ord(whole), True
                break
    return (replace(glyphs, unicode=unicode) if gone.any() else glyphs), gone


def _under(glyphs: Glyphs, accent: int, others: NDArray[np.intp], settings: TextSettings) -> NDArray[np.bool_]:
    """Return bool[m]: which of the glyphs `others` (indices) are under the glyph `accent`, at most a line apart."""
    left, right = glyphs.x0[others], glyphs.x1[others]
    overlap = np.minimum(glyphs.x1[accent], right) - np.maximum(glyphs.x0[accent], left)
    near = np.abs(glyphs.origin_y[accent] - glyphs.origin_y[others]) < _reach(glyphs, accent, settings)
    over: NDArray[np.bool_] = np.logical_and(
        overlap > settings.accent_over * np.minimum(glyphs.x1[accent] - glyphs.x0[accent], right - left), near & (others != accent)
    )
    return over


def _reach(glyphs: Glyphs, accent: int, settings: TextSettings) -> float:
    return settings.raised_up * float(glyphs.styles[glyphs.style[accent]].size)


class GlyphIndex:
    """An index of a page's glyphs by height and by left edge, with which accents are placed in less than quadratic time."""

    def __init__(self, glyphs: Glyphs) -> None:
        self._rows, self._columns = np.argsort(glyphs.origin_y), np.argsort(glyphs.x0)
        self._y, self._x = glyphs.origin_y[self._rows].astype(np.float64), glyphs.x0[self._columns].astype(np.float64)
        self._left, self._right, self._level = (values.astype(np.float64) for values in (glyphs.x0, glyphs.x1, glyphs.origin_y))
        self._widest = float((self._right - self._left).max())

    def near(self, accent: int, reach: float) -> NDArray[np.intp]:
        """Return the indices of glyphs that may be under the accent, in drawing order. reach: largest distance up and down, points."""
        y, left, right = float(self._level[accent]), float(self._left[accent]), float(self._right[accent])
        row = np.searchsorted(self._y, (y - _LOOSE * reach, y + _LOOSE * reach))
        column = np.searchsorted(self._x, (left - self._widest, right))
        fewer = min(self._rows[slice(*row)], self._columns[slice(*column)], key=len)
        return np.sort(fewer)
