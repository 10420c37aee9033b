"""Find row and column of each cell in tables of tagged PDF (ISO 32000-2 §14.8.4.8.3, §14.8.5.7)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

import pikepdf

from pdfmill.schemas.records import TaggedCell
from pdfmill.transforms.pdf.open.limits import DEFAULT_LIMITS, Limits
from pdfmill.transforms.pdf.open.objects import Object, get, integer, items, name
from pdfmill.transforms.pdf.open.structure_tree import CellPosition, StructureTree, standard_type

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
    """Return the cells of a table's rows on one page, by row and column, with rows counted from 0 on that page; () if the tags state no
    rows.

    table: index of its element. content: (marked-content id, element index) of its content on the page. roles, classes: RoleMap and
    ClassMap of the structure tree.
    """
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
    """Return the position of each cell. As in HTML, a cell takes the first free column of its row.

    Returns [] if a cell is in no row, or if the cells cover more than `_MAX_POSITIONS` positions.
    """
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
    """Yield (row, element index, type) of each cell of the table, without cells of nested tables. row: from 0; -1 if the cell is in no
    row."""
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
    said = next((value for each in stated if (value := integer(get(each, key))) is not None), 1)
    return min(max(said, 1), _MAX_SPAN)


def _attributes(element: pikepdf.Dictionary, classes: Object, limits: Limits) -> Iterator[pikepdf.Dictionary]:
    """Yield the table attribute dictionaries of an element: its own, then those of its classes (§14.7.6)."""
    own = items(get(element, "/A"), limits)
    shared = [each for one in items(get(element, "/C"), limits) if (key := name(one)) for each in items(get(classes, f"/{key}"), limits)]
    for each in [*own, *shared]:
        if name(get(each, "/O")) == "Table":
            yield each
