"""Judge whether two consecutive rows of a column belong to one block, by decision trees.
The evidence follows Hassan 2003, 4.5 (spacing, indents, lines that end early). The trees are trained by gradient boosting (Friedman 2001)
in `benchmarks/judgement/train_pairs.py`."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import Any, Final, NamedTuple

import msgspec
import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from pdfmill.schemas.compiled import fastest
from pdfmill.schemas.statistics import Look
from pdfmill.transforms.layout.blocks.pair_loops import UNNUMBERED
from pdfmill.transforms.layout.page.line_breaks import first_word_width
from pdfmill.transforms.layout.page.patterns import ends_sentence, first_letter

_LOOPS: Final[Any] = fastest("pdfmill.transforms.layout.blocks.pair_loops")

#: File of the trained trees.
FILE: Final = "pair_trees.json"
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


class Row(Struct):
    """The lines on one row of a column, such as a bullet and its text. Positions are points. inner: start of the text after a bullet or
    number. listed: the row begins with a bullet or number."""

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
    """Return float64[rows - 1, len(EVIDENCE)]: the measures of each pair of consecutive rows that show whether both are one block.
    margin, limit: start and end of the column's running text, points. usual: line spacing of the document's body, points; 0 if unknown."""
    found = np.empty((max(0, len(rows) - 1), len(EVIDENCE)))
    if len(found):
        signs = Counter(map(_sign, rows))
        signs[""] = 0
        families: dict[str, int] = {}
        measures = [measure_row(row, signs, families) for row in rows]
        _LOOPS.compare_rows(np.array(measures, np.float64), margin, limit, usual, _SPACED, _FULL, found)
    return found


def measure_row(row: Row, signs: Mapping[str, int], families: dict[str, int]) -> tuple[float, ...]:
    """Return the 16 measures of a row that `pair_loops.compare_rows` takes, in the order below.
    signs: number of rows by the single character with which they begin. families: index of each font family; new ones are added."""
    text, look, number, letter = row.text, row.look, _NUMBER.match(row.text), first_letter(row.text)
    lower = letter.islower()
    return (
        *(row.start, row.end, row.inner, row.baseline, row.spacing, row.em, look.bold),
        first_word_width(text, row.end - row.start, look.size),
        *(ends_sentence(text), lower or bool(letter and letter.lower() == letter.upper()), row.listed, lower, signs[_sign(row)]),
        *(families.setdefault(look.family, len(families)), ord(text[0]) if text else -1, int(number[1]) if number else UNNUMBERED),
    )


def _sign(row: Row) -> str:
    return row.text[0] if row.text[1:2] == " " else ""


class Trees(NamedTuple):
    """Boosted decision trees of equal depth. All nodes at one depth of a tree test whether one measure, with the index in `signs`, exceeds
    the number in `limits`. leaves: log odds, in thousandths, for each combination of answers. bias: log odds without any tree."""

    bias: int  # log odds without any tree, in thousandths
    signs: NDArray[np.int64]  # int64[trees, depth], index of the evidence that is compared
    limits: NDArray[np.float64]  # float64[trees, depth]; the result is 1 if the evidence is larger
    leaves: NDArray[np.int64]  # int64[trees, 2 ** depth], log odds in thousandths, by the results of a tree read as a binary number

    def odds(self, evidence: NDArray[np.float64]) -> NDArray[np.int64]:
        """Return int64[pairs], the log odds that the rows of each pair are one block, in thousandths. Whole numbers are equal on every
        machine.
        evidence: float64[pairs, len(EVIDENCE)]."""
        total = np.full(len(evidence), self.bias, np.int64)
        _LOOPS.add_leaves(evidence, self.signs, self.limits, self.leaves, np.empty_like(total), total)
        return total


@cache
def read_trees() -> Trees:
    """Return the trained decision trees, read from their file once."""
    said = msgspec.json.decode(files(__package__).joinpath(FILE).read_bytes())
    places = [[EVIDENCE.index(name) for name in each] for each in said["signs"]]
    return Trees(said["bias"], np.array(places), np.array(said["limits"], np.float64), np.array(said["leaves"]))
