"""Tables by their ruling lines: pdfplumber's cell finding (pdfplumber.table, after Nurminen 2013, "Algorithmic extraction of data
in tables in PDF documents") fed with the edges that PDFium already gave, so that no page is parsed twice."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray
from pdfplumber import table as finder
from pdfplumber.utils.geometry import filter_edges

from schemas.records import RuledTable

Box = tuple[float, float, float, float]

#: Points within which edges are one edge, meet, or are joined end to end: pdfplumber's defaults.
_SNAP: Final = 3.0
_JOIN: Final = 3.0
_MEET: Final = 3.0
#: Edges shorter than this, points, are no cell borders.
_MIN_LENGTH: Final = 3.0
#: A table has at least so many cells: a single box is a frame.
_MIN_CELLS: Final = 2
#: Crossings of a page above which it is a chart or hatching: the search takes their square (2,000 take half a second).
_MAX_CROSSINGS: Final = 2000


def find_ruled_tables(edges: NDArray[np.float32], max_edges: int) -> list[RuledTable]:
    """Tables among horizontal and vertical edges (x0, top, x1, bottom); none when there are more than `max_edges`."""
    if not _may_cross(edges) or len(edges) > max_edges:
        return []
    merged = finder.merge_edges([_edge(*box) for box in edges.tolist()], _SNAP, _SNAP, _JOIN, _JOIN)
    merged = filter_edges(merged, min_length=_MIN_LENGTH)
    crossings = finder.edges_to_intersections(merged, _MEET, _MEET)
    if len(crossings) > _MAX_CROSSINGS:
        return []
    cells = finder.intersections_to_cells(crossings)
    tables = [_table(group) for group in finder.cells_to_tables(cells) if len(group) >= _MIN_CELLS]
    return [table for table in tables if len(table.rows) > 1 or len(table.rows[0]) > 1]


def _may_cross(edges: NDArray[np.float32]) -> bool:
    """Cheap: at least two edges of each direction, and one pair that meets."""
    flat = edges[:, 1] == edges[:, 3]
    across, down = edges[flat], edges[~flat]
    if len(across) < 2 or len(down) < 2:
        return False
    x, y = down[:, 0], across[:, 1]
    meets = (across[:, :1] <= x + _MEET) & (across[:, 2:3] >= x - _MEET) & (down[:, 1] <= y[:, None] + _MEET) & (down[:, 3] >= y[:, None] - _MEET)
    return bool(meets.any())


def _edge(x0: float, top: float, x1: float, bottom: float) -> dict[str, float | str]:
    return {
        "x0": x0, "top": top, "x1": x1, "bottom": bottom, "doctop": top, "width": x1 - x0, "height": bottom - top,
        "orientation": "h" if top == bottom else "v", "object_type": "line",
    }  # fmt: skip


def _table(cells: list[Box]) -> RuledTable:
    """Rows by the cells' tops, columns by their left edges; a place that another cell spans is None."""
    lefts = sorted({cell[0] for cell in cells})
    rows = [
        [by_left.get(left) for left in lefts]
        for top in sorted({cell[1] for cell in cells})
        for by_left in [{cell[0]: cell for cell in cells if cell[1] == top}]
    ]
    return RuledTable(min(c[0] for c in cells), min(c[1] for c in cells), max(c[2] for c in cells), max(c[3] for c in cells), rows)
