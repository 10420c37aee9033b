"""Where are tables, and what are their cells? Ruled grids as the page draws them, others by rules, fills and alignment.

Rows are baselines, columns the white gaps that all rows leave (projection profile; compare Nurminen 2013, "Algorithmic
extraction of data in tables in PDF documents", and Kieninger 1998, T-Recs). Rules, fills and spacing tell rows from the
wrapped lines of a cell.
"""

from __future__ import annotations

import html
import re
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from typing import Final

import numpy as np

from schemas.records import PageLines
from schemas.statistics import TableEnd
from transforms.layout.frame import Floats, Frame
from transforms.layout.looks import is_typewriter
from transforms.layout.patterns import BULLET_ALONE, CONTENTS_LINE, is_list_start, is_unspaced, numbering_depth
from transforms.layout.settings import DEFAULTS, LayoutSettings

_NUMBER: Final = re.compile(r"^[-+−–(]?[\d.,'\u00a0\u202f ]*\d[\d.,'\u00a0\u202f ]*\)?\s*[%€$£¥°*†‡a-z]{0,3}$")


@dataclass(slots=True)
class Chunk:
    """Words of one line without a wide gap between them. line: its index in the page; start, end: offsets in its text."""

    line: int
    start: int
    end: int
    x0: float
    top: float
    x1: float
    bottom: float
    size: float
    text: str
    bold: bool


@dataclass(slots=True)
class Cell:
    """One cell: its place, its spans, its chunks in reading order."""

    row: int
    column: int
    down: int = 1
    across: int = 1
    chunks: list[Chunk] = field(default_factory=list)


@dataclass(slots=True)
class Table:
    """A table: its box in the frame, its cells in row order, how many columns and header rows it has.

    repeats: its header rows repeat those of the page before, where it began.
    """

    x0: float
    top: float
    x1: float
    bottom: float
    cells: list[Cell]
    columns: int
    header_rows: int = 0
    repeats: bool = False

    @property
    def lines(self) -> set[int]:
        """The page's lines that stand in it."""
        return {chunk.line for cell in self.cells for chunk in cell.chunks}


class Words:
    """The words of a page's lines as places in the frame."""

    def __init__(self, page: PageLines, frame: Frame, cell_gap: float) -> None:
        self.page = page
        boxes = frame.map_boxes(page.word_boxes, page)
        self.x0, self.top, self.x1, self.bottom = (values.tolist() for values in boxes.T)
        self.spans = page.word_spans.tolist()
        n = len(page.lines)
        self.first = np.searchsorted(page.word_lines, np.arange(n), side="left").tolist()
        self.last = np.searchsorted(page.word_lines, np.arange(n), side="right").tolist()
        self.gapped = self._gapped(boxes, cell_gap)
        self._whole: dict[int, list[Chunk]] = {}

    def _gapped(self, boxes: Floats, cell_gap: float) -> set[int]:
        """Lines with a gap between words that parts cells."""
        if len(boxes) < 2:
            return set()
        of = self.page.word_lines
        sizes = np.array([self.page.styles[line.style].size for line in self.page.lines])
        apart = np.maximum(boxes[1:, 0] - boxes[:-1, 2], boxes[:-1, 0] - boxes[1:, 2])
        wide = (of[1:] == of[:-1]) & (apart > cell_gap * sizes[of[1:]])
        return set(of[1:][wide].tolist())

    def chunks(self, line: int, gap: float, cuts: Sequence[float] = ()) -> list[Chunk]:
        """The line cut where words are more than `gap` em apart or lie on different sides of a cut."""
        if cuts or line in self.gapped:
            return self._cut(line, gap, cuts)
        if line not in self._whole:  # every region, run and header asks for it in which it may stand
            first, last = self.first[line], self.last[line]
            size = self.page.styles[self.page.lines[line].style].size
            self._whole[line] = [self._chunk(line, first, last, size)] if last > first else []
        return self._whole[line]

    def _cut(self, line: int, gap: float, cuts: Sequence[float]) -> list[Chunk]:
        size = self.page.styles[self.page.lines[line].style].size
        first, last = self.first[line], self.last[line]
        found, begin = [], first
        for n in range(first + 1, last + 1):
            if n == last or self._parted(n - 1, n, gap * size, cuts):
                found.append(self._chunk(line, begin, n, size))
                begin = n
        return found

    def _chunk(self, line: int, first: int, last: int, size: float) -> Chunk:
        start, end = self.spans[first][0], self.spans[last - 1][1]
        text_line = self.page.lines[line]
        bold = self.page.styles[text_line.style].bold
        box = min(self.x0[first:last]), min(self.top[first:last]), max(self.x1[first:last]), max(self.bottom[first:last])
        return Chunk(line, start, end, *box, size, text_line.text[start:end], bold)

    def _parted(self, a: int, b: int, gap: float, cuts: Sequence[float]) -> bool:
        left, right = (a, b) if self.x0[a] <= self.x0[b] else (b, a)
        end, start = self.x1[left], self.x0[right]
        if start - end > gap:
            return True
        before, after = (self.x0[left] + end) / 2, (start + self.x1[right]) / 2
        return any(before < cut <= after for cut in cuts)


def find_tables(page: PageLines, frame: Frame, parts: Sequence[Sequence[int]], furniture: Collection[int], settings: LayoutSettings = DEFAULTS) -> list[Table]:
    """The tables of a page. parts: lines (indices into the page) of each column part in reading order. furniture: lines that are in none."""
    if len(frame) > settings.max_pairs_lines:
        return []
    words = Words(page, frame, settings.region_gap)
    finder = _Finder(page, frame, words, settings)
    kept_out = frozenset(furniture)
    tables = [table for grid in finder.grids() if (table := finder.from_grid(grid, kept_out)) is not None]
    taken = {line for table in tables for line in table.lines} | kept_out
    free = [i for i in frame.index.tolist() if i not in taken]
    for region in finder.regions():
        for table in finder.in_region(region, free):
            tables.append(table)
            free = [i for i in free if i not in table.lines]
    left = set(free)
    for part in parts:
        aligned = (finder.from_rows(rows, None) for rows in finder.tabular_runs([i for i in part if i in left]))
        tables.extend(table for table in aligned if table is not None)
    return tables


def ruled_tables(page: PageLines, frame: Frame, settings: LayoutSettings = DEFAULTS) -> list[Table]:
    """Tables that rules or fills show; no alignment alone. Cheap where nothing is drawn."""
    if not len(page.rules) and not len(page.fills) and not page.tables:
        return []
    return find_tables(page, frame, [], (), settings)


def note_lowest(tables: Sequence[Table], settings: LayoutSettings = DEFAULTS) -> TableEnd | None:
    """What the next page needs to know of the lowest table, should the page end with it."""
    if not tables:
        return None
    table = max(tables, key=lambda t: t.bottom)
    return TableEnd(tuple(_extents(table)), tuple(_leading_texts(table, max(1, table.header_rows), settings)), whole=True)


def repeated_rows(table: Table, end: TableEnd, settings: LayoutSettings = DEFAULTS) -> int | None:
    """How many leading rows repeat the header of the table with which the page before ends; None when this one does not carry it on.

    It does when its columns stand where those stood, and it has no header of its own.
    """
    own = _extents(table)
    if end.whole:
        if len(own) != len(end.columns) or not all(map(_overlap, own, end.columns)):
            return None
        count = len(end.header)
        if _leading_texts(table, count, settings) == list(end.header):
            return count
        return 0 if not table.header_rows else None
    if table.header_rows or len(own) < 3:
        return None
    found = [[n for n, column in enumerate(own) if _overlap(column, piece)] for piece in end.columns]
    apart = all(found) and len({n for each in found for n in each}) == sum(map(len, found))
    return 0 if apart and (len(found) > 2 or all(len(each) == 1 for each in found)) else None


def _extents(table: Table) -> list[tuple[float, float]]:
    """Left and right limit of each column's own cells; without any, left and right of the table."""
    found = []
    for column in range(table.columns):
        chunks = [chunk for cell in table.cells if cell.column == column and cell.across == 1 for chunk in cell.chunks]
        found.append((round(min(c.x0 for c in chunks), 1), round(max(c.x1 for c in chunks), 1)) if chunks else (table.x0, table.x1))
    return found


def _overlap(a: tuple[float, float], b: tuple[float, float]) -> bool:
    return min(a[1], b[1]) > max(a[0], b[0])


def _leading_texts(table: Table, rows: int, settings: LayoutSettings) -> list[tuple[str, ...]]:
    """The texts of the first rows' cells, cut."""
    return [
        tuple(" ".join(chunk.text for chunk in cell.chunks)[: settings.edge_chars] for cell in table.cells if cell.row == row and cell.chunks)
        for row in range(rows)
    ]


Box = tuple[float, float, float, float]


class _Finder:
    def __init__(self, page: PageLines, frame: Frame, words: Words, settings: LayoutSettings) -> None:
        self.page = page
        self.frame = frame
        self.words = words
        self.settings = settings
        index = frame.index.tolist()
        boxes = zip(frame.start.tolist(), frame.top.tolist(), frame.end.tolist(), frame.bottom.tolist(), strict=True)
        self.boxes: dict[int, Box] = dict(zip(index, boxes, strict=True))
        self.baseline: dict[int, float] = dict(zip(index, frame.baseline.tolist(), strict=True))
        self.size: dict[int, float] = dict(zip(index, frame.size.tolist(), strict=True))
        self.rules = self._horizontal_rules()
        self.fills = frame.map_boxes(page.fills, page)

    # -- ruled grids ----------------------------------------------------------------------------------------------------

    def grids(self) -> list[list[list[Box | None]]]:
        """The page's ruled tables as rows of cell boxes in the frame."""
        found = []
        for ruled in self.page.tables:
            rows = [[None if box is None else self._map(box) for box in row] for row in ruled.rows]
            if self.frame.rtl:
                rows = [row[::-1] for row in rows]
            found.append(rows)
        return found

    def _map(self, box: Box) -> Box:
        x0, top, x1, bottom = self.frame.map_boxes(np.array([box], np.float64), self.page)[0].tolist()
        return x0, top, x1, bottom

    def from_grid(self, rows: list[list[Box | None]], kept_out: Collection[int]) -> Table | None:
        """A table from drawn cells; None when it is a frame, or holds wrapped text in too few cells. kept_out: lines that are something else."""
        rows = self._without(rows, kept_out) if kept_out else rows
        boxes = [box for row in rows for box in row if box is not None]
        if len(rows) < 2 or len(boxes) < 4 or max(map(len, rows)) < 2:
            return None
        lefts, tops = _edges([b[0] for b in boxes]), _edges([b[1] for b in boxes])
        if len(lefts) < 2 or len(tops) < 2:
            return None
        outer = min(b[0] for b in boxes), min(b[1] for b in boxes), max(b[2] for b in boxes), max(b[3] for b in boxes)
        inside = [i for i in self.frame.index.tolist() if i not in kept_out and self.in_box(i, outer)]
        cells = [self._grid_cell(box, lefts, tops) for box in boxes]
        self._fill_cells(cells, boxes, inside, lefts[1:])
        filled = [cell for cell in cells if cell.chunks]
        lengths = sorted(sum(len(chunk.text) for chunk in cell.chunks) for cell in filled)
        if lengths and (sum(lengths) > self.settings.cell_chars * len(lengths) or lengths[-1] > max(400, sum(lengths) / 2)):
            return None  # a page laid out in boxes
        if len(filled) < 3 or len({c.column for c in filled}) < 2 or len({c.row for c in filled}) < 2:
            return None
        if len(tops) <= 4 and (wide := self._rows_in_cells(cells, inside, outer)) is not None:
            return wide
        table = Table(*outer, sorted(cells, key=lambda c: (c.row, c.column)), len(lefts))
        table.header_rows = _header_rows(table, None)
        return table

    def _without(self, rows: list[list[Box | None]], kept_out: Collection[int]) -> list[list[Box | None]]:
        """A grid without its first and last rows of which all lines are something else: a running head set in the same grid."""
        while rows and self._is_taken(rows[0], kept_out):
            rows = rows[1:]
        while rows and self._is_taken(rows[-1], kept_out):
            rows = rows[:-1]
        return rows

    def _is_taken(self, row: list[Box | None], kept_out: Collection[int]) -> bool:
        """The row holds lines, and all of them are something else."""
        boxes = [box for box in row if box is not None]
        inside = [i for i in self.boxes if self.in_box(i, _around(boxes))] if boxes else []
        return bool(inside) and all(i in kept_out for i in inside)

    def _rows_in_cells(self, cells: list[Cell], inside: list[int], outer: Box) -> Table | None:
        """A grid with few drawn rows may hold many set rows: then alignment inside it tells more."""
        lines = max((len({round(ch.top) for ch in cell.chunks}) for cell in cells), default=0)
        per_row: Counter[int] = Counter()
        for cell in cells:
            tops = {round(ch.top) for ch in cell.chunks}
            per_row[cell.row] += len(tops) >= 4
        if lines < 4 or max(per_row.values(), default=0) < 2:
            return None
        table = self.from_lines(inside, outer)
        return table if table is not None and _row_count(table) >= 2 * len({c.row for c in cells}) else None

    def _grid_cell(self, box: Box, lefts: list[float], tops: list[float]) -> Cell:
        column, row = _position(lefts, box[0]), _position(tops, box[1])
        across = sum(box[0] - 2 < x < box[2] - 2 for x in lefts)
        down = sum(box[1] - 2 < y < box[3] - 2 for y in tops)
        return Cell(row, column, max(1, down), max(1, across))

    def _fill_cells(self, cells: list[Cell], boxes: list[Box], lines: list[int], cuts: list[float]) -> None:
        for line in self._in_order(lines):
            for chunk in self.words.chunks(line, 99.0, cuts):
                x, y = (chunk.x0 + chunk.x1) / 2, (chunk.top + chunk.bottom) / 2
                away = [max(box[0] - x, x - box[2], 0.0) + max(box[1] - y, y - box[3], 0.0) for box in boxes]
                cells[min(range(len(away)), key=away.__getitem__)].chunks.append(chunk)

    def _in_order(self, lines: Sequence[int]) -> list[int]:
        return sorted(lines, key=lambda i: (round(self.baseline[i] / 2), self.boxes[i][0]))

    # -- rules and fills ------------------------------------------------------------------------------------------------

    def _horizontal_rules(self) -> list[Box]:
        """Horizontal strokes, pieces on one height put together, top to bottom."""
        boxes = self.frame.map_boxes(self.page.rules, self.page)
        flat = boxes[(boxes[:, 3] - boxes[:, 1] < 3.0) & (boxes[:, 2] - boxes[:, 0] > 4.0)]
        merged: list[list[float]] = []
        for x0, top, x1, bottom in sorted(flat.tolist(), key=lambda b: (round((b[1] + b[3]) / 3), b[0])):
            last = merged[-1] if merged else None
            if last is not None and abs((top + bottom) - (last[1] + last[3])) < 4.0 and x0 <= last[2] + 4.0:
                last[2] = max(last[2], x1)
            else:
                merged.append([x0, top, x1, bottom])
        return sorted(((a, b, c, d) for a, b, c, d in merged), key=lambda b: b[1])

    def regions(self) -> list[list[Box]]:
        """Long rules of one width, and stacked fills: each list of boxes, top to bottom, may hold a table."""
        groups: list[list[Box]] = []
        for rule in self.rules:
            if rule[2] - rule[0] <= self.settings.rule_width or len(groups) >= self.settings.max_regions:
                continue
            for group in groups:
                if abs(group[-1][0] - rule[0]) < 4.0 and abs(group[-1][2] - rule[2]) < 4.0:
                    group.append(rule)
                    break
            else:
                groups.append([rule])
        groups = [g for g in groups if len(g) >= 2] + self._fill_regions()
        outer = _outermost([_around(g) for g in groups])
        return sorted((g for g in groups if _around(g) in outer), key=lambda g: (g[0][1], g[0][0]))

    def in_region(self, region: list[Box], free: Sequence[int]) -> list[Table]:
        """The table between these boxes, or, where there is none, those above and below the widest space between them."""
        box = _around(region)
        inside = [i for i in free if self.in_box(i, box)]
        if box[3] - box[1] < 12.0 or len(inside) < 2:
            return []
        rows = self._rows(inside, self.settings.region_gap)
        above = self._header_above(rows, box, [i for i in free if i not in inside])
        table = self.from_rows(above + rows, box)
        if table is None and above:
            table = self.from_rows(rows, box)
        if table is not None or len(region) < 4:
            return [table] if table is not None else []
        widest = max(range(1, len(region)), key=lambda n: region[n][1] - region[n - 1][3])
        return self.in_region(region[:widest], free) + self.in_region(region[widest:], free)

    def _header_above(self, rows: list[list[Chunk]], box: Box, free: Sequence[int]) -> list[list[Chunk]]:
        """Header rows over the first rule: rows of several cells right above it, over the table's own columns."""
        if not rows:
            return []
        em, columns = rows[0][0].size, max(map(len, rows))
        near = [i for i in free if self._beside(i, box) and -3.5 * em < self.boxes[i][3] - box[1] <= 2.0]
        found = [row for row in self._rows(near, self.settings.region_gap) if len(row) > 1]
        return found if found and max(map(len, found)) >= max(2, columns - 1) and all(len(row) <= columns + 1 for row in found) else []

    def _beside(self, line: int, box: Box) -> bool:
        start, _, end, _ = self.boxes[line]
        return start >= box[0] - 4.0 and end <= box[2] + 4.0

    def _fill_regions(self) -> list[list[Box]]:
        """Boxes around filled bands stacked at one left and right limit, touching or with one row between (zebra stripes)."""
        rows: dict[tuple[float, float], list[float]] = {}
        for x0, top, x1, bottom in self.fills.tolist():
            if bottom - top < self.settings.band_height:
                key = round(top / 2), round(bottom / 2)
                known = rows.setdefault(key, [x0, top, x1, bottom])
                known[0], known[2] = min(known[0], x0), max(known[2], x1)
        bands = sorted(rows.values(), key=lambda b: b[1])
        groups: list[list[list[float]]] = []
        for band in bands:
            if band[2] - band[0] < self.settings.rule_width:
                continue
            last = groups[-1][-1] if groups else None
            if last is not None and abs(last[0] - band[0]) < 4 and abs(last[2] - band[2]) < 4 and band[1] - last[3] < self.settings.stripe_gap * max(band[3] - band[1], 12.0):
                groups[-1].append(band)
            else:
                groups.append([band])
        boxes: list[list[Box]] = [[(x0, top, x1, bottom) for x0, top, x1, bottom in g] for g in groups if len(g) >= 2]
        for group in boxes:  # the last stripe may be white
            x0, _, x1, bottom = group[-1]
            group.append((x0, bottom, x1, bottom + (bottom - group[-1][1])))
        return boxes

    def in_box(self, line: int, box: Box) -> bool:
        """The middle of a line lies in a box."""
        start, top, end, bottom = self.boxes[line]
        return box[0] - 2 <= (start + end) / 2 <= box[2] + 2 and box[1] - 1 <= (top + bottom) / 2 <= box[3] + 1

    # -- alignment ------------------------------------------------------------------------------------------------------

    def from_lines(self, lines: Sequence[int], region: Box | None) -> Table | None:
        """A table of all these lines, if they form one."""
        return self.from_rows(self._rows(lines, self.settings.region_gap), region)

    def _rows(self, lines: Sequence[int], gap: float) -> list[list[Chunk]]:
        """Chunks by baseline, top to bottom, each row in reading direction."""
        return self._chunk_rows(self._set_rows(lines), gap)

    def _chunk_rows(self, rows: list[list[int]], gap: float) -> list[list[Chunk]]:
        return [sorted((c for i in row for c in self.words.chunks(i, gap)), key=lambda c: c.x0) for row in rows]

    def _set_rows(self, lines: Sequence[int]) -> list[list[int]]:
        """Lines by baseline, top to bottom."""
        rows: list[list[int]] = []
        for i in sorted(lines, key=self.baseline.__getitem__):
            if rows and self.baseline[i] - self.baseline[rows[-1][0]] <= 0.4 * self.size[i]:
                rows[-1].append(i)
            else:
                rows.append([i])
        return rows

    def tabular_runs(self, lines: Sequence[int]) -> list[list[list[Chunk]]]:
        """Runs of rows of which most have several chunks."""
        rows = self._set_rows(lines)
        if sum(len(row) > 1 or row[0] in self.words.gapped for row in rows) < self.settings.table_rows:
            return []
        runs: list[list[list[Chunk]]] = []
        run: list[list[Chunk]] = []
        singles, pitch = 0, 0.0
        for row in self._chunk_rows(rows, self.settings.cell_gap):
            if not row:
                continue
            gap = row[0].bottom - run[-1][0].bottom if run else 0.0
            limit = max(self.settings.row_gap * row[0].size, min(1.5 * pitch, 2 * self.settings.row_gap * row[0].size))
            if run and (gap > limit or (len(row) == 1 and singles >= self.settings.single_rows)):
                runs.append(run)
                run, singles, pitch = [], 0, 0.0
                gap = 0.0
            if len(row) == 1:
                if not run:
                    continue
                singles += 1
            else:
                singles = 0
                pitch = max(pitch, gap)
            run.append(row)
        runs.append(run)
        return [trimmed for each in runs if len(trimmed := _trim(each)) >= 3]

    def from_rows(self, rows: list[list[Chunk]], region: Box | None) -> Table | None:
        """A table from rows of chunks; None when they are prose, code, contents lines, a list or a form."""
        rows = [row for row in rows if row]
        while region is not None and len(rows) > 2 and len(rows[-1]) == 1 and len(rows[-1][0].text) > self.settings.prose_chars:
            rows = rows[:-1]  # text below the last stripe
        em = float(np.median([c.size for row in rows for c in row])) if rows else 0.0
        while region is not None and len(rows) > 2 and len(rows[0]) == 1 and (rows[0][0].size > 1.15 * em or len(rows[0][0].text) > self.settings.prose_chars):
            rows = rows[1:]  # a heading above the first row
        several = [row for row in rows if len(row) > 1]
        needed = 2 if region is not None else self.settings.table_rows
        if len(several) < needed or len(several) < (0.25 if region else 0.5) * len(rows):
            return None
        gaps = _column_gaps(several, self.settings)
        columns = len(gaps) + 1
        if columns < 2 or not self._is_tabular(rows, gaps, region):
            return None
        cuts = [(a + b) / 2 for a, b in gaps]
        split = [[part for chunk in row for part in self._split(chunk, gaps, len(row))] for row in rows]
        body = self._table_rows(split, cuts, region)
        cells = [cell for n, row in enumerate(body) for cell in _row_cells(n, row, cuts, gaps)]
        self._spans_by_rules(cells, cuts, body)
        chunks = [c for row in split for c in row]
        box = region or (min(c.x0 for c in chunks), min(c.top for c in chunks), max(c.x1 for c in chunks), max(c.bottom for c in chunks))
        table = Table(min(c.x0 for c in chunks), min(box[1], min(c.top for c in chunks)), max(c.x1 for c in chunks), max(c.bottom for c in chunks), cells, columns)
        table.header_rows = _header_rows(table, self._header_rule(table))
        return table

    def _split(self, chunk: Chunk, gaps: list[tuple[float, float]], mates: int) -> list[Chunk]:
        """A chunk over a column gap is two cells when a space lies in the gap, else a spanning cell."""
        inside = [(a + b) / 2 for a, b in gaps if chunk.x0 < a and chunk.x1 > b]
        if not inside or mates == 1:
            return [chunk]
        parts = [c for c in self.words.chunks(chunk.line, self.settings.cell_gap, inside) if c.start >= chunk.start and c.end <= chunk.end]
        whole = sum(len(part.text.replace(" ", "")) for part in parts) == len(chunk.text.replace(" ", ""))
        return parts if len(parts) > 1 and whole else [chunk]

    def _is_tabular(self, rows: list[list[Chunk]], gaps: list[tuple[float, float]], region: Box | None) -> bool:
        s = self.settings
        chunks = [c for row in rows for c in row]
        page = self.page
        mono = sum(page.styles[page.lines[c.line].style].monospaced or is_typewriter(page.styles[page.lines[c.line].style].font) for c in chunks)
        if mono > (0.5 if region is None else 0.9) * len(chunks) or _is_contents(rows):
            return False
        ends = sum(bool(CONTENTS_LINE.search(page.lines[row[-1].line].text)) or set(row[-1].text) <= set(". …") for row in rows if len(row) > 1)
        if ends > 0.3 * len(rows):
            return False
        em = float(np.median([c.size for c in chunks]))
        singles = [row[0] for row in rows if len(row) == 1]
        if sum(_set_length(c.text) > 1.2 * s.prose_chars for c in singles) > s.prose_rows * len(rows):
            return False
        if any(c.size > 1.15 * em for c in singles):
            return False  # a heading among them: text between two rules
        cuts = [(a + b) / 2 for a, b in gaps]
        columns: list[list[Chunk]] = [[] for _ in range(len(cuts) + 1)]
        for row in rows:
            for c in row:
                columns[_position(cuts, (c.x0 + c.x1) / 2, after=True)].append(c)
        if any(len(column) < 2 for column in columns) and len(columns) == 2:
            return False
        lengths = [float(np.median([_set_length(c.text) for c in column])) if column else 0.0 for column in columns]
        prose = sum(n >= s.prose_chars for n in lengths)
        if prose >= 2 and len(columns) - prose <= 1 and (region is None or len(columns) == 2):
            return False
        marks = sum(is_list_start(c.text + " x") or bool(BULLET_ALONE.match(c.text)) or numbering_depth(c.text) > 1 for c in columns[0])
        if len(columns) == 2 and marks > 0.5 * len(columns[0]):
            return False
        if region is None:
            if sum(_fills(column) for column in columns) >= max(2, len(columns) - 1) and len(rows) >= s.prose_lines:
                return False
            if len(columns) == 2 and (max(lengths) > s.prose_chars or sum(c.text.endswith(":") for c in columns[0]) > 0.4 * len(columns[0])):
                return False
            full = sum(len(row) >= max(2, (len(columns) + 1) // 2) for row in rows)
            if full < 0.5 * len(rows):
                return False
        return _aligned(columns) >= (s.aligned_ruled if region is not None else s.aligned)

    # -- rows -----------------------------------------------------------------------------------------------------------

    def _table_rows(self, rows: list[list[Chunk]], cuts: list[float], region: Box | None) -> list[list[Chunk]]:
        """Set rows to table rows: wrapped lines of a cell join the row they belong to."""
        if len(rows) < 2:
            return rows
        pitch = [b[0].bottom - a[0].bottom for a, b in zip(rows, rows[1:], strict=False)]
        parted = [self._rule_between(a, b, region) for a, b in zip(rows, rows[1:], strict=False)]
        small = min(pitch)
        by_rules = sum(parted) >= max(3, 0.3 * len(rows)) and sum(parted) < len(rows) - 1
        em = float(np.median([c.size for row in rows for c in row]))
        two_gaps = small < 1.5 * em and sum(p > 1.25 * small for p in pitch) >= 0.3 * len(pitch)
        joined = [list(rows[0])]
        first_of = rows[0]
        for n, row in enumerate(rows[1:]):
            occupied = {_position(cuts, (c.x0 + c.x1) / 2, after=True) for c in row}
            above = {_position(cuts, (c.x0 + c.x1) / 2, after=True) for c in first_of}
            if parted[n]:
                wraps = False
            elif by_rules:
                wraps = True
            elif two_gaps:
                wraps = pitch[n] <= 1.15 * small
            else:
                wraps = 0 not in occupied and len(occupied) <= len(cuts) / 2 and occupied <= above and not any(_NUMBER.match(c.text) for c in row)
            if wraps:
                joined[-1].extend(row)
            else:
                joined.append(list(row))
                first_of = row
        return joined

    def _rule_between(self, a: list[Chunk], b: list[Chunk], region: Box | None) -> bool:
        """A rule or a change of fill parts two rows."""
        y0, y1 = max(c.top + 0.6 * (c.bottom - c.top) for c in a), min(c.top + 0.5 * (c.bottom - c.top) for c in b)
        x0, x1 = (region[0], region[2]) if region else (min(c.x0 for c in a + b), max(c.x1 for c in a + b))
        for rule in self.rules:
            if y0 <= (rule[1] + rule[3]) / 2 <= y1 and min(rule[2], x1) - max(rule[0], x0) > 0.6 * (x1 - x0):
                return True
        if not len(self.fills):
            return False
        return bool(self._fill_at(a) != self._fill_at(b))

    def _fill_at(self, row: list[Chunk]) -> tuple[float, float] | None:
        """Top and bottom of the band of fill that lies under a row."""
        c = row[0]
        x, y = c.x0 + 1.0, (c.top + c.bottom) / 2
        under = self.fills[(self.fills[:, 0] <= x) & (self.fills[:, 2] >= x) & (self.fills[:, 1] <= y) & (self.fills[:, 3] >= y)]
        under = under[under[:, 3] - under[:, 1] < self.settings.band_height] if len(under) else under
        if not len(under):
            return None
        best = under[np.argmin(under[:, 3] - under[:, 1])]
        return round(float(best[1])), round(float(best[3]))

    def _spans_by_rules(self, cells: list[Cell], cuts: list[float], rows: list[list[Chunk]]) -> None:
        """A short rule under a cell tells which columns it spans (booktabs' cmidrule)."""
        edges = [min(c.x0 for row in rows for c in row), *cuts, max(c.x1 for row in rows for c in row)]
        whole = edges[-1] - edges[0]
        for cell in cells:
            if cell.row > 2 or not cell.chunks or cell.down > 1:
                continue
            bottom = max(c.bottom for c in cell.chunks)
            x = (min(c.x0 for c in cell.chunks) + max(c.x1 for c in cell.chunks)) / 2
            for rule in self.rules:
                if -2.0 <= rule[1] - bottom <= 6.0 and rule[0] <= x <= rule[2] and rule[2] - rule[0] < 0.9 * whole:
                    covered = [n for n in range(len(edges) - 1) if rule[0] - 4 <= (edges[n] + edges[n + 1]) / 2 <= rule[2] + 4]
                    if len(covered) > 1 and cell.column in covered:
                        cell.column, cell.across = covered[0], len(covered)
        cells.sort(key=lambda c: (c.row, c.column))

    def _header_rule(self, table: Table) -> float | None:
        """Height of the first full rule below the table's first row."""
        first = max((c.bottom for cell in table.cells if cell.row == 0 for c in cell.chunks), default=table.top)
        last = max((c.top for cell in table.cells for c in cell.chunks), default=table.bottom)
        for rule in self.rules:
            y = (rule[1] + rule[3]) / 2
            if first - 2 < y < last and min(rule[2], table.x1) - max(rule[0], table.x0) > 0.8 * (table.x1 - table.x0):
                return y
        return None


# -- plain functions ------------------------------------------------------------------------------------------------------


def _edges(values: Sequence[float]) -> list[float]:
    """Distinct positions, 2 points apart at least."""
    found: list[float] = []
    for value in sorted(values):
        if not found or value - found[-1] > 2.0:
            found.append(value)
    return found


def _position(edges: Sequence[float], value: float, *, after: bool = False) -> int:
    """Index of the edge nearest below a value; with `after`, how many edges lie at or below it."""
    if after:
        return sum(edge <= value for edge in edges)
    return min(range(len(edges)), key=lambda n: abs(edges[n] - value))


def _around(boxes: Sequence[Box]) -> Box:
    return boxes[0][0], boxes[0][1], boxes[0][2], max(b[3] for b in boxes)


def _outermost(boxes: list[Box]) -> list[Box]:
    """Boxes that lie in no other."""
    return [b for n, b in enumerate(boxes) if not any(m != n and o[0] - 2 <= b[0] and o[1] - 2 <= b[1] and o[2] + 2 >= b[2] and o[3] + 2 >= b[3] and (o != b or m < n) for m, o in enumerate(boxes))]


def _trim(run: list[list[Chunk]]) -> list[list[Chunk]]:
    """The run without single chunks at its ends."""
    while run and len(run[-1]) == 1:
        run = run[:-1]
    return run


def _column_gaps(rows: list[list[Chunk]], settings: LayoutSettings) -> list[tuple[float, float]]:
    """White gaps between columns: places that hardly any row covers."""
    x0, x1 = min(c.x0 for row in rows for c in row), max(c.x1 for row in rows for c in row)
    bins = int((x1 - x0) * 2) + 2
    cover = np.zeros(bins, np.int64)
    for row in rows:
        for c in row:
            cover[int((c.x0 - x0) * 2) : int((c.x1 - x0) * 2) + 1] += 1
    allowed = int(settings.gap_crossing * len(rows))
    em = float(np.median([c.size for row in rows for c in row]))
    free = np.flatnonzero(np.diff(np.concatenate([[0], (cover <= allowed).astype(np.int8), [0]])))
    gaps = []
    for a, b in zip(free[::2].tolist(), free[1::2].tolist(), strict=True):
        if a > 0 and b < bins - 1 and b - a >= 2 * settings.column_gap * em:
            gaps.append((x0 + a / 2, x0 + b / 2))
    return [gap for gap in gaps if _parts_chunks(rows, gap)]


def _parts_chunks(rows: list[list[Chunk]], gap: tuple[float, float]) -> bool:
    """At least two rows have chunks on both sides."""
    middle = (gap[0] + gap[1]) / 2
    return sum(any(c.x1 <= middle for c in row) and any(c.x0 >= middle for c in row) for row in rows) >= 2


def _fills(column: list[Chunk]) -> bool:
    """Most of its chunks are as wide as the column: lines of prose, not cells."""
    widths = [c.x1 - c.x0 for c in column]
    return len(widths) >= 4 and sum(w > 0.85 * max(widths) for w in widths) > 0.6 * len(widths) and _set_length(column[0].text) >= 12


def _set_length(text: str) -> int:
    """Characters of a text as wide as Latin ones: ideographs count twice."""
    return len(text) * (2 if is_unspaced(text) else 1)


def _is_contents(rows: list[list[Chunk]]) -> bool:
    """Rows that end in page numbers which never fall: a table of contents."""
    numbers = [int(row[-1].text) for row in rows if len(row) == 2 and row[-1].text.isdecimal() and len(row[-1].text) <= 4]
    rising = all(a <= b for a, b in zip(numbers, numbers[1:], strict=False))
    return len(numbers) >= 5 and len(numbers) > 0.4 * len(rows) and rising and numbers[0] < numbers[-1] and any(len(row[0].text) > 20 for row in rows)


def _aligned(columns: list[list[Chunk]]) -> float:
    """Mean share of a column's chunks that have their start, end or middle where most of them have it."""
    shares = []
    for column in columns:
        if len(column) < 2:
            continue
        tolerance = 0.4 * column[0].size
        best = 0
        starts, ends = np.array([c.x0 for c in column]), np.array([c.x1 for c in column])
        for places in (starts, ends, (starts + ends) / 2):
            best = max(best, int((np.abs(places[:, None] - places[None, :]) <= tolerance).sum(axis=1).max()))
        shares.append(best / len(column))
    return float(np.mean(shares)) if shares else 0.0


def _row_cells(number: int, row: list[Chunk], cuts: list[float], gaps: list[tuple[float, float]]) -> list[Cell]:
    """The cells of a table row; a chunk that covers whole gaps spans the columns beside them."""
    cells: dict[int, Cell] = {}
    for chunk in row:
        crossed = [n for n, (a, b) in enumerate(gaps) if chunk.x0 < a - 1.0 and chunk.x1 > b + 1.0]
        column = crossed[0] if crossed else _position(cuts, (chunk.x0 + chunk.x1) / 2, after=True)
        across = len(crossed) + 1 if crossed else 1
        cell = cells.setdefault(column, Cell(number, column))
        cell.across = max(cell.across, across)
        cell.chunks.append(chunk)
    covered = {c + k for c, cell in cells.items() for k in range(1, cell.across)}
    for column in sorted(covered & set(cells)):  # what stands under a span belongs to it
        owner = max((c for c in cells if c < column), default=None)
        if owner is None:
            continue
        cells[owner].chunks.extend(cells.pop(column).chunks)
    return [cells[column] for column in sorted(cells)]


def _row_count(table: Table) -> int:
    return max((cell.row for cell in table.cells), default=-1) + 1


def _header_rows(table: Table, rule: float | None) -> int:
    """Rows above the first full rule when they are few, or leading rows in bold over others that are not."""
    rows = _row_count(table)
    if rule is not None:
        above = {cell.row for cell in table.cells if cell.chunks and max(c.bottom for c in cell.chunks) <= rule + 2.0}
        if 0 < len(above) <= max(1, rows // 3):
            return max(above) + 1
    bold = [all(c.bold for cell in table.cells if cell.row == n for c in cell.chunks) for n in range(rows)]
    leading = next((n for n, each in enumerate(bold) if not each), rows)
    return leading if 0 < leading < rows else 0


def table_html(table: Table, texts: dict[int, str]) -> str:
    """The table as HTML. texts: text by position in `table.cells`."""
    rows: list[list[str]] = [[] for _ in range(_row_count(table))]
    taken: set[tuple[int, int]] = set()
    for n, cell in enumerate(table.cells):
        tag = "th" if cell.row < table.header_rows else "td"
        spans = (f' rowspan="{cell.down}"' if cell.down > 1 else "") + (f' colspan="{cell.across}"' if cell.across > 1 else "")
        _pad(rows[cell.row], taken, cell.row, cell.column, tag)
        rows[cell.row].append(f"<{tag}{spans}>{html.escape(texts.get(n, ''), quote=False)}</{tag}>")
        taken.update((cell.row + r, cell.column + c) for r in range(cell.down) for c in range(cell.across))
    for n, row in enumerate(rows):
        _pad(row, taken, n, table.columns, "th" if n < table.header_rows else "td")
    head = "".join(f"<tr>{''.join(row)}</tr>" for row in rows[: table.header_rows])
    body = "".join(f"<tr>{''.join(row)}</tr>" for row in rows[table.header_rows :])
    start = '<thead class="repeated">' if table.repeats else "<thead>"
    return "<table>" + (f"{start}{head}</thead>" if head else "") + f"<tbody>{body}</tbody></table>"


def _pad(row: list[str], taken: set[tuple[int, int]], number: int, column: int, tag: str) -> None:
    """Empty cells up to a column."""
    for c in range(column):
        if (number, c) not in taken:
            row.append(f"<{tag}></{tag}>")
            taken.add((number, c))
