"""Put combining marks (vowels, tones, accents, arrows of vectors) after the letter over which they are drawn, without own width.
Programs draw marks before or after the letter, or all marks of a line at its end."""

from __future__ import annotations

from collections import Counter
from typing import Final

import numpy as np
from msgspec.structs import replace
from numpy.typing import NDArray

from pdfmill.schemas.glyphs import Glyphs
from pdfmill.schemas.scripts import rtl_mask
from pdfmill.transforms.layout.lines.accents import GlyphIndex
from pdfmill.transforms.layout.lines.glyph_frame import is_blank
from pdfmill.transforms.layout.settings.text_settings import TextSettings

#: Ranges of code points of nonspacing marks.
_RANGES: Final = (
    (0x300, 0x36F), (0x591, 0x5BD), (0x5BF, 0x5BF), (0x5C1, 0x5C2), (0x5C4, 0x5C5), (0x5C7, 0x5C7), (0x610, 0x61A), (0x64B, 0x65F),
    (0x670, 0x670), (0x6D6, 0x6DC), (0x6DF, 0x6E4), (0x6E7, 0x6E8), (0x6EA, 0x6ED), (0xE31, 0xE31),
    (0xE34, 0xE3A), (0xE47, 0xE4E), (0xEB1, 0xEB1), (0xEB4, 0xEBC), (0xEC8, 0xECE),
    (0xF71, 0xF7E), (0xF80, 0xF84), (0xF8D, 0xFBC), (0x20D0, 0x20DC),
)  # fmt: skip
_FIRST_MARK, _LAST_MARK = _RANGES[0][0], _RANGES[-1][1]
IS_MARK: Final = np.zeros(_RANGES[-1][1] + 2, np.bool_)
for _low, _high in _RANGES:
    IS_MARK[_low : _high + 1] = True
#: First code point of marks for symbols, whose baseline is above that of their letter.
_FIRST_SYMBOL: Final = 0x20D0
#: Spacing signs that replace marks without a letter.
_ALONE: Final = dict(zip(range(0x300, 0x305), map(ord, "`´^~¯"), strict=True))
#: Points; a glyph whose box begins this far after a letter's box is beside the letter.
_BESIDE: Final = 1e-3
#: Points; two boxes with at most this gap are parts of one box.
_ABUTS: Final = 0.01


def settle_marks(glyphs: Glyphs, shown: NDArray[np.bool_], settings: TextSettings) -> tuple[Glyphs, NDArray[np.bool_]]:
    """Return the glyphs with each mark after its letter, and `shown` in the new order. shown: bool[n], the visible glyphs."""
    unicode = glyphs.unicode
    if not ((unicode >= _FIRST_MARK) & (unicode <= _LAST_MARK)).any():
        return glyphs, shown
    marks = np.flatnonzero(IS_MARK.take(unicode, mode="clip"))
    marks = marks[shown[marks] & (glyphs.angle[marks] == 0)] if len(marks) else marks
    if not len(marks):
        return glyphs, shown
    letters = np.flatnonzero(shown & (glyphs.angle == 0) & ~IS_MARK.take(glyphs.unicode, mode="clip") & ~is_blank(glyphs.unicode))
    if not len(letters):
        return _moved(glyphs, shown, marks, np.full(len(marks), -1, np.intp), np.zeros(len(marks), np.bool_))
    pieces = _pieces(glyphs, marks, letters)
    return _moved(glyphs, shown, marks, _homes(glyphs, marks, letters, pieces, settings), pieces)


def _pieces(glyphs: Glyphs, marks: NDArray[np.intp], letters: NDArray[np.intp]) -> NDArray[np.bool_]:
    """Return bool[marks]: which marks have a box of their own directly to the right of the letter drawn before them.
    PDFium makes such boxes if the file maps letter and marks to one code."""
    own = np.searchsorted(letters, marks) - 1
    letter = letters[np.maximum(own, 0)]
    directly = (own >= 0) & (marks - letter == np.arange(1, len(marks) + 1) - np.searchsorted(marks, letter))
    directly &= (glyphs.run[letter] == glyphs.run[marks]) & ~rtl_mask(glyphs.unicode[letter])
    after = np.minimum(marks + 1, len(glyphs.unicode) - 1)
    middle = (glyphs.x0[marks] + glyphs.x1[marks]) / 2
    went_on = (after == marks) | (glyphs.origin_y[after] != glyphs.origin_y[marks]) | (glyphs.x0[after] >= middle)
    abuts = np.abs(glyphs.x0[marks] - glyphs.x1[marks - 1]) < _ABUTS
    pieces: NDArray[np.bool_] = directly & went_on & abuts & (glyphs.x1[marks] > glyphs.x0[marks])
    return pieces


def _homes(
    glyphs: Glyphs, marks: NDArray[np.intp], letters: NDArray[np.intp], pieces: NDArray[np.bool_], settings: TextSettings
) -> NDArray[np.intp]:
    """Return the index of each mark's letter, a neighbour in drawing order or the nearest one on the page; -1 if the mark is over none."""
    after = np.searchsorted(letters, marks)
    beside = np.stack((letters[np.maximum(after - 1, 0)], letters[np.minimum(after, len(letters) - 1)]))
    apart = np.stack([_apart(glyphs, marks, row, settings) for row in beside])
    nearer = np.argmin(apart, axis=0)
    home: NDArray[np.intp] = np.where(apart.min(axis=0) <= settings.mark_over, beside[nearer, np.arange(len(marks))], -1)
    home[pieces] = beside[0, pieces]
    places: GlyphIndex | None = None
    is_letter = np.zeros(len(glyphs.unicode), np.bool_)
    is_letter[letters] = True
    for lost in np.flatnonzero(home < 0).tolist():
        places = places or GlyphIndex(glyphs)
        size = float(glyphs.sizes(marks[lost : lost + 1])[0])
        near = places.near(int(marks[lost]), 2 * settings.mark_raised * size)
        near = near[is_letter[near]]
        if len(near):
            distance = _apart(glyphs, np.repeat(marks[lost], len(near)), near, settings)
            home[lost] = near[np.argmin(distance)] if distance.min() <= settings.mark_reach else -1
    return home


def _apart(glyphs: Glyphs, marks: NDArray[np.intp], letters: NDArray[np.intp], settings: TextSettings) -> NDArray[np.floating]:
    """Return the distance of the i-th mark from the i-th letter, em; infinite if both are on different lines."""
    middle, em = (glyphs.x0[marks] + glyphs.x1[marks]) / 2, np.maximum(glyphs.sizes(letters), np.float32(_BESIDE))
    outside = np.maximum(np.maximum(glyphs.x0[letters] - middle, middle - glyphs.x1[letters]), 0)
    off_middle = np.abs(middle - (glyphs.x0[letters] + glyphs.x1[letters]) / 2)
    # In left-to-right text a mark without width is drawn at the end of its letter, where the next letter begins.
    begins = (
        ~rtl_mask(glyphs.unicode[letters])
        & (glyphs.x1[marks] - glyphs.x0[marks] < settings.mark_width * em)
        & (glyphs.x0[letters] > glyphs.x0[marks] - settings.mark_width * em)
    )
    outside = outside + np.where(begins, settings.mark_reach / 2 * em, 0)
    raised = glyphs.origin_y[letters] - glyphs.origin_y[marks]
    most = np.where(glyphs.unicode[marks] >= _FIRST_SYMBOL, 2 * settings.mark_raised, settings.mark_raised) * em
    least = np.where(glyphs.unicode[marks] >= _FIRST_SYMBOL, 0, -settings.mark_raised) * em
    return np.where((raised > most) | (raised < least), np.inf, (outside + _BESIDE * off_middle) / em)


def _moved(
    glyphs: Glyphs, shown: NDArray[np.bool_], marks: NDArray[np.intp], home: NDArray[np.intp], pieces: NDArray[np.bool_]
) -> tuple[Glyphs, NDArray[np.bool_]]:
    """Return the glyphs with marks moved after their letters, without width and on the letters' baselines, and `shown` in the new order.
    home: index of each mark's letter, or -1. pieces: marks whose boxes are joined to the letter's box."""
    changed = {name: getattr(glyphs, name).copy() for name in glyphs.__struct_fields__ if name != "styles"}
    for mark in marks[home < 0].tolist():
        changed["unicode"][mark] = _ALONE.get(int(glyphs.unicode[mark]), glyphs.unicode[mark])
    np.maximum.at(changed["x1"], home[pieces], glyphs.x1[marks[pieces]])
    marks, home = marks[home >= 0], home[home >= 0]
    leftwards = rtl_mask(glyphs.unicode[home])
    edge = np.where(leftwards, changed["x0"][home], changed["x1"][home])
    changed["x0"][marks] = changed["x1"][marks] = edge
    for name in ("top", "bottom", "origin_y", "run", "style", "mcid"):
        changed[name][marks] = changed[name][home]
    turn = _turns(home)
    changed["origin_x"][marks] = np.where(leftwards, glyphs.origin_x[home] - np.float32(_BESIDE) * turn, edge)
    key = np.arange(len(shown), dtype=np.float64)
    key[marks] = home + turn / (len(marks) + 1)
    order = np.argsort(key, kind="stable")
    return replace(glyphs, **{name: values[order] for name, values in changed.items()}), shown[order]


def _turns(home: NDArray[np.intp]) -> NDArray[np.float32]:
    counted: Counter[int] = Counter()
    turns = np.zeros(len(home), np.float32)
    for place, letter in enumerate(home.tolist()):
        counted[letter] += 1
        turns[place] = counted[letter]
    return turns
