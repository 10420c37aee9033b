"""Decide whether the tags can be trusted by comparing the structure tree's paragraphs, order and headings with the layout of the pages.
Many files have wrong tags: one paragraph per line, one for the whole page, content in drawing order."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Final

import numpy as np

from pdfmill.schemas.records import PageLines, TaggedElement
from pdfmill.schemas.statistics import TagVerdict
from pdfmill.transforms.layout.document.page_analysis import PageView
from pdfmill.transforms.layout.page.patterns import BULLET, ends_sentence, is_unspaced, starts_lower
from pdfmill.transforms.layout.page.text_style import same_look
from pdfmill.transforms.layout.settings.layout_settings import DEFAULTS, LayoutSettings

#: Types whose lines are better joined by the layout of the page: cells, labels of drawings.
FLAT_KINDS: Final = frozenset(["Table", "TR", "TH", "TD", "Figure", "Formula", "Form", "Artifact"])


def lines_of_elements(page: PageLines) -> list[int]:
    """Return, for each line of the page, the index of its element in `page.tags`, -1 for none."""
    of = {content_id: n for n, element in enumerate(page.tags) for content_id in element.content}
    return [of.get(line.mcid, -1) for line in page.lines]


def trusted_elements(view: PageView) -> list[int]:
    """Return for each line the index of its element in `page.tags`; -1 for none, and for elements that contain several blocks."""
    elements = lines_of_elements(view.page)
    near, breaks = view.neighbours, Counter[int]()
    for k, i in enumerate(view.index):
        j = int(near.below[k])
        if j >= 0 and elements[i] == elements[view.index[j]] >= 0:
            breaks[elements[i]] += near.gap_below[k] > view.group_spacing * view.frame.size[k] or bool(BULLET.match(view.texts[j]))
    mixed = {n for n, count in breaks.items() if count >= view.settings.tag_contradictions and view.page.tags[n].kind != "Code"}
    return [-1 if n in mixed else n for n in elements]


def count_agreement(view: PageView) -> Counter[str]:
    """Return counts that speak for or against the page's tags, mostly as pairs of a total and a part of it.
    chars: characters; tagged: of these, in an element. running: line ends within a sentence; cut: of these, at the end of an element.
    gaps: wide gaps between lines of one style; joined: of these, inside an element. steps: changes of element from line to line; back: of
    these, backwards in the structure tree. tables: tagged tables and parts of tables; cells: of these, with right cells."""
    counts: Counter[str] = Counter()
    page, frame, near = view.page, view.frame, view.neighbours
    if not page.tags:
        return counts
    elements = lines_of_elements(page)
    own = [elements[i] for i in frame.index.tolist()]
    counts["chars"] = sum(len(line.text) for line in page.lines)
    counts["tagged"] = sum(len(line.text) for line, element in zip(page.lines, elements, strict=True) if element >= 0)
    counts["tables"] = sum(element.kind[0] == "T" and element.kind in FLAT_KINDS for element in page.tags)
    counts["cells"] = sum(table.shown_by == "tags" for table in view.evident_tables)
    full = np.asarray(frame.end >= near.limit - view.settings.short_line * frame.size).tolist()
    for k, j in enumerate(near.below.tolist()):
        if j < 0 or near.above[j] != k or own[k] < 0 or own[j] < 0:
            continue
        a, b = page.tags[own[k]], page.tags[own[j]]
        if own[k] != own[j]:
            counts["steps"] += 1
            counts["back"] += own[k] > own[j]
        if a.kind in FLAT_KINDS or b.kind in FLAT_KINDS or not same_look(view.looks[k], view.looks[j], view.settings.same_size):
            continue
        if near.gap_below[k] > view.group_spacing * frame.size[k]:
            counts["gaps"] += 1
            counts["joined"] += own[k] == own[j]
        elif full[k] and not ends_sentence(view.texts[k]) and _goes_on(view, j):
            counts["running"] += 1
            counts["cut"] += own[k] != own[j]
    return counts


def _goes_on(view: PageView, j: int) -> bool:
    text = view.texts[j]
    flush = view.frame.start[j] - view.neighbours.margin[j] < view.settings.indent_min * view.frame.size[j]
    return starts_lower(text) or (is_unspaced(text) and bool(flush))


def judge_tags(counts: Mapping[str, int], settings: LayoutSettings = DEFAULTS) -> TagVerdict | None:
    """Return whether the tags can be trusted for blocks, reading order and tables; None if there are none.
    counts: the counts of `count_agreement`, summed over the pages.

    >>> judge_tags({"chars": 900, "tagged": 900, "running": 20, "cut": 19}).reasons
    ('19 of 20 lines that end within a sentence end an element',)
    """
    if not counts.get("chars"):
        return None

    def many(bad: str, of: str, share: float) -> bool:
        return counts.get(bad, 0) >= settings.tag_contradictions and counts[bad] > share * counts[of]

    reasons = []
    if counts.get("tagged", 0) < settings.tagged_share * counts["chars"]:
        reasons.append(f"{counts.get('tagged', 0)} of {counts['chars']} characters are in the structure tree")
    if many("cut", "running", settings.tag_faults):
        reasons.append(f"{counts['cut']} of {counts['running']} lines that end within a sentence end an element")
    if many("joined", "gaps", settings.tag_joins):
        reasons.append(f"{counts['joined']} of {counts['gaps']} wide gaps are inside an element")
    blocks = not reasons
    back = many("back", "steps", settings.tag_faults)
    if back:
        reasons.append(f"{counts['back']} of {counts['steps']} steps down the page go back in the structure tree")
    return TagVerdict(blocks, blocks and not back, counts.get("tables", 0) > 0, tuple(reasons), counts.get("cells", 0) > 0)


def is_heading_element(element: TaggedElement) -> bool:
    """Return whether the element's structure type is H, H1 to H6, or Title."""
    return element.kind == "Title" or (element.kind[:1] == "H" and element.kind[1:] in ("", *"123456"))
