"""Convert glyphs of one writing direction to coordinates in which text runs along the first axis and lines follow along the second."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from pdfmill.schemas.compiled import fastest
from pdfmill.schemas.glyphs import GlyphFlag, Glyphs
from pdfmill.schemas.scripts import FIRST_RIGHT_TO_LEFT, rtl_mask

_LOOPS = fastest("pdfmill.transforms.layout.lines.line_loops")

Floats = NDArray[np.float32]

#: Blank characters, which separate words and are not drawn, by code point.
_IS_BLANK = np.zeros(0x3002, np.bool_)
_IS_BLANK[
    [*range(0x21), 0x7F, *range(0x80, 0xA1), 0x1680, *range(0x2000, 0x200C), *range(0x2028, 0x202A), 0x202F, 0x205F, 0x2060, 0x3000]
] = True


def is_blank(codes: NDArray[np.uint32]) -> NDArray[np.bool_]:
    """Return bool[n]: which code points are blank characters."""
    return _IS_BLANK.take(codes, mode="clip")


class ReadingFrame(Struct):
    """The n visible glyphs of one writing direction, in drawing order; on lines with right-to-left script, in order of position. Lengths
    are points along and across the writing direction."""

    glyph: NDArray[np.int64]  # int64[n], index into the page's glyphs
    start: Floats  # float32[n], along the line
    end: Floats  # float32[n], along the line
    baseline: Floats  # float32[n], growing downwards
    size: Floats  # float32[n]
    space_before: NDArray[np.bool_]  # bool[n], whether a blank was drawn before the glyph
    no_spaces: NDArray[np.bool_]  # bool[n], whether gaps before the glyph cannot show spaces (vertical writing, no metrics)
    angle: int  # clockwise degrees on the page
    vertical: bool  # vertical writing mode
    unicode: NDArray[np.uint32]  # code points of all glyphs of the page

    def page_baseline(self, baseline: float) -> float:
        """Convert a baseline of this frame to the page: y, or x if the text is vertical, as in `TextLine`."""
        return -baseline if self.angle == 90 else baseline if self.angle in (0, 270) else -baseline if self.angle == 180 else baseline


def reading_frames(glyphs: Glyphs, members: NDArray[np.int64]) -> Iterator[ReadingFrame]:
    """Yield the glyphs of each angle and writing mode as a `ReadingFrame`. members: indices of the glyphs to take."""
    if not len(members):
        return
    members = _by_position(glyphs, members)
    upright = _upright_frame(glyphs, members)
    if upright is not None:
        if len(upright.glyph):
            yield upright
        return
    vertical = (glyphs.flags[members] & GlyphFlag.VERTICAL) != 0
    kind = glyphs.angle[members].astype(np.int64) * 2 + vertical
    blank = is_blank(glyphs.unicode[members])
    kinds = [int(kind[0])] if (kind == kind[0]).all() else list(dict.fromkeys(kind.tolist()))
    for which in kinds:
        mask = kind == which
        inked = mask & ~blank
        if inked.any():
            yield _frame(glyphs, members, inked, blank, which // 2, bool(which % 2))


def _upright_frame(glyphs: Glyphs, members: NDArray[np.int64]) -> ReadingFrame | None:
    """Return one `ReadingFrame` with these glyphs if all are upright in horizontal writing, as on most pages; else None."""
    n = len(members)
    glyph = np.empty(n, np.int64)
    start, end, baseline, size = np.empty((4, n), np.float32)
    space_before, no_spaces = np.empty((2, n), np.bool_)
    m = _LOOPS.take_inked(
        *(members, glyphs.unicode, _IS_BLANK.view(np.uint8), glyphs.angle, glyphs.flags, GlyphFlag.VERTICAL, GlyphFlag.NO_METRICS),
        *map(np.ascontiguousarray, (glyphs.x0, glyphs.x1, glyphs.origin_y, glyphs.style)),
        np.array([style.size for style in glyphs.styles], np.float32),
        *(glyph, start, end, baseline, size, space_before.view(np.uint8), no_spaces.view(np.uint8)),
    )
    if m < 0:
        return None
    return ReadingFrame(glyph[:m], start[:m], end[:m], baseline[:m], size[:m], space_before[:m], no_spaces[:m], 0, False, glyphs.unicode)


def _by_position(glyphs: Glyphs, members: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the indices of the glyphs, sorted by position where a baseline has right-to-left script, which PDFium may have reordered
    wrongly."""
    codes = glyphs.unicode[members]
    if int(codes.max()) < FIRST_RIGHT_TO_LEFT or not (rtl := rtl_mask(codes)).any():
        return members
    y, size = glyphs.origin_y[members], glyphs.sizes(members)
    piece = np.cumsum(
        np.concatenate(
            ([False], (np.abs(np.diff(y)) > _SAME_BASELINE * np.maximum(size[1:], size[:-1])) | (np.diff(glyphs.angle[members]) != 0))
        )
    )
    has_rtl = np.bincount(piece, rtl) > 0
    # Marks without width stay after their letters, whose boxes may overlap the next ones.
    letter = np.maximum.accumulate(
        np.where((glyphs.x1[members] > glyphs.x0[members]) | rtl | (codes < _FIRST_MARK), np.arange(len(members)), 0)
    )
    key = np.where(
        has_rtl[piece] & (glyphs.angle[members] == 0), glyphs.origin_x[members][letter], np.arange(len(members), dtype=np.float32)
    )
    return members[_stacked_as_drawn(glyphs, members, rtl, piece, np.lexsort((key, piece)))]


#: First combining mark of letters. A character before it that has no width is a space.
_FIRST_MARK = 0x300
#: Largest distance of baselines, em, that count as one.
_SAME_BASELINE = 0.3


def _stacked_as_drawn(
    glyphs: Glyphs, members: NDArray[np.int64], rtl: NDArray[np.bool_], piece: NDArray[np.int64], order: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Return `order` with right-to-left letters that overlap (kaf and mim) in drawing order again.
    piece: number of the part of a line that contains each glyph. order: positions in `members`, sorted by place on the line."""
    x0, x1 = glyphs.x0[members], glyphs.x1[members]
    first, second = order[:-1], order[1:]
    overlap = np.minimum(x1[first], x1[second]) - np.maximum(x0[first], x0[second])
    stacked = (
        rtl[first]
        & rtl[second]
        & (piece[first] == piece[second])
        & (overlap > _STACKED * np.minimum(x1[first] - x0[first], x1[second] - x0[second]))
    )
    if not stacked.any():
        return order
    steps = np.where(rtl[1:] & rtl[:-1] & (piece[1:] == piece[:-1]), np.sign(np.diff(glyphs.origin_x[members])), 0)
    leftwards = np.bincount(piece[1:], steps, minlength=int(piece[-1]) + 1) < 0
    wrong = stacked & ((first < second) == leftwards[piece[first]])
    swapped = order.copy()
    last = -2
    for place in wrong.nonzero()[0].tolist():
        if place > last + 1:
            swapped[place], swapped[place + 1] = swapped[place + 1], swapped[place]
            last = place
    return swapped


#: Share of the narrower letter that must overlap the other for two letters to count as overlapping.
_STACKED = 0.5


def _frame(
    glyphs: Glyphs, members: NDArray[np.int64], inked: NDArray[np.bool_], blank: NDArray[np.bool_], angle: int, vertical: bool
) -> ReadingFrame:
    chosen = members[inked]
    blanks_before: NDArray[np.int64] = (np.cumsum(blank) - blank)[inked]
    space_before = blanks_before > np.concatenate(([0], blanks_before[:-1]))
    size = glyphs.sizes(chosen)
    start, end = _along(glyphs, chosen, size, angle)
    no_spaces = np.full(len(chosen), True) if vertical else (glyphs.flags[chosen] & GlyphFlag.NO_METRICS) != 0
    return ReadingFrame(
        chosen, start, end, _baseline(glyphs, chosen, angle), size, space_before, no_spaces, angle, vertical, glyphs.unicode
    )


#: Advance of a narrow letter, and usual heights of glyph boxes, em.
_NARROW = 0.25
_HEIGHTS = (0.9, 1.2)
#: Smallest difference of squared cosine and squared sine of an angle that distinguishes advance and height: 3 degrees from 45.
_STEEP = 0.1
#: Smallest type size, points, that is used as a divisor.
_LEAST_SIZE = 1e-3


def _along(glyphs: Glyphs, chosen: NDArray[np.int64], size: Floats, angle: int) -> tuple[Floats, Floats]:
    """Return the start and the end, points, of the chosen glyphs along the writing direction. angle: clockwise degrees."""
    x0, top, x1, bottom = glyphs.x0[chosen], glyphs.top[chosen], glyphs.x1[chosen], glyphs.bottom[chosen]
    if angle == 0:
        return x0, x1
    if angle == 90:
        return top, bottom
    if angle == 180:
        return -x1, -x0
    if angle == 270:
        return -bottom, -top
    cosine, sine = math.cos(math.radians(angle)), math.sin(math.radians(angle))
    start = glyphs.origin_x[chosen] * np.float32(cosine) + glyphs.origin_y[chosen] * np.float32(sine)
    # The bounding box of a rotated glyph of advance a and height h is a|cos| + h|sin| wide; its width and height give a. Near 45 degrees
    # both are equal, so h follows from the narrowest glyph, which is assumed to have a usual advance.
    width, height = x1 - x0, bottom - top
    across = abs(cosine) ** 2 - abs(sine) ** 2
    if abs(across) > _STEEP:
        advance = (width * abs(cosine) - height * abs(sine)) / across
    else:
        both = width / abs(cosine)
        advance = both - size * np.clip(np.min(both / np.maximum(size, np.float32(_LEAST_SIZE))) - _NARROW, *_HEIGHTS)
    return start, start + np.maximum(advance, 0).astype(np.float32)


def _baseline(glyphs: Glyphs, chosen: NDArray[np.int64], angle: int) -> Floats:
    x, y = glyphs.origin_x[chosen], glyphs.origin_y[chosen]
    if angle == 0:
        return y
    cosine, sine = np.float32(math.cos(math.radians(angle))), np.float32(math.sin(math.radians(angle)))
    return y * cosine - x * sine
