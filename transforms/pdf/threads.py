"""Article threads and their beads (ISO 32000-2 §12.4.3)."""

from __future__ import annotations

from collections.abc import Iterator

from schemas.records import Row
from transforms.pdf.document import PdfDocument
from transforms.pdf.geometry import box_row, page_frame
from transforms.pdf.objects import Key, Object, date_text, first_time, get, get_dict, is_dict, items, key_of, rectangle, text

_TEXTS = {"title": "/Title", "author": "/Author", "subject": "/Subject", "keywords": "/Keywords"}


def read_threads(document: PdfDocument) -> Row:
    """Column `article_threads`; None where there are none."""
    found = [_thread(document, thread) for thread in items(get(document.pikepdf.Root, "/Threads"), document.limits) if is_dict(thread)]
    return {"article_threads": found or None}


def _thread(document: PdfDocument, thread: Object) -> Row:
    info = get_dict(thread, "/I")
    row: Row = {column: text(get(info, key)) for column, key in _TEXTS.items()}
    row["created"] = date_text(get(info, "/CreationDate"))
    row["beads"] = [_bead(document, bead) for bead in _beads(document, get(thread, "/F"))]
    return row


def _beads(document: PdfDocument, first: Object) -> Iterator[Object]:
    """The beads in order; the list is circular, so the first one met again ends it."""
    seen: set[Key] = set()
    bead = first
    while is_dict(bead) and first_time(bead, seen) and len(seen) < document.limits.max_nodes:
        yield bead
        if key_of(bead) is None:
            return
        bead = get(bead, "/N")


def _bead(document: PdfDocument, bead: Object) -> Row:
    key = key_of(get(bead, "/P"))
    page = document.tree.number_of.get(key) if key is not None else None
    box = rectangle(get(bead, "/R"))
    shown = page_frame(document.tree, page).show(box) if page is not None and box is not None else None
    return {"page": page, **box_row(shown)}
