"""What is asked of a search and what it answers."""

from __future__ import annotations

from datetime import date
from typing import Final

from msgspec import Struct, field

from pdfmill.schemas.codes import SECTION_KINDS


class SearchError(Exception):
    """A search that cannot be done; the message is one sentence that names the object and the reason."""


class Filters(Struct, frozen=True):
    """Which pages count; None leaves a filter out.

    language: of the page, ISO 639-1; `zh` stands for `zh-cn` too.
    source: how `source_uri` begins, or a glob (`*`, `?`, `[...]`) that it matches whole.
    date_from, date_to: of the source's last change, both included. kind: of the section in which the words stand
    (`pdfmill.schemas.codes.SECTION_KINDS`). page: its number. doc_id: the document.

    Raises:
        SearchError: a kind that does not exist.
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
    """A page that answers. score: higher is better, within one search only. snippet: (text, whether it is marked) of its best passage.
    heading_path: of that passage, outermost first. boxes: of its words, where they were asked for. section_id: of the section that
    holds the passage, None where none does. hits_in_document: how many pages of the document answer."""

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
    """hits: in order of their score, equal ones by address and page. total: pages that the query finds. complete: those of them that have
    all its words, where others are found too. documents: documents with pages that it finds, at most `COUNTED`. facets: how many of the
    pages by language, source (folder) and kind. understood: the query as it was taken. notes: sentences on what was not taken as typed.
    suggestion: a query out of words that the index has, where it lacks some."""

    hits: list[Hit]
    total: int
    documents: int
    facets: dict[str, dict[str, int]] = field(default_factory=dict)
    complete: int | None = None
    understood: str = ""
    notes: list[str] = field(default_factory=list)
    suggestion: str | None = None


#: Documents up to which they are counted, and values of a facet.
COUNTED: Final = 10_000
