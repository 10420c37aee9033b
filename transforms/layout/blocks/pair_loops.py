"""Loops over pairs of consecutive rows for `pair_judge.py`.
They are compiled by Cython with the types of `pair_loops.pxd`, or run as Python if nothing is compiled."""

from __future__ import annotations

from typing import Any

#: Value of missing evidence, because there is no row before or after.
NONE = 99.0
#: Value for a row that begins with no number.
UNNUMBERED = -1.0
INFINITE = float("inf")


def compare_rows(rows: Any, margin: float, limit: float, usual: float, spaced_from: float, full_to: float, found: Any) -> int:
    """Write the measures of each pair of consecutive rows to `found`, float64[n - 1, 25], in the order of `EVIDENCE`. Return 0.
    rows: float64[n, 16], from `pair_judge.measure_row`. margin, limit: start and end of the column's running text, points.
    usual: line spacing of the document's body, points; 0 if unknown. spaced_from: line spacings from which two rows are far apart.
    full_to: free space, em, at the end of a full line."""
    pairs = len(rows) - 1
    full = far = ends = lower = 0.0
    last = UNNUMBERED
    first_gap = rows[1, 3] - rows[0, 3]
    for p in range(pairs):
        gap = rows[p + 1, 3] - rows[p, 3]
        em, room = rows[p + 1, 5], limit - rows[p, 1]
        spaced = rows[p, 4] if rows[p, 4] > rows[p + 1, 4] else rows[p + 1, 4]
        unit = spaced if spaced != 0 else 1.0
        near = -INFINITE
        if p > 0:
            other = rows[p, 3] - rows[p - 1, 3]
            if 0 < other < NONE:
                near = other
        if p + 1 < pairs:
            other = rows[p + 2, 3] - rows[p + 1, 3]
            if 0 < other < NONE and other > near:
                near = other
        near = near / unit
        found[p, 0] = gap / unit
        found[p, 1] = gap / usual if usual != 0 else gap / unit
        found[p, 2] = gap / unit - (near if -INFINITE < near < INFINITE else NONE)
        found[p, 3] = gap / first_gap if first_gap > 0 else NONE
        found[p, 4] = room / rows[p, 5]
        found[p, 5] = (limit - rows[p - 1, 1]) / rows[p - 1, 5] if p > 0 else NONE
        found[p, 6] = (limit - rows[p + 1, 1]) / em
        found[p, 7] = room / rows[p, 5] - rows[p + 1, 7] / em
        found[p, 8] = (rows[p + 1, 0] - rows[p, 0]) / em
        found[p, 9] = (rows[p + 2, 0] - rows[p + 1, 0]) / em if p + 1 < pairs else NONE
        found[p, 10] = (rows[p + 1, 0] - rows[p, 2]) / em
        found[p, 11] = (rows[p + 1, 0] - margin) / em
        middle = rows[p, 0] + rows[p, 1] - rows[p + 1, 0] - rows[p + 1, 1]
        found[p, 12] = (middle if middle > 0 else -middle) / 2 / em
        found[p, 13] = rows[p + 1, 6] - rows[p, 6]
        found[p, 14] = rows[p, 13] == rows[p + 1, 13]
        found[p, 15] = rows[p, 8]
        found[p, 16] = rows[p + 1, 9]
        found[p, 17] = rows[p + 1, 10]
        found[p, 18] = rows[p, 14] == rows[p + 1, 14]
        found[p, 19] = rows[p + 1, 12]
        if rows[p, 15] != UNNUMBERED:
            last = rows[p, 15]
        found[p, 20] = last != UNNUMBERED and rows[p + 1, 15] == last + 1
        if room < full_to * rows[p, 5] + rows[p + 1, 7]:
            full += 1
        if gap > spaced_from * spaced:
            far += 1
    for p in range(pairs + 1):
        ends += rows[p, 8]
        lower += rows[p, 11]
    for p in range(pairs):
        found[p, 21], found[p, 22] = ends / (pairs + 1), lower / (pairs + 1)
        found[p, 23], found[p, 24] = full / pairs, far / pairs
    return 0


def add_leaves(evidence: Any, signs: Any, limits: Any, leaves: Any, place: Any, total: Any) -> int:
    """Add to `total`, int64[pairs], the log odds of the decision trees for each pair of rows, in thousandths. Return 0.
    evidence: float64[pairs, m]. signs, limits, leaves: the arrays of `pair_judge.Trees`. place: int64[pairs], room for work."""
    pairs, trees, depth = len(total), len(signs), signs.shape[1]
    for t in range(trees):
        for p in range(pairs):
            place[p] = 0
        for d in range(depth):
            sign, limit = signs[t, d], limits[t, d]
            for p in range(pairs):
                place[p] = 2 * place[p] + (1 if evidence[p, sign] > limit else 0)
        for p in range(pairs):
            total[p] += leaves[t, place[p]]
    return 0
