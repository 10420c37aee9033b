"""Find the columns of rows by the white gaps between them (projection profile; compare Nurminen 2013, "Algorithmic extraction of data in
tables in PDF documents", and Kieninger 1998, T-Recs). A chunk is a part of a line without wide gaps."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from pdfmill.schemas.compiled import fastest
from pdfmill.transforms.layout.settings.table_settings import TableSettings
from pdfmill.transforms.layout.tables.gap_loops import NONE
from pdfmill.transforms.layout.tables.model import Cell, Chunk, SetRow
from pdfmill.transforms.layout.tables.words import Words, type_size

_LOOPS: Final[Any] = fastest("pdfmill.transforms.layout.tables.gap_loops")

Gap = tuple[float, float]


def middles(gaps: Sequence[Gap]) -> list[float]:
    """Return the middles of the gaps, at which columns are separated."""
    return [(a + b) / 2 for a, b in gaps]


def column_of(cuts: Sequence[float], place: float) -> int:
    """Return the index of the column that contains a position. cuts: positions between columns, ascending; all in points."""
    return bisect_right(cuts, place)


def by_column(rows: Sequence[SetRow], cuts: Sequence[float]) -> list[list[Chunk]]:
    """Return the chunks (parts of lines without wide gaps) of each column. cuts: the positions between columns, points."""
    columns: list[list[Chunk]] = [[] for _ in range(len(cuts) + 1)]
    for row in rows:
        for chunk in row:
            columns[column_of(cuts, chunk.middle)].append(chunk)
    return columns


def column_gaps(rows: Sequence[SetRow], words: Words, settings: TableSettings) -> list[Gap]:
    """Return the white gaps between columns: stretches that hardly any row covers, with cells on both sides in some rows.
    In many rows the boxes of words count, in few those of chunks (parts of lines without wide gaps)."""
    chunks = [chunk for row in rows for chunk in row]
    sides = np.array([(c.x0, c.x1, c.size, _with_signs(c)) for c in chunks], np.float64)
    places = np.array([(n, c.first, c.last) for n, row in enumerate(rows) for c in row], np.int64)
    low, step = float(sides[:, 0].min()), settings.gap_step
    bins = int((float(sides[:, 1].max()) - low) / step) + 2
    spans = np.empty((len(chunks) + int((places[:, 2] - places[:, 1]).sum()), 2))
    found = np.empty((bins, 2))
    count = _LOOPS.find_gaps(
        *(sides, places, *words.sides, low, step),
        len(rows) > settings.table_rows,  # few rows have common gaps between words by chance
        *(int(settings.gap_crossing * len(rows)), settings.column_gap * type_size(rows) / step),
        *(settings.cell_gap, settings.overhang, settings.overhang_share, spans, np.zeros(bins + 1, np.int64), found),
    )
    return [(a, b) for a, b in found[:count].tolist()]


def _with_signs(chunk: Chunk) -> float:
    """Return the left end, points, of a chunk with the currency signs and the like before it; `NONE` if no signs belong to it."""
    return min(c.x0 for c in [*chunk.before, chunk]) if chunk.before or chunk.after else NONE


def split_row(row: SetRow, gaps: Sequence[Gap], words: Words, settings: TableSettings) -> SetRow:
    """Divide each chunk across a column gap into two cells if it has a space in the gap; else it is one cell over several columns."""
    if len(row) == 1:
        return row
    return [part for chunk in row for part in _split(chunk, gaps, words, settings)]


def _split(chunk: Chunk, gaps: Sequence[Gap], words: Words, settings: TableSettings) -> list[Chunk]:
    inside = [(a + b) / 2 for a, b in gaps if chunk.x0 < a and chunk.x1 > b]
    if not inside:
        return [chunk]
    parts = [c for c in words.chunks(chunk.line, settings.cell_gap, inside) if c.start >= chunk.start and c.end <= chunk.end]
    whole = sum(len(part.text.replace(" ", "")) for part in parts) == len(chunk.text.replace(" ", ""))
    if len(parts) < 2 or not whole:
        return [chunk]
    parts[0].before, parts[-1].after = chunk.before, chunk.after
    return parts


def aligned_share(columns: Sequence[Sequence[Chunk]], settings: TableSettings) -> float:
    """Return the mean share, 0 to 1, of chunks in a column whose start, end or middle is aligned with most chunks of the column."""
    shares = [_most_aligned(column, settings) / len(column) for column in columns if len(column) > 1]
    return float(np.mean(shares)) if shares else 0.0


def _most_aligned(column: Sequence[Chunk], settings: TableSettings) -> int:
    slack = 2 * settings.align_slack * column[0].size
    starts, ends = [c.x0 for c in column], [c.x1 for c in column]
    return max(_most_within(places, slack) for places in (starts, ends, [(a + b) / 2 for a, b in zip(starts, ends, strict=True)]))


def _most_within(places: list[float], width: float) -> int:
    places = sorted(places)
    return max(bisect_right(places, place + width) - n for n, place in enumerate(places))


def row_cells(number: int, row: SetRow, cuts: Sequence[float], gaps: Sequence[Gap], settings: TableSettings) -> list[Cell]:
    """Return the cells of a table row. A chunk that covers whole gaps spans the columns beside them. cuts: positions between columns,
    points."""
    cells: dict[int, Cell] = {}
    homes = [column_of(cuts, chunk.middle) for chunk in row]
    for chunk, home in zip(row, homes, strict=True):
        crossed = [n for n, (a, b) in enumerate(gaps) if chunk.x0 < a - settings.touch and chunk.x1 > b + settings.touch]
        others = {column for column in homes if column != home}
        crossed = [n for n in crossed if (n if n < home else n + 1) not in others]
        column = min([home, *crossed])
        cell = cells.setdefault(column, Cell(number, column))
        cell.across = max(cell.across, len(crossed) + 1)
        cell.chunks.append(chunk)
    covered = {c + k for c, cell in cells.items() for k in range(1, cell.across)}
    for column in sorted(covered & set(cells)):  # text in a column that a cell spans belongs to that cell
        owner = max((c for c in cells if c < column), default=None)
        if owner is not None:
            cells[owner].chunks.extend(cells.pop(column).chunks)
    return [cells[column] for column in sorted(cells)]
