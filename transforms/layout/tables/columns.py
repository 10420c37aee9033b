"""Which columns do rows leave? The white gaps between them (projection profile; compare Nurminen 2013, "Algorithmic extraction of
data in tables in PDF documents", and Kieninger 1998, T-Recs), and how well their cells are aligned."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from transforms.layout.tables.model import Cell, Chunk, SetRow
from transforms.layout.tables.settings import TableSettings
from transforms.layout.tables.words import Words, type_size

Gap = tuple[float, float]


def middles(gaps: Sequence[Gap]) -> list[float]:
    """Where columns are cut."""
    return [(a + b) / 2 for a, b in gaps]


def column_of(cuts: Sequence[float], place: float) -> int:
    """The column of a place."""
    return bisect_right(cuts, place)


def by_column(rows: Sequence[SetRow], cuts: Sequence[float]) -> list[list[Chunk]]:
    """The chunks of each column."""
    columns: list[list[Chunk]] = [[] for _ in range(len(cuts) + 1)]
    for row in rows:
        for chunk in row:
            columns[column_of(cuts, chunk.middle)].append(chunk)
    return columns


def column_gaps(rows: Sequence[SetRow], words: Words, settings: TableSettings) -> list[Gap]:
    """White gaps between columns: places that hardly any row covers, with cells on both sides in some."""
    x0, x1 = min(c.x0 for row in rows for c in row), max(c.x1 for row in rows for c in row)
    bins = int((x1 - x0) / settings.gap_step) + 2
    cover = np.zeros(bins + 1, np.int64)
    for row in rows:
        for a, b in _united(_covered(row, words, len(rows) >= settings.river_rows, settings)):
            cover[max(0, int((a - x0) / settings.gap_step))] += 1
            cover[min(bins, int((b - x0) / settings.gap_step) + 1)] -= 1
    allowed = int(settings.gap_crossing * len(rows))
    free = np.flatnonzero(np.diff(np.concatenate([[0], (np.cumsum(cover[:-1]) <= allowed).astype(np.int8), [0]])))
    least = settings.column_gap * type_size(rows) / settings.gap_step
    gaps = [
        (x0 + a * settings.gap_step, x0 + b * settings.gap_step)
        for a, b in zip(free[::2].tolist(), free[1::2].tolist(), strict=True)
        if a > 0 and b < bins - 1 and b - a >= least
    ]
    return [gap for gap in gaps if _parts_chunks(rows, gap, words, settings)]


def _covered(row: SetRow, words: Words, rivers: bool, settings: TableSettings) -> Iterator[Gap]:
    """The stretches that a row covers: its words where rivers count, else its chunks; signs with what they belong to.

    A chunk far from its neighbours may hang over a gap a little: its ends cover nothing."""
    for n, chunk in enumerate(row):
        if not chunk.before and not chunk.after:
            left, right = _overhang(chunk, row[n - 1] if n else None, row[n + 1] if n + 1 < len(row) else None, settings)
            for start, end in _stretches(chunk, words, rivers):
                yield max(start, left), min(end, right)
        else:
            yield min(c.x0 for c in [*chunk.before, chunk]), chunk.x1


def _stretches(chunk: Chunk, words: Words, rivers: bool) -> Iterator[Gap]:
    if not rivers:
        yield chunk.x0, chunk.x1
        return
    for n in range(chunk.first, chunk.last):
        yield words.x0[n], min(words.x1[n], max(chunk.x1, words.x0[n]))


def _overhang(chunk: Chunk, before: Chunk | None, after: Chunk | None, settings: TableSettings) -> Gap:
    """From where to where a chunk covers."""
    reach = min(settings.overhang * chunk.size, settings.overhang_share * (chunk.x1 - chunk.x0))
    far = settings.cell_gap * chunk.size
    left = chunk.x0 + reach if before is not None and chunk.x0 - before.x1 >= far else chunk.x0
    return left, chunk.x1 - reach if after is not None and after.x0 - chunk.x1 >= far else chunk.x1


def _united(stretches: Iterable[Gap]) -> Iterator[Gap]:
    """Stretches that meet as one: several lines may stand in one row."""
    start = end = float("-inf")
    for a, b in sorted(stretches):
        if a > end:
            if end > start:
                yield start, end
            start = a
        end = max(end, b)
    if end > start:
        yield start, end


def _parts_chunks(rows: Sequence[SetRow], gap: Gap, words: Words, settings: TableSettings) -> bool:
    """Some rows have cells on both sides."""
    middle = (gap[0] + gap[1]) / 2
    return sum(_on_both_sides(row, middle, words) for row in rows) >= settings.parted_rows


def _on_both_sides(row: SetRow, middle: float, words: Words) -> bool:
    left = any(c.x0 < middle and min(words.x1[c.first : c.last], default=c.x1) <= middle for c in row)
    right = any(c.x1 > middle and max(words.x0[c.first : c.last], default=c.x0) >= middle for c in row)
    crossed = any(words.x0[n] < middle < words.x1[n] for c in row if c.x0 < middle < c.x1 for n in range(c.first, c.last))
    return left and right and not crossed


def split_row(row: SetRow, gaps: Sequence[Gap], words: Words, settings: TableSettings) -> SetRow:
    """A chunk over a column gap is two cells where a space lies in the gap, else a spanning cell; alone in its row it is one."""
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
    """Mean share of a column's chunks that have their start, end or middle where most of them have it."""
    shares = [_most_aligned(column, settings) / len(column) for column in columns if len(column) > 1]
    return float(np.mean(shares)) if shares else 0.0


def _most_aligned(column: Sequence[Chunk], settings: TableSettings) -> int:
    slack = 2 * settings.align_slack * column[0].size
    starts, ends = [c.x0 for c in column], [c.x1 for c in column]
    return max(_most_within(places, slack) for places in (starts, ends, [(a + b) / 2 for a, b in zip(starts, ends, strict=True)]))


def _most_within(places: list[float], width: float) -> int:
    """The greatest number of places that lie within a width of each other."""
    places = sorted(places)
    return max(bisect_right(places, place + width) - n for n, place in enumerate(places))


def row_cells(number: int, row: SetRow, cuts: Sequence[float], gaps: Sequence[Gap], settings: TableSettings) -> list[Cell]:
    """The cells of a table row; a chunk that covers whole gaps spans the columns beside them."""
    cells: dict[int, Cell] = {}
    homes = [column_of(cuts, chunk.middle) for chunk in row]
    for chunk, home in zip(row, homes, strict=True):
        crossed = [n for n, (a, b) in enumerate(gaps) if chunk.x0 < a - settings.span_slack and chunk.x1 > b + settings.span_slack]
        others = {column for column in homes if column != home}
        crossed = [n for n in crossed if (n if n < home else n + 1) not in others]
        column = min([home, *crossed])
        cell = cells.setdefault(column, Cell(number, column))
        cell.across = max(cell.across, len(crossed) + 1)
        cell.chunks.append(chunk)
    covered = {c + k for c, cell in cells.items() for k in range(1, cell.across)}
    for column in sorted(covered & set(cells)):  # what stands under a span belongs to it
        owner = max((c for c in cells if c < column), default=None)
        if owner is not None:
            cells[owner].chunks.extend(cells.pop(column).chunks)
    return [cells[column] for column in sorted(cells)]
