"""Read tagged PDF: counts of structure types, and the blocks that the structure tree defines on a page (ISO 32000-2 §14.7, §14.8)."""

from __future__ import annotations

from collections import Counter
from typing import Final

import pikepdf

from pdfmill.schemas.records import Notice, Row, TaggedElement
from pdfmill.transforms.pdf.facts.tagged_tables import page_cells
from pdfmill.transforms.pdf.open.document import PdfDocument, once_per_document, shorten
from pdfmill.transforms.pdf.open.limits import DEFAULT_LIMITS, Limits
from pdfmill.transforms.pdf.open.objects import OBJECT_ERRORS, get, get_dict
from pdfmill.transforms.pdf.open.structure_tree import StructureTree, standard_type, walk_structure

#: Types whose whole content is one block, with the paragraphs in it (§14.8.4.7, §14.8.4.8).
_WHOLE: Final = frozenset(["LI", "Caption", "Note", "FENote", "Code", "TOCI", "BibEntry"])
#: Types that are a block unless an element of `_WHOLE` contains them.
_BLOCKS: Final = frozenset(["P", "H", "H1", "H2", "H3", "H4", "H5", "H6", "Title", "BlockQuote"])
#: Types with a two-dimensional layout. Text in them belongs to them, whatever its own tag is.
_FLAT: Final = frozenset(["Table", "TR", "TH", "TD", "Figure", "Formula", "Form", "Artifact"])
_SECTIONS: Final = frozenset(["Part", "Art", "Sect"])


def read_tags(document: PdfDocument) -> Row:
    """Return the columns `tagged` and `struct_types`; `struct_types` is None if there is no structure tree."""
    root = document.pikepdf.Root
    tagged = get(get_dict(root, "/MarkInfo"), "/Marked") is True
    if get_dict(root, "/StructTreeRoot") is None:
        return {"tagged": tagged, "struct_types": None}
    roles = get_dict(get_dict(root, "/StructTreeRoot"), "/RoleMap")
    counts: Counter[str] = Counter()
    for kind, count in Counter(filter(None, structure_of(document).kinds)).items():
        counts[standard_type(kind, roles)] += count
    return {"tagged": tagged, "struct_types": [{"type": kind, "count": counts[kind]} for kind in sorted(counts)]}


def structure_elements(document: PdfDocument) -> list[pikepdf.Dictionary]:
    """Return the dictionaries of the first `max_nodes` structure elements."""
    return structure_of(document).elements


@once_per_document
def structure_of(document: PdfDocument) -> StructureTree:
    return walk_structure(get_dict(document.pikepdf.Root, "/StructTreeRoot"), document.tree.number_of, document.limits)


def read_page_tags(document: PdfDocument, number: int, warnings: list[Notice]) -> tuple[TaggedElement, ...]:
    """Return the tagged blocks of page `number`, from 1, in order of the structure tree; () for an untagged document.

    warnings: list that receives errors of reading the tree.
    """
    try:
        root = get_dict(document.pikepdf.Root, "/StructTreeRoot")
        if root is None:
            return ()
        return page_elements(structure_of(document), number, get_dict(root, "/RoleMap"), get_dict(root, "/ClassMap"), document.limits)
    except OBJECT_ERRORS as error:
        warnings.append(Notice("page_facts_unreadable", number, f"the structure tree cannot be read: {shorten(error)}"))
        return ()


def page_elements(
    tree: StructureTree,
    page: int,
    roles: pikepdf.Dictionary | None = None,
    classes: pikepdf.Dictionary | None = None,
    limits: Limits = DEFAULT_LIMITS,
) -> tuple[TaggedElement, ...]:
    """Return the tagged blocks of page `page`, from 1, in order of the structure tree. roles, classes: RoleMap and ClassMap of the tree."""
    content: dict[tuple[int, str, int], list[tuple[int, int]]] = {}
    last: dict[int, int] = {}
    known: dict[int, tuple[int, str, int] | None] = {}
    for content_id, element in tree.content.get(page, ()):
        if element not in known:
            known[element] = _block(tree, element, roles)
        if (block := known[element]) is not None:
            content.setdefault(block, []).append((content_id, element))
            last[block[0]] = max(last.get(block[0], 0), element)
    before = [element for _, element in tree.content.get(page - 1, ())]

    def carried(position: int) -> bool:  # what lies between an element and one below it in tree order lies below it too
        return any(position <= element <= last[position] for element in before)

    return tuple(
        TaggedElement(
            kind,
            level,
            position,
            tuple(content_id for content_id, _ in pairs),
            carried(position),
            page_cells(tree, position, pairs, roles, classes, limits) if kind == "Table" else (),
        )
        for (position, kind, level), pairs in sorted(content.items())
    )


def _begins(tree: StructureTree, item: int, block: int, roles: pikepdf.Dictionary | None) -> bool:
    """Return whether `block` is the first block in the list item `item`. The first one is merged with the item; later ones are
    paragraphs."""
    return not any(standard_type(tree.kinds[n], roles) in _BLOCKS for n in range(item + 1, block))


def _block(tree: StructureTree, element: int, roles: pikepdf.Dictionary | None) -> tuple[int, str, int] | None:
    """Return (element index, type, level) of the block to which the content of an element belongs; None if it belongs to no block. level:
    of a heading, or of a list item's list; 0 for other types."""
    block: tuple[int, str] | None = None
    sections = lists = 0
    inner = -1
    while element >= 0:
        kind = standard_type(tree.kinds[element], roles)
        if kind in _FLAT and (block is None or block[1] != "Caption"):
            block = element, kind
        elif kind in _BLOCKS and block is None:
            block = element, kind
            inner = element
        elif kind in _WHOLE and (block is None or (block[1] in _BLOCKS and (kind != "LI" or _begins(tree, element, inner, roles)))):
            block = element, kind
        sections += kind in _SECTIONS
        lists += kind == "L"
        element = tree.parents[element]
    if block is None:
        return None
    kind = block[1]
    if kind == "LI":
        return *block, max(1, lists)
    if kind == "H":  # nesting tells its level (§14.8.4.3)
        return *block, max(1, sections)
    return *block, int(kind[1:]) if kind[:1] == "H" else int(kind == "Title")
