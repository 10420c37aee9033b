"""Tagged PDF: the structure tree and what it counts (ISO 32000-2 §14.7, §14.8)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Final

import pikepdf

from schemas.records import Row
from transforms.pdf.document import PdfDocument
from transforms.pdf.objects import Key, Object, get, get_dict, is_dict, items, key_of, name

#: Standard structure types of PDF 1.7 and 2.0 (§14.8.4).
_STANDARD: Final = frozenset(
    ["Document", "DocumentFragment", "Part", "Art", "Sect", "Div", "BlockQuote", "Caption", "TOC", "TOCI", "Index", "NonStruct", "Private", "Aside", "Title", "FENote", "Sub", "Em", "Strong", "P", "H", "H1", "H2", "H3", "H4", "H5", "H6", "L", "LI", "Lbl", "LBody", "Table", "TR", "TH", "TD", "THead", "TBody", "TFoot", "Span", "Quote", "Note", "Reference", "BibEntry", "Code", "Link", "Annot", "Ruby", "RB", "RT", "RP", "Warichu", "WT", "WP", "Figure", "Formula", "Form", "Artifact"]
)


def read_tags(document: PdfDocument) -> Row:
    """Columns `tagged` and `struct_types`; the latter None where there is no structure tree."""
    root = document.pikepdf.Root
    tagged = get(get_dict(root, "/MarkInfo"), "/Marked") is True
    if get_dict(root, "/StructTreeRoot") is None:
        return {"tagged": tagged, "struct_types": None}
    roles = get_dict(get_dict(root, "/StructTreeRoot"), "/RoleMap")
    written = Counter(kind for element in structure_elements(document) if (kind := name(get(element, "/S"))))
    counts: Counter[str] = Counter()
    for kind, count in written.items():
        counts[standard_type(kind, roles)] += count
    return {"tagged": tagged, "struct_types": [{"type": kind, "count": counts[kind]} for kind in sorted(counts)]}


def standard_type(kind: str, roles: Object) -> str:
    """The standard type that a role map leads to (§14.7.3, §14.8.4); a type without one stays as it is."""
    seen: set[str] = set()
    while kind not in _STANDARD and kind not in seen and (mapped := name(get(roles, f"/{kind}"))):
        seen.add(kind)
        kind = mapped
    return kind


def structure_elements(document: PdfDocument) -> list[pikepdf.Dictionary]:
    """Every structure element, each once, walked at first use; at most `max_nodes`."""
    if document.structure is None:
        document.structure = list(_walk(document, get_dict(document.pikepdf.Root, "/StructTreeRoot")))
    return document.structure


def _walk(document: PdfDocument, root: Object) -> Iterator[pikepdf.Dictionary]:
    seen: set[Key] = set()
    waiting = [(kid, 0) for kid in items(get(root, "/K"), document.limits)]
    given = 0
    while waiting and not document.limits.too_many(given):
        node, depth = waiting.pop()
        if not isinstance(node, pikepdf.Dictionary) or document.limits.too_deep(depth):
            continue
        key = key_of(node)
        if key is not None:
            if key in seen:
                continue
            seen.add(key)
        if get(node, "/S") is None:
            continue
        given += 1
        yield node
        kids = get(node, "/K")
        if isinstance(kids, pikepdf.Array):
            waiting.extend((kid, depth + 1) for kid in items(kids, document.limits) if isinstance(kid, pikepdf.Dictionary))
        elif is_dict(kids):
            waiting.append((kids, depth + 1))
