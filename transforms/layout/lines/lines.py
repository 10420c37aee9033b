"""Join glyphs to text lines: glyphs of one baseline are joined, cut at gutters, and divided into words by the gaps between advances.
Fragments, drawn one after the other on one baseline, are merged after Hassan 2003 §4.2-4.3, with the gap rules of `text_settings`."""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from functools import cache
from itertools import chain, pairwise
from typing import Final, NamedTuple

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from pdfmill.schemas.compiled import fastest
from pdfmill.schemas.glyphs import GlyphFlag, Glyphs, PageContent
from pdfmill.schemas.records import HiddenText, PageLines, TextLine
from pdfmill.schemas.scripts import RAISED_FIGURES, rtl_mask
from pdfmill.transforms.layout.lines import line_loops
from pdfmill.transforms.layout.lines.accents import IS_ACCENT, compose_accents
from pdfmill.transforms.layout.lines.base_direction import Placed, base_in_block, base_of_line, count_letters
from pdfmill.transforms.layout.lines.bidi import bracketed, faced, mirrored, reading_order
from pdfmill.transforms.layout.lines.combining_marks import IS_MARK, settle_marks
from pdfmill.transforms.layout.lines.glyph_frame import ReadingFrame, reading_frames
from pdfmill.transforms.layout.lines.line_loops import (
    BETWEEN,
    CUT,
    DRAWN,
    DROPPED,
    DROPS,
    EQUAL,
    FOLLOWS,
    IN_SEQUENCE,
    INFERRED,
    RAISED,
    SAME,
    SEQUENCE,
    SPACED,
    TAB,
    TABS,
    WORD,
)
from pdfmill.transforms.layout.lines.no_language import count_strange
from pdfmill.transforms.layout.lines.overlaps import find_copies
from pdfmill.transforms.layout.lines.script_letters import SIGNS
from pdfmill.transforms.layout.settings.text_settings import TextSettings

Floats = NDArray[np.float32]
Ints = NDArray[np.int64]

_LOOPS = fastest("pdfmill.transforms.layout.lines.line_loops")
_SETTINGS = TextSettings()
#: Fields that a page's content and its lines have in common, and that are copied.
_KEPT = sorted(set(PageContent.__struct_fields__) & set(PageLines.__struct_fields__))


def find_lines(content: PageContent, settings: TextSettings = _SETTINGS) -> PageLines:
    """Return the page with its text lines, words and hidden text. Lines are in the order in which their first glyphs are drawn.
    Lines end at gutters and tab stops, so one row of a table may be several lines on one baseline."""
    page = PageLines(**{name: getattr(content, name) for name in _KEPT}, styles=content.glyphs.styles)
    glyphs = content.glyphs
    seen = _LOOPS.survey_glyphs(glyphs.unicode, glyphs.flags, _CLASSES)
    flags = seen >> _CLASS_BITS
    shown = np.ones(len(glyphs.unicode), np.bool_)
    if flags & _HIDDEN:
        hidden = (glyphs.flags & _HIDDEN) != 0
        shown = ~hidden
        page.ocr = is_ocr_layer(glyphs)
        if page.ocr:
            shown |= (glyphs.flags & _HIDDEN) == GlyphFlag.INVISIBLE
        page.hidden = _hidden_texts(glyphs, ~shown, settings)
    copies = find_copies(glyphs, shown, settings)
    if seen & _DIRECTION:
        copies |= _directs(glyphs.unicode)
    shown &= ~copies
    if seen & _ACCENT:
        glyphs, accents = compose_accents(glyphs, shown, settings)
        shown &= ~accents
    if seen & _MARK:
        glyphs, shown = settle_marks(glyphs, shown, settings)
    if flags & GlyphFlag.UNTRUSTED:
        page.untrusted_chars = int(np.count_nonzero((glyphs.flags[shown] & GlyphFlag.UNTRUSTED) != 0))
    _fill(page, glyphs, _rows(glyphs, shown.nonzero()[0], settings, _bars(content.rules, glyphs)))
    page.untrusted_chars = max(page.untrusted_chars, count_strange(page.lines, page.styles, settings))
    _name_bullets(page)
    if _is_mirrored(glyphs):
        for line in page.lines:  # mirrored text begins at the other end of its line; the next line is below it all the same
            line.angle, line.rtl = (line.angle + 180) % 360, not line.rtl
    return page


#: Step at which glyphs are sampled to see on which side of its baseline each lies.
_ASKED = 16


def _is_mirrored(glyphs: Glyphs) -> bool:
    """Return whether most of the page's text is drawn mirrored, with letters on the wrong side of their baseline."""
    asked = slice(None, None, _ASKED)
    angle, side = glyphs.angle[asked], 2 * glyphs.origin_y[asked] - glyphs.top[asked] - glyphs.bottom[asked]
    if angle.any():
        across = glyphs.x0[asked] + glyphs.x1[asked] - 2 * glyphs.origin_x[asked]
        side = np.select([angle == 0, angle == 180, angle == 90, angle == 270], [side, -side, across, -across])
        side[(glyphs.flags[asked] & GlyphFlag.VERTICAL) != 0] = 0
    wrong = side < 0
    if 2 * np.count_nonzero(wrong) <= len(side):
        return False
    named = np.array([bool(style.font) for style in glyphs.styles], np.bool_)[glyphs.style[asked]]
    return bool(2 * np.count_nonzero(wrong & named) > len(side))


_IS_DIRECTION = np.zeros(0xFEFF + 2, np.bool_)
_IS_DIRECTION[[0x200E, 0x200F, *range(0x202A, 0x202F), *range(0x2066, 0x206A), 0xFEFF]] = True


def _directs(codes: NDArray[np.uint32]) -> NDArray[np.bool_]:
    return _IS_DIRECTION.take(codes, mode="clip")


#: Bits for classes of characters that need a rule of their own. The last element of the table below is for all characters without a rule.
_DIRECTION, _ACCENT, _MARK, _CLASS_BITS = 1, 2, 4, 8
_CLASSES = np.zeros(len(_IS_DIRECTION), np.uint8)
for _bit, _members_of in ((_DIRECTION, _IS_DIRECTION), (_ACCENT, IS_ACCENT), (_MARK, IS_MARK)):
    _CLASSES[: len(_members_of)] |= _members_of * np.uint8(_bit)


_REASONS = {
    GlyphFlag.INVISIBLE: "invisible",
    GlyphFlag.OUTSIDE: "outside_page",
    GlyphFlag.SAME_COLOR: "same_color",
    GlyphFlag.CLIPPED: "clipped",
    GlyphFlag.HIDDEN_LAYER: "hidden_layer",
}
_HIDDEN: np.uint8 = np.bitwise_or.reduce(list(_REASONS))


def is_ocr_layer(glyphs: Glyphs) -> bool:
    """Return whether the text of a page is an OCR layer: whether it has more invisible than visible text."""
    if not np.bitwise_or.reduce(glyphs.flags) & _HIDDEN:
        return False
    why = glyphs.flags & _HIDDEN
    return bool(np.count_nonzero(why == GlyphFlag.INVISIBLE) > np.count_nonzero(why == 0))


def _hidden_texts(glyphs: Glyphs, hidden: NDArray[np.bool_], settings: TextSettings) -> list[HiddenText]:
    """Return one `HiddenText` for each reason, with its lines joined by line feeds. hidden: bool[n], the hidden glyphs."""
    found: list[HiddenText] = []
    left = hidden.copy()
    for flag, reason in _REASONS.items():
        members = (left & ((glyphs.flags & flag) != 0)).nonzero()[0]
        left[members] = False
        if len(members):
            scratch = PageLines(0, styles=glyphs.styles)
            _fill(scratch, glyphs, _rows(glyphs, members, settings))
            text = "\n".join(line.text for line in scratch.lines)
            if text:
                found.append(HiddenText(reason, text))
    return found


class _Rows(Struct):
    """The glyphs of some lines, line by line. glyph: their indices. begins: which are the first of a word. starts: position in `glyph` of
    each line's first glyph. frames, baselines: reading frame of each line, and its baseline there."""

    glyph: Ints  # int[n], index into the page's glyphs
    begins: NDArray[np.bool_]  # bool[n], whether the glyph is the first of a word
    starts: Ints  # int[lines], index in `glyph` of each line's first glyph
    frames: list[ReadingFrame]  # reading frame of each line
    baselines: list[float]  # float[lines], in the line's frame


_NO_BARS = np.zeros((0, 3), np.float32)
#: Longest fraction bar, sizes of the page's largest type, and thickest one, points.
_LONGEST_BAR, _THICKEST_BAR = 12.0, 1.5


def _bars(rules: NDArray[np.float32], glyphs: Glyphs) -> Floats:
    """Return float32[n, 3]: left, right and y, points, of the drawn rules that may be fraction bars."""
    if not len(rules) or not glyphs.styles:
        return _NO_BARS
    longest = _LONGEST_BAR * max(style.size for style in glyphs.styles)
    flat = (rules[:, 3] - rules[:, 1] < _THICKEST_BAR) & (rules[:, 2] - rules[:, 0] <= longest)
    return np.stack((rules[flat, 0], rules[flat, 2], (rules[flat, 1] + rules[flat, 3]) / 2), axis=1)


def _rows(glyphs: Glyphs, members: Ints, settings: TextSettings, bars: Floats = _NO_BARS) -> _Rows:
    """Return the lines of all writing directions in order of their first drawn glyph. bars: possible fraction bars (`_bars`)."""
    parts = [
        _lines_of_frame(frame, settings, bars if frame.angle == 0 and not frame.vertical else _NO_BARS)
        for frame in reading_frames(glyphs, members)
    ]
    if not parts:
        none = np.zeros(0, np.int64)
        return _Rows(none, np.zeros(0, np.bool_), none, [], [])
    rows = parts[0] if len(parts) == 1 else _joined(parts)
    firsts = np.minimum.reduceat(rows.glyph, rows.starts)
    if (firsts[1:] > firsts[:-1]).all():
        return rows
    order = np.argsort(firsts, kind="stable")
    lengths = _lengths(rows.starts, len(rows.glyph))[order]
    chosen = _ranges(rows.starts[order], lengths)
    new_starts = np.cumsum(lengths) - lengths
    return _Rows(
        rows.glyph[chosen],
        rows.begins[chosen],
        new_starts,
        [rows.frames[i] for i in order.tolist()],
        [rows.baselines[i] for i in order.tolist()],
    )


def _joined(parts: list[_Rows]) -> _Rows:
    offsets = np.cumsum([0] + [len(part.glyph) for part in parts]).tolist()
    return _Rows(
        np.concatenate([part.glyph for part in parts]),
        np.concatenate([part.begins for part in parts]),
        np.concatenate([part.starts + offset for part, offset in zip(parts, offsets, strict=False)]),
        [frame for part in parts for frame in part.frames],
        [baseline for part in parts for baseline in part.baselines],
    )


def _lengths(starts: Ints, end: int) -> Ints:
    lengths = np.empty_like(starts)
    np.subtract(starts[1:], starts[:-1], out=lengths[:-1])
    lengths[-1:] = end - starts[-1:]
    return lengths


def _ranges(starts: Ints, lengths: Ints) -> Ints:
    ends = np.cumsum(lengths)
    return np.repeat(starts - ends + lengths, lengths) + np.arange(int(ends[-1]) if len(ends) else 0)


class _Fragments(Struct):
    """The m fragments of a `ReadingFrame`: glyphs drawn one after the other on one baseline. Lengths are points."""

    first: Ints  # index of the first glyph in the frame, without blanks
    last: Ints  # index of the last glyph in the frame, without blanks
    start: Floats  # along the line
    end: Floats  # along the line
    baseline: Floats
    size: Floats


def _lines_of_frame(frame: ReadingFrame, settings: TextSettings, bars: Floats) -> _Rows:
    """Return the lines of one writing direction, each with its glyphs in visual order."""
    fragments = _fragments(frame, settings)
    group = _baseline_groups(fragments, bars, settings)
    order = np.lexsort((np.arange(len(group)), fragments.start, group))
    lengths = (fragments.last - fragments.first + 1)[order]
    position = _ranges(fragments.first[order], lengths)
    _untangle(frame, fragments, order, group, lengths, position, settings)
    return _cut(frame, position, np.repeat(group[order], lengths), settings)


def _untangle(
    frame: ReadingFrame, fragments: _Fragments, order: Ints, group: Ints, lengths: Ints, position: Ints, settings: TextSettings
) -> None:
    """Sort the glyphs of overlapping fragments of one line by position, in place in `position`. Glyphs that would overlap stay as drawn.
    order: the fragments, line by line. group: number of each fragment's line. lengths: number of glyphs of each fragment in `order`."""
    start, end, size = fragments.start[order], fragments.end[order], fragments.size[order]
    row = _FAR * group[order]
    reach = (
        np.maximum.accumulate(end + row) - row
    )  # the farthest end of all fragments before, because short fragments may fill several gaps of one
    inside = (group[order][1:] == group[order][:-1]) & (reach[:-1] - start[1:] > settings.interleaved * size[1:])
    baseline = fragments.baseline[order]  # parts of a fraction and limits of a sum overlap too, but are no row of letters
    inside &= np.abs(baseline[1:] - baseline[:-1]) <= settings.baseline_drift * size[1:]
    if not inside.any():
        return
    first = np.cumsum(lengths) - lengths
    runs = np.flatnonzero(np.diff(np.concatenate(([0], inside.astype(np.int8), [0]))))
    for one, last in zip(runs[::2].tolist(), runs[1::2].tolist(), strict=True):
        part = slice(int(first[one]), int(first[last] + lengths[last]))
        placed = position[part][np.argsort(frame.start[position[part]], kind="stable")]
        if (frame.start[placed][1:] > frame.end[placed][:-1] - settings.interleaved * frame.size[placed][1:]).all():
            position[part] = placed


def _fragments(frame: ReadingFrame, settings: TextSettings) -> _Fragments:
    """Divide the glyphs of one writing direction into fragments, where the baseline, the size or the direction of the pen changes."""
    n = len(frame.glyph)
    first = np.empty(n, np.int64)
    start, end, size = (np.empty(n, np.float32) for _ in range(3))
    m = _LOOPS.break_fragments(
        *(frame.start, frame.end, frame.baseline, frame.size),
        *(settings.baseline_drift, -settings.backward, settings.column_gap, settings.raised_size),
        *(first, start, end, size),
    )
    first = first[:m]
    last = np.append(first[1:], n) - 1
    baseline = (np.add.reduceat(frame.baseline, first) / (last - first + 1)).astype(np.float32)
    return _Fragments(first, last, start[:m], end[:m], baseline, size[:m])


def _baseline_groups(fragments: _Fragments, bars: Floats, settings: TextSettings) -> Ints:
    """Return int64[m], the number of each fragment's line. Superscripts, subscripts and fractions belong to the text beside them."""
    order, home = np.lexsort((fragments.start, fragments.baseline)), np.empty(len(fragments.first), np.int64)
    count = _LOOPS.group_baselines(order, fragments.baseline, fragments.size, settings.baseline_join, home)
    asked = _LOOPS.survey_fragments(
        *(fragments.start, fragments.end, fragments.baseline, fragments.size),
        *(settings.baseline_drift, settings.baseline_join, settings.raised_up),
        *(settings.raised_between, settings.raised_reach, settings.raised_size, settings.dropped_size),
    )
    if not asked and not len(bars):
        return home
    groups: list[list[int]] = [[] for _ in range(count)]
    for index, number in zip(order.tolist(), home[order].tolist(), strict=True):
        groups[number].append(index)
    for sign, attach in _ATTACHING:
        if asked & sign:
            groups = attach(fragments, groups, settings)
    groups = _attach_fractions(fragments, groups, bars)
    home[list(chain.from_iterable(groups))] = np.repeat(np.arange(len(groups)), list(map(len, groups)))
    return home


#: em; by which numerator and denominator may extend beyond their bar, and largest distance from a numerator's baseline to the bar.
_BEYOND, _OVER = 0.3, 0.7
#: em; from the bar to a denominator's baseline (.7 to 1.1), and to the baseline of the line that it is in (TeX has .25).
_UNDER, _AXIS = (0.4, 1.4), (0.1, 0.5)
#: em; largest distance from the bar to the text beside it.
_BESIDE_BAR = 1.0


def _attach_fractions(fragments: _Fragments, groups: list[list[int]], bars: Floats) -> list[list[int]]:
    """Move numerators and denominators to the line of the text beside their fraction bar. Return the new groups.
    groups: indices of the fragments of each line. bars: float32[n, 3], left, right and y of possible fraction bars."""
    start, end, baseline, size = fragments.start, fragments.end, fragments.baseline, fragments.size
    bars = bars[_has_text_at_axis(fragments, bars[:, 2])] if len(bars) else bars
    if not len(bars):
        return groups
    home = np.empty(len(start), np.int64)
    home[list(chain.from_iterable(groups))] = np.repeat(np.arange(len(groups)), list(map(len, groups)))
    moved = False
    for left, right, height in bars.tolist():
        inside = (start > left - _BEYOND * size) & (end < right + _BEYOND * size)
        over = inside & (baseline <= height) & (height - baseline < _OVER * size)
        under = inside & (baseline > height + _UNDER[0] * size) & (baseline < height + _UNDER[1] * size)
        if not over.any() or not under.any():
            continue
        axis = (baseline - height) / np.maximum(size, _TINY)
        beside = np.minimum(np.abs(start - right), np.abs(end - left)) < _BESIDE_BAR * size
        hosts = (beside & ~inside & (axis > _AXIS[0]) & (axis < _AXIS[1])).nonzero()[0]
        if not len(hosts):
            continue
        host = home[hosts[np.argmax(size[hosts])]]
        over, under = (part | (inside & np.isin(home, home[part]) & (home != host)) for part in (over, under))  # with the exponents in them
        start[under] = max(start[over].max(), start[under].min()) + _TINY * (
            1 + np.argsort(np.argsort(start[under]))
        )  # read after what they divide
        home[over | under], moved = host, True
    return [np.flatnonzero(home == number).tolist() for number in range(len(groups)) if (home == number).any()] if moved else groups


def _has_text_at_axis(fragments: _Fragments, heights: Floats) -> NDArray[np.bool_]:
    """Return bool[bars]: whether text may be vertically centred at each bar, as beside a fraction. heights: y of each bar, points."""
    levels, reach = np.sort(fragments.baseline), _AXIS[1] * fragments.size.max(initial=0.0) + _TINY
    found: NDArray[np.bool_] = np.searchsorted(levels, heights + reach) > np.searchsorted(levels, heights)
    return found


#: Height of capitals in most fonts, and largest difference of the tops of a drop capital and of its line, em.
_CAPITAL, _SAME_TOP = 0.7, 0.5


def _attach_dropped(fragments: _Fragments, groups: list[list[int]], settings: TextSettings) -> list[list[int]]:
    """Move a drop capital to the line at the height of its top, whose first word it begins. Return the new groups."""
    size = fragments.size
    ordered = np.sort(size)
    usual = _middle(ordered)
    if ordered[-1] < settings.dropped_size * usual:
        return groups
    top = fragments.baseline - _CAPITAL * size
    short = fragments.last - fragments.first < settings.few_glyphs
    home = {index: number for number, group in enumerate(groups) for index in group}
    for index in (short & (size >= settings.dropped_size * usual)).nonzero()[0].tolist():
        distance = fragments.start - fragments.end[index]
        fits = (size * settings.dropped_size <= size[index]) & (np.abs(top - top[index]) < _SAME_TOP * size)
        fits &= np.abs(distance) < settings.baseline_join * size[index]
        fits &= fragments.baseline < fragments.baseline[index] - settings.baseline_join * size
        for host in fits.nonzero()[0][:1].tolist():
            groups[home[index]].remove(index)
            groups[home[host]].append(index)
            home[index] = home[host]
    return [group for group in groups if group]


def _attach_between(fragments: _Fragments, groups: list[list[int]], settings: TextSettings) -> list[list[int]]:
    """Move a fragment that was drawn and placed between two parts of one baseline to that baseline. Return the new groups.
    It is raised unusually high, or fills the gap: one or two letters set slightly higher or lower (the E of TeX), or words in the other
    direction of writing, which FOP sets higher."""
    start, end, size, baseline = fragments.start, fragments.end, fragments.size, fragments.baseline
    before, after = slice(0, len(start) - 2), slice(2, len(start))
    inner = slice(1, len(start) - 1)
    em = np.minimum(size[before], size[after])
    fits = np.abs(baseline[before] - baseline[after]) < settings.baseline_drift * em
    if not fits.any():
        return groups
    shift = np.abs(baseline[inner] - baseline[before])
    small = (size[inner] < settings.raised_size * em) & (shift < settings.raised_between * em)
    short = (fragments.last - fragments.first < settings.few_glyphs)[inner] & (size[inner] * settings.raised_size < em)
    level = np.where(short, settings.raised_down, np.where(size[inner] > settings.raised_size * em, settings.raised_between, 0)) * em
    fills = (shift < level) & (start[after] - end[inner] < settings.raised_reach * em)
    fits &= (small | fills) & (end[inner] <= start[after] + settings.baseline_join * em)
    fits &= (start[inner] >= end[before] - settings.baseline_join * em) & (start[inner] - end[before] < settings.raised_reach * em)
    if not fits.any():
        return groups
    home = {index: number for number, group in enumerate(groups) for index in group}
    for index in (fits.nonzero()[0] + 1).tolist():
        target = home[index - 1]
        if home[index] != target and home[index + 1] == target:
            groups[home[index]].remove(index)
            groups[target].append(index)
            home[index] = target
    return [group for group in groups if group]


def _attach_following(fragments: _Fragments, groups: list[list[int]], settings: TextSettings) -> list[list[int]]:
    """Move a few raised glyphs that are as large as the text directly before them to its baseline. Return the new groups."""
    start, end, size, baseline = fragments.start, fragments.end, fragments.size, fragments.baseline
    rise, em = baseline[:-1] - baseline[1:], size[:-1]
    fits = (rise > settings.baseline_join * em) & (rise < settings.raised_up * em) & (size[1:] >= settings.raised_size * em)
    fits &= settings.raised_size * size[1:] <= em
    fits &= (np.abs(start[1:] - end[:-1]) < settings.baseline_drift * em) & (fragments.last - fragments.first < settings.note_mark)[1:]
    if not fits.any():
        return groups
    home = {index: number for number, group in enumerate(groups) for index in group}
    for index in (fits.nonzero()[0] + 1).tolist():
        if home[index - 1] != home[index]:
            groups[home[index]].remove(index)
            groups[home[index - 1]].append(index)
            home[index] = home[index - 1]
    return [group for group in groups if group]


def _attach_sequences(fragments: _Fragments, groups: list[list[int]], settings: TextSettings) -> list[list[int]]:
    """Move consecutive fragments that fill the gap between two fragments of one baseline, such as an operator with its limits, to the group
    of this baseline. Return the new groups."""
    start, end, size, baseline = fragments.start, fragments.end, fragments.size, fragments.baseline
    rise = np.maximum(np.abs(baseline[1:-1] - baseline[:-2]), np.abs(baseline[2:] - baseline[:-2]))  # of the next two; large in prose
    candidates, begins = (rise < settings.raised_between * size[:-2]).nonzero()[0], start.copy()
    home = {index: number for number, group in enumerate(groups) for index in group}
    for inner in range(2, min(settings.formula_pieces, len(size) - 2) + 1):
        firsts = candidates[candidates < len(size) - inner - 1]
        lasts = firsts + inner + 1
        em = np.minimum(size[firsts], size[lasts])
        fits = (np.abs(baseline[firsts] - baseline[lasts]) < settings.baseline_drift * em) & (start[lasts] > end[firsts])
        if not fits.any():
            continue
        places, em = firsts[fits], em[fits]
        parts = places[:, None] + np.arange(1, inner + 1)
        reach = settings.raised_reach * em
        left, right = start[parts].min(axis=1), end[parts].max(axis=1)
        near = (
            (left - end[places] < reach)
            & (start[places + inner + 1] - right < reach)
            & (left > end[places] - reach)
            & (right < start[places + inner + 1] + reach)
        )
        near &= (np.abs(baseline[parts] - baseline[places, None]) < settings.raised_between * em[:, None]).all(axis=1)
        for first in places[near].tolist():
            target = home[first]
            for index in range(first + 1, first + inner + 1) if home[first + inner + 1] == target else ():
                groups[home[index]].remove(index)
                groups[target].append(index)
                home[index] = target
                if index > first + 1 and begins[index] < begins[index - 1] < end[index]:
                    start[index] = start[index - 1] + _TINY  # a limit begins left of its operator, but is read after it
    return [group for group in groups if group]


def _attach_raised(fragments: _Fragments, groups: list[list[int]], settings: TextSettings) -> list[list[int]]:
    """Move superscripts and subscripts to a neighbouring line if its larger glyphs are beside them. Return the new groups."""
    baseline, size = fragments.baseline.tolist(), fragments.size.tolist()
    largest = max(size, default=0.0)
    small = settings.raised_size * largest
    start, end = fragments.start.tolist(), fragments.end.tolist()
    level = [baseline[group[0]] for group in groups]
    crowds = {number: _Crowd.of(group, start, end) for number, group in enumerate(groups) if len(group) > _CROWD}
    result = [list(group) for group in groups]
    for number, group in enumerate(groups):
        for index in group:
            if size[index] >= small:
                continue
            best: tuple[float, int] | None = None
            most = min(largest, size[index] / settings.raised_least)  # em of the text to which it may belong
            low, high = baseline[index] - settings.raised_up * most, baseline[index] + settings.raised_up * most
            left, right = start[index] - settings.raised_reach * most, end[index] + settings.raised_reach * most
            for step in (1, -1):
                other = number + step
                while 0 <= other < len(groups) and low <= level[other] <= high:
                    for host in crowds[other].between(left, right) if other in crowds else groups[other]:
                        em = size[host]
                        offset = baseline[host] - baseline[index]
                        if (
                            not settings.raised_least * em <= size[index] < settings.raised_size * em
                            or not -settings.raised_down * em <= offset <= settings.raised_up * em
                        ):
                            continue
                        distance = max(start[index] - end[host], start[host] - end[index])
                        if -settings.raised_within * em <= distance <= settings.raised_reach * em and (
                            best is None or abs(distance) < best[0]
                        ):
                            best = (abs(distance), other)
                    other += step
            if best is not None:
                result[number].remove(index)
                result[best[1]].append(index)
    return [group for group in result if group]


#: Rules that move fragments to other lines, in order, each with the bit that says whether it may apply on the page.
_ATTACHING = (
    (FOLLOWS, _attach_following),
    (BETWEEN, _attach_between),
    (SEQUENCE, _attach_sequences),
    (RAISED, _attach_raised),
    (DROPS, _attach_dropped),
)
#: Fragments of a baseline from which an index is faster than testing each; drawings and maps have hundreds.
_CROWD = 50


class _Crowd(NamedTuple):
    """The fragments of one baseline, sorted from left to right for a fast search. starts: their left ends. widest: width of the widest,
    points."""

    fragments: list[int]  # their indices
    starts: list[float]  # their left ends, points
    widest: float  # length of the longest, points

    @classmethod
    def of(cls, group: list[int], start: list[float], end: list[float]) -> _Crowd:
        members = sorted(group, key=start.__getitem__)
        return cls(members, [start[index] for index in members], max(end[index] - start[index] for index in members))

    def between(self, left: float, right: float) -> list[int]:
        return self.fragments[bisect_left(self.starts, left - self.widest) : bisect_right(self.starts, right)]


#: Size, points, assumed for fonts of no size.
_TINY = np.float32(1e-3)
#: Smallest factor by which an em is reduced for horizontally scaled type.
_NEARLY_NOTHING = 0.2
#: Factor that allows for rounding when a comparison of extremes replaces one of all glyphs.
_NEARLY = 0.9
#: Points, wider than any page. It separates running maxima of different baselines.
_FAR = 1e6
#: Glyphs of one line whose baselines differ by more, em, are a numerator and a denominator, which are separate words.
_STACKED = 0.9
_NO_EXTRA = np.zeros(0)
_NONE_FORBIDDEN = np.zeros(0, np.uint8)


def _cut(frame: ReadingFrame, position: Ints, group: Ints, settings: TextSettings) -> _Rows:
    """Divide each baseline into lines at wide gaps, and into words at smaller gaps.
    position: int64[n], indices of glyphs in the `ReadingFrame`. group: number of the baseline of each."""
    n = len(position)
    em, gap, relative = np.empty(n - 1, np.float32), np.empty(n - 1), np.empty(n - 1)
    marks = np.empty(n - 1, np.uint8)
    found = _LOOPS.measure_gaps(
        *(position, group, frame.start, frame.end, frame.size, frame.baseline, frame.space_before.view(np.uint8)),
        *(_TINY, _FAR, _STACKED, settings.squeezed, settings.spacing_glyphs, _NEARLY_NOTHING),
        *(settings.letter_spacing, settings.spacing_glyphs, _NEARLY * settings.dropped_size),
        *(em, gap, relative, marks),
    )
    extra = _NO_EXTRA
    if found & SPACED:
        dots = frame.unicode[frame.glyph[position]] == _DOT
        apart = ((marks & SAME) == 0) | ((relative > settings.column_gap) & ((marks & IN_SEQUENCE) == 0))  # baselines, and gutters in them
        widths = (frame.end - frame.start)[position[1:]] / em
        extra = _letter_spacing(relative, widths, np.cumsum(apart), ~apart & ~(dots[1:] & dots[:-1]), settings)
    found |= _LOOPS.part_words(
        *(position, em, gap, relative, frame.no_spaces.view(np.uint8), _forbidden_gaps(frame, position, group, em, gap, extra, settings)),
        *(extra, settings.word_gap, settings.word_gap, settings.drawn_space, settings.spaced_out, settings.spaced_equal),
        *(settings.tab_gap, settings.column_gap, marks),
    )
    _cut_at_margins(frame, position, marks, settings)
    if found & EQUAL:
        _join_spaced_out(frame, position, relative, marks, settings)
    if found & TABS:
        words = (marks & (WORD | SAME)) == WORD | SAME
        wide = (marks & (TAB | IN_SEQUENCE)) == TAB | IN_SEQUENCE
        marks[_is_tab(gap, wide, words, group[1:], settings)] |= CUT
    begins, starts, main = np.empty(n, np.bool_), np.empty(n, np.int64), np.empty(n, np.float32)
    lines = _LOOPS.begin_words(
        *(position, frame.size, frame.baseline, marks, settings.raised_size, settings.baseline_drift, settings.note_mark),
        *(begins.view(np.uint8), starts, main),
    )
    starts, main = starts[:lines], main[:lines]
    if found & DROPPED:
        main = _main_baselines(frame.size[position], frame.baseline[position], starts, settings)
    return _Rows(frame.glyph[position], begins, starts, [frame] * lines, main.tolist())


#: Widest gap between Chinese or Japanese characters that comes from justification, em.
_JUSTIFIED = 0.6


def _forbidden_gaps(
    frame: ReadingFrame,
    position: Ints,
    group: Ints,
    em: Floats,
    gap: NDArray[np.float64],
    extra: NDArray[np.float64],
    settings: TextSettings,
) -> NDArray[np.uint8]:
    """Return uint8[n - 1], which gaps are no spaces: those before marks, and those from justification in scripts without spaces.
    uint8[0] if there are none. em, gap: type size at each gap and its width, points. extra: em added to the word gap."""
    if int(frame.unicode.max()) < _UNSPACED[0][0] and not _IS_SIGN.take(frame.unicode, mode="clip").any():
        return _NONE_FORBIDDEN  # most pages
    codes = frame.unicode[frame.glyph[position]]
    signs = _IS_SIGN.take(codes[1:], mode="clip")
    if int(codes.max()) < _UNSPACED[0][0]:
        return signs.view(np.uint8) if signs.any() else _NONE_FORBIDDEN
    limit = (settings.word_gap + extra) * em if len(extra) else settings.word_gap * em
    narrow = (gap > limit) & ~frame.no_spaces[position[1:]] & (gap < _JUSTIFIED * em)
    return (signs | _justified(_in_unspaced_script(codes), narrow, group[1:], settings)).view(np.uint8)


def _cut_at_margins(frame: ReadingFrame, position: Ints, marks: NDArray[np.uint8], settings: TextSettings) -> None:
    """Mark gaps, in place, before text that begins at the margin of a column and was not drawn after the text on its left, which is too
    long for its own column. marks: bits of the gap after each glyph but the last."""
    loose = np.flatnonzero((marks & (SAME | IN_SEQUENCE | CUT)) == SAME)
    if not len(loose):
        return
    firsts = np.flatnonzero((marks & (SAME | IN_SEQUENCE)) != SAME | IN_SEQUENCE)
    long = np.diff(np.append(firsts, len(marks))) > settings.note_mark  # a comma in another font is not
    begins = frame.start[position[firsts[long] + 1]]
    for place in np.intersect1d(loose, firsts[long]).tolist():
        start, em = frame.start[position[place + 1]], frame.size[position[place + 1]]
        if np.count_nonzero(np.abs(begins - start) < settings.baseline_drift * em) > settings.margin_lines:
            marks[place] |= CUT | WORD


def _join_spaced_out(
    frame: ReadingFrame, position: Ints, relative: NDArray[np.float64], marks: NDArray[np.uint8], settings: TextSettings
) -> None:
    """Join the letters of words that are letterspaced within a line: clear `WORD` in `marks`, in place.
    relative, marks: width in em, and bits, of the gap after each glyph but the last."""
    inferred = (marks & (INFERRED | IN_SEQUENCE | DRAWN)) == INFERRED | IN_SEQUENCE
    ends = (marks & WORD != 0) | (marks & SAME == 0)
    for apart in _spaced_out(relative, inferred, ends, settings):
        if all(map(str.isalpha, map(chr, frame.unicode[frame.glyph[position[apart.start : apart.stop + 1]]].tolist()))):
            marks[apart] &= ~np.uint8(WORD)


def _main_baselines(size: Floats, baselines: Floats, starts: Ints, settings: TextSettings) -> Floats:
    """Return the baseline of each line on a page of very different sizes: that of its largest glyph that is no drop capital."""
    line = np.repeat(np.arange(len(starts)), _lengths(starts, len(size)))
    dropped = np.maximum.reduceat(size, starts) >= settings.dropped_size * (np.add.reduceat(size, starts) / np.bincount(line))
    tallest = np.where(
        dropped[line] & (size >= settings.dropped_size * size[np.minimum(starts[line] + settings.few_glyphs, len(size) - 1)]), 0, size
    )
    largest = tallest == np.maximum.reduceat(tallest, starts)[line]
    # Assigned in reverse order, so that the first one remains.
    main = np.zeros(len(starts), np.float32)
    which = largest.nonzero()[0][::-1]
    main[line[which]] = baselines[which]
    return main


def _letter_spacing(
    gap: NDArray[np.floating], width: NDArray[np.floating], group: Ints, same: NDArray[np.bool_], settings: TextSettings
) -> NDArray[np.float64]:
    """Return the usual letter spacing of letterspaced baselines, which is added to the word gap; 0 for other baselines.
    gap, width: the gap before each glyph but the first, and its width, em. same: whether it is on the baseline of the glyph before it."""
    count = np.bincount(group, same)
    wide = np.bincount(group, same & (gap > settings.letter_spacing))
    spaced = ((wide * 2 > count) & (count >= settings.spacing_glyphs)).nonzero()[0]
    extra = np.zeros(len(count))
    for number in spaced.tolist():
        line = _members(group, number)
        gaps, widths = np.sort(gap[line][same[line]]), width[line][same[line]]  # NaN comes last
        usual = gaps[-1] if np.isnan(gaps[-1]) else _middle(gaps)
        blanks = usual > _BLANK * widths.max() and widths.min() > _BLANK * widths.max()
        extra[number] = 0.0 if blanks or usual > settings.most_spacing else usual
    return extra[group]


#: Factor that allows for rounding when widths of a font of one width are compared.
_BLANK: Final = 0.95
#: Dots are ignored for letter spacing, because those of leaders are set wider than letters.
_DOT = ord(".")
_IS_SIGN = np.zeros(ord(max(SIGNS)) + 2, np.bool_)
_IS_SIGN[list(map(ord, SIGNS))] = True
#: Ranges of Chinese and Japanese characters, between which words have no spaces: radicals, kana, ideographs, punctuation, full-width forms.
_UNSPACED = ((0x2E80, 0x2FDF), (0x3001, 0x30FF), (0x3400, 0x9FFF), (0xF900, 0xFAFF), (0xFF01, 0xFF60), (0x20000, 0x3FFFF))


def _in_unspaced_script(codes: NDArray[np.uint32]) -> NDArray[np.bool_]:
    found: NDArray[np.bool_] = np.logical_or.reduce([(codes >= first) & (codes <= last) for first, last in _UNSPACED])
    return found


def _justified(unspaced: NDArray[np.bool_], inferred: NDArray[np.bool_], group: Ints, settings: TextSettings) -> NDArray[np.bool_]:
    """Return bool[n - 1]: the wide gaps of baselines where justification makes most gaps wide, in scripts without spaces.
    unspaced: bool[n], characters of such scripts. inferred: bool[n - 1], wide gaps. group: number of each gap's baseline."""
    pairs = unspaced[1:] & unspaced[:-1]
    wide: NDArray[np.bool_] = pairs & inferred
    return np.logical_and(wide, (np.bincount(group, wide) > settings.unspaced_share * np.bincount(group, pairs))[group])


def _spaced_out(gap: NDArray[np.floating], inferred: NDArray[np.bool_], ends: NDArray[np.bool_], settings: TextSettings) -> list[slice]:
    """Return slices of the gaps inside letterspaced words: rows of single glyphs at equal distances.
    gap: em. inferred: gaps taken as spaces because of their width alone. ends: whether a word ends at each gap."""
    small = inferred & (gap < settings.spaced_out)
    equal = small[1:] & small[:-1]
    fewest = settings.spacing_glyphs - 1
    if not equal.any():
        return []
    equal &= np.abs(np.diff(gap)) < settings.spaced_equal
    bounds = np.flatnonzero(np.diff(np.concatenate(([False], equal, [False]))))
    found = []
    for first, last in zip(bounds[::2].tolist(), bounds[1::2].tolist(), strict=True):  # the outer glyphs of the row must be whole words
        first += int(first > 0 and not ends[first - 1])
        last -= int(last + 1 < len(ends) and not ends[last + 1])
        if last + 1 - first >= fewest:
            found.append(slice(first, last + 1))
    return found


def _is_tab(
    gap: NDArray[np.floating], wide: NDArray[np.bool_], words: NDArray[np.bool_], group: Ints, settings: TextSettings
) -> NDArray[np.bool_]:
    """Return which gaps are tabs: those in `wide` (changed in place) that are much wider than the usual gap between words of their
    baseline."""
    for number in dict.fromkeys(group[wide].tolist()):
        line = _members(group, number)
        usual = sorted(gap[line][words[line]].tolist())
        if len(usual) > 1:
            wide[line] &= gap[line] > settings.tab_ratio * _middle(usual)
    return wide


def _middle(ascending: Sequence[float] | Floats) -> float:
    """Return the median of values in ascending order; much faster than `np.median` for few values."""
    return (ascending[(len(ascending) - 1) // 2] + ascending[len(ascending) // 2]) / 2


def _members(ascending: NDArray[np.integer], value: int) -> slice:
    first, last = np.searchsorted(ascending, (value, value + 1)).tolist()
    return slice(first, last)


def _to_reading_order(rows: _Rows, codes: NDArray[np.uint32], glyphs: Glyphs) -> list[bool]:
    """Put lines with right-to-left script into reading order, in place. Return for each line whether it is right-to-left.
    codes: uint32[n], code points in line order; brackets in them are mirrored."""
    base = [False] * len(rows.frames)
    mask = rtl_mask(codes)
    if not mask.any():
        return base
    page_rtl = int(np.count_nonzero(mask)) * 2 > len(codes)
    bounds = [*rows.starts.tolist(), len(codes)]
    letters = [count_letters(codes[first:last].tolist()) for first, last in pairwise(bounds)]

    @cache
    def place(number: int) -> Placed | None:
        frame = rows.frames[number]
        if frame.angle or frame.vertical:
            return None
        own = rows.glyph[bounds[number] : bounds[number + 1]]
        size = float(glyphs.sizes(own[:1])[0])
        return Placed(float(glyphs.x0[own].min()), float(glyphs.x1[own].max()), rows.baselines[number], size, *letters[number])

    for number, (right, left) in enumerate(letters):
        mixed = right and left and place(number) is not None
        base[number] = base_in_block(number, len(base), place, page_rtl) if mixed else base_of_line(right, left, page_rtl)
    for number, (first, last) in enumerate(pairwise(bounds)):
        if mask[first:last].any() or (base[number] and any(letters[number])):
            _reorder(rows, codes, first, last, base[number])
    return base


def _reorder(rows: _Rows, codes: NDArray[np.uint32], first: int, last: int, rtl: bool) -> None:
    """Put the glyphs `first` to `last` (exclusive), a line, into reading order, in place, with the gaps between words."""
    visual: list[int] = []
    items: list[int] = []  # position in the line, -1 for a gap
    for position, (code, begins) in enumerate(zip(codes[first:last].tolist(), rows.begins[first:last].tolist(), strict=True)):
        if begins and position:
            visual.append(32)
            items.append(-1)
        visual.append(code)
        items.append(position)
    order, odd = reading_order(visual, rtl)
    glyphs, begins_word, turned, gap = [], [], [], True
    for index in order:
        if items[index] < 0:
            gap = True
            continue
        glyphs.append(items[index])
        begins_word.append(gap)
        gap = False
        turned.append(mirrored(visual[index]) if odd[index] else visual[index])
    chosen = np.array(glyphs) + first
    begins = [True, *begins_word[1:]]
    rows.glyph[first:last], codes[first:last] = rows.glyph[chosen], bracketed(faced(codes[chosen].tolist(), turned, begins), begins)
    rows.begins[first:last] = begins_word


#: The records of `fill_lines`, which says what they hold.
GLYPH = np.dtype([("box", np.float32, 4), ("style", np.int32), ("mcid", np.int32)])
WORDS = np.dtype([("line", np.int32), ("span", np.int32, 2), ("box", np.float32, 4), ("content", np.int32)])
LINES = np.dtype([("box", np.float32, 4), ("span", np.int32, 2), ("content", np.int32), ("whole", np.int32), ("spans", np.int32)])
SPANS = np.dtype([("start", np.int32), ("style", np.int32)])


def _fill(page: PageLines, glyphs: Glyphs, rows: _Rows) -> None:
    if not len(rows.glyph):
        return
    unicode = glyphs.unicode[rows.glyph]
    rtl = _to_reading_order(rows, unicode, glyphs)
    rows.begins[rows.starts] = True
    if not page.ocr and len(glyphs.styles) > 1:
        _raise_figures(rows, unicode, glyphs, _SETTINGS)
    n, lines, words = len(unicode), len(rows.starts), int(np.count_nonzero(rows.begins))
    drawn, codes = np.empty(len(glyphs.x0), GLYPH), np.empty(n + words, np.uint32)
    drawn["style"], drawn["mcid"] = glyphs.style, glyphs.mcid
    drawn["box"].T[:] = glyphs.x0, glyphs.top, glyphs.x1, glyphs.bottom
    of_words, of_lines, of_spans = np.empty(words, WORDS), np.empty(lines, LINES), np.empty(n, SPANS)
    read_as = np.recarray if _LOOPS is line_loops else np.ndarray  # compiled loops do without, and each view takes 4 µs
    page_glyphs, *out = (each.view(read_as) for each in (drawn, of_words, of_lines, of_spans))
    largest = _LOOPS.fill_lines(page_glyphs, rows.glyph, rows.begins.view(np.uint8), unicode, rows.starts, codes, *out)
    columns = (of_words[name] for name in ("line", "span", "box", "content"))
    page.word_lines, page.word_spans, page.word_boxes, page.word_content = map(np.ascontiguousarray, columns)
    text = codes.tobytes().decode("utf-32-le", "replace")
    ends = np.cumsum(of_lines["spans"])
    pairs = of_spans[: ends[-1]].tolist()
    styled = [tuple(pairs[end - count : end]) for end, count in zip(ends.tolist(), of_lines["spans"].tolist(), strict=True)]
    offsets = of_lines["span"].tolist()
    bounds = [*rows.starts.tolist(), n]
    page.lines += map(
        TextLine,
        [text[start:end] for start, end in offsets],
        *of_lines["box"].T.tolist(),
        [
            baseline if frame.angle == 0 else frame.page_baseline(baseline)
            for frame, baseline in zip(rows.frames, rows.baselines, strict=True)
        ],
        [spans[0][1] if len(spans) == 1 else _longest(spans, end - start) for spans, (start, end) in zip(styled, offsets, strict=True)],
        styled,
        [frame.angle for frame in rows.frames],
        rtl,
        [frame.vertical for frame in rows.frames],
        [
            own if one else _most(glyphs.mcid[rows.glyph[first:last]])
            for own, one, first, last in zip(of_lines["content"].tolist(), of_lines["whole"].tolist(), bounds, bounds[1:], strict=False)
        ],
    )
    if largest >= _FIRST_ABNORMAL:
        _normalize(page, text)


#: Superscript forms of figures and signs. A comma or a dash between two marks has none and stays.
_RAISED = dict(zip("0123456789+-\u2212,\u2013", RAISED_FIGURES + "\u207b,\u2013", strict=True))
_FIGURES, _RAISED_FIGURES = np.array([(ord(plain), ord(raised)) for plain, raised in sorted(_RAISED.items())], np.uint32).T


def _raise_figures(rows: _Rows, unicode: NDArray[np.uint32], glyphs: Glyphs, settings: TextSettings) -> None:
    """Replace raised figures (note marks, exponents) by superscript figures, in place in `unicode`.
    Not replaced are more figures in a row than a note mark has, separate words (numerators), and figures in rotated lines."""
    size, baseline = glyphs.sizes(rows.glyph), glyphs.origin_y[rows.glyph]
    line = np.repeat(np.arange(len(rows.starts)), _lengths(rows.starts, len(size)))
    figure = size < settings.raised_size * np.maximum.reduceat(size, rows.starts)[line]
    figure |= np.array(rows.baselines, np.float32)[line] - baseline > settings.raised_down * size
    figure &= glyphs.angle[rows.glyph] == 0
    if not figure.any():  # most pages
        return
    kind = np.searchsorted(_FIGURES, unicode).clip(max=len(_FIGURES) - 1)
    figure &= _FIGURES[kind] == unicode
    if not figure.any():
        return
    places = np.arange(len(size))
    before = np.maximum.accumulate(np.where(figure, -1, places))
    behind = np.minimum.accumulate(np.where(figure, len(size), places)[::-1])[::-1].clip(max=len(size) - 1)
    base = np.where((before >= 0) & (line[before] == line), before, behind)
    rise = baseline[base] - baseline
    small = (size < settings.raised_size * size[base]) & (rise > settings.baseline_drift * size[base])
    figure &= (line[base] == line) & (small | (rise > settings.raised_down * size[base]))
    runs = np.flatnonzero(np.diff(np.concatenate(([False], figure, [False]))))
    loose = rows.begins.copy()
    loose[rows.starts] = False
    for first, end in zip(runs[::2].tolist(), runs[1::2].tolist(), strict=True):
        if end - first > settings.note_mark or loose[first:end].any():
            continue
        if any(chr(code).isdecimal() for code in unicode[first:end].tolist()):
            unicode[first:end] = _RAISED_FIGURES[kind[first:end]]


def _longest(spans: Sequence[tuple[int, int]], length: int) -> int:
    counts: dict[int, int] = {}
    for (start, style), (end, _) in zip(spans, [*spans[1:], (length, 0)], strict=True):
        counts[style] = counts.get(style, 0) + end - start
    return max(sorted(counts), key=counts.__getitem__)


def _most(values: NDArray[np.int32]) -> int:
    kinds, counts = np.unique(values, return_counts=True)
    return int(kinds[np.argmax(counts)])


#: Names of icon fonts, whose pictures are coded as letters and signs.
_PICTURES = re.compile("icon|awesome|emoji|dingbat|webding|wingding|typographicsymbol|bullet", re.IGNORECASE)
#: Signs of the classes below that are bullets or pictures themselves.
_BULLETS = "•·‣‧*∗∘∙⋄⋅⋆"


def _name_bullets(page: PageLines) -> None:
    """Replace the first character of a line by a bullet, in place, if it is a word of its own in a font of pictograms."""
    pictures = {number for number, style in enumerate(page.styles) if _PICTURES.search(style.font)}
    for line in page.lines if pictures else ():
        alone = line.text[1:2] in ("", " ") and (len(line.spans) == 1 or line.spans[1][0] <= 2)
        if alone and line.spans[0][1] in pictures and _is_no_picture(line.text[0]):
            line.text = "•" + line.text[1:]


def _is_no_picture(character: str) -> bool:
    """Return whether the character is a letter, a punctuation mark or a mathematical sign, which only an icon font draws as a picture."""
    kind = unicodedata.category(character)
    return kind[0] == "L" or (
        character not in _BULLETS and (character < "\u2190" or "\u2200" <= character < "\u2300") and (kind[0] == "P" or kind == "Sm")
    )


#: Presentation forms: Latin ligatures (fi, ffl, ...), Arabic forms, forms of vertical writing. They are replaced by plain letters.
_FOLDED = re.compile("[\ufb00-\ufb06\ufb13-\ufb17\ufb50-\ufdfb\ufe10-\ufe19\ufe30-\ufe48\ufe70-\ufefc]")
#: Horizontal forms of punctuation of vertical writing. NFKC would make some of it ASCII.
_VERTICAL = str.maketrans(
    "︐︑︒︓︔︕︖︗︘︙︰︱︲︳︴︵︶︷︸︹︺︻︼︽︾︿﹀﹁﹂﹃﹄﹇﹈", "，、。：；！？〖〗…‥—–＿﹏（）｛｝〔〕【】《》〈〉「」『』［］"
)


#: Thai and Lao sara am as drawn: its ring as a separate mark, and a tone mark before it.
_DRAWN_AM = re.compile("([\u0e48-\u0e4b\u0ec8-\u0ecb]?)([\u0e4d\u0ecd])([\u0e48-\u0e4b\u0ec8-\u0ecb]?)([\u0e32\u0eb2])")
_TONE_FIRST = re.compile("([\u0e48-\u0e4c\u0ec8-\u0ecc]+)([\u0e31\u0e34-\u0e3a\u0eb1\u0eb4-\u0eba])")


_UNUSUAL = re.compile("|".join(pattern.pattern for pattern in (_FOLDED, _DRAWN_AM, _TONE_FIRST)))
#: Every match of the patterns above contains one of these characters, which are found many times as fast.
_MAY_BE_UNUSUAL = re.compile("[\u0e31-\u0ecd\ufb00-\ufefc]")
#: Characters below this one are not changed by `_normalize`; it is the soft hyphen.
_FIRST_ABNORMAL = 0xAD


def _in_typed_order(text: str) -> str:
    """Return Thai and Lao text in the order of typing: consonant, vowel, tone. The vowel sara am, which NFC does not compose, is
    composed."""
    text = _TONE_FIRST.sub(r"\2\1", text)
    return _DRAWN_AM.sub(lambda found: found[1] + found[3] + chr(ord(found[4]) + 1), text)


def _fold(match: re.Match[str]) -> str:
    horizontal = match[0].translate(_VERTICAL)
    return horizontal if horizontal != match[0] else unicodedata.normalize("NFKC", match[0])


def _is_plain(text: str) -> bool:
    return text.isascii() or (unicodedata.is_normalized("NFC", text) and not (_MAY_BE_UNUSUAL.search(text) and _UNUSUAL.search(text)))


def _normalize(page: PageLines, text: str) -> None:
    """Replace ligatures and presentation forms, and convert lines to NFC word by word, in place, so that offsets stay right.
    text: the texts of all lines together, for a fast check."""
    if "\u00ad" not in text and _is_plain(text):
        return
    for number, line in enumerate(page.lines):
        if "\u00ad" in line.text[:-1]:
            line.text = line.text[:-1].replace("\u00ad", "-") + line.text[-1]
        if _is_plain(line.text):
            continue
        words = _members(page.word_lines, number)
        parts: list[str] = []
        length = 0
        moved = np.zeros(len(line.text) + 1, np.int64)
        for word in range(words.start, words.stop):
            start, end = page.word_spans[word].tolist()
            part = _in_typed_order(unicodedata.normalize("NFC", _FOLDED.sub(_fold, line.text[start:end])))
            moved[start : end + 1] = np.minimum(length + np.arange(end - start + 1), length + len(part))
            page.word_spans[word] = (length, length + len(part))
            parts.append(part)
            length += len(part) + 1
        line.text = " ".join(parts)
        line.spans = tuple((int(moved[offset]), style) for offset, style in line.spans)
