"""Find the columns of a page, and their reading order.
A gutter is a vertical gap with text lines on both sides that few lines cross (Hassan 2003, 4.4.2; Breuel 2002, "Two geometric algorithms
for layout analysis"). Regions are read by recursive cuts (Nagy and Seth 1984): into columns at a gutter that no line crosses, and into
bands, one above the other, where lines cross it. A column part is a column between two such cuts."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Sequence
from operator import itemgetter
from typing import Any, Final

import numpy as np
from msgspec.structs import replace
from numpy.typing import NDArray

from pdfmill.schemas.compiled import fastest
from pdfmill.schemas.records import PageLines, TextLine
from pdfmill.schemas.statistics import median, quantile
from pdfmill.transforms.layout.page.line_frame import Floats, Frame, Ints, read_frame
from pdfmill.transforms.layout.page.side_by_side import SideBySide
from pdfmill.transforms.layout.settings.layout_settings import DEFAULTS, LayoutSettings

Gutter = tuple[float, float]

#: Nesting of zones within zones; no newspaper page needs more than four.
_DEEPEST: Final = 6
#: Lines that one row can have; each is compared with the others (wide sheets have some 100).
_ROW_LINES: Final = 500
#: Points; width within which gutters are searched, many times that of the widest page.
_WIDEST: Final = 2**20

_LOOPS: Final[Any] = fastest("pdfmill.transforms.layout.page.gutter_loops")


def _free_runs(
    start: Floats, end: Floats, chars: Ints, least: int, bins: int, low: int, high: int, allowed: float
) -> list[tuple[int, int]]:
    """Return the longest stretches [a, b) of the page's width, in bins of one point, that at most `allowed` lines cover.
    least: characters of the lines that count. bins: number of bins across the page. low, high: bins to search."""
    low, high = max(0, low), min(high, bins)
    if high <= low:
        return []
    free = np.empty(((high - low) // 2 + 1, 2), np.int64)
    count = _LOOPS.find_free(start, end, chars, least, low, high, allowed, np.zeros(bins + 1, np.int64), free)
    return [(a, b) for a, b in free[:count].tolist()]


def find_gutters(frame: Frame, chars: Ints, settings: LayoutSettings = DEFAULTS) -> list[tuple[float, float, float]]:
    """Return the gutters of one page from left to right, as (left, right, median font size beside it), points."""
    extent = np.zeros(2)
    count = _LOOPS.measure_extent(frame.start, frame.end, chars, settings.column_chars, extent)
    first, last = extent.tolist()
    if count < 2 * settings.gutter_lines or not last < _WIDEST:
        return []
    bins, low, high = int(max(frame.width, last)) + 2, int(max(first, 0)), int(last)
    runs = _free_runs(frame.start, frame.end, chars, settings.column_chars, bins, low + 1, high - 1, settings.gutter_crossing * count)
    found = []
    for a, b in runs:
        gutter = _check_gutter(frame, chars, (a + b) / 2, settings)
        if gutter is not None:
            found.append(gutter)
    return found


def _check_gutter(frame: Frame, chars: Ints, middle: float, settings: LayoutSettings) -> tuple[float, float, float] | None:
    beside = np.empty(len(frame), np.uint8)
    if _LOOPS.stand_beside(frame.start, frame.end, chars, settings.column_chars, middle, beside) < settings.gutter_lines:
        return None
    left, right = (beside & _LOOPS.BEFORE) != 0, (beside & _LOOPS.BEHIND) != 0
    ends = frame.end[left]
    inner_left, inner_right = quantile(ends.tolist(), settings.column_end), float(frame.start[right].min())
    beyond = frame.start[frame.start >= inner_left + settings.gutter_min]  # also narrow lines of the next column
    inner_right = min(inner_right, float(beyond.min()) if len(beyond) else inner_right)
    if inner_right - inner_left < settings.gutter_min:
        return None
    return inner_left, inner_right, median(frame.size[left | right].tolist())


def pool_gutters(counts: Counter[tuple[int, int, int]], settings: LayoutSettings = DEFAULTS) -> tuple[Gutter, ...]:
    """Return the gutters of the document, as (left, right) in points, with overlapping ones merged.
    counts: number of pages with a gutter, by (left, right, font size), points."""
    clusters: list[Gutter] = []
    for left, right, _ in sorted(counts, key=lambda gutter: (-counts[gutter], gutter)):
        for k, (a, b) in enumerate(clusters):
            if min(b, right) - max(a, left) >= settings.gutter_min / 2:
                clusters[k] = (max(a, left), min(b, right))
                break
        else:
            clusters.append((float(left), float(right)))
    return tuple(sorted(clusters))


class _Reader:
    """Reads lines by columns. A result `list[list[int]]` has a list of lines for each column part, in reading order."""

    def __init__(self, frame: Frame, chars: Ints, gutters: Sequence[Gutter], settings: LayoutSettings, beside: SideBySide | None) -> None:
        self.frame = frame
        self.beside = beside
        self.chars = chars
        self.gutters = gutters
        self.settings = settings
        self.columns = 1

    def read(self, lines: Ints) -> list[list[int]]:
        """Return these lines in reading order, one list for each column part."""
        if len(lines) < 2:
            return [lines.tolist()] if len(lines) else []
        best = self._best_gutter(lines)
        if best is None:
            return self._leaf(lines)
        middle, crossing = best
        if not crossing.any():
            return self._split(lines, middle)
        order = np.argsort(self.frame.baseline[lines], kind="stable")
        if (np.diff(crossing[order].astype(np.int8)) != 0).sum() > self.settings.bands_max and self.beside is not None:
            return self._zones(lines, 0)
        return self._bands(lines, middle, crossing)

    def _leaf(self, lines: Ints) -> list[list[int]]:
        """Read lines that no gutter of the document divides: as one column, or by zones if they contain several texts side by side."""
        within = self.settings.gutter_rise * self.frame.size[lines].max()
        if self.beside is None or not (np.diff(np.sort(self.frame.baseline[lines])) <= within).any():  # most columns
            return [self._rows(lines)]
        return self._zones(lines, 0)

    def _zones(self, lines: Ints, depth: int) -> list[list[int]]:
        """Read a region zone by zone, from top to bottom. A zone is a run of rows that share white gaps (Hassan 2003, 4.4.2).
        A zone is read by columns, unless it has labels with values beside them or its text runs row by row. depth: number of enclosing
        zones."""
        assert self.beside is not None
        result: list[list[int]] = []
        plain: list[int] = []
        for rows, gaps in _find_zones(self.frame, lines, self.settings):
            zone = np.array([k for row in rows for k in row], np.int64)
            cuts = [(a + b) / 2 for a, b in gaps]
            column = np.searchsorted(cuts, (self.frame.start[zone] + self.frame.end[zone]) / 2)
            parts = [part.tolist() for n in range(len(cuts) + 1) if len(part := zone[column == n])]
            if depth > _DEEPEST or len(parts) < 2 or self.beside.by_row(rows, parts, max(b - a for a, b in gaps)):
                plain += zone.tolist()
                continue
            result += self._plain(plain)
            plain = []
            while parts:
                labelled = self.beside.with_labels(parts[0], parts[1]) if len(parts) > 1 else None
                result += self._zones(np.array(parts[0], np.int64), depth + 1) if labelled is None else [labelled]
                del parts[: 1 if labelled is None else 2]
        return result + self._plain(plain)

    def _plain(self, lines: list[int]) -> list[list[int]]:
        return [self._rows(np.array(lines, np.int64))] if lines else []

    def _best_gutter(self, lines: Ints) -> tuple[float, NDArray[np.bool_]] | None:
        """Return the middle, points, of the gutter that the fewest lines cross, and which lines cross it; None if no gutter has lines on
        both sides."""
        at, settings = self.frame, self.settings
        limits = settings.edge_slack, settings.same_row, settings.near_size
        best: tuple[float, NDArray[np.bool_]] | None = None
        least = 0
        sides = np.empty(2, np.int64)
        for left, right in self.gutters:
            middle, crossing = (left + right) / 2, np.empty(len(lines), np.uint8)
            count = _LOOPS.cross_gutter(lines, at.start, at.end, at.top, at.bottom, at.size, middle, *limits, crossing, sides)
            fewer = min(sides.tolist())
            if fewer == 0 or (count > len(lines) / 2 and fewer < 2):
                continue
            if best is None or count < least:
                best, least = (middle, crossing.view(np.bool_)), count
        return best

    def _split(self, lines: Ints, middle: float) -> list[list[int]]:
        left = self.frame.start[lines] < middle - self.settings.edge_slack
        return self._side(lines[left], middle) + self.read(lines[~left])

    def _side(self, lines: Ints, middle: float) -> list[list[int]]:
        """Read the lines on one side of a gutter by the other gutters, which may divide them. middle: of that gutter, points."""
        others = [g for g in self.gutters if abs((g[0] + g[1]) / 2 - middle) > self.settings.edge_slack]
        inner = _Reader(self.frame, self.chars, others, self.settings, self.beside)
        return inner.read(lines)

    def _bands(self, lines: Ints, middle: float, crossing: NDArray[np.bool_]) -> list[list[int]]:
        """Read the bands, from top to bottom, into which the lines that cross a gutter divide the region. middle: of the gutter, points."""
        order = np.argsort(self.frame.baseline[lines], kind="stable")
        lines, crossing = lines[order], crossing[order]
        self._end_crossing(lines, crossing)
        cuts = np.flatnonzero(crossing[1:] != crossing[:-1]) + 1
        result: list[list[int]] = []
        for band, spans in zip(np.split(lines, cuts), np.split(crossing, cuts), strict=True):
            if spans[0]:
                result.extend(self._leaf(band))
                continue
            left = self.frame.start[band] < middle - self.settings.edge_slack
            if left.all() or not left.any():
                result.extend(self._side(band, middle))
            else:
                result.extend(self._split(band, middle))
        return result

    def _end_crossing(self, lines: Ints, crossing: NDArray[np.bool_]) -> None:
        """Mark the short last lines of paragraphs that cross the gutter as crossing too, in place in `crossing`. lines: sorted by
        baseline."""
        start, size, baseline = self.frame.start[lines], self.frame.size[lines], self.frame.baseline[lines]
        for n in np.flatnonzero(crossing[:-1] & ~crossing[1:]).tolist():
            flush = abs(start[n + 1] - start[n]) <= size[n] and abs(size[n + 1] - size[n]) <= self.settings.same_size * size[n]
            tight = 0 < baseline[n + 1] - baseline[n] <= self.settings.tight_gap * size[n]
            alone = n + 2 == len(lines) or baseline[n + 2] - baseline[n + 1] > self.settings.heading_gap * (baseline[n + 1] - baseline[n])
            crossing[n + 1] = flush and tight and alone

    def _rows(self, lines: Ints) -> list[int]:
        return order_rows(self.frame, lines, self.settings)


def _row_lists(frame: Frame, lines: Ints, settings: LayoutSettings) -> list[list[int]]:
    rows: list[list[int]] = []
    baseline, size, start = frame.lists.baseline, frame.lists.size, frame.lists.start
    for k in lines[np.argsort(frame.baseline[lines], kind="stable")].tolist():
        if rows and (
            baseline[k] - baseline[rows[-1][0]] <= settings.same_baseline * size[k] or _stands_beside(frame, rows[-1], k, settings)
        ):
            rows[-1].append(k)
        else:
            rows.append([k])
    return [sorted(row, key=start.__getitem__) if len(row) > 1 else row for row in rows]


def _stands_beside(frame: Frame, row: Sequence[int], k: int, settings: LayoutSettings) -> bool:
    """Return whether line `k` overlaps all lines of a row above it vertically, and none horizontally, so that it is in another column."""
    at = frame.lists
    return all(
        at.bottom[other] - at.top[k] > settings.neighbour_overlap * at.size[k]
        and max(at.start[k] - at.end[other], at.start[other] - at.end[k]) >= settings.gutter_min
        for other in row
    )


def _row_gaps(frame: Frame, row: Sequence[int], settings: LayoutSettings) -> list[Gutter]:
    starts, ends = frame.lists.start, frame.lists.end
    gaps, end = [], ends[row[0]]
    for k in row[1:]:
        if starts[k] - end >= settings.gutter_min:
            gaps.append((end, starts[k]))
        end = max(end, ends[k])
    return gaps


def _still_free(frame: Frame, row: Sequence[int], gaps: Sequence[Gutter], settings: LayoutSettings) -> list[Gutter]:
    """Return the parts of the gaps that a row leaves free and that are as wide as a gutter. gaps: (left, right), points, disjoint."""
    free = list(gaps)
    starts, ends = frame.lists.start, frame.lists.end
    for n, k in enumerate(row):
        start, end = starts[k], ends[k]
        if n + 1 < len(row) and k < row[n + 1] and start < starts[row[n + 1]] < end:  # too long for its column, printed over the next one
            end = max(start, starts[row[n + 1]] - settings.gutter_min)
        first, last = bisect_right(free, start, key=itemgetter(1)), bisect_left(free, end, key=itemgetter(0))
        if first < last:
            pieces = [piece for a, b in free[first:last] for piece in ((a, min(b, start)), (max(a, end), b))]
            free[first:last] = [piece for piece in pieces if piece[1] - piece[0] >= settings.gutter_min]
    return free


def _find_zones(frame: Frame, lines: Ints, settings: LayoutSettings) -> list[tuple[list[list[int]], list[Gutter]]]:
    """Divide rows into zones: runs of rows that share white gaps. Return the rows of each zone, and the gaps that are white in all of them.
    A zone ends before the row that closes its last gap, or before the first row that closes some, such as the heading of the next
    article."""
    rows = _row_lists(frame, lines, settings)
    zones: list[tuple[int, int, list[Gutter]]] = []
    first = 0
    while first < len(rows):
        gaps, last, shrunk = _row_gaps(frame, rows[first], settings), first + 1, first
        full = gaps
        while last < len(rows):
            own = _row_gaps(frame, rows[last], settings)
            if not gaps:
                if own:
                    break
                last += 1
                continue
            left = _still_free(frame, rows[last], gaps, settings)
            if len(left) < len(gaps) and _was_drawn_before(frame, rows[first:last], rows[last], gaps[-1]):
                left = gaps
            if not left:
                break
            if len(left) < len(gaps):
                shrunk, full = last, gaps
            gaps = left
            last += 1
        if last < len(rows) and first < shrunk < last:
            last, gaps = shrunk, full
        begin = first
        if gaps and zones and not zones[-1][2]:  # only rows without gaps precede
            begin, gaps = _grow_upwards(frame, rows, (zones[-1][0], first), gaps, settings)
            zones[-1] = (zones[-1][0], begin, [])
        zones.append((begin, last, gaps))
        first = last
    return [(rows[a:b], gaps) for a, b, gaps in zones if a < b]


def _was_drawn_before(frame: Frame, rows: Sequence[Sequence[int]], row: Sequence[int], gap: Gutter) -> bool:
    """Return whether a row that crosses a gap was drawn before a line above it on the right of the gap. So it is an overlong line of the
    left column, and not text below both columns. rows: the rows above, which leave the gap free."""
    at = frame.lists
    behind = max((k for other in rows for k in other if at.start[k] >= gap[1]), default=-1)
    return all(k < behind for k in row if at.start[k] < gap[1] and at.end[k] > gap[0])


def _grow_upwards(
    frame: Frame, rows: Sequence[Sequence[int]], above: tuple[int, int], gaps: list[Gutter], settings: LayoutSettings
) -> tuple[int, list[Gutter]]:
    """Extend a zone upwards by rows in which all its gaps are free. Return the index of its first row, and its gaps.
    above: index of the first row that may be added, and index of the zone's first row so far."""
    found = above[1], gaps
    for n in range(above[1] - 1, above[0] - 1, -1):
        left = _still_free(frame, rows[n], gaps, settings)
        if len(left) < len(gaps):
            break
        gaps = left
        if frame.lists.start[rows[n][-1]] >= gaps[0][1]:
            found = n, gaps
    return found


def order_rows(frame: Frame, lines: Ints, settings: LayoutSettings = DEFAULTS) -> list[int]:
    """Return the lines from top to bottom; the lines of one row in reading direction."""
    order, found = lines[np.argsort(frame.baseline[lines], kind="stable")], np.empty(len(lines), np.int64)
    _LOOPS.order_rows(
        *(order, frame.start, frame.end, frame.top, frame.bottom), *(settings.edge_slack, settings.same_row, _ROW_LINES, found)
    )
    ordered: list[int] = found.tolist()
    return ordered


def read_columns(
    frame: Frame,
    chars: Ints,
    lines: Ints,
    gutters: Sequence[Gutter],
    settings: LayoutSettings = DEFAULTS,
    beside: SideBySide | None = None,
) -> tuple[list[list[int]], int]:
    """Return the lines in reading order, one list for each column part, and the number of columns of the page.
    chars: int[n], characters of each line of `frame`. lines: indices of the lines to read. gutters: gaps between the document's columns.
    beside: decides whether texts side by side without a gutter are columns; None to leave this open."""
    reader = _Reader(frame, chars, gutters, settings, beside)
    parts = reader.read(lines)
    return parts, count_columns(frame, parts)


def count_columns(frame: Frame, parts: Sequence[Sequence[int]]) -> int:
    """Return the largest number of column parts that are side by side at any height of the page. parts: lines of each."""
    top, bottom = frame.lists.top, frame.lists.bottom
    spans = [(min([top[k] for k in part]), max([bottom[k] for k in part])) for part in parts if len(part) > 2]
    tops, bottoms = sorted(first for first, _ in spans), sorted(last for _, last in spans)
    middles = ((first + last) / 2 for first, last in spans)
    return max((bisect_right(tops, middle) - bisect_left(bottoms, middle) for middle in middles), default=1)


def split_lines(page: PageLines, settings: LayoutSettings = DEFAULTS) -> PageLines:
    """Return the page, with lines cut in two where they were joined across a gutter. The result depends on the page alone."""
    if page.cut_at_gutters:
        return page
    return replace(_split(page, settings), cut_at_gutters=True)


def _split(page: PageLines, settings: LayoutSettings) -> PageLines:
    frame = read_frame(page)
    chars = np.array([len(page.lines[i].text) for i in frame.index.tolist()], np.int64)
    gutters = find_gutters(frame, chars, settings) if frame.direction == 0 else []
    if not gutters:
        return page
    cuts: dict[int, int] = {}
    for k, i in enumerate(frame.index.tolist()):
        for left, right, _ in gutters:
            crosses = frame.start[k] < left and frame.end[k] > right
            if crosses and (word := _word_at_gutter(page, frame, i, left, right, settings)) is not None:
                cuts[i] = word
                break
    return _cut(page, cuts) if cuts else page


def _word_at_gutter(page: PageLines, frame: Frame, line: int, left: float, right: float, settings: LayoutSettings) -> int | None:
    """Return the index of the first word of a line after a gap that fills the gutter from `left` to `right` (points), or None."""
    first, last = (int(np.searchsorted(page.word_lines, line, side=side)) for side in ("left", "right"))
    boxes = frame.map_boxes(page.word_boxes[first:last], page)
    if len(boxes) < 2:
        return None
    before = boxes[:, 2] <= (left + right) / 2
    n = int(before.sum())
    if not 0 < n < len(boxes) or not before[:n].all():
        return None
    gap = float(boxes[n:, 0].min() - boxes[:n, 2].max())
    size = page.styles[page.lines[line].style].size  # in large type a word space may be as wide as a gutter
    wide = gap >= max(settings.gutter_filled * (right - left), settings.gutter_em * size)
    return first + n if wide and boxes[n:, 0].min() >= right - settings.edge_slack else None


def _cut(page: PageLines, cuts: dict[int, int]) -> PageLines:
    """Return a copy of the page with some lines cut in two. cuts: the word before which a line is cut, by line."""
    lines: list[TextLine] = []
    word_lines, word_spans = page.word_lines.copy(), page.word_spans.copy()
    for i, line in enumerate(page.lines):
        first, last = (int(np.searchsorted(page.word_lines, i, side=side)) for side in ("left", "right"))
        word_lines[first:last] = len(lines)
        if i not in cuts:
            lines.append(line)
            continue
        word = cuts[i]
        at = int(page.word_spans[word, 0])
        word_lines[word:last] = len(lines) + 1
        word_spans[word:last] -= at
        lines.append(_part(line, 0, at, page, first, word))
        lines.append(_part(line, at, len(line.text), page, word, last))
    return replace(page, lines=lines, word_lines=word_lines, word_spans=word_spans)


def _part(line: TextLine, start: int, end: int, page: PageLines, first: int, last: int) -> TextLine:
    """Return the part of a line from character `start` to `end`. first, last: indices on the page of its first word and after its last."""
    boxes = page.word_boxes[first:last]
    spans = [
        (max(offset, start) - start, style)
        for (offset, style), (following, _) in zip(line.spans, [*line.spans[1:], (len(line.text), 0)], strict=True)
        if following > start and offset < end
    ]
    lengths: Counter[int] = Counter()
    for (a, style), b in zip(spans, [*(offset for offset, _ in spans[1:]), end - start], strict=True):
        lengths[style] += b - a
    return replace(
        line,
        text=line.text[start:end].strip(),
        x0=float(boxes[:, 0].min()),
        top=float(boxes[:, 1].min()),
        x1=float(boxes[:, 2].max()),
        bottom=float(boxes[:, 3].max()),
        style=max(lengths, key=lambda style: (lengths[style], -style)),
        spans=tuple(spans),
        mcid=Counter(page.word_content[first:last].tolist()).most_common(1)[0][0] if len(page.word_content) else line.mcid,
    )
