"""Reading order by article threads (ISO 32000-2 §12.4.3): chains of rectangles around text, called beads."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np
from msgspec.structs import replace

from pdfmill.transforms.layout.document.page_analysis import PageView
from pdfmill.transforms.layout.page.columns import Gutter, read_columns
from pdfmill.transforms.layout.page.line_frame import Floats, Frame, Ints
from pdfmill.transforms.layout.page.side_by_side import SideBySide
from pdfmill.transforms.layout.settings.layout_settings import DEFAULTS, LayoutSettings


def bead_of_lines(frame: Frame, beads: Floats) -> tuple[Ints, Ints]:
    """Return the index of each line's bead, -1 for none, and the number of beads that contain the middle of the line.
    beads: float64[n, 4], x0, top, x1, bottom, in the coordinates of `frame`."""
    x, y = (frame.start + frame.end) / 2, (frame.top + frame.bottom) / 2
    inside = (beads[:, 0] <= x[:, None]) & (x[:, None] <= beads[:, 2]) & (beads[:, 1] <= y[:, None]) & (y[:, None] <= beads[:, 3])
    count = inside.sum(axis=1)
    width = np.minimum(frame.end[:, None], beads[:, 2]) - np.maximum(frame.start[:, None], beads[:, 0])
    return np.where(count > 0, np.where(inside, width, -1.0).argmax(axis=1), -1), count


def has_articles(frame: Frame, beads: int, settings: LayoutSettings = DEFAULTS) -> bool:
    """Return whether the page has beads (boxes of article threads), and few enough to compare them with all lines."""
    return 0 < len(frame) * beads <= settings.bead_pairs


def count_beads(view: PageView) -> Counter[str]:
    """Return the characters on the page in beads (`bead_chars`), and those in lines that cross a border of a bead (`bead_astray`)."""
    counts: Counter[str] = Counter()
    page, frame = view.page, view.frame
    if not has_articles(frame, len(page.beads), view.settings):
        return counts
    beads = frame.map_boxes(page.beads, page)
    owner, several = bead_of_lines(frame, beads)
    box = beads[np.maximum(owner, 0)]
    within = np.minimum(frame.end, box[:, 2]) - np.maximum(frame.start, box[:, 0])
    astray = (several > 1) | (within < view.settings.bead_share * (frame.end - frame.start))
    for k in np.flatnonzero(owner >= 0).tolist():
        counts["bead_chars"] += len(view.texts[k])
        counts["bead_astray"] += len(view.texts[k]) * bool(astray[k])
    return counts


def judge_beads(counts: Mapping[str, int], settings: LayoutSettings = DEFAULTS) -> str | None:
    """Return why the beads (boxes of article threads) of a document cannot be used, "" if they can, None if they contain no text.

    >>> judge_beads({"bead_chars": 100, "bead_astray": 60})
    '60 of 100 characters in beads are in lines that extend beyond their bead'
    """
    chars, astray = counts.get("bead_chars", 0), counts.get("bead_astray", 0)
    if not chars:
        return None
    return (
        f"{astray} of {chars} characters in beads are in lines that extend beyond their bead"
        if astray > settings.bead_astray * chars
        else ""
    )


def read_articles(
    frame: Frame,
    chars: Ints,
    lines: Ints,
    gutters: Sequence[Gutter],
    beads: Floats,
    settings: LayoutSettings = DEFAULTS,
    beside: SideBySide | None = None,
) -> list[list[int]]:
    """Return the lines in reading order, as one list for each column of text. The lines of a bead stay together, in the order of the
    thread.
    beads: float64[n, 4], boxes of article threads in `frame`. The other parameters are those of `read_columns`."""
    owner, _ = bead_of_lines(frame, beads)
    members = {n: lines[owner[lines] == n] for n in sorted(set(owner[lines].tolist()) - {-1})}
    start, end, top, bottom, baseline = (values.copy() for values in (frame.start, frame.end, frame.top, frame.bottom, frame.baseline))
    first: dict[int, int] = {}
    for n, own in members.items():
        k = int(own[0])
        first[k] = n
        start[k], end[k], top[k], bottom[k] = frame.start[own].min(), frame.end[own].max(), frame.top[own].min(), frame.bottom[own].max()
        baseline[k] = frame.baseline[own].min()
    kept = np.array([k for k in lines.tolist() if owner[k] < 0 or k in first], np.int64)
    parts, _ = read_columns(
        replace(frame, start=start, end=end, top=top, bottom=bottom, baseline=baseline), chars, kept, gutters, settings, beside
    )
    thread = iter(members.values())
    result: list[list[int]] = []
    for part in parts:
        outside: list[int] = []
        for k in part:
            if k not in first:
                outside.append(k)
                continue
            result += [outside] if outside else []
            outside = []
            result += read_columns(frame, chars, next(thread), gutters, settings, beside)[0]
        result += [outside] if outside else []
    return result
