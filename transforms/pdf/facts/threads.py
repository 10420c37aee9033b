"""Read article threads and their beads, the rectangles through which an article flows (ISO 32000-2 §12.4.3)."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from pdfmill.schemas.records import Notice, Row
from pdfmill.transforms.pdf.open.document import PdfDocument, once_per_document, shorten
from pdfmill.transforms.pdf.open.objects import (
    OBJECT_ERRORS,
    Key,
    Object,
    date_text,
    first_time,
    get,
    get_dict,
    is_dict,
    items,
    key_of,
    rectangle,
    text,
)
from pdfmill.transforms.pdf.open.page_transform import Box, box_row, page_frame

_TEXTS = {"title": "/Title", "author": "/Author", "subject": "/Subject", "keywords": "/Keywords"}


def read_threads(document: PdfDocument) -> Row:
    """Return the column `article_threads`; None if the document has none."""
    return {"article_threads": [_thread(document, thread) for thread in _threads(document)] or None}


def read_page_beads(document: PdfDocument, number: int, warnings: list[Notice]) -> NDArray[np.float32]:
    """Return float32[n, 4], the boxes of the beads on page `number`, from 1, in order of threads and, within a thread, of its beads.

    warnings: list that receives errors of reading the threads.
    """
    try:
        return np.array(_beads_by_page(document).get(number, []), np.float32).reshape(-1, 4)
    except OBJECT_ERRORS as error:
        warnings.append(Notice("page_facts_unreadable", number, f"the article threads cannot be read: {shorten(error)}"))
        return np.zeros((0, 4), np.float32)


@once_per_document
def _beads_by_page(document: PdfDocument) -> dict[int, list[Box]]:
    found: dict[int, list[Box]] = {}
    for thread in _threads(document):
        for bead in _beads(document, get(thread, "/F")):
            page, box = _place(document, bead)
            if page is not None and box is not None:
                found.setdefault(page, []).append(box)
    return found


def _threads(document: PdfDocument) -> list[Object]:
    return [thread for thread in items(get(document.pikepdf.Root, "/Threads"), document.limits) if is_dict(thread)]


def _thread(document: PdfDocument, thread: Object) -> Row:
    info = get_dict(thread, "/I")
    row: Row = {column: text(get(info, key)) for column, key in _TEXTS.items()}
    row["created"] = date_text(get(info, "/CreationDate"))
    places = [_place(document, bead) for bead in _beads(document, get(thread, "/F"))]
    row["beads"] = [{"page": page, **box_row(box)} for page, box in places]
    return row


def _beads(document: PdfDocument, first: Object) -> Iterator[Object]:
    """Yield the beads of a thread in order. Their list is circular; it ends at the first bead that was already met."""
    seen: set[Key] = set()
    bead = first
    while is_dict(bead) and first_time(bead, seen) and len(seen) < document.limits.max_nodes:
        yield bead
        if key_of(bead) is None:
            return
        bead = get(bead, "/N")


def _place(document: PdfDocument, bead: Object) -> tuple[int | None, Box | None]:
    """Return (page number, box on the displayed page) of a bead; either may be None."""
    key = key_of(get(bead, "/P"))
    page = document.tree.number_of.get(key) if key is not None else None
    box = rectangle(get(bead, "/R"))
    return page, page_frame(document.tree, page).show(box) if page is not None and box is not None else None
