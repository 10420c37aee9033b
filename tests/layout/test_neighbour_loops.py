"""Which lines stand next to each other: compiled and as it stands the same, and what the definition says."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.compiled import same_in_both

NAME = "pdfmill.transforms.layout.page.neighbour_loops"
PLACES = st.sampled_from([0.0, 10.0, 10.5, 72.0, 300.0]) | st.floats(-100, 900, width=32)
EXTENTS = st.sampled_from([0.0, 0.05, 10.0, 200.0]) | st.floats(0, 600, width=32)
LINES = st.lists(st.tuples(PLACES, EXTENTS, PLACES, st.sampled_from([0.0, 8.0, 10.0, 30.0])), min_size=1, max_size=25)


@settings(deadline=None)
@given(LINES)
def test_nearest_lines(lines: list[tuple[float, float, float, float]]) -> None:
    start, width, baseline, size = np.array(lines, np.float64).T.copy()
    end, top = start + width, baseline - size
    wide, high = np.maximum(width, 0.1), np.maximum(size, 0.1)
    none = [np.full(len(lines), -1, np.int64) for _ in range(4)]
    _, after = same_in_both(NAME, "nearest_lines", start, end, wide, top, baseline, high, baseline, size, 0.1, 0.5, 0.25, 1.0, *none)
    above, below = after[12], after[13]
    shared = np.minimum(end[:, None], end) - np.maximum(start[:, None], start)
    down = baseline[None, :] - baseline[:, None]
    lower = (down > 0.25 * np.minimum(size[:, None], size)) & (shared > 0.1 * np.minimum(wide[:, None], wide))
    np.fill_diagonal(lower, False)
    for i, (up, under) in enumerate(zip(above.tolist(), below.tolist(), strict=True)):
        assert (under >= 0) == lower[i].any()
        assert (up >= 0) == lower[:, i].any()
        assert under < 0 or (lower[i, under] and down[i, under] == down[i][lower[i]].min())
        assert up < 0 or (lower[up, i] and down[up, i] == down[:, i][lower[:, i]].min())


@settings(deadline=None)
@given(LINES, st.sampled_from([0.2, 0.8]))
def test_column_edges(lines: list[tuple[float, float, float, float]], share: float) -> None:
    start, width, _, _ = np.array(lines, np.float64).T.copy()
    end, wide = start + width, np.maximum(width, 0.1)
    order = np.argsort(start, kind="stable")
    _, after = same_in_both(NAME, "column_edges", start, end, wide, start, order, 0.5, share, np.empty(len(lines)))
    for i, found in enumerate(after[7].tolist()):
        shared = np.minimum(end[i], end) - np.maximum(start[i], start)
        column = np.sort(start[shared > 0.5 * np.minimum(wide[i], wide)])
        assert found == (column[max(1, int(np.ceil(share * len(column)))) - 1] if len(column) else start.min())
