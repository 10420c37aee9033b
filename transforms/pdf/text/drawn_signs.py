"""Find signs that a page draws as shapes, and add them to the text: underscores drawn as short rules on the baseline, as TeX does in fonts
without them, and list bullets drawn as small shapes, as browsers and presentation programs do."""

from __future__ import annotations

from collections import defaultdict
from typing import Final

import numpy as np
from numpy.typing import NDArray

from pdfmill.schemas.glyphs import GlyphFlag, Glyphs

#: Smallest and largest width of an underscore, largest thickness, height of the baseline above its middle, and largest distance from the
#: letters beside it, all in em (font size of the text). TeX's have .3 em and are .06 em away; strokes are measured with their caps.
_WIDTH, _THICKNESS, _FALL, _SPACE = (0.22, 0.5), 0.16, (-0.06, 0.2), 0.15
#: Baselines, em above and below the middle, of glyphs that must not be above or below an underscore: of numerators and denominators, too.
_OCCUPIED: Final = (-0.9, 0.5)
#: Distance, in widths of the rule, within which a second underscore follows, and within which another rule makes it a piece of a dashed or
#: underlined stretch; largest difference of height of such rules, points.
_NEXT, _PIECE, _SAME_HEIGHT = 0.25, 1.5, 0.5
#: Short rules, or small shapes, on a page; more are a drawing.
_MOST: Final = 400


Letter = tuple[int, int]  # index of a letter, and of the glyph before which an underscore beside it is added


def add_drawn_underscores(glyphs: Glyphs, rules: NDArray[np.float32]) -> NDArray[np.bool_]:
    """Add an underscore to the text, in place, for each rule that fills a gap beside a letter, on the baseline. Return bool[n], which do.
    rules: float32[n, 4], boxes of thin lines on the displayed page."""
    found = np.zeros(len(rules), np.bool_)
    width, height = rules[:, 2] - rules[:, 0], rules[:, 3] - rules[:, 1]
    short = ((width > 2 * height) & (width < _WIDTH[1] * max((style.size for style in glyphs.styles), default=0.0))).nonzero()[0]
    if not 0 < len(short) <= _MOST:
        return found
    beside, free = _letters_beside(glyphs, rules, short.tolist())
    first = sorted(beside)
    for rule in free:  # the second of two underscores
        near = (np.array(first)[_gaps(rules, rule, first) < _NEXT * width[rule]]).tolist() if first else []
        if near:
            beside[rule] = beside[near[0]]
    others = sorted(set(range(len(rules))) - beside.keys())
    same = {letter: [rule for rule, own in beside.items() if own == letter] for letter in beside.values()}
    members = [rule for group in same.values() if all(_is_whole(rules, each, group, others) for each in group) for rule in group]
    if members:
        members.sort(key=lambda rule: (beside[rule][1], float(rules[rule, 0])))
        letters, places = np.array([beside[rule] for rule in members]).T
        x0, _, x1, _ = rules[members].T
        glyphs.insert_copies(places, letters, unicode=ord("_"), flags=0, x0=x0, x1=x1, origin_x=x0)
        found[members] = True
    return found


def _letters_beside(glyphs: Glyphs, rules: NDArray[np.float32], short: list[int]) -> tuple[dict[int, Letter], list[int]]:
    """Return the letter beside each rule that may be an underscore, by index of the rule; and the short rules without a letter beside them.
    Rules with text directly above or below are in neither result."""
    sizes = glyphs.sizes()
    seen = (glyphs.angle == 0) & ((glyphs.flags & ~GlyphFlag.UNTRUSTED) == 0) & (sizes > 0)
    beside: dict[int, Letter] = {}
    free: list[int] = []
    for rule in short:
        x0, top, x1, bottom = rules[rule].tolist()
        fall = ((top + bottom) / 2 - glyphs.origin_y) / sizes.clip(1)
        near = seen & (fall > _OCCUPIED[0]) & (fall < _OCCUPIED[1]) & (glyphs.x1 > x0 - sizes) & (glyphs.origin_x < x1 + sizes)
        row = near.nonzero()[0]
        em = sizes[row]
        if ((glyphs.x1[row] > x0 + _SPACE * em) & (glyphs.origin_x[row] < x1 - _SPACE * em)).any():
            continue
        fits = (x1 - x0 > _WIDTH[0] * em) & (x1 - x0 < _WIDTH[1] * em) & (bottom - top < _THICKNESS * em)
        fits &= (fall[row] > _FALL[0]) & (fall[row] < _FALL[1]) & (glyphs.unicode[row] > ord(" "))
        before = row[fits & (np.abs(glyphs.x1[row] - x0) <= _SPACE * em)].tolist()
        after = row[fits & (np.abs(glyphs.origin_x[row] - x1) <= _SPACE * em)].tolist()
        if before or after:
            beside[rule] = (before[0], before[0] + 1) if before else (after[0], after[0])
        else:
            free.append(rule)
    return beside, free


def _is_whole(rules: NDArray[np.float32], rule: int, group: list[int], others: list[int]) -> bool:
    """Return whether a rule is no piece of a longer line. group: the rules beside the same letter. others: rules beside no letter."""
    apart = _gaps(rules, rule, others) >= _PIECE * (rules[rule, 2] - rules[rule, 0])
    return bool(apart.all() and np.isfinite(_gaps(rules, rule, group)).all())


def _gaps(rules: NDArray[np.float32], rule: int, others: list[int]) -> NDArray[np.float32]:
    """Return float32[m], the white space between a rule and each of the others; infinite for those at another height."""
    x0, top, x1, bottom = rules[rule].tolist()
    left, upper, right, lower = rules[others].T
    level = np.abs(upper + lower - top - bottom) < 2 * _SAME_HEIGHT
    return np.where(level, np.maximum(left - x1, x0 - right), np.inf)


#: Smallest and largest side of a bullet, height of its middle above the baseline, and space between it and the text; then the free space
#: that a bullet needs to its left. All in em (font size of the text).
_BULLET_SIDE, _BULLET_RISE, _BULLET_SPACE, _BULLET_ROOM = (0.12, 0.55), (0.12, 0.55), (0.1, 2.5), 2.0
#: Smallest number of equal bullets below each other on a page; a single shape is an ornament.
_ALIKE: Final = 2
#: Small shapes on a page; more are a drawing.


def add_drawn_bullets(glyphs: Glyphs, marks: NDArray[np.float32]) -> int:
    """Add a bullet to the text, in place, for each shape with the size of a bullet left of a line of text. Return their number.
    marks: float32[n, 4], boxes of small shapes, about as high as wide, on the displayed page."""
    if not 0 < len(marks) <= _MOST:
        return 0
    kinds: dict[tuple[int, ...], list[tuple[int, int]]] = defaultdict(list)
    sizes = glyphs.sizes()
    letters = (glyphs.angle == 0) & (glyphs.unicode > ord(" ")) & ((glyphs.flags & ~GlyphFlag.UNTRUSTED) == 0) & (sizes > 0)
    for mark, (x0, top, x1, bottom) in enumerate(marks.tolist()):
        rise = (glyphs.origin_y - (top + bottom) / 2) / sizes.clip(1)
        row = (letters & (rise > _BULLET_RISE[0]) & (rise < _BULLET_RISE[1])).nonzero()[0]
        after = row[glyphs.origin_x[row] >= x1]
        if not len(after):
            continue
        first = int(after[glyphs.origin_x[after].argmin()])
        em = float(sizes[first])
        space = float(glyphs.origin_x[first]) - x1
        beside = (glyphs.x1[row] > x0 - _BULLET_ROOM * em) & (glyphs.origin_x[row] < x1)
        if (
            _BULLET_SIDE[0] * em < x1 - x0 < _BULLET_SIDE[1] * em
            and _BULLET_SPACE[0] * em < space < _BULLET_SPACE[1] * em
            and not beside.any()
        ):
            kinds[round(x1 - x0), round(bottom - top), round(x0), round(space)].append((first, mark))
    found = sorted({first: mark for kind in kinds.values() if len(kind) >= _ALIKE for first, mark in kind}.items())
    if found:
        firsts, (x0, _, x1, _) = np.array([first for first, _ in found]), marks[[mark for _, mark in found]].T
        glyphs.insert_copies(firsts, firsts, unicode=ord("•"), flags=0, x0=x0, x1=x1, origin_x=x0)
    return len(found)
