"""Build tables from drawn cells: put the text into the cells, and divide cells that contain several rows."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Final

import numpy as np
from msgspec.structs import replace

from pdfmill.transforms.layout.settings.table_settings import TableSettings
from pdfmill.transforms.layout.tables.header import header_rows
from pdfmill.transforms.layout.tables.model import Box, Cell, Chunk, Table
from pdfmill.transforms.layout.tables.words import Words, is_number

#: Points; largest distance of edges of cells that count as one.
_SAME_EDGE: Final = 2.0
#: Smallest number of cells of a grid: two rows of two.
_LEAST_CELLS: Final = 4
#: Em, wider than any gap in a line: lines in drawn cells are cut only at the borders of cells.
_WHOLE_LINES: Final = 1e6


class Grid:
    """The drawn cells of one table. Positions are points in the page's `Frame`."""

    def __init__(self, boxes: Sequence[Box]) -> None:
        self.boxes = boxes
        self.lefts, self.tops = _edges([b[0] for b in boxes]), _edges([b[1] for b in boxes])
        self.outer: Box = min(b[0] for b in boxes), min(b[1] for b in boxes), max(b[2] for b in boxes), max(b[3] for b in boxes)
        self.cells = [self._cell(box) for box in boxes]
        self._at = {(c.row + r, c.column + k): n for n, c in enumerate(self.cells) for r in range(c.down) for k in range(c.across)}
        self._table = np.array(boxes, np.float64)

    def _cell(self, box: Box) -> Cell:
        column, row = _nearest(self.lefts, box[0]), _nearest(self.tops, box[1])
        across = bisect_left(self.lefts, box[2] - _SAME_EDGE) - bisect_right(self.lefts, box[0] - _SAME_EDGE)
        down = bisect_left(self.tops, box[3] - _SAME_EDGE) - bisect_right(self.tops, box[1] - _SAME_EDGE)
        return Cell(row, column, max(1, down), max(1, across))

    def fill(self, lines: Iterable[int], words: Words) -> None:
        """Put the text of these lines into the cells that contain it, or into the nearest cells."""
        cuts = self.lefts[1:]
        for line in sorted(lines, key=lambda i: (round(words.baseline[i] / 2), words.x0[words.first[i]])):
            for chunk in words.chunks(line, _WHOLE_LINES, cuts):
                self.cells[self._holder(chunk)].chunks.append(chunk)

    def _holder(self, chunk: Chunk) -> int:
        """Return the index of the cell that contains the middle of a chunk (neighbouring words of a line), or of the nearest cell."""
        x, y = chunk.middle, (chunk.top + chunk.bottom) / 2
        n = self._at.get((bisect_right(self.tops, y) - 1, bisect_right(self.lefts, x) - 1))
        if n is not None and self._away(n, x, y) <= 0.0:
            return n
        t = self._table
        away = np.maximum(np.maximum(t[:, 0] - x, x - t[:, 2]), 0.0) + np.maximum(np.maximum(t[:, 1] - y, y - t[:, 3]), 0.0)
        return int(np.argmin(away))

    def _away(self, n: int, x: float, y: float) -> float:
        x0, top, x1, bottom = self.boxes[n]
        return max(x0 - x, x - x1, top - y, y - bottom)

    def table(self, settings: TableSettings) -> Table:
        """Return the table of the grid's cells, after `fill` has put the text into them."""
        cells = split_rows(split_heads(self.cells, self.lefts, settings), settings)
        table = Table(*self.outer, sorted(cells, key=lambda c: (c.row, c.column)), len(self.lefts), shown_by="grid")
        table.header_rows = header_rows(table, None, settings)
        return table


def grid_of(rows: Sequence[Sequence[Box]]) -> Grid | None:
    """Return the grid of drawn rows of cells; None if the cells are only a frame, a single row or a single column."""
    boxes = [box for row in rows for box in row]
    if len(rows) < 2 or len(boxes) < _LEAST_CELLS or max(map(len, rows)) < 2:
        return None
    grid = Grid(boxes)
    return grid if len(grid.lefts) > 1 and len(grid.tops) > 1 else None


def split_heads(cells: Sequence[Cell], lefts: Sequence[float], settings: TableSettings) -> list[Cell]:
    """Divide each drawn cell over several columns if its last line has a heading for each column. lefts: left limits of the columns,
    points."""
    heads = {n: last for n, cell in enumerate(cells) if (last := _heads(cell, lefts, settings))}
    if not heads:
        return list(cells)
    stacked = {cells[n].row for n, last in heads.items() if len(last) < len(cells[n].chunks) and cells[n].down == 1}
    moved: list[Cell] = []
    for n, cell in enumerate(cells):
        row = cell.row + sum(other < cell.row for other in stacked)
        down = cell.down + sum(cell.row <= other < cell.row + cell.down for other in stacked)
        last = heads.get(n, [])
        above = [chunk for chunk in cell.chunks if chunk not in last]
        if not last or (above and cell.row not in stacked):
            moved.append(replace(cell, row=row, down=down))
            continue
        if above:
            moved.append(replace(cell, row=row, down=1, chunks=above))
        begins, left = (row + 1, down - 1) if above else (row, down)
        moved += [Cell(begins, bisect_right(lefts, chunk.middle) - 1, left, 1, [chunk]) for chunk in last]
    return moved


def _heads(cell: Cell, lefts: Sequence[float], settings: TableSettings) -> list[Chunk]:
    """Return the parts of the last line of a cell over several columns if each part is in a column of its own; else []."""
    if cell.across < 2 or len(cell.chunks) < 2:
        return []
    lowest = max(chunk.bottom for chunk in cell.chunks)
    last = sorted((c for c in cell.chunks if lowest - c.bottom <= settings.same_row * c.size), key=lambda c: c.x0)
    apart = all(b.x0 - a.x1 >= settings.cell_gap * b.size for a, b in pairwise(last))
    columns = {bisect_right(lefts, chunk.middle) for chunk in last}
    return last if len(last) > 1 and apart and len(columns) == len(last) else []


def split_rows(cells: Sequence[Cell], settings: TableSettings) -> list[Cell]:
    """Return the cells, with drawn rows divided into several rows if the lines in their cells have aligned baselines. Cells may become
    empty."""
    by_row: dict[int, list[Cell]] = {}
    for cell in cells:
        by_row.setdefault(cell.row, []).append(cell)
    held = {cell.row + k for cell in cells if cell.down > 1 for k in range(cell.down)}
    places = {row: [] if row in held else _aligned_baselines(found, settings) for row, found in by_row.items()}
    if not any(places.values()):
        return list(cells)
    added = np.concatenate([[0], np.cumsum([max(0, len(places.get(row, [])) - 1) for row in range(max(by_row) + 1)])])
    moved: list[Cell] = []
    for cell in cells:
        first = cell.row + int(added[cell.row])
        lines = places[cell.row]
        if not lines:
            moved.append(replace(cell, row=first, down=cell.down))
            continue
        for n, (low, high) in enumerate(zip([float("-inf"), *lines[1:]], [*lines[1:], float("inf")], strict=True)):
            moved.append(Cell(first + n, cell.column, 1, cell.across, [c for c in cell.chunks if low <= c.bottom < high]))
    return moved


def _aligned_baselines(cells: Sequence[Cell], settings: TableSettings) -> list[float]:
    """Return a position above each row of text in a drawn row of cells, points from the top of the page; [] if the cells have wrapped
    text."""
    filled = [cell for cell in cells if cell.chunks]
    lines = [[row[0].bottom for row in set_rows(cell.chunks, settings)] for cell in filled]
    fullest = max(lines, key=len, default=[])
    if sum(len(each) > 1 for each in lines) < 2:
        return []
    slack = settings.same_row * min(c.size for cell in filled for c in cell.chunks)
    if any(min(abs(height - row) for row in fullest) > slack for each in lines for height in each):
        return []
    numbers = any(len(each) > 1 and all(is_number(c.text) for c in cell.chunks) for cell, each in zip(filled, lines, strict=True))
    if not numbers and (len(fullest) < settings.cell_rows or any(len(each) < len(fullest) for each in lines)):
        return []
    return [height - slack for height in fullest]


def set_rows(chunks: Iterable[Chunk], settings: TableSettings) -> list[list[Chunk]]:
    """Group chunks (parts of lines) to rows by the positions of their lower edges, from top to bottom."""
    rows: list[list[Chunk]] = []
    for chunk in sorted(chunks, key=lambda c: c.bottom):
        if rows and chunk.bottom - rows[-1][0].bottom <= settings.same_row * chunk.size:
            rows[-1].append(chunk)
        else:
            rows.append([chunk])
    return rows


def _edges(values: Sequence[float]) -> list[float]:
    found: list[float] = []
    for value in sorted(values):
        if not found or value - found[-1] > _SAME_EDGE:
            found.append(value)
    return found


def _nearest(edges: Sequence[float], value: float) -> int:
    n = bisect_left(edges, value)
    return min((k for k in (n - 1, n) if 0 <= k < len(edges)), key=lambda k: abs(edges[k] - value))
