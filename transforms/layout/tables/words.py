"""The words of a page's lines with their positions, grouped to chunks (parts of a line without a wide gap) and rows (one baseline)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import cached_property
from itertools import pairwise
from operator import attrgetter
from typing import Any, Final

import numpy as np
from msgspec.structs import replace
from numpy.typing import NDArray

from pdfmill.schemas.records import PageLines
from pdfmill.transforms.layout.page.line_frame import Floats, Frame, word_bounds
from pdfmill.transforms.layout.page.patterns import is_unspaced
from pdfmill.transforms.layout.settings.table_settings import TableSettings
from pdfmill.transforms.layout.tables.model import Chunk, SetRow

NUMBER: Final = re.compile(
    r"^(?:[A-Z]{0,3}[$€£¥]\s?)?[-+−–(]?(?:[$€£¥]\s?)?[\d.,'’\u00a0\u202f ]*\d[\d.,'’\u00a0\u202f ]*\)?\s*[%€$£¥°*†‡a-z]{0,3}\)?$"
)
#: Text in a table that replaces a missing number.
NO_NUMBER: Final = re.compile(r"^(?:[-–—†‡#*.…]{1,3}|n\.?/?a\.?|nil)$", re.IGNORECASE)
_SIGN_BEFORE: Final = re.compile(r"^(?:[A-Z]{0,3}[$€£¥]|\(|[$€£¥]\s?\()$")
_SIGN_AFTER: Final = re.compile(r"^(?:%|\)|\)%|%\)|[a-z*†‡]|\(\d\))$")
#: Characters of the longest sign that is no leader.
_SIGN_LENGTH: Final = 4
LEADERS: Final = re.compile(r"^[\s.·․…‧_]{3,}$")
#: Characters of which leaders consist.
_LEADERS_OF: Final = frozenset(".·․…‧")
_LEADERS_END: Final = re.compile(r"(?:\s?[.·․…‧]){4,}\s*$")
_YEAR: Final = re.compile(r"^(?:19|20)\d\d(?:\s?[-–/]\s?\d{2,4})?\s*[a-z*]?$")


_START: Final = attrgetter("x0")


def is_number(text: str) -> bool:
    """Return whether the text is a number with its signs, or stands for a missing number, such as a dash."""
    return bool(NUMBER.match(text) or NO_NUMBER.match(text))


def is_year(text: str) -> bool:
    """Return whether the text is a year, or two years joined by a dash. Years may be column headers."""
    return bool(_YEAR.match(text))


def set_length(text: str) -> int:
    """Return the width of a text as a number of Latin characters. An ideograph counts as two."""
    return len(text) * (2 if is_unspaced(text) else 1)


def _listed(values: NDArray[Any]) -> list[Any]:
    """Return an array as a list, which Python's loops read ten times as fast."""
    found: list[Any] = values.tolist()
    return found


class Words:
    """The words of a page's lines, with their positions in the page's `Frame`, points."""

    def __init__(self, page: PageLines, frame: Frame, settings: TableSettings) -> None:
        self.page = page
        self.settings = settings
        self._boxes = boxes = frame.map_boxes(page.word_boxes, page)
        index = frame.index.tolist()
        self.baseline: dict[int, float] = dict(zip(index, frame.baseline.tolist(), strict=True))
        self.size: dict[int, float] = dict(zip(index, frame.size.tolist(), strict=True))
        self.gapped = self._gapped(boxes, settings.region_gap)
        self._known: dict[tuple[int, float], list[Chunk]] = {}

    # Computed when first used, because most pages have no row that may be part of a table.

    @cached_property
    def x0(self) -> list[float]:
        """The left end of each word, points."""
        return _listed(self._boxes[:, 0])

    @cached_property
    def top(self) -> list[float]:
        """The upper edge of each word, points."""
        return _listed(self._boxes[:, 1])

    @cached_property
    def x1(self) -> list[float]:
        """The right end of each word, points."""
        return _listed(self._boxes[:, 2])

    @cached_property
    def bottom(self) -> list[float]:
        """The lower edge of each word, points."""
        return _listed(self._boxes[:, 3])

    @cached_property
    def sides(self) -> tuple[Floats, Floats]:
        """The left and the right ends of the words, each float64[words]."""
        return np.ascontiguousarray(self._boxes[:, 0]), np.ascontiguousarray(self._boxes[:, 2])

    @cached_property
    def apart(self) -> list[float]:
        """The gap between each word and the next one, points, whichever of them is on the left."""
        x0, x1 = self.sides
        return _listed(np.where(x0[:-1] <= x0[1:], x0[1:] - x1[:-1], x0[:-1] - x1[1:]))

    @cached_property
    def begins(self) -> list[int]:
        """The offset in its line's text at which each word begins."""
        return _listed(self.page.word_spans[:, 0])

    @cached_property
    def ends(self) -> list[int]:
        """The offset in its line's text at which each word ends."""
        return _listed(self.page.word_spans[:, 1])

    @cached_property
    def first(self) -> list[int]:
        """The index of the first word of each line, followed by the number of words."""
        return word_bounds(self.page)

    def _gapped(self, boxes: Floats, cell_gap: float) -> set[int]:
        if len(boxes) < 2:
            return set()
        of = self.page.word_lines
        sizes = np.array([self.page.styles[line.style].size for line in self.page.lines])
        apart = np.maximum(boxes[1:, 0] - boxes[:-1, 2], boxes[:-1, 0] - boxes[1:, 2])
        wide = (of[1:] == of[:-1]) & (apart > cell_gap * sizes[of[1:]])
        return set(of[1:][wide].tolist())

    def chunks(self, line: int, gap: float, cuts: Sequence[float] = ()) -> list[Chunk]:
        """Return the parts of a line, cut at gaps wider than `gap` (em) and at the positions (points) in `cuts`."""
        if cuts:
            return self._cut(line, gap, cuts)
        key = (line, gap if line in self.gapped else 0.0)
        if (
            known := self._known.get(key)
        ) is None:  # cached, because every region, group of rows and header that may contain the line needs them
            known = self._known[key] = self._cut(line, gap, ()) if line in self.gapped else self._one_chunk(line)
        return known

    def pieces(self, line: int, first: int, last: int, gap: float) -> list[Chunk]:
        """Return the parts of a line's words from index `first` to before `last`, cut where they are more than `gap` em apart."""
        return self._cut_between(line, first, last, gap, ())

    def _one_chunk(self, line: int) -> list[Chunk]:
        first, last = self.first[line], self.first[line + 1]
        return [self._chunk(line, first, last, self.page.styles[self.page.lines[line].style].size)] if last > first else []

    def _cut(self, line: int, gap: float, cuts: Sequence[float]) -> list[Chunk]:
        first, last = self.first[line], self.first[line + 1]
        return self._cut_between(line, first, last, gap, cuts) if last > first else []

    def _cut_between(self, line: int, first: int, last: int, gap: float, cuts: Sequence[float]) -> list[Chunk]:
        size, apart = self.page.styles[self.page.lines[line].style].size, self.apart
        wide = gap * size
        begins = [n for n in range(first + 1, last) if apart[n - 1] > wide or (cuts and self._parted(n - 1, n, cuts))]
        return [self._chunk(line, a, b, size) for a, b in pairwise([first, *begins, last])]

    def _chunk(self, line: int, first: int, last: int, size: float) -> Chunk:
        start, end = self.begins[first], self.ends[last - 1]
        text_line = self.page.lines[line]
        text = text_line.text[start:end]
        alone = last - first == 1
        x1 = self.x1[first] if alone else max(self.x1[first:last])
        if text.rstrip()[-1:] in _LEADERS_OF and (dots := _LEADERS_END.search(text)):
            x1 = self._before_leaders(text, dots.start(), start, first, last)
        bold = self.page.styles[text_line.style].bold
        x0 = self.x0[first] if alone else min(self.x0[first:last])
        top, bottom = (self.top[first], self.bottom[first]) if alone else (min(self.top[first:last]), max(self.bottom[first:last]))
        return Chunk(line, start, end, x0, top, x1, bottom, size, text, bold, first, last)

    def _before_leaders(self, text: str, dots: int, start: int, first: int, last: int) -> float:
        ends = [self.x0[first]]
        for n in range(first, last):
            a, b = self.begins[n], self.ends[n]
            if a - start < dots:
                ends.append(self.x0[n] + (self.x1[n] - self.x0[n]) * min(1.0, (dots - a + start) / max(1, b - a)))
        return float(max(ends)) if text[:dots].strip() else float(max(self.x1[first:last]))

    def _parted(self, a: int, b: int, cuts: Sequence[float]) -> bool:
        left, right = (a, b) if self.x0[a] <= self.x0[b] else (b, a)
        before, after = (self.x0[left] + self.x1[left]) / 2, (self.x0[right] + self.x1[right]) / 2
        return any(before < cut <= after for cut in cuts)

    def set_rows(self, lines: Iterable[int]) -> list[list[int]]:
        """Return these lines grouped by baseline, from top to bottom."""
        rows: list[list[int]] = []
        for i in sorted(lines, key=self.baseline.__getitem__):
            if rows and self.baseline[i] - self.baseline[rows[-1][0]] <= self.settings.same_row * self.size[i]:
                rows[-1].append(i)
            else:
                rows.append([i])
        return rows

    def rows(self, lines: Iterable[int], gap: float) -> list[SetRow]:
        """Return the chunks of these lines grouped by baseline, from top to bottom, each row in reading direction. gap: gap that ends a
        chunk, em."""
        return self.chunk_rows(self.set_rows(lines), gap)

    def chunk_rows(self, rows: Iterable[list[int]], gap: float) -> list[SetRow]:
        """Return the chunks (parts of lines without wide gaps) of lines that are grouped by baseline. gap: width that ends a chunk, em."""
        return [chunks for row in rows if (chunks := self.chunk_row(row, gap))]

    def chunk_row(self, row: Sequence[int], gap: float) -> SetRow:
        """Return the chunks of one row in reading direction, each with the signs that belong to it. gap: gap that ends a chunk, em."""
        if len(row) == 1 and row[0] not in self.gapped:
            return self.chunks(row[0], gap)
        return join_signs(sorted([c for i in row for c in self.chunks(i, gap)], key=_START), self.settings)


def join_signs(row: SetRow, settings: TableSettings) -> SetRow:
    """Return the chunks of a row, with currency signs, leader dots and the like attached to the chunks to which they belong."""
    if len(row) < 2:
        return row
    kept: SetRow = []
    waiting: list[Chunk] = []
    for chunk in row:
        own = chunk.text
        if len(own) > _SIGN_LENGTH and own[0].isalnum() and not waiting:  # most chunks
            kept.append(chunk)
        elif kept and (LEADERS.match(own) or (_SIGN_AFTER.match(own) and not waiting and _holds_number(kept[-1], chunk, settings))):
            _last(kept).after.append(chunk)
        elif _SIGN_BEFORE.match(own):
            waiting.append(chunk)
        elif waiting and is_number(own):
            kept.append(_copy(chunk))
            kept[-1].before, waiting = waiting, []
        else:
            kept += waiting
            kept.append(chunk)
            waiting = []
    return kept + waiting


def _holds_number(before: Chunk, sign: Chunk, settings: TableSettings) -> bool:
    return bool(NUMBER.match(before.text)) and sign.x0 - before.x1 <= settings.cell_gap * 2 * before.size


def _copy(chunk: Chunk) -> Chunk:
    """Return a copy with its own lists of signs, because chunks of whole lines are shared between callers."""
    return replace(chunk, before=list(chunk.before), after=list(chunk.after))


def _last(kept: SetRow) -> Chunk:
    kept[-1] = _copy(kept[-1])
    return kept[-1]


def goes_on(row: SetRow, above: Sequence[SetRow], settings: TableSettings) -> bool:
    """Return whether a row of one chunk continues a cell of the last row with several: closely below, at its start, before the next
    cell."""
    if len(row) > 1 or not above:
        return False
    chunk, n = row[0], len(above) - 1
    slack = settings.align_slack * chunk.size
    while n >= 0 and len(above[n]) == 1:
        if abs(above[n][0].x0 - chunk.x0) > slack:
            return False
        n -= 1
    lines = [*above[n:], row] if n >= 0 else []
    apart = pitches(lines)
    if not lines or max(apart) > min(settings.line_space * chunk.size, settings.tight * min(apart)):
        return False
    base = above[n]
    k = next((k for k, c in enumerate(base) if abs(c.x0 - chunk.x0) <= slack), None)
    if k is None or (k + 1 < len(base) and chunk.x1 >= base[k + 1].x0):
        return False
    return k > 0 or lines[1][0].text[0].islower()


def own_rows(rows: Sequence[SetRow], settings: TableSettings) -> list[SetRow]:
    """Return the rows that do not continue a cell of the row above."""
    return [row for n, row in enumerate(rows) if len(row) > 1 or not goes_on(row, rows[:n], settings)]


def pitches(rows: Sequence[SetRow]) -> list[float]:
    """Return the distances from each row to the next, lower edge to lower edge, points."""
    return [b[0].bottom - a[0].bottom for a, b in pairwise(rows)]


def type_size(rows: Iterable[SetRow]) -> float:
    """Return the median font size of the text in these rows, points."""
    sizes = sorted([c.size for row in rows for c in row])
    return (sizes[len(sizes) // 2] + sizes[(len(sizes) - 1) // 2]) / 2
