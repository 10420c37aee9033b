"""Find the text around the body of pages, called furniture: running heads, footers, page numbers, publishers' notices.
Lines at the top and bottom are judged by a logistic regression, trained by `benchmarks/judgement/train_furniture.py`."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import Final

from msgspec import Struct, field

from pdfmill.schemas.records import Decision
from pdfmill.schemas.statistics import PageNotes
from pdfmill.transforms.layout.document.furniture_signs import HALF_BAND, SIGNS, printed_number, read_signs
from pdfmill.transforms.layout.document.weights import Weights, read_weights
from pdfmill.transforms.layout.page.patterns import mask_digits
from pdfmill.transforms.layout.settings.layout_settings import DEFAULTS, LayoutSettings

#: Weights of the signs.
WEIGHTS: Weights = read_weights()["furniture"]
#: Points; smallest body size used, because type in damaged files may have no size.
_LEAST_SIZE: Final = 0.1
#: Signs named in the reason of a decision.
_NAMED: Final = 4


class Furniture(Struct):
    """The running heads, footers and page numbers of a document, by page: roles by line, printed numbers, and reasons if requested."""

    lines: dict[int, dict[int, str]] = field(default_factory=lambda: defaultdict(dict))  # line index -> role
    labels: dict[int, str] = field(default_factory=dict)  # the printed page number
    why: dict[int, list[Decision]] = field(default_factory=lambda: defaultdict(list))  # the reasons, if requested


def find_furniture(notes: Mapping[int, PageNotes], spacing: float, body_size: float, settings: LayoutSettings = DEFAULTS) -> Furniture:
    """Return the running heads, footers and page numbers of a document.
    notes: facts about each page, by page number. spacing: median line spacing, points. body_size: font size of the body, points."""
    found, em = Furniture(), max(body_size, _LEAST_SIZE)
    for page, lines, rule, says in (*_find_line_numbers(notes), *_find_places(notes, em, settings)):
        found.lines[page].update(dict.fromkeys(lines, "page_margin"))
        if settings.explain:
            found.why[page].append(Decision("furniture", rule, lines, True, says))
    series: dict[int, float] = {}
    for edge, refusal, signs in read_signs(notes, spacing or em, em, settings):
        score = judge(signs)
        taken = score >= 0 and refusal is None
        if settings.explain:
            rule, says = (refusal.name, refusal.says) if refusal else _reasons(signs, score)
            found.why[edge.page].append(Decision("furniture", rule, (edge.piece.line,), taken, says))
        if not taken:
            continue
        number = printed_number(edge.piece.text)
        found.lines[edge.page][edge.piece.line] = "page_number" if number else "page_header" if edge.piece.head else "page_footer"
        if number and signs["series"] > series.get(edge.page, -1.0):
            found.labels[edge.page], series[edge.page] = number[1], signs["series"]
    return found


def judge(signs: Mapping[str, float]) -> float:
    """Return the log odds that a line with these features, by name, is a running head, a footer or the like."""
    return WEIGHTS.bias + sum([WEIGHTS.weights.get(name, 0.0) * value for name, value in signs.items()])


def _reasons(signs: Mapping[str, float], score: float) -> tuple[str, str]:
    """Return the name of the heaviest feature, and the reasons: "+1.3: at the very edge +2.1, small type +.9, its width -.6"."""
    parts = {name: WEIGHTS.weights.get(name, 0.0) * value for name, value in signs.items()}
    heaviest = sorted((name for name in parts if parts[name]), key=lambda name: -abs(parts[name]))[:_NAMED]
    says = f"{score:+.1f}: " + ", ".join(f"{SIGNS[name]} {parts[name]:+.1f}" for name in heaviest)
    return max(parts, key=lambda name: parts[name] if score >= 0 else -parts[name]), says


def find_lone(notes: Mapping[int, PageNotes], furniture: Mapping[int, Mapping[int, str]]) -> dict[int, frozenset[int]]:
    """Return, by page, the running heads and footers whose words are on no other page. Numbers are not compared."""
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


def _find_line_numbers(notes: Mapping[int, PageNotes]) -> Iterator[tuple[int, tuple[int, ...], str, str]]:
    numbered = [note for note in notes.values() if note.numbered]
    for note in numbered if len(numbered) > 1 or len(notes) == 1 else ():
        yield note.page, note.numbered, "line_numbers", "numbers before the text count its lines"


def _find_places(notes: Mapping[int, PageNotes], em: float, settings: LayoutSettings) -> Iterator[tuple[int, tuple[int, ...], str, str]]:
    """Yield (page, lines, rule, reason) for rotated or large text at one position on many pages, such as watermarks."""
    places: dict[tuple[str, bool], list[tuple[int, float, float, tuple[int, ...]]]] = defaultdict(list)
    for page, note in notes.items():
        for side in note.sides:
            places[mask_digits(side.text), True].append((page, side.x0, side.top, (side.line,)))
        for c in note.candidates:
            if c.look.size >= settings.mark_size * em:
                places[c.text, False].append((page, c.x0, c.top, c.lines))
    for (_, turned), each in places.items():
        needed = max(2, settings.side_share * len(notes)) if turned else max(3, len(notes) / 2)
        cells = defaultdict[tuple[int, int], set[int]](set)
        for page, x, y, _ in each:
            for cell in _cells(x, y, settings.furniture_band):
                cells[cell].add(page)
        for page, x, y, lines in each:
            often = max(len(cells[cell]) for cell in _cells(x, y, settings.furniture_band))
            if often >= needed:
                yield page, lines, "places", f"rotated or large text is at the same position on {often} pages"


def _cells(x: float, y: float, band: float) -> list[tuple[int, int]]:
    """Return the overlapping squares that contain a point. Two points at most `band` points apart share one of them."""
    columns, rows = {round(x / band), round(x / band + HALF_BAND)}, {round(y / band), round(y / band + HALF_BAND)}
    return [(column, row) for column in columns for row in rows]
