"""A document's outline as a tree: the outline in the file, else one made of the headings on its pages."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import Final

from msgspec import Struct, field
from msgspec.structs import replace

from pdfmill.pipeline.render.rows import structs_in, text_in, whole_in
from pdfmill.pipeline.serve.library import Library
from pdfmill.schemas.records import DocumentRef, Row, document_id
from pdfmill.transforms.pdf.open.limits import DEFAULT_LIMITS
from pdfmill.transforms.storage.errors import SourceError

#: Most entries shown; more would slow the browser down, and a reader would search instead.
MAX_ENTRIES: Final = 2000
#: Deepest level shown; deeper entries are shown at this level.
MAX_LEVEL: Final = 6


class Entry(Struct):
    """An entry of the outline (a bookmark), with the entries below it."""

    title: str
    page: int | None  # number of its target page, None if it has none in this document
    below: list[Entry] = field(default_factory=list)  # entries of the next level


class Outline(Struct):
    """The outline of a document. entries: of the first level. stated: the PDF itself has it. left_out: number of entries not shown."""

    entries: list[Entry]
    stated: bool
    left_out: int = 0


def outline_of(library: Library, document: Row) -> Outline:
    """Return the outline of a document, whose row of `documents` is given."""
    stated = [(text_in(each, "title"), whole_in(each, "level") or 1, whole_in(each, "page")) for each in structs_in(document, "outline")]
    return _cut(stated, True) if stated else _cut(_headings(library, text_in(document, "doc_id")), False)


def _headings(library: Library, doc_id: str) -> list[tuple[str, int, int | None]]:
    blocks = library.rows("blocks", doc_id, ["role", "level", "text", "page"])
    return [
        (text_in(block, "text"), whole_in(block, "level") or 1, whole_in(block, "page"))
        for block in blocks
        if text_in(block, "role") == "heading"
    ]


def _cut(items: list[tuple[str, int, int | None]], stated: bool) -> Outline:
    return Outline(tree_of(items[:MAX_ENTRIES]), stated, max(0, len(items) - MAX_ENTRIES))


def tree_of(items: Iterable[tuple[str, int, int | None]]) -> list[Entry]:
    """Make a tree of outline entries from (title, level from 1, page) in order; missing levels are skipped.

    >>> [[each.title for each in top.below] for top in tree_of([("1", 1, 1), ("1.1.1", 3, 1), ("1.2", 2, 2), ("2", 1, 3)])]
    [['1.1.1', '1.2'], []]
    """
    roots: list[Entry] = []
    open_entries: list[tuple[int, Entry]] = []
    for title, level, page in items:
        entry = Entry(" ".join(title.split()) or "(untitled)", page)
        while open_entries and open_entries[-1][0] >= level:
            open_entries.pop()
        del open_entries[MAX_LEVEL - 1 :]
        (open_entries[-1][1].below if open_entries else roots).append(entry)
        open_entries.append((level, entry))
    return roots


# Find the bytes that a row of `documents` was made of. Only addresses in the tables are followed, never one from a browser.


#: Deepest level of PDFs in PDFs; a run reads none deeper.
_MAX_DEPTH: Final = 100


def reference_of(library: Library, row: Row) -> DocumentRef:
    """Return a reference to the document as it was listed, with etag, size and time, and for an attached PDF with the path of attachment
    numbers. row: the document's row of `documents`.

    Raises:
        pdfmill.transforms.storage.errors.SourceError: not_found: the tables lack a document that contains this attached PDF.
    """
    path: list[int] = []
    root = row
    while root.get("parent_doc_id") is not None:
        parent_id, doc_id = text_in(root, "parent_doc_id"), text_in(root, "doc_id")
        parent, place = library.document(parent_id), _place_in(parent_id, doc_id)
        if parent is None or place is None or len(path) > _MAX_DEPTH:
            raise SourceError("not_found", f"{text_in(row, 'source_uri')}: the tables lack the document to which this one is attached")
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
    """Return the index, from 0, of an attached PDF among its parent's attachments, by comparing ids (`DocumentRef.child`)."""
    return next((place for place in range(DEFAULT_LIMITS.max_assets) if document_id(f"{parent_id}/{place}") == doc_id), None)
