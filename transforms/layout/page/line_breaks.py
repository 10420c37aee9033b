"""Detect line breaks that the author made (verse, addresses, imprints): in line after line, the next word would have fitted.
The method is that of Hassan 2003, 4.5.6, for whole blocks: a single short line ends a paragraph, but several in a row are intended."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from operator import and_
from typing import Final

from msgspec import Struct

from pdfmill.transforms.layout.page.patterns import BULLET_ALONE, is_ideographic, is_unspaced
from pdfmill.transforms.layout.settings.layout_settings import DEFAULTS, LayoutSettings

#: Em; largest difference of the positions of aligned lines.
_FLUSH: Final = 0.3
#: Em; space at the end of a Chinese or Japanese line that running text does not leave.
_FILLED: Final = 3.0


class Extent(Struct):
    """The position and text of a line of a block."""

    start: float  # in reading direction, points
    end: float  # in reading direction, points
    size: float  # font size, points
    text: str


def first_word_width(text: str, width: float, size: float) -> float:
    """Estimate the width of a line's first word and a space, points. width: of the line, points. size: font size, points."""
    mean = width / max(len(text), 1)
    if is_unspaced(text):
        return mean
    if not text[:1].isalnum() and BULLET_ALONE.match(text[:1]):
        return size
    space = text.find(" ")
    return mean * ((len(text) if space < 0 else space) + 1)


def forced_ends(lines: Sequence[Extent], limit: float, settings: LayoutSettings = DEFAULTS) -> list[int]:
    """Return the indices of the lines that the author ended, without the last line. limit: end of the column, points.
    Lines are compared with the longest one or, in verse (each begins with a capital, with equal lengths), with the column."""
    em, pairs = lines[0].size, len(lines) - 1
    places, reach = _sides(lines, em, settings)
    longest, slack = max(reach), settings.forced_slack * em
    if 3 * sum(longest - r > slack for r in reach[:-1]) < pairs and longest > limit - slack:
        return []  # the lines are filled, as in most blocks
    if _are_justified(reach, longest - em if is_unspaced(lines[0].text) else 0.0):
        return []
    needed = [first_word_width(line.text, line.end - line.start, line.size) + slack for line in lines[1:]]
    capitals = [_starts_anew(line.text) or _has_room(longest - r, em, line.text) for r, line in zip(reach, lines[1:], strict=False)]
    room = [longest - r > width for r, width in zip(reach, needed, strict=False)]
    verse = pairs >= settings.forced_lines and sum(capitals) >= settings.verse_share * pairs
    if verse:
        early = sum(free or limit - line.end > width for free, line, width in zip(room, lines, needed, strict=False))
        broken = 3 * early >= pairs
    else:
        broken = sum(room) >= settings.forced_share * pairs and 2 * sum(map(and_, room, capitals)) > sum(room)
    if not broken:
        return []
    steps = [abs(b - a) for a, b in pairwise(places)]
    flush = [step <= _FLUSH * em or (verse and sum(abs(other - step) <= _FLUSH * em for other in steps) > 1) for step in steps]
    wide = [_has_room(limit - line.end, em, after.text) for line, after in pairwise(lines)]
    ended = [even and ((capital and (verse or free)) or far) for capital, even, free, far in zip(capitals, flush, room, wide, strict=True)]
    return [n for n in range(pairs) if ended[n]]


def _sides(lines: Sequence[Extent], em: float, settings: LayoutSettings) -> tuple[list[float], list[float]]:
    """Return for each line the position by which it is aligned (start, end or middle, points), and how far it extends from there."""
    starts, ends = [line.start for line in lines], [line.end for line in lines]
    if max(starts) - min(starts) > em:
        middles = [(start + end) / 2 for start, end in zip(starts, ends, strict=True)]
        if max(middles) - min(middles) <= settings.same_place * em:
            return middles, [end - start for start, end in zip(starts, ends, strict=True)]
        if max(ends) - min(ends) <= settings.same_place * em:
            return ends, [-start for start in starts]
    return starts, ends


def _are_justified(reach: Sequence[float], least: float) -> bool:
    """Return whether at least half of a block's lines, and at least two, extend to one position not before `least`. reach: points."""
    place, often = Counter(round(r) for r in reach[:-1]).most_common(1)[0]
    return often > 1 and 2 * often >= len(reach) - 1 and place >= least


def _has_room(free: float, em: float, text: str) -> bool:
    """Return whether the next line begins with kana or a Chinese character that would have fitted in `free` points, with a closing sign."""
    return free > _FILLED * em and bool(text) and is_ideographic(text[0])


def _starts_anew(text: str) -> bool:
    first = next((c for c in text if c.isalnum()), "0")
    return first.isupper() or not first.isalpha()
