"""Rebuild program text as it is set, with indentation and columns as spaces."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median
from typing import Final, NamedTuple

from pdfmill.transforms.layout.page.hyphens import JoinedText

#: Em; pieces of one line have baselines nearer than that.
_SAME_LINE: Final = 0.3


class CodeLine(NamedTuple):
    """A line, or a piece of one behind a wide gap. start, end: along the line, points. baseline: growing downwards. size: points."""

    text: str
    start: float
    end: float
    baseline: float
    size: float


def set_code(lines: Sequence[CodeLine]) -> JoinedText:
    """Lines joined by line feeds, each behind as many spaces as it stands in; pieces of one line behind each other in their columns."""
    starts: list[int] = []
    text = ""
    column = 0
    for part in _parts(lines):
        left, advance = min(line.start for line in part), _advance(part)
        before: CodeLine | None = None
        for line in part:
            stands_in = round((line.start - left) / advance)
            goes_on = before is not None and abs(line.baseline - before.baseline) < _SAME_LINE * line.size and line.start > before.start
            if goes_on:
                gap = " " * max(stands_in - column, 1)
            else:
                gap = ("\n" if starts else "") + " " * stands_in
                column = 0
            text += gap + line.text
            column += len(gap.lstrip("\n")) + len(line.text)
            starts.append(len(text) - len(line.text))
            before = line
    return JoinedText(text, tuple(starts), tuple(len(line.text) for line in lines), ())


def _parts(lines: Sequence[CodeLine]) -> list[list[CodeLine]]:
    """Split lines into columns: a line further up than the one before begins a new one, with a margin of its own."""
    parts: list[list[CodeLine]] = []
    for line in lines:
        if not parts or line.baseline < parts[-1][-1].baseline - line.size:
            parts.append([])
        parts[-1].append(line)
    return parts


def _advance(lines: Sequence[CodeLine]) -> float:
    """Estimate the width of a character. All of the font have the same, so the longest lines give it best."""
    longest = sorted(lines, key=lambda line: -len(line.text))[: max(1, len(lines) // 2)]
    return max(median((line.end - line.start) / max(len(line.text), 1) for line in longest), _LEAST)


#: Points; no font is so narrow.
_LEAST: Final = 0.5
