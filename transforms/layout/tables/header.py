"""Find the header rows of a table, and the columns that their cells span."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from pdfmill.transforms.layout.settings.table_settings import TableSettings
from pdfmill.transforms.layout.tables.columns import Gap, column_of, row_cells
from pdfmill.transforms.layout.tables.drawn import Drawn
from pdfmill.transforms.layout.tables.model import Cell, Chunk, SetRow, Table
from pdfmill.transforms.layout.tables.rows import RowContext
from pdfmill.transforms.layout.tables.words import is_number, is_year

#: Points; left end of the first column relative to the table if nothing bounds it.
_FAR: Final = 1e4


def header_rows(table: Table, rule: float | None, settings: TableSettings) -> int:
    """Return the number of header rows: the rows above `rule` if they are few, else leading bold rows above rows that are not bold.
    rule: position of the first full drawn rule, in points from the top of the page, or None."""
    rows = table.row_count
    if rule is not None:
        above = {cell.row for cell in table.cells if cell.chunks and max(c.bottom for c in cell.chunks) <= rule + settings.touch}
        if 0 < len(above) <= max(1, rows // 2):
            return max(above) + 1
    plain = {cell.row for cell in table.cells if not all(c.bold and (is_year(c.text) or not is_number(c.text)) for c in cell.chunks)}
    leading = next((n for n in range(rows) if n in plain), rows)
    return leading if 0 < leading < rows else 0


def header_rule(rows: Sequence[SetRow], rule: float | None, is_figure: Callable[[Chunk], bool], settings: TableSettings) -> float | None:
    """Return `rule` if it ends a header; None if at least two rows above it contain figures, as in the body of a table.
    rule: position of a drawn rule, in points from the top of the page. is_figure: returns whether a chunk is a number that is no year."""
    if rule is None:
        return None
    above = [row for row in rows if max(c.bottom for c in row) <= rule + settings.touch]
    return rule if sum(any(map(is_figure, row)) for row in above) < 2 else None


def is_figure(chunk: Chunk, context: RowContext) -> bool:
    """Return whether the chunk (part of a line) is a number in a column of numbers, and not a year."""
    return is_number(chunk.text) and not is_year(chunk.text) and column_of(context.cuts, chunk.middle) in context.numeric


def split_header(rows: Sequence[SetRow], rule: float | None, context: RowContext) -> int:
    """Return the number of text rows in the header: those above `rule`, else those before the first number or lone label.
    rule: position of a drawn rule, points from the top of the page."""
    if rule is not None:
        above = sum(max(c.bottom for c in row) <= rule + context.settings.touch for row in rows)
        return above if above <= max(2, len(rows) // 2) else 0
    if not context.numeric:
        return 0
    for n, row in enumerate(rows):
        if any(is_figure(c, context) for c in row):
            return n
        if n and len(row) == 1 and column_of(context.cuts, row[0].middle) == 0:
            return n
    return 0


def join_header(rows: Sequence[SetRow], gaps: Sequence[Gap], drawn: Drawn, context: RowContext, width: float) -> list[SetRow]:
    """Join the text rows of a header to rows of the table. A new row begins below a cell that spans columns of the next row, and below a
    row of one cell. width: width of the table, points."""
    levels: list[SetRow] = []
    for row in rows:
        if levels and not _spans(levels[-1], row, gaps, drawn, context, width) and not _lone_title(levels[-1], row):
            levels[-1].extend(row)
        else:
            levels.append(list(row))
    return levels


def _lone_title(above: SetRow, row: SetRow) -> bool:
    return len(above) == 1 and len(row) > 1


def _spans(above: SetRow, row: SetRow, gaps: Sequence[Gap], drawn: Drawn, context: RowContext, width: float) -> bool:
    """Return whether a cell of the row `above` spans columns that have cells of their own in `row`. width: width of the table, points."""
    columns = {column_of(context.cuts, chunk.middle) for chunk in row}
    for cell in row_cells(0, above, context.cuts, gaps, context.settings):
        place = _span(cell, drawn, context, width)
        across = place[1] - place[0] + 1 if place else cell.across
        first = place[0] if place else cell.column
        if across > 1 and len(columns & set(range(first, first + across))) > 1:
            return True
    return False


def _span(cell: Cell, drawn: Drawn, context: RowContext, width: float) -> tuple[int, int] | None:
    """Return the first and last column that a short drawn rule under a cell covers (cmidrule of booktabs), or None. width: of the table,
    points."""
    rule = drawn.under(cell.chunks, width)
    if rule is None:
        return None
    covered = _covered_columns(rule[0], rule[2], context)
    return (covered[0], covered[-1]) if len(covered) > 1 and cell.column in covered else None


def _covered_columns(x0: float, x1: float, context: RowContext) -> list[int]:
    starts = [float("-inf"), *context.cuts]
    middles = [(max(start, x0 - _FAR) + limit) / 2 for start, limit in zip(starts, context.limits, strict=True)]
    middles[0] = context.limits[0] - context.em
    return [n for n, middle in enumerate(middles) if x0 - context.settings.same_end <= middle <= x1 + context.settings.same_end]


def spread(table: Table, drawn: Drawn, context: RowContext) -> None:
    """Set, in place, which columns header cells span, by the drawn rules under them."""
    rows: dict[int, list[Cell]] = {}
    for cell in table.cells:
        rows.setdefault(cell.row, []).append(cell)
    width = table.x1 - table.x0
    for number, cells in rows.items():
        for cell in cells:
            if cell.across > 1 or not cell.chunks:
                continue
            place = _span(cell, drawn, context, width) if number <= table.header_rows else None
            if place is not None:
                cell.column, cell.across = place[0], place[1] - place[0] + 1
    _let_down(rows, table, context.settings)
    table.cells.sort(key=lambda c: (c.row, c.column))


def _let_down(rows: dict[int, list[Cell]], table: Table, settings: TableSettings) -> None:
    """Let header cells extend over two rows, in place: a row with a cell over several columns, and the row below it, which is empty
    there."""
    for number in range(table.header_rows - 1):
        upper, lower = rows.get(number, []), rows.get(number + 1, [])
        if not any(cell.across > 1 for cell in upper):
            continue
        top = min((c.bottom for cell in upper for c in cell.chunks), default=0.0)
        base = max((c.bottom for cell in lower for c in cell.chunks), default=0.0)
        taken = {cell.column + k for cell in upper for k in range(cell.across)}
        for cell in [*upper, *lower]:
            if cell.across > 1 or not cell.chunks:
                continue
            alone = not any(o.column == cell.column for o in lower)
            middle = cell.column not in taken and max(c.bottom for c in cell.chunks) < base - settings.touch
            raised = max(c.bottom for c in cell.chunks) > top + settings.touch
            if (alone and (raised or cell.column == 0)) or middle:
                cell.row, cell.down = number, 2
