"""Judge whether two consecutive rows of a column belong to one block, by decision trees. The evidence is measured relative to the type size
and line spacing of the document.

It follows Hassan 2003, 4.5 (space against the usual line spacing, indents, lines that end early). The trees are trained by gradient
boosting (Friedman 2001) on annotated documents, in `benchmarks/judgement/train_pairs.py`. All nodes of one depth of a tree test the same
condition.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from itertools import pairwise
from typing import Final, NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

from pdfmill.schemas.statistics import Look
from pdfmill.transforms.layout.page.line_breaks import Extent, first_word_width
from pdfmill.transforms.layout.page.patterns import ENDS_SENTENCE, may_run_on, starts_lower

#: File of the trained trees.
FILE: Final = "pair_trees.json"
#: Value of missing evidence, because there is no row before or after.
_NONE: Final = 99.0
#: Number of line spacings from which a distance separates blocks; free space that a full line may have at its end, em.
_SPACED, _FULL = 1.2, 1.5
_NUMBER: Final = re.compile(r"[^\W\d_]?[(\[]?(\d{1,3})(?!\d)")

#: Names of the evidence about an upper and a lower row. gap, gap_usual: distance of the baselines, in line spacings of their text styles
#: and of the body. near_gap: its excess over the larger of the distances before and after. first_gap: relative to the first distance in the
#: column. room, room_before, room_next: free space, em, at the end of the upper row, of the row before it, and of the lower row. room_word:
#: room less the lower row's first word. shift, shift_after: em between the starts of these rows, and of the lower and the next row.
#: shift_inner: em from the text after the upper row's bullet. in_b: em from the column's margin. middle: em between the middles. bolder,
#: family: comparison of the text styles. ends: the upper row ends a sentence. runs_on: the lower row begins with a small letter or without
#: case. listed_b: it begins a list item. same_sign: both begin with the same sign. sign_rows: number of rows that begin with that sign.
#: counts: the lower row's number follows the previous one. ends_share, lower_share, full_share, spaced_share: share of the column's rows
#: that end a sentence, begin with a small letter, are full, or are separated by space.
EVIDENCE: Final = (
    *("gap", "gap_usual", "near_gap", "first_gap", "room", "room_before", "room_next", "room_word", "shift", "shift_after", "shift_inner"),
    *("in_b", "middle", "bolder", "family", "ends", "runs_on", "listed_b", "same_sign", "sign_rows", "counts"),
    *("ends_share", "lower_share", "full_share", "spaced_share"),
)


class Row(NamedTuple):
    """The lines on one row of a column, such as a bullet and its text, or a number and its title. Positions are points in the frame."""

    lines: list[int]  # indices in the frame
    start: float
    end: float
    inner: float  # start of the text after a bullet or enumerator
    baseline: float
    look: Look  # text style of most characters
    spacing: float  # usual distance of baselines in that style, points
    text: str
    listed: bool  # the row begins with a bullet or an enumerator

    @property
    def em(self) -> float:
        return self.look.size or 1.0

    @property
    def word(self) -> float:
        return first_word_width(Extent(self.start, self.end, self.look.size, self.text))


class _Column(NamedTuple):
    """Facts of a column as a whole, and of each of its rows."""

    margin: float  # start of its running text, points
    limit: float  # end of its running text, points
    usual: float  # line spacing of the document's body, points; 0 if unknown
    gaps: list[float]  # baseline distance above each row and below the last one, points
    numbers: list[int | None]  # number at the beginning of each row
    signs: Counter[str]  # number of rows by the sign with which they begin
    shares: tuple[float, float, float, float]  # the last four names of `EVIDENCE`


def read_pairs(rows: Sequence[Row], margin: float, limit: float, usual: float) -> NDArray[np.float64]:
    """Return float64[rows - 1, len(EVIDENCE)], the evidence about each pair of consecutive rows.

    margin, limit: start and end of the column's running text, points. usual: line spacing of the document's body, points; 0 if unknown.
    """
    column = _read_column(rows, margin, limit, usual)
    last: int | None = None
    found = []
    for k in range(1, len(rows)):
        last = column.numbers[k - 1] if column.numbers[k - 1] is not None else last
        found.append((*_places(rows, k, column), *_texts(rows[k - 1], rows[k], column, last, column.numbers[k]), *column.shares))
    return np.array(found, np.float64).reshape(-1, len(EVIDENCE))


def _read_column(rows: Sequence[Row], margin: float, limit: float, usual: float) -> _Column:
    count = len(rows)
    gaps = [b.baseline - a.baseline for a, b in pairwise(rows)]
    shares = (
        sum(bool(ENDS_SENTENCE.search(row.text)) for row in rows) / count,
        sum(starts_lower(row.text) for row in rows) / count,
        sum(limit - a.end < _FULL * a.em + b.word for a, b in pairwise(rows)) / max(count - 1, 1),
        sum(gap > _SPACED * max(a.spacing, b.spacing) for gap, (a, b) in zip(gaps, pairwise(rows), strict=True)) / max(count - 1, 1),
    )
    numbers = [int(match[1]) if (match := _NUMBER.match(row.text)) else None for row in rows]
    signs = Counter(row.text[0] for row in rows if row.text[1:2] == " ")
    return _Column(margin, limit, usual, [_NONE, *gaps, _NONE], numbers, signs, shares)


def _places(rows: Sequence[Row], k: int, column: _Column) -> tuple[float, ...]:
    """Return the evidence about rows k - 1 and k that comes from space and text style."""
    a, b, gaps, limit = rows[k - 1], rows[k], column.gaps, column.limit
    unit, gap, em = max(a.spacing, b.spacing) or 1.0, gaps[k], b.em
    after = rows[k + 1].start if k + 1 < len(rows) else None
    return (
        gap / unit,
        gap / (column.usual or unit),
        gap / unit - max((near / unit for near in (gaps[k - 1], gaps[k + 1]) if 0 < near < _NONE), default=_NONE),
        gap / gaps[1] if gaps[1] > 0 else _NONE,
        (limit - a.end) / a.em,
        (limit - rows[k - 2].end) / rows[k - 2].em if k > 1 else _NONE,
        (limit - b.end) / em,
        (limit - a.end) / a.em - b.word / em,
        (b.start - a.start) / em,
        (after - b.start) / em if after is not None else _NONE,
        (b.start - a.inner) / em,
        (b.start - column.margin) / em,
        abs(a.start + a.end - b.start - b.end) / 2 / em,
        float(b.look.bold) - float(a.look.bold),
        float(a.look.family == b.look.family),
    )


def _texts(a: Row, b: Row, column: _Column, last: int | None, number: int | None) -> tuple[float, ...]:
    """Return the evidence of the texts of rows a and b. last: the last number with which a row above begins. number: that of row b."""
    return (
        bool(ENDS_SENTENCE.search(a.text)),
        may_run_on(b.text),
        b.listed,
        a.text[:1] == b.text[:1],
        column.signs[b.text[0]] if b.text[1:2] == " " else 0,
        last is not None and number == last + 1,
    )


class Trees(NamedTuple):
    """Boosted decision trees of one depth, in which all nodes of a depth test the same condition."""

    bias: int  # log odds without any tree, in thousandths
    signs: NDArray[np.int64]  # int64[trees, depth], index of the evidence that is compared
    limits: NDArray[np.float64]  # float64[trees, depth]; the result is 1 if the evidence is larger
    leaves: NDArray[np.int64]  # int64[trees, 2 ** depth], log odds in thousandths, by the results of a tree read as a binary number

    def odds(self, evidence: NDArray[np.float64]) -> NDArray[np.int64]:
        """Return int64[pairs], the log odds that the rows of each pair are one block, in thousandths: whole numbers are equal on every
        machine."""
        trees, depth = self.signs.shape
        answers = (evidence[:, self.signs] > self.limits) @ (1 << np.arange(depth)[::-1])
        total: NDArray[np.int64] = self.bias + self.leaves[np.arange(trees), answers].sum(axis=1)
        return total


@cache
def read_trees() -> Trees:
    """Return the trained trees."""
    said = msgspec.json.decode(files(__package__).joinpath(FILE).read_bytes())
    places = [[EVIDENCE.index(name) for name in each] for each in said["signs"]]
    return Trees(said["bias"], np.array(places), np.array(said["limits"], np.float64), np.array(said["leaves"]))
