"""A document's outline as a tree: the one that it states, else one from the headings on its pages."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from msgspec import Struct, field

from pdfmill.pipeline.render.rows import structs_in, text_in, whole_in
from pdfmill.pipeline.serve.library import Library
from pdfmill.schemas.records import Row

#: Entries shown; a browser with more becomes slow, and a reader searches instead.
MAX_ENTRIES: Final = 2000
#: Levels shown; deeper entries stand at this one.
MAX_LEVEL: Final = 6


class Entry(Struct):
    """An entry. page: its target, None if it has none in this document."""

    title: str
    page: int | None
    below: list[Entry] = field(default_factory=list)


class Outline(Struct):
    """entries: those of the first level. stated: whether the document states it. left_out: number of entries that are not shown."""

    entries: list[Entry]
    stated: bool
    left_out: int = 0


def outline_of(library: Library, document: Row) -> Outline:
    """Return the outline of a document."""
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
    """Make a tree of (title, level from 1, page) in order; skipped levels are closed.

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
