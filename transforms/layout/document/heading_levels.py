"""Decide the levels of headings by comparing their kinds; a kind is a text style with a depth of numbering.
Logistic regressions, trained by `benchmarks/judgement/train_levels.py`, judge whether one kind is above another.
The outline and the table of contents take precedence (`heading_witnesses`)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from math import log
from typing import Final, NamedTuple

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from pdfmill.schemas.statistics import Look
from pdfmill.transforms.layout.document.headings import Found, same_text
from pdfmill.transforms.layout.document.weights import Weights, read_weights
from pdfmill.transforms.layout.page.patterns import number_kinds

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


class LevelSettings(Struct, frozen=True, kw_only=True, repr_omit_defaults=True):
    """Thresholds of the evidence for levels of headings. The weights of the evidence are trained."""

    most: int = 6  # levels that Markdown and HTML have
    same_size: float = 0.04  # logarithm of the ratio of two sizes that count as equal
    light: int = 0xC0  # smallest of red, green and blue from which type needs a dark background
    gap: float = 4.0  # em of the body; wider space above counts as this
    slide_title: float = 1.15  # ratio to the size of a slide's first heading, from which a later heading is the slide's title


DEFAULTS: Final = LevelSettings()
#: Weights of the evidence that one kind is above another, and that two kinds are equal.
ABOVE: Weights = read_weights()["level_above"]
EQUAL: Weights = read_weights()["level_equal"]
#: Points; sizes within this step are one kind.
_STEP: Final = 0.5
#: Rounds of the local search for levels; it ends after two or three.
_ROUNDS: Final = 20
#: Decimals to which sums are rounded, because they differ slightly between machines.
_DIGITS: Final = 6


class Kinds(NamedTuple):
    """The k kinds of a document's n headings. of: the kind of each heading. above, equal: float64[k, k, measures], by which the first kind
    of a pair may be above the second, or on the same level."""

    of: Ints  # int64[n], the kind of each heading, numbered by first occurrence
    above: Floats  # float64[k, k, evidence], evidence that the first kind of a pair is above the second, in the order of the weights
    equal: Floats  # float64[k, k, evidence], evidence that the two are equal


def decide_levels(found: Sequence[Found], title: Found | None, body: Look, settings: LevelSettings = DEFAULTS) -> list[int]:
    """Return the level of each heading, from 1 without gaps. found: headings in reading order. title: the document's title among them."""
    if not found:
        return []
    kinds = compare_kinds(found, title, body, settings)
    levels = levels_of(kinds, kinds.above @ list(ABOVE.weights.values()), kinds.equal @ list(EQUAL.weights.values()), settings).tolist()
    return without_jumps([1 if f is title else level for f, level in zip(found, levels, strict=True)])


def levels_of(kinds: Kinds, above: Floats, equal: Floats, settings: LevelSettings = DEFAULTS) -> Ints:
    """Return int64[n], the level of each heading, from 1.
    above, equal: float64[k, k], log odds that kind i is on a higher level than kind j, or on the same."""
    one = 1 / (1 + np.exp(-equal))
    return agree((1 - one) / (1 + np.exp(-above)), one, np.bincount(kinds.of), settings.most)[kinds.of]


def agree(above: Floats, equal: Floats, uses: Ints, most: int) -> Ints:
    """Return int64[k], the level, from 1, of each kind of headings, so that few pairs of headings are contradicted (local search).
    above, equal: float64[k, k], probabilities that kind i is above kind j, or on the same level.
    uses: int64[k], number of headings of each kind. most: number of levels."""
    weight = np.outer(uses, uses) * (1.0 - np.eye(len(uses)))
    up, same = (weight * above).round(_DIGITS), (weight * equal).round(_DIGITS)
    order = np.argsort(-((up + same / 2).sum(1) / uses).round(_DIGITS), kind="stable")
    levels = np.zeros(len(uses), np.int64)
    levels[order] = np.arange(len(uses)) * most // len(uses)
    for _ in range(_ROUNDS):
        before = levels.copy()
        for kind in order.tolist():
            below, beside, above_it = (np.bincount(levels, weights, most) for weights in (up[kind], same[kind], up[:, kind]))
            gains = (below[::-1].cumsum()[::-1] - below + beside + above_it.cumsum() - above_it).round(_DIGITS)
            if gains.max() > gains[levels[kind]]:
                levels[kind] = gains.argmax()
        if np.array_equal(levels, before):
            break
    return levels + 1


def compare_kinds(found: Sequence[Found], title: Found | None, body: Look, settings: LevelSettings = DEFAULTS) -> Kinds:
    """Return the measures that show for each pair of kinds of headings whether one is above the other. title: the document's title."""
    nest_numbers(found)
    again = [before is title is not None and same_text(title.text, f.text) for before, f in zip([None, *found], found, strict=False)]
    keys = [(_style(f.key), f.depth, f is title or same) for f, same in zip(found, again, strict=True)]
    names = list(dict.fromkeys(keys))
    of = np.array([names.index(key) for key in keys], np.int64)
    firsts = [found[keys.index(name)] for name in names]
    gaps = [min(f.candidate.gap_above / (body.size or 1.0), settings.gap) if f.candidate.gap_above >= 0 else settings.gap for f in found]
    return Kinds(of, *_evidence(firsts, np.bincount(of, gaps) / np.bincount(of), settings))


def _style(look: Look) -> tuple[int, bool, int, bool, int]:
    return round(look.size / _STEP), look.bold, look.caps, look.italic, look.color


def _apart(values: Sequence[float] | Floats | Ints) -> Floats:
    """Return float64[k, k], the differences of all pairs of values: first minus second."""
    each = np.asarray(values, np.float64)
    return each[:, None] - each[None]


def _evidence(firsts: Sequence[Found], gap: Floats, settings: LevelSettings) -> tuple[Floats, Floats]:
    """Return float64[k, k, measures] twice: the measures by which the first kind may be above the second, or equal to it."""
    looks, depth = [f.key for f in firsts], np.array([f.depth for f in firsts])
    size, steps = _apart([log(max(look.size, 1.0)) for look in looks]), _apart(depth)
    style = np.array([[a[1:4] == b[1:4] for b in map(_style, looks)] for a in map(_style, looks)])
    light = [all(look.color >> shift & 0xFF >= settings.light for shift in (0, 8, 16)) for look in looks]
    larger = np.where(np.abs(size) < settings.same_size, 0.0, np.sign(size))
    both, none = np.outer(depth > 0, depth > 0), np.outer(depth == 0, depth == 0)
    above = {
        "larger": larger,
        "shallower": -np.sign(steps) * both,
        "caps_one_size": _apart([look.caps == 1 for look in looks]) * (larger == 0),
        "earlier": -np.sign(_apart(range(len(looks)))),
        "gap_above": _apart(gap),
    }
    equal = {
        "always": np.ones_like(size),
        "bold": np.abs(_apart([look.bold for look in looks])),
        "small_caps": np.abs(_apart([look.caps == 2 for look in looks])),
        "italic": np.abs(_apart([look.italic for look in looks])),
        "light": np.abs(_apart(light)),
        "gap_above": np.abs(_apart(gap)),
        "one_size": larger == 0,
        "one_depth": both & (steps == 0),
        "other_depth": both & (steps != 0),
        "half_one_look": ~both & ~none & (larger == 0) & style,
    }
    return np.stack([above[name] for name in ABOVE.weights], 2), np.stack([equal[name] for name in EQUAL.weights], 2)


def in_reading_order(found: Sequence[Found], gutters: Sequence[tuple[float, float]]) -> list[Found]:
    """Sort headings page by page and column by column. A heading across a gutter separates those above it from those below it.
    gutters: (left, right), points."""
    bands: list[tuple[int, list[Found]]] = []
    for f in sorted(found, key=lambda f: (f.page, f.candidate.top)):
        crosses = any(f.candidate.x0 < left and right < f.candidate.x1 for left, right in gutters)
        if crosses or not bands or bands[-1][0] != f.page:
            bands.append((f.page, []))
        bands[-1][1].append(f)
        if crosses:
            bands.append((f.page, []))
    return [f for _, band in bands for f in sorted(band, key=lambda f: sum(f.candidate.x0 >= left for left, _ in gutters))]


def nest_numbers(found: Sequence[Found]) -> None:
    """Set the depth (1: top level) of headings with a single number by the kinds of numbers above them (I., then A., then 1.), in place.
    A new kind of number is one level deeper if it begins several times, or if its text style is new."""
    singles = [(f, kinds) for f in found if f.depth == 1 and (kinds := number_kinds(f.text))]
    begun = Counter(kind for _, kinds in singles for kind, value in kinds.items() if value == 1)
    above: list[tuple[str, int, Look]] = []
    for f, kinds in singles:
        places = {kind: n for n, (kind, _, _) in enumerate(above)}
        going_on = [kind for kind, value in kinds.items() if kind in places and value == above[places[kind]][1] + 1]
        known = going_on or [kind for kind in kinds if kind in places and kinds[kind] > 1]
        if known:
            place = max(places[kind] for kind in known)
        else:
            kind = min(kinds, key=kinds.__getitem__)
            fresh = kinds[kind] == 1 and (begun[kind] > 1 or all(f.key != look for _, _, look in above))
            place = places.get(kind, len(above) if fresh else max(0, len(above) - 1))
        kind = next((kind for kind in kinds if places.get(kind) == place), min(kinds, key=kinds.__getitem__))
        above[place:] = [(kind, kinds[kind], f.key)]
        f.depth = place + 1


def slide_levels(found: Sequence[Found], settings: LevelSettings = DEFAULTS) -> list[int]:
    """Return the levels of headings on slides: 1 for the title of each slide, whatever its size, and 2 for smaller headings."""
    titles: dict[int, Found] = {}
    for f in found:
        known = titles.setdefault(f.page, f)
        if f.candidate.look.size >= settings.slide_title * known.candidate.look.size:
            titles[f.page] = f
    return [1 if f.candidate.look.size >= (1 - settings.same_size) * titles[f.page].candidate.look.size else 2 for f in found]


def without_jumps(levels: Sequence[int]) -> list[int]:
    """Return the levels renumbered from 1, without gaps."""
    used = sorted(set(levels))
    return [used.index(level) + 1 for level in levels]


def tagged_levels(found: Sequence[Found], settings: LevelSettings = DEFAULTS) -> list[int]:
    """Return the levels that tags state. A title without a tag is above all other headings."""
    base = int(any(not f.candidate.level for f in found))
    return [min(settings.most, f.candidate.level + base) if f.candidate.level else 1 for f in found]
