"""Loops over glyphs that build lines: fragments, gaps, words, boxes. The rules that decide are in `lines.py`.
They are compiled by Cython with the types of `line_loops.pxd`, or run as Python if nothing is compiled. Numbers compared with numpy arrays
have single precision, so that both give the same bits. Results are written to arrays made by the caller. n is a number of glyphs; a frame
is all glyphs of one writing direction; a fragment is glyphs drawn one after the other on one baseline."""

from __future__ import annotations

from typing import Any

from pdfmill.schemas import scripts

#: Bits for a pair of neighbouring glyphs: they share a baseline; one is above the other; they were drawn one after the other; a blank was
#: drawn between them; a word ends between them; it ends because of the gap only; the gap may be a tab; a line ends between them.
SAME, STACKED, IN_SEQUENCE, DRAWN, WORD, INFERRED, TAB, CUT = 1, 2, 4, 8, 16, 32, 64, 128
#: Bits for a page: it has letterspaced baselines; very different sizes; letterspaced words within a line; gaps that may be tabs.
SPACED, DROPPED, EQUAL, TABS = 1, 2, 4, 8
#: Bits for a page's fragments: one lies between two of one baseline; several do; some are raised; some are drop capitals.
BETWEEN, SEQUENCE, RAISED, DROPS, FOLLOWS = 1, 2, 4, 8, 16
#: Bounds of the code points of right-to-left scripts, between which the positions of spaces cannot be used.
RIGHT_TO_LEFT, AFTER_RIGHT_TO_LEFT = scripts.RIGHT_TO_LEFT[0][0], scripts.RIGHT_TO_LEFT[0][1] + 1
RIGHT_TO_LEFT_FORMS = scripts.RIGHT_TO_LEFT[1][0]


def break_fragments(
    start: Any, end: Any, baseline: Any, size: Any, drift: float, backward: float, column_gap: float, raised_size: float,
    first: Any, low: Any, high: Any, largest: Any,
) -> int:  # fmt: skip
    """Divide glyphs into fragments, where the baseline, the size or the direction of the pen changes. Return their number m.
    start, end, baseline, size: float32[n], points. drift: largest change of baseline; backward, column_gap: range of gaps; all em.
    raised_size: smallest ratio of sizes. Output: first: int64[m], first glyph; low, high, largest: float32[m], ends and largest size."""
    count = len(start)
    m = -1
    for i in range(count):
        begins = i == 0
        if i:
            em = size[i]
            small = size[i - 1]
            if small > em:
                em, small = small, em
            gap = start[i] - end[i - 1]
            begins = (
                abs(baseline[i] - baseline[i - 1]) > drift * em or gap < backward * em or gap > column_gap * em or small < raised_size * em
            )
        if begins:
            m += 1
            first[m] = i
            low[m], high[m], largest[m] = start[i], end[i], size[i]
        else:
            value = start[i]
            if value < low[m] or value != value:
                low[m] = value
            value = end[i]
            if value > high[m] or value != value:
                high[m] = value
            value = size[i]
            if value > largest[m] or value != value:
                largest[m] = value
    return m + 1


def group_baselines(order: Any, baseline: Any, size: Any, join: float, home: Any) -> int:
    """Number the baselines of m fragments from top to bottom, and return the number of baselines.
    order: int64[m], the fragments, sorted by baseline. baseline, size: float32[m], points. join: em from the first to the last baseline of
    a group. Output: home: int64[m], number of each fragment's baseline."""
    count = 0
    anchor = em = 0.0
    for i in range(len(order)):
        k = order[i]
        level, own = float(baseline[k]), float(size[k])
        if count > 0 and level - anchor <= join * (own if own < em else em):
            if own > em:
                em = own
        else:
            count += 1
            anchor, em = level, own
        home[k] = count - 1
    return count


def survey_fragments(
    start: Any, end: Any, baseline: Any, size: Any, drift: float, join: float, raised_up: float, raised_between: float,
    raised_reach: float, raised_size: float, dropped_size: float,
) -> int:  # fmt: skip
    """Return bits for the rules about fragments beside a baseline that may apply on the page: `FOLLOWS` (a raised fragment directly behind
    another), `BETWEEN` (a fragment between two parts of a baseline), `SEQUENCE` (several such fragments), `RAISED` (small fragments),
    `DROPS` (drop capitals).
    start, end, baseline, size: float32[m], points. The other parameters are thresholds of `TextSettings`; `drift` is `baseline_drift`,
    `join` is `baseline_join`."""
    m = len(start)
    found = 0
    if m == 0:
        return found
    least = most = size[0]
    for i in range(m):
        value = size[i]
        if value < least:
            least = value
        if value > most:
            most = value
        if i + 1 < m and size[i + 1] >= raised_size * size[i]:
            gap = start[i + 1] - end[i]
            rise = baseline[i] - baseline[i + 1]
            if -drift * size[i] < gap < drift * size[i] and join * size[i] < rise < raised_up * size[i]:
                found |= FOLLOWS
        if i + 2 < m:
            em = size[i] if size[i] < size[i + 2] else size[i + 2]
            if abs(baseline[i] - baseline[i + 2]) < drift * em:
                found |= BETWEEN
            tall = raised_between * size[i]
            if abs(baseline[i + 1] - baseline[i]) < tall and abs(baseline[i + 2] - baseline[i]) < tall:
                early = end[i] - raised_reach * size[i]
                if start[i + 1] > early and start[i + 2] > early:
                    found |= SEQUENCE
    if float(least) < raised_size * float(most):
        found |= RAISED
    if not most < dropped_size * least:
        found |= DROPS
    return found


def measure_gaps(
    position: Any, group: Any, start: Any, end: Any, size: Any, baseline: Any, space_before: Any, tiny: float, far: float, apart: float,
    squeezed: float, squeezed_glyphs: int, least: float, spacing: float, spacing_glyphs: int, dropped: float,
    em: Any, gap: Any, relative: Any, marks: Any,
) -> int:  # fmt: skip
    """Measure the gaps between neighbouring glyphs of each baseline.
    Return bits for the page: `SPACED` if some baseline is letterspaced, `DROPPED` if sizes are very different.
    position: int64[n], indices into the columns start, end, size, baseline (float32, points) and space_before (uint8). group: int64[n],
    ascending, number of each glyph's baseline. tiny: smallest em, points. far: points, wider than any page. apart: em between baselines of
    glyphs above each other. squeezed: mean advance, em, below which type is scaled horizontally, from squeezed_glyphs pairs, by a factor of
    at least `least`. spacing: median gap, em, of letterspaced baselines, from spacing_glyphs pairs. dropped: ratio of the largest to the
    smallest size. Output: em: float32[n - 1], gap: float64[n - 1], both points; relative: float64[n - 1], em; marks: uint8[n - 1], bits."""
    count = len(position)
    found = 0
    smallest = largest = size[position[0]]
    reach = 0.0
    stretch = 0
    none = 0.0
    i = 0
    place = position[0]
    reach = float(end[place])
    while i < count - 1:
        # All pairs whose second glyph is on this baseline. (The first glyph of the first pair is on the baseline before.)
        own = group[i + 1]
        begin = i
        total = 0.0
        while i < count - 1 and group[i + 1] == own:
            place = position[i]
            after = position[i + 1]
            value = size[after] if size[after] > size[place] else size[place]
            if value < tiny:
                value = tiny
            em[i] = value
            bits = 0
            step = (start[after] - start[place]) / value
            if group[i] == own:
                bits = SAME
                if abs(baseline[after] - baseline[place]) > apart * value:
                    bits |= STACKED
            else:
                step = step * none
            total += float(step)
            if after == place + 1:
                bits |= IN_SEQUENCE
                if space_before[after]:
                    bits |= DRAWN
            marks[i] = bits
            if size[after] > largest:
                largest = size[after]
            if size[after] < smallest:
                smallest = size[after]
            i += 1
        factor = 1.0
        if i - begin >= squeezed_glyphs:
            mean = total / (i - begin)
            if not mean >= squeezed:
                factor = mean / squeezed
                if factor < least:
                    factor = least
                elif factor > 1:
                    factor = 1.0
        shrink = factor
        pairs = wide = 0
        for k in range(begin, i):
            place = position[k]
            after = position[k + 1]
            same = (marks[k] & SAME) != 0
            returns = (marks[k] & STACKED) != 0 and start[after] < end[place]  # a denominator begins again left, under its numerator
            if same and not returns:
                gap[k] = float(start[after]) - (reach - stretch * far)
            else:
                gap[k] = 0.0
                stretch += 1
            ends = float(end[after]) + stretch * far
            if ends > reach or ends != ends:
                reach = ends
            em[k] = em[k] * shrink
            relative[k] = gap[k] / float(em[k])
            if same:
                pairs += 1
                if relative[k] > spacing:
                    wide += 1
        if wide * 2 > pairs and pairs >= spacing_glyphs:
            found |= SPACED
    if largest > dropped * smallest:
        found |= DROPPED
    return found


def part_words(
    position: Any, em: Any, gap: Any, relative: Any, no_spaces: Any, forbidden: Any, extra: Any, word_gap: float, single_gap: float,
    drawn_space: float, spaced_out: float, spaced_equal: float, tab_gap: float, column_gap: float, marks: Any,
) -> int:  # fmt: skip
    """Add bits to `marks`, uint8[n - 1], for gaps between neighbouring glyphs that separate words (`WORD`; with `INFERRED` if their width
    alone shows it), may be tabs (`TAB`) or end a line (`CUT`). Return bits for the page: `EQUAL` if it may have letterspaced words, `TABS`
    if it may have tabs.
    position: int64[n], indices of the glyphs among all glyphs of their writing direction. no_spaces: uint8, for each of the latter, 1 if no
    space is inferred before it. em, gap, relative: output of `measure_gaps`. forbidden: uint8[n - 1], 1 for gaps in which no space is
    inferred, or uint8[0]. extra: float64[n - 1], em added to word_gap, or float64[0]. single_gap: word_gap in single precision. The others
    are thresholds of `TextSettings`, em."""
    found = 0
    before = False
    last = 0.0
    for i in range(len(em)):
        bits = marks[i]
        limit = (word_gap + extra[i]) * float(em[i]) if len(extra) else float(single_gap * em[i])
        inferred = gap[i] > limit and not no_spaces[position[i + 1]] and not (len(forbidden) and forbidden[i])
        if inferred:
            bits |= WORD | INFERRED
        elif bits & DRAWN and gap[i] > float(drawn_space * em[i]):
            bits |= WORD
        small = inferred and bits & IN_SEQUENCE and not bits & DRAWN and relative[i] < spaced_out
        if small and before and abs(relative[i] - last) < spaced_equal:
            found |= EQUAL
        before = small
        last = relative[i]
        if gap[i] > float(tab_gap * em[i]):
            bits |= TAB
            if bits & SAME and bits & IN_SEQUENCE:
                found |= TABS
        if not bits & SAME or (not bits & IN_SEQUENCE and gap[i] > float(column_gap * em[i])):
            bits |= CUT
        marks[i] = bits
    return found


def begin_words(
    position: Any, size: Any, baseline: Any, marks: Any, raised_size: float, drift: float, note_mark: int,
    begins: Any, starts: Any, main: Any,
) -> int:  # fmt: skip
    """Find the first glyph of each word and of each line, and the baseline of each line (that of its largest glyph). Return the number of
    lines.
    note_mark: most glyphs of a raised mark at the beginning of a line, which is a word of its own. Output: begins: bool[n], a word begins;
    starts: int64[lines], first glyph, and main: float32[lines], baseline of each line."""
    count = len(position)
    begins[0] = True
    starts[0] = 0
    line = 0
    main[0] = baseline[position[0]]
    largest = size[position[0]]
    for i in range(count - 1):
        bits = marks[i]
        place = position[i]
        after = position[i + 1]
        if bits & CUT:
            line += 1
            starts[line] = i + 1
            main[line] = baseline[after]
            largest = size[after]
            begins[i + 1] = True
            continue
        if size[after] > largest:
            largest = size[after]
            main[line] = baseline[after]
        word = bits & (WORD | STACKED) != 0
        if not word and size[place] < raised_size * size[after] and baseline[after] - baseline[place] > drift * size[after]:
            word = i - starts[line] < note_mark
        begins[i + 1] = word
    return line + 1


def fill_lines(
    glyphs: Any, order: Any, begins: Any, unicode: Any, starts: Any, codes: Any, words: Any, lines: Any, spans: Any
) -> int:  # fmt: skip
    """Build text, words, boxes and styles of lines. Return the largest code point.
    glyphs: records[page] of box (x0, top, x1, bottom), style and mcid (marked-content id). order: int64[n], glyphs, line by line. begins:
    uint8[n], a word begins here. unicode: uint32[n], in line order. starts: int64[lines], first glyph of each. Output: codes: uint32[n +
    words], characters with one space before each word. words: records of line, span (offsets in its line), box and content (id of the first
    glyph). lines: records of box, span (in codes), content, whole (1 if all glyphs have this id) and spans (number of styles).
    spans: records[n] of start and style, those of all lines, concatenated."""
    count = len(order)
    word = -1
    span = -1
    at = 0
    largest = 0
    for line in range(len(starts)):
        begin = starts[line]
        end = starts[line + 1] if line + 1 < len(starts) else count
        origin = at + 1
        lines[line].span[0] = origin
        own = glyphs[order[begin]].mcid
        lines[line].content = own
        lines[line].whole = 1
        lines[line].spans = 0
        last = -1
        for i in range(begin, end):
            place = order[i]
            if begins[i]:
                if i > begin:
                    words[word].span[1] = at - origin
                codes[at] = 32
                at += 1
                word += 1
                words[word].line = line
                words[word].span[0] = at - origin
                words[word].content = glyphs[place].mcid
                for side in range(4):
                    words[word].box[side] = glyphs[place].box[side]
            else:
                for side in range(4):
                    value = glyphs[place].box[side]
                    if (value < words[word].box[side] if side < 2 else value > words[word].box[side]) or value != value:
                        words[word].box[side] = value
            if i == begin or glyphs[place].style != last:
                last = glyphs[place].style
                span += 1
                spans[span].start = at - origin
                spans[span].style = last
                lines[line].spans += 1
            if glyphs[place].mcid != own:
                lines[line].whole = 0
            code = unicode[i]
            codes[at] = code
            if code > largest:
                largest = code
            at += 1
        words[word].span[1] = at - origin
        lines[line].span[1] = at
    first = 0
    for line in range(len(starts)):
        while first <= word and words[first].line < line:
            first += 1
        for side in range(4):
            lines[line].box[side] = words[first].box[side]
        i = first + 1
        while i <= word and words[i].line == line:
            for side in range(4):
                value = words[i].box[side]
                if (value < lines[line].box[side] if side < 2 else value > lines[line].box[side]) or value != value:
                    lines[line].box[side] = value
            i += 1
        first = i
    return largest


def survey_glyphs(unicode: Any, flags: Any, classes: Any) -> int:
    """Return the bitwise or of all classes of characters on a page, plus 256 times that of all flags.
    unicode: uint32[n]. flags: uint8[n]. classes: uint8, by code point; its last element is that of all higher code points."""
    last = len(classes) - 1
    found = 0
    marked = 0
    for i in range(len(unicode)):
        code = unicode[i]
        if code > last:
            code = last
        found |= classes[code]
        marked |= flags[i]
    return int(found) | int(marked) << 8


def take_inked(
    members: Any, unicode: Any, blank: Any, angle: Any, flags: Any, special: int, unmeasured: int, x0: Any, x1: Any, y: Any, style: Any,
    sizes: Any, glyph: Any, start: Any, end: Any, baseline: Any, size: Any, space_before: Any, no_spaces: Any,
) -> int:  # fmt: skip
    """Copy the visible glyphs of upright horizontal text to the columns of a `ReadingFrame`. Return their number, or -1 if some are rotated
    or vertical. members: int64[n], indices into the columns of the page. blank: uint8, by code point; its last element is that of all
    higher ones. special, unmeasured: flags of glyphs that are not upright, and of glyphs without metrics. sizes: float32, of the styles."""
    last = len(blank) - 1
    m = 0
    space = False
    for i in range(len(members)):
        place = members[i]
        if angle[place] != 0 or flags[place] & special:
            return -1
        code = unicode[place]
        if blank[code if code < last else last]:
            if m and start[m - 1] < x0[place] < end[m - 1] and x0[place] < x1[place] and y[place] == baseline[m - 1]:
                code = unicode[glyph[m - 1]]
                if code < RIGHT_TO_LEFT or AFTER_RIGHT_TO_LEFT <= code < RIGHT_TO_LEFT_FORMS:
                    end[m - 1] = x0[place]  # the advance ends here; only ink extends further
            space = True
            continue
        glyph[m] = place
        start[m] = x0[place]
        end[m] = x1[place]
        baseline[m] = y[place]
        size[m] = sizes[style[place]]
        space_before[m] = space
        no_spaces[m] = flags[place] & unmeasured != 0
        space = False
        m += 1
    return m
