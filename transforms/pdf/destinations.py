"""Destinations and actions: which page or address something leads to (ISO 32000-2 §12.3.2, §12.6)."""

from __future__ import annotations

import pikepdf

from schemas.records import Row
from transforms.pdf.document import PdfDocument
from transforms.pdf.objects import OBJECT_ERRORS, Object, get, get_dict, integer, is_dict, key_of, keys, name, name_tree, text


def read_named_destinations(document: PdfDocument) -> Row:
    """Column `named_destinations`, in the order of the document."""
    found = [{"name": key, "page": _page_of_explicit(document, value)} for key, value in named(document).items()]
    return {"named_destinations": found or None}


def named(document: PdfDocument) -> dict[str, Object]:
    """Named destinations: the catalog's Dests dictionary (PDF 1.1) and its Dests name tree."""
    if document.named is None:
        root = document.pikepdf.Root
        old = get_dict(root, "/Dests")
        document.named = {key[1:]: get(old, key) for key in keys(old, document.limits)}
        for key, value in name_tree(get(get_dict(root, "/Names"), "/Dests"), document.limits):
            document.named.setdefault(key, value)
    return document.named


def page_of(document: PdfDocument, destination: Object) -> int | None:
    """The page a destination shows, from 1; None when it is broken or in another file."""
    if isinstance(destination, (pikepdf.Name, pikepdf.String)):
        destination = named(document).get(text(destination) or "")
    return _page_of_explicit(document, destination)


def _page_of_explicit(document: PdfDocument, destination: Object) -> int | None:
    if isinstance(destination, pikepdf.Dictionary):
        destination = get(destination, "/D")
    if not isinstance(destination, pikepdf.Array) or not len(destination):
        return None
    target = destination[0]
    if (position := integer(target)) is not None:
        return position + 1 if 0 <= position < document.page_count else None
    key = key_of(target)
    return document.tree.number_of.get(key) if key is not None else None


def target_of(document: PdfDocument, holder: Object) -> tuple[int | None, str | None]:
    """Where a link or outline item leads: (page, uri); either may be None.

    A remote or launch action gives the file it names as the address.
    """
    try:
        if (destination := get(holder, "/Dest")) is not None:
            return page_of(document, destination), None
        return _target_of_action(document, get(holder, "/A"))
    except OBJECT_ERRORS:
        return None, None  # a broken target is no target; the item itself stays


def _target_of_action(document: PdfDocument, action: Object) -> tuple[int | None, str | None]:
    kind = name(get(action, "/S"))
    if kind == "GoTo":
        return page_of(document, get(action, "/D")), None
    if kind == "URI":
        return None, (text(get(action, "/URI")) or "").strip() or None
    if kind in ("GoToR", "Launch", "GoToE"):
        return None, file_name(get(action, "/F"))
    return None, None



def file_name(specification: Object) -> str | None:
    """The name in a file specification (§7.11): Unicode first, then the plain and the system-dependent ones."""
    if not is_dict(specification):
        return text(specification)
    names = (text(get(specification, key)) for key in ("/UF", "/F", "/Unix", "/Mac", "/DOS"))
    return next((found for found in names if found), None)
