"""Loops over characters that convert PDFium's text page to glyphs. Decisions by font, run or kind of glyph are made in `glyphs.py`.
They are compiled by Cython with the types of `glyph_loops.pxd`, or run as Python if nothing is compiled. Numbers compared with numpy arrays
have single precision, so that both give the same bits. n is the number of characters, a run the characters of one text object, a kind the
glyphs of equal font and character."""

from __future__ import annotations

from typing import Any


def mark_drawn(unicode: Any, loose: Any, halves: Any, drawn: Any) -> int:
    """Mark the characters that have a width or are no white space. Return the largest code point.
    unicode: uint32[n]. loose: float32[n, 4], their boxes. halves: uint8[n], 1 for second halves of surrogate pairs, which are ignored;
    uint8[0] if there are none. Output: drawn: uint8[n]."""
    largest = 0
    for i in range(len(unicode)):
        code = unicode[i]
        if code > largest:
            largest = code
        drawn[i] = (loose[i, 2] != loose[i, 0] or code > 32) and not (len(halves) and halves[i])
    return int(largest)


def take_drawn(
    mask: Any, objects: Any, unicode: Any, loose: Any, drawn: Any, codes: Any, boxes: Any, run: Any, first: Any, joined: Any, counts: Any
) -> bool:
    """Copy the marked characters that have a text object, and number their runs. Return whether some characters share one glyph.
    mask: uint8[n]. objects: uint64[n], handles of text objects, 0 for none. unicode: uint32[n]. loose: float32[n, 4], boxes. Output:
    drawn: int64[n], characters; codes: uint32[n]; boxes: float32[n, 4]; run: int32[n]; first: int64[n], first glyph of each run; joined:
    uint8[n], 1 if the box equals that of a neighbour. counts: int64[2], number of glyphs and of runs."""
    m = 0
    runs = 0
    shares = False
    last = objects[0]
    for i in range(len(mask)):
        if not mask[i] or not objects[i]:
            continue
        begins = m == 0 or objects[i] != last
        if begins:
            last = objects[i]
            first[runs] = m
            runs += 1
        drawn[m] = i
        codes[m] = unicode[i]
        for side in range(4):
            boxes[m, side] = loose[i, side]
        run[m] = runs - 1
        joined[m] = 0
        if not begins and boxes[m, 0] == boxes[m - 1, 0] and boxes[m, 2] == boxes[m - 1, 2] and boxes[m, 2] > boxes[m, 0]:
            joined[m] = joined[m - 1] = 1
            shares = True
        m += 1
    counts[0], counts[1] = m, runs
    return shares


def number_characters(unicode: Any, of_code: Any) -> int:
    """Number the distinct characters from 0 in order of code points, and return their count.
    unicode: uint32[n]. Output: of_code: int32[largest code point + 1], initially zeros; the number by code point."""
    characters = 0
    for i in range(len(unicode)):
        of_code[unicode[i]] = 1
    for code in range(len(of_code)):
        if of_code[code]:
            of_code[code] = characters
            characters += 1
    return characters


def number_kinds(font: Any, run: Any, unicode: Any, joined: Any, of_code: Any, characters: int, table: Any, sample: Any, kind: Any) -> int:
    """Number the kinds of glyphs, and return how many there are. Glyphs of one kind have the same font, character and value of `joined`.
    font: int64[runs]. run: int32[n]. unicode: uint32[n]. joined: uint8[n]. of_code: number of each character, by code point. characters:
    count of these numbers. table: int32[fonts x characters x 2], zeros, scratch. Output: sample: int64[kinds], last glyph of each kind;
    kind: int64[n]."""
    count = len(run)
    last = -1
    for i in range(count):
        value = (font[run[i]] * characters + of_code[unicode[i]]) * 2 + joined[i]
        kind[i] = value
        table[value] = i + 1
        if value > last:
            last = value
    kinds = 0
    for value in range(last + 1):
        if table[value]:
            sample[kinds] = table[value] - 1
            table[value] = kinds
            kinds += 1
    for i in range(count):
        kind[i] = table[kind[i]]
    return kinds


def spread_of_kinds(kind: Any, run: Any, loose: Any, em: Any, counts: Any, sums: Any, squares: Any) -> None:
    """Add up the number, the widths and the squared widths, em, of the glyphs of each kind.
    kind: int64[n]. run: int32[n]. loose: float32[n, 4], boxes. em: float32[runs], font sizes. Output: counts, sums, squares:
    float64[kinds]."""
    for i in range(len(kind)):
        which = kind[i]
        width = loose[i, 2] - loose[i, 0]
        relative = float(width) / float(em[run[i]])
        counts[which] += 1
        sums[which] += relative
        squares[which] += relative * relative


def set_advances(
    kind: Any, run: Any, loose: Any, before: Any, advance: Any, em: Any, pen: Any, origin_x: Any, origin_y: Any, end: Any
) -> None:
    """Compute the origin of each glyph, and how far its advance reaches from there, in units of user space.
    kind, run: int64[n], int32[n]. loose: float32[n, 4], boxes. before, advance: float32[kinds], from the left side of the box to the
    origin, and from there to the end (if not positive, the right side of the box), as multiples of the font size. em, pen: float32[runs],
    font sizes, and y of the baselines. Output: origin_x, origin_y, end: float32[n]; `end` is measured from the origin."""
    for i in range(len(kind)):
        scale = em[run[i]]
        step = advance[kind[i]]
        origin_x[i] = loose[i, 0] + before[kind[i]] * scale
        origin_y[i] = pen[run[i]]
        end[i] = step * scale if step > 0 else loose[i, 2] - origin_x[i]


def share_boxes(members: Any, first: Any, marks: Any, accents: Any, leftwards: Any, loose: Any, origin_x: Any, width: Any) -> None:
    """Give each letter of a glyph with several characters an equal part of the glyph's box. Marks get no width.
    members: int64[m], characters of such glyphs. first, marks, accents, leftwards: uint8[m], whether each is the first of its glyph, a mark
    after its letter, an accent before it, right-to-left. loose: float32[n, 4], boxes. Output: origin_x, width: float32[n]."""
    begin = 0
    while begin < len(members):
        end = begin
        letters = 0
        while end == begin or (end < len(members) and not first[end]):
            letters += not marks[end] and not accents[end]
            end += 1
        counted = 0
        for i in range(begin, end):
            k = members[i]
            counted += not marks[i] and not accents[i]
            place = letters - counted if leftwards[i] else counted - 1
            if accents[i]:
                place += -1 if leftwards[i] else 1
            elif marks[i] and not leftwards[i]:
                place += 1
            side = loose[k, 2] - loose[k, 0]
            width[k] = float(side) / letters
            origin_x[k] = float(loose[k, 0]) + place * float(width[k])
            if marks[i]:
                width[k] = 0
        begin = end


def falls_down(run: Any, loose: Any, step: Any) -> bool:
    """Return whether the pen moves down by more than the run's `step` within a run. run: int32[n]. loose: float32[n, 4]. step:
    float32[runs]."""
    found = False
    for i in range(1, len(run)):
        if run[i] == run[i - 1] and loose[i - 1, 3] - loose[i, 3] > step[run[i]]:
            found = True
            break
    return found


def place_glyphs(
    run: Any, start: Any, end: Any, origin_x: Any, origin_y: Any, up: Any, down: Any, left: float, bottom: float, right: float, top: float,
    turn: int, scale: float, width: float, height: float, outside: int, boxes: Any, x: Any, y: Any, flags: Any,
) -> None:  # fmt: skip
    """Compute boxes and origins on the displayed page for glyphs that are upright in user space (`PageSpace`).
    run: int32[n]. start, end: float32[n], ends of the advance, from the origin. origin_x, origin_y: float32[n]. up, down: float32[runs],
    ascent and descent. left, bottom, right, top: the displayed part of user space. turn: clockwise quarter turns. scale: points per unit.
    width, height: of the page, points. outside: flag of glyphs off the page. Output: boxes: float32[4, n], x0, top, x1, bottom; x, y:
    float32[n]; flags: uint8[n]."""
    for i in range(len(run)):
        x0 = origin_x[i] + start[i]
        x1 = origin_x[i] + end[i]
        y0 = origin_y[i] + down[run[i]]
        y1 = origin_y[i] + up[run[i]]
        px = origin_x[i]
        py = origin_y[i]
        if turn == 0:
            ax, ay = (x0 - left) * scale, (top - y0) * scale
            bx, by = (x1 - left) * scale, (top - y1) * scale
            x[i], y[i] = (px - left) * scale, (top - py) * scale
        elif turn == 1:
            ax, ay = (y0 - bottom) * scale, (x0 - left) * scale
            bx, by = (y1 - bottom) * scale, (x1 - left) * scale
            x[i], y[i] = (py - bottom) * scale, (px - left) * scale
        elif turn == 2:
            ax, ay = (right - x0) * scale, (y0 - bottom) * scale
            bx, by = (right - x1) * scale, (y1 - bottom) * scale
            x[i], y[i] = (right - px) * scale, (py - bottom) * scale
        else:
            ax, ay = (top - y0) * scale, (right - x0) * scale
            bx, by = (top - y1) * scale, (right - x1) * scale
            x[i], y[i] = (top - py) * scale, (right - px) * scale
        if ax > bx:
            ax, bx = bx, ax
        elif not ax <= bx:  # if one of them is NaN, both become NaN
            ax = bx = ax + bx
        if ay > by:
            ay, by = by, ay
        elif not ay <= by:
            ay = by = ay + by
        boxes[0, i], boxes[1, i], boxes[2, i], boxes[3, i] = ax, ay, bx, by
        if bx <= 0 or by <= 0 or ax >= width or ay >= height:
            flags[i] |= outside


def cross_letters(
    letter: Any, kind: Any, place: Any, weights: Any, shares: Any, points: Any, following: Any, crossings: Any, ways: Any, runs: Any
) -> int:
    """Find the parts of horizontal lines across letters that are inside their outlines, by the nonzero winding rule (ISO 32000-2
    §8.5.3.3.2), and return their number. letter: int64[n], of each segment. kind: int32[n], 0 straight, 1 a point of a curve, 2 the begin
    of a contour.
    place: float32[n, 2], end points. weights: float64[steps, 4], of a curve's points for each edge that replaces it. shares:
    float64[lines], heights of the lines, share of a letter's. points, following, crossings, ways: scratch, [n * steps]. Output: runs:
    float64[n * steps * lines, 5]: letter, line, start, end, height of the letter."""
    found = 0
    i = 0
    while i < len(kind):
        own = letter[i]
        m = 0
        begin = 0
        while i < len(kind) and letter[i] == own:
            if kind[i] == 1:
                if i and i + 2 < len(kind):
                    for step in range(len(weights)):
                        for axis in range(2):
                            points[m, axis] = 0.0
                            for k in range(4):
                                points[m, axis] += weights[step, k] * place[i - 1 + k, axis]
                        following[m] = m + 1
                        m += 1
                i += 3
                continue
            if kind[i] == 2:
                if m - begin > 1:
                    following[m - 1] = begin
                    begin = m
                else:  # a contour of one point
                    m = begin
            points[m, 0], points[m, 1] = place[i, 0], place[i, 1]
            following[m] = m + 1
            m += 1
            i += 1
        if m - begin > 1:
            following[m - 1] = begin
        else:
            m = begin
        if not m:
            continue
        low = high = points[0, 1]
        for k in range(1, m):
            low = points[k, 1] if points[k, 1] < low else low
            high = points[k, 1] if points[k, 1] > high else high
        for line in range(len(shares)):
            height = low + shares[line] * (high - low)
            count = 0
            for k in range(m):
                other = following[k]
                y0 = points[k, 1]
                y1 = points[other, 1]
                if (y0 <= height) != (y1 <= height):
                    x = points[k, 0] + (height - y0) / (y1 - y0) * (points[other, 0] - points[k, 0])
                    at = count
                    while at and crossings[at - 1] > x:
                        crossings[at], ways[at] = crossings[at - 1], ways[at - 1]
                        at -= 1
                    crossings[at], ways[at] = x, 1 if y1 > y0 else -1
                    count += 1
            winding = 0
            for k in range(count):
                if not winding:
                    start = crossings[k]
                winding += ways[k]
                if not winding:
                    runs[found, 0], runs[found, 1], runs[found, 2], runs[found, 3] = own, line, start, crossings[k]
                    runs[found, 4] = high - low
                    found += 1
    return found
