"""Convert visual order to reading order for lines with Arabic, Hebrew and other right-to-left scripts.
Only the positions of glyphs are reliable, so this reverses UAX #9 (the Unicode bidirectional algorithm): rules W and N, simplified, resolve
embedding levels on the visual line, and rule L2 gives the reading order."""

from __future__ import annotations

import unicodedata
from functools import lru_cache
from typing import Final


@lru_cache(maxsize=4096)
def bidi_class(code: int) -> str:
    """Return a simplified bidirectional class of a code point: R or L (letters), N (number), S (separator in numbers), T (sign beside
    numbers), M (mark) or O (takes the direction of its neighbours)."""
    kind = unicodedata.bidirectional(chr(code))
    return {"R": "R", "AL": "R", "L": "L", "EN": "N", "AN": "N", "ES": "S", "CS": "S", "ET": "T", "NSM": "M"}.get(kind, "O")


def reading_order(codes: list[int], rtl: bool) -> tuple[list[int], list[bool]]:
    """Return the indices of a visual line's characters in reading order, and for each whether brackets are mirrored (odd embedding level).
    codes: code points from left to right.

    >>> order, _ = reading_order([ord(c) for c in "cba 12"], rtl=False)
    >>> order
    [0, 1, 2, 3, 4, 5]
    """
    levels = _levels([bidi_class(code) for code in codes], 1 if rtl else 0)
    order = list(range(len(codes)))
    for level in range(max(levels, default=0), 0, -1):
        start = 0
        while start < len(order):
            if levels[order[start]] < level:
                start += 1
                continue
            end = start
            while end < len(order) and levels[order[end]] >= level:
                end += 1
            order[start:end] = order[start:end][::-1]
            start = end
    return order, [level % 2 == 1 for level in levels]


def _levels(classes: list[str], base: int) -> list[int]:
    """Return the embedding level of each character. classes: from `bidi_class`. base: the line's own level, 0 or 1 (right-to-left)."""
    kinds = _numbers(classes)
    levels = [base] * len(kinds)
    strong = [index for index, kind in enumerate(kinds) if kind in "RLN"]
    for index in strong:
        levels[index] = {"R": 1, "L": 2 if base else 0, "N": 2}[kinds[index]]
    if not base:  # a number is at level 2 only inside right-to-left text
        for place, index in enumerate(strong):
            if kinds[index] == "N" and not _beside_rtl(kinds, strong, place):
                levels[index] = 0
    for left, right in zip(strong, strong[1:], strict=False):
        if right - left > 1:
            between = _between(kinds[left], kinds[right], levels[left], levels[right], base)
            levels[left + 1 : right] = [between] * (right - left - 1)
    return levels


def _between(left: str, right: str, left_level: int, right_level: int, base: int) -> int:
    """Return the level of neutral characters between two letters or numbers (rules N1, N2). base: the line's level."""
    if left == right == "L" or {left, right} == {"L", "N"}:
        return min(left_level, right_level)
    if 0 in (left_level, right_level):  # a number outside right-to-left text too
        return 0
    return base if "L" in (left, right) else 1


def _beside_rtl(kinds: list[str], strong: list[int], place: int) -> bool:
    """Return whether the nearest letters on both sides of a number are right-to-left. place: position of the number in `strong`."""
    for step in (-1, 1):
        other = place + step
        while 0 <= other < len(strong) and kinds[strong[other]] == "N":
            other += step
        if not 0 <= other < len(strong) or kinds[strong[other]] != "R":
            return False
    return True


def _numbers(classes: list[str]) -> list[str]:
    """Return simpler classes: N for separators within and signs beside a number (rules W4, W5), R for marks beside such letters (W1), else
    O."""
    kinds = list(classes)
    last = len(kinds) - 1
    for index, kind in enumerate(kinds):
        if kind == "M":
            kinds[index] = "R" if "R" in (kinds[index - 1] if index else "", classes[index + 1] if index < last else "") else "O"
        elif kind == "S" and 0 < index < last and kinds[index - 1] == "N" and classes[index + 1] == "N":
            kinds[index] = "N"
    for index, kind in enumerate(kinds):
        if kind == "T" and ((index and kinds[index - 1] == "N") or (index < last and kinds[index + 1] == "N")):
            kinds[index] = "N"
    return ["O" if kind in "ST" else kind for kind in kinds]


@lru_cache(maxsize=256)
def mirrored(code: int) -> int:
    """Return the mirror image of a bracket (rule L4); other code points are unchanged."""
    return _MIRRORS.get(code, code)


_PAIRS: Final = "()[]{}<>«»‹›≤≥⟨⟩⁅⁆❨❩（）【】「」"
_MIRRORS: Final = {ord(a): ord(b) for pair in zip(_PAIRS[::2], _PAIRS[1::2], strict=True) for a, b in (pair, pair[::-1])}

_OPENING: Final = "([{«（【「"
_CLOSING: Final = ")]}»）】」"
_OPENED: Final = {ord(closing): ord(opening) for opening, closing in zip(_OPENING, _CLOSING, strict=True)}
_CLOSED: Final = {opening: closing for closing, opening in _OPENED.items()}
#: Punctuation that may be between a closing bracket and a space.
_STOPS: Final = frozenset(map(ord, ".,;:!?،؛؟"))


def faced(plain: list[int], turned: list[int], begins: list[bool]) -> list[int]:
    """Choose between a line with brackets as coded (`plain`) and with mirrored brackets in right-to-left text (`turned`, rule L4).
    ToUnicode maps of some fonts give the bracket as drawn, others the logical one. Brackets at the ends of words decide, then matching
    pairs; without evidence the mirrored form is returned. begins: whether a word begins at each character."""
    if plain == turned:
        return plain
    return max((turned, plain), key=lambda codes: (_at_edges(codes, begins), -_unmatched(codes)))


def _at_edges(codes: list[int], begins: list[bool]) -> int:
    """Return the number of brackets that open at the beginning of a word or close at its end, minus those that do the opposite."""
    score = 0
    for place, code in enumerate(codes):
        sign = (code in _CLOSED) - (code in _OPENED)
        if not sign:
            continue
        ends = place == len(codes) - 1 or begins[place + 1] or codes[place + 1] in _STOPS
        score += sign * (begins[place] - ends)
    return score


def _unmatched(codes: list[int]) -> int:
    waiting: list[int] = []
    lonely = 0
    for code in codes:
        if code in _CLOSED:
            waiting.append(code)
        elif code in _OPENED:
            if waiting and waiting[-1] == _OPENED[code]:
                waiting.pop()
            else:
                lonely += 1
    return lonely + len(waiting)


def bracketed(codes: list[int], begins: list[bool]) -> list[int]:
    """Return the code points in reading order, with brackets that open at the beginning of words and close at their ends.
    begins: whether a word begins at each character.

    >>> "".join(map(chr, bracketed([ord(c) for c in "a)b("], [True, True, False, False])))
    'a(b)'
    """
    found = list(codes)
    for place, code in enumerate(codes):
        if code not in _OPENED and code not in _CLOSED:
            continue
        ends = place == len(codes) - 1 or begins[place + 1]
        if begins[place] and not ends and chr(codes[place + 1]).isalnum():
            found[place] = _OPENED.get(code, code)
        elif not begins[place] and chr(codes[place - 1]).isalnum() and (ends or codes[place + 1] in _STOPS):
            found[place] = _CLOSED.get(code, code)
    return found
