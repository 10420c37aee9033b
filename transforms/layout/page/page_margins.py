"""The rows at the head and foot of a page, and what parts them from the text between."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from functools import cached_property
from typing import Final

from msgspec import Struct

from pdfmill.schemas.statistics import EdgeLine, Look, PageNotes
from pdfmill.transforms.layout.settings.layout_settings import LayoutSettings

#: Height of capitals, em: .66 to .73 in most text faces.
CAPITALS: Final = 0.7


class EdgeRow(Struct, dict=True):
    """Pieces on one row at the head or foot of a page, in reading direction. number: 0 for the outermost row.

    apart: baseline distance to the next row inward, points (-1: there is none). widest: the largest of those of the rows inward of
    it that are noted. ruled: a horizontal rule stands between the two.
    """

    page: int
    head: bool
    number: int
    pieces: list[EdgeLine]
    widest: float = -1.0

    @cached_property
    def text(self) -> str:
        return " ".join(piece.text for piece in self.pieces)

    @property
    def lines(self) -> tuple[int, ...]:
        """Indices into `PageLines.lines`."""
        return tuple(piece.line for piece in self.pieces)

    @property
    def look(self) -> Look:
        return self.pieces[0].look

    @property
    def top(self) -> float:
        """About where its capitals begin, points."""
        return self.baseline - CAPITALS * self.size

    @property
    def baseline(self) -> float:
        return self.pieces[0].baseline

    @property
    def apart(self) -> float:
        return self.pieces[0].apart

    @property
    def size(self) -> float:
        return max(piece.look.size for piece in self.pieces)

    @property
    def ruled(self) -> bool:
        return self.pieces[0].ruled

    @property
    def in_table(self) -> bool:
        return any(piece.in_table for piece in self.pieces)


def edge_rows(note: PageNotes, head: bool, settings: LayoutSettings) -> list[EdgeRow]:
    """The rows at one end of a page, outermost first, as far as they stand where furniture may."""
    found: dict[int, list[EdgeLine]] = defaultdict(list)
    for edge in note.edges:
        if edge.head == head:
            found[edge.row].append(edge)
    rows = [EdgeRow(note.page, head, number, pieces) for number, pieces in sorted(found.items())]
    for n, row in enumerate(rows):
        row.widest = max((inner.apart for inner in rows[n + 1 :]), default=-1.0)
    band = settings.edge_band * note.height
    return [row for row in rows if (row.baseline <= band if head else row.baseline >= note.height - band)]


def parted(rows: Sequence[EdgeRow], n: int, taken: Sequence[bool], spacing: float, settings: LayoutSettings) -> bool:
    """Space or a rule parts row n, together with the taken rows that follow it inward, from the rest."""
    while n + 1 < len(rows) and taken[n + 1] and not is_apart(rows[n], spacing, settings):
        n += 1
    return is_apart(rows[n], spacing, settings)


def is_apart(row: EdgeRow, spacing: float, settings: LayoutSettings) -> bool:
    """More than the usual line distance, or a rule, stands between the row and the next one inward; alone on a page it is its text."""
    return row.ruled or row.apart > settings.furniture_apart * spacing


def is_table_head(rows: Sequence[EdgeRow], n: int, taken: Sequence[bool], settings: LayoutSettings) -> bool:
    """The next row that does not repeat stands in a table with it, or its pieces begin where the row's do."""
    inner = next((row for k, row in enumerate(rows) if k > n and not taken[k]), None)
    if inner is None or not rows[n].head:
        return False
    if rows[n].in_table and inner.in_table:
        return True
    return len(rows[n].pieces) > 1 and _aligned(rows[n], inner) >= settings.head_columns


def _aligned(a: EdgeRow, b: EdgeRow) -> int:
    """Pieces of two rows that begin at one place."""
    return sum(any(abs(one.x0 - two.x0) <= one.look.size / 2 for two in b.pieces) for one in a.pieces)
