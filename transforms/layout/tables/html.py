"""Write a table as HTML."""

from __future__ import annotations

import html
from collections.abc import Mapping

from msgspec.structs import replace

from pdfmill.transforms.layout.tables.model import Table


def table_html(table: Table, texts: Mapping[int, str]) -> str:
    """The table as HTML. texts: text by position in `table.cells`."""
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
    """The table with spans that end where the next cell of their row begins: HTML would push that cell on."""
    begun: dict[int, list[int]] = {}
    for cell in table.cells:
        begun.setdefault(cell.row, []).append(cell.column)
    cells = [
        replace(cell, across=min([cell.across, *(column - cell.column for column in begun[cell.row] if column > cell.column)]))
        for cell in table.cells
    ]
    return replace(table, cells=cells)


def _without_hollow_columns(table: Table) -> Table:
    """The table without columns that only spanning cells cross: HTML wants a cell to begin in each (HTML Living Standard §4.9.12)."""
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
    """Return empty cells up to a column."""
    for c in range(column):
        if (number, c) not in taken:
            row.append(f"<{tag}></{tag}>")
            taken.add((number, c))
