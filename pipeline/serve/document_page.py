"""The pages of one document: overview, single pages with picture, marks and text, tables, facts and attachments."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from msgspec import Struct, field

from pdfmill.pipeline.render.cells import read_cells
from pdfmill.pipeline.render.languages import language_tag
from pdfmill.pipeline.render.rows import box_in, real_in, structs_in, text_in, whole_in
from pdfmill.pipeline.search.answers import Filters, Hit, SearchError
from pdfmill.pipeline.serve.library import Library
from pdfmill.pipeline.serve.links import document_path, page_path, picture_path, with_query
from pdfmill.pipeline.serve.matches import Box, Match, Piece, Placed, Span, boxes_between, matches_of, pieces_of, spans_under
from pdfmill.pipeline.serve.outlines import Outline, outline_of
from pdfmill.pipeline.serve.pictures import WIDTHS
from pdfmill.pipeline.serve.search_page import Searcher, chosen_filters, name_of
from pdfmill.schemas.codes import FURNITURE_ROLES
from pdfmill.schemas.records import Failure, Row

#: Most hits of a search within a document that are marked.
MAX_HITS: Final = 1000
#: Number of tables on one page of the list of a document's tables.
TABLES: Final = 25
#: Columns that are read to show a page.
PAGE_COLUMNS: Final = [
    "page", "label", "width", "height", "status", "error_code", "text", "language", "needs_ocr", "ocr", "words", "annotations",
]  # fmt: skip


class Head(Struct, frozen=True):
    """The title, links and tabs at the top of all pages of a document. name: file name. carried: request parameters that links repeat."""

    doc_id: str
    title: str
    name: str
    row: Row  # row of `documents`
    page_count: int
    carried: dict[str, str]
    tab: str  # name of the selected tab

    @property
    def path(self) -> str:
        """The URL path of the document's main page, with the query string."""
        return with_query(document_path(self.doc_id), self.carried)

    def part(self, name: str) -> str:
        """Return the URL path of one tab of the document, such as `tables`, with the query string."""
        return with_query(document_path(self.doc_id, name), self.carried)

    def page(self, number: int, fragment: str = "", **more: object) -> str:
        """Return the URL path of the page `number`, from 1, with the query string. more: further parameters."""
        return with_query(page_path(self.doc_id, number), {**self.carried, **more}, fragment)

    @property
    def results(self) -> str:
        """Return the link back to the search results."""
        return with_query("/", self.carried)


def head_of(document: Row, query: Mapping[str, str], tab: str) -> Head:
    """Make the head of a document's pages. query: parameters of the request. tab: name of the selected tab."""
    words = query.get("q", "").strip()
    carried = {"q": words, **chosen_filters(query)} if words else {}
    name = name_of(text_in(document, "source_uri"))
    return Head(
        text_in(document, "doc_id"), text_in(document, "title") or name, name, document, whole_in(document, "page_count") or 0, carried, tab
    )


class PageMatches(Struct):
    """The result of a search within a document. hits: pages with a match. total: number of matching pages. problem: why there is no
    result."""

    matches: list[Match] = field(default_factory=list)  # in order of their positions
    hits: list[Hit] = field(default_factory=list)
    total: int = 0
    problem: str | None = None

    @property
    def pages(self) -> int:
        """Return the number of pages with a match."""
        return len({match.page for match in self.matches})


def found_in(searcher: Searcher, doc_id: str, words: str) -> PageMatches:
    """Search for the query `words` in one document, and return its matches page by page."""
    if not words:
        return PageMatches()
    try:
        results = searcher.search(words, filters=Filters(doc_id=doc_id), limit=MAX_HITS)
    except SearchError as error:
        return PageMatches(problem=str(error))
    hits = sorted((hit for hit in results.hits if hit.boxes), key=lambda hit: hit.page)  # pages of a title that answers say nothing here
    placed = (Placed(box.page, Box(box.x0, box.top, box.x1, box.bottom)) for hit in hits for box in hit.boxes)
    return PageMatches(matches_of(placed), hits, results.total)


class Turning(Struct):
    """Links from a page to the pages and the matches before and after it. match: number of the current match, from 1."""

    before: str | None = None  # link to the previous page
    after: str | None = None  # link to the next page
    match_before: str | None = None  # link to the previous match
    match_after: str | None = None  # link to the next match
    match: int | None = None


def turning_of(head: Head, page: int, found: PageMatches, chosen: int | None) -> Turning:
    """Make the links from a page to its neighbours and to the matches before and after. chosen: number of the current match; None for the
    first."""
    ways = Turning()
    if page > 1:
        ways.before = head.page(page - 1)
    if page < head.page_count:
        ways.after = head.page(page + 1)
    here = [match for match in found.matches if match.page == page]
    current = next((match for match in here if match.number == chosen), here[0] if here else None)
    if current is not None:
        before = found.matches[current.number - 2] if current.number > 1 else None
        after = found.matches[current.number] if current.number < len(found.matches) else None
        ways.match = current.number
    else:
        before = next((match for match in reversed(found.matches) if match.page < page), None)
        after = next((match for match in found.matches if match.page > page), None)
    ways.match_before, ways.match_after = (_to_match(head, match) if match else None for match in (before, after))
    return ways


def _to_match(head: Head, match: Match) -> str:
    return head.page(match.page, f"match-{match.number}", match=match.number)


class Problem(Struct, frozen=True):
    """The reason why a page has no picture. sentence: explanation for the reader. message: the error, naming the object."""

    code: str
    sentence: str
    message: str


#: Explanation of a missing picture for the reader, by error code.
_PROBLEMS: Final = {
    "changed": "The document in storage has changed since it was read. The text is that of the earlier version.",
    "not_found": "The document is no longer where it was read from. Its text is as it was.",
    "no_such_bucket": "The document is no longer where it was read from. Its text is as it was.",
    "permission_denied": "The store does not allow this server to read the document. Its text is shown as it was read.",
    "store_error": "The store is not available at the moment. The text of the document is shown as it was read.",
    "password_needed": "The document is encrypted. To see its pages, start the server with --passwords FILE.",
    "timed_out": "Drawing this page takes too long.",
    "too_large": "This page, or its document, is too large to be drawn.",
}
_OTHER_PROBLEM: Final = "This page cannot be drawn."


def problem_of(failure: Failure) -> Problem:
    """Return an explanation, for the reader, of a failure to draw a page."""
    return Problem(failure.code, _PROBLEMS.get(failure.code, _OTHER_PROBLEM), failure.message)


class Viewer(Struct):
    """The data with which one page of a document is shown. matches, found: matches on this page and in the whole document. passage: boxes
    that a link points to. dense_picture: URL of a picture for screens with dense pixels. structure: whether blocks and reading order are
    shown, which `structure_link` changes. original: link to the document; None for an attached PDF. problem: why no picture is shown."""

    head: Head
    page: Row  # row of `pages`
    number: int  # page number, from 1
    blocks: list[ShownBlock]
    matches: list[Match]
    passage: list[Box]
    found: PageMatches
    turning: Turning
    outline: Outline
    picture: str  # URL of the page's picture
    dense_picture: str
    structure: bool
    structure_link: str
    original: str | None
    problem: Problem | None = None

    @property
    def words(self) -> list[tuple[str, Box]]:
        """Return the words with their boxes, so that they can be selected on the picture."""
        text = text_in(self.page, "text")
        return [(text[whole_in(word, "start") or 0 : whole_in(word, "end") or 0], box_of(word)) for word in structs_in(self.page, "words")]

    @property
    def width(self) -> float:
        """Return the page's width in points."""
        return real_in(self.page, "width") or 1.0

    @property
    def height(self) -> float:
        """Return the page's height in points."""
        return real_in(self.page, "height") or 1.0


def view(library: Library, searcher: Searcher, document: Row, number: int, query: Mapping[str, str]) -> Viewer | None:
    """Return the data with which the page `number` (from 1) is shown; None if there is no such page. query: parameters of the request."""
    head = head_of(document, query, "pages")
    wanted = frozenset({number})
    page = next(iter(library.rows("pages", head.doc_id, PAGE_COLUMNS, wanted)), None)
    if page is None:
        return None
    blocks = library.rows("blocks", head.doc_id, BLOCK_COLUMNS, wanted)
    found = found_in(searcher, head.doc_id, head.carried.get("q", ""))
    here = [match for match in found.matches if match.page == number]
    passage = _passage(page, blocks, query)
    spans = spans_under(page, [*(match.box for match in here), *passage])
    structure = query.get("structure") == "1"
    return Viewer(
        head,
        page,
        number,
        shown_blocks(blocks, spans),
        here,
        passage,
        found,
        turning_of(head, number, found, whole(query.get("match"))),
        library.kept("outline", head.doc_id, lambda: outline_of(library, document)),
        picture_path(document, number, WIDTHS[0]),
        picture_path(document, number, WIDTHS[1]),
        structure,
        head.page(number, match=query.get("match"), structure=None if structure else 1),
        None if document.get("parent_doc_id") else with_query(document_path(head.doc_id, "original"), {"page": number}, f"page={number}"),
    )


def _passage(page: Row, blocks: Sequence[Row], query: Mapping[str, str]) -> list[Box]:
    """Return the boxes that a link to this page points to: of a range of its text, or of a block. query: parameters of the request."""
    start, end, block = (whole(query.get(name)) for name in ("start", "end", "block"))
    if start is not None and end is not None:
        return boxes_between(page, start, end)
    named = next((row for row in blocks if block is not None and whole_in(row, "block") == block), None)
    if named is None or whole_in(named, "text_start") is None:
        return []
    return boxes_between(page, whole_in(named, "text_start") or 0, whole_in(named, "text_end") or 0)


def whole(text: str | None) -> int | None:
    """Parse an integer parameter; None for other text, or too many digits."""
    return int(text) if text and text.isdecimal() and text.isascii() and len(text) < 10 else None


class ShownTables(Struct, frozen=True):
    """Some of a document's tables, as (page, table). total: number of all its tables. first: number of the first one shown, from 1. before,
    after: links to the tables before and after these."""

    tables: list[tuple[int, ShownBlock]]
    total: int
    first: int
    before: str | None
    after: str | None


def tables_of(library: Library, head: Head, leaf: int) -> ShownTables:
    """Return the tables of a document that are shown on page `leaf` (from 1) of the list of tables, in reading order."""
    rows = [row for row in library.rows("blocks", head.doc_id, BLOCK_COLUMNS) if text_in(row, "role") == "table"]
    first = (leaf - 1) * TABLES
    shown = [(whole_in(row, "page") or 1, block) for row in rows[first : first + TABLES] for block in shown_blocks([row], [])]
    before = with_query(document_path(head.doc_id, "tables"), {**head.carried, "leaf": leaf - 1}) if leaf > 1 else None
    after = with_query(document_path(head.doc_id, "tables"), {**head.carried, "leaf": leaf + 1}) if len(rows) > first + TABLES else None
    return ShownTables(shown, len(rows), first + 1, before, after)


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
    return Box(*box_in(struct))


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
