"""Decide where paragraphs end: breaks between consecutive rows of one column, by style, space, indent, bullets and short lines.

After Hassan 2003, 4.5.1 (line spacing tracked where it changes), 4.5.5 (indents) and 4.5.6 (forced line ends), with the
document's own median spacing as reference.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from typing import Final

from msgspec import Struct

from pdfmill.schemas.records import TextLine
from pdfmill.schemas.statistics import DocumentStyle, Look
from pdfmill.transforms.layout.page.line_breaks import Extent, first_word_width, line_ends
from pdfmill.transforms.layout.page.line_frame import Frame
from pdfmill.transforms.layout.page.patterns import (
    BULLET,
    CAPTION,
    ENDS_SENTENCE,
    FOOTNOTE_MARK,
    URL_LINE,
    is_drawn_rule,
    is_list_start,
    may_run_on,
    starts_lower,
)
from pdfmill.transforms.layout.page.text_style import same_look, span_lengths
from pdfmill.transforms.layout.settings.layout_settings import DEFAULTS, LayoutSettings

#: Characters of a note's mark with a space at most, and the share of its line's size that raised type has at most.
_MARK: Final = 4
_RAISED: Final = 0.8


class Row(Struct):
    """Lines side by side in one column, such as a bullet and its text, or a number and its title. lines: positions in the frame.

    start, end: left and right limit. inner: left end of the text after a bullet or enumerator. look: text style of most characters.
    """

    lines: list[int]
    start: float
    end: float
    inner: float
    baseline: float
    look: Look
    text: str
    listed: bool

    @property
    def extent(self) -> Extent:
        return Extent(self.start, self.end, self.look.size, self.text)


class ParagraphBreaker:
    """Splits the lines of one column part into blocks. Positions are those of the frame."""

    def __init__(
        self,
        frame: Frame,
        lines: Sequence[TextLine],
        looks: Sequence[Look],
        style: DocumentStyle,
        settings: LayoutSettings = DEFAULTS,
        sizes: Sequence[float] = (),
    ) -> None:
        """sizes: font size of each style, points."""
        self.sizes = sizes
        self.frame = frame
        self.at = frame.lists
        self.lines = lines
        self.looks = looks
        self.style = style
        self.settings = settings
        self.margin = self.limit = 0.0
        self.kept: set[int] = set()

    def split(self, part: Sequence[int], fixed: Mapping[int, int]) -> list[list[int]]:
        """Return the blocks of a column part in order. fixed: line -> id of its block, for lines whose block is already known."""
        rows = self._rows(part, fixed)
        if not rows:
            return []
        self._limits(rows, fixed)
        self.kept = self._kept_lines(rows, fixed)
        blocks = [[rows[0]]]
        for n in range(1, len(rows)):
            a, b = rows[n - 1], rows[n]
            one, two = fixed.get(a.lines[0]), fixed.get(b.lines[0])
            joined = (
                one == two
                if one is not None or two is not None
                else not self._breaks(blocks[-1], b, rows[n + 1] if n + 1 < len(rows) else None)
            )
            if joined:
                blocks[-1].append(b)
            else:
                blocks.append([b])
        return [[k for row in block for k in row.lines] for block in blocks]

    def _rows(self, part: Sequence[int], fixed: Mapping[int, int]) -> list[Row]:
        rows: list[list[int]] = []
        for k in part:
            if rows and fixed.get(rows[-1][-1]) == fixed.get(k) and self._same_row(rows[-1], k) and not self._are_captions(rows[-1], k):
                rows[-1].append(k)
            else:
                rows.append([k])
        return [self._row(row) for row in rows]

    def _row(self, row: list[int]) -> Row:
        at, first = self.at, row[0]
        if len(row) == 1:
            text = self.lines[first].text
            return Row(
                row,
                at.start[first],
                at.end[first],
                at.start[first],
                at.baseline[first],
                self.looks[first],
                text,
                is_list_start(text),
            )
        main = max(row, key=lambda k: (len(self.lines[k].text), -k))
        text = " ".join(self.lines[k].text for k in row)
        start = min(at.start[k] for k in row)
        inner = at.start[row[1]] if is_list_start(self.lines[first].text + " x") else start
        return Row(row, start, max(at.end[k] for k in row), inner, at.baseline[main], self.looks[main], text, is_list_start(text))

    def _same_row(self, row: list[int], k: int) -> bool:
        at, first = self.at, row[-1]
        shared = min(at.bottom[first], at.bottom[k]) - max(at.top[first], at.top[k])
        height = min(at.bottom[first] - at.top[first], at.bottom[k] - at.top[k])
        return shared > self.settings.same_row * height and at.start[k] >= at.end[first] - self.settings.edge_slack

    def _are_captions(self, row: list[int], k: int) -> bool:
        """Return whether these are captions of figures side by side."""
        return bool(CAPTION.match(self.lines[row[0]].text) and CAPTION.match(self.lines[k].text))

    def _limits(self, rows: Sequence[Row], fixed: Mapping[int, int]) -> None:
        """Return the left and right limit of the column's running text."""
        free = [row for row in rows if row.lines[0] not in fixed] or list(rows)
        prose = [row for row in free if not row.look.monospaced] or free
        self.margin = min(row.start for row in prose)
        self.limit = max(row.end for row in prose)

    def _room(self, row: Row) -> float:
        """Return the white space from the end of a row to where a full one would end, points."""
        return self.limit - row.end

    def _kept_lines(self, rows: Sequence[Row], fixed: Mapping[int, int]) -> set[int]:
        """Return the first lines of rows that follow a short row without a paragraph break: lines of verse, of an address.

        They are judged among rows spaced as in a paragraph; if that finds none, among those of them that do not follow a full row.
        """
        kept: set[int] = set()
        if sum(self.limit - row.end > self.settings.short_line * row.look.size for row in rows) < self.settings.forced_lines:
            return kept
        for run in _runs(rows, lambda a, b: self._are_lines(a, b, fixed)):
            if len(run) < self.settings.forced_lines:
                continue
            found = self._forced(run)
            kept.update(
                found or (k for part in _runs(run, lambda a, b: not self.filled(a, b)) for k in self._forced(self._without_next(part)))
            )
        return kept

    def _forced(self, run: Sequence[Row]) -> list[int]:
        """Return the first lines of the rows after a forced line end."""
        return [run[n + 1].lines[0] for n in line_ends([row.extent for row in run], self.limit, self.settings)]

    def _without_next(self, run: Sequence[Row]) -> Sequence[Row]:
        """Return the rows without a last one that is full, because it begins a paragraph."""
        return run if self.limit - run[-1].end >= self.settings.short_line * run[-1].look.size else run[:-1]

    def _are_lines(self, a: Row, b: Row, fixed: Mapping[int, int]) -> bool:
        """Return whether two rows of one style are as close as lines of a paragraph and are free: neither list items nor in a known
        block."""
        if b.baseline - a.baseline > self.settings.paragraph_gap * max(self.line_spacing(a.look), self.line_spacing(b.look)):
            return False
        if a.listed or b.listed or len(a.lines) + len(b.lines) > 2 or a.lines[0] in fixed or b.lines[0] in fixed:
            return False
        return not (a.look.monospaced and not self._mono_body()) and same_look(a.look, b.look, self.settings.same_size)

    def line_spacing(self, look: Look) -> float:
        """Return the usual baseline distance of a text style, points."""
        known = self.style.spacings.get(look)
        if known:
            return known
        body = self.style.body
        if body is not None and body.size > 0 and self.style.line_spacing > 0:
            return self.style.line_spacing * look.size / body.size
        return self.settings.usual_spacing * look.size

    def _breaks(self, block: list[Row], b: Row, after: Row | None) -> bool:
        a = block[-1]
        gap = b.baseline - a.baseline
        return (
            gap <= 0
            or (not b.look.monospaced and (is_drawn_rule(a.text) or is_drawn_rule(b.text)))
            or self._begins_note(b)
            or self._apart(block, b, gap, after)
            or self._looks_break(block, b)
            or self._list_break(block, b)
            or (b.lines[0] not in self.kept and (self._indent_break(block, b, after) or self._short_break(block, b)))
        )

    def _apart(self, block: list[Row], b: Row, gap: float, after: Row | None) -> bool:
        """Return whether the space exceeds that between the lines of a paragraph here."""
        a = block[-1]
        expected = max(self.line_spacing(a.look), self.line_spacing(b.look))
        if gap <= self.settings.paragraph_gap * expected:
            return False
        if len(block) > 1:
            if gap <= self.settings.equal_gap * (a.baseline - block[-2].baseline):
                return False
        elif (
            after is not None
            and self.runs_on(a, b)
            and after.baseline > b.baseline
            and gap <= self.settings.equal_gap * (after.baseline - b.baseline)
        ):
            return False
        return True

    def filled(self, a: Row, b: Row) -> bool:
        """Return whether the first word of b would not have fitted at the end of a."""
        room, slack = self._room(a), self.settings.short_line * a.look.size
        return room < slack or room < first_word_width(b.extent) + slack  # most lines are full

    def runs_on(self, a: Row, b: Row) -> bool:
        """Return whether line a is full and ends no sentence."""
        return self.filled(a, b) and not ENDS_SENTENCE.search(a.text)

    def _looks_break(self, block: list[Row], b: Row) -> bool:
        """Return whether a change of style ends the block; it does not if the line before runs on."""
        a = block[-1]
        one, two = a.look, b.look
        if same_look(one, two, self.settings.same_size):
            return False
        ratio = one.size / two.size if two.size else 1.0
        if not self.settings.body_like <= ratio <= self.settings.heading_size:
            return not self._shares(a, b)
        runs_on = self.runs_on(a, b)
        if one.monospaced != two.monospaced:
            flush = abs(b.start - a.start) < self.settings.same_place * two.size
            inside = not block[0].look.monospaced and self.filled(a, b) and flush
            return not (inside or self._shares(a, b) or (runs_on and starts_lower(b.text)))
        if self._shares(a, b):
            return False
        return not (runs_on and (starts_lower(b.text) or not one.bold))

    def _begins_note(self, row: Row) -> bool:
        """Return whether a raised mark begins the line; such a line always begins a note."""
        line = self.lines[row.lines[0]]
        if len(line.spans) < 2 or line.spans[1][0] > _MARK or not FOOTNOTE_MARK.match(line.text):
            return False
        return self.sizes[line.spans[0][1]] < _RAISED * row.look.size

    def _styles(self, row: Row) -> set[int]:
        return {style for k in row.lines for style, _ in span_lengths(self.lines[k])}

    def _shares(self, a: Row, b: Row) -> bool:
        """Return whether the rows have a style in common."""
        return not self._styles(a).isdisjoint(self._styles(b))

    def _list_break(self, block: list[Row], b: Row) -> bool:
        if not b.listed or (b.look.monospaced and not self._mono_body()) or CAPTION.match(block[0].text):
            return False  # "(A)" in a caption names a part of its figure
        a = block[-1]
        if BULLET.match(b.text) and b.text[0] not in "-–—*":
            return True
        # a dash or a number may just begin a wrapped line: then the line before is full and no list item stands there
        a, slack = block[-1], self.settings.same_place * b.look.size
        if block[0].listed and abs(b.start - block[0].start) < slack:
            return not (self.runs_on(a, b) and b.start >= a.start - slack and len(block) > 1 and block[0].inner <= block[0].start)
        return not self.runs_on(a, b)

    def _mono_body(self) -> bool:
        return bool(self.style.body and self.style.body.monospaced)

    def _indent_break(self, block: list[Row], b: Row, after: Row | None) -> bool:
        """Detect first-line indents, and the ends of indented and hanging blocks."""
        a, em = block[-1], b.look.size
        small = self.settings.indent_min * em
        if self._centred(a, b):
            return False
        shift = b.start - a.start
        listed = block[0].listed
        if len(block) == 1 and listed and abs(b.start - block[0].inner) < self.settings.same_place * em:
            return False
        if shift >= small:
            return not self._hangs(block, b)
        if shift <= -small:
            if len(block) > 1:
                return not (len(block) > 2 and self.runs_on(a, b) and starts_lower(b.text))
            return listed and not self.runs_on(a, b)
        return self._flush_break(block, b, after)

    def _hangs(self, block: list[Row], b: Row) -> bool:
        """Return whether an indented row continues the block: as second line of a list item, of an entry with hanging indent, or beside a
        drop capital."""
        a = block[-1]
        if len(block) == 1 and block[0].listed:
            return self.filled(a, b) or starts_lower(b.text)
        if not self.runs_on(a, b):
            return False
        return len(block) == 1 or starts_lower(b.text)

    def _flush_break(self, block: list[Row], b: Row, after: Row | None) -> bool:
        """Detect consecutive one-line paragraphs with first-line indent, by comparing with the margin instead of the line before."""
        if len(block) > 1 or not self.style.indented or block[0].listed:
            return False
        em = b.look.size
        small = self.settings.indent_min * em
        if b.start - self.margin < small or self.runs_on(block[-1], b):
            return False
        return after is None or after.start < b.start - small or bool(ENDS_SENTENCE.search(block[-1].text))

    def _centred(self, a: Row, b: Row) -> bool:
        """Return whether two rows have a common middle and reach neither limit, as centred text does."""
        middle = abs((a.start + a.end) - (b.start + b.end)) / 2
        s = self.settings
        inside = min(a.start, b.start) > self.margin + s.edge_slack or max(a.end, b.end) < self.limit - s.edge_slack
        return middle < s.same_place * a.look.size and inside and a.start != b.start

    def _short_break(self, block: list[Row], b: Row) -> bool:
        """Return whether the line before had room for the next word, so that it was ended on purpose."""
        a = block[-1]
        if a.look.monospaced and b.look.monospaced and not self._mono_body():
            return False
        if URL_LINE.match(a.text) and len(block) == 1 and (URL_LINE.match(b.text) or not starts_lower(b.text)):
            return True
        if self.filled(a, b):
            return False
        ends = bool(ENDS_SENTENCE.search(a.text))
        if self._room(a) < self.settings.very_short * (self.limit - self.margin):
            return ends and not starts_lower(b.text)
        return ends or not may_run_on(b.text)


def _runs(rows: Sequence[Row], linked: Callable[[Row, Row], bool]) -> list[list[Row]]:
    """Return runs of consecutive linked rows."""
    runs = [[rows[0]]]
    for a, b in pairwise(rows):
        if linked(a, b):
            runs[-1].append(b)
        else:
            runs.append([b])
    return runs
