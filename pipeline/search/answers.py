"""The request and the result of a search: filters, hits, results."""

from __future__ import annotations

from datetime import date
from typing import Final

from msgspec import Struct, field

from pdfmill.schemas.codes import SECTION_KINDS


class SearchError(Exception):
    """Raised when a search cannot be carried out; the message is one sentence that names the object and the reason."""


class Filters(Struct, frozen=True):
    """Restrict a search to some pages; a filter of None has no effect.

    language: of the page, ISO 639-1; `zh` includes `zh-cn`. source: a prefix of `source_uri`, or a glob (`*`, `?`, `[...]`) that matches
    all of it. date_from, date_to: bounds of the source's last change, both included. kind: of the section with the matched words
    (`pdfmill.schemas.codes.SECTION_KINDS`). page: page number, from 1. doc_id: the document.

    Raises:
        SearchError: there is no such kind.
    """

    language: str | None = None
    source: str | None = None
    date_from: date | None = None
    date_to: date | None = None
    kind: str | None = None
    page: int | None = None
    doc_id: str | None = None

    def __post_init__(self) -> None:
        if self.kind is not None and self.kind not in SECTION_KINDS:
            raise SearchError(f"kind {self.kind!r} is none of {', '.join(SECTION_KINDS)}")


NO_FILTERS: Final = Filters()


class Box(Struct, frozen=True):
    """A rectangle on a page: points, origin at the top left, pages from 1."""

    page: int
    x0: float
    top: float
    x1: float
    bottom: float


class Hit(Struct):
    """A page that matches the query.

    score: higher is better; comparable within one search only. snippet: (text, whether it is marked) pieces of the page's best passage, the
    stretch of text with most of the query's words close together. heading_path: the headings above that passage, outermost first. boxes: of
    the matched words, if requested. section_id: of the section that contains the passage; None if none does. hits_in_document: number of
    matching pages of the same document.
    """

    doc_id: str
    source_uri: str
    title: str
    page: int
    score: float
    snippet: list[tuple[str, bool]]
    heading_path: list[str]
    boxes: list[Box]
    section_id: str | None
    hits_in_document: int = 1


class Results(Struct):
    """The result of a query.

    hits: by score; equal scores by address and page. total: number of matching pages. complete: number of those with all words of the
    query, if pages with some of them match too. documents: number of matching documents, counted up to `COUNTED`. facets: number of pages
    by language, source (folder) and kind. understood: the query as it was interpreted. notes: sentences on parts that were not taken
    literally. suggestion: the query with similar words of the index instead of unknown ones.
    """

    hits: list[Hit]
    total: int
    documents: int
    facets: dict[str, dict[str, int]] = field(default_factory=dict)
    complete: int | None = None
    understood: str = ""
    notes: list[str] = field(default_factory=list)
    suggestion: str | None = None


#: Number of documents, and of values of a facet, above which they are no longer counted.
COUNTED: Final = 10_000
