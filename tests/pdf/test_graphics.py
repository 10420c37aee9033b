"""Rules, fills, images and the tables that ruling lines make."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from pdfplumber.table import merge_edges as their_merge
from pdfplumber.utils.geometry import filter_edges

from pdfmill.transforms.pdf.text.ruled_tables import find_ruled_tables, merge_edges
from tests.pdf.pages import make_page, read

GRID = "1 w " + " ".join(f"50 {y} m 250 {y} l S" for y in (50, 100, 150)) + " " + " ".join(f"{x} 50 m {x} 150 l S" for x in (50, 150, 250))


def test_thin_strokes_and_fills_are_rules_and_larger_fills_are_fills() -> None:
    content = read(make_page("1 w 10 50 m 200 50 l S 10 20 100 1 re f 0 0 1 rg 10 100 80 40 re f"))
    assert len(content.rules) == 2
    np.testing.assert_allclose(content.fills, [[10, 60, 90, 100]], atol=0.6)


def test_a_rotated_page_rotates_its_rules() -> None:
    x0, top, x1, bottom = read(make_page("1 w 10 50 m 200 50 l S", Rotate=90)).rules[0]
    assert x1 - x0 < 3 < bottom - top


def test_a_grid_is_a_table_of_cells() -> None:
    (table,) = read(make_page(GRID)).tables
    assert [[cell is not None for cell in row] for row in table.rows] == [[True, True], [True, True]]
    np.testing.assert_allclose((table.x0, table.top, table.x1, table.bottom), (50, 50, 250, 150), atol=1)
    first = table.rows[0][0]
    assert first is not None
    np.testing.assert_allclose(first, (50, 50, 150, 100), atol=1)


def test_a_grid_in_one_path_is_the_same_table() -> None:
    path = (
        "1 w "
        + " ".join(f"50 {y} m 250 {y} l" for y in (50, 100, 150))
        + " "
        + " ".join(f"{x} 50 m {x} 150 l" for x in (50, 150, 250))
        + " S"
    )
    assert read(make_page(path)).tables == read(make_page(GRID)).tables


def test_a_cell_that_spans_leaves_no_cell_where_it_reaches() -> None:
    lines = "1 w 50 50 m 250 50 l S 50 100 m 250 100 l S 50 150 m 250 150 l S 50 50 m 50 150 l S 250 50 m 250 150 l S 150 50 m 150 100 l S"
    (table,) = read(make_page(lines)).tables
    assert [[cell is not None for cell in row] for row in table.rows] == [[True, False], [True, True]]


def test_one_frame_and_lines_of_one_direction_are_no_tables() -> None:
    assert read(make_page("1 w 50 50 200 100 re S")).tables == []
    assert read(make_page(" ".join(f"50 {y} m 250 {y} l S" for y in (50, 100, 150)))).tables == []


def test_too_many_edges_are_a_drawing() -> None:
    edges = np.array([[50, y, 250, y] for y in (50, 100, 150)] + [[x, 50, x, 150] for x in (50, 150, 250)], np.float32)
    assert len(find_ruled_tables(edges, 6)) == 1
    assert find_ruled_tables(edges, 5) == []


@given(st.lists(st.tuples(st.integers(0, 30), st.integers(0, 40), st.integers(0, 30), st.booleans()), max_size=30))
def test_edges_are_merged_as_pdfplumber_merges_them(edges: list[tuple[int, int, int, bool]]) -> None:
    boxes = [(at / 2, start / 2, at / 2, (start + length) / 2) if down else (start / 2, at / 2, (start + length) / 2, at / 2)
             for at, start, length, down in edges]  # fmt: skip
    objects: list[dict[str, Any]] = [
        {"x0": x0, "top": top, "x1": x1, "bottom": bottom, "doctop": top, "width": x1 - x0, "height": bottom - top,
         "orientation": "h" if top == bottom else "v", "object_type": "line"}
        for x0, top, x1, bottom in boxes
    ]  # fmt: skip
    theirs = filter_edges(their_merge(objects, 3, 3, 3, 3), min_length=3)
    for way, names in (("v", ("x0", "top", "bottom")), ("h", ("top", "x0", "x1"))):
        before, after = ([each for each in found if each["orientation"] == way] for found in (objects, theirs))
        own = merge_edges((each[names[0]], each[names[1]], each[names[2]]) for each in before)
        assert own == sorted(tuple(each[name] for name in names) for each in after)
