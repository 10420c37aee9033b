"""Find the bytes that a row of `documents` was made of. Only addresses in the tables are followed, never one from a browser."""

from __future__ import annotations

from datetime import datetime
from typing import Final

from msgspec.structs import replace

from pdfmill.pipeline.render.rows import text_in, whole_in
from pdfmill.pipeline.serve.library import Library
from pdfmill.schemas.records import DocumentRef, Row, document_id
from pdfmill.transforms.pdf.open.limits import DEFAULT_LIMITS
from pdfmill.transforms.storage.errors import SourceError

#: PDFs in PDFs: deeper than a run ever reads them.
_MAX_DEPTH: Final = 100


def reference_of(library: Library, row: Row) -> DocumentRef:
    """Return the document as it was listed, with etag, size and time to compare with the object of today; for an attached PDF, the path to
    it.

    Raises:
        pdfmill.transforms.storage.errors.SourceError: not_found where the tables lack a document around it.
    """
    path: list[int] = []
    root = row
    while root.get("parent_doc_id") is not None:
        parent_id, doc_id = text_in(root, "parent_doc_id"), text_in(root, "doc_id")
        parent, place = library.document(parent_id), _place_in(parent_id, doc_id)
        if parent is None or place is None or len(path) > _MAX_DEPTH:
            raise SourceError("not_found", f"{text_in(row, 'source_uri')}: the tables lack the document that this one is attached to")
        path.insert(0, place)
        root = parent
    modified = root.get("source_modified")
    listed = replace(
        DocumentRef.of_uri(text_in(root, "source_uri")),
        etag=text_in(root, "source_etag") or None,
        size=whole_in(root, "source_size"),
        modified=modified if isinstance(modified, datetime) else None,
    )
    for place in path:
        listed = listed.child(place)
    return listed


def _place_in(parent_id: str, doc_id: str) -> int | None:
    """Return its index among its parent's attachments, from 0, from which its id was made (`DocumentRef.child`)."""
    return next((place for place in range(DEFAULT_LIMITS.max_assets) if document_id(f"{parent_id}/{place}") == doc_id), None)
