"""Find text that is drawn twice for a shadow or synthetic bold. PDFium itself only drops copies at exactly the same position."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from pdfmill.schemas.glyphs import Glyphs
from pdfmill.schemas.scripts import rtl_mask
from pdfmill.transforms.layout.settings.text_settings import TextSettings


def find_copies(glyphs: Glyphs, shown: NDArray[np.bool_], settings: TextSettings) -> NDArray[np.bool_]:
    """Return bool[n]: which glyphs belong to a text object that a later object repeats, slightly displaced. shown: bool[n], visible
    glyphs."""
    copies = np.zeros(len(glyphs.unicode), np.bool_)
    if not len(copies):
        return copies
    starts = np.concatenate(([True], glyphs.run[1:] != glyphs.run[:-1])).nonzero()[0]
    if _begin_together(glyphs, starts, settings):
        _find_equal(glyphs, shown, starts, copies, settings)
        _find_split(glyphs, shown, copies, settings)
    return copies


#: Points and number of bands, larger than those of any page. They separate different texts in one sorted order.
_WIDE, _BANDS = 2.0**14, 2.0**11
#: Smallest type size, points, that is used as a divisor.
_LEAST_SIZE: Final = 1e-3
#: em; largest difference in the offsets and sizes of the glyphs of a copy, which is rounding and hinting.
_COPY_ERROR: Final = 0.08
#: em; largest offset across the line at which a copy counts as drawn on the line of its text.
_COPY_LEVEL: Final = 0.02
#: Offsets of the bands, in bands. There are two sets of bands, so that two near positions share a band in at least one.
_PHASES: Final = (0.0, 0.5)


def _begin_together(glyphs: Glyphs, starts: NDArray[np.intp], settings: TextSettings) -> bool:
    """Return whether two text objects begin with the same character at nearly the same position, which is rare.
    starts: index of each object's first glyph."""
    reach = max(settings.copy_offset * max(style.size for style in glyphs.styles), _LEAST_SIZE)
    kind, x, band = glyphs.unicode[starts] * _BANDS, glyphs.origin_x[starts], glyphs.origin_y[starts] / (2 * reach)
    orders = (np.sort((kind + np.floor(band + phase)) * _WIDE + x) for phase in _PHASES)
    return any(bool((order[1:] - order[:-1] <= reach).any()) for order in orders)


def _find_equal(
    glyphs: Glyphs, shown: NDArray[np.bool_], starts: NDArray[np.intp], copies: NDArray[np.bool_], settings: TextSettings
) -> None:
    """Mark text objects that a later one repeats completely, in place in `copies`. starts: index of each object's first glyph."""
    lengths = np.diff(np.append(starts, len(copies)))
    codes = glyphs.unicode.astype(np.int64)
    place = np.arange(len(codes)) - np.repeat(starts, lengths)
    marks = np.add.reduceat(codes * (2 * place + 3), starts) * 64 + np.minimum(lengths, 63)
    marks[~np.logical_and.reduceat(shown, starts)] = -1
    marks[(lengths == 1) & rtl_mask(glyphs.unicode[starts])] = -1  # joined letters overlap: two of a word may lie close together
    kinds, group, counts = np.unique(marks, return_inverse=True, return_counts=True)
    wanted = (counts > 1) & (counts <= settings.copies) & (kinds >= 0)
    if not wanted.any():
        return
    several = (wanted & _has_neighbours(glyphs, starts, group, len(counts), settings)).nonzero()[0]
    order = np.argsort(group, kind="stable")
    ends = np.cumsum(counts)
    for number in several.tolist():
        runs = order[ends[number] - counts[number] : ends[number]]
        for run in runs[_repeated(glyphs, starts[runs], lengths[runs], settings)].tolist():
            copies[starts[run] : starts[run] + lengths[run]] = True


def _find_split(glyphs: Glyphs, shown: NDArray[np.bool_], copies: NDArray[np.bool_], settings: TextSettings) -> None:
    """Mark upright text objects whose text other objects contain in parts, all displaced by one distance, in place in `copies`.
    Of several copies the longest is kept, of equally long ones the last."""
    joined = rtl_mask(glyphs.unicode)  # their letters overlap anyway
    ink = (shown & ~copies & (glyphs.unicode != ord(" ")) & (glyphs.angle == 0) & ~joined).nonzero()[0]
    begins = np.concatenate(([True], glyphs.run[ink[1:]] != glyphs.run[ink[:-1]])).nonzero()[0] if len(ink) else ink
    wide = (
        np.maximum.reduceat(glyphs.x1[ink], begins) - np.minimum.reduceat(glyphs.x0[ink], begins) if len(ink) else np.zeros(0, np.float32)
    )
    first = _near_pairs(glyphs, ink[begins], settings)
    if not _overlap(glyphs, ink[begins], first, np.maximum(*wide[first].T), settings).any():
        return
    length = np.diff(np.append(begins, len(ink)))
    run = np.repeat(np.arange(len(begins)), length)
    pairs = _near_pairs(glyphs, ink, settings)
    pairs = pairs[(run[pairs[:, 0]] != run[pairs[:, 1]]) & _overlap(glyphs, ink, pairs, np.minimum(*wide[run[pairs]].T), settings)]
    own, other = np.concatenate((pairs, pairs[:, ::-1])).T
    order = np.argsort(run[own], kind="stable")
    own, other = own[order], other[order]
    bounds = np.searchsorted(run[own], np.arange(len(begins) + 1))
    gone = np.zeros(len(begins), np.bool_)
    single = (length[run[own]] == 1) & ((length[run[other]] > 1) | (run[other] > run[own]))
    gone[run[own[single]]] = True
    drift = _COPY_ERROR * glyphs.sizes(ink)
    aside = np.stack([column[ink[other]] - column[ink[own]] for column in (glyphs.origin_x, glyphs.origin_y)], axis=1)
    several = ((length > 1) & (np.diff(bounds) >= length)).nonzero()[0]
    for number in several[np.argsort(length[several], kind="stable")].tolist():
        rows = np.arange(bounds[number], bounds[number + 1])
        rows = rows[~gone[run[other[rows]]]]
        if len(rows) >= length[number]:
            even = (np.abs(aside[rows] - np.median(aside[rows], axis=0)) < drift[own[rows], None]).all(axis=1)
            gone[number] = len(np.unique(own[rows[even]])) == length[number]
    copies |= np.isin(glyphs.run, glyphs.run[ink[begins[gone]]])


def _near_pairs(glyphs: Glyphs, places: NDArray[np.intp], settings: TextSettings) -> NDArray[np.intp]:
    """Return intp[m, 2]: pairs of equal upright characters at nearly the same position, as positions in `places`, the glyphs to compare."""
    code, x, y, size = glyphs.unicode[places], glyphs.origin_x[places], glyphs.origin_y[places], glyphs.sizes(places)
    found = [np.zeros((0, 2), np.intp)]
    for phase in _PHASES:
        band = np.floor(y / (2 * max(settings.copy_offset * float(size.max(initial=0)), _LEAST_SIZE)) + phase)
        order = np.lexsort((x, band, code))
        one, other = order[:-1], order[1:]
        across, down = np.abs(x[other] - x[one]), np.abs(y[other] - y[one])
        near = (code[one] == code[other]) & (across < settings.copy_offset * size[one]) & (down < settings.copy_offset * size[one])
        near &= np.abs(size[one] - size[other]) < _COPY_ERROR * size[one]
        found.append(np.stack((one[near], other[near]), axis=1))
    return np.concatenate(found)


def _overlap(
    glyphs: Glyphs, places: NDArray[np.intp], pairs: NDArray[np.intp], wide: NDArray[np.float32], settings: TextSettings
) -> NDArray[np.bool_]:
    """Return bool[m]: whether the two glyphs of each pair overlap and are not neighbours in a text.
    pairs: intp[m, 2], positions in `places`. wide: width of the text objects that contain them, points."""
    one, other = places[pairs].T
    across, down = np.abs(glyphs.origin_x[one] - glyphs.origin_x[other]), np.abs(glyphs.origin_y[one] - glyphs.origin_y[other])
    found: NDArray[np.bool_] = (across < settings.copy_share * wide) | (down > _COPY_LEVEL * glyphs.sizes(one))
    return found


def _has_neighbours(
    glyphs: Glyphs, starts: NDArray[np.intp], group: NDArray[np.intp], groups: int, settings: TextSettings
) -> NDArray[np.bool_]:
    """Return bool[groups]: whether a group has two text objects near enough to be copies of each other.
    starts: index of each text object's first glyph. group: number of each object's group; objects with equal text are one group."""
    size = glyphs.sizes(starts)
    x, y = glyphs.origin_x[starts], glyphs.origin_y[starts]
    reach = max(settings.copy_offset * float(size.max()), _LEAST_SIZE)
    found = np.zeros(groups, np.bool_)
    for phase in _PHASES:
        band = np.floor(y / (2 * reach) + phase)
        order = np.lexsort((x, band, group))
        one, other = order[:-1], order[1:]
        near = (group[one] == group[other]) & (band[one] == band[other]) & (x[other] - x[one] < settings.copy_offset * size[other])
        found[group[other][near]] = True
    return found


def _repeated(glyphs: Glyphs, starts: NDArray[np.intp], lengths: NDArray[np.intp], settings: TextSettings) -> NDArray[np.bool_]:
    """Return bool[m]: which of these text objects, in drawing order, a later one repeats."""
    last = starts + lengths - 1
    x, y = glyphs.origin_x[starts], glyphs.origin_y[starts]
    size = glyphs.sizes(starts)
    wide = np.maximum(glyphs.x1[last], glyphs.x1[starts]) - np.minimum(glyphs.x0[last], glyphs.x0[starts])
    high = np.maximum(glyphs.bottom[last], glyphs.bottom[starts]) - np.minimum(glyphs.top[last], glyphs.top[starts])
    reach = settings.copy_offset * size
    across, down, level = np.abs(x[:, None] - x), np.abs(y[:, None] - y), (_COPY_LEVEL * size)[:, None]
    near = (across < reach[:, None]) & (down < reach[:, None])
    near &= ((across < settings.copy_share * wide[:, None]) | (down > level)) & (
        (down < settings.copy_share * high[:, None]) | (across > level)
    )
    near &= (np.abs(size[:, None] - size) < _COPY_ERROR * size[:, None]) & (glyphs.angle[starts][:, None] == glyphs.angle[starts])
    later = np.triu(near, 1)
    for first, second in zip(*np.nonzero(later), strict=True):
        one, two = slice(starts[first], last[first] + 1), slice(starts[second], last[second] + 1)
        later[first, second] = np.array_equal(glyphs.unicode[one], glyphs.unicode[two])
    repeated: NDArray[np.bool_] = later.any(axis=1)
    return repeated
