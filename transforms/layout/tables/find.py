"""Find the tables of a page: first from drawn cells, then from rules and fills, then from the alignment of text alone.
Parts of a table with equal columns are joined. Tagged cells replace the cells found if they agree with the page."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from functools import cached_property
from itertools import pairwise
from typing import Any, Final

import numpy as np
from msgspec.structs import replace

from pdfmill.schemas.records import Decision, PageLines
from pdfmill.schemas.statistics import median
from pdfmill.transforms.layout.page.line_frame import Frame
from pdfmill.transforms.layout.settings.layout_settings import DEFAULTS, LayoutSettings
from pdfmill.transforms.layout.settings.table_settings import TableSettings
from pdfmill.transforms.layout.tables.beside import find_cut
from pdfmill.transforms.layout.tables.columns import Gap, column_gaps, column_of, middles, row_cells, split_row
from pdfmill.transforms.layout.tables.drawn import Drawn, whole
from pdfmill.transforms.layout.tables.from_tags import TAG_REFUSALS, TaggedCandidate, TaggedTables, table_of_tags
from pdfmill.transforms.layout.tables.grids import Grid, grid_of
from pdfmill.transforms.layout.tables.header import header_rows, header_rule, is_figure, join_header, split_header, spread
from pdfmill.transforms.layout.tables.model import SURE, Box, SetRow, Table, around
from pdfmill.transforms.layout.tables.refusals import (
    GRID_REFUSALS,
    OF_THE_PAGE,
    REFUSALS,
    GridCandidate,
    Rule,
    TableCandidate,
    first_refusal,
)
from pdfmill.transforms.layout.tables.rows import RowContext, context_of, join_wrapped
from pdfmill.transforms.layout.tables.words import Words, goes_on, own_rows, pitches, set_length, type_size

#: Sentences for users about why a table was accepted, by `Table.shown_by`.
TAKEN: Final = {
    "tags": "its tags state its cells, and the page agrees",
    "grid": "its text is in drawn cells",
    "rules": "rules or fills surround its rows, and its cells are aligned in columns",
    "alignment": "its cells are aligned in columns over several rows",
}


def _without(lines: Iterable[int], tables: Iterable[Table]) -> list[int]:
    taken = {line for table in tables for line in table.lines}
    return [i for i in lines if i not in taken]


class TableFinder:
    """Finds the tables of one page: once before its document's style is known, and again with it. why: reasons of decisions, if
    `LayoutSettings.explain` is set. contents: the page belongs to a table of contents, where only drawn tables count. charts: the lines of
    each chart."""

    def __init__(
        self, page: PageLines, frame: Frame, layout: LayoutSettings = DEFAULTS, contents: bool = False, charts: Sequence[Sequence[int]] = ()
    ) -> None:
        self.charts = charts
        self.page, self.frame, self.layout, self.contents = page, frame, layout, contents
        self.settings = layout.tables
        self.why: list[Decision] = []
        #: lines of runs of rows that were rejected over the whole page by a rule that also applies within a column
        self._hopeless: set[tuple[int, ...]] = set()
        self.words = Words(page, frame, self.settings)
        self.drawn = Drawn(page, frame, self.settings)
        #: whether enough rows outside of the tables found first have several lines or wide gaps for a further table
        self.spread = False

    @cached_property
    def boxes(self) -> dict[int, Box]:
        """The box of each line, by its index on the page."""
        at = self.frame.lists
        return dict(zip(self.frame.index.tolist(), zip(at.start, at.top, at.end, at.bottom, strict=True), strict=True))

    def evident(self) -> list[Table]:
        """Return the tables that can be found before the document's style is known: those that are drawn or aligned over the whole page."""
        if len(self.frame) > self.layout.max_pairs_lines:
            return []
        return self._find(self.frame.index.tolist())

    def _count_wide(self, rows: Sequence[Sequence[int]]) -> int:
        """Return the number of rows with several lines or wide gaps."""
        return sum([len(row) > 1 or row[0] in self.words.gapped for row in rows])

    def find(self, evident: Sequence[Table], parts: Sequence[Sequence[int]], furniture: Collection[int]) -> list[Table]:
        """Return all tables of the page: those in `evident`, and those that the alignment of further lines shows.
        parts: lines of each stretch of a column between headings and figures. furniture: lines, such as running heads, that are in no
        table."""
        if len(self.frame) > self.layout.max_pairs_lines:
            return []
        free = [i for i in self.frame.index.tolist() if i not in furniture]
        if any(not table.lines.isdisjoint(furniture) for table in evident):
            self.why.clear()
            tables = self._find(free)
        else:
            tables = [replace(table) for table in evident]
        free = _without(free, tables)
        left = set(free)
        found = [table for part in parts for table in self.aligned([i for i in part if i in left], across=False)]
        return self._joined(tables + found, _without(free, found)) if found else tables

    def _find(self, free: Sequence[int]) -> list[Table]:
        known, labels = set(free), {i for chart in self.charts for i in chart}
        inside = [table for chart in self.charts for table in self.aligned([i for i in chart if i in known], across=True)]
        free = [i for i in free if i not in labels] if labels else free
        tables = self._as_tagged(self._seen(free), free) + [table for table in inside if self._is_matrix(table)]
        if any(table.shown_by == "tags" for table in tables):
            self._hopeless.clear()  # runs of other lines
        return tables

    def _is_matrix(self, table: Table) -> bool:
        s = self.settings
        full = sum(bool(cell.chunks) for cell in table.cells)
        return min(table.row_count, table.columns) >= s.cell_rows and 2 * full > table.row_count * table.columns

    def _seen(self, free: Sequence[int]) -> list[Table]:
        """Return the tables of drawn cells, of rules and fills, and of rows aligned over the whole page. free: lines that may be in
        tables."""
        tables = self.in_grids(free)
        free = _without(free, tables)
        regions = self.drawn.regions()
        for region in regions:
            found = self.in_region(region, free, [whole(r) for r in regions if r is not region])
            tables += found
            free = _without(free, found)
        found = self.aligned(self._short(free), across=True)
        return self._joined(tables + found, _without(free, found))

    def _short(self, lines: Sequence[int]) -> list[int]:
        """Return the lines outside of rows of several long lines, which are columns of text. [] if too few rows have several lines or
        gaps."""
        long = {i for i in lines if len(self.page.lines[i].text) >= self.settings.prose_chars and i not in self.words.gapped}
        rows = self.words.set_rows(lines)
        self.spread = self._count_wide(rows) >= self.settings.table_rows
        if not self.spread:
            return []
        return [i for row in rows if sum(i in long for i in row) < 2 for i in row]

    def _tell(self, rule: str, lines: Iterable[int], says: str, *, taken: bool) -> None:
        if self.layout.explain:
            self.why.append(Decision("table", rule, tuple(sorted(set(lines))), taken, says))

    def _refused(self, rule: Rule[Any], lines: Iterable[int]) -> None:
        self._tell(rule.name, lines, rule.says, taken=False)

    # -- tagged cells ---------------------------------------------------------------------------------------------------

    def _as_tagged(self, tables: list[Table], free: Sequence[int]) -> list[Table]:
        tagged = TaggedTables(self.page, self.words, self.settings)
        if not tagged:
            return tables
        found = []
        drawn = [box for ruled in self.page.tables for row in ruled.rows for box in self._mapped(row)]
        for element, cells, torn in tagged.cells(free, drawn):
            lines = {chunk.line for cell in cells for chunk in cell.chunks}
            if not lines:
                continue
            known = set(lines)
            strangers = [self.boxes[i] for i in free if i not in known]
            if refused := first_refusal(TAG_REFUSALS, TaggedCandidate(cells, torn, strangers, drawn, self.settings)):
                self._refused(refused, lines)
            else:
                found.append(table_of_tags(element, cells, self.drawn, self.settings))
        own = {line for table in found for line in table.lines}
        wider = [table for table in tables if not own.isdisjoint(table.lines) and not self._tags_state_roles(table.lines - own)]
        disputed = {line for table in wider for line in table.lines}
        for table in found:
            if not disputed.isdisjoint(table.lines):
                self._tell("tags_narrow", table.lines, "text without tags belongs to its rows, such as a repeated header", taken=False)
        taken = [table for table in found if disputed.isdisjoint(table.lines)]
        for table in taken:
            self._tell(table.shown_by, table.lines, TAKEN[table.shown_by], taken=True)
        own = {line for table in taken for line in table.lines}
        return [table for table in tables if own.isdisjoint(table.lines)] + taken

    def _tags_state_roles(self, lines: Collection[int]) -> bool:
        stated = {content_id for element in self.page.tags for content_id in element.content}
        return all(self.page.lines[i].mcid in stated for i in lines)

    # -- drawn cells ----------------------------------------------------------------------------------------------------

    def in_grids(self, free: Sequence[int]) -> list[Table]:
        """Return the tables that drawn cells form. free: lines that may be in tables."""
        tables: list[Table] = []
        for ruled in self.page.tables:
            grid = grid_of(self._own_rows([self._mapped(row) for row in ruled.rows], free))
            table = self._from_grid(grid, free) if grid is not None else None
            if table is not None:
                tables.append(table)
                free = _without(free, [table])
        return tables

    def _mapped(self, row: Sequence[Box | None]) -> list[Box]:
        cells = np.array([box for box in row if box is not None], np.float64).reshape(-1, 4)
        return [(a, b, c, d) for a, b, c, d in self.frame.map_boxes(cells, self.page).tolist()]

    def _own_rows(self, rows: Sequence[list[Box]], free: Sequence[int]) -> Sequence[list[Box]]:
        """Return the drawn rows, without rows at either end whose lines are all outside of `free`, such as a running head in the same
        grid."""
        others = set(self.boxes) - set(free)
        if not others:
            return rows
        kept = [not self._is_of(row, others) for row in rows]
        return rows[kept.index(True) : len(kept) - kept[::-1].index(True)] if any(kept) else []

    def _is_of(self, row: Sequence[Box], others: Collection[int]) -> bool:
        if not row:
            return False
        lefts, tops, rights, bottoms = zip(*row, strict=True)
        inside = self._in_box(self.boxes, (min(lefts), min(tops), max(rights), max(bottoms)))
        return bool(inside) and all(i in others for i in inside)

    def _from_grid(self, grid: Grid, free: Sequence[int]) -> Table | None:
        inside = self._in_box(free, grid.outer)
        grid.fill(inside, self.words)
        if title := self._title_in(grid):
            inside = [i for i in inside if i not in title]
            grid = Grid(grid.boxes)
            grid.fill(inside, self.words)
        if refused := first_refusal(GRID_REFUSALS, GridCandidate(grid.cells, self.settings)):
            self._refused(refused, inside)
            return None
        table = grid.table(self.settings)
        table.top = max([table.top, *(self.boxes[i][3] for i in title)])
        if (rows := self._rows_in_cells(grid, table, inside)) is not None:
            table = rows
        self._tell(table.shown_by, table.lines, TAKEN[table.shown_by], taken=True)
        return table

    def _title_in(self, grid: Grid) -> set[int]:
        """Return the lines in larger type in a first cell over all columns: a title, which belongs above the table."""
        first = next((cell for cell in grid.cells if cell.row == 0 and cell.across == len(grid.lefts)), None)
        others = [chunk for cell in grid.cells if cell is not first for chunk in cell.chunks]
        if first is None or not first.chunks or not others:
            return set()
        large = self.settings.heading_size * type_size([others])
        found = {chunk.line for chunk in first.chunks if chunk.size > large}
        rest = [chunk.top for chunk in first.chunks if chunk.line not in found]
        return (
            found
            if not rest or max(self.boxes[i][3] for i in found or {first.chunks[0].line}) <= min(rest) + self.settings.touch
            else set()
        )

    def _rows_in_cells(self, grid: Grid, table: Table, inside: Sequence[int]) -> Table | None:
        """Return a table found by alignment in a grid of few drawn rows; None if `table`, with the grid's own cells, is better."""
        tall = [
            sum(len({round(ch.top) for ch in cell.chunks}) >= self.settings.cell_rows for cell in grid.cells if cell.row == row)
            for row in range(len(grid.tops))
        ]
        if max(tall) < 2:
            return None
        found = self.from_rows(self.words.rows(inside, self.settings.region_gap), grid.outer)
        return found[0] if len(found) == 1 and found[0].row_count >= 2 * table.row_count else None

    # -- rules and fills ------------------------------------------------------------------------------------------------

    def in_region(self, region: list[Box], free: Sequence[int], others: Sequence[Box]) -> list[Table]:
        """Return the table between the rules and fills of a region; if it is none, the tables above and below its widest white space.
        free: lines that may be in tables. others: boxes around the other regions."""
        box = whole(region)
        inside = self._in_box(free, box)
        if len(inside) < 2:
            return []
        if self._sticks_out(inside, box, free, others):
            self._tell("inner_rules", inside, "its rows extend beyond the rules, which belong to the sums of a larger table", taken=False)
            return []
        lines = self.words.set_rows(inside)
        found = []
        # Lines of text one below the other, between two rules, are no table.
        if len(self.drawn.between(box[1], box[3])) >= self.settings.table_rows or self._count_wide(lines):
            rows, known = self.words.chunk_rows(lines, self.settings.region_gap), set(inside)
            above = [] if self.drawn.is_headed(region) else self._header_above(rows, box, [i for i in free if i not in known])
            found = self.from_rows(above + rows, box) or (self.from_rows(rows, box) if above else [])
        if found or len(region) < self.settings.joined_rules:
            return found
        widest = max(range(1, len(region)), key=lambda n: region[n][1] - region[n - 1][3])
        upper = self.in_region(region[:widest], free, others)
        return upper + self.in_region(region[widest:], _without(free, upper), others)

    def _sticks_out(self, inside: Sequence[int], box: Box, free: Sequence[int], others: Sequence[Box]) -> bool:
        """Return whether most rows continue outside of the region with short lines, because a table has rules only at its sums."""
        around_it = [
            i for i in free
            if box[1] <= (self.boxes[i][1] + self.boxes[i][3]) / 2 <= box[3]
            and not self._in_box([i], box) and not any(self._in_box([i], o) for o in others)
            and set_length(self.page.lines[i].text) < self.settings.prose_chars
        ]  # fmt: skip
        known = set(inside)
        own = [row for row in self.words.set_rows([*inside, *around_it]) if not known.isdisjoint(row)] if around_it else []
        return 2 * sum(not known.issuperset(row) for row in own) > len(own)

    def _header_above(self, rows: list[SetRow], box: Box, free: Sequence[int]) -> list[SetRow]:
        """Return the rows of a header above the first drawn rule of a table, [] if there is none. box: box of the table's rules."""
        several = [row for row in rows if len(row) > 1]
        gaps = column_gaps(several, self.words, self.settings) if several else []
        if not gaps:
            return []
        em, cuts = type_size(rows), middles(gaps)
        near = [i for i in free if self._beside(i, box) and self.boxes[i][3] - box[1] <= self.settings.touch]
        found: list[SetRow] = []
        for row in reversed(self.words.rows(near, self.settings.region_gap)):
            row = split_row(row, gaps, self.words, self.settings)
            crosses = any(c.x0 < cut - em and c.x1 > cut + em for c in row for cut in cuts)
            if (found[0][0].bottom if found else box[1]) - row[0].bottom > self.settings.line_space * em or (
                len(row) == 1 and (crosses or column_of(cuts, row[0].middle) == 0)
            ):
                break
            found.insert(0, row)
        while found and len(found[0]) == 1 and found[0][0].x0 < cuts[0]:
            found = found[1:]
        headed = {column_of(cuts, c.middle) for row in found for c in row}
        return found if len(headed) >= max(2, len(gaps)) else []

    def _beside(self, line: int, box: Box) -> bool:
        start, _, end, _ = self.boxes[line]
        return start >= box[0] - self.settings.same_end and end <= box[2] + self.settings.same_end

    def _in_box(self, lines: Iterable[int], box: Box) -> list[int]:
        left, top, right, bottom = box[0] - 2, box[1] - 1, box[2] + 2, box[3] + 1
        middles = self._middles
        return [i for i in lines if left <= middles[i][0] <= right and top <= middles[i][1] <= bottom]

    @cached_property
    def _middles(self) -> dict[int, tuple[float, float]]:
        return {i: ((start + end) / 2, (top + bottom) / 2) for i, (start, top, end, bottom) in self.boxes.items()}

    # -- alignment ------------------------------------------------------------------------------------------------------

    def aligned(self, lines: Sequence[int], *, across: bool) -> list[Table]:
        """Return the tables that alignment alone shows among these lines. across: the lines are those of the whole page, over all its
        columns."""
        return [] if self.contents else [table for run in self._runs(lines) for table in self._of_run(run, across)]

    def _of_run(self, run: list[SetRow], across: bool) -> list[Table]:
        """Return the tables among consecutive rows. The rows are divided at an unusually wide space if together they are no table."""
        if not across and _lines(run) in self._hopeless:
            return []
        apart = pitches(run)
        widest = max(range(len(apart)), key=apart.__getitem__, default=0)
        halves = [_trim(run[: widest + 1], self.settings), _led(run[widest + 1 :])]
        if min(map(len, halves)) < self.settings.table_rows or apart[widest] <= self.settings.loose * median(apart):
            return self.from_rows(run, None, across=across)
        tables, parts = self.from_rows(run, None, across=across), [self._of_run(half, across) for half in halves]
        return tables or parts[0] + parts[1]

    def _runs(self, lines: Sequence[int]) -> list[list[SetRow]]:
        """Return groups of consecutive rows most of which have wide gaps in them."""
        settings = self.settings
        rows = self.words.set_rows(lines)
        if self._count_wide(rows) < settings.table_rows:
            return []
        runs: list[list[SetRow]] = []
        run: list[SetRow] = []
        singles = 0
        for lines_of_row in rows:
            if not run and len(lines_of_row) == 1 and lines_of_row[0] not in self.words.gapped:
                continue
            row = self.words.chunk_row(lines_of_row, settings.cell_gap)
            if not row:
                continue
            gap = row[0].bottom - run[-1][0].bottom if run else 0.0
            follows = goes_on(row, run, settings)
            if run and (gap > settings.row_gap * row[0].size or (len(row) == 1 and not follows and singles >= settings.table_rows)):
                runs.append(run)
                run, singles = [], 0
            if len(row) == 1:
                if not run:
                    continue
                singles += not follows
            else:
                singles = 0
            run.append(row)
        runs.append(run)
        return [trimmed for each in runs if len(trimmed := _trim(each, settings)) >= settings.table_rows]

    # -- rows to tables -------------------------------------------------------------------------------------------------

    def from_rows(self, rows: list[SetRow], region: Box | None, *, across: bool = False) -> list[Table]:
        """Return the table of these rows, or two tables side by side; [] if the rows are prose, code, lines of contents, a list or a form.
        region: box of the rules or fills around them, or None. across: the rows extend over all columns of the page."""
        rows = self._within(rows) if region is not None else rows
        several = [row for row in rows if len(row) > 1]
        settings = self.settings
        if region is not None and len(several) < 2:
            several = self._bands(rows, region)
        elif region is None and (len(several) < settings.table_rows or 2 * len(several) < len(own_rows(rows, settings))):
            several = []
        gaps = column_gaps(several, self.words, settings) if several else []
        if not gaps:
            self._hopeless.add(_lines(rows))
            return []
        if region is None and (cut := find_cut(rows, gaps, type_size(rows))) is not None:
            left, right = [[c for c in row if c.middle < cut] for row in rows], [[c for c in row if c.middle >= cut] for row in rows]
            halves = [self.from_rows(_trim([row for row in side if row], settings), None, across=across) for side in (left, right)]
            if all(halves) and not _share_a_line(*halves):
                return halves[0] + halves[1]
        if region is not None and (end := self._text_below(rows, gaps, region)) < len(rows):
            return self.from_rows(rows[:end], region)
        if refused := first_refusal(REFUSALS, TableCandidate(self.page, rows, gaps, region is not None, across, settings)):
            self._refused(refused, (c.line for row in rows for c in row))
            if across and refused.name not in OF_THE_PAGE:
                self._hopeless.add(_lines(rows))
            return []
        table = self._assemble(rows, gaps, region)
        self._tell(table.shown_by, table.lines, TAKEN[table.shown_by], taken=True)
        return [table]

    def _text_below(self, rows: list[SetRow], gaps: list[Gap], region: Box) -> int:
        """Return the index of the first row of text below the table, after a rule; `len(rows)` if there is none. region: box of the
        rules."""
        cuts, em = middles(gaps), type_size(rows)
        for n in range(self.settings.table_rows, len(rows)):
            long = [c for c in rows[n] if set_length(c.text) >= self.settings.prose_chars]
            crossed = max((sum(c.x0 < cut - em and c.x1 > cut + em for cut in cuts) for c in long), default=0)
            if crossed > 1 and self.drawn.parts(rows[n - 1], rows[n], region):
                context = context_of(rows[:n], cuts, self.words, self.settings)
                return n if 2 * sum(map(context.has_number, rows[n:])) < len(rows) - n else len(rows)
        return len(rows)

    def _bands(self, rows: list[SetRow], region: Box) -> list[SetRow]:
        """Join the rows of text between neighbouring rules to one row, for cells with different baselines; [] if this does not fit the
        rows."""
        bands: list[SetRow] = [list(rows[0])] if rows else []
        for above, row in pairwise(rows):
            if self.drawn.parts(above, row, region):
                bands.append([])
            bands[-1].extend(row)
        several = [sorted(band, key=lambda c: c.x0) for band in bands if len(band) > 1]
        return several if len(bands) > self.settings.table_rows and len(several) > len(bands) / 2 else []

    def _within(self, rows: list[SetRow]) -> list[SetRow]:
        """Return the rows between rules, without headings and long texts at the ends."""
        rows = [row for row in rows if row]
        long = self.settings.prose_chars
        while len(rows) > 2 and len(rows[-1]) == 1 and len(rows[-1][0].text) > long:
            rows = rows[:-1]
        em = type_size(rows) if rows else 0.0
        while len(rows) > 2 and len(rows[0]) == 1 and (rows[0][0].size > self.settings.heading_size * em or len(rows[0][0].text) > long):
            rows = rows[1:]
        return rows

    def _assemble(self, rows: list[SetRow], gaps: list[Gap], region: Box | None) -> Table:
        cuts = middles(gaps)
        split = [split_row(row, gaps, self.words, self.settings) for row in rows]
        chunks = [c for row in split for c in row]
        box = around(chunks)
        context = context_of(split, cuts, self.words, self.settings)
        rule = header_rule(split, self.drawn.below_header(split), lambda chunk: is_figure(chunk, context), self.settings)
        body = self._table_rows(split, gaps, rule, region or box, context)
        cells = [cell for n, row in enumerate(body) for cell in row_cells(n, row, cuts, gaps, self.settings)]
        table = Table(
            box[0],
            min(region[1], box[1]) if region else box[1],
            box[2],
            box[3],
            cells,
            len(cuts) + 1,
            shown_by="rules" if region else "alignment",
        )
        table.header_rows = header_rows(table, rule, self.settings)
        spread(table, self.drawn, context)
        for cell in table.cells:
            cell.chunks = [part for chunk in cell.chunks for part in chunk.with_signs()]
        return table

    def _table_rows(self, rows: list[SetRow], gaps: list[Gap], rule: float | None, box: Box, context: RowContext) -> list[SetRow]:
        """Join rows of text to rows of the table: header, then body.
        rule: position of the drawn rule below the header, points from the top of the page, or None."""
        parted = [self.drawn.parts(a, b, box) for a, b in pairwise(rows)]
        first = split_header(rows, rule, context)
        head = join_header(rows[:first], gaps, self.drawn, context, box[2] - box[0])
        return head + join_wrapped(rows[first:], parted[first:], context)

    # -- fragments ------------------------------------------------------------------------------------------------------

    def _joined(self, tables: list[Table], free: Sequence[int]) -> list[Table]:
        tables = sorted(tables, key=lambda t: (t.top, t.x0))
        n = 0
        while n + 1 < len(tables):
            whole_table = self._join(tables[n], tables[n + 1], free)
            if whole_table is None:
                n += 1
            else:
                tables[n : n + 2] = [whole_table]
        return self._grown(tables, free)

    def _grown(self, tables: list[Table], free: Sequence[int]) -> list[Table]:
        for n, table in enumerate(tables):
            if table.shown_by != "rules" or table.row_count < self.settings.table_rows:
                continue
            free = _without(free, tables)
            known = self.words.rows(table.lines, self.settings.region_gap)
            further = self._rows_below(table, known, free)
            box = table.x0, table.top, table.x1, max((c.bottom for row in further for c in row), default=table.bottom)
            found = self.from_rows(known + further, box) if further else []
            if len(found) == 1 and found[0].row_count == table.row_count + len(further):
                tables[n] = found[0]
        return tables

    def _rows_below(self, table: Table, known: Sequence[SetRow], free: Sequence[int]) -> list[SetRow]:
        """Return the rows below a table that continue it: with its spacing, text in its columns, and numbers. known: rows that the table
        has."""
        gaps = column_gaps([row for row in known if len(row) > 1], self.words, self.settings)
        if not gaps:
            return []
        context = context_of([split_row(row, gaps, self.words, self.settings) for row in known], middles(gaps), self.words, self.settings)
        apart = self.settings.loose * median(pitches(known))
        below = [
            i for i in free
            if self.boxes[i][1] > table.bottom - self.settings.touch and self._beside(i, (table.x0, table.top, table.x1, table.bottom))
        ]  # fmt: skip
        found: list[SetRow] = []
        for row in self.words.rows(below, self.settings.region_gap):
            last = found[-1] if found else known[-1]
            split = split_row(row, gaps, self.words, self.settings)
            fills = {column_of(context.cuts, c.middle) for c in split}
            if row[0].bottom - last[0].bottom > apart or len(fills) < len(split) or len(fills) <= len(gaps) / 2:
                break
            if not context.has_number(split):
                break
            found.append(row)
        return found

    def _join(self, upper: Table, lower: Table, free: Sequence[int]) -> Table | None:
        if upper.shown_by in SURE or lower.shown_by in SURE or lower.header_rows or not self._under(upper, lower):
            return None
        box = (min(upper.x0, lower.x0), upper.top, max(upper.x1, lower.x1), lower.bottom)
        between = self._in_box(free, (box[0], upper.bottom, box[2], lower.top))
        rows = self.words.rows([*upper.lines, *lower.lines, *between], self.settings.region_gap)
        found = self.from_rows(rows, box)
        return found[0] if len(found) == 1 and found[0].columns >= max(upper.columns, lower.columns) else None

    def _under(self, upper: Table, lower: Table) -> bool:
        wide = min(upper.x1, lower.x1) - max(upper.x0, lower.x0)
        return wide > self.settings.full_rule * min(upper.x1 - upper.x0, lower.x1 - lower.x0)


def _lines(rows: Iterable[SetRow]) -> tuple[int, ...]:
    return tuple(c.line for row in rows for c in row)


def _led(run: list[SetRow]) -> list[SetRow]:
    while run and len(run[0]) == 1:
        run = run[1:]
    return run


def _trim(run: list[SetRow], settings: TableSettings) -> list[SetRow]:
    """Return the rows without rows of a single chunk at the end, unless these continue cells of the row above."""
    while run and len(run[-1]) == 1 and not goes_on(run[-1], run[:-1], settings):
        run = run[:-1]
    return run


def _share_a_line(left: Sequence[Table], right: Sequence[Table]) -> bool:
    return any(not a.lines.isdisjoint(b.lines) for a in left for b in right)
