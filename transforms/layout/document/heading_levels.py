"""At which level does each heading stand? Decided once over the sequence of all headings of a document.

Evidence, strongest first: the depth of numbers, and kinds of numbers that begin anew under others (I., then A., then 1.); size, weight,
capitals and light type on dark ground; place in the sequence: what stands before the first number or after the last one stands beside the
numbered chapters. What the outline or the table of contents says of a heading outweighs them (`heading_witnesses`).
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Final

from msgspec import Struct

from pdfmill.schemas.statistics import Look
from pdfmill.transforms.layout.document.headings import Found, same_text
from pdfmill.transforms.layout.page.patterns import is_abstract, number_kinds


class LevelSettings(Struct, frozen=True, kw_only=True, repr_omit_defaults=True):
    """What makes headings equals."""

    most: int = 6  # levels that Markdown and HTML have
    same_size: float = 0.04  # share of the size by which types of one rank differ at most
    acronym: int = 6  # letters of a heading that is in capitals because it is an acronym: JSON, HTTP
    light: int = 0xC0  # least part of red, green and blue of type that needs a dark ground
    slide_title: float = 1.15  # x size of a slide's first heading; a later one so much larger is its title
    slide_same: float = 0.95  # x size of a slide's title; what is so large goes with it
    centre: float = 1.0  # em between the middles of a heading and of its page, at most, where it is centred
    inset: float = 2.0  # em from the margin, at least, where it is centred
    flush: float = 0.5  # em from the margin, at most, where it is flush
    short: float = 4.0  # em to the column's other limit, at least, where a heading is clearly flush and not centred
    flush_heads: int = 2  # headings of a look that are flush, from which centred ones stand above them
    centred_heads: int = 2  # and of these at least, or one that comes first


DEFAULTS: Final = LevelSettings()
_PREFIXED: Final = re.compile(r"^(?P<letter>[A-Z])(?P<number>\d{1,3}(?:\.\d{1,3}){0,5})[.:]?(?=\s|$)")


def decide_levels(
    found: Sequence[Found], title: Found | None, widths: Mapping[int, float] | None = None, settings: LevelSettings = DEFAULTS
) -> list[int]:
    """A level for each heading: looks ranked by size, weight, capitals; refined by the depth of numbering. widths: of the pages, points."""
    base = 1 if title is None else 2
    spell_acronyms(found, settings)
    count_prefixed(found)
    nest_numbers(found)
    others = [f for f in found if f is not title]
    usual = _modal_depths(others)
    levels = _levels_of_looks(others, usual, base, settings)
    again = next((after for f, after in pairwise(found) if f is title and same_text(f.text, after.text)), None)
    numbering = _Numbering(found, title, levels, usual, settings)
    result = [1 if f is title or f is again else min(settings.most, numbering.level(n, base)) for n, f in enumerate(found)]
    _sink_flush(found, title, result, widths or {}, settings)
    _raise_abstracts(found, result, base)
    return without_jumps(result)


def _levels_of_looks(found: Sequence[Found], depth_of: Mapping[Look, int], base: int, settings: LevelSettings) -> dict[Look, int]:
    """A level for each look, by its rank and by the usual depth of its numbers."""
    levels: dict[Look, int] = {}
    level = base - 1
    for group in _merge_rare(_rank_looks(found, settings), Counter(f.key for f in found), settings.most - base + 1):
        depths = [depth_of[key] for key in group if depth_of.get(key)]
        level = max(level + 1, base) if not depths else max(base - 1 + min(depths), level + 1 if level < base else level)
        levels |= dict.fromkeys(group, level)
    return levels


def _merge_rare(groups: list[list[Look]], uses: Mapping[Look, int], room: int) -> list[list[Look]]:
    """No more groups than there are levels: the rarest joins the one beside it that is nearer in size, and so on."""
    groups = [list(group) for group in groups]
    while len(groups) > max(1, room):
        rarest = min(range(len(groups)), key=lambda n: (sum(uses[key] for key in groups[n]), n))
        beside = [n for n in (rarest - 1, rarest + 1) if 0 <= n < len(groups)]
        nearer = min(beside, key=lambda n: abs(groups[n][0].size - groups[rarest][0].size))
        first, second = sorted((rarest, nearer))
        groups[first : second + 1] = [groups[first] + groups[second]]
    return groups


class _Numbering:
    """What the numbers of a sequence of headings say about all of them."""

    def __init__(
        self,
        found: Sequence[Found],
        title: Found | None,
        levels: Mapping[Look, int],
        usual: Mapping[Look, int],
        settings: LevelSettings,
    ) -> None:
        """usual: see `_modal_depths`."""
        self.found, self.levels, self.settings = found, levels, settings
        others = [f for f in found if f is not title]
        self.first = _level_of_depth_one(others, levels, usual)
        #: Size of the largest look whose numbers say where depth 1 stands.
        self.size = max(
            (key.size for key, depth in usual.items() if self.first is not None and levels[key] - depth + 1 == self.first), default=0.0
        )
        self.depths: dict[Look, set[int]] = defaultdict(set)
        for f in others:
            if f.depth:
                self.depths[f.key].add(f.depth)
        numbered = [n for n, f in enumerate(found) if f is not title and f.depth]
        chapters = [n for n in numbered if found[n].depth == 1]
        self.begin = chapters[0] if chapters else 0
        self.end = numbered[-1] if chapters else len(found)
        self.chapter_looks = {found[n].key for n in chapters}

    def level(self, n: int, base: int) -> int:
        """Of one heading. A number in much larger type than the numbers that tell levels is another count: "PART I" over "1. Rain".

        One without number, in the look of numbered ones, is beside the chapters where it stands before or after all of them; else on their
        level where that is one, and below them where they have several."""
        f, first = self.found[n], self.first
        depths = self.depths.get(f.key)
        if first is None or not (f.depth or depths):
            return self.levels[f.key]
        if f.depth:
            level = max(base, first + f.depth - 1)
            return min(level, self.levels[f.key]) if (1 - self.settings.same_size) * f.key.size > self.size else level
        assert depths
        if not self.begin <= n <= self.end and any(_is_as_large(f.key, look, self.settings) for look in self.chapter_looks):
            return max(base, first)
        return max(base, first + max(depths) - (len(depths) == 1))


def _is_as_large(look: Look, chapter: Look, settings: LevelSettings) -> bool:
    return look.size >= (1 - settings.same_size) * chapter.size and look.bold == chapter.bold


def _raise_abstracts(found: Sequence[Found], levels: list[int], base: int) -> None:
    """An abstract stands beside the first sections after it, whatever its type. In place."""
    for n, f in enumerate(found):
        if is_abstract(f.text) and levels[n] >= base:
            levels[n] = min(levels[n + 1 :], default=levels[n])


def _sink_flush(
    found: Sequence[Found], title: Found | None, levels: list[int], widths: Mapping[int, float], settings: LevelSettings
) -> None:
    """Centred headings stand above flush ones of their look: these, and all that is below them, go a level down. In place."""
    in_the_middle = [_is_centred(f, widths.get(f.page), settings) for f in found]
    centred, flush = defaultdict[Look, list[int]](list), defaultdict[Look, list[int]](list)
    for n, f in enumerate(found):
        if f is title or is_abstract(f.text):
            continue
        if not f.depth and in_the_middle[n]:
            centred[f.key].append(n)
        if _is_flush(f, settings):
            flush[f.key].append(n)
    parted = {
        key
        for key, places in flush.items()
        if len(places) >= settings.flush_heads
        and 0 < len(centred[key]) < len(places)
        and (len(centred[key]) >= settings.centred_heads or centred[key][0] < places[0])
    }
    top = min((levels[n] for n, f in enumerate(found) if f.key in parted and f is not title and in_the_middle[n]), default=None)
    if top is None:
        return
    for n, f in enumerate(found):
        below = levels[n] > top or (levels[n] == top and f.key in parted and not in_the_middle[n])
        if f is not title and below:
            levels[n] = min(settings.most, levels[n] + 1)


def _is_centred(f: Found, width: float | None, settings: LevelSettings) -> bool:
    c, em = f.candidate, f.candidate.look.size
    if width is None or c.x0 - c.margin < settings.inset * em:
        return False
    return abs(c.x0 + c.x1 - width) / 2 <= settings.centre * em


def _is_flush(f: Found, settings: LevelSettings) -> bool:
    c, em = f.candidate, f.candidate.look.size
    return c.x0 - c.margin <= settings.flush * em and c.edge - c.x1 >= settings.short * em


def count_prefixed(found: Sequence[Found]) -> None:
    """Numbers behind a letter count as others do where several headings have the letter: "V1 Design", "V1.1 Layers". In place."""
    matches = {id(f): match for f in found if not f.depth and (match := _PREFIXED.match(f.text))}
    letters = Counter(match["letter"] for match in matches.values())
    for f in found:
        match = matches.get(id(f))
        if match and letters[match["letter"]] > 1:
            f.depth = match["number"].count(".") + 1


def spell_acronyms(found: Sequence[Found], settings: LevelSettings = DEFAULTS) -> None:
    """One word of capitals says nothing about a look: "JSON" among "Templates" looks like these. In place."""
    keys = {f.key for f in found}
    for f in found:
        twin = f.key._replace(caps=0)
        words = f.text.split()
        uncased = any(c.isalpha() and not (c.isupper() or c.islower()) for c in f.text)
        if f.key.caps == 1 and twin in keys and (uncased or (len(words) == 1 and len(f.text) <= settings.acronym)):
            f.key = twin


def in_reading_order(found: Sequence[Found], gutters: Sequence[tuple[float, float]]) -> list[Found]:
    """Column by column; a heading over several columns parts what is above it from what is below."""
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
    """Give headings with a single number the depth at which their kind of number stands in the sequence: I., then A., then 1. under it.

    A kind stands below another when it begins anew under it, or begins in another look; "Appendix A" after chapter 9 does neither.
    """
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
    """Titles of slides are equals, whatever their type: the first heading of each page, or a much larger one; smaller ones stand below."""
    titles: dict[int, Found] = {}
    for f in found:
        known = titles.setdefault(f.page, f)
        if f.candidate.look.size >= settings.slide_title * known.candidate.look.size:
            titles[f.page] = f
    return [1 if f.candidate.look.size >= settings.slide_same * titles[f.page].candidate.look.size else 2 for f in found]


def without_jumps(levels: Sequence[int]) -> list[int]:
    """The levels without those that no heading has: one that is left out on the way down means nothing."""
    used = sorted(set(levels))
    return [used[0] + used.index(level) for level in levels]


def tagged_levels(found: Sequence[Found], settings: LevelSettings = DEFAULTS) -> list[int]:
    """The levels that the tags say; a title that is not tagged stands above them."""
    base = int(any(not f.candidate.level for f in found))
    return [min(settings.most, f.candidate.level + base) if f.candidate.level else 1 for f in found]


def _rank_looks(found: Sequence[Found], settings: LevelSettings) -> list[list[Look]]:
    """Looks from the most prominent down; those of one size and weight share a rank."""
    keys = {f.key for f in found}
    order = sorted(keys, key=lambda look: _rank_key(look, settings))
    groups: list[list[Look]] = []
    for key in order:
        if groups and _same_rank(groups[-1][0], key, settings):
            groups[-1].append(key)
        else:
            groups.append([key])
    return groups


def _is_reversed(look: Look, settings: LevelSettings) -> bool:
    """Light type: it stands on a dark bar or box."""
    return all(look.color >> shift & 0xFF >= settings.light for shift in (0, 8, 16))


def _rank_key(look: Look, settings: LevelSettings) -> tuple[float, bool, bool, bool, int, bool, str, int]:
    return (
        -round(look.size, 1),
        not _is_reversed(look, settings),
        not look.bold,
        not look.caps,
        look.caps,
        look.italic,
        look.family,
        look.color,
    )


def _same_rank(a: Look, b: Look, settings: LevelSettings) -> bool:
    alike = abs(a.size - b.size) <= settings.same_size * a.size and _is_reversed(a, settings) == _is_reversed(b, settings)
    return alike and a.bold == b.bold and a.caps == b.caps and a.italic == b.italic


def _modal_depths(found: Sequence[Found]) -> dict[Look, int]:
    """The usual numbering depth of each look; only looks most of whose headings are numbered."""
    depths: dict[Look, Counter[int]] = defaultdict(Counter)
    for f in found:
        depths[f.key][f.depth] += 1
    return {key: best for key, count in depths.items() if (best := count.most_common(1)[0][0]) and 2 * count[0] <= count.total()}


def _level_of_depth_one(found: Sequence[Found], levels: Mapping[Look, int], depth_of: Mapping[Look, int]) -> int | None:
    """The level that "1 Title" has, so that "1.1 Title" is one deeper."""
    votes = Counter(levels[f.key] - f.depth + 1 for f in found if f.depth and depth_of.get(f.key) == f.depth)
    return max(1, votes.most_common(1)[0][0]) if votes else None
