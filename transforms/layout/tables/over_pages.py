"""Decide whether a table continues the one at the end of the page before."""

from __future__ import annotations

from collections.abc import Sequence

from pdfmill.schemas.statistics import TableEnd
from pdfmill.transforms.layout.settings.layout_settings import DEFAULTS, LayoutSettings
from pdfmill.transforms.layout.tables.model import Table, extents, overlap


def note_lowest(tables: Sequence[Table], settings: LayoutSettings = DEFAULTS) -> TableEnd | None:
    """Return what the next page needs to know about the lowest table, in case the page ends with it."""
    if not tables:
        return None
    table = max(tables, key=lambda t: t.bottom)
    return TableEnd(tuple(extents(table)), tuple(_leading_texts(table, max(1, table.header_rows), settings)), whole=True)


def repeated_rows(table: Table, end: TableEnd, settings: LayoutSettings = DEFAULTS) -> int | None:
    """Return how many leading rows repeat the header of the table at the end of the page before; None if this table does not continue it.

    It does when its columns stand where those stood, and it has no header of its own.
    """
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
    """Return the texts of the first rows' cells, shortened."""
    return [
        tuple(
            " ".join(chunk.text for chunk in cell.chunks)[: settings.edge_chars] for cell in table.cells if cell.row == row and cell.chunks
        )
        for row in range(rows)
    ]
