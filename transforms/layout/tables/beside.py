"""Decide whether rows of text are one table or two tables side by side, by counting signs for two tables."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Final

from pdfmill.transforms.layout.tables.columns import Gap, by_column, middles
from pdfmill.transforms.layout.tables.model import Chunk, SetRow
from pdfmill.transforms.layout.tables.words import is_number

#: Ratio to the widest other gap in its half from which a gap is a sign for two tables, and its smallest width, em.
_WIDER: Final = 1.6
_LEAST: Final = 1.5
#: Signs needed for two tables.
_NEEDED: Final = 2
#: Share of rows with cells on both sides below which the halves have baselines of their own, which counts as two signs.
_SHARED: Final = 0.5
#: Smallest share of numbers among the cells of a column of numbers, and largest share in a column of labels.
_NUMBERS: Final = 0.6
_LABELS: Final = 0.3
#: Smallest number of gaps between columns of two tables: one in each, and one between them.
_LEAST_GAPS: Final = 3


def find_cut(rows: Sequence[SetRow], gaps: Sequence[Gap], em: float) -> float | None:
    """Return the position, points, at which the rows are cut into two tables side by side; None if they are one. gaps: from left to
    right."""
    if len(gaps) < _LEAST_GAPS:
        return None
    for n in sorted(range(1, len(gaps) - 1), key=lambda n: gaps[n][0] - gaps[n][1]):
        middle = (gaps[n][0] + gaps[n][1]) / 2
        if gaps[n][1] - gaps[n][0] < _LEAST * em or any(c.x0 < middle < c.x1 for row in rows for c in row):
            continue
        if _signs(rows, gaps, n, middle) >= _NEEDED:
            return middle
    return None


def _signs(rows: Sequence[SetRow], gaps: Sequence[Gap], n: int, middle: float) -> int:
    """Return the number of indications that the rows left and right of gap `n` are two tables."""
    width = gaps[n][1] - gaps[n][0]
    others = [b - a for k, (a, b) in enumerate(gaps) if k != n]
    columns = by_column(rows, middles(gaps))
    sides = [[c for c in row if c.middle < middle] for row in rows], [[c for c in row if c.middle > middle] for row in rows]
    filled = [[bool(row) for row in side] for side in sides]
    both = sum(a and b for a, b in zip(*filled, strict=True))
    return (
        int(width >= _WIDER * max(others))
        + int(_label_after_numbers(columns[n], columns[n + 1]))
        + 2 * int(both < _SHARED * len(rows))
        + int(_ends_early(filled[0]) != _ends_early(filled[1]))
        + int(_same_heads(*sides))
    )


def _label_after_numbers(left: Sequence[Chunk], right: Sequence[Chunk]) -> bool:
    if not left or not right:
        return False
    numbers, labels = sum(is_number(c.text) for c in left) / len(left), sum(is_number(c.text) for c in right) / len(right)
    return numbers >= _NUMBERS and labels <= _LABELS


def _ends_early(filled: Sequence[bool]) -> bool:
    """Return whether a side has cells in all rows but the last ones. filled: whether it has cells in each row."""
    return not filled[-1] and sum(a != b for a, b in pairwise(filled)) == 1


def _same_heads(left: Sequence[SetRow], right: Sequence[SetRow]) -> bool:
    one, two = (next((row for row in side if row), []) for side in (left, right))
    return min(len(one), len(two)) > 1 and one[0].text == two[0].text
