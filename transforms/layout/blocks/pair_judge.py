"""Judge whether two consecutive rows of a column belong to one block, by trees over evidence that is measured in the document's own type.

The evidence is that of Hassan 2003, 4.5 (space against the usual line spacing, indents, lines that end early); what each piece weighs was
learned from documents with gold by `benchmarks/judgement/train_pairs.py`: gradient boosting (Friedman 2001) of trees whose nodes of one
depth ask the same question.
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

#: The file of the learned trees.
FILE: Final = "pair_trees.json"
#: Of what is missing: there is no row before, no row after.
_NONE: Final = 99.0
#: x line spacing; a larger distance is one between blocks where rows are counted. em; room that a full line may leave.
_SPACED, _FULL = 1.2, 1.5
_NUMBER: Final = re.compile(r"[^\W\d_]?[(\[]?(\d{1,3})(?!\d)")

#: gap: distance of the baselines, in line spacings of the looks. gap_usual: in that of the body. near_gap: more than the larger of the
#: distances before and after. first_gap: against the first one of the column. room, room_before, room_next: at the end of the upper row,
#: the one before it, the lower one, em. room_word: without the lower row's first word. shift, shift_after: of the starts of these rows, of
#: the lower and the next one, em. shift_inner: from the text behind the upper row's bullet. in_b: from the column's margin. middle: between
#: the middles. bolder, family: of the looks. ends: the upper row ends a sentence. runs_on: the lower one begins small or without case.
#: listed_b: it begins an item. same_sign: they begin alike. sign_rows: how many rows begin with its sign. counts: its number follows the
#: last one. ends_share, lower_share, full_share, spaced_share: of the column's rows that end a sentence, begin small, are full, stand
#: apart.
EVIDENCE: Final = (
    *("gap", "gap_usual", "near_gap", "first_gap", "room", "room_before", "room_next", "room_word", "shift", "shift_after", "shift_inner"),
    *("in_b", "middle", "bolder", "family", "ends", "runs_on", "listed_b", "same_sign", "sign_rows", "counts"),
    *("ends_share", "lower_share", "full_share", "spaced_share"),
)


class Row(NamedTuple):
    """Lines side by side in one column, such as a bullet and its text, or a number and its title. lines: positions in the frame.

    start, end: their extent, points. inner: where the text after a bullet or enumerator starts. look: of most of the characters.
    spacing: usual distance of baselines in that look, points. listed: it begins with a bullet or an enumerator.
    """

    lines: list[int]
    start: float
    end: float
    inner: float
    baseline: float
    look: Look
    spacing: float
    text: str
    listed: bool

    @property
    def em(self) -> float:
        return self.look.size or 1.0

    @property
    def word(self) -> float:
        return first_word_width(Extent(self.start, self.end, self.look.size, self.text))


class _Column(NamedTuple):
    """What a column's rows have in common, and what each of them says. gaps: above each row and below the last, points."""

    margin: float
    limit: float
    usual: float
    gaps: list[float]
    numbers: list[int | None]
    signs: Counter[str]
    shares: tuple[float, float, float, float]


def read_pairs(rows: Sequence[Row], margin: float, limit: float, usual: float) -> NDArray[np.float64]:
    """Return the evidence on each two consecutive rows; float64[rows - 1, len(EVIDENCE)].

    margin, limit: where the column's running text starts and ends, points. usual: line spacing of the document's body, 0 when unknown.
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
    """Evidence of space and look on rows k - 1 and k."""
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
    """Evidence of what the rows say. last: the number that a row above began with. number: that of row b."""
    return (
        bool(ENDS_SENTENCE.search(a.text)),
        may_run_on(b.text),
        b.listed,
        a.text[:1] == b.text[:1],
        column.signs[b.text[0]] if b.text[1:2] == " " else 0,
        last is not None and number == last + 1,
    )


class Trees(NamedTuple):
    """Boosted decision trees of one depth each, in which all nodes of a depth ask the same question.

    bias: log odds before any tree, in thousandths. signs: int64[trees, depth], index of the piece of evidence that is compared. limits:
    float64[trees, depth]; the answer is 1 if the evidence is larger. leaves: int64[trees, 2 ** depth], log odds in thousandths, by the
    answers read as a binary number.
    """

    bias: int
    signs: NDArray[np.int64]
    limits: NDArray[np.float64]
    leaves: NDArray[np.int64]

    def odds(self, evidence: NDArray[np.float64]) -> NDArray[np.int64]:
        """Return the log odds that the rows of each pair are one block, in thousandths: whole numbers, the same on every machine."""
        trees, depth = self.signs.shape
        answers = (evidence[:, self.signs] > self.limits) @ (1 << np.arange(depth)[::-1])
        total: NDArray[np.int64] = self.bias + self.leaves[np.arange(trees), answers].sum(axis=1)
        return total


@cache
def read_trees() -> Trees:
    """Return the learned trees."""
    said = msgspec.json.decode(files(__package__).joinpath(FILE).read_bytes())
    places = [[EVIDENCE.index(name) for name in each] for each in said["signs"]]
    return Trees(said["bias"], np.array(places), np.array(said["limits"], np.float64), np.array(said["leaves"]))
