"""Find the rows of lines at the top and bottom of a page that may be running heads and feet, and whether they are separated from the
text."""

from __future__ import annotations

from collections import defaultdict

from msgspec import Struct

from pdfmill.schemas.statistics import EdgeLine, Look, PageNotes
from pdfmill.transforms.layout.settings.layout_settings import LayoutSettings


class EdgeRow(Struct):
    """The lines on one row at the top (`head`) or bottom of a page."""

    head: bool  # the row is at the head
    pieces: list[EdgeLine]  # the lines, in reading direction

    @property
    def lines(self) -> tuple[int, ...]:
        """The indices of the row's lines in `PageLines.lines`."""
        return tuple(piece.line for piece in self.pieces)

    @property
    def look(self) -> Look:
        return self.pieces[0].look

    @property
    def baseline(self) -> float:
        return self.pieces[0].baseline

    @property
    def apart(self) -> float:
        return self.pieces[0].apart

    @property
    def ruled(self) -> bool:
        return self.pieces[0].ruled


def edge_rows(note: PageNotes, head: bool, settings: LayoutSettings) -> list[EdgeRow]:
    """Return the rows at the top (`head`) or bottom of a page, outermost first, as far as running heads and feet can extend."""
    found: dict[int, list[EdgeLine]] = defaultdict(list)
    for edge in note.edges:
        if edge.head == head:
            found[edge.row].append(edge)
    rows = [EdgeRow(head, found[number]) for number in sorted(found)]
    band = settings.edge_band * note.height
    return [row for row in rows if (row.baseline <= band if head else row.baseline >= note.height - band)]


def is_apart(row: EdgeRow, spacing: float, settings: LayoutSettings) -> bool:
    """Return whether more than the usual line distance (`spacing`, points), or a rule, separates the row from the next one inwards."""
    return row.ruled or row.apart > settings.tables.loose * spacing
