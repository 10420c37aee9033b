"""Decide the base direction of a line with letters of both directions, from its block: a mostly English line in a Hebrew paragraph is
right-to-left, a mostly Arabic one in an English paragraph left-to-right.

It follows from the side on which the block's lines are flush; if both or neither are, from the majority of its letters. A block with nearly
only right-to-left letters on a page of such letters is right-to-left even if it is flush left, as some programs set it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

from msgspec import Struct

from pdfmill.transforms.layout.lines.bidi import bidi_class


class DirectionSettings(Struct, frozen=True):
    """Thresholds for blocks of lines. Distances in em of a line's type."""

    apart: float = 1.8  # baseline distance of two lines of a block, at most
    overlap: float = 0.5  # share of the narrower line's width that two lines of a block have in common, at least
    flush: float = 0.5  # distance of a line's end from its block's, at most, where it is flush
    clear: float = 0.9  # share of a block's letters that run to the left on a page of such: with more it does, wherever it is flush
    lines: int = 12  # lines asked on each side: a paragraph's own side shows in fewer


DEFAULTS: Final = DirectionSettings()


class Placed(NamedTuple):
    """Position of a horizontal line, points, and its numbers of letters that run to the right and to the left."""

    x0: float
    x1: float
    baseline: float
    size: float
    right: int
    left: int


def count_letters(codes: Sequence[int]) -> tuple[int, int]:
    """Count the letters that run to the right, and to the left."""
    classes = [bidi_class(code) for code in codes]
    return classes.count("L"), classes.count("R")


def base_of_line(right: int, left: int, page_rtl: bool) -> bool:
    """Return whether a line by itself runs to the left.

    Without letters it runs as its page does; on such a page one such letter is enough.
    """
    if right == left == 0:
        return page_rtl
    return left >= right or (page_rtl and left > 0)


def base_in_block(
    line: int, count: int, place: Callable[[int], Placed | None], page_rtl: bool, settings: DirectionSettings = DEFAULTS
) -> bool:
    """Return whether a line with letters of both directions runs to the left.

    place: of each of `count` lines; None if it is not horizontal.
    """
    own = place(line)
    assert own is not None
    block = [own, *_side(own, _others(line, count, place), settings, 1), *_side(own, _others(line, count, place), settings, -1)]
    if len(block) == 1:
        return base_of_line(own.right, own.left, page_rtl)
    right, left = sum(each.right for each in block), sum(each.left for each in block)
    if page_rtl and left > settings.clear * (right + left):
        return True
    slack = settings.flush * own.size
    begin, end = min(each.x0 for each in block), max(each.x1 for each in block)
    at_left, at_right = sum(each.x0 - begin <= slack for each in block), sum(end - each.x1 <= slack for each in block)
    if at_left != at_right:
        return at_right > at_left
    return left >= right


def _others(line: int, count: int, place: Callable[[int], Placed | None]) -> list[Placed]:
    return [each for n in range(count) if n != line and (each := place(n)) is not None]


def _side(own: Placed, others: Sequence[Placed], settings: DirectionSettings, way: int) -> list[Placed]:
    """Return the lines of its block below a line (way 1), or above it (-1), nearest first."""
    found: list[Placed] = []
    last = own
    for each in sorted(others, key=lambda each: way * each.baseline):
        step = way * (each.baseline - last.baseline)
        common = min(each.x1, last.x1) - max(each.x0, last.x0)
        narrow = min(each.x1 - each.x0, last.x1 - last.x0)
        if step <= 0 or common < settings.overlap * narrow:
            continue
        if step > settings.apart * own.size or len(found) == settings.lines:
            break
        found.append(each)
        last = each
    return found
