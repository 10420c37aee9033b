"""Which columns do rows leave? The white gaps between them (projection profile; compare Nurminen 2013, "Algorithmic extraction of
data in tables in PDF documents", and Kieninger 1998, T-Recs), and how well their cells are aligned."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

import numpy as np

from pdfmill.transforms.layout.settings.table_settings import TableSettings
from pdfmill.transforms.layout.tables.model import Cell, Chunk, SetRow
from pdfmill.transforms.layout.tables.words import Words, type_size

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
    x0, x1, step = min(c.x0 for row in rows for c in row), max(c.x1 for row in rows for c in row), settings.gap_step
    bins, rivers = int((x1 - x0) / step) + 2, len(rows) > settings.table_rows  # fewer rows leave rivers by chance
    stretches = [stretch for row in rows for stretch in _united(_covered(row, words, rivers, settings))]
    begun = np.bincount([max(0, int((a - x0) / step)) for a, _ in stretches], minlength=bins + 1)
    ended = np.bincount([min(bins, int((b - x0) / step) + 1) for _, b in stretches], minlength=bins + 1)
    free = np.zeros(bins + 2, np.bool_)
    free[1:-1] = np.cumsum(begun[:bins] - ended[:bins]) <= int(settings.gap_crossing * len(rows))
    limits = np.flatnonzero(free[1:] != free[:-1]).tolist()
    least = settings.column_gap * type_size(rows) / step
    gaps = [
        (x0 + a * step, x0 + b * step) for a, b in zip(limits[::2], limits[1::2], strict=True) if a > 0 and b < bins - 1 and b - a >= least
    ]
    sides = [_sides(row, words) for row in rows] if gaps else []
    return [gap for gap in gaps if _parts_chunks(sides, gap, words)]


def _covered(row: SetRow, words: Words, rivers: bool, settings: TableSettings) -> list[Gap]:
    """Horizontal intervals that a row occupies: by word where narrow gaps may separate columns, otherwise by cell run.

    A currency sign joins its number. A cell run far from its neighbours may reach a little into a gap: its ends do not count."""
    found: list[Gap] = []
    for n, chunk in enumerate(row):
        if chunk.before or chunk.after:
            found.append((min(c.x0 for c in [*chunk.before, chunk]), chunk.x1))
            continue
        left, right = _overhang(chunk, row[n - 1] if n else None, row[n + 1] if n + 1 < len(row) else None, settings)
        if not rivers:
            found.append((max(chunk.x0, left), min(chunk.x1, right)))
            continue
        x1, edge = chunk.x1, min(right, chunk.x1)
        for start, end in zip(words.x0[chunk.first : chunk.last], words.x1[chunk.first : chunk.last], strict=True):
            limit = min(right, start) if start > x1 else edge
            found.append((start if start > left else left, end if end < limit else limit))
    return found


def _overhang(chunk: Chunk, before: Chunk | None, after: Chunk | None, settings: TableSettings) -> Gap:
    """From where to where a chunk covers."""
    left, right = chunk.x0, chunk.x1
    if before is None and after is None:
        return left, right
    far = settings.cell_gap * chunk.size
    from_left, from_right = before is not None and left - before.x1 >= far, after is not None and after.x0 - right >= far
    if from_left or from_right:
        reach = min(settings.overhang * chunk.size, settings.overhang_share * (right - left))
        return left + reach if from_left else left, right - reach if from_right else right
    return left, right


def _united(stretches: list[Gap]) -> Iterator[Gap]:
    """Stretches that meet as one: several lines may stand in one row."""
    start = end = float("-inf")
    for a, b in sorted(stretches):
        if a > end:
            if end > start:
                yield start, end
            start = a
        if b > end:
            end = b
    if end > start:
        yield start, end


class _Side(NamedTuple):
    """A chunk with where its first word to end ends, and where its last word to begin begins."""

    chunk: Chunk
    ended: float
    begun: float


def _sides(row: SetRow, words: Words) -> list[_Side]:
    return [
        _Side(c, min(words.x1[c.first : c.last], default=c.x1), max(words.x0[c.first : c.last], default=c.x0))
        for c in row
    ]  # fmt: skip


def _parts_chunks(rows: Iterable[Sequence[_Side]], gap: Gap, words: Words) -> bool:
    """Two rows at least have cells on both sides."""
    middle, needed = (gap[0] + gap[1]) / 2, 2
    for row in rows:
        if needed <= 0:
            break
        needed -= _on_both_sides(row, middle, words)
    return needed <= 0


def _on_both_sides(row: Sequence[_Side], middle: float, words: Words) -> bool:
    left = right = False
    for chunk, ended, begun in row:
        x0, x1 = chunk.x0, chunk.x1
        left, right = left or ended <= middle, right or begun >= middle
        if x0 < middle < x1 and any(words.x0[n] < middle < words.x1[n] for n in range(chunk.first, chunk.last)):
            return False
    return left and right


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
    """The largest number of positions within an interval of this width."""
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
