"""Read destinations, actions and the outline (ISO 32000-2 §12.3, §12.6), page labels and article threads (§12.4)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import numpy as np
import pikepdf
from numpy.typing import NDArray

from pdfmill.schemas.records import Notice, Row
from pdfmill.transforms.pdf.open.document import PdfDocument, once_per_document, shorten
from pdfmill.transforms.pdf.open.objects import (
    OBJECT_ERRORS,
    Key,
    Object,
    clean,
    date_text,
    first_time,
    get,
    get_dict,
    integer,
    is_dict,
    items,
    key_of,
    keys,
    name,
    name_tree,
    number_tree,
    rectangle,
    text,
)
from pdfmill.transforms.pdf.open.page_tree import Box, box_row, page_frame

#: Actions of one chain that are searched for a target.
_MAX_CHAIN: Final = 20


def read_named_destinations(document: PdfDocument) -> Row:
    """Return the column `named_destinations`, in the order of the document; None if there are none."""
    found = [{"name": key, "page": _page_of_explicit(document, value)} for key, value in named(document).items()]
    return {"named_destinations": found or None}


@once_per_document
def named(document: PdfDocument) -> dict[str, Object]:
    """Return the destination objects of the document by name, from the catalog's dictionary Dests (PDF 1.1) and its name tree Dests."""
    root = document.pikepdf.Root
    old = get_dict(root, "/Dests")
    found = {key[1:]: get(old, key) for key in keys(old, document.limits)}
    for key, value in name_tree(get(get_dict(root, "/Names"), "/Dests"), document.limits):
        found.setdefault(key, value)
    return found


def page_of(document: PdfDocument, destination: Object) -> int | None:
    """Return the page number, from 1, to which a destination leads; None if the destination is broken or is in another file."""
    if isinstance(destination, (pikepdf.Name, pikepdf.String)):
        destination = named(document).get(text(destination) or "")
    return _page_of_explicit(document, destination)


def _page_of_explicit(document: PdfDocument, destination: Object) -> int | None:
    if isinstance(destination, pikepdf.Dictionary):
        destination = get(destination, "/D")
    if not isinstance(destination, pikepdf.Array) or not len(destination):
        return None
    target = destination[0]
    if is_dict(target) and name(get(target, "/Type")) == "StructElem":  # a structure destination (§12.3.2.3)
        target = get(target, "/Pg")
    if (position := integer(target)) is not None:
        return position + 1 if 0 <= position < document.page_count else None
    key = key_of(target)
    return document.tree.number_of.get(key) if key is not None else None


def target_of(document: PdfDocument, holder: Object) -> tuple[int | None, str | None]:
    """Return the page number, from 1, and the address or file name to which a link or outline item leads; either may be None."""
    try:
        if (destination := get(holder, "/Dest")) is not None and (page := page_of(document, destination)) is not None:
            return page, None
        waiting = [get(holder, "/A")]
        for _ in range(_MAX_CHAIN):
            if not waiting:
                break
            action = waiting.pop(0)
            if (target := _target_of_action(document, action)) != (None, None):
                return target
            waiting += items(get(action, "/Next"))[:_MAX_CHAIN]
        return _page_of_explicit(document, pikepdf.Array([element])) if is_dict(element := get(holder, "/SE")) else None, None
    except OBJECT_ERRORS:
        return None, None  # a broken target counts as none; the item itself is kept


def _target_of_action(document: PdfDocument, action: Object) -> tuple[int | None, str | None]:
    kind = name(get(action, "/S"))
    if kind == "GoTo":
        page = page_of(document, get(action, "/D"))
        return page if page is not None else _page_of_explicit(document, get(action, "/SD")), None
    if kind == "URI":
        return None, (_address(get(action, "/URI")) or "").strip() or None
    if kind in ("GoToR", "Launch", "GoToE", "SubmitForm", "ImportData"):
        inside = get(action, "/Win") if kind == "Launch" else get(action, "/T")
        return None, file_name(get(action, "/F")) or text(get(inside, "/F")) or text(get(inside, "/N"))
    return None, None


def _address(value: Object) -> str | None:
    """Return an address; None if it is no string. Bytes beyond ASCII (§12.6.4.8) are read as UTF-8, which is more frequent than
    PDFDocEncoding."""
    if isinstance(value, pikepdf.String) and not (raw := bytes(value)).startswith((b"\xfe\xff", b"\xff\xfe")):
        try:
            return clean(raw.decode("utf-8"))
        except UnicodeDecodeError:
            return text(value)
    return text(value)


def file_name(specification: Object) -> str | None:
    """Return the name in a file specification (§7.11): Unicode, else plain or system-dependent; None if it has none."""
    if not is_dict(specification):
        return text(specification)
    names = (text(get(specification, key)) for key in ("/UF", "/F", "/Unix", "/Mac", "/DOS"))
    return next((found for found in names if found), None)


# The outline (§12.3.3).


def read_outline(document: PdfDocument) -> Row:
    """Return the column `outline`, its items in reading order; None if the document has no outline."""
    items = [_item(document, node, level) for node, level in outline_items(document)]
    return {"outline": items or None}


def outline_items(document: PdfDocument) -> Iterator[tuple[pikepdf.Dictionary, int]]:
    """Yield the items of the outline with their levels, from 1, depth first. Loops end."""
    seen: set[Key] = set()
    root = get_dict(document.pikepdf.Root, "/Outlines")
    waiting = [(get(root, "/First"), 1)]
    given = 0
    while waiting and not document.limits.too_many(given):
        node, level = waiting.pop()
        if not is_dict(node) or document.limits.too_deep(level) or not first_time(node, seen):
            continue
        given += 1
        yield node, level
        waiting.append((get(node, "/Next"), level))
        waiting.append((get(node, "/First"), level + 1))


def _item(document: PdfDocument, node: pikepdf.Dictionary, level: int) -> Row:
    page, uri = target_of(document, node)
    title = " ".join((text(get(node, "/Title"), document.limits) or "").split())
    return {"title": title, "level": level, "page": page, "uri": uri}


_TEXTS = {"title": "/Title", "author": "/Author", "subject": "/Subject", "keywords": "/Keywords"}


# Article threads (§12.4.3).


def read_threads(document: PdfDocument) -> Row:
    """Return the column `article_threads`; None if the document has none."""
    return {"article_threads": [_thread(document, thread) for thread in _threads(document)] or None}


def read_page_beads(document: PdfDocument, number: int, warnings: list[Notice]) -> NDArray[np.float32]:
    """Return float32[n, 4], the boxes (x0, top, x1, bottom; points) of article threads on page `number`, from 1, in their order.
    warnings: list to which reading errors are added."""
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
    """Yield the beads (rectangles) of an article thread in order, from the first. The last bead refers to the first again."""
    seen: set[Key] = set()
    bead = first
    while is_dict(bead) and first_time(bead, seen) and len(seen) < document.limits.max_nodes:
        yield bead
        if key_of(bead) is None:
            return
        bead = get(bead, "/N")


def _place(document: PdfDocument, bead: Object) -> tuple[int | None, Box | None]:
    """Return the page number, from 1, and the box on the displayed page, points, of a bead (a rectangle of an article thread)."""
    key = key_of(get(bead, "/P"))
    page = document.tree.number_of.get(key) if key is not None else None
    box = rectangle(get(bead, "/R"))
    return page, page_frame(document.tree, page).show(box) if page is not None and box is not None else None


_ROMAN: Final = (
    (1000, "m"),
    (900, "cm"),
    (500, "d"),
    (400, "cd"),
    (100, "c"),
    (90, "xc"),
    (50, "l"),
    (40, "xl"),
    (10, "x"),
    (9, "ix"),
    (5, "v"),
    (4, "iv"),
    (1, "i"),
)

#: Largest page number written as a Roman or letter numeral. Larger ones would be too long to print and are written in digits.
_MAX_NUMERAL: Final = 10_000


def read_page_labels(document: PdfDocument) -> Row:
    """Return the column `page_labels`, one label per page; None if the document defines none."""
    root = get_dict(document.pikepdf.Root, "/PageLabels")
    if root is None or not document.page_count:
        return {"page_labels": None}
    ranges = sorted(((start, label) for start, label in number_tree(root, document.limits) if start >= 0), key=lambda each: each[0])
    if not ranges:
        return {"page_labels": None}
    labels = [str(position + 1) for position in range(document.page_count)]
    for (start, label), (end, _) in zip(ranges, [*ranges[1:], (document.page_count, None)], strict=True):
        for position in range(start, min(end, document.page_count)):
            labels[position] = _label(label, position - start)
    return {"page_labels": labels}


def _label(label: pikepdf.Object, offset: int) -> str:
    start = integer(get(label, "/St"))
    prefix = text(get(label, "/P")) or ""
    return prefix + numeral((1 if start is None else start) + offset, name(get(label, "/S")))


def numeral(value: int, style: str | None) -> str:
    """Format a page number in a numbering style of the standard: D, R, r, A or a; "" without a style.

    >>> numeral(4, "r"), numeral(28, "A"), numeral(3, None)
    ('iv', 'BB', '')
    """
    if style is None:
        return ""
    if style == "D" or not 0 < value <= _MAX_NUMERAL:
        return str(value)
    if style in ("R", "r"):
        return _roman(value) if style == "r" else _roman(value).upper()
    if style in ("A", "a"):
        return chr(ord(style) + (value - 1) % 26) * ((value - 1) // 26 + 1)
    return str(value)


def _roman(value: int) -> str:
    written = ""
    for amount, digits in _ROMAN:
        count, value = divmod(value, amount)
        written += digits * count
    return written
