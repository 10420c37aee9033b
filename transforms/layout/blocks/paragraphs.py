"""Divide the lines of a column into blocks: lines are joined to rows, and rows to blocks by `pair_judge`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from pdfmill.schemas.records import TextLine
from pdfmill.schemas.scripts import RAISED_FIGURES
from pdfmill.schemas.statistics import DocumentStyle, Look
from pdfmill.transforms.layout.blocks.pair_judge import Row, read_pairs, read_trees
from pdfmill.transforms.layout.page.line_frame import Frame
from pdfmill.transforms.layout.page.patterns import is_drawn_rule, is_list_start
from pdfmill.transforms.layout.settings.layout_settings import DEFAULTS, LayoutSettings

#: Characters with which the mark of a note begins.
_RAISED: Final = tuple(RAISED_FIGURES)


class ParagraphBreaker:
    """Splits the lines of a column, or of a part of one, into blocks. Positions are points in the page's `Frame`."""

    def __init__(
        self,
        frame: Frame,
        lines: Sequence[TextLine],
        looks: Sequence[Look],
        style: DocumentStyle,
        settings: LayoutSettings = DEFAULTS,
    ) -> None:
        self.at = frame.lists
        self.lines = lines
        self.looks = looks
        self.style = style
        self.settings = settings
        self.margin = self.limit = 0.0

    def split(self, part: Sequence[int], fixed: Mapping[int, int]) -> list[list[int]]:
        """Return the blocks of a column part in order, as lists of lines. fixed: number of the block, by line, of lines whose block is
        known."""
        rows = self.rows(part, fixed)
        if not rows:
            return []
        odds = read_trees().odds(read_pairs(rows, self.margin, self.limit, self.style.line_spacing)).tolist()
        blocks = [list(rows[0].lines)]
        for a, b, likely in zip(rows, rows[1:], odds, strict=False):
            one, two = fixed.get(a.lines[0]), fixed.get(b.lines[0])
            if likely > 0 and not self._are_parted(a, b) if one is None and two is None else one == two:
                blocks[-1] += b.lines
            else:
                blocks.append(list(b.lines))
        return blocks

    def _are_parted(self, a: Row, b: Row) -> bool:
        """Return whether a wide space, a rule made of characters or the raised mark of a note separates two rows."""
        far = not 0 < b.baseline - a.baseline <= self.settings.spacing_limit * max(a.em, b.em)
        return far or (not b.look.monospaced and (is_drawn_rule(a.text) or is_drawn_rule(b.text))) or b.text.startswith(_RAISED)

    def rows(self, part: Sequence[int], fixed: Mapping[int, int]) -> list[Row]:
        """Return the rows of a column part, and set `margin` and `limit` to the ends of its running text.
        fixed: number of the block, by line, of lines whose block is known."""
        rows: list[list[int]] = []
        for k in part:
            if rows and fixed.get(rows[-1][-1]) == fixed.get(k) and self._same_row(rows[-1], k):
                rows[-1].append(k)
            else:
                rows.append([k])
        found = [self._row(row) for row in rows]
        free = [row for row in found if row.lines[0] not in fixed] or found
        prose = [row for row in free if not row.look.monospaced] or free
        self.margin = min((row.start for row in prose), default=0.0)
        self.limit = max((row.end for row in prose), default=0.0)
        return found

    def _row(self, row: list[int]) -> Row:
        at, first = self.at, row[0]
        if len(row) == 1:  # most rows
            look, text, start = self.looks[first], self.lines[first].text, at.start[first]
            return Row(
                row,
                start,
                at.end[first],
                start,
                at.baseline[first],
                look,
                line_spacing(look, self.style, self.settings),
                text,
                is_list_start(text),
            )
        main = max(row, key=lambda k: (len(self.lines[k].text), -k))
        text = " ".join([self.lines[k].text for k in row])
        start = min([at.start[k] for k in row])
        inner = at.start[row[1]] if is_list_start(self.lines[first].text + " x") else start
        look = self.looks[main]
        end, spacing = max([at.end[k] for k in row]), line_spacing(look, self.style, self.settings)
        return Row(row, start, end, inner, at.baseline[main], look, spacing, text, is_list_start(text))

    def _same_row(self, row: list[int], k: int) -> bool:
        at, first = self.at, row[-1]
        shared = min(at.bottom[first], at.bottom[k]) - max(at.top[first], at.top[k])
        height = min(at.bottom[first] - at.top[first], at.bottom[k] - at.top[k])
        return shared > self.settings.same_row * height and at.start[k] >= at.end[first] - self.settings.edge_slack


def line_spacing(look: Look, style: DocumentStyle, settings: LayoutSettings = DEFAULTS) -> float:
    """Return the usual distance of baselines of a text style, points."""
    known = style.spacings.get(look)
    if known:
        return known
    body = style.body
    if body is not None and body.size > 0 and style.line_spacing > 0:
        return style.line_spacing * look.size / body.size
    return settings.usual_spacing * look.size
