"""Loops over pairs of lines: which lines are next to each other, and where their column begins and ends.
They are compiled by Cython with the types of `neighbour_loops.pxd`, or run as Python if nothing is compiled. Results are written to arrays
made by the caller."""

from __future__ import annotations

from typing import Any


def nearest_lines(
    start: Any, end: Any, width: Any, top: Any, bottom: Any, height: Any, baseline: Any, size: Any,
    overlap: float, same_row: float, lower: float, slack: float,
    above: Any, below: Any, before: Any, after: Any,
) -> int:  # fmt: skip
    """Find the nearest line above, below, before and after each of n lines; of several at the same distance the first. Return n.
    start, end, width, top, bottom, height, baseline, size: float64[n], points. overlap: smallest horizontal overlap of lines above each
    other, share of the narrower one. same_row: smallest vertical overlap of lines on one row, share of the lower one's height. lower:
    smallest distance of baselines of lines above each other, em of the smaller. slack: points by which lines on one row may overlap.
    Output: above, below, before, after: int64[n], initially -1; the line's index."""
    n = len(start)
    for i in range(n):
        first, last, least = start[i], end[i], width[i]
        upper, foot, line = top[i], bottom[i], baseline[i]
        under = behind = -1
        lowered = far = 0.0
        for j in range(n):
            if i == j:
                continue
            apart = baseline[j] - line
            em = size[i]
            if size[j] < em:
                em = size[j]
            if apart > lower * em:
                begin = start[j] if start[j] > first else first
                finish = end[j] if end[j] < last else last
                narrow = width[j] if width[j] < least else least
                if finish - begin > overlap * narrow:
                    if under < 0 or apart < lowered:
                        under, lowered = j, apart
                    k = above[j]
                    if k < 0 or apart < baseline[j] - baseline[k]:
                        above[j] = i
            apart = start[j] - last
            if start[j] >= last - slack:
                begin = top[j] if top[j] > upper else upper
                finish = bottom[j] if bottom[j] < foot else foot
                narrow = height[j] if height[j] < height[i] else height[i]
                if finish - begin > same_row * narrow:
                    if behind < 0 or apart < far:
                        behind, far = j, apart
                    k = before[j]
                    if k < 0 or apart < start[j] - end[k]:
                        before[j] = i
        below[i], after[i] = under, behind
    return n


def column_edges(start: Any, end: Any, width: Any, values: Any, order: Any, overlap: float, share: float, found: Any) -> int:
    """Find a quantile of a value over each line's column: the line and all lines that overlap it horizontally. Return n.
    start, end, width, values: float64[n], points. order: int64[n], the lines sorted by their values. overlap: smallest overlap, share of
    the narrower of two lines. share: the quantile, from 0 to 1. Output: found: float64[n]."""
    n = len(start)
    for i in range(n):
        first, last, least = start[i], end[i], width[i]
        count = 0
        for j in range(n):
            begin = start[j] if start[j] > first else first
            finish = end[j] if end[j] < last else last
            narrow = width[j] if width[j] < least else least
            if finish - begin > overlap * narrow:
                count += 1
        most = share * count
        count = m = 0
        while m < n:
            j = order[m]
            begin = start[j] if start[j] > first else first
            finish = end[j] if end[j] < last else last
            narrow = width[j] if width[j] < least else least
            if finish - begin > overlap * narrow:
                count += 1
                if count >= most:
                    break
            m += 1
        found[i] = values[order[m if m < n else 0]]
    return n
