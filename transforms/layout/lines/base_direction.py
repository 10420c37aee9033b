"""Decide the base direction of a line with letters of both directions by the lines around it.
It follows from the side on which the paragraph is aligned, else from the majority of its letters."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

from msgspec import Struct

from pdfmill.transforms.layout.lines.bidi import bidi_class


class DirectionSettings(Struct, frozen=True):
    """Thresholds for finding and judging the lines around a line. Distances are in em of the line's type size."""

    apart: float = 1.8  # largest distance of baselines of neighbouring lines in a block
    overlap: float = 0.5  # smallest overlap of two lines in a block, share of the narrower line's width
    flush: float = 0.5  # largest distance of a line's end from that of its block if it is aligned there
    clear: float = 0.9  # share of right-to-left letters from which a block on a right-to-left page is right-to-left however it is aligned
    lines: int = 12  # lines examined on each side; the alignment of a paragraph shows in fewer


DEFAULTS: Final = DirectionSettings()


class Placed(NamedTuple):
    """The position of a horizontal line, in points. right, left: its numbers of left-to-right and of right-to-left letters."""

    x0: float
    x1: float
    baseline: float
    size: float
    right: int  # number of left-to-right letters
    left: int  # number of right-to-left letters


def count_letters(codes: Sequence[int]) -> tuple[int, int]:
    """Return the numbers of left-to-right and of right-to-left letters among code points."""
    classes = [bidi_class(code) for code in codes]
    return classes.count("L"), classes.count("R")


def base_of_line(right: int, left: int, page_rtl: bool) -> bool:
    """Return whether a line is right-to-left, judged without the lines around it. On a right-to-left page one such letter suffices.
    right, left: number of left-to-right letters, and of right-to-left letters. page_rtl: most letters of the page are right-to-left."""
    if right == left == 0:
        return page_rtl
    return left >= right or (page_rtl and left > 0)


def base_in_block(
    line: int, count: int, place: Callable[[int], Placed | None], page_rtl: bool, settings: DirectionSettings = DEFAULTS
) -> bool:
    """Return whether a line with letters of both directions is right-to-left. place: returns the position of a line, None if it is not
    horizontal.
    page_rtl: most letters of the page are right-to-left."""
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
    """Return the lines in `others` of the same paragraph below the line `own` (way 1) or above it (way -1), nearest first."""
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
