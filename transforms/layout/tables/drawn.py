"""Use drawn rules and fills as evidence for tables: for their area, the separation of rows, the end of a header, and spanning cells."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from typing import Final

import numpy as np

from pdfmill.schemas.records import PageLines
from pdfmill.transforms.layout.page.line_frame import Frame
from pdfmill.transforms.layout.settings.table_settings import TableSettings
from pdfmill.transforms.layout.tables.model import Box, Chunk, SetRow, around

#: Height, points, of the bands of top plus bottom in which strokes are sorted from left to right.
_STEP: Final = 3
#: Groups of rules examined on a page; drawings have thousands of lines.
_MOST_REGIONS: Final = 300


class Drawn:
    """The horizontal rules and the fills of a page, as boxes in the page's `Frame`."""

    def __init__(self, page: PageLines, frame: Frame, settings: TableSettings) -> None:
        self.settings = settings
        self.rules = _horizontal(frame.map_boxes(page.rules, page).tolist(), settings)
        self.heights = [(rule[1] + rule[3]) / 2 for rule in self.rules]
        self.fills = frame.map_boxes(page.fills, page)
        low = self.fills[:, 3] - self.fills[:, 1] < settings.band_height
        self.bands = self.fills[low].tolist()

    def between(self, top: float, bottom: float) -> Sequence[Box]:
        """Return the rules whose middle is between `top` and `bottom`, in points from the top of the page."""
        first = bisect_left(self.heights, top)
        return self.rules[first : bisect_left(self.heights, np.nextafter(bottom, np.inf), first)]

    def parts(self, a: SetRow, b: SetRow, box: Box) -> bool:
        """Return whether a drawn rule separates the rows a and b of a table. box: the table's box."""
        y0, y1 = max((c.top + c.bottom) / 2 for c in a), min((c.top + c.bottom) / 2 for c in b)
        x0, _, x1, _ = box
        return any(min(rule[2], x1) - max(rule[0], x0) > self.settings.full_rule * (x1 - x0) for rule in self.between(y0, y1))

    def under(self, chunks: list[Chunk], width: float) -> Box | None:
        """Return the drawn rule directly under a cell, wider than the cell and narrower than the table (cmidrule of booktabs), or None."""
        x0, _, x1, bottom = around(chunks)
        middle = (x0 + x1) / 2
        for rule in self.between(bottom - self.settings.touch, bottom + self.settings.under_cell):
            if rule[0] <= middle <= rule[2] and rule[2] - rule[0] < self.settings.part_rule * width:
                return rule
        return None

    def below_header(self, rows: Sequence[SetRow]) -> float | None:
        """Return where a table's header ends, in points from the top of the page: at the first full rule below its first row, or at the
        lower edge of the only fill. None if nothing drawn shows it."""
        x0, x1 = min(c.x0 for row in rows for c in row), max(c.x1 for row in rows for c in row)
        first, last = max(c.bottom for c in rows[0]), max(c.top for row in rows for c in row)
        for rule in self.between(first - self.settings.touch, last):
            if min(rule[2], x1) - max(rule[0], x0) > self.settings.full_rule * (x1 - x0):
                return (rule[1] + rule[3]) / 2
        fills = [band for band in self.bands if band[1] < last and band[3] > first - self.settings.touch and band[0] < x1 and band[2] > x0]
        ends = [band[3] for band in fills if band[1] < min(c.bottom for c in rows[0])]
        return max(ends) if ends and len(ends) == len(fills) and max(ends) < last else None

    def regions(self) -> list[list[Box]]:
        """Return groups of long rules of equal width, and of stacked fills. Each group, from top to bottom, may surround a table."""
        groups: list[list[Box]] = []
        for rule in self.rules:
            if len(groups) >= _MOST_REGIONS:
                continue
            group = next((g for g in groups if self._same_ends(g[-1], rule)), None)
            if group is None:
                groups.append([rule])
            else:
                group.append(rule)
        groups = [g for g in groups if len(g) >= 2] + self._stripes() + self._closed_by([g[0] for g in groups if len(g) == 1])
        outer = _outermost([whole(g) for g in groups])
        return sorted((g for g in groups if whole(g) in outer), key=lambda g: (g[0][1], g[0][0]))

    def _closed_by(self, rules: Sequence[Box]) -> list[list[Box]]:
        """Return each rule that may end a table, with the nearest filled band of equal width above it, which is the header."""
        bands = self._whole_bands() if rules else []
        above = [[b for b in bands if b[3] < rule[1] and self._same_ends(b, rule)][-1:] for rule in rules]
        return [[*band, rule] for band, rule in zip(above, rules, strict=True) if band]

    def is_headed(self, region: Sequence[Box]) -> bool:
        """Return whether the region begins with a fill, as behind a header, and ends with a rule."""
        first, last = (region[n][3] - region[n][1] for n in (0, -1))
        return first > self.settings.rule_thick >= last

    def _stripes(self) -> list[list[Box]]:
        """Return groups of filled bands of equal width that touch or alternate with white rows (zebra stripes). A white band is added at
        the end."""
        groups: list[list[Box]] = []
        open_groups: list[list[Box]] = []
        for band in self._whole_bands():
            reach = self.settings.stripe_gap * (band[3] - band[1])
            open_groups = [g for g in open_groups if band[1] - g[-1][3] < self.settings.stripe_gap * self.settings.band_height]
            # fills of cells are drawn on those of their rows, so bands of other widths between two bands of a group do not end it
            group = next((g for g in reversed(open_groups) if band[1] - g[-1][3] < reach and self._same_ends(g[-1], band)), None)
            if group is None:
                group = []
                groups.append(group)
                open_groups.append(group)
            group.append(band)
        groups = [g for g in groups if len(g) >= 2]
        for group in groups:  # the last stripe may be white
            x0, _, x1, bottom = group[-1]
            group.append((x0, bottom, x1, bottom + (bottom - group[-1][1])))
        return groups

    def _same_ends(self, a: Box, b: Box) -> bool:
        return abs(a[0] - b[0]) < self.settings.same_end and abs(a[2] - b[2]) < self.settings.same_end

    def _whole_bands(self) -> list[Box]:
        """Return bands as wide as a table, from top to bottom, joined from fills of equal height and position."""
        rows: dict[tuple[float, float], list[float]] = {}
        for x0, top, x1, bottom in self.bands:
            known = rows.setdefault((round(top / 2), round(bottom / 2)), [x0, top, x1, bottom])
            known[0], known[2] = min(known[0], x0), max(known[2], x1)
        return sorted(((a, b, c, d) for a, b, c, d in rows.values()), key=lambda band: band[1])


def _horizontal(boxes: list[list[float]], settings: TableSettings) -> list[Box]:
    flat = [b for b in boxes if b[3] - b[1] < settings.rule_thick and b[2] - b[0] > settings.same_end]
    merged: list[list[float]] = []
    for x0, top, x1, bottom in sorted(flat, key=lambda b: (round((b[1] + b[3]) / _STEP), b[0])):
        last = merged[-1] if merged else None
        if last is not None and abs((top + bottom) - (last[1] + last[3])) < settings.same_end and x0 <= last[2] + settings.same_end:
            last[2] = max(last[2], x1)
        else:
            merged.append([x0, top, x1, bottom])
    return sorted(((a, b, c, d) for a, b, c, d in merged), key=lambda b: (b[1] + b[3]) / 2)


def whole(boxes: Sequence[Box]) -> Box:
    """Return the box around the rules and fills of a region."""
    return boxes[0][0], boxes[0][1], boxes[0][2], max(b[3] for b in boxes)


def _outermost(boxes: list[Box]) -> list[Box]:
    return [b for n, b in enumerate(boxes) if not any(m != n and _holds(o, b) and (o != b or m < n) for m, o in enumerate(boxes))]


def _holds(outer: Box, inner: Box) -> bool:
    return all((a - 2 <= b) for a, b in zip(outer[:2], inner[:2], strict=True)) and all(
        a + 2 >= b for a, b in zip(outer[2:], inner[2:], strict=True)
    )
