"""Read the document outline (ISO 32000-2 §12.3.3)."""

from __future__ import annotations

from collections.abc import Iterator

import pikepdf

from pdfmill.schemas.records import Row
from pdfmill.transforms.pdf.facts.destinations import target_of
from pdfmill.transforms.pdf.open.document import PdfDocument
from pdfmill.transforms.pdf.open.objects import Key, first_time, get, get_dict, is_dict, text


def read_outline(document: PdfDocument) -> Row:
    """Return the column `outline`, its items in reading order; None if the document has no outline."""
    items = [_item(document, node, level) for node, level in outline_items(document)]
    return {"outline": items or None}


def outline_items(document: PdfDocument) -> Iterator[tuple[pikepdf.Dictionary, int]]:
    """Yield (item, level from 1), depth first. A chain of siblings ends at an item that was already met, so that loops end."""
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
