"""Decide which blocks are list items. A bullet always begins one; a number, a letter or a dash begins one only in a sequence.
"3." may begin an item, a section, a date or a sentence. It begins an item if the page has the item before or after it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from pdfmill.transforms.layout.page.patterns import BULLET, ROMAN_VALUES, WEAK_BULLETS, roman_value

_LABEL: Final = re.compile(r"(?P<open>[(\[]?)(?P<label>\d{1,3}|[ivxlc]{1,7}|[IVXLC]{1,7}|[a-zA-Z])(?P<close>[.)\]、．]|(?=\s|$))")
_CIRCLED: Final = re.compile("[①-⑳]")
_INITIALS: Final = frozenset(["A.", "C."])


class Label(NamedTuple):
    """One possible meaning of the number or letter before a list item. kind: its form, as "1." or "(a)"; C and c are Roman numerals."""

    kind: str  # 1 for digits, a or A for letters, c or C for Roman numerals, with the punctuation around: "(a)"; or "circled"
    value: int  # the number for which it stands, from 1


class Start(NamedTuple):
    """The first line of a block that may be a list item. inset: distance from the margin of its column, points. place: index among the
    page's blocks; -1 for the last."""

    text: str  # first line of the block
    inset: float  # distance from the margin of its column, points
    place: int  # index among the page's blocks, from 0; -1 for the last


def read_label(text: str) -> Iterator[Label]:
    """Yield all possible meanings of the number or letter at the beginning of a text. "c." may be a letter or a Roman numeral.

    >>> list(read_label("(c) water"))
    [Label(kind='(c)', value=100), Label(kind='(a)', value=3)]
    """
    if _CIRCLED.match(text):
        yield Label("circled", ord(text[0]) - ord("①") + 1)
        return
    match = _LABEL.match(text)
    if match is None:
        return
    label = match["label"]
    if label.isdecimal():
        yield Label(f"{match['open']}1{match['close']}", int(label))
        return
    if not set(label.upper()) - set(ROMAN_VALUES):
        yield Label(f"{match['open']}{'C' if label.isupper() else 'c'}{match['close']}", roman_value(label.upper()))
    if len(label) == 1:
        yield Label(f"{match['open']}{'A' if label.isupper() else 'a'}{match['close']}", ord(label.lower()) - ord("a") + 1)


def true_items(starts: Sequence[Start]) -> list[bool]:
    """Return, for each block that may be a list item, whether it is one. starts: the beginning of each, in reading order."""
    return [_is_item(n, starts) for n in range(len(starts))]


def _is_item(n: int, starts: Sequence[Start]) -> bool:
    start, others = starts[n], [*starts[:n], *starts[n + 1 :]]
    if BULLET.match(start.text) or start.text[:1] in WEAK_BULLETS:
        return start.text[0] not in WEAK_BULLETS or any(other.text[:1] == start.text[0] for other in others) or _is_nested(n, starts)
    labels = set(read_label(start.text))
    near = {Label(label.kind, label.value + step) for label in labels for step in (-1, 1)}
    if any(near.intersection(read_label(other.text)) for other in others):
        return True
    return _goes_over_the_page(start, labels)


def _is_nested(n: int, starts: Sequence[Start]) -> bool:
    return any(other.inset < starts[n].inset and BULLET.match(other.text) and other.text[0] not in WEAK_BULLETS for other in starts[:n])


def _goes_over_the_page(start: Start, labels: set[Label]) -> bool:
    """Return whether the block is the first item of a list at the end of a page, or a later item at the beginning of a page."""
    if start.place == -1:
        return any(label.value == 1 for label in labels)
    return start.place == 0 and any(label.value > 1 and label.kind not in _INITIALS for label in labels)
