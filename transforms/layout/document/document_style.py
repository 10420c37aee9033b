"""Decide the style of a document from the statistics of its pages: body, line spacing, gutters, running heads, headings."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from pdfmill.schemas.records import Decision, FontStyle
from pdfmill.schemas.statistics import (
    NO_TAGS,
    CarryOver,
    DocumentStatistics,
    DocumentStyle,
    EdgeLine,
    Evidence,
    HeadingMark,
    Look,
    PageNotes,
    TableEnd,
    TagVerdict,
)
from pdfmill.transforms.layout.document.articles import judge_beads
from pdfmill.transforms.layout.document.furniture import Furniture, find_furniture, find_lone
from pdfmill.transforms.layout.document.heading_judge import judge_headings
from pdfmill.transforms.layout.document.heading_levels import decide_levels, in_reading_order, slide_levels, tagged_levels
from pdfmill.transforms.layout.document.heading_witnesses import apply_witnesses
from pdfmill.transforms.layout.document.headings import (
    Found,
    HeadingFinder,
    OutlineItem,
    find_title,
    heading_styles,
    to_marks,
    weigh_tagged,
)
from pdfmill.transforms.layout.document.tagged import judge_tags
from pdfmill.transforms.layout.document.titles import choose_title, with_title
from pdfmill.transforms.layout.page.columns import pool_gutters
from pdfmill.transforms.layout.page.patterns import ends_sentence
from pdfmill.transforms.layout.page.text_style import font_family
from pdfmill.transforms.layout.settings.layout_settings import DEFAULTS, LayoutSettings


class DocumentProfile(NamedTuple):
    """The body style, line spacing and running heads of a document, on which the headings and all later decisions depend."""

    finder: HeadingFinder  # knows the text style of the body and the candidates for headings
    spacings: dict[Look, float]  # baseline distance by text style, points
    furniture: Furniture  # running heads and feet


def find_profile(
    statistics: DocumentStatistics, outline: Sequence[OutlineItem] = (), settings: LayoutSettings = DEFAULTS
) -> DocumentProfile | None:
    """Return the body style, line spacing and running heads of a document; None without text."""
    body = find_body(statistics, settings)
    if body is None:
        return None
    spacings = median_spacings(statistics, settings)
    spacing = spacings.get(body) or _spacing_of_size(statistics, body, settings) or round(settings.usual_spacing * body.size, 1)
    gutters = pool_gutters(statistics.gutters, settings)
    furniture = find_furniture(statistics.notes, spacing, body.size, settings)
    indented = statistics.starts["indent"] >= max(settings.indents_min, settings.indents_share * statistics.starts["line"])
    return DocumentProfile(
        HeadingFinder(statistics, body, spacing, gutters, furniture.lines, indented, outline, settings), spacings, furniture
    )


def decide_style(
    statistics: DocumentStatistics, outline: Sequence[OutlineItem] = (), settings: LayoutSettings = DEFAULTS, stated: str | None = None
) -> DocumentStyle:
    """Return the title, text styles, headings and running heads of a document.
    outline: the bookmarks of the document. stated: the title in its metadata."""
    profile = find_profile(statistics, outline, settings)
    if profile is None:
        named, source = choose_title(stated, None, {}, (), None, statistics.notes, settings)
        return DocumentStyle(title=named, title_source=source)
    finder, spacings = profile.finder, profile.spacings
    body = finder.body
    verdict, beads = judge_tags(statistics.stated, settings), judge_beads(statistics.stated, settings)
    judged = judge_headings(finder)
    found, whose, why = judged.found, "looks", ""
    if verdict is not None and verdict.blocks:
        tagged = finder.find_tagged()
        found, whose, why = weigh_tagged(found, tagged, finder.distinct(tagged), find_title(found, body, settings), settings)
    title = find_title(found, body, settings)
    named, source = choose_title(stated, body, profile.furniture.lines, found, title, statistics.notes, settings)
    title, found = with_title(named, title, found, statistics.notes)
    found = in_reading_order(found, finder.gutters)
    levels = _levels(finder, found, title, whose, outline)
    marks = to_marks(found, levels, title)
    furniture = _without_headings(profile.furniture.lines, marks)
    return DocumentStyle(
        body=body,
        body_font=_body_font(statistics.fonts, body, settings),
        line_spacing=finder.spacing,
        spacings=spacings,
        gutters=tuple(finder.gutters),
        indented=finder.indented,
        rtl=sum(note.rtl for note in statistics.notes.values()) * 2 > len(statistics.notes),
        heading_styles=heading_styles(list(zip(found, levels, strict=True))),
        headings=marks,
        furniture={page: roles for page, roles in furniture.items() if roles},
        lone=find_lone(statistics.notes, furniture),
        labels=profile.furniture.labels,
        carry=_carry_overs(statistics.notes, furniture, body, settings),
        open_tables=_open_tables(statistics.notes, furniture),
        paths=heading_paths(statistics.notes, marks),
        contents_pages=frozenset(page for page, note in statistics.notes.items() if finder.is_contents(note)),
        compounds=frozenset(word for _, word in statistics.compounds),
        title=named,
        title_source=source,
        tags=verdict or NO_TAGS,
        articles=beads == "",
        evidence=_evidence(verdict, whose, why, beads),
        why=_all_reasons(judged.why, profile.furniture.why),
    )


def _levels(finder: HeadingFinder, found: Sequence[Found], title: Found | None, whose: str, outline: Sequence[OutlineItem]) -> list[int]:
    """Return the level of each heading. whose: how the headings were found: "looks" (by text style), "tags" or "both"."""
    if whose == "tags":
        return tagged_levels(found)
    if finder.slides:
        return slide_levels(found)
    notes = finder.statistics.notes
    levels = decide_levels(found, title, finder.body)
    return apply_witnesses(found, title, levels, outline, notes)


def _without_headings(furniture: Mapping[int, Mapping[int, str]], marks: Mapping[int, Sequence[HeadingMark]]) -> dict[int, dict[int, str]]:
    headed = {(page, line) for page, each in marks.items() for mark in each for line in mark.lines}
    return {page: {line: role for line, role in roles.items() if (page, line) not in headed} for page, roles in furniture.items()}


def _all_reasons(*questions: Mapping[int, Sequence[Decision]]) -> dict[int, tuple[Decision, ...]]:
    pages = sorted({page for question in questions for page in question})
    return {page: tuple(why for question in questions for why in question.get(page, ())) for page in pages}


def _evidence(verdict: TagVerdict | None, whose: str, why: str, beads: str | None) -> tuple[Evidence, ...]:
    found = []
    if verdict is not None:
        used = {"blocks": verdict.blocks, "order": verdict.order, "headings": whose != "looks", "tables": verdict.cells}
        found.append(
            Evidence("tags", tuple(name for name, taken in used.items() if taken), "; ".join(filter(None, (*verdict.reasons, why))))
        )
    if beads is not None:
        found.append(Evidence("article_threads", () if beads else ("order",), beads))
    return tuple(found)


def find_body(statistics: DocumentStatistics, settings: LayoutSettings = DEFAULTS) -> Look | None:
    """Return the text style of most characters of running text; None without text. Code counts only if there is hardly any other text."""
    chars: Counter[tuple[str, float, bool]] = Counter()
    total = mono = 0
    for look, count in statistics.looks.items():
        total += count.chars
        mono += count.chars if look.monospaced else 0
        chars[look.family, look.size, look.monospaced] += count.chars
    if not chars:
        return None
    prose = {key: n for key, n in chars.items() if not key[2]} if total - mono >= settings.prose_share * total else dict(chars)
    family, size, monospaced = max(prose, key=lambda key: (prose[key], key))
    looks = {
        look: count.chars
        for look, count in statistics.looks.items()
        if (look.family, look.size, look.monospaced) == (family, size, monospaced)
    }
    return max(looks, key=lambda look: (looks[look], look))


def _body_font(fonts: Mapping[FontStyle, int], body: Look, settings: LayoutSettings) -> FontStyle | None:
    alike = {
        f: n
        for f, n in fonts.items()
        if font_family(f.font) == body.family
        and f.bold == body.bold
        and f.italic == body.italic
        and abs(f.size - body.size) <= settings.near_size
    }
    return max(alike, key=lambda f: (alike[f], f.font, f.size)) if alike else None


def _median(counts: Mapping[float, int]) -> float:
    half, seen = sum(counts.values()) / 2, 0
    for value in sorted(counts):
        seen += counts[value]
        if seen >= half:
            return value
    return 0.0


def median_spacings(statistics: DocumentStatistics, settings: LayoutSettings = DEFAULTS) -> dict[Look, float]:
    """Return the median baseline distance, points, of each common text style. Distances that separate paragraphs do not count."""
    by_look: dict[Look, dict[float, int]] = defaultdict(dict)
    for (look, gap), n in statistics.spacings.items():
        by_look[look][gap] = n
    medians: dict[Look, float] = {}
    for look, counts in by_look.items():
        tight = {gap: n for gap, n in counts.items() if gap <= settings.group_spacing * look.size}
        enough = sum(tight.values()) >= settings.tight_share * sum(counts.values())
        if sum(counts.values()) >= settings.spacing_lines:
            medians[look] = _median(tight if enough and tight else counts)
    return medians


def _spacing_of_size(statistics: DocumentStatistics, body: Look, settings: LayoutSettings) -> float:
    counts: Counter[float] = Counter()
    for (look, gap), n in statistics.spacings.items():
        if abs(look.size - body.size) <= settings.near_size:
            counts[gap] += n
    return _median(counts) if counts else 0.0


def heading_paths(pages: Iterable[int], marks: Mapping[int, Sequence[HeadingMark]]) -> dict[int, tuple[tuple[int, str], ...]]:
    """Return, by page, the headings in force at its beginning, outermost first, as (level, text)."""
    path: tuple[tuple[int, str], ...] = ()
    paths: dict[int, tuple[tuple[int, str], ...]] = {}
    for page in sorted(pages):
        if path:
            paths[page] = path
        for mark in marks.get(page, ()):
            path = extend_path(path, mark.level, mark.text)
    return paths


def extend_path(path: tuple[tuple[int, str], ...], level: int, text: str) -> tuple[tuple[int, str], ...]:
    """Return the path of headings, as (level, text), after a new heading, which ends the headings of equal and deeper levels."""
    return (*(item for item in path if item[0] < level), (level, text))


def _carry_overs(
    notes: Mapping[int, PageNotes], furniture: Mapping[int, Mapping[int, str]], body: Look, settings: LayoutSettings
) -> dict[int, CarryOver]:
    """Return by page what shows whether its first paragraph continues the last paragraph of the page before."""
    carry: dict[int, CarryOver] = {}
    for page, note in notes.items():
        last = _last_body_line(note, furniture.get(page, {}), body, settings)
        if last is not None and page + 1 in notes:
            ends = ends_sentence(last.tail)
            carry[page + 1] = CarryOver(open=last.full and not ends, full=last.full, look=last.look)
    return carry


def _open_tables(notes: Mapping[int, PageNotes], furniture: Mapping[int, Mapping[int, str]]) -> dict[int, TableEnd]:
    """Return by page the table, or else the table-like last row, with which the page before ends."""
    ends: dict[int, TableEnd] = {}
    for page, note in notes.items():
        feet = [edge for edge in note.edges if not edge.head and edge.line not in furniture.get(page, {})]
        if page + 1 not in notes or not feet:
            continue
        lowest = min(edge.row for edge in feet)
        if note.table is not None and any(edge.in_table for edge in feet if edge.row == lowest):
            ends[page + 1] = note.table
        elif len(pieces := _last_table_row(feet)) > 1:
            ends[page + 1] = TableEnd(tuple((edge.x0, edge.x1) for edge in pieces))
    return ends


def _last_table_row(feet: Sequence[EdgeLine]) -> list[EdgeLine]:
    """Return the cells of the last table row of a page, [] if there is none.
    It is the row with the most lines if some of them end before their column does and if each line below it continues one cell."""
    rows: dict[int, list[EdgeLine]] = defaultdict(list)
    for edge in feet:
        rows[edge.row].append(edge)
    widest = max(rows, key=lambda row: (len(rows[row]), -row))
    below = [edge for row in rows if row < widest for edge in rows[row]]
    wrapped = all(sum(min(edge.x1, cell.x1) > max(edge.x0, cell.x0) for cell in rows[widest]) == 1 for edge in below)
    return rows[widest] if wrapped and not all(edge.full for edge in rows[widest]) else []


def _last_body_line(note: PageNotes, furniture: Mapping[int, str], body: Look, settings: LayoutSettings) -> EdgeLine | None:
    """Return the last line of body text if it is among the lowest rows of the page, else None."""
    feet = [
        edge for edge in note.edges if not edge.head and edge.line not in furniture and edge.look.size > settings.footnote_size * body.size
    ]
    if not feet:
        return None
    lowest = min(edge.row for edge in feet)
    near = [edge for edge in feet if edge.row <= lowest + 1]
    return max(near, key=lambda edge: (edge.x0 > note.width / 2, -edge.row, edge.column))
