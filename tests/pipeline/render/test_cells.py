import pytest

from pdfmill.pipeline.render.cells import Cell, fit_spans, has_spans, read_cells


def _grid(html):
    return [[(cell.text.strip(), cell.rows, cell.columns) for cell in row] for row in read_cells(html)]


def test_cells_have_text_and_kind():
    rows = read_cells("<table><thead><tr><th>a &lt; b</th></tr></thead><tbody><tr><td> c\n d </td></tr></tbody></table>")
    assert [(cell.text.strip(), cell.header) for row in rows for cell in row] == [("a < b", True), ("c d", False)]
    assert not has_spans(rows)


@pytest.mark.parametrize(
    ("html", "grid"),
    [
        ("<tr><td rowspan=9>a<td>b", [[("a", 1, 1), ("b", 1, 1)]]),  # leaves the table
        ("<tr><td rowspan=3>a<td>b<tr><tr><td>c", [[("a", 2, 1), ("b", 1, 1)], [("c", 1, 1)]]),  # a row where nothing begins
        ("<tr><td colspan=3>a<tr><td colspan=2>b<td>c", [[("a", 1, 2)], [("b", 1, 1), ("c", 1, 1)]]),  # such a column
        ("<tr><td>x<td rowspan=2>a<tr><td colspan=2>b", [[("x", 1, 1), ("a", 2, 1)], [("b", 1, 1)]]),  # over another cell
        ("<tr><td colspan=junk>a", [[("a", 1, 1)]]),
        ("<p>no table", []),
    ],
)
def test_spans_are_such_that_html_allows_them(html, grid):
    assert _grid(html) == grid


def test_a_span_over_several_columns_and_rows_where_nothing_begins():
    (top, low) = fit_spans([[Cell("a", columns=5, rows=4), Cell("b")], [], [], [Cell("c")]])
    assert (top[0].columns, top[0].rows, [cell.text for cell in low]) == (1, 2, ["c"])
