"""Data types of the search for tables (chunks of lines, cells, tables), tables as HTML, and tables that continue on the next page."""

from __future__ import annotations

import html
from collections.abc import Collection, Mapping, Sequence
from typing import Final

from msgspec import Struct, field
from msgspec.structs import replace

from pdfmill.schemas.statistics import TableEnd
from pdfmill.transforms.layout.settings.layout_settings import DEFAULTS, LayoutSettings

Box = tuple[float, float, float, float]


class Chunk(Struct):
    """A part of a line without a wide gap between its words. start, end: its range in the line's text. first, last: index on the page of
    its first word, and after its last. before, after: currency signs, percent signs and the like that belong to it."""

    line: int  # index of the line in its page
    start: int  # characters
    end: int
    x0: float  # with top, x1 and bottom the box in the frame, points
    top: float
    x1: float
    bottom: float
    size: float  # font size, points
    text: str
    bold: bool
    first: int = 0
    last: int = 0
    before: list[Chunk] = field(default_factory=list)  # at some distance to its left
    after: list[Chunk] = field(default_factory=list)  # at some distance to its right; also leader dots

    @property
    def middle(self) -> float:
        """The horizontal middle of the chunk, points."""
        return (self.x0 + self.x1) / 2

    def with_signs(self) -> list[Chunk]:
        """Return the chunk and the signs that belong to it, in reading order."""
        return [*self.before, self, *self.after]


#: Values of `Table.shown_by` for tables whose cells are drawn or tagged; the columns of other tables are inferred.
SURE: Final = frozenset(["grid", "tags"])
#: The chunks on one baseline, in reading direction. Several such rows can be one row of a table.
SetRow = list[Chunk]


class Cell(Struct):
    """A cell of a table: its first row and column, from 0, and how many it spans (`down`, `across`). heads_row: tagged as the header of its
    row."""

    row: int  # its first row, from 0
    column: int  # its first column, from 0
    down: int = 1  # number of rows that it spans
    across: int = 1  # number of columns that it spans
    chunks: list[Chunk] = field(default_factory=list)  # in reading order
    heads_row: bool = False  # tags state that it is the header of its row


class Table(Struct):
    """A table on one page. Its box is in the page's `Frame`, points. repeats: its first rows repeat the header of the previous page's
    table. shown_by: the evidence: tags, grid, rules or alignment."""

    x0: float
    top: float
    x1: float
    bottom: float
    cells: list[Cell]  # by row
    columns: int  # number of columns
    header_rows: int = 0  # number of header rows
    repeats: bool = False  # its first rows repeat the header of the table on the previous page
    shown_by: str = "alignment"  # evidence for it: tags, grid, rules or alignment

    @property
    def lines(self) -> set[int]:
        """The indices of the lines in `PageLines.lines` that are in the table."""
        return {chunk.line for cell in self.cells for chunk in cell.chunks}

    @property
    def row_count(self) -> int:
        return max((cell.row for cell in self.cells), default=-1) + 1


def is_row_of(table: Table, lines: Collection[int]) -> bool:
    """Return whether these lines are only a part of a drawn or tagged table, such as a row or a cell."""
    if table.shown_by not in SURE or not table.lines.issuperset(lines):
        return False
    cells = [cell for cell in table.cells if any(chunk.line in lines for chunk in cell.chunks)]
    return (
        min(cell.row for cell in cells) > 0
        or min(cell.column for cell in cells) > 0
        or any(chunk.line not in lines for cell in table.cells if cell.row == 0 for chunk in cell.chunks)
    )


def extents(table: Table) -> list[tuple[float, float]]:
    """Return the left and right limits, points, of each column by the cells in it alone; the table's limits for columns without such
    cells."""
    found = []
    for column in range(table.columns):
        chunks = [chunk for cell in table.cells if cell.column == column and cell.across == 1 for chunk in cell.chunks]
        found.append((round(min(c.x0 for c in chunks), 1), round(max(c.x1 for c in chunks), 1)) if chunks else (table.x0, table.x1))
    return found


def overlap(a: tuple[float, float], b: tuple[float, float]) -> bool:
    """Return whether two intervals (start, end) overlap."""
    return min(a[1], b[1]) > max(a[0], b[0])


def around(chunks: list[Chunk]) -> Box:
    """Return the box around these chunks (parts of lines)."""
    return min(c.x0 for c in chunks), min(c.top for c in chunks), max(c.x1 for c in chunks), max(c.bottom for c in chunks)


# Write a table as HTML.


def table_html(table: Table, texts: Mapping[int, str]) -> str:
    """Return the table as HTML. texts: text of each cell, by its index in `table.cells`."""
    table = _without_hollow_columns(_without_overlaps(table))
    rows: list[list[str]] = [[] for _ in range(table.row_count)]
    taken: set[tuple[int, int]] = set()
    for n, cell in enumerate(table.cells):
        heads = cell.heads_row and cell.row >= table.header_rows
        tag = "th" if heads or cell.row < table.header_rows else "td"
        spans = (f' rowspan="{cell.down}"' if cell.down > 1 else "") + (f' colspan="{cell.across}"' if cell.across > 1 else "")
        _pad(rows[cell.row], taken, cell.row, cell.column, tag)
        scope = ' scope="row"' if heads else ""
        rows[cell.row].append(f"<{tag}{scope}{spans}>{html.escape(texts.get(n, ''), quote=False)}</{tag}>")
        taken.update((cell.row + r, cell.column + c) for r in range(cell.down) for c in range(cell.across))
    for n, row in enumerate(rows):
        _pad(row, taken, n, table.columns, "th" if n < table.header_rows else "td")
    head = "".join(f"<tr>{''.join(row)}</tr>" for row in rows[: table.header_rows])
    body = "".join(f"<tr>{''.join(row)}</tr>" for row in rows[table.header_rows :])
    start = '<thead class="repeated">' if table.repeats else "<thead>"
    return "<table>" + (f"{start}{head}</thead>" if head else "") + f"<tbody>{body}</tbody></table>"


def _without_overlaps(table: Table) -> Table:
    """Return the table with each spanning cell cut where the next cell of its row begins, because HTML would move that cell."""
    begun: dict[int, list[int]] = {}
    for cell in table.cells:
        begun.setdefault(cell.row, []).append(cell.column)
    cells = [
        replace(cell, across=min([cell.across, *(column - cell.column for column in begun[cell.row] if column > cell.column)]))
        for cell in table.cells
    ]
    return replace(table, cells=cells)


def _without_hollow_columns(table: Table) -> Table:
    """Return the table without columns in which no cell begins, because HTML does not allow them (HTML Living Standard §4.9.12)."""
    filled = {(cell.row + r, cell.column + c) for cell in table.cells for r in range(cell.down) for c in range(cell.across)}
    begun = {cell.column for cell in table.cells}
    padded = {c for c in range(table.columns) if any((row, c) not in filled for row in range(table.row_count))}
    kept = [c for c in range(table.columns) if c in begun or c in padded]
    if len(kept) == table.columns:
        return table
    place = {c: n for n, c in enumerate(kept)}
    cells = [
        replace(cell, column=place[cell.column], across=sum(c in place for c in range(cell.column, cell.column + cell.across)))
        for cell in table.cells
    ]
    return replace(table, cells=cells, columns=len(kept))


def _pad(row: list[str], taken: set[tuple[int, int]], number: int, column: int, tag: str) -> None:
    """Add empty cells to the HTML of a table row, in place, up to a column. taken: (row, column) of filled positions. tag: td or th."""
    for c in range(column):
        if (number, c) not in taken:
            row.append(f"<{tag}></{tag}>")
            taken.add((number, c))


# Decide whether a table continues the one at the end of the page before.


def note_lowest(tables: Sequence[Table], settings: LayoutSettings = DEFAULTS) -> TableEnd | None:
    """Return the facts about the page's lowest table by which the next page decides whether the table continues; None without tables."""
    if not tables:
        return None
    table = max(tables, key=lambda t: t.bottom)
    return TableEnd(tuple(extents(table)), tuple(_leading_texts(table, max(1, table.header_rows), settings)), whole=True)


def repeated_rows(table: Table, end: TableEnd, settings: LayoutSettings = DEFAULTS) -> int | None:
    """Return the number of leading rows that repeat the header of the previous page's last table; None if the table does not continue it:
    if its columns are at other positions, or it has another header."""
    own = extents(table)
    if end.whole:
        if len(own) != len(end.columns) or not all(map(overlap, own, end.columns)):
            return None
        count = len(end.header)
        if _leading_texts(table, count, settings) == list(end.header):
            return count
        return 0 if not table.header_rows else None
    if table.header_rows:
        return None
    found = [[n for n, column in enumerate(own) if overlap(column, piece)] for piece in end.columns]
    apart = all(found) and len({n for each in found for n in each}) == sum(map(len, found))
    return 0 if apart and (len(found) > 2 or all(len(each) == 1 for each in found)) else None


def _leading_texts(table: Table, rows: int, settings: LayoutSettings) -> list[tuple[str, ...]]:
    return [
        tuple(
            " ".join(chunk.text for chunk in cell.chunks)[: settings.edge_chars] for cell in table.cells if cell.row == row and cell.chunks
        )
        for row in range(rows)
    ]
