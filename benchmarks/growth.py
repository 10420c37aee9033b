"""How the cost of one page grows with what stands on it: lines, ruled cells, rules, columns. `make bench` runs it.

Each page is made in three sizes, each twice the one before. What is linear costs twice as much with twice as many; what compares each with
each costs four times as much.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from reportlab.pdfgen.canvas import Canvas

from pdfmill.schemas.records import DocumentRef, PageRange
from pdfmill.transforms.layout.settings.layout_settings import DEFAULTS
from pdfmill.transforms.road import document_road as road
from pdfmill.transforms.road.job_settings import ReadSettings
from pdfmill.transforms.road.open_documents import close_documents
from pdfmill.transforms.storage.addresses import local_uri

#: Distance of lines and width of a piece of text, points; type of half the distance.
_DOWN, _ACROSS = 12.0, 60.0
#: A page may be so wide and high (ISO 32000-2 Annex C.2).
_WIDEST: Final = 14_400.0


@dataclass(frozen=True, slots=True)
class Grown:
    """The cost of one page. what: of which there are `count`. seconds: CPU."""

    what: str
    count: int
    seconds: float


def _canvas(path: Path, across: int, down: int, width: float = _ACROSS) -> tuple[Canvas, float]:
    """A page for so many pieces side by side and above each other; and its height."""
    height = (down + 2) * _DOWN
    canvas = Canvas(str(path), pagesize=(min((across + 2) * width, _WIDEST), min(height, _WIDEST)), invariant=1)
    canvas.setFont("Helvetica", _DOWN / 2)
    return canvas, height


def lines(path: Path, count: int) -> None:
    """Short lines in a square grid."""
    across = math.isqrt(count)
    canvas, height = _canvas(path, across, count // across + 1)
    for number in range(count):
        canvas.drawString((number % across + 1) * _ACROSS, height - (number // across + 1) * _DOWN, f"line {number}")
    canvas.save()


def ruled_cells(path: Path, count: int) -> None:
    """A table with all its rules, a number in each cell."""
    across = math.isqrt(count)
    down = count // across
    canvas, height = _canvas(path, across, down)
    left, right, foot = _ACROSS, (across + 1) * _ACROSS, height - (down + 1) * _DOWN
    for row in range(down + 1):
        canvas.line(left, height - (row + 1) * _DOWN, right, height - (row + 1) * _DOWN)
    for column in range(across + 1):
        canvas.line((column + 1) * _ACROSS, height - _DOWN, (column + 1) * _ACROSS, foot)
    for number in range(across * down):
        row, column = divmod(number, across)
        canvas.drawString((column + 1) * _ACROSS + 3, height - (row + 2) * _DOWN + 3, str(number))
    canvas.save()


def rules(path: Path, count: int) -> None:
    """Short rules all over the page, under some lines of text."""
    across = math.isqrt(count)
    down = count // across + 1
    canvas, height = _canvas(path, across, down)
    for number in range(count):
        x, y = (number % across + 1) * _ACROSS, height - (number // across + 1) * _DOWN
        canvas.line(x, y, x + _ACROSS / 2, y)
    for row in range(0, down, 10):
        canvas.drawString(_ACROSS, height - (row + 1) * _DOWN + 2, "Some words of a line between the rules")
    canvas.save()


def columns(path: Path, count: int) -> None:
    """Columns side by side, of eight lines each. Narrow ones are set as tight for their type as wide ones: else each line is a block."""
    width = min(_ACROSS, _WIDEST / (count + 2))
    down = _DOWN * width / _ACROSS
    canvas, height = _canvas(path, count, 8, width)
    canvas.setFont("Helvetica", width / 12)
    for column in range(count):
        for row in range(8):
            canvas.drawString((column + 1) * width, height - (row + 1) * down, f"words of column {column}")
    canvas.save()


#: What grows, how it is made, and the most of it.
PAGES: Final[dict[str, tuple[Callable[[Path, int], None], int]]] = {
    "lines": (lines, 5000),
    "ruled cells": (ruled_cells, 3000),
    "rules": (rules, 10_000),
    "columns": (columns, 500),
}


def growth(folder: Path, share: int = 1) -> Iterator[Grown]:
    """The cost of each page in three sizes, a small one first that loads what is needed. share: all of it, or a part, for tests."""
    for what, (make, most) in PAGES.items():
        for count in (most // share // 8, most // share // 4, most // share // 2, most // share):
            path = folder / f"{what.replace(' ', '-')}-{count}.pdf"
            make(path, count)
            cost = min(page_cost(path) for _ in range(2))
            if count > most // share // 8:
                yield Grown(what, count, cost)


def page_cost(path: Path) -> float:
    """CPU seconds from the file to the rows of its one page, in this process."""
    ref, settings = DocumentRef.of_uri(local_uri(str(path))), ReadSettings()
    started = time.process_time()
    reading = road.read_document(ref, settings)
    road.finish(reading, road.read_pages(PageRange(ref, 1, 1), settings), DEFAULTS)
    close_documents()
    return time.process_time() - started


def steps(found: list[Grown]) -> list[tuple[Grown, float | None]]:
    """Each with its cost against that of half as many; None for the first of its kind."""
    before: dict[str, Grown] = {}
    told: list[tuple[Grown, float | None]] = []
    for each in found:
        smaller = before.get(each.what)
        told.append((each, each.seconds / smaller.seconds if smaller is not None and smaller.seconds else None))
        before[each.what] = each
    return told
