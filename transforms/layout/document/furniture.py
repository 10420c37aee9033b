"""Which lines are furniture? Running heads, feet, page numbers, what a publisher prints around the text.

What repeats from page to page at one height and stands apart from the body is furniture; where nothing repeats, signs of place,
look and content add up (`transforms.layout.document.lone_furniture`). `RULES` holds the decisions in the order in which they are asked:
the first rule that takes or refuses a line decides.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property, partial
from itertools import dropwhile
from typing import Final, NamedTuple

from msgspec import Struct, field

from pdfmill.schemas.records import Why
from pdfmill.schemas.statistics import EdgeLine, Look, PageNotes
from pdfmill.transforms.layout.document.lone_furniture import DocumentPage, judge_lone, printed_number
from pdfmill.transforms.layout.page.page_margins import EdgeRow, edge_rows, is_apart, is_table_head, parted
from pdfmill.transforms.layout.page.patterns import CAPTION, CHAPTER_ONLY, mask_digits, numbering_depth
from pdfmill.transforms.layout.settings.layout_settings import DEFAULTS, LayoutSettings

_DIGITS: Final = re.compile(r"\d+")
#: Points: a body whose type has no size, as in damaged files, counts as one of this.
_LEAST_SIZE: Final = 0.1
#: Bands overlap by half of one.
_HALF_BAND: Final = 0.5


class Furniture(Struct):
    """Line -> role, by page; the number printed on each page that shows one; and why, by page, where that was asked."""

    lines: dict[int, dict[int, str]] = field(default_factory=lambda: defaultdict(dict))
    labels: dict[int, str] = field(default_factory=dict)
    why: dict[int, list[Why]] = field(default_factory=lambda: defaultdict(list))


class Mark(NamedTuple):
    """A rule's decision on lines of a page. role: None refuses them. says: what decided, with its values."""

    page: int
    lines: tuple[int, ...]
    role: str | None
    says: str


class Known(Struct, dict=True):
    """What the rules ask of. rows: those at the head and foot of each page, outermost first. spacing, body_size:
    of the document, points."""

    notes: Mapping[int, PageNotes]
    spacing: float
    body_size: float
    settings: LayoutSettings
    found: Furniture
    refused: dict[int, set[int]] = field(default_factory=lambda: defaultdict(set))

    @cached_property
    def rows(self) -> dict[tuple[int, bool], list[EdgeRow]]:
        return {(page, head): edge_rows(note, head, self.settings) for page, note in sorted(self.notes.items()) for head in (True, False)}

    @cached_property
    def edges(self) -> list[tuple[int, EdgeRow, EdgeLine]]:
        """Every piece of every such row, with its page."""
        return [(page, row, piece) for (page, _), rows in self.rows.items() for row in rows for piece in row.pieces]

    @cached_property
    def alike(self) -> dict[tuple[int, bool, int], int]:
        """(page, head, line) -> pages that show the same text at the same height there."""
        return count_alike(self.edges, self.body_size, self.settings)

    @cached_property
    def titles(self) -> dict[str, set[int]]:
        """What may be a heading -> its pages."""
        found: dict[str, set[int]] = defaultdict(set)
        for page, note in self.notes.items():
            for candidate in note.candidates:
                found[candidate.text[: self.settings.edge_chars]].add(page)
        return found

    def decided(self, page: int, line: int) -> bool:
        """An earlier rule took or refused it."""
        return line in self.found.lines[page] or line in self.refused[page]


class Rule(NamedTuple):
    """A named decision. says: its sentence."""

    name: str
    says: str
    find: Callable[[Known], Iterator[Mark]]


def find_furniture(notes: Mapping[int, PageNotes], spacing: float, body_size: float, settings: LayoutSettings = DEFAULTS) -> Furniture:
    """Furniture of the whole document. spacing: its median line spacing, points."""
    known = Known(notes, spacing, body_size, settings, Furniture())
    for rule in RULES:
        for mark in list(rule.find(known)):
            _decide(known, rule, mark)
    return known.found


def _decide(known: Known, rule: Rule, mark: Mark) -> None:
    lines = tuple(line for line in mark.lines if not known.decided(mark.page, line))
    if mark.role is None:
        known.refused[mark.page].update(lines)
    else:
        known.found.lines[mark.page].update(dict.fromkeys(lines, mark.role))
    if lines and known.settings.explain:
        says = f"{rule.says}: {mark.says}" if mark.says else rule.says
        known.found.why[mark.page].append(Why("furniture", rule.name, lines, mark.role is not None, says))


def _role(head: bool) -> str:
    return "page_header" if head else "page_footer"


def find_lone(notes: Mapping[int, PageNotes], furniture: Mapping[int, Mapping[int, str]]) -> dict[int, frozenset[int]]:
    """By page, the lines of its furniture whose words no furniture of another page repeats; numbers may differ."""
    said: dict[int, dict[int, str]] = {}
    for page, note in notes.items():
        said[page] = {line.line: mask_digits(line.text) for line in note.edges}
        said[page].update((line.line, mask_digits(line.text)) for line in note.sides)
        said[page].update((line, mask_digits(c.text)) for c in note.candidates for line in c.lines if line not in said[page])
        said[page].update(dict.fromkeys(note.numbered, "#"))
    pages: dict[str, set[int]] = defaultdict(set)
    for page, roles in furniture.items():
        for line in roles:
            pages[said[page][line]].add(page)
    lone = {page: frozenset(line for line in roles if len(pages[said[page][line]]) < 2) for page, roles in furniture.items()}
    return {page: lines for page, lines in lone.items() if lines}


# -- what repeats -------------------------------------------------------------------------------------------------------


def _signatures(text: str, page: int, settings: LayoutSettings) -> Iterator[tuple[str, ...]]:
    """What two lines of different pages have in common that say the same: their words, and numbers that are equal or count the pages."""
    key, numbers = mask_digits(text), _DIGITS.findall(text)
    yield (key, *numbers)
    for n, number in enumerate(numbers[: settings.counting_numbers]):
        yield (key, *numbers[:n], f"page {int(number) - page:+}", *numbers[n + 1 :])


def _heights(baseline: float, settings: LayoutSettings) -> set[int]:
    """The bands around a height, overlapping by half: heights a band apart share one."""
    return {round(baseline / settings.furniture_band), round(baseline / settings.furniture_band + _HALF_BAND)}


def _is_numbered(edge: EdgeLine, body_size: float, settings: LayoutSettings) -> bool:
    """It looks like a numbered heading: chapters open at one height, and their numbers may count the pages."""
    prominent = edge.look.bold or edge.look.size >= settings.heading_size * body_size
    return prominent and bool(numbering_depth(edge.text) or CHAPTER_ONLY.match(edge.text))


def count_alike(
    edges: Sequence[tuple[int, EdgeRow, EdgeLine]], body_size: float, settings: LayoutSettings
) -> dict[tuple[int, bool, int], int]:
    """(page, head, line) -> pages with the same text at the same height of the same end."""
    pages: dict[tuple[bool, int, tuple[str, ...]], set[int]] = defaultdict(set)
    places: dict[tuple[int, bool, int], list[tuple[bool, int, tuple[str, ...]]]] = {}
    for page, _, edge in edges:
        if any(c.isalnum() for c in edge.text):
            said = (
                [(mask_digits(edge.text), edge.text)] if _is_numbered(edge, body_size, settings) else _signatures(edge.text, page, settings)
            )
            own = [(edge.head, height, text) for text in said for height in _heights(edge.baseline, settings)]
            places[page, edge.head, edge.line] = own
            for place in own:
                pages[place].add(page)
    return {line: max(len(pages[place]) for place in own) for line, own in places.items()}


def _repeats(known: Known, page: int, edge: EdgeLine) -> bool:
    return known.alike.get((page, edge.head, edge.line), 0) >= _pages_needed(edge, known.settings)


def _pages_needed(edge: EdgeLine, settings: LayoutSettings) -> int:
    return settings.furniture_pages if edge.row <= 1 else settings.furniture_pages + 1


def _find_repeats(known: Known) -> Iterator[Mark]:
    for (page, head), rows in known.rows.items():
        again = [any(_repeats(known, page, piece) for piece in row.pieces) for row in rows]
        for n, row in enumerate(rows[: known.settings.furniture_rows]):
            if (
                again[n]
                and _is_outside(known, rows, n)
                and _stands_apart(known, rows, n, again)
                and not is_table_head(rows, n, again, known.settings)
            ):
                lines = tuple(piece.line for piece in row.pieces if _repeats(known, page, piece))
                role = "page_number" if all(mask_digits(piece.text) == "#" for piece in row.pieces) else _role(head)
                yield Mark(page, lines, role, f"{max(known.alike.get((page, head, line), 0) for line in lines)} pages")


def _is_outside(known: Known, rows: Sequence[EdgeRow], n: int) -> bool:
    """No gap parts the row from the edge of the page, or it repeats on half the pages: under the running heads the text begins."""
    if not any(is_apart(row, known.spacing, known.settings) for row in rows[:n]):
        return True
    most = max(known.alike.get((rows[n].page, rows[n].head, piece.line), 0) for piece in rows[n].pieces)
    return most >= max(known.settings.furniture_share * len(known.notes), known.settings.furniture_pages + 1)


def _stands_apart(known: Known, rows: Sequence[EdgeRow], n: int, again: Sequence[bool]) -> bool:
    """Space or a rule parts the row, with those inward of it that repeat too, from the body;
    the outermost row of half the pages needs none."""
    if parted(rows, n, again, known.spacing, known.settings):
        return True
    most = max(known.alike.get((rows[n].page, rows[n].head, piece.line), 0) for piece in rows[n].pieces)
    small = all(piece.look.size <= known.settings.footnote_size * known.body_size for piece in rows[n].pieces)
    return n == 0 and small and most >= max(known.settings.furniture_share * len(known.notes), known.settings.furniture_pages + 1)


def _find_numbers(known: Known) -> Iterator[Mark]:
    """Numbers that run with the pages: number minus page is the same on several pages; the outermost one of a page's head or foot."""
    numbers = [
        (page, edge, value)
        for page, row, edge in known.edges
        if edge.row < known.settings.furniture_rows and not edge.in_table and (value := printed_number(edge.text)) is not None
    ]
    offsets = Counter({(edge.head, value[0] - page, page) for page, edge, value in numbers})
    pages = Counter((head, offset) for head, offset, _ in offsets)
    done: dict[tuple[int, bool], int] = {}
    for page, edge, value in sorted(numbers, key=lambda item: item[1].row):
        often = pages[edge.head, value[0] - page]
        if often >= known.settings.furniture_pages and done.setdefault((page, edge.head), edge.row) == edge.row:
            known.found.labels.setdefault(page, value[1])
            yield Mark(page, (edge.line,), "page_number", f"on {often} pages")


def _find_row_mates(known: Known) -> Iterator[Mark]:
    """What shares the outermost row with furniture is furniture: a changing head beside a page number."""
    for (page, head), rows in known.rows.items():
        for row in rows[:1]:
            if any(known.found.lines[page].get(line, "page_margin") != "page_margin" for line in row.lines):
                yield Mark(page, row.lines, _role(head), "")


# -- heads whose words change -------------------------------------------------------------------------------------------


def _find_slots(known: Known) -> Iterator[Mark]:
    """At one height of most pages, or of most of one parity."""
    if len(known.notes) < known.settings.slot_pages or known.spacing <= 0:
        return
    for head in (True, False):
        for parity in (0, 1, None):
            pages = {page for page in known.notes if parity is None or page % 2 == parity}
            yield from _slot(known, pages, head)


def _first_free(known: Known, page: int, head: bool) -> EdgeRow | None:
    """The outermost row of a page that no rule has taken, if nothing was refused there and no gap parts it from the edge."""
    for row in known.rows[page, head][: known.settings.furniture_rows]:
        if any(piece.line in known.refused[page] for piece in row.pieces):
            return None
        if not _is_taken(known, row):
            return row
        if is_apart(row, known.spacing, known.settings):
            return None
    return None


def _slot(known: Known, pages: set[int], head: bool) -> Iterator[Mark]:
    free = [row for page in sorted(pages) if (row := _first_free(known, page, head)) is not None and _may_change(known, row)]
    heights: dict[int, set[int]] = defaultdict(set)
    for row in free:
        for height in _heights(row.baseline, known.settings):
            heights[height].add(row.page)
    if len(pages) < known.settings.slot_pages or not heights:
        return
    height, where = max(heights.items(), key=lambda item: (len(item[1]), item[0] if head else -item[0]))
    rows = [row for row in free if row.page in where and height in _heights(row.baseline, known.settings)]
    text = sum(_is_text_at(known, page, head, height) for page in pages)
    if (
        len(where) >= known.settings.furniture_share * len(pages)
        and text < known.settings.begins_share * len(where)
        and _is_slot(known, rows)
    ):
        for row in rows:
            yield Mark(row.page, row.lines, _role(head), f"on {len(where)} of {len(pages)} pages")


def _is_text_at(known: Known, page: int, head: bool, height: int) -> bool:
    """The text of a page begins or ends at this height."""
    rows = [row for row in known.rows[page, head] if height in _heights(row.baseline, known.settings)]
    return bool(rows) and not is_apart(rows[0], known.spacing, known.settings)


def _may_change(known: Known, row: EdgeRow) -> bool:
    """A row set apart in type no larger than a running head's, outside tables."""
    settings = known.settings
    return (
        row.apart > settings.furniture_apart * known.spacing
        and not row.in_table
        and all(piece.look.size <= settings.head_size * known.body_size for piece in row.pieces)
    )


def _is_slot(known: Known, rows: Sequence[EdgeRow]) -> bool:
    """True if most rows share a style, have their widest gap to the body, and are small or repeat words from elsewhere."""
    settings, wanted = known.settings, known.settings.furniture_share * len(rows)
    words = [max((piece.text for piece in row.pieces), key=len) for row in rows]
    texts = Counter(words)
    looks = Counter((row.pieces[0].look.family, row.pieces[0].look.size) for row in rows)
    echoed = sum(texts[text] > 1 or bool(known.titles.get(text, set()) - {row.page}) for row, text in zip(rows, words, strict=True))
    small = sum(row.size <= settings.footnote_size * known.body_size for row in rows)
    widest = sum(row.apart >= row.widest for row in rows)
    return max(looks.values()) >= wanted and widest >= wanted and max(echoed, small) >= wanted


def _find_same_places(known: Known) -> Iterator[Mark]:
    """Set apart from the body, at the height of the heads or feet of most pages, in their look."""
    places: dict[tuple[bool, int, Look], set[int]] = defaultdict(set)
    for page, _, edge in known.edges:
        if edge.line in known.found.lines[page]:
            for height in _heights(edge.baseline, known.settings):
                places[edge.head, height, edge.look].add(page)
    for rows in known.rows.values():
        for row in rows[:1]:
            pages = max(
                len(places[row.head, height, piece.look]) for piece in row.pieces for height in _heights(row.baseline, known.settings)
            )
            if pages >= max(known.settings.furniture_share * len(known.notes), known.settings.slot_pages) and is_apart(
                row, known.spacing, known.settings
            ):
                yield Mark(row.page, row.lines, _role(row.head), f"{pages} pages")


# -- what is none -------------------------------------------------------------------------------------------------------


def _find_captions(known: Known) -> Iterator[Mark]:
    for page, row, edge in known.edges:
        if CAPTION.match(edge.text) and row.number == edge.row:
            yield Mark(page, (edge.line,), None, "")


def _find_page_titles(known: Known) -> Iterator[Mark]:
    """Large type at the top of most pages whose text is another on most of them, as on slides: titles, though one may be repeated."""
    settings = known.settings
    if len(known.notes) < settings.slot_pages:
        return
    large = [(page, edge) for page, _, edge in known.edges if edge.head and edge.look.size > settings.head_size * known.body_size]
    wanted = settings.furniture_share * len(known.notes)
    texts: dict[str, set[int]] = defaultdict(set)
    for page, edge in large:
        texts[mask_digits(edge.text)].add(page)
    varied = {text for text, on in texts.items() if len(on) < max(wanted, settings.furniture_pages)}
    shown = {page for text in varied for page in texts[text]}
    if len(shown) >= wanted and len(varied) >= settings.furniture_share * len(shown):
        for page, edge in large:
            if mask_digits(edge.text) in varied:
                yield Mark(page, (edge.line,), None, f"{len(varied)} texts on {len(shown)} pages")


def _find_inside(known: Known) -> Iterator[Mark]:
    """Edge lines whose words occur about as often, in the same style, in the middle of pages."""
    at_edge = {(page, edge.line) for page, _, edge in known.edges}
    inside: dict[tuple[str, Look], set[int]] = defaultdict(set)
    for page, note in known.notes.items():
        for candidate in note.candidates:
            if all((page, line) not in at_edge for line in candidate.lines):
                inside[mask_digits(candidate.text), candidate.look].add(page)
    for page, _, edge in known.edges:
        pages = inside.get((mask_digits(edge.text), edge.look), set())
        often = known.alike.get((page, edge.head, edge.line), 1)
        if pages and len(pages) >= known.settings.inside_share * often:
            yield Mark(page, (edge.line,), None, f"on {len(pages)} pages")


def _find_body_starts(known: Known) -> Iterator[Mark]:
    """At the height at which the text of other pages begins, which looks otherwise or has no space below: the heads of tables that go
    on, headings."""
    first = {page: rows[0] for (page, head), rows in known.rows.items() if head and rows}
    begins: dict[int, Counter[tuple[Look, bool]]] = defaultdict(Counter)
    plain = _count_plain_heads(known, first)
    own = {
        page: (row.look, is_apart(row, known.spacing, known.settings))
        for page, row in first.items()
        if not any(_repeats(known, page, p) for p in row.pieces)
    }
    for page, kind in own.items():
        for height in _heights(first[page].top, known.settings):
            begins[height][kind] += 1
    for page, row in first.items():
        self_counted = page in own and own[page] != (row.look, True)
        others = max(begins[height].total() - begins[height][row.look, True] for height in _heights(row.top, known.settings)) - self_counted
        again = max(known.alike.get((page, True, piece.line), 1) for piece in row.pieces)
        slot = max(plain[height, row.look] for height in _heights(row.baseline, known.settings))
        if others > 0 and others >= known.settings.begins_share * max(again, slot):
            yield Mark(page, row.lines, None, f"{others} pages")


def _count_plain_heads(known: Known, first: Mapping[int, EdgeRow]) -> Counter[tuple[int, Look]]:
    """(height, look) -> pages that begin there in it, no larger nor bolder than the body, and set apart: running heads that name the
    chapter say the same on a few pages each, and stand in one place on all. Headings of the same kind would be prominent."""
    heads: Counter[tuple[int, Look]] = Counter()
    for row in first.values():
        plain = not row.look.bold and row.size < known.settings.heading_size * known.body_size
        if plain and is_apart(row, known.spacing, known.settings):
            heads.update((height, row.look) for height in _heights(row.baseline, known.settings))
    return heads


# -- other places -------------------------------------------------------------------------------------------------------


def _find_line_numbers(known: Known) -> Iterator[Mark]:
    """Where more than one page has them, or the only one."""
    numbered = [note for note in known.notes.values() if note.numbered]
    for note in numbered if len(numbered) > 1 or len(known.notes) == 1 else ():
        yield Mark(note.page, note.numbered, "page_margin", "")


def _find_places(known: Known) -> Iterator[Mark]:
    notes, settings = known.notes, known.settings
    places: dict[tuple[str, bool], list[tuple[int, float, float, tuple[int, ...]]]] = defaultdict(list)
    for page, note in notes.items():
        for side in note.sides:
            places[mask_digits(side.text), True].append((page, side.x0, side.top, (side.line,)))
        for c in note.candidates:
            if c.look.size >= settings.mark_size * known.body_size:
                places[c.text, False].append((page, c.x0, c.top, c.lines))
    turned_on, large_on = (
        max(settings.furniture_pages, settings.side_share * len(notes)),
        max(settings.furniture_pages + 1, settings.mark_share * len(notes)),
    )
    for (_, turned), each in places.items():
        needed, cells = turned_on if turned else large_on, defaultdict[tuple[int, int], set[int]](set)
        for page, x, y, _ in each:
            for cell in _cells(x, y, settings.furniture_band):
                cells[cell].add(page)
        for page, x, y, lines in each:
            often = max(len(cells[cell]) for cell in _cells(x, y, settings.furniture_band))
            if often >= needed:
                yield Mark(page, lines, "page_margin", f"on {often} pages")


def _cells(x: float, y: float, band: float) -> list[tuple[int, int]]:
    """The squares around a place, twice as wide as the band and overlapping by half: places a band apart share one."""
    columns, rows = {round(x / band), round(x / band + _HALF_BAND)}, {round(y / band), round(y / band + _HALF_BAND)}
    return [(column, row) for column in columns for row in rows]


# -- what stands once ---------------------------------------------------------------------------------------------------


def _find_lone(known: Known) -> Iterator[Mark]:
    """At the head or foot of a page where nothing repeats: in a short document, on a first page."""
    page_of = DocumentPage(len(known.notes), known.spacing, max(known.body_size, _LEAST_SIZE), known.settings)
    for (page, _), rows in known.rows.items():
        free = list(dropwhile(partial(_is_taken, known), rows))
        if not free or (len(free) < len(rows) and page > 1 and len(known.notes) >= known.settings.slot_pages):
            continue
        judged = judge_lone(free, len(free) < len(rows), known.notes[page], page_of)
        if judged is None or any(piece.line in known.refused[page] for row in judged[0] for piece in row.pieces):
            continue
        for row in judged[0]:
            yield Mark(page, row.lines, _lone_role(known, page, row) if judged[2] else None, judged[1])


def _is_taken(known: Known, row: EdgeRow) -> bool:
    return all(line in known.found.lines[row.page] for line in row.lines)


def _lone_role(known: Known, page: int, row: EdgeRow) -> str:
    value = printed_number(row.text)
    if value is None:
        return _role(row.head)
    known.found.labels.setdefault(page, value[1])
    return "page_number"


#: In this order: the first that takes or refuses a line decides.
RULES: Final[tuple[Rule, ...]] = (
    Rule("line_numbers", "numbers before the text count its lines", _find_line_numbers),
    Rule("captions", "a caption is no running head", _find_captions),
    Rule("page_titles", "large type that changes at the top of most pages is their title", _find_page_titles),
    Rule("inside_too", "the same line stands in the middle of pages: a heading", _find_inside),
    Rule("body_starts", "the text of other pages begins at this height", _find_body_starts),
    Rule("page_numbers", "a number runs with the pages", _find_numbers),
    Rule("repeats", "the same text at the same height, set apart from the body", _find_repeats),
    Rule("slots", "heads of one look that change stand at one height, set apart from the body", _find_slots),
    Rule("row_mates", "it shares the outermost row with furniture", _find_row_mates),
    Rule("same_places", "set apart where most pages have furniture, in its look", _find_same_places),
    Rule("places", "turned or large text at one place of many pages", _find_places),
    Rule("lone", "signs of place, look and content", _find_lone),
)
