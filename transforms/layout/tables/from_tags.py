"""Take tables from tagged cells if they agree with the page: cells have contiguous text, rows follow each other down the page, columns are
side by side, and neither other text nor a border is inside a cell. Frequent errors are one cell for a whole row or column, and tables for
the layout of a page."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import cached_property
from itertools import groupby, pairwise
from typing import Final

from msgspec import Struct

from pdfmill.schemas.records import PageLines, TaggedElement
from pdfmill.transforms.layout.settings.table_settings import TableSettings
from pdfmill.transforms.layout.tables.drawn import Drawn
from pdfmill.transforms.layout.tables.grids import set_rows, split_rows
from pdfmill.transforms.layout.tables.header import header_rows, header_rule
from pdfmill.transforms.layout.tables.model import Box, Cell, Chunk, Table, around
from pdfmill.transforms.layout.tables.refusals import GRID_REFUSALS, GridCandidate, Rule, first_refusal
from pdfmill.transforms.layout.tables.words import Words, is_number, is_year, join_signs


class TaggedCandidate(Struct, dict=True):
    """The part of a tagged table that is on a page. torn: some line belongs to the table only in part. strangers: boxes of lines that do
    not belong to the table. drawn: boxes of drawn cells."""

    cells: Sequence[Cell]  # its cells with their text
    torn: bool  # some line belongs to it only in part
    strangers: Sequence[Box]  # boxes of other lines
    drawn: Sequence[Box]  # boxes of drawn cells
    settings: TableSettings

    @cached_property
    def filled(self) -> list[Cell]:
        """The cells with text."""
        return [cell for cell in self.cells if cell.chunks]

    @cached_property
    def box(self) -> Box:
        """The box around all text of the table."""
        return around([chunk for cell in self.filled for chunk in cell.chunks])


def _is_too_small(t: TaggedCandidate) -> bool:
    return len({cell.row for cell in t.filled}) < 2 or len({cell.column for cell in t.filled}) < 2


def _is_torn(t: TaggedCandidate) -> bool:
    return t.torn


def _lies_apart(t: TaggedCandidate) -> bool:
    """Return whether words in one tagged cell are as far apart as cells, or its lines as far apart as rows."""
    apart = sum(_is_apart(cell.chunks, t.settings) for cell in t.filled)
    return apart > 0


def _is_apart(chunks: Sequence[Chunk], settings: TableSettings) -> bool:
    rows = _set_rows(chunks, settings)
    if any(len(join_signs(row, settings)) > 1 for row in rows):
        return True
    return any(b[0].bottom - a[0].bottom > settings.row_gap * max(a[0].size, b[0].size) for a, b in pairwise(rows))


def _set_rows(chunks: Sequence[Chunk], settings: TableSettings) -> list[list[Chunk]]:
    """Group chunks (parts of lines) by the positions of their lower edges, from top to bottom, each row in reading direction."""
    return [sorted(row, key=lambda c: c.x0) for row in set_rows(chunks, settings)]


def _misses_rows(t: TaggedCandidate) -> bool:
    """Return whether text of a tagged row is beside or above text of an earlier row."""
    return _is_out_of_order((cell.row, cell.row + cell.down, (c.top + c.bottom) / 2) for cell in t.filled for c in cell.chunks)


def _misses_columns(t: TaggedCandidate) -> bool:
    """Return whether text of a tagged column is right of text of a later column, or overlaps the next cell of its row."""
    places = []
    for cell in t.filled:
        x0, _, x1, _ = around(cell.chunks)
        places.append((cell.column, cell.column + cell.across, (x0 + x1) / 2))
    if _is_out_of_order(places):
        return True
    by_row = sorted(t.filled, key=lambda cell: (cell.row, cell.column))
    return any(
        around(a.chunks)[2] > around(b.chunks)[0] + t.settings.touch
        for _, row in groupby(by_row, key=lambda cell: cell.row)
        for a, b in pairwise(row)
    )


def _is_out_of_order(places: Iterable[tuple[int, int, float]]) -> bool:
    """Return whether the text of a row or column is before that of an earlier one. places: first index, index after the last, middle
    (points)."""
    by_first = sorted(places)
    by_end = sorted(by_first, key=lambda place: place[1])
    farthest, n = float("-inf"), 0
    for first, _, middle in by_first:
        while n < len(by_end) and by_end[n][1] <= first:
            farthest = max(farthest, by_end[n][2])
            n += 1
        if middle <= farthest:
            return True
    return False


def _has_strangers(t: TaggedCandidate) -> bool:
    x0, top, x1, bottom = t.box
    return any(x0 <= (a + c) / 2 <= x1 and top <= (b + d) / 2 <= bottom for a, b, c, d in t.strangers)


def _joins_rows(t: TaggedCandidate) -> bool:
    """Return whether the tags joined several rows to one: a row's cells have equally many aligned lines, and some are numbers."""
    numbers = any(len(cell.chunks) > 1 and all(is_number(chunk.text) for chunk in cell.chunks) for cell in t.filled)
    return numbers and len(split_rows(t.cells, t.settings)) > len(t.cells)


def _crosses_borders(t: TaggedCandidate) -> bool:
    return bool(t.drawn) and any(len(set(_holders(cell.chunks, t.drawn))) > 1 for cell in t.filled)


def _holders(chunks: Iterable[Chunk], drawn: Sequence[Box]) -> Iterator[int]:
    """Yield the index of the drawn cell that contains each chunk, if there is one."""
    for chunk in chunks:
        x, y = chunk.middle, (chunk.top + chunk.bottom) / 2
        for n, (x0, top, x1, bottom) in enumerate(drawn):
            if x0 <= x <= x1 and top <= y <= bottom:
                yield n
                break


def _is_no_table(t: TaggedCandidate) -> bool:
    return first_refusal(GRID_REFUSALS, GridCandidate(t.cells, t.settings)) is not None


#: Rules that refuse a tagged table.
TAG_REFUSALS: Final = (
    Rule("tags_small", "its tags make no two rows and columns", _is_too_small),
    Rule("tags_torn", "only a part of some lines is in its cells", _is_torn),
    Rule("tags_apart", "its tags put text that is far apart into one cell", _lies_apart),
    Rule("tags_rows", "some of its tagged rows are beside or above earlier rows", _misses_rows),
    Rule("tags_columns", "its tagged columns overlap or are in another order", _misses_columns),
    Rule("tags_strangers", "there is text without its tags among its cells", _has_strangers),
    Rule("tags_joined", "its tags put several rows of numbers into one", _joins_rows),
    Rule("tags_borders", "borders are drawn through the text of a tagged cell", _crosses_borders),
    Rule("tags_layout", "its tagged cells are a page laid out in boxes, a frame, a drawing or running text", _is_no_table),
)


class TaggedTables:
    """The tables that the structure tree states for a page."""

    def __init__(self, page: PageLines, words: Words, settings: TableSettings) -> None:
        self.page = page
        self.words = words
        self.settings = settings
        self.elements: list[TaggedElement] = [element for element in page.tags if element.cells]
        self._owner = {
            content_id: (n, k)
            for n, element in enumerate(self.elements)
            for k, cell in enumerate(element.cells)
            for content_id in cell.content
        }

    def __len__(self) -> int:
        return len(self.elements)

    def cells(self, free: Collection[int], drawn: Sequence[Box]) -> Iterator[tuple[TaggedElement, list[Cell], bool]]:
        """Yield for each tagged table its element, its cells with their text among the `free` lines, and whether some line is only partly
        in it."""
        chunks: dict[tuple[int, int], list[Chunk]] = {}
        torn: set[int] = set()
        for line in free:
            first, last = self.words.first[line], self.words.first[line + 1]
            owners = [self._owner.get(content_id) for content_id in self.page.word_content[first:last].tolist()]
            if not any(owners):
                continue
            begin = first
            for owner, of in groupby(owners):
                end = begin + len(list(of))
                if owner is not None:
                    chunks.setdefault(owner, []).extend(self.words.pieces(line, begin, end, self.settings.cell_gap))
                begin = end
            if None in owners or len({owner[0] for owner in owners if owner is not None}) > 1:
                torn.update(owner[0] for owner in owners if owner is not None)
        for n, element in enumerate(self.elements):
            cells = [
                Cell(
                    tag.row,
                    tag.column,
                    tag.down,
                    tag.across,
                    [c for row in _set_rows(chunks.get((n, k), []), self.settings) for c in row],
                    heads_row=tag.head == "row",
                )
                for k, tag in enumerate(element.cells)
            ]
            _put_out(cells, drawn)
            yield element, _trimmed(cells), n in torn


def _put_out(cells: Sequence[Cell], drawn: Sequence[Box]) -> None:
    """Remove the text of cells that are titles or notes, in place: alone in the first or last rows, over several columns, without
    border."""
    by_row: dict[int, list[Cell]] = {}
    for cell in cells:
        if cell.chunks:
            by_row.setdefault(cell.row, []).append(cell)
    places = [(cell, around(cell.chunks)) for row in by_row.values() if len(row) > 1 for cell in row]
    for rows in (sorted(by_row), sorted(by_row, reverse=True)):
        for row in rows:
            if len(by_row[row]) > 1:
                break
            (alone,) = by_row[row]
            x0, _, x1, _ = around(alone.chunks)
            over = {cell.column for cell, (a, _, b, _) in places if x0 < (a + b) / 2 < x1}
            if len(over) < 2 or alone.down > 1 or list(_holders(alone.chunks, drawn)):
                break
            alone.chunks = []


def _trimmed(cells: list[Cell]) -> list[Cell]:
    """Return the cells without leading and trailing rows that have no text; [] if nothing remains."""
    filled = [cell.row for cell in cells if cell.chunks]
    if not filled:
        return []
    first, last = min(filled), max(filled)
    kept = []
    for cell in cells:
        top, end = max(cell.row, first), min(cell.row + cell.down, last + 1)
        if top < end:
            kept.append(Cell(top - first, cell.column, end - top, cell.across, cell.chunks, cell.heads_row))
    return kept


def table_of_tags(element: TaggedElement, cells: list[Cell], drawn: Drawn, settings: TableSettings) -> Table:
    """Build the table from the accepted cells. Without tagged header cells, a rule below the first rows or bold type shows the header."""
    box = around([chunk for cell in cells for chunk in cell.chunks])
    table = Table(*box, sorted(cells, key=lambda c: (c.row, c.column)), max(c.column + c.across for c in cells), shown_by="tags")
    heads = {(cell.row, cell.column) for cell in element.cells if cell.head == "column"}
    rows = table.row_count
    plain = {cell.row for cell in cells if (cell.row, cell.column) not in heads and cell.chunks}
    leading = next((n for n in range(rows) if n in plain), rows)
    if any(cell.head for cell in element.cells):
        table.header_rows = leading if leading < rows else 0
    else:
        table.header_rows = header_rows(table, _head_rule(table, drawn, settings), settings)
    return table


def _head_rule(table: Table, drawn: Drawn, settings: TableSettings) -> float | None:
    """Return the position of the first full drawn rule below the first row, points from the top of the page. Return None if there is none,
    or if rows of numbers are above it."""
    by_row = [[chunk for cell in row for chunk in cell.chunks] for _, row in groupby(table.cells, key=lambda cell: cell.row)]
    rows = [row for row in by_row if row]
    return header_rule(rows, drawn.below_header(rows), lambda chunk: is_number(chunk.text) and not is_year(chunk.text), settings)
