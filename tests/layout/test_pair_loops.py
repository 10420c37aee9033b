"""Evidence about pairs of rows and the leaves of trees: compiled and as it stands the same bits, and what numpy makes of them."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from pdfmill.transforms.layout.blocks.pair_judge import EVIDENCE
from tests.compiled import same_in_both

NAME = "pdfmill.transforms.layout.blocks.pair_loops"
PLACES = st.sampled_from([0.0, 10.0, 72.0]) | st.floats(-500, 500, width=32)  # boxes of a page are single precision
SIZES = st.sampled_from([1.0, 10.0]) | st.floats(1, 200)
FLAGS = st.integers(0, 1)
#: Start, end, inner, baseline, spacing, em, bold, first word, ends, may run on, listed, small letter, rows with its sign, family, first
#: character, number.
ROWS = st.lists(
    st.tuples(
        *(PLACES, PLACES, PLACES, PLACES, st.just(0.0) | SIZES, SIZES, FLAGS, SIZES, FLAGS, FLAGS, FLAGS, FLAGS),
        *(st.integers(0, 3), st.integers(0, 2), st.integers(-1, 3), st.integers(-1, 3)),
    ),
    min_size=2,
    max_size=8,
)


@settings(deadline=None)
@given(ROWS, st.just(0.0) | SIZES)
def test_rows_are_compared_as_numpy_does(rows: list[tuple[float, ...]], usual: float) -> None:
    given_rows = np.array(rows, np.float64)
    found = np.empty((len(rows) - 1, len(EVIDENCE)))
    _, after = same_in_both(NAME, "compare_rows", given_rows, 3.0, 300.0, usual, 1.2, 1.5, found)
    start, end, _, baseline, spacing, em, _, word = given_rows.T[:8]
    gap, room = np.diff(baseline), 300.0 - end
    spaced = np.maximum(spacing[:-1], spacing[1:])
    unit = np.where(spaced == 0, 1.0, spaced)
    around = np.concatenate(([99.0], gap, [99.0]))
    around[~((around > 0) & (around < 99.0))] = -np.inf
    near = np.maximum(around[:-2], around[2:]) / unit
    expected = {
        "gap": gap / unit,
        "gap_usual": gap / (usual or unit),
        "near_gap": gap / unit - np.where(np.isinf(near), 99.0, near),
        "room_word": room[:-1] / em[:-1] - word[1:] / em[1:],
        "in_b": (start[1:] - 3.0) / em[1:],
        "middle": abs(start[:-1] + end[:-1] - start[1:] - end[1:]) / 2 / em[1:],
        "full_share": np.full(len(gap), (room[:-1] < 1.5 * em[:-1] + word[1:]).mean()),
        "spaced_share": np.full(len(gap), (gap > 1.2 * spaced).mean()),
    }
    for name, values in expected.items():
        assert after[-1][:, EVIDENCE.index(name)].tolist() == values.tolist(), name


@settings(deadline=None)
@given(
    st.lists(st.tuples(PLACES, PLACES), max_size=5), st.lists(st.tuples(st.integers(0, 1), st.integers(0, 1), PLACES, PLACES), max_size=4)
)
def test_leaves_are_added(evidence: list[tuple[float, float]], trees: list[tuple[int, int, float, float]]) -> None:
    asked, table = np.array(evidence, np.float64).reshape(-1, 2), np.array(trees, np.float64).reshape(-1, 4)
    signs, limits = table[:, :2].astype(np.int64), np.ascontiguousarray(table[:, 2:])
    leaves = np.arange(4 * len(trees)).reshape(-1, 4)
    _, after = same_in_both(NAME, "add_leaves", asked, signs, limits, leaves, np.zeros(len(evidence), np.int64), np.full(len(evidence), 7))
    answers = (asked[:, signs] > limits) @ np.array([2, 1]) if len(trees) else np.zeros((len(evidence), 0), np.int64)
    assert after[-1].tolist() == (7 + leaves[np.arange(len(trees)), answers].sum(axis=1)).tolist()
