"""What is counted character by character between PDFium's text page and glyphs. What is decided by font, run or kind of glyph stands in
`glyphs.py`.

Compiled by Cython with the types of `glyph_loops.pxd`, and run as it stands where nothing is compiled (`schemas.compiled`): columns come as
numpy arrays, numbers that are compared with them as single precision, so that both give the same bits.
"""

from __future__ import annotations

from typing import Any


def mark_drawn(unicode: Any, loose: Any, halves: Any, drawn: Any) -> int:
    """Which characters were drawn: they have a width, or are no white space. Gives the largest code point.

    unicode: uint32[n]. loose: float32[n, 4], their boxes. halves: uint8[n], second halves of surrogate pairs, which count for nothing;
    uint8[0] for none. drawn: uint8[n], takes the result.
    """
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
    """The drawn characters of text objects, and the runs they form; whether some share one glyph.

    mask: uint8[n]. objects: uint64[n], handles, 0 for none. unicode: uint32[n]. loose: float32[n, 4].
    The first places take the results: drawn: int64[n], which they are, codes: uint32[n], boxes: float32[n, 4], run: int32[n], first:
    int64[n], where each run begins, joined: uint8[n], has the box of its neighbour. counts: int64[2], how many glyphs and runs.
    """
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
    """Numbers for the characters there are, ascending. Gives how many. unicode: uint32[n]. of_code: int32[largest + 1], zeros."""
    characters = 0
    for i in range(len(unicode)):
        of_code[unicode[i]] = 1
    for code in range(len(of_code)):
        if of_code[code]:
            of_code[code] = characters
            characters += 1
    return characters


def number_kinds(font: Any, run: Any, unicode: Any, joined: Any, of_code: Any, characters: int, table: Any, sample: Any, kind: Any) -> int:
    """The kind of each glyph (font, character, part of a ligature) and the last instance of each kind. Gives their number.

    font: int64[runs]. run: int32[n]. unicode: uint32[n]. joined: uint8[n]. of_code, characters: see `number_characters`. table:
    int32[fonts x characters x 2], zeros. sample: int64[n], its first places take an instance of each kind, kind: int64[n].
    """
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
    """How wide the instances of each kind are: their number, the sum of their widths and of the squares, em.

    kind: int64[n]. run: int32[n]. loose: float32[n, 4]. em: float32[runs]. counts, sums, squares: float64[kinds], zeros.
    """
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
    """Origin and advance of each glyph by those of its kind.

    kind: int64[n]. run: int32[n]. loose: float32[n, 4]. before, advance: float32[kinds], em, from the box to the origin, and from there to
    the end; where it is not positive the box ends it. em, pen: float32[runs], size and height of the baseline. origin_x, origin_y, end:
    float32[n], take the results.
    """
    for i in range(len(kind)):
        scale = em[run[i]]
        step = advance[kind[i]]
        origin_x[i] = loose[i, 0] + before[kind[i]] * scale
        origin_y[i] = pen[run[i]]
        end[i] = step * scale if step > 0 else loose[i, 2] - origin_x[i]


def falls_down(run: Any, loose: Any, step: Any) -> bool:
    """Whether the pen goes down from one character of a run to the next. loose: float32[n, 4]. step: float32[runs], by more than this."""
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
    """Boxes and origins on the displayed page, of glyphs that stand upright in user space (`PageSpace`).

    run: int32[n]. start, end, origin_x, origin_y: float32[n]. up, down: float32[runs], ascent and descent. left, bottom, right, top: the
    displayed part. turn: quarters. scale: points per unit. width, height: points. outside: the flag of what lies off the page.
    boxes: float32[4, n], x0, top, x1, bottom, x, y: float32[n], take the results, flags: uint8[n], the flag.
    """
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
        elif not ax <= bx:  # one is no number: none is
            ax = bx = ax + bx
        if ay > by:
            ay, by = by, ay
        elif not ay <= by:
            ay = by = ay + by
        boxes[0, i], boxes[1, i], boxes[2, i], boxes[3, i] = ax, ay, bx, by
        if bx <= 0 or by <= 0 or ax >= width or ay >= height:
            flags[i] |= outside
