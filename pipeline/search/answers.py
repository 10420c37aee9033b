"""The request and the result of a search: filters, hits, results."""

from __future__ import annotations

from datetime import date
from typing import Final

from msgspec import Struct, field

from pdfmill.schemas.codes import SECTION_KINDS


class SearchError(Exception):
    """Raised when a search cannot be carried out; the message is one sentence that names the object and the reason."""


class Filters(Struct, frozen=True):
    """Restrictions of a search to some pages; None for no restriction. Creating it raises SearchError if `kind` is unknown."""

    language: str | None = None  # language of the page, ISO 639-1; `zh` includes `zh-cn`
    source: str | None = None  # a prefix of `source_uri`, or a glob (`*`, `?`, `[...]`) that matches all of it
    date_from: date | None = None  # first day of the source's last change
    date_to: date | None = None  # last day of it, included
    kind: str | None = None  # kind of the section that contains the matched words, one of `SECTION_KINDS`
    page: int | None = None  # page number, from 1
    doc_id: str | None = None  # id of the document

    def __post_init__(self) -> None:
        if self.kind is not None and self.kind not in SECTION_KINDS:
            raise SearchError(f"there is no kind {self.kind!r}; choose from {', '.join(SECTION_KINDS)}")


NO_FILTERS: Final = Filters()


class Box(Struct, frozen=True):
    """A rectangle on a page, in points from the page's top left."""

    page: int  # page number, from 1
    x0: float
    top: float
    x1: float
    bottom: float


class Hit(Struct):
    """A page that matches the query. Its best passage is the text with most of the query's words close together. snippet: text around it,
    as (text, whether it is marked). heading_path: headings above it, outermost first. section_id: of the section that contains it, or
    None."""

    doc_id: str
    source_uri: str
    title: str  # title of the document
    page: int  # page number, from 1
    score: float  # higher is better; comparable within one search only
    snippet: list[tuple[str, bool]]
    heading_path: list[str]
    boxes: list[Box]  # boxes of the matched words, if requested
    section_id: str | None
    hits_in_document: int = 1  # number of matching pages of the same document


class Results(Struct):
    """The result of a query. total, documents: number of matching pages and documents. facets: number of pages by language, source (folder)
    and kind of section. complete: number of pages with all words, if pages with some of them match too. understood: the query as it was
    interpreted. notes: sentences on what was not taken literally. suggestion: the query with unknown words replaced."""

    hits: list[Hit]  # best first; equal scores by address and page
    total: int
    documents: int  # number of matching documents, counted up to `COUNTED`
    facets: dict[str, dict[str, int]] = field(default_factory=dict)
    complete: int | None = None
    understood: str = ""
    notes: list[str] = field(default_factory=list)
    suggestion: str | None = None


#: Most documents, and most values of a facet, that are counted.
COUNTED: Final = 10_000
