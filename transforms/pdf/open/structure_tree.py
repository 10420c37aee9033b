"""Read the structure tree once, in its order, from files that may have loops and wrong types (ISO 32000-2 §14.7)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, NamedTuple

import pikepdf
from msgspec import Struct, field

from pdfmill.transforms.pdf.open.limits import DEFAULT_LIMITS, Limits
from pdfmill.transforms.pdf.open.objects import Key, Object, first_time, get, get_dict, integer, is_dict, items, key_of, name, text


class CellPosition(NamedTuple):
    """The position of a table cell in the structure tree: its first row and column, from 0, and how many it spans. head: "column" or "row"
    for a header cell, else ""."""

    element: int  # index of its element
    row: int  # its first row, from 0
    column: int  # its first column, from 0
    down: int  # number of rows that it spans
    across: int  # number of columns that it spans
    head: str  # "column" or "row" for a header cell, else ""


#: Standard structure types of PDF 1.7 and 2.0 (§14.8.4).
_STANDARD: Final = frozenset(
    [
        "Document",
        "DocumentFragment",
        "Part",
        "Art",
        "Sect",
        "Div",
        "BlockQuote",
        "Caption",
        "TOC",
        "TOCI",
        "Index",
        "NonStruct",
        "Private",
        "Aside",
        "Title",
        "FENote",
        "Sub",
        "Em",
        "Strong",
        "P",
        "H",
        "H1",
        "H2",
        "H3",
        "H4",
        "H5",
        "H6",
        "L",
        "LI",
        "Lbl",
        "LBody",
        "Table",
        "TR",
        "TH",
        "TD",
        "THead",
        "TBody",
        "TFoot",
        "Span",
        "Quote",
        "Note",
        "Reference",
        "BibEntry",
        "Code",
        "Link",
        "Annot",
        "Ruby",
        "RB",
        "RT",
        "RP",
        "Warichu",
        "WT",
        "WP",
        "Figure",
        "Formula",
        "Form",
        "Artifact",
    ]
)


class StructureTree(Struct):
    """The structure elements of a document, in tree order: their dictionaries, types and parents (indices, -1 at the top), and by page
    number the marked content, as pairs of marked-content id and element."""

    elements: list[pikepdf.Dictionary] = field(default_factory=list)  # their dictionaries
    kinds: list[str] = field(default_factory=list)  # their types as written, "" if that is no name
    parents: list[int] = field(default_factory=list)  # index of the parent, -1 at the top
    #: By page number, the marked content of the page's own stream in tree order: (marked-content id, index of its element).
    content: dict[int, list[tuple[int, int]]] = field(default_factory=dict)
    texts: dict[int, str] = field(default_factory=dict)  # ActualText by index of the element
    stated: dict[int, list[tuple[str, frozenset[int]]]] | None = None  # replacement texts by page, computed by `actual_text` at first use
    #: Cells by index of their table, computed by `page_cells` at first use.
    tables: dict[int, list[CellPosition]] = field(default_factory=dict)


def standard_type(kind: str, roles: Object) -> str:
    """Return the standard structure type to which the role map leads from `kind` (§14.7.3, §14.8.4), else the last type on the way."""
    seen: set[str] = set()
    while kind not in _STANDARD and kind not in seen and (mapped := name(get(roles, f"/{kind}"))):
        seen.add(kind)
        kind = mapped
    return kind


def walk_structure(root: Object, number_of: Mapping[Key, int], limits: Limits = DEFAULT_LIMITS) -> StructureTree:
    """Read the structure elements below the root, each once, at most `max_nodes`. number_of: page number, from 1, by object key."""
    tree = StructureTree()
    seen: set[Key] = set()
    waiting: list[tuple[Object, int, int, int | None]] = [(kid, 0, -1, None) for kid in reversed(items(get(root, "/K"), limits))]
    while waiting and not limits.too_many(len(tree.elements)):
        node, depth, parent, page = waiting.pop()
        if isinstance(node, int):
            if page is not None:
                tree.content.setdefault(page, []).append((node, parent))
            continue
        if not isinstance(node, pikepdf.Dictionary) or limits.too_deep(depth):
            continue
        if (kind := get(node, "/S")) is None:
            _add_reference(tree, node, parent, _page_of(node, number_of, page))
            continue
        if not first_time(node, seen):
            continue
        position, page = len(tree.elements), _page_of(node, number_of, page)
        tree.elements.append(node)
        tree.kinds.append(name(kind) or "")
        tree.parents.append(parent)
        if "/ActualText" in node and (stated := text(get(node, "/ActualText"), limits)):  # this test takes a fifth of the time of `get`
            tree.texts[position] = stated
        kids = get(node, "/K")
        if isinstance(kids, pikepdf.Array):
            waiting.extend((kid, depth + 1, position, page) for kid in reversed(items(kids, limits)))
        elif kids is not None:
            waiting.append((kids, depth + 1, position, page))
    return tree


def _page_of(node: pikepdf.Dictionary, number_of: Mapping[Key, int], inherited: int | None) -> int | None:
    page = get_dict(node, "/Pg")
    key = key_of(page)
    return number_of.get(key) if key is not None else inherited


def _add_reference(tree: StructureTree, node: pikepdf.Dictionary, parent: int, page: int | None) -> None:
    """Add a reference to marked content of a page (§14.7.5.2). Content of a form XObject has identifiers of its own and is left out."""
    content_id = integer(get(node, "/MCID"))
    if content_id is not None and page is not None and parent >= 0 and not is_dict(get(node, "/Stm")):
        tree.content.setdefault(page, []).append((content_id, parent))
