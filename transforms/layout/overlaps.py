"""Text drawn twice for a shadow, an emboss or a fake bold: one copy is enough. PDFium itself drops only copies in the very same place."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from schemas.glyphs import Glyphs
from transforms.layout.text_settings import TextSettings


def find_copies(glyphs: Glyphs, shown: NDArray[np.bool_], settings: TextSettings) -> NDArray[np.bool_]:
    """bool[n]: glyphs of text objects that a later one repeats, character for character, a little aside.

    What is written twice in a row is no copy: it begins where the first one ends. shown: what counts at all.
    """
    copies = np.zeros(len(glyphs.unicode), np.bool_)
    if not len(copies):
        return copies
    starts = np.concatenate(([True], glyphs.run[1:] != glyphs.run[:-1])).nonzero()[0]
    lengths = np.diff(np.append(starts, len(copies)))
    codes = glyphs.unicode.astype(np.int64)
    place = np.arange(len(codes)) - np.repeat(starts, lengths)
    marks = np.add.reduceat(codes * (2 * place + 3), starts) * 64 + np.minimum(lengths, 63)
    if _all_apart(glyphs, starts, marks, settings):
        return copies
    marks[~np.logical_and.reduceat(shown, starts)] = -1
    kinds, group, counts = np.unique(marks, return_inverse=True, return_counts=True)
    wanted = (counts > 1) & (counts <= settings.copies) & (kinds >= 0)
    if not wanted.any():
        return copies
    several = (wanted & _has_neighbours(glyphs, starts, group, len(counts), settings)).nonzero()[0]
    order = np.argsort(group, kind="stable")
    ends = np.cumsum(counts)
    for number in several.tolist():
        runs = order[ends[number] - counts[number] : ends[number]]
        for run in runs[_repeated(glyphs, starts[runs], lengths[runs], settings)].tolist():
            copies[starts[run] : starts[run] + lengths[run]] = True
    return copies


#: More points than x and y of a page's text add up to: keeps texts apart in one order.
_FAR: Final = 2.0**14


def _all_apart(glyphs: Glyphs, starts: NDArray[np.intp], marks: NDArray[np.int64], settings: TextSettings) -> bool:
    """Whether no text object can have a copy, which most pages tell by one sort: what is near is near on the diagonal too, and so is all that
    lies between on it."""
    reach = settings.copy_offset * max(style.size for style in glyphs.styles)
    diagonal = np.sort((marks & 0x7FFFFFFF) * _FAR + (glyphs.origin_x[starts] + glyphs.origin_y[starts]))
    return not bool((diagonal[1:] - diagonal[:-1] <= 2 * reach).any())


def _has_neighbours(glyphs: Glyphs, starts: NDArray[np.intp], group: NDArray[np.intp], groups: int, settings: TextSettings) -> NDArray[np.bool_]:
    """Which groups have two text objects so near to each other: in bands of twice that height, and bands half a band lower, the
    next one along the line."""
    size = np.array([style.size for style in glyphs.styles], np.float32)[glyphs.style[starts]]
    x, y = glyphs.origin_x[starts], glyphs.origin_y[starts]
    reach = max(settings.copy_offset * float(size.max()), 1e-3)
    found = np.zeros(groups, np.bool_)
    for phase in (0.0, 0.5):
        band = np.floor(y / (2 * reach) + phase)
        order = np.lexsort((x, band, group))
        one, other = order[:-1], order[1:]
        near = (group[one] == group[other]) & (band[one] == band[other]) & (x[other] - x[one] < settings.copy_offset * size[other])
        found[group[other][near]] = True
    return found


def _repeated(glyphs: Glyphs, starts: NDArray[np.intp], lengths: NDArray[np.intp], settings: TextSettings) -> NDArray[np.bool_]:
    """Which of some text objects, in drawing order, another one after it repeats."""
    last = starts + lengths - 1
    x, y = glyphs.origin_x[starts], glyphs.origin_y[starts]
    size = np.array([style.size for style in glyphs.styles], np.float32)[glyphs.style[starts]]
    wide = np.maximum(glyphs.x1[last], glyphs.x1[starts]) - np.minimum(glyphs.x0[last], glyphs.x0[starts])
    high = np.maximum(glyphs.bottom[last], glyphs.bottom[starts]) - np.minimum(glyphs.top[last], glyphs.top[starts])
    reach = settings.copy_offset * size
    across, down, level = np.abs(x[:, None] - x), np.abs(y[:, None] - y), (settings.copy_level * size)[:, None]
    near = (across < reach[:, None]) & (down < reach[:, None])
    near &= ((across < settings.copy_share * wide[:, None]) | (down > level)) & ((down < settings.copy_share * high[:, None]) | (across > level))
    near &= (np.abs(size[:, None] - size) < settings.baseline_drift * size[:, None]) & (glyphs.angle[starts][:, None] == glyphs.angle[starts])
    later = np.triu(near, 1)
    for first, second in zip(*np.nonzero(later), strict=True):
        one, two = slice(starts[first], last[first] + 1), slice(starts[second], last[second] + 1)
        later[first, second] = np.array_equal(glyphs.unicode[one], glyphs.unicode[two])
    repeated: NDArray[np.bool_] = later.any(axis=1)
    return repeated
