"""Find the page or address to which a destination or an action leads (ISO 32000-2 §12.3.2, §12.6)."""

from __future__ import annotations

from typing import Final

import pikepdf

from pdfmill.schemas.records import Row
from pdfmill.transforms.pdf.open.document import PdfDocument, once_per_document
from pdfmill.transforms.pdf.open.objects import (
    OBJECT_ERRORS,
    Object,
    clean,
    get,
    get_dict,
    integer,
    is_dict,
    items,
    key_of,
    keys,
    name,
    name_tree,
    text,
)

#: Actions of one chain that are searched for a target.
_MAX_CHAIN: Final = 20


def read_named_destinations(document: PdfDocument) -> Row:
    """Return the column `named_destinations` in the order of the document."""
    found = [{"name": key, "page": _page_of_explicit(document, value)} for key, value in named(document).items()]
    return {"named_destinations": found or None}


@once_per_document
def named(document: PdfDocument) -> dict[str, Object]:
    """Return the named destinations by name, from the catalog's dictionary Dests (PDF 1.1) and its name tree Dests."""
    root = document.pikepdf.Root
    old = get_dict(root, "/Dests")
    found = {key[1:]: get(old, key) for key in keys(old, document.limits)}
    for key, value in name_tree(get(get_dict(root, "/Names"), "/Dests"), document.limits):
        found.setdefault(key, value)
    return found


def page_of(document: PdfDocument, destination: Object) -> int | None:
    """Return the page number, from 1, of a destination; None if the destination is broken or lies in another file."""
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
    """Return (page number, address) to which a link or outline item leads; either may be None. holder: dictionary of the link or item.

    For an action that opens another file, the address is the file's name.
    """
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
        return None, None  # a broken target is no target; the item itself stays


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
    """Decode an address. It should be ASCII (§12.6.4.8); other bytes are decoded as UTF-8, which is more frequent there than
    PDFDocEncoding."""
    if isinstance(value, pikepdf.String) and not (raw := bytes(value)).startswith((b"\xfe\xff", b"\xff\xfe")):
        try:
            return clean(raw.decode("utf-8"))
        except UnicodeDecodeError:
            return text(value)
    return text(value)


def file_name(specification: Object) -> str | None:
    """Return the name in a file specification (§7.11): its Unicode name, else its plain or a system-dependent one."""
    if not is_dict(specification):
        return text(specification)
    names = (text(get(specification, key)) for key in ("/UF", "/F", "/Unix", "/Mac", "/DOS"))
    return next((found for found in names if found), None)
