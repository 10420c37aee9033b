"""Loops over lines that find gutters: stretches of the page's width that hardly any line covers, and the lines beside them.
They are compiled by Cython with the types of `gutter_loops.pxd`, or run as Python if nothing is compiled. Results are written to arrays
made by the caller."""

from __future__ import annotations

from typing import Any

#: Bits for a line beside a position: it ends before the position, or begins after it; a line without width may do both.
BEFORE, BEHIND = 1, 2
#: Marks of lines that are overlong, and of those that are like one.
OVERLONG, ALIKE = 2, 3


def measure_extent(start: Any, end: Any, chars: Any, least: int, extent: Any) -> int:
    """Write the smallest start and the largest end of the lines with at least `least` characters to `extent`. Return their number.
    start, end: float64[n], points. chars: int64[n]. extent: float64[2]."""
    count = 0
    for i in range(len(start)):
        if chars[i] < least:
            continue
        if count == 0 or start[i] < extent[0]:
            extent[0] = start[i]
        if count == 0 or end[i] > extent[1]:
            extent[1] = end[i]
        count += 1
    return count


def bin_at(place: float, last: int) -> int:
    """Return the index of the bin, one point wide, that contains a position (points); outside of all bins, the first or last one."""
    if place >= last:
        return last
    return int(place) if place > 0.0 else 0


def find_free(start: Any, end: Any, chars: Any, least: int, low: int, high: int, allowed: float, cover: Any, free: Any) -> int:
    """Find the longest stretches of the page's width that at most `allowed` lines cover. Return their number.
    start, end: float64[n], points. chars: int64[n]; least: characters of the lines that count. low, high: bins of one point to search.
    cover: int64[bins + 1], zeros, scratch. Output: free: int64[m, 2], first bin and end; m at least half the number of bins, plus one."""
    last = len(cover) - 1
    for i in range(len(start)):
        if chars[i] < least:
            continue
        cover[bin_at(start[i], last)] += 1
        k = bin_at(end[i], last)
        if k < end[i] and k < last:  # a bin that is partly covered counts as covered
            k += 1
        cover[k] -= 1
    covered = count = 0
    inside = False
    for k in range(last + 1):
        if k >= high:
            break
        covered += cover[k]
        if k < low:
            continue
        if covered <= allowed:
            if not inside:
                free[count, 0] = k
                inside = True
        elif inside:
            free[count, 1] = k
            count += 1
            inside = False
    if inside:
        free[count, 1] = high
        count += 1
    return count


def stand_beside(start: Any, end: Any, chars: Any, least: int, middle: float, beside: Any) -> int:
    """Find lines with enough characters that end before `middle` or begin after it. Return the smaller of the two numbers.
    start, end: float64[n], points. chars: int64[n]; least: characters of the lines that count. Output: beside: uint8[n], bits `BEFORE` and
    `BEHIND`."""
    before = behind = 0
    for i in range(len(start)):
        found = 0
        if chars[i] >= least:
            if end[i] <= middle:
                found |= BEFORE
                before += 1
            if start[i] >= middle:
                found |= BEHIND
                behind += 1
        beside[i] = found
    return before if before < behind else behind


def cross_gutter(
    lines: Any, start: Any, end: Any, top: Any, bottom: Any, size: Any, middle: float, slack: float, overlong_beside: float,
    near_size: float, crossing: Any, sides: Any,
) -> int:  # fmt: skip
    """Find the lines that cross a gutter, and return their number. Lines that are only too long for their column, beside a line right of
    the gutter, and lines with the same start and size as these, do not cross it.
    lines: int64[m], indices. start, end, top, bottom, size: float64, points. middle: of the gutter. slack: points by which lines may enter
    it. overlong_beside: smallest vertical overlap of a too long line with the line beside it, share of its height. near_size: largest
    difference of equal sizes, points. Output: crossing: uint8[m]; sides: int64[2], number of other lines left and right of the gutter."""
    m = len(lines)
    count = 0
    sides[0] = sides[1] = 0
    for i in range(m):
        k = lines[i]
        crossing[i] = start[k] < middle - slack and end[k] > middle + slack
        count += crossing[i]
        sides[1] += start[k] >= middle - slack
    if count and sides[1]:
        for i in range(m):
            if not crossing[i]:
                continue
            k = lines[i]
            for j in range(m):
                other = lines[j]
                if start[other] >= middle - slack and start[other] < end[k] + slack:
                    lower = bottom[k] if bottom[k] < bottom[other] else bottom[other]
                    upper = top[k] if top[k] > top[other] else top[other]
                    if lower - upper > overlong_beside * (bottom[k] - top[k]):
                        crossing[i] = OVERLONG
                        break
        for i in range(m):
            if crossing[i] != 1:
                continue
            for j in range(m):
                if crossing[j] == OVERLONG:
                    apart, larger = start[lines[j]] - start[lines[i]], size[lines[j]] - size[lines[i]]
                    if -slack < apart < slack and -near_size < larger < near_size:
                        crossing[i] = ALIKE
                        break
    count = 0
    for i in range(m):
        crossing[i] = crossing[i] == 1
        count += crossing[i]
        if start[lines[i]] < middle - slack and not crossing[i]:
            sides[0] += 1
    return count


def order_rows(order: Any, start: Any, end: Any, top: Any, bottom: Any, slack: float, same_row: float, most: int, found: Any) -> int:
    """Sort lines by row, and the lines of one row by their start, into `found`, int64[n]. Return 0, by which compiled callers know that
    nothing was raised.
    order: int64[n], lines from top to bottom. start, end, top, bottom: float64, points. slack: points by which lines of one row may overlap
    horizontally. same_row: smallest vertical overlap of lines of one row, share of the lower height. most: largest number of lines in a
    row; the next line begins another."""
    begin = first = 0  # where the last row begins, and the line that began it
    left = right = 0.0  # of the last row
    for n in range(len(order)):
        line = order[n]
        joins = False
        if 0 < n - begin < most:
            upper = top[line] if top[line] > top[first] else top[first]
            lower = bottom[line] if bottom[line] < bottom[first] else bottom[first]
            height = bottom[line] - top[line]
            if bottom[first] - top[first] < height:
                height = bottom[first] - top[first]
            if lower - upper > same_row * height:
                joins = True
                if start[line] < right - slack and end[line] > left + slack:
                    for m in range(begin, n):
                        if start[line] < end[found[m]] - slack and end[line] > start[found[m]] + slack:
                            joins = False
                            break
        m = n
        if joins:
            left, right = start[line] if start[line] < left else left, end[line] if end[line] > right else right
            while m > begin and start[found[m - 1]] > start[line]:
                found[m] = found[m - 1]
                m -= 1
        else:
            begin, first = n, line
            left, right = start[line], end[line]
        found[m] = line
    return 0
