"""Take the levels of headings from the outline and the table of contents, which take precedence over text styles."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from typing import Final

from msgspec import Struct

from pdfmill.schemas.statistics import PageNotes
from pdfmill.transforms.layout.document.heading_levels import DEFAULTS as LEVELS
from pdfmill.transforms.layout.document.headings import Found, OutlineItem
from pdfmill.transforms.layout.page.patterns import title_key

#: Smallest number of headings whose level an outline or a table of contents must state to be followed; fewer may match by chance.
_STATED: Final = 3


class WitnessSettings(Struct, frozen=True):
    """Thresholds for trusting the outline and the table of contents."""

    step: float = 4.0  # points, smallest additional indent of a deeper entry in a table of contents
    column: float = 0.3  # page widths, within which entries of one column begin


DEFAULTS: Final = WitnessSettings()
#: Leader dots and page number at the end of an entry.
_LEADER: Final = re.compile(r"(?:\s*[.·…‧]){2,}\s*\S*$|\s{2,}\S+$")


def apply_witnesses(
    found: Sequence[Found],
    title: Found | None,
    levels: Sequence[int],
    outline: Sequence[OutlineItem],
    notes: Mapping[int, PageNotes],
    settings: WitnessSettings = DEFAULTS,
) -> list[int]:
    """Return the levels stated by the outline; if it states none, those of the table of contents; else the given `levels`.
    found: headings in reading order. title: the document's title among them, or None. notes: facts about each page, by page number."""
    for stated in (read_outline(found, outline), read_contents(found, notes, settings)):
        said = {n: level for n, level in stated.items() if found[n] is not title}
        if len(said) >= _STATED and len(set(said.values())) > 1:
            return follow(found, title, levels, said)
    return list(levels)


def read_outline(found: Sequence[Found], outline: Sequence[OutlineItem]) -> dict[int, int]:
    """Return the level that the outline (bookmarks) states, by index in `found`. Titles must match, with the page or as the only such
    title."""
    by_page = {(page, title_key(text)): level for text, level, page in outline if page is not None}
    often = Counter(title_key(text) for text, _, _ in outline)
    once = {title_key(text): level for text, level, _ in outline if often[title_key(text)] == 1}
    heads = Counter(title_key(f.text) for f in found)
    stated = {}
    for n, f in enumerate(found):
        key = title_key(f.text)
        level = by_page.get((f.page, key)) or (once.get(key) if heads[key] == 1 else None)
        if key and level is not None:
            stated[n] = level
    return stated


def read_contents(found: Sequence[Found], notes: Mapping[int, PageNotes], settings: WitnessSettings = DEFAULTS) -> dict[int, int]:
    """Return the level of each heading by the indent of its entry in the table of contents, from 1, by index in `found`.
    Headings with ambiguous entries are left out. The result is {} if most headings are numbered.
    notes: facts about each page, by page number."""
    indents: dict[str, set[float]] = defaultdict(set)
    for note in notes.values():
        left = min((entry.x0 for entry in note.contents), default=0.0)
        in_columns = any(entry.x0 - left > settings.column * note.width for entry in note.contents)
        for entry in () if in_columns else note.contents:
            indents[title_key(_LEADER.sub("", entry.text))].add(entry.x0 - left)
    steps: list[float] = []
    for x in sorted({min(each) for each in indents.values()}):
        if not steps or x - steps[-1] >= settings.step:
            steps.append(x)
    if 2 * sum(f.depth > 0 for f in found) > len(found):
        return {}
    heads = Counter(title_key(f.text) for f in found)
    return {
        n: sum(step <= min(indents[key]) for step in steps)
        for n, f in enumerate(found)
        if (key := title_key(f.text)) and heads[key] == 1 and len(indents.get(key, ())) == 1
    }


def follow(found: Sequence[Found], title: Found | None, levels: Sequence[int], given: Mapping[int, int]) -> list[int]:
    """Return new levels of the headings in `found`, by the levels that the outline or the table of contents states for some of them.
    A heading without a stated level gets the one that is stated most often for headings of its old level; if none is, it keeps its distance
    to the nearest higher level.
    title: the document's title, always of level 1, or None. levels: the old levels. given: stated levels by index in `found`, at least
    one; the highest of them becomes 1, or 2 if there is a title."""
    top = min(given.values())
    shift = (2 if title is not None else 1) - top
    usual: dict[int, Counter[int]] = defaultdict(Counter)
    for n, level in given.items():
        usual[levels[n]][level + shift] += 1
    known = {own: min(counts, key=lambda level: (-counts[level], level)) for own, counts in usual.items()}

    def of_own(own: int) -> int:
        above = max((other for other in known if other <= own), default=None)
        below = min((other for other in known if other > own), default=None)
        if above is None:
            assert below is not None
            return known[below] + own - below
        deeper = known[above] + own - above
        return deeper if below is None else min(deeper, max(known[above], known[below] - 1))

    base = top + shift
    return [
        1 if f is title else min(LEVELS.most, max(base, given[n] + shift if n in given else of_own(levels[n]))) for n, f in enumerate(found)
    ]
