"""Read tagged PDF: counts of structure types, and the blocks and table cells on a page (ISO 32000-2 §14.7, §14.8)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Final

import pikepdf

from pdfmill.schemas.records import Notice, Row, TaggedCell, TaggedElement
from pdfmill.transforms.pdf.open.document import PdfDocument, once_per_document, shorten
from pdfmill.transforms.pdf.open.limits import DEFAULT_LIMITS, Limits
from pdfmill.transforms.pdf.open.objects import OBJECT_ERRORS, Object, get, get_dict, integer, items, name
from pdfmill.transforms.pdf.open.structure_tree import CellPosition, StructureTree, standard_type, walk_structure

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
    """Return the dictionaries of the document's structure elements, up to `max_nodes` of them."""
    return structure_of(document).elements


@once_per_document
def structure_of(document: PdfDocument) -> StructureTree:
    return walk_structure(get_dict(document.pikepdf.Root, "/StructTreeRoot"), document.tree.number_of, document.limits)


def read_page_tags(document: PdfDocument, number: int, warnings: list[Notice]) -> tuple[TaggedElement, ...]:
    """Return the blocks (paragraphs, headings, tables, ...) that the tags define on page `number`, from 1, in the order of the structure
    tree.
    warnings: list to which reading errors are added."""
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
    """Return the blocks (paragraphs, headings, tables, ...) that the tags define on a page, from 1, in the order of the structure tree.
    roles, classes: RoleMap and ClassMap of the tree."""
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

    def carried(position: int) -> bool:  # elements between an element and one of its descendants, in tree order, are its descendants too
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
    """Return whether the element `block` is the first block in the list item `item`, with which it is merged."""
    return not any(standard_type(tree.kinds[n], roles) in _BLOCKS for n in range(item + 1, block))


def _block(tree: StructureTree, element: int, roles: pikepdf.Dictionary | None) -> tuple[int, str, int] | None:
    """Return the block to which the content of an element belongs, as (element, type, level); None if it belongs to none.
    level, from 1: of a heading or title its own, of a list item the nesting depth; 0 for other types."""
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
    if kind == "H":  # the level of H follows from the nesting of sections (§14.8.4.3)
        return *block, max(1, sections)
    return *block, int(kind[1:]) if kind[:1] == "H" else int(kind == "Title")


_CELLS: Final = frozenset(["TD", "TH"])
#: Types whose descendants are not cells of the table.
_OTHERS: Final = frozenset(["Caption", "Table", "L", "Figure", "Formula"])
#: Grid positions that the cells of one table may cover; only a malicious table has more.
_MAX_POSITIONS: Final = 200_000
#: Columns or rows that a cell may span, as in HTML (HTML Living Standard §4.9.11).
_MAX_SPAN: Final = 1000


def page_cells(
    tree: StructureTree, table: int, content: Iterable[tuple[int, int]], roles: Object, classes: Object, limits: Limits = DEFAULT_LIMITS
) -> tuple[TaggedCell, ...]:
    """Return the cells of a table (an element) that are on one page, with rows from 0 on that page; () if the tags state no rows.
    content: pairs of marked-content id and element of the table's content on the page. roles, classes: RoleMap and ClassMap."""
    if table not in tree.tables:
        tree.tables[table] = place_cells(tree, table, roles, classes, limits)
    places = tree.tables[table]
    of = {place.element: n for n, place in enumerate(places)}
    ids: dict[int, list[int]] = {}
    for content_id, element in content:
        while element > table and element not in of:
            element = tree.parents[element]
        if element in of:
            ids.setdefault(of[element], []).append(content_id)
    if not ids:
        return ()
    first, last = min(places[n].row for n in ids), max(places[n].row for n in ids)
    found = []
    for n, (_, row, column, down, across, head) in enumerate(places):
        top, end = max(row, first), min(row + down, last + 1)
        if top < end:
            found.append(TaggedCell(top - first, column, end - top, across, head, tuple(ids.get(n, ()))))
    return tuple(sorted(found, key=lambda cell: (cell.row, cell.column)))


def place_cells(tree: StructureTree, table: int, roles: Object, classes: Object, limits: Limits = DEFAULT_LIMITS) -> list[CellPosition]:
    """Return the position of each cell of a table: as in HTML, the first free column of its row. roles, classes: RoleMap and ClassMap.
    [] if a cell is in no row, or if the cells cover more than `_MAX_POSITIONS` positions."""
    taken: set[tuple[int, int]] = set()
    found: list[CellPosition] = []
    begun: dict[int, int] = {}
    for row, element, kind in _cells(tree, table, roles):
        stated = list(_attributes(tree.elements[element], classes, limits))
        down, across = (_span(stated, key) for key in ("/RowSpan", "/ColSpan"))
        column = begun.get(row, 0)
        while (row, column) in taken:
            column += 1
        begun[row] = column + across
        if row < 0 or len(taken) + down * across > _MAX_POSITIONS:
            return []
        taken.update((row + r, column + c) for r in range(down) for c in range(across))
        scope = next((said for each in stated if (said := name(get(each, "/Scope")))), "Column")
        found.append(CellPosition(element, row, column, down, across, "" if kind == "TD" else "row" if scope == "Row" else "column"))
    return found


def _cells(tree: StructureTree, table: int, roles: Object) -> Iterator[tuple[int, int, str]]:
    """Yield the row (from 0; -1 for none), element and type (TD or TH) of each cell of the table, without nested tables."""
    row_of = {table: -1}
    rows = 0
    for element in range(table + 1, len(tree.kinds)):
        parent = tree.parents[element]
        if parent < table:
            return
        if parent not in row_of:
            continue
        kind = standard_type(tree.kinds[element], roles)
        if kind in _CELLS:
            yield row_of[parent], element, kind
        elif kind == "TR":
            row_of[element] = rows
            rows += 1
        elif kind not in _OTHERS:
            row_of[element] = row_of[parent]


def _span(stated: Iterable[pikepdf.Dictionary], key: str) -> int:
    span = next((value for each in stated if (value := integer(get(each, key))) is not None), 1)
    return min(max(span, 1), _MAX_SPAN)


def _attributes(element: pikepdf.Dictionary, classes: Object, limits: Limits) -> Iterator[pikepdf.Dictionary]:
    """Yield the attribute dictionaries of an element that concern tables: its own, then those of its classes (§14.7.6)."""
    own = items(get(element, "/A"), limits)
    shared = [each for one in items(get(element, "/C"), limits) if (key := name(one)) for each in items(get(classes, f"/{key}"), limits)]
    for each in [*own, *shared]:
        if name(get(each, "/O")) == "Table":
            yield each
