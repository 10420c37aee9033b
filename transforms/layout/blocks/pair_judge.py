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
    """The lines on one row of a column, such as a bullet and its text, or a number and its title. Positions are points in the page's
    `Frame`."""

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


def read_pairs(rows: Sequence[Row], margin: float, limit: float, usual: float) -> NDArray[np.float64]:
    """Return float64[rows - 1, len(EVIDENCE)], the evidence about each pair of consecutive rows.

    margin, limit: start and end of the column's running text, points. usual: line spacing of the document's body, points; 0 if unknown.
    """
    pairs = len(rows) - 1
    if pairs < 1:
        return np.zeros((0, len(EVIDENCE)))
    measures = [(row.start, row.end, row.inner, row.baseline, row.spacing, row.em, row.look.bold) for row in rows]
    start, end, inner, baseline, spacing, em, bold = np.array(measures, np.float64).T
    words = [first_word_width(Extent(row.start, row.end, row.look.size, row.text)) for row in rows[1:]]
    gap, shift, room = np.diff(baseline), np.diff(start), limit - end
    spaced = np.maximum(spacing[:-1], spacing[1:])
    unit = np.where(spaced == 0, 1.0, spaced)
    around = np.concatenate(([_NONE], gap, [_NONE]))
    around[~((around > 0) & (around < _NONE))] = -np.inf
    near = np.maximum(around[:-2], around[2:]) / unit
    ends = [bool(ENDS_SENTENCE.search(row.text)) for row in rows]
    full = room[:-1] < _FULL * em[:-1] + words
    evidence = (
        gap / unit,
        gap / (usual or unit),
        gap / unit - np.where(np.isinf(near), _NONE, near),
        gap / gap[0] if gap[0] > 0 else _NONE,
        room[:-1] / em[:-1],
        np.concatenate(([_NONE], room[:-2] / em[:-2])),
        room[1:] / em[1:],
        room[:-1] / em[:-1] - words / em[1:],
        shift / em[1:],
        np.concatenate((shift[1:] / em[1:-1], [_NONE])),
        (start[1:] - inner[:-1]) / em[1:],
        (start[1:] - margin) / em[1:],
        abs(start[:-1] + end[:-1] - start[1:] - end[1:]) / 2 / em[1:],
        np.diff(bold),
        [a.look.family == b.look.family for a, b in pairwise(rows)],
        ends[:-1],
        [may_run_on(row.text) for row in rows[1:]],
        [row.listed for row in rows[1:]],
        [a.text[:1] == b.text[:1] for a, b in pairwise(rows)],
        _sign_rows(rows)[1:],
        _counts_on(rows),
        sum(ends) / len(rows),
        sum(starts_lower(row.text) for row in rows) / len(rows),
        full.mean(),
        (gap > _SPACED * spaced).mean(),
    )
    found = np.empty((len(EVIDENCE), pairs))
    for column, values in zip(found, evidence, strict=True):
        column[:] = values
    return found.T


def _sign_rows(rows: Sequence[Row]) -> list[int]:
    """Return for each row the number of rows that begin with the same sign (a single character before a space); 0 for rows without a
    sign."""
    signs = [row.text[0] if row.text[1:2] == " " else "" for row in rows]
    often = Counter(filter(None, signs))
    return [often[sign] for sign in signs]


def _counts_on(rows: Sequence[Row]) -> list[bool]:
    """Return for each row but the first whether it begins with the number that follows the last one above it."""
    found: list[bool] = []
    last: int | None = None
    for row in rows:
        number = int(match[1]) if (match := _NUMBER.match(row.text)) else None
        found.append(last is not None and number == last + 1)
        last = last if number is None else number
    return found[1:]


class Trees(NamedTuple):
    """Boosted decision trees of one depth, in which all nodes of a depth test the same condition."""

    bias: int  # log odds without any tree, in thousandths
    signs: NDArray[np.int64]  # int64[trees, depth], index of the evidence that is compared
    limits: NDArray[np.float64]  # float64[trees, depth]; the result is 1 if the evidence is larger
    leaves: NDArray[np.int64]  # int64[trees, 2 ** depth], log odds in thousandths, by the results of a tree read as a binary number

    def odds(self, evidence: NDArray[np.float64]) -> NDArray[np.int64]:
        """Return int64[pairs], the log odds that the rows of each pair are one block, in thousandths, because whole numbers are equal on
        every machine. evidence: float64[pairs, len(EVIDENCE)]."""
        trees, depth = self.signs.shape
        values = (1 << np.arange(depth)[::-1]).astype(np.float32)  # exact, and the fastest product
        answers = ((evidence.take(self.signs, axis=1) > self.limits) @ values).astype(np.int64)
        total: NDArray[np.int64] = self.bias + self.leaves[np.arange(trees), answers].sum(axis=1)
        return total


@cache
def read_trees() -> Trees:
    """Return the trained decision trees, read from their file once."""
    said = msgspec.json.decode(files(__package__).joinpath(FILE).read_bytes())
    places = [[EVIDENCE.index(name) for name in each] for each in said["signs"]]
    return Trees(said["bias"], np.array(places), np.array(said["limits"], np.float64), np.array(said["leaves"]))
