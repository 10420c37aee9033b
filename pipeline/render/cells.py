"""The cells of a table, parsed from the column `blocks.html`."""

from __future__ import annotations

from collections.abc import Sequence
from html.parser import HTMLParser

from msgspec import Struct


class Cell(Struct):
    """A cell of a table. text: with white space collapsed. header: it is a `th`. rows, columns: how many of them it spans, at least 1."""

    text: str
    header: bool = False
    rows: int = 1
    columns: int = 1


def read_cells(html: str) -> list[list[Cell]]:
    """Return the cells of each row of the table in the HTML. `fit_spans` corrects wrong spans; nested markup in a cell counts as text.

    >>> [[cell.text for cell in row] for row in read_cells("<table><tr><th>a</th><td>b<br>c</td></tr></table>")]
    [['a', 'b c']]
    """
    reader = _Reader()
    reader.feed(html)
    reader.close()
    return fit_spans(reader.rows)


def placed_cells(html: str) -> tuple[list[list[str]], int]:
    """Return the table as a rectangle of texts, "" where a cell spans further positions, and the number of its header rows.

    >>> placed_cells("<table><tr><th colspan=2>a</th></tr><tr><td>b</td><td>c</td></tr></table>")
    ([['a', ''], ['b', 'c']], 1)
    """
    rows = read_cells(html)
    places = place(rows)
    width = max((left + cell.columns for cell, _, left in places), default=0)
    texts = [[""] * width for _ in rows]
    for cell, top, left in places:
        texts[top][left] = cell.text.strip()
    return texts, next((n for n, row in enumerate(rows) if not all(cell.header for cell in row)), len(rows))


def has_spans(rows: Sequence[Sequence[Cell]]) -> bool:
    """Return whether any cell spans more than one position."""
    return any(cell.rows > 1 or cell.columns > 1 for row in rows for cell in row)


def without_repeated(rows: list[list[Cell]], first: Sequence[Sequence[Cell]]) -> list[list[Cell]]:
    """Return the rows of a table's continuation on a further page, without the header rows that repeat those of its first page, `first`."""
    count = next((n for n, row in enumerate(rows) if not all(cell.header for cell in row)), 0)
    same = [[cell.text.strip() for cell in row] for row in rows[:count]] == [[cell.text.strip() for cell in row] for row in first[:count]]
    return rows[count:] if same else rows


def without_empty(rows: Sequence[Sequence[Cell]]) -> list[list[Cell]]:
    """Remove rows and columns whose cells are all empty, and return the others; the spans of cells are changed in place.

    >>> [[cell.text for cell in row] for row in without_empty(read_cells("<tr><td>a<td><td>b<tr><td><td><td><tr><td>c<td><td>d"))]
    [['a', 'b'], ['c', 'd']]
    """
    places = place(rows)
    tops = {top for cell, top, _ in places if cell.text.strip() or cell.rows > 1}
    lefts = {left for cell, _, left in places if cell.text.strip() or cell.columns > 1}
    kept: list[list[Cell]] = [[] for _ in rows]
    for cell, top, left in places:
        cell.columns -= sum(column not in lefts for column in range(left + 1, left + cell.columns))
        if top in tops and left in lefts:
            kept[top].append(cell)
    return fit_spans(kept)


def fit_spans(rows: Sequence[Sequence[Cell]]) -> list[list[Cell]]:
    """Remove rows and columns in which no cell begins, and return the others. Spans that overlap cells or leave the table are shortened, in
    place, because HTML treats them as errors (HTML §4.9.12.1, forming a table)."""
    places = place(rows)
    for cell, top, _ in places:
        cell.rows -= sum(not row for row in rows[top + 1 : top + cell.rows])
    begins = {left for _, _, left in places}
    for cell, _, left in places:
        cell.columns -= sum(column not in begins for column in range(left + 1, left + cell.columns))
    return [list(row) for row in rows if row]


def place(rows: Sequence[Sequence[Cell]]) -> list[tuple[Cell, int, int]]:
    """Return (cell, row, column) for each cell, counted from 0. Spans that overlap a cell or exceed the table are shortened in place."""
    taken: set[tuple[int, int]] = set()
    places = []
    for number, row in enumerate(rows):
        left = 0
        for cell in row:
            while (number, left) in taken:
                left += 1
            cell.rows = min(cell.rows, len(rows) - number)
            cell.columns = next((width for width in range(1, cell.columns) if (number, left + width) in taken), cell.columns)
            places.append((cell, number, left))
            taken.update((number + down, left + right) for down in range(cell.rows) for right in range(cell.columns))
            left += cell.columns
    return places


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.rows: list[list[Cell]] = []
        self._cell: Cell | None = None

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "tr":
            self._cell = None
            self.rows.append([])
        elif tag in ("td", "th"):
            if not self.rows:
                self.rows.append([])
            given = dict(attrs)
            self._cell = Cell("", tag == "th", _span(given.get("rowspan")), _span(given.get("colspan")))
            self.rows[-1].append(self._cell)
        elif tag in ("br", "p", "div", "li"):
            self.handle_data(" ")

    def handle_endtag(self, tag: str) -> None:
        if tag in ("td", "th", "tr", "table"):
            self._cell = None

    def handle_data(self, data: str) -> None:
        if self._cell is not None:
            self._cell.text = " ".join(f"{self._cell.text}{data}".split()) + (" " if data[-1:].isspace() else "")


def _span(value: str | None) -> int:
    return max(1, min(int(value), 1000)) if value and value.isdecimal() else 1
