"""White gaps between columns: compiled and as it stands the same, and what the definition says."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from pdfmill.transforms.layout.tables.gap_loops import NONE
from tests.compiled import same_in_both

NAME = "pdfmill.transforms.layout.tables.gap_loops"
STEP, CELL, OVERHANG, SHARE = 0.5, 9.0, 6.0, 0.2
PLACES = st.sampled_from([0.0, 10.0, 10.25, 72.0, 73.5]) | st.floats(-20, 120, width=32)
WORDS = st.lists(st.tuples(PLACES, st.sampled_from([0.0, 4.0, 20.0]) | st.floats(0, 60, width=32)), min_size=1, max_size=4)
#: Rows of chunks; of each its words, and how far before it a sign stands, none where that is 0.
ROWS = st.lists(st.lists(st.tuples(WORDS, st.sampled_from([0.0, 0.0, 0.0, 5.0])), min_size=1, max_size=4), min_size=1, max_size=5)


@settings(deadline=None, max_examples=300)
@given(ROWS, st.booleans(), st.integers(0, 2), st.sampled_from([0.0, 8.0]))
def test_gaps(rows: list[list[tuple[list[tuple[float, float]], float]]], rivers: bool, crossed: int, least: float) -> None:
    x0: list[float] = []
    x1: list[float] = []
    sides, places = [], []
    for number, row in enumerate(rows):
        for words, sign in row:
            first = len(x0)
            x0 += [a for a, _ in words]
            x1 += [a + wide for a, wide in words]
            start, end = min(x0[first:]), max(x1[first:])
            sides.append((start, end, 1.0, start - sign if sign else NONE))
            places.append((number, first, len(x0)))
    chunks, low = np.array(sides), min(side[0] for side in sides)
    bins = int((max(side[1] for side in sides) - low) / STEP) + 2
    count, after = same_in_both(
        NAME, "find_gaps", chunks, np.array(places, np.int64), np.array(x0), np.array(x1), low, STEP, rivers, crossed, least,
        CELL, OVERHANG, SHARE, np.zeros((len(x0) + len(sides), 2)), np.zeros(bins + 1, np.int64), np.zeros((bins, 2)),
    )  # fmt: skip
    found = after[-1][:count].tolist()
    assert found == sorted(found)
    for a, b in found:
        assert (b - a) / STEP >= least
        inside = [
            n
            for n, *_ in places
            if any(s < a - OVERHANG and e > b + OVERHANG for (s, e, *_), (m, *_) in zip(sides, places, strict=True) if m == n)
        ]
        assert rivers or len(set(inside)) <= crossed
        middle = (a + b) / 2
        parted = [
            n
            for n in range(len(rows))
            if any(x1[w] <= middle for m, f, t in places if m == n for w in range(f, t))
            and any(x0[w] >= middle for m, f, t in places if m == n for w in range(f, t))
        ]
        assert len(parted) >= 2


def test_two_columns_have_one_gap() -> None:
    chunks = np.array([[0.0, 30.0, 10.0, NONE], [60.0, 90.0, 10.0, NONE]] * 3)
    places = np.array([[n // 2, n, n + 1] for n in range(6)], np.int64)
    count, after = same_in_both(
        NAME, "find_gaps", chunks, places, chunks[:, 0].copy(), chunks[:, 1].copy(), 0.0, STEP, True, 0, 8.0, 0.9, 0.6, 0.2,
        np.zeros((12, 2)), np.zeros(183, np.int64), np.zeros((182, 2)),
    )  # fmt: skip
    assert count == 1
    start, end = after[-1][0]
    assert 23.5 <= start <= 30, "cells far from their neighbours may reach a little over the gap"
    assert 60 <= end <= 66.5
