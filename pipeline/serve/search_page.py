"""The page of search results: hits and filters. Each hit has a strip of the page's picture around the match."""

from __future__ import annotations

import csv
import io
import threading
from collections.abc import Callable, Mapping
from datetime import date
from typing import Final, Protocol

from msgspec import Struct, field

from pdfmill.pipeline.render.rows import real_in, text_in
from pdfmill.pipeline.search.answers import NO_FILTERS, Filters, Hit, Results, SearchError
from pdfmill.pipeline.search.search_index import SearchIndex, open_index
from pdfmill.pipeline.serve.library import Library
from pdfmill.pipeline.serve.links import document_path, page_path, picture_path, with_query
from pdfmill.pipeline.serve.matches import Box
from pdfmill.pipeline.serve.pictures import WIDTHS
from pdfmill.schemas.records import Row
from pdfmill.transforms.storage.store import file_name

# The site's search: the index of `pdfmill search`, shared by threads, and reopened when the tables are replaced.


class Searcher(Protocol):
    """An object with the search method that the site uses."""

    def search(self, query: str, *, filters: Filters = NO_FILTERS, limit: int = 10, offset: int = 0, boxes: bool = True) -> Results:
        """Return the pages that match a query; parameters as in `pdfmill.pipeline.search.search_index.SearchIndex.search`. Raises
        SearchError."""


class LiveIndex:
    """The search index of an output folder, updated when the tables change. version: returns the current tables' version."""

    def __init__(self, folder: str, version: Callable[[], str]) -> None:
        self._folder = folder
        self._version = version
        self._lock = threading.Lock()  # one thread at a time opens it again
        self._shown = version()
        self._index = open_index(folder)

    def search(self, query: str, *, filters: Filters = NO_FILTERS, limit: int = 10, offset: int = 0, boxes: bool = True) -> Results:
        """Return the pages that match, from the current tables; parameters as in `SearchIndex.search`. Several threads may search at once.

        Raises:
            pdfmill.pipeline.search.answers.SearchError: the query cannot be parsed, or the index cannot be updated.
        """
        return self._current().search(query, filters=filters, limit=limit, offset=offset, boxes=boxes)

    def _current(self) -> SearchIndex:
        with self._lock:
            if (now := self._version()) != self._shown:
                self._index = open_index(self._folder)  # who still asks the other one keeps it
                self._shown = now
            return self._index

    def close(self) -> None:
        self._index.close()


#: Number of hits on one page of results.
HITS: Final = 10
#: Most pages of results.
MAX_LEAF: Final = 50
#: Most hits that are written as comma-separated values.
EXPORTED: Final = 1000
# Signs with which a spreadsheet would take a text for a formula.
_FORMULA: Final = tuple("=+-@\t\r")
#: Most values of a facet that are shown, the most frequent ones.
FACET_VALUES: Final = 12
#: Width of the part of a page that a hit shows, in points: that of a column of text.
STRIP_WIDTH: Final = 480.0
STRIP_HEIGHT: Final = 118.0
#: Vertical position of the first mark in the strip, as a share of the strip's height.
_MARK_AT: Final = 0.4
#: Least space between the first mark and the strip's side, points.
_MARK_SPACE: Final = 24.0
#: Filters that a request may contain, and their labels on the page.
FILTERS: Final = {"language": "Language", "kind": "Kind of text", "source": "Folder", "date_from": "Changed from", "date_to": "to"}
DATES: Final = ("date_from", "date_to")


class Strip(Struct, frozen=True):
    """The strip of a page's picture that is shown with a hit. Lengths are in points. x, y: left side and top. marks: boxes of matches."""

    picture: str  # URL of the page's picture
    x: float
    y: float
    width: float
    height: float
    page_width: float
    page_height: float
    marks: list[Box]


class ShownHit(Struct, frozen=True):
    """A hit as the site shows it. where: file name of the document if `title` is its title, else "". all_link: link to the document, with
    the search. label: page label. more: number of further hits in the document."""

    hit: Hit
    title: str
    where: str
    link: str  # link to the page with the match
    all_link: str
    label: str | None
    more: int
    strip: Strip | None


class FacetValue(Struct, frozen=True):
    """A value of a filter, with which the search can be narrowed. value: as in the query string. count: hits with this value; None if
    unknown. chosen: whether the filter is set to it. link: to the results with this filter or, if it is set, without it."""

    text: str  # text for the reader
    value: str
    count: int | None
    chosen: bool
    link: str


class ShownResults(Struct):
    """The content of the page of search results. chosen: filters that are set. first: number of the first hit shown, from 1. facets: (name
    of the filter, its values). csv: link to the hits as comma-separated values. before, after: links to the previous and next hits.
    problem: why there are no hits. complete, notes: as in `Results`. suggestion: another query, and the link to its results."""

    query: str
    chosen: dict[str, str]
    hits: list[ShownHit] = field(default_factory=list)
    total: int = 0  # number of pages that match
    documents: int = 0  # number of documents that match
    first: int = 1
    facets: list[tuple[str, list[FacetValue]]] = field(default_factory=list)
    csv: str = ""
    before: str | None = None
    after: str | None = None
    problem: str | None = None
    complete: int | None = None
    notes: list[str] = field(default_factory=list)
    suggestion: tuple[str, str] | None = None


def chosen_filters(query: Mapping[str, str]) -> dict[str, str]:
    """Return the filters among a request's parameters by name, in the form in which links repeat them."""
    return {name: value for name in FILTERS if (value := query.get(name, "").strip())}


def filters_of(chosen: Mapping[str, str]) -> Filters:
    """Convert the filters of a request (by name, as text) to those of a search.

    Raises:
        SearchError: a value is invalid.
    """
    first, last = (_day(chosen.get(name)) for name in DATES)
    return Filters(chosen.get("language"), chosen.get("source"), first, last, chosen.get("kind"))


def _day(text: str | None) -> date | None:
    try:
        return None if text is None else date.fromisoformat(text)
    except ValueError as error:
        raise SearchError(f"{text!r} is not a date; write it as 2026-01-31") from error


def leaf_of(query: Mapping[str, str]) -> int:
    """Return the number of the requested page of results, from 1."""
    text = query.get("leaf", "")
    return min(max(1, int(text)), MAX_LEAF) if text.isdecimal() and text.isascii() else 1


def find(library: Library, searcher: Searcher, query: Mapping[str, str]) -> ShownResults:
    """Run the query of a request, which must contain words, and return the content of the page. query: parameters of the request."""
    words, chosen, leaf = query.get("q", "").strip(), chosen_filters(query), leaf_of(query)
    shown = ShownResults(words, chosen, first=(leaf - 1) * HITS + 1)
    try:
        results = searcher.search(words, filters=filters_of(chosen), limit=HITS, offset=(leaf - 1) * HITS)
    except SearchError as error:
        shown.problem = str(error)
        return shown
    carried = {"q": words, **chosen}
    shown.hits = [_shown(library, hit, carried) for hit in results.hits]
    shown.total, shown.documents, shown.complete = results.total, results.documents, results.complete
    shown.notes, shown.csv = results.notes, with_query("/hits.csv", carried)
    if results.suggestion:
        shown.suggestion = results.suggestion, with_query("/", {**carried, "q": results.suggestion})
    shown.facets = [(name, values) for name in FILTERS if (values := _facet(name, results.facets.get(name, {}), carried))]
    if leaf > 1:
        shown.before = with_query("/", {**carried, "leaf": leaf - 1 if leaf > 2 else None})
    if results.total > leaf * HITS and leaf < MAX_LEAF:
        shown.after = with_query("/", {**carried, "leaf": leaf + 1})
    return shown


def csv_of(searcher: Searcher, query: Mapping[str, str]) -> str:
    """Return the first hits of a request's query as comma-separated values (RFC 4180), with a header line.

    Raises:
        SearchError: the query cannot be parsed.
    """
    found = searcher.search(query.get("q", ""), filters=filters_of(chosen_filters(query)), limit=EXPORTED, boxes=False)
    text = io.StringIO()
    table = csv.writer(text)
    table.writerow(["source_uri", "title", "page", "score", "headings", "passage", "doc_id", "section_id"])
    for hit in found.hits:
        passage = "".join(piece for piece, _ in hit.snippet)
        row = [hit.source_uri, hit.title, hit.page, hit.score, " > ".join(hit.heading_path), passage, hit.doc_id, hit.section_id]
        table.writerow([f"'{each}" if str(each)[:1] in _FORMULA else each for each in row])
    return text.getvalue()


def _facet(name: str, counts: Mapping[str, int], carried: Mapping[str, str]) -> list[FacetValue]:
    chosen = carried.get(name)
    values = [
        FacetValue(
            _shown_value(name, value), value, count, value == chosen, with_query("/", {**carried, name: None if value == chosen else value})
        )
        for value, count in sorted(counts.items(), key=lambda each: (-each[1], each[0]))
        if value
    ]
    if chosen and not any(value.chosen for value in values):
        values.insert(0, FacetValue(_shown_value(name, chosen), chosen, None, True, with_query("/", {**carried, name: None})))
    return values[:FACET_VALUES] if len(values) > 1 or chosen else []


def _shown_value(name: str, value: str) -> str:
    return name_of(value) if name == "source" else value.replace("_", " ")


def name_of(uri: str) -> str:
    """Return the last part of an address, decoded; the whole address if it has none.

    >>> name_of("file:///my%20papers/R%C3%A9sum%C3%A9.pdf")
    'Résumé.pdf'
    """
    return file_name(uri) or uri


def headings_of(hit: Hit, title: str) -> list[str]:
    """Return the headings above a hit, outermost first, without the document's title, which is shown already."""
    return [heading for heading in hit.heading_path if heading != title]


def _shown(library: Library, hit: Hit, carried: Mapping[str, str]) -> ShownHit:
    document = library.kept("document", hit.doc_id, lambda: library.document(hit.doc_id)) or {"doc_id": hit.doc_id}
    page = library.kept(f"page {hit.page}", hit.doc_id, lambda: page_size(library, hit.doc_id, hit.page))
    link = with_query(page_path(hit.doc_id, hit.page), carried, "matches")
    name = name_of(hit.source_uri)
    return ShownHit(
        hit,
        hit.title or name,
        name if hit.title else "",
        link,
        with_query(document_path(hit.doc_id), carried),
        text_in(page, "label") or None,
        max(0, hit.hits_in_document - 1),
        strip_of(document, page, hit),
    )


def page_size(library: Library, doc_id: str, page: int) -> Row:
    """Return the columns of a page's row that contain its size; {} if there is no such page."""
    return next(iter(library.rows("pages", doc_id, ["width", "height", "label"], frozenset({page}))), {})


def strip_of(document: Row, page: Row, hit: Hit) -> Strip | None:
    """Return the strip of the page's picture around the hit's first mark; None if the hit has no mark, or the page no size."""
    boxes = [Box(box.x0, box.top, box.x1, box.bottom) for box in hit.boxes if box.page == hit.page]
    page_width, page_height = real_in(page, "width"), real_in(page, "height")
    if not boxes or page_width <= 0 or page_height <= 0:
        return None
    width, height = min(STRIP_WIDTH, page_width), min(STRIP_HEIGHT, page_height)
    first = boxes[0]
    middle = (page_width - width) / 2  # where the text of most pages is; moved as far as the mark needs
    x = min(max(0.0, first.x1 + _MARK_SPACE - width, min(middle, first.x0 - _MARK_SPACE)), page_width - width)
    y = min(max(0.0, first.top - _MARK_AT * height), page_height - height)
    inside = [box for box in boxes if box.x1 > x and box.x0 < x + width and box.bottom > y and box.top < y + height]
    return Strip(picture_path(document, hit.page, WIDTHS[0]), x, y, width, height, page_width, page_height, inside)
