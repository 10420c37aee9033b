"""Which lines repeat from page to page? Running heads, feet and page numbers, by text with digits masked, height and slot."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final

from schemas.statistics import EdgeLine, PageNotes
from transforms.layout.language_words import alternatives
from transforms.layout.patterns import CHAPTER_ONLY, mask_digits, numbering_depth
from transforms.layout.settings import DEFAULTS, LayoutSettings

_PAGE_NUMBER: Final = re.compile(
    rf"^(?P<lead>(?:{alternatives(lambda language: language.page)})?\s*[-–—|•·\[(]?\s*)(?P<number>\d{{1,4}}|[ivxlc]{{1,7}}|[IVXLC]{{1,7}})"
    rf"(?P<tail>\s*[-–—|•·\])]?\s*(?:(?:/|{alternatives(lambda language: language.of)})\s*\d{{1,4}}|(?:{alternatives(lambda language: language.after_page)})+)?\s*\.?)$",
    re.IGNORECASE,
)
_ROMAN: Final = {"i": 1, "v": 5, "x": 10, "l": 50, "c": 100}


@dataclass(slots=True)
class Furniture:
    """Line -> role, by page; and the number printed on each page that shows one."""

    lines: dict[int, dict[int, str]] = field(default_factory=lambda: defaultdict(dict))
    labels: dict[int, str] = field(default_factory=dict)


def _roman(text: str) -> int:
    values = [_ROMAN[c] for c in text.lower()]
    return sum(-v if v < w else v for v, w in zip(values, [*values[1:], 0], strict=True))


def printed_number(text: str) -> tuple[int, str] | None:
    """The number of a line that holds nothing but a page number: (value, as printed); None for other lines."""
    match = _PAGE_NUMBER.match(text.strip())
    if match is None:
        return None
    number = match["number"]
    return (int(number) if number.isdecimal() else _roman(number)), number


def _in_band(note: PageNotes, edge: EdgeLine, settings: LayoutSettings) -> bool:
    band = settings.edge_band * note.height
    return edge.baseline <= band if edge.head else edge.baseline >= note.height - band


def find_furniture(notes: Mapping[int, PageNotes], spacing: float, body_size: float, settings: LayoutSettings = DEFAULTS) -> Furniture:
    """Furniture of the whole document. spacing: its median line spacing, points."""
    found = Furniture()
    _mark_line_numbers(notes, found)
    edges = [
        (note, edge)
        for _, note in sorted(notes.items())
        for edge in note.edges
        if _in_band(note, edge, settings) and not edge.in_table and edge.line not in found.lines[note.page]
    ]
    titles = _page_titles(edges, len(notes), body_size, settings)
    edges = [(note, edge) for note, edge in edges if (note.page, edge.line) not in titles]
    _mark_page_numbers(edges, len(notes), spacing, found, settings)
    _mark_repeats(edges, spacing, found, settings)
    _mark_slots(edges, notes, spacing, body_size, found, settings)
    _mark_row_mates(notes, edges, found)
    _mark_places(notes, body_size, found, settings)
    return found


def _page_titles(edges: list[tuple[PageNotes, EdgeLine]], pages: int, body_size: float, settings: LayoutSettings) -> set[tuple[int, int]]:
    """Large type at the top of most pages whose text is another on most of them, as on slides: titles, though one may be repeated."""
    large = [(note, edge) for note, edge in edges if edge.head and edge.look.size > settings.head_size * body_size]
    wanted = settings.furniture_share * pages
    texts: dict[str, set[int]] = defaultdict(set)
    for note, edge in large:
        texts[mask_digits(edge.text)].add(note.page)
    varied = {text for text, on in texts.items() if len(on) < max(wanted, settings.furniture_pages) and len(on) <= settings.title_pages}
    shown = {page for text in varied for page in texts[text]}
    if len(shown) < wanted or len(varied) < settings.furniture_share * len(shown):
        return set()
    return {(note.page, edge.line) for note, edge in large if mask_digits(edge.text) in varied}


def _role(edge: EdgeLine) -> str:
    return "page_header" if edge.head else "page_footer"


def _mark_page_numbers(edges: list[tuple[PageNotes, EdgeLine]], pages: int, spacing: float, found: Furniture, settings: LayoutSettings) -> None:
    """Numbers that run with the pages: number minus page is the same on several pages."""
    numbers = [(note, edge, value) for note, edge in edges if edge.row <= 2 and (value := printed_number(edge.text)) is not None]
    offsets: Counter[tuple[bool, int]] = Counter()
    for offset in {(edge.head, value[0] - note.page, note.page) for note, edge, value in numbers}:
        offsets[offset[:2]] += 1
    for note, edge, value in numbers:
        alone = pages <= 2 and not edge.head and edge.row == 0 and edge.apart > settings.furniture_apart * spacing and value[1].isdecimal()
        if offsets[edge.head, value[0] - note.page] >= settings.furniture_pages or alone:
            found.lines[note.page][edge.line] = "page_number"
            found.labels.setdefault(note.page, value[1])


def _mark_repeats(edges: list[tuple[PageNotes, EdgeLine]], spacing: float, found: Furniture, settings: LayoutSettings) -> None:
    """The same text, digits masked, at the same height on several pages."""
    seen: dict[tuple[bool, str], list[tuple[PageNotes, EdgeLine]]] = defaultdict(list)
    for note, edge in edges:
        key = mask_digits(edge.text)
        if any(c.isalnum() for c in edge.text) and (key != "#" or edge.row <= 1):
            seen[edge.head, key].append((note, edge))
    for (_, key), places in seen.items():
        for note, edge in list(places):
            if edge.row > 2 or edge.line in found.lines[note.page]:
                continue
            if sum(c.isalpha() for c in key) < 3 and not (edge.row == 0 and edge.apart > settings.furniture_apart * spacing):
                continue
            numbered = bool(numbering_depth(edge.text) or CHAPTER_ONLY.match(edge.text))  # chapters open at one height: the number may not vary
            alike = {n.page for n, e in places if (e.text == edge.text or not numbered) and abs(e.baseline - edge.baseline) <= settings.furniture_band}
            needed = settings.furniture_pages if edge.row <= 1 and key != "#" else 3
            if len(alike) >= needed:
                found.lines[note.page][edge.line] = "page_number" if key == "#" else _role(edge)


def _mark_slots(edges: list[tuple[PageNotes, EdgeLine]], notes: Mapping[int, PageNotes], spacing: float, body_size: float, found: Furniture, settings: LayoutSettings) -> None:
    """Rows that stand apart from the body at one height on most pages (or most of one parity): heads whose text changes."""
    if len(notes) < 3 or spacing <= 0:
        return
    for head in (True, False):
        for parity in (0, 1, None):
            pages = {p for p in notes if parity is None or p % 2 == parity}
            apart = [(n, e) for n, e in edges if e.head == head and n.page in pages and e.row <= 2 and e.apart > settings.furniture_apart * spacing and e.look.size <= settings.head_size * body_size]
            _mark_slot(apart, edges, pages, head, found, settings)


def _mark_slot(apart: list[tuple[PageNotes, EdgeLine]], edges: list[tuple[PageNotes, EdgeLine]], pages: set[int], head: bool, found: Furniture, settings: LayoutSettings) -> None:
    heights: dict[int, set[int]] = defaultdict(set)
    for note, edge in apart:
        for near in {round(edge.baseline / settings.furniture_band), round(edge.baseline / settings.furniture_band + 0.5)}:
            heights[near].add(note.page)
    if not heights or len(pages) < 3:
        return
    height, where = max(heights.items(), key=lambda item: (len(item[1]), item[0] if head else -item[0]))
    if len(where) < settings.furniture_share * len(pages):
        return
    limit = (height + 0.6) * settings.furniture_band if head else (height - 1.1) * settings.furniture_band
    at = {(n.page, e.row) for n, e in apart if abs(e.baseline - height * settings.furniture_band) <= settings.furniture_band}
    deepest = {page: max(row for p, row in at if p == page) for page, _ in at}
    for note, edge in edges:
        outside = edge.baseline <= limit if head else edge.baseline >= limit
        if edge.head == head and edge.row <= deepest.get(note.page, -1) and outside:
            found.lines[note.page].setdefault(edge.line, _role(edge))


def _mark_line_numbers(notes: Mapping[int, PageNotes], found: Furniture) -> None:
    """Where more than one page has them, or the only one."""
    numbered = [note for note in notes.values() if note.numbered]
    for note in numbered if len(numbered) > 1 or len(notes) == 1 else ():
        for line in note.numbered:
            found.lines[note.page].setdefault(line, "page_margin")


def _mark_places(notes: Mapping[int, PageNotes], body_size: float, found: Furniture, settings: LayoutSettings) -> None:
    """Text at one place of many pages, turned or large."""
    places: dict[tuple[str, bool], list[tuple[int, float, float, tuple[int, ...]]]] = defaultdict(list)
    for page, note in notes.items():
        for side in note.sides:
            places[mask_digits(side.text), True].append((page, side.x0, side.top, (side.line,)))
        for c in note.candidates:
            if c.look.size >= settings.mark_size * body_size:
                places[c.text, False].append((page, c.x0, c.top, c.lines))
    turned_on, large_on = max(settings.furniture_pages, settings.side_share * len(notes)), max(settings.furniture_pages + 1, settings.mark_share * len(notes))
    for (_, turned), each in places.items():
        needed, cells = turned_on if turned else large_on, defaultdict[tuple[int, int], set[int]](set)
        for page, x, y, _ in each:
            for cell in _cells(x, y, settings.furniture_band):
                cells[cell].add(page)
        for page, x, y, lines in each:
            if max(len(cells[cell]) for cell in _cells(x, y, settings.furniture_band)) >= needed:
                for line in lines:
                    found.lines[page].setdefault(line, "page_margin")


def _cells(x: float, y: float, band: float) -> list[tuple[int, int]]:
    """The squares around a place, twice as wide as the band and overlapping by half: places a band apart share one."""
    columns, rows = {round(x / band), round(x / band + 0.5)}, {round(y / band), round(y / band + 0.5)}
    return [(column, row) for column in columns for row in rows]


def _mark_row_mates(notes: Mapping[int, PageNotes], edges: Iterable[tuple[PageNotes, EdgeLine]], found: Furniture) -> None:
    """What shares the outermost row with furniture is furniture: a changing head beside a page number."""
    rows: dict[tuple[int, bool, int], list[EdgeLine]] = defaultdict(list)
    for note, edge in edges:
        rows[note.page, edge.head, edge.row].append(edge)
    for (page, _, row), mates in rows.items():
        if row == 0 and any(mate.line in found.lines[page] for mate in mates):
            for mate in mates:
                found.lines[page].setdefault(mate.line, _role(mate))
