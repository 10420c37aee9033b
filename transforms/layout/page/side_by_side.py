"""Decide whether texts side by side are columns, or are read row by row, like labels with values and headings in the margin.
Labels share a text style that differs from that of their values, or end in colons; monospaced text is read row by row."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from pdfmill.schemas.statistics import Look
from pdfmill.transforms.layout.page.line_frame import LineLists
from pdfmill.transforms.layout.page.patterns import count_words, starts_lower
from pdfmill.transforms.layout.settings.layout_settings import LayoutSettings

#: Smallest number of labels, or of rows of texts side by side, from which they are judged.
_FEW: Final = 2


def _side_by_side(rows: Sequence[Sequence[int]], columns: Sequence[Sequence[int]]) -> int:
    """Return the number of rows at whose height at least two columns have text. rows, columns: indices of the lines of each."""
    row_of = {k: n for n, row in enumerate(rows) for k in row}
    heights = [(min(map(row_of.__getitem__, column)), max(map(row_of.__getitem__, column))) for column in columns]
    return sum(sum(first <= n <= last for first, last in heights) > 1 for n in range(len(rows)))


class SideBySide(NamedTuple):
    """Decides how texts side by side on a page are read. at, texts, looks: position, text and text style of each line."""

    at: LineLists  # positions of the page's lines
    texts: Sequence[str]  # text of each line
    looks: Sequence[Look]  # text style of each line
    settings: LayoutSettings

    def by_row(self, rows: Sequence[Sequence[int]], columns: Sequence[Sequence[int]], gap: float) -> bool:
        """Return whether rows with common white gaps are read row by row, not column by column. gap: width of the widest gap, points.
        Narrow gaps need more rows, because wide spaces of justified lines align by chance. Bullets and numbers alone form no text
        column."""
        lines = [k for row in rows for k in row]
        if gap * _side_by_side(rows, columns) < self.settings.gutter_lines * max(self.at.size[k] for k in lines):
            return True
        if any(2 * sum(not count_words(self.texts[k]) for k in column) > len(column) for column in columns):
            return True
        return 2 * sum(self.looks[k].monospaced for k in lines) > len(lines)

    def with_labels(self, left: Sequence[int], right: Sequence[int]) -> list[int] | None:
        """Return the lines of two columns label by label, each followed by the lines beside it; None if the left column contains no
        labels."""
        labels: list[list[int]] = []
        for k in left:
            if not starts_lower(self.texts[k]) and any(self._one_row(k, other) for other in right):
                labels.append([k])
            elif labels:
                labels[-1].append(k)
        if len(labels) < _FEW or not self._are_labels(left, right, labels):
            return None
        tops = [label[0] for label in labels]
        values: list[list[int]] = [[] for _ in labels]
        for k in right:
            values[max(sum(self._below(top, k) for top in tops) - 1, 0)].append(k)
        placed = [k for label, value in zip(labels, values, strict=True) for k in (*label, *value)]
        if 2 * sum(starts_lower(self.texts[value[0]]) for value in values if value) > len(values):
            return None
        return placed

    def _are_labels(self, left: Sequence[int], right: Sequence[int], labels: Sequence[Sequence[int]]) -> bool:
        looks = {self.looks[k] for k in left}
        colons = sum(self.texts[label[-1]].endswith((":", "：")) for label in labels)
        return 2 * colons > len(labels) or (len(looks) == 1 and looks.isdisjoint(self.looks[k] for k in right))

    def _one_row(self, a: int, b: int) -> bool:
        at = self.at
        return abs(at.baseline[a] - at.baseline[b]) <= self.settings.same_baseline * max(at.size[a], at.size[b])

    def _below(self, a: int, b: int) -> bool:
        return self.at.baseline[b] > self.at.baseline[a] or self._one_row(a, b)
