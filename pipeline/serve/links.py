"""URL paths of the pages of `pdfmill serve`, made only of ids, numbers and quoted parameters."""

from __future__ import annotations

from collections.abc import Mapping
from urllib.parse import urlencode

from pdfmill.pipeline.render.rows import text_in
from pdfmill.schemas.records import Row


def with_query(path: str, query: Mapping[str, object], fragment: str = "") -> str:
    """Return the path with a query string of the parameters that have a value.

    >>> with_query("/", {"q": "a b", "page": None}, "block-3")
    '/?q=a+b#block-3'
    """
    asked = urlencode({name: value for name, value in query.items() if value not in (None, "")}, doseq=True)
    return path + (f"?{asked}" if asked else "") + (f"#{fragment}" if fragment else "")


def document_path(doc_id: str, part: str = "") -> str:
    """Return the path of a document's main page, or of its tab `part`."""
    return f"/document/{doc_id}" + (f"/{part}" if part else "")


def page_path(doc_id: str, page: int) -> str:
    return document_path(doc_id, f"page/{page}")


def picture_path(document: Row, page: int, width: int) -> str:
    """Return the path of a page's picture with this width in pixels, with the document's checksum, so that browsers may cache it."""
    version = text_in(document, "content_sha256")[:12]
    return with_query(f"{page_path(text_in(document, 'doc_id'), page)}/{width}.png", {"v": version})
