"""The data types of table search: chunks of lines, cells, tables."""

from __future__ import annotations

from collections.abc import Collection
from typing import Final

from msgspec import Struct, field

Box = tuple[float, float, float, float]


class Chunk(Struct):
    """Words of one line without a wide gap between them. line: its index in the page. start, end: offsets in its text.

    first, last: its words, as positions among the page's. before, after: a currency sign, a percent sign, leader dots that belong
    to it and stand apart from it.
    """

    line: int
    start: int
    end: int
    x0: float
    top: float
    x1: float
    bottom: float
    size: float
    text: str
    bold: bool
    first: int = 0
    last: int = 0
    before: list[Chunk] = field(default_factory=list)
    after: list[Chunk] = field(default_factory=list)

    @property
    def middle(self) -> float:
        """The middle between its ends."""
        return (self.x0 + self.x1) / 2

    def with_signs(self) -> list[Chunk]:
        """The chunk and the signs that belong to it, in reading order."""
        return [*self.before, self, *self.after]


#: What shows the cells themselves, by `Table.shown_by`; elsewhere columns are worked out.
SURE: Final = frozenset(["grid", "tags"])
#: Chunks on one baseline, in reading direction.
SetRow = list[Chunk]


class Cell(Struct):
    """One cell: its position, its spans, its chunks in reading order. heads_row: the tags say that it is the head of its row."""

    row: int
    column: int
    down: int = 1
    across: int = 1
    chunks: list[Chunk] = field(default_factory=list)
    heads_row: bool = False


class Table(Struct):
    """A table: its box in the frame, its cells in row order, and its numbers of columns and header rows.

    repeats: its header rows repeat those of the page before, where it began. shown_by: what it was found by: tags, grid, rules, alignment.
    """

    x0: float
    top: float
    x1: float
    bottom: float
    cells: list[Cell]
    columns: int
    header_rows: int = 0
    repeats: bool = False
    shown_by: str = "alignment"

    @property
    def lines(self) -> set[int]:
        """The page's lines in the table."""
        return {chunk.line for cell in self.cells for chunk in cell.chunks}

    @property
    def row_count(self) -> int:
        """The number of rows."""
        return max((cell.row for cell in self.cells), default=-1) + 1


def is_row_of(table: Table, lines: Collection[int]) -> bool:
    """These lines are a row of drawn or tagged cells or a cell beside others: they stand below the first row, or not alone in it, or
    beside an empty cell, under which the labels stand."""
    if table.shown_by not in SURE or not table.lines.issuperset(lines):
        return False
    cells = [cell for cell in table.cells if any(chunk.line in lines for chunk in cell.chunks)]
    return (
        min(cell.row for cell in cells) > 0
        or min(cell.column for cell in cells) > 0
        or any(chunk.line not in lines for cell in table.cells if cell.row == 0 for chunk in cell.chunks)
    )


def extents(table: Table) -> list[tuple[float, float]]:
    """Return the left and right limit of each column's own cells; without any, those of the table."""
    found = []
    for column in range(table.columns):
        chunks = [chunk for cell in table.cells if cell.column == column and cell.across == 1 for chunk in cell.chunks]
        found.append((round(min(c.x0 for c in chunks), 1), round(max(c.x1 for c in chunks), 1)) if chunks else (table.x0, table.x1))
    return found


def overlap(a: tuple[float, float], b: tuple[float, float]) -> bool:
    """Return whether two intervals overlap."""
    return min(a[1], b[1]) > max(a[0], b[0])


def around(chunks: list[Chunk]) -> Box:
    """Return the box around some chunks."""
    return min(c.x0 for c in chunks), min(c.top for c in chunks), max(c.x1 for c in chunks), max(c.bottom for c in chunks)
