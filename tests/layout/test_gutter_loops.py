"""Stretches that hardly any line covers: compiled and as it stands the same, and what the definition says."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.compiled import same_in_both

NAME = "pdfmill.transforms.layout.page.gutter_loops"
PLACES = st.sampled_from([-5.0, 0.0, 3.0, 10.5, 30.0, 99.0]) | st.floats(-20, 120, width=32)
LINES = st.lists(st.tuples(PLACES, st.sampled_from([0.0, 0.5, 20.0]) | st.floats(0, 60, width=32), st.integers(0, 3)), max_size=20)
BINS = 40


@settings(deadline=None)
@given(LINES, st.integers(0, 10), st.integers(20, BINS), st.sampled_from([0.0, 0.5, 1.0, 3.0]))
def test_find_free(lines: list[tuple[float, float, int]], low: int, high: int, allowed: float) -> None:
    start, width, chars = (np.array([line[n] for line in lines], kind) for n, kind in enumerate((np.float64, np.float64, np.int64)))
    end = start + width
    empty = np.zeros((BINS, 2), np.int64)
    count, after = same_in_both(NAME, "find_free", start, end, chars, 1, low, high, allowed, np.zeros(BINS + 1, np.int64), empty)
    begun, ended = np.floor(start).clip(0, BINS), np.ceil(end).clip(0, BINS)
    free = [bool(np.count_nonzero((chars >= 1) & (begun <= k) & (k < ended)) <= allowed) for k in range(low, high)]
    within = {k for first, last in after[8][:count].tolist() for k in range(first, last)}
    assert [k in within for k in range(low, high)] == free
    assert count == sum(b and not a for a, b in zip([False, *free], free, strict=False))


@settings(deadline=None)
@given(LINES, PLACES)
def test_who_stands_beside(lines: list[tuple[float, float, int]], middle: float) -> None:
    start, width, chars = (np.array([line[n] for line in lines], kind) for n, kind in enumerate((np.float64, np.float64, np.int64)))
    end = start + width
    least, after = same_in_both(NAME, "stand_beside", start, end, chars, 2, middle, np.zeros(len(lines), np.uint8))
    before, behind = (chars >= 2) & (end <= middle), (chars >= 2) & (start >= middle)
    assert after[5].tolist() == (before + 2 * behind).tolist()
    assert least == min(before.sum(), behind.sum())


@settings(deadline=None)
@given(LINES)
def test_measure_extent(lines: list[tuple[float, float, int]]) -> None:
    start, width, chars = (np.array([line[n] for line in lines], kind) for n, kind in enumerate((np.float64, np.float64, np.int64)))
    count, after = same_in_both(NAME, "measure_extent", start, start + width, chars, 1, np.zeros(2))
    assert count == np.count_nonzero(chars >= 1)
    assert not count or after[4].tolist() == [start[chars >= 1].min(), (start + width)[chars >= 1].max()]


@settings(deadline=None)
@given(st.lists(st.tuples(PLACES, st.sampled_from([0.0, 20.0]), st.integers(0, 3), st.integers(1, 3)), max_size=12), st.integers(1, 4))
def test_rows_are_read_from_their_start(lines: list[tuple[float, float, int, int]], most: int) -> None:
    start, width, top, height = (np.array([line[n] for line in lines], np.float64) for n in range(4))
    end, bottom, order = start + width, top + height, np.argsort(top, kind="stable")
    found = np.zeros(len(lines), np.int64)
    _, after = same_in_both(NAME, "order_rows", order, start, end, top, bottom, 1.0, 0.5, most, found)
    rows: list[list[int]] = []
    for line in order.tolist():
        if rows and len(rows[-1]) < most:
            first = rows[-1][0]
            shared = min(bottom[line], bottom[first]) - max(top[line], top[first])
            apart = all(start[line] >= end[k] - 1 or end[line] <= start[k] + 1 for k in rows[-1])
            if shared > 0.5 * min(height[line], height[first]) and apart:
                rows[-1].append(line)
                continue
        rows.append([line])
    assert after[8].tolist() == [line for row in rows for line in sorted(row, key=start.__getitem__)]


@settings(deadline=None)
@given(st.lists(st.tuples(PLACES, st.sampled_from([5.0, 60.0]), st.integers(0, 3), st.integers(8, 10)), max_size=10), PLACES)
def test_overlong_lines_do_not_cross(lines: list[tuple[float, float, int, int]], middle: float) -> None:
    start, width, top, size = (np.array([line[n] for line in lines], np.float64) for n in range(4))
    end, bottom = start + width, top + 1
    out = [np.zeros(len(lines), np.uint8), np.zeros(2, np.int64)]
    order = np.arange(len(lines))
    count, after = same_in_both(NAME, "cross_gutter", order, start, end, top, bottom, size, middle, 1.0, 0.5, 1.0, *out)
    left, right = start < middle - 1, start >= middle - 1
    over = left & (end > middle + 1)
    reaches = [o and any(right[j] and top[j] == top[i] and start[j] < end[i] + 1 for j in order) for i, o in enumerate(over)]
    alike = [any(reaches[j] and abs(start[j] - start[i]) < 1 and abs(size[j] - size[i]) < 1 for j in order) for i in order]
    crossing = [bool(o and not r and not a) for o, r, a in zip(over, reaches, alike, strict=True)]
    assert after[-2].astype(bool).tolist() == crossing
    assert count == sum(crossing)
    assert after[-1].tolist() == [int(left.sum()) - count, int(right.sum())]
