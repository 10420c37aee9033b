"""Loops that find the white gaps between the columns of rows, see `columns.py`.

They are compiled by Cython with the types of `gap_loops.pxd`, or run as Python if nothing is compiled.
"""

from __future__ import annotations

from typing import Any

#: A position before all others, and the value for a chunk without signs.
BEFORE, NONE = float("-inf"), float("inf")


def find_gaps(
    chunks: Any, places: Any, x0: Any, x1: Any, low: float, step: float, rivers: bool, crossed: int, least: float,
    cell_gap: float, overhang: float, overhang_share: float, spans: Any, opened: Any, found: Any,
) -> int:  # fmt: skip
    """Find horizontal stretches that at most `crossed` rows cover, with cells on both sides in at least two rows. Return their number.
    chunks: float64[n, 4], parts of lines without wide gaps, row by row: start, end, font size, start of the signs before it or `NONE`.
    places: int64[n, 3]: row, first word, last word + 1. x0, x1: float64[words], points. low: smallest start. step: width of a bin, points.
    rivers: a chunk covers only the boxes of its words. least: width of the narrowest gap, bins. cell_gap: smallest gap between cells, em.
    overhang, overhang_share: how far a chunk may extend into a gap, em, and share of its width. spans: float64[words + n, 2] and opened:
    int64[bins + 1], zeros: scratch. Output: found: float64[bins, 2], start and end, points."""
    n = len(chunks)
    bins = len(opened) - 1
    begin = m = 0
    for i in range(n):
        left, right = chunks[i, 0], chunks[i, 1]
        if chunks[i, 3] != NONE:
            spans[m, 0], spans[m, 1] = chunks[i, 3], right
            m += 1
        else:
            start, end = left, right
            from_left = i > 0 and places[i - 1, 0] == places[i, 0] and left - chunks[i - 1, 1] >= cell_gap * chunks[i, 2]
            from_right = i + 1 < n and places[i + 1, 0] == places[i, 0] and chunks[i + 1, 0] - right >= cell_gap * chunks[i, 2]
            if from_left or from_right:
                reach = overhang * chunks[i, 2]
                if overhang_share * (right - left) < reach:
                    reach = overhang_share * (right - left)
                if from_left:
                    start = left + reach
                if from_right:
                    end = right - reach
            if not rivers:
                spans[m, 0], spans[m, 1] = start if start > left else left, end if end < right else right
                m += 1
            else:
                for w in range(places[i, 1], places[i, 2]):
                    limit = end if end < right else right
                    if x0[w] > right:
                        limit = x0[w] if x0[w] < end else end
                    spans[m, 0], spans[m, 1] = x0[w] if x0[w] > start else start, x1[w] if x1[w] < limit else limit
                    m += 1
        if i + 1 == n or places[i + 1, 0] != places[i, 0]:
            sort_spans(spans, begin, m)
            start = end = BEFORE
            while begin <= m:  # stretches that meet are joined, because a row may have several lines
                if begin == m or spans[begin, 0] > end:
                    if end > start:
                        k = int((start - low) / step)
                        if k < bins:
                            opened[k if k > 0 else 0] += 1
                        k = int((end - low) / step) + 1
                        if k < bins:
                            opened[k] -= 1
                    if begin < m:
                        start = spans[begin, 0]
                if begin < m and spans[begin, 1] > end:
                    end = spans[begin, 1]
                begin += 1
            begin = m
    count = depth = 0
    begin = -1
    for k in range(bins):
        depth += opened[k]
        if depth <= crossed:
            if begin < 0:
                begin = k
        elif begin >= 0:
            if begin > 0 and k < bins - 1 and k - begin >= least:
                found[count, 0], found[count, 1] = low + begin * step, low + k * step
                if parts_chunks(chunks, places, x0, x1, (found[count, 0] + found[count, 1]) / 2):
                    count += 1
            begin = -1
    return count


def sort_spans(spans: Any, begin: int, end: int) -> int:
    """Sort `spans` from index `begin` to before `end` by their start (Shell 1959, so that no input takes quadratic time). Return 0."""
    apart = (end - begin) // 2
    while apart > 0:
        for i in range(begin + apart, end):
            a, b = spans[i, 0], spans[i, 1]
            j = i
            while j >= begin + apart and spans[j - apart, 0] > a:
                spans[j, 0], spans[j, 1] = spans[j - apart, 0], spans[j - apart, 1]
                j -= apart
            spans[j, 0], spans[j, 1] = a, b
        apart //= 2
    return 0


def parts_chunks(chunks: Any, places: Any, x0: Any, x1: Any, middle: float) -> bool:
    """Return whether at least two rows have cells on both sides of `middle`, and no word covers it. The arrays are those of `find_gaps`."""
    n = len(chunks)
    rows = 0
    before = behind = over = False
    for i in range(n):
        ended, begun = chunks[i, 1], chunks[i, 0]
        inside = begun < middle < ended
        for w in range(places[i, 1], places[i, 2]):
            if w == places[i, 1] or x1[w] < ended:
                ended = x1[w]
            if w == places[i, 1] or x0[w] > begun:
                begun = x0[w]
            if inside and x0[w] < middle < x1[w]:
                over = True
        if ended <= middle:
            before = True
        if begun >= middle:
            behind = True
        if i + 1 == n or places[i + 1, 0] != places[i, 0]:
            if before and behind and not over:
                rows += 1
                if rows > 1:
                    return True
            before = behind = over = False
    return False
