"""The text of a page for a browser: its blocks in reading order, split into pieces where marks of search hits begin and end."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Final

from msgspec import Struct, field

from pdfmill.pipeline.render.cells import read_cells
from pdfmill.pipeline.render.languages import language_tag
from pdfmill.pipeline.render.rows import real_in, structs_in, text_in, whole_in
from pdfmill.pipeline.serve.matches import Box, Piece, Span, pieces_of
from pdfmill.schemas.codes import FURNITURE_ROLES
from pdfmill.schemas.records import Row

#: Columns of `blocks` that are read to show a page's text.
BLOCK_COLUMNS: Final = ["block", "page", "role", "level", "text", "heading_path", "boxes", "text_start", "text_end", "html", "language"]
#: HTML level of the first headings of the text; the levels above are for title and headings of the site's page.
_FIRST_LEVEL: Final = 3
_LAST_LEVEL: Final = 6


class ShownCell(Struct, frozen=True):
    """A cell of a table in the form in which the site shows it. pieces: its text, split at the marks. rows, columns: how many it spans."""

    pieces: list[Piece]
    header: bool
    rows: int
    columns: int


class ShownBlock(Struct, frozen=True):
    """A block as the site shows it. number: as in the table `blocks`. level: of a heading's HTML element or a list item, from 1. start:
    offset in the page's text; None for running heads and page numbers, which it lacks. rows: a table's cells."""

    number: int
    role: str
    level: int
    pieces: list[Piece]  # its text, in pieces
    start: int | None = None
    language: str | None = None  # its language tag for HTML
    rows: list[list[ShownCell]] = field(default_factory=list)
    boxes: list[Box] = field(default_factory=list)  # its boxes on this page

    @property
    def is_furniture(self) -> bool:
        """Return whether the block is a running head, a page number or the like."""
        return self.role in FURNITURE_ROLES


def shown_blocks(blocks: Iterable[Row], spans: Sequence[Span]) -> list[ShownBlock]:
    """Return the blocks of one page, with their text split at the marked ranges. spans: marked ranges of the page's text."""
    return [_shown(block, spans) for block in blocks]


def _shown(block: Row, spans: Sequence[Span]) -> ShownBlock:
    text, start, role = text_in(block, "text"), whole_in(block, "text_start"), text_in(block, "role")
    inside = [] if start is None else [span for span in spans if span.end > start and span.start < start + len(text)]
    level = whole_in(block, "level") or 1
    if role in ("title", "heading"):
        level = min(_LAST_LEVEL, _FIRST_LEVEL + (level if role == "heading" else 0))
    return ShownBlock(
        whole_in(block, "block") or 0,
        role,
        level,
        pieces_of(text, start or 0, inside),
        start,
        language_tag(text_in(block, "language")),
        _cells(text_in(block, "html"), text, start or 0, inside) if role == "table" else [],
        [box_of(each) for each in structs_in(block, "boxes") if whole_in(each, "page") == whole_in(block, "page")],
    )


def box_of(struct: Row) -> Box:
    return Box(*(real_in(struct, side) for side in Box._fields))


def _cells(html: str, text: str, start: int, spans: Sequence[Span]) -> list[list[ShownCell]]:
    """Return a table's cells by row, with the words of the query marked by spelling, because cells have no offsets.
    text: the table's part of the page's text, from offset `start`. spans: matches in the page's text."""
    words = {text[max(0, span.start - start) : span.end - start]: span.match for span in spans}
    pattern = re.compile("|".join(rf"(?<!\w){re.escape(word)}(?!\w)" for word in sorted(words, key=len, reverse=True))) if words else None
    return [
        [ShownCell(_marked(cell.text.strip(), pattern, words), cell.header, cell.rows, cell.columns) for cell in row]
        for row in read_cells(html)
    ]


def _marked(text: str, pattern: re.Pattern[str] | None, words: dict[str, int]) -> list[Piece]:
    if pattern is None:
        return [Piece(text, -1)] if text else []
    return pieces_of(text, 0, [Span(*match.span(), words[match[0]]) for match in pattern.finditer(text)])
