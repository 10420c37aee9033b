"""Measure one page for the statistics of its document. Statistics of pages are merged as sums or as unions of bounded size."""

from __future__ import annotations

import re
import zlib
from collections import Counter
from typing import Final

import numpy as np

from pdfmill.schemas.records import FontStyle, PageLines
from pdfmill.schemas.statistics import (
    COMPOUNDS,
    SAMPLE_PAGE_CHARS,
    Candidate,
    ContentsEntry,
    DocumentStatistics,
    EdgeLine,
    Look,
    LookCount,
    PageNotes,
    SideLine,
    median,
    page_hash,
)
from pdfmill.transforms.layout.document.articles import count_beads
from pdfmill.transforms.layout.document.bylines import lower_words
from pdfmill.transforms.layout.document.page_analysis import PageView, view_of
from pdfmill.transforms.layout.document.tagged import count_agreement, is_heading_element, lines_of_elements
from pdfmill.transforms.layout.page.columns import find_gutters
from pdfmill.transforms.layout.page.line_frame import Floats, Frame
from pdfmill.transforms.layout.page.patterns import (
    BULLET,
    CAPTION,
    CHAPTER_ONLY,
    ENDS_STOP,
    LABEL,
    ending_number,
    ends_in_page_number,
    ends_sentence,
    is_contents_line,
    is_ideographic,
    is_unspaced,
    numbering_depth,
)
from pdfmill.transforms.layout.page.text_style import is_monospaced, same_look, span_lengths
from pdfmill.transforms.layout.settings.layout_settings import DEFAULTS, LayoutSettings
from pdfmill.transforms.layout.tables.model import Table, note_lowest

_COMPOUND: Final = re.compile(r"\b\w{2,}(?:-\w{2,})+\b")
_PAGE_COMPOUNDS: Final = 16  # hyphenated words kept of a page
_COMPOUND_CHARS: Final = 40  # most characters of a hyphenated word; longer ones are addresses and rows of a table
_SAMPLE_CHARS: Final = 20  # characters of a line from which it is running text, used to detect the language
#: Punctuation that ends a heading within its line.
_SENTENCE_ENDS: Final = (".", "?", "!")


def measure_page(page: PageLines | PageView, settings: LayoutSettings = DEFAULTS) -> DocumentStatistics:
    """Return the statistics of one page. A page that could not be read counts as one without lines."""
    view = view_of(page, settings)
    page, settings = view.page, view.settings
    tables = view.evident_tables
    statistics = DocumentStatistics(pages=1)
    groups = find_groups(view)
    _count_looks(view, groups, statistics)
    gutters = find_gutters(view.frame, view.chars, settings)
    statistics.gutters.update((round(left), round(right), round(size)) for left, right, size in gutters)
    statistics.notes[page.page] = _note_page(view, groups, tables)
    statistics.stated = count_agreement(view) + count_beads(view)
    if statistics.chars:
        statistics.sample = ((page_hash(page.page), page.page, _sample_text(page)),)
        statistics.compounds = _compounds(page)
    return statistics


def find_groups(view: PageView) -> list[list[int]]:
    """Return groups of adjacent lines in one text style, from top to bottom, as positions in `view.frame`. Every line is in one group."""
    near = view.neighbours.lists
    following: dict[int, int] = {}
    led: set[int] = set()
    for i, j in enumerate(near.below):
        if j >= 0 and near.above[j] == i and _one_group(view, i, j, near.gap_below[i]):
            following[i] = j
            led.add(j)
    groups = []
    for i in range(len(view.frame)):
        if i in led:
            continue
        group = [i]
        while group[-1] in following:
            group.append(following[group[-1]])
        groups.append(group)
    return groups


def _one_group(view: PageView, i: int, j: int, gap: float) -> bool:
    a, b = view.looks[i], view.looks[j]
    if gap > view.group_spacing * max(a.size, b.size):
        return False
    one, two = view.texts[i], view.texts[j]
    if one == two:
        return False  # a title repeated under itself
    if view.ruled and (view.index[i] in view.ruled) != (view.index[j] in view.ruled):
        return False  # a table begins
    if min(len(one), len(two)) <= view.settings.stray_chars and not (_has_sign(one) and _has_sign(two)):
        return False  # a stray mark
    if _one_title(view, i, j, gap):
        return True
    alike = same_look(a, b, view.settings.same_size) and (a.family == b.family or view.share_font(i, j))
    if not alike and not (
        view.share_font(i, j)
        and (a.bold, a.caps, a.italic) == (b.bold, b.caps, b.italic)
        and abs(a.size - b.size) <= (view.settings.small_caps if a.caps else view.settings.same_size) * a.size
    ):
        return False
    if BULLET.match(view.texts[j]) or numbering_depth(view.texts[j]) > 1:
        return False
    large = a.size >= view.settings.large_size * view.main_size and gap <= view.settings.tight_gap * a.size
    return not a.bold or large or _one_place(view, i, j)


def _has_sign(text: str) -> bool:
    return any(map(str.isalnum, text))


def _one_title(view: PageView, i: int, j: int, gap: float) -> bool:
    """Return whether two near lines in large type of one size are one title, even if some words are italic or bold. gap: of their
    baselines, points."""
    a, b, settings = view.looks[i], view.looks[j], view.settings
    large = min(a.size, b.size) >= settings.large_size * view.main_size and abs(a.size - b.size) <= settings.same_size * a.size
    return (
        large
        and gap <= settings.tight_gap * a.size
        and a.caps == b.caps
        and not numbering_depth(view.texts[j])
        and not BULLET.match(view.texts[j])
    )


def _one_place(view: PageView, i: int, j: int) -> bool:
    """Return whether two bold lines may be one heading, because they begin at one position, both are indented (the first may be wide
    instead) and centred or flush right, or the first begins with a number or ends with a hyphen."""
    at, near, em = view.frame.lists, view.neighbours.lists, view.looks[i].size
    start, end, margin, limit = at.start, at.end, near.margin, near.limit
    if abs(start[i] - start[j]) <= em or numbering_depth(view.texts[i]) > 0:
        return True
    if view.texts[i].endswith(("-", "\u2010", "\u00ad")):
        return True
    wide = end[i] - start[i] > view.settings.wide_line * (limit[i] - margin[i])
    inside = (start[i] > margin[i] + em or wide) and start[j] > margin[j] + em
    return inside and min(abs(end[i] - end[j]), abs(start[i] + end[i] - start[j] - end[j]) / 2) <= view.settings.same_place * em


def _count_looks(view: PageView, groups: list[list[int]], statistics: DocumentStatistics) -> None:
    page, settings = view.page, view.settings
    for group in groups:
        look = view.looks[group[0]]
        texts = [view.texts[k] for k in group]
        chars = sum(map(len, texts))
        count = LookCount(
            chars=chars,
            lines=len(group),
            groups=1,
            short=int(len(group) <= _most_lines(view, look) and chars <= settings.candidate_chars),
        )
        known = statistics.looks.get(look)
        statistics.looks[look] = count if known is None else known.plus(count)
        _count_starts(view, group, statistics.starts)
    _count_spacings(view, statistics.spacings)
    lengths: dict[int, int] = {}  # by index of the style, because hashing a style takes longer than counting it
    for line in page.lines:
        for style, length in span_lengths(line):
            lengths[style] = lengths.get(style, 0) + length
    fonts: Counter[FontStyle] = Counter()
    for style, length in lengths.items():
        fonts[page.styles[style]] += length
    statistics.fonts = fonts
    statistics.chars = sum(len(line.text) for line in page.lines)


def _count_spacings(view: PageView, spacings: Counter[tuple[Look, float]]) -> None:
    """Add the distances of baselines between neighbouring lines of one text style to `spacings`, in place."""
    step, near = view.settings.spacing_step, view.neighbours.lists
    for k, look in enumerate(view.looks):
        other = near.below[k]
        if other < 0 or near.above[other] != k or not same_look(look, view.looks[other], view.settings.same_size):
            continue
        gap = near.gap_below[k]
        if gap <= view.settings.spacing_limit * look.size:
            spacings[look, round(gap / step) * step] += 1


def _count_starts(view: PageView, group: list[int], found: Counter[str]) -> None:
    """Add the numbers of first-line indents and of lines in one group of lines to `found`, in place."""
    start = view.frame.lists.start
    for p, k, q in zip(group, group[1:], group[2:], strict=False):
        size = view.looks[k].size
        if abs(start[p] - start[q]) < view.settings.same_place * size and start[k] - start[q] >= view.settings.indent_min * size:
            found["indent"] += 1
        found["line"] += 1


def _note_page(view: PageView, groups: list[list[int]], tables: list[Table]) -> PageNotes:
    frame = view.frame
    texts = view.texts
    after = view.neighbours.lists.after
    contents = [
        is_contents_line(text) or (after[k] >= 0 and _ends_in_page_number(view, k)) or (view.heads_contents and ends_in_page_number(text))
        for k, text in enumerate(texts)
    ]
    return PageNotes(
        page=view.page.page,
        width=frame.width,
        height=frame.height,
        lines=len(frame),
        contents_lines=sum(contents),
        rtl=frame.rtl,
        edges=_edge_lines(view),
        candidates=_candidates(view, groups, contents),
        tagged=_tagged_candidates(view, contents),
        table=note_lowest(tables, view.settings),
        sides=_side_lines(view),
        numbered=find_line_numbers(view),
        contents=_contents_entries(view, contents),
        heads_contents=view.heads_contents,
        lower=lower_words(view.page.page, texts),
    )


def _contents_entries(view: PageView, contents: list[bool]) -> tuple[ContentsEntry, ...]:
    """Return the entries of a table of contents; none if only a few lines look like entries. contents: whether each line does."""
    if sum(contents) < view.settings.contents_lines:
        return ()
    start, chars = view.frame.lists.start, view.settings.candidate_chars
    return tuple(
        ContentsEntry(view.texts[k][:chars], round(start[k], 1), _leads_to(view, k)) for k, is_entry in enumerate(contents) if is_entry
    )


def _leads_to(view: PageView, k: int) -> int:
    """Return the Arabic page number at the end of line `k`, an entry of a table of contents, or beside it; 0 if there is none."""
    after = view.neighbours.lists.after[k]
    for text in (view.texts[k], view.texts[after] if after >= 0 else ""):
        ended = ending_number(text)
        if ended is not None and not ended[1]:
            return ended[0]
    return 0


def _ends_in_page_number(view: PageView, k: int) -> bool:
    """Return whether the only text to the right of line `k` is a number at the limit of the column, as in tables of contents with tabs."""
    near = view.neighbours.lists
    after = near.after[k]
    if near.after[after] >= 0:
        return False
    text = view.texts[after]
    return len(text) <= view.settings.page_digits and text.isdigit() and frame_gap(view.frame, k, after) > view.looks[k].size


def frame_gap(frame: Frame, a: int, b: int) -> float:
    """Return the horizontal distance from the end of line a to the start of line b, points."""
    return frame.lists.start[b] - frame.lists.end[a]


def _rows(frame: Frame, settings: LayoutSettings) -> list[list[int]]:
    rows: list[list[int]] = []
    baseline, size = frame.lists.baseline, frame.lists.size
    for k in np.argsort(frame.baseline, kind="stable").tolist():
        if rows and baseline[k] - baseline[rows[-1][0]] <= settings.same_baseline * max(size[k], size[rows[-1][0]]):
            rows[-1].append(k)
        else:
            rows.append([k])
    return rows


def _side_lines(view: PageView) -> tuple[SideLine, ...]:
    lines = [(i, view.page.lines[i]) for i in view.frame.others[: view.settings.side_lines]]
    return tuple(SideLine(i, line.text[: view.settings.edge_chars], round(line.x0, 1), round(line.top, 1)) for i, line in lines)


def find_line_numbers(view: PageView) -> tuple[int, ...]:
    """Return the lines that are line numbers: a column of numbers in equal steps to the left of all text, each beside a line of prose."""
    frame, settings = view.frame, view.settings
    numbers = [k for k in range(len(frame)) if len(view.texts[k]) <= settings.page_digits and view.texts[k].isdecimal()]
    if len(numbers) < settings.line_numbers:
        return ()
    start = min((float(frame.start[k]) for k in range(len(frame)) if len(view.texts[k]) >= settings.column_chars), default=0.0)
    column = [k for k in numbers if frame.end[k] <= start and view.neighbours.after[k] >= 0]
    column.sort(key=lambda k: float(frame.baseline[k]))
    if len(column) < settings.line_numbers:
        return ()
    steps = Counter(int(view.texts[b]) - int(view.texts[a]) for a, b in zip(column, column[1:], strict=False))
    step, often = steps.most_common(1)[0]
    beside = median(len(view.texts[int(view.neighbours.after[k])]) for k in column)
    counted = step in settings.line_number_steps and often >= settings.line_number_share * (len(column) - 1)
    return tuple(view.index[k] for k in column) if counted and 2 * beside >= settings.tables.prose_chars else ()


def _edge_lines(view: PageView) -> tuple[EdgeLine, ...]:
    frame, settings = view.frame, view.settings
    rows, at = _rows(frame, settings), frame.lists
    rules = _flat_rules(view)
    heads = [(True, n, n + 1) for n in range(min(settings.edge_rows_head, len(rows)))]
    feet = [(False, n, len(rows) - 2 - n) for n in range(min(settings.edge_rows_foot, len(rows)))]
    found: list[EdgeLine] = []
    for head, row, inner in heads + feet:
        place = row if head else len(rows) - 1 - row
        inward = abs(at.baseline[rows[inner][0]] - at.baseline[rows[place][0]]) if 0 <= inner < len(rows) else -1.0
        ruled = inward >= 0 and len(rules) > 0 and _is_ruled(view, rules, rows[place], rows[inner])
        found.extend(
            _edge_line(view, k, head, row, inward, rank, ruled) for rank, k in enumerate(sorted(rows[place], key=at.start.__getitem__)[:6])
        )
    return tuple(found)


def _flat_rules(view: PageView) -> Floats:
    """Return the horizontal rules (drawn lines) that may separate a header or footer from the text, as boxes in `view.frame`."""
    rules = view.frame.map_boxes(view.page.rules, view.page)
    wide, high = rules[:, 2] - rules[:, 0], rules[:, 3] - rules[:, 1]
    return rules[(wide > view.settings.rule_length * view.main_size) & (high < wide)]


def _is_ruled(view: PageView, rules: Floats, outer: list[int], inner: list[int]) -> bool:
    at, slack = view.frame.lists, view.settings.tables.touch
    upper, lower = sorted((outer, inner), key=lambda row: at.baseline[row[0]])
    high, low = max(at.baseline[k] for k in upper) - slack, min(at.top[k] for k in lower) + slack
    return bool(((rules[:, 1] >= high) & (rules[:, 3] <= low)).any())


def _edge_line(view: PageView, k: int, head: bool, row: int, apart: float, rank: int, ruled: bool) -> EdgeLine:
    at, near, settings = view.frame.lists, view.neighbours.lists, view.settings
    text, look, line = view.texts[k], view.looks[k], view.index[k]
    return EdgeLine(
        line=line,
        head=head,
        row=row,
        text=text[: settings.edge_chars],
        tail=text[-settings.tail_chars :],
        x0=round(at.start[k], 1),
        x1=round(at.end[k], 1),
        baseline=round(at.baseline[k], 1),
        apart=round(apart, 1),
        look=look,
        full=at.end[k] >= near.limit[k] - settings.short_line * look.size,
        indent=round(at.start[k] - near.margin[k], 1),
        column=rank,
        in_table=line in view.ruled,
        ruled=ruled,
    )


def _candidates(view: PageView, groups: list[list[int]], contents: list[bool]) -> tuple[Candidate, ...]:
    settings = view.settings
    weight: Counter[Look] = Counter()
    for text, look in zip(view.texts, view.looks, strict=True):
        weight[look] += len(text)
    dominant = max(weight, key=lambda look: (weight[look], look.size)) if weight else None
    groups = _join_labels(view, _join_numbers(view, groups))
    kept = [group for group in groups if _may_be_heading(view, group, dominant)]
    kept.sort(key=lambda g: (-view.looks[g[0]].size, not view.looks[g[0]].bold, g[0]))
    kept = sorted(kept[: settings.candidates_per_page], key=lambda g: view.frame.lists.baseline[g[0]])
    return tuple(_candidate(view, group, contents) for group in kept)


def _tagged_candidates(view: PageView, contents: list[bool]) -> tuple[Candidate, ...]:
    """Return the groups of lines that tags state to be headings, if they are short enough."""
    wanted = {n for n, element in enumerate(view.page.tags) if is_heading_element(element)}
    if not wanted:
        return ()
    elements = lines_of_elements(view.page)
    groups: dict[int, list[int]] = {}
    for k, i in enumerate(view.index):
        if elements[i] in wanted:
            groups.setdefault(elements[i], []).append(k)
    found = [_candidate(view, group, contents)._replace(level=view.page.tags[n].level) for n, group in groups.items()]
    return tuple(sorted(found, key=lambda c: c.top)[: 2 * view.settings.candidates_per_page])


def _join_numbers(view: PageView, groups: list[list[int]]) -> list[list[int]]:
    """Return groups of lines that may be headings, with a separate number ("2.1") joined to the title to its right."""
    numbers: dict[int, int] = {}
    for group in groups:
        after = view.neighbours.lists.after[group[0]]
        text = view.texts[group[0]]
        if (
            len(group) == 1
            and after >= 0
            and len(text) <= view.settings.label_chars
            and (numbering_depth(text) or CHAPTER_ONLY.match(text))
        ):
            close = frame_gap(view.frame, group[0], after) <= view.settings.number_gap * view.looks[after].size
            if (
                close
                and abs(view.looks[group[0]].size - view.looks[after].size) <= view.settings.near_size
                and (view.looks[after].bold or not view.looks[group[0]].bold)
            ):
                numbers[after] = group[0]
    taken = set(numbers.values())
    return [([numbers[g[0]], *g] if g[0] in numbers else g) for g in groups if g[0] not in taken]


def _join_labels(view: PageView, groups: list[list[int]]) -> list[list[int]]:
    """Return the groups, with a label on the line above a heading ("PRINCIPLE 1", "Lesson 2.1") joined to the heading."""
    first = {group[0]: n for n, group in enumerate(groups)}
    labels: dict[int, int] = {}
    for n, group in enumerate(groups):
        below = view.neighbours.lists.below[group[-1]]
        if len(group) == 1 and below in first and LABEL.match(view.texts[group[0]]) and _is_label_of(view, group[0], below):
            labels[first[below]] = n
    taken = set(labels.values())
    return [([*groups[labels[n]], *group] if n in labels else group) for n, group in enumerate(groups) if n not in taken]


def _is_label_of(view: PageView, label: int, title: int) -> bool:
    """Return whether the line `label` is the label of the heading below it, which is near, flush, not smaller, and unlike running text."""
    a, b, at = view.looks[label], view.looks[title], view.frame.lists
    tight = view.neighbours.lists.gap_below[label] <= view.settings.label_gap * b.size and view.neighbours.lists.above[title] == label
    set_off = b.size >= view.settings.heading_size * view.main_size or b.bold
    return tight and set_off and b.size >= a.size and abs(at.start[label] - at.start[title]) <= b.size


def _may_be_heading(view: PageView, group: list[int], dominant: Look | None) -> bool:
    settings = view.settings
    chars = sum(len(view.texts[k]) for k in group)
    look = view.looks[group[0]]
    if (
        len(group) > _most_lines(view, look)
        or chars > settings.candidate_chars
        or not any(any(map(str.isalpha, view.texts[k])) for k in group)
    ):
        return False
    text = view.texts[group[0]]
    if dominant is None or not same_look(look, dominant, settings.same_size):
        return True
    return len(view.frame) <= settings.few_lines or bool(
        len(group) <= 2
        and chars <= settings.plain_chars
        and (look.bold or look.caps or _alone(view, group) or (not ENDS_STOP.search(text) and numbering_depth(text) > 0))
    )


def _most_lines(view: PageView, look: Look) -> int:
    cover = look.size >= view.settings.large_size * view.main_size or len(view.frame) <= view.settings.few_lines
    return view.settings.cover_lines if cover else view.settings.short_lines


def _alone(view: PageView, group: list[int]) -> bool:
    """Return whether the group is a short line in body style with space above and below."""
    above, below = view.neighbours.lists.gap_above[group[0]], view.neighbours.lists.gap_below[group[-1]]
    space = view.settings.group_spacing * view.looks[group[0]].size
    return bool(not above <= space and below > space and not ends_sentence(view.texts[group[-1]]))


def _candidate(view: PageView, group: list[int], contents: list[bool]) -> Candidate:
    at, near = view.frame.lists, view.neighbours.lists
    first, last = group[0], group[-1]
    above, below = near.above[first], near.below[last]
    rows = [view.index[k] for k in group]
    before, after = near.before[first], near.after[last if len(group) > 1 and near.after[first] == group[1] else first]
    main = max(group, key=lambda k: (view.looks[k].size, view.looks[k].bold, len(view.texts[k]))) if len(group) > 1 else first
    return Candidate(
        lines=tuple(rows),
        text=" ".join([view.texts[k] for k in group])[: view.settings.candidate_chars],
        look=view.looks[main if _mixed(view, group) else first],
        font=view.page.styles[view.line(first).style],
        x0=round(min([at.start[k] for k in group]), 1),
        top=round(min([at.top[k] for k in group]), 1),
        x1=round(max([at.end[k] for k in group]), 1),
        bottom=round(max([at.bottom[k] for k in group]), 1),
        gap_above=round(near.gap_above[first], 1) if above >= 0 else -1.0,
        gap_below=round(near.gap_below[last], 1) if below >= 0 else -1.0,
        margin=round(near.margin[first], 1),
        edge=round(near.limit[first], 1),
        before=round(at.end[before], 1) if before >= 0 else -1.0,
        after=round(at.start[after], 1) if after >= 0 else -1.0,
        in_table=rows[0] in view.ruled,
        contents=any(contents[k] for k in group),
        pure=_pure(view, last),
        gapped=_gapped(view, last if len(group) > 1 else first),
        caption=bool(CAPTION.match(view.texts[first])),
        look_above=view.looks[above] if above >= 0 else None,
        look_below=view.looks[below] if below >= 0 else None,
    )


def _mixed(view: PageView, group: list[int]) -> bool:
    """Return whether the number or label of a heading is in another style than its title."""
    return len(group) > 1 and not same_look(view.looks[group[0]], view.looks[group[1]], view.settings.same_size)


def _gapped(view: PageView, k: int) -> bool:
    """Return whether line `k` has a gap as wide as between table cells, except after a leading number."""
    line, starts = view.index[k], view.table_finder.words.first
    first, last = starts[line], starts[line + 1]
    if last - first < 2:
        return False
    wide = (view.word_gaps[first : last - 1] > view.settings.tables.cell_gap * view.looks[k].size).nonzero()[0].tolist()
    return bool(wide) and not (len(wide) == 1 and wide[0] <= 1 and numbering_depth(view.texts[k]) > 0)


def _pure(view: PageView, k: int) -> bool:
    """Return whether a bold line is bold to its end, and is no run-in heading followed by plain text. Fallback fonts are ignored."""
    line, styles = view.line(k), view.page.styles
    if not view.looks[k].bold or is_unspaced(line.text):
        return True
    plain_from = len(line.text)
    for (start, style), (_, length) in zip(reversed(line.spans), reversed(span_lengths(line)), strict=True):
        if (styles[style].bold or is_monospaced(styles[style])) and length > 1:
            break
        plain_from = start
    tail = line.text[plain_from:]
    words = tail.split()
    if line.text[:plain_from].rstrip().endswith(_SENTENCE_ENDS) and len(words) > 1 and words[0][0].isupper():
        return False  # the next sentence begins, even if only little of it is in the line
    foreign = sum(map(is_ideographic, tail))
    return sum(map(str.isalpha, tail)) - foreign <= view.settings.impure * len(line.text)


def _sample_text(page: PageLines) -> str:
    long = [line.text for line in page.lines if len(line.text) >= _SAMPLE_CHARS] or [line.text for line in page.lines]
    return "\n".join(long)[:SAMPLE_PAGE_CHARS]


def _compounds(page: PageLines) -> tuple[tuple[int, str], ...]:
    found = {
        word.casefold()
        for line in page.lines
        if "-" in line.text
        for part in line.text.split()
        if "-" in part
        for word in _COMPOUND.findall(part)
        if len(word) <= _COMPOUND_CHARS
    }
    return tuple(sorted((zlib.crc32(word.encode()), word) for word in found)[: min(COMPOUNDS, _PAGE_COMPOUNDS)])
