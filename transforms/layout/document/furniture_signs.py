"""Measure features of lines at the top and bottom of pages that show whether they are running heads, footers or page numbers.
They are relative to the document: to its font size, its line spacing, and the edges of its other pages."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache
from math import log2
from typing import Final, NamedTuple

from pdfmill.schemas.statistics import EdgeLine, Look, PageNotes
from pdfmill.transforms.language.language_words import alternatives
from pdfmill.transforms.layout.page.page_margins import EdgeRow, edge_rows, is_apart
from pdfmill.transforms.layout.page.patterns import (
    BULLET,
    CAPTION,
    FOOTNOTE_MARK,
    ends_sentence,
    mask_digits,
    numbering_depth,
    roman_value,
)
from pdfmill.transforms.layout.settings.layout_settings import LayoutSettings

#: Descriptions of the signs, by name.
SIGNS: Final[dict[str, str]] = {
    "repeats": "is on other pages at this height",
    "repeats_share": "on many of the pages",
    "near": "is much like a line at this height of a page near by",
    "inside": "occurs in the middle of pages too",
    "series": "its number increases with the pages",
    "running_plain": "the same in type like the text's",
    "every_page": "on nearly all of several pages",
    "heads_number": "beside a page number, where many pages have a row of this look",
    "beyond_text": "further out than the text of any other page",
    "apart": "space to the text",
    "parted": "space or a rule between it and the text",
    "outer": "at the very edge",
    "margin": "near the edge",
    "row": "rows further out",
    "few_pages_apart": "set apart in a document too short to repeat it",
    "few_pages_outermost": "outermost in a document too short to repeat it",
    "many_pages": "in a document of several pages",
    "few_lines": "on a page of few lines",
    "size": "size of its type",
    "small": "small type",
    "large_head": "large type at the head",
    "italic": "slanted type",
    "width": "its width",
    "full": "reaches the end of its column",
    "number_outermost": "a number in the outermost row",
    "beside_number": "beside a page number",
    "of_pages": "a page's number among all",
    "rights": "a notice of rights",
    "lower": "begins with a small letter",
    "numbered": "numbered like a heading",
    "note": "begins like a footnote",
    "prose": "several words that end a sentence",
}

_PAGE_NUMBER: Final = re.compile(
    rf"^(?P<lead>(?:{alternatives(lambda language: language.page)})?\s*[-–—|•·\[(]?\s*)(?P<number>\d{{1,4}}|[ivxlc]{{1,7}}|[IVXLC]{{1,7}})"
    rf"(?P<tail>\s*[-–—|•·\])]?\s*(?:(?:/|{alternatives(lambda language: language.of)})\s*\d{{1,4}}"
    rf"|(?:{alternatives(lambda language: language.after_page)})+)?\s*\.?)$",
    re.IGNORECASE,
)
_LABEL: Final = re.compile(r"^(?:[A-Z]{1,2}|\d{1,3})\s?[-–]\s?\d{1,4}$|^[-–—\s]*\d{1,4}[-–—\s]*$")
_RIGHTS: Final = re.compile(r"©|\([cC]\)\s|℗|®\s|\bcopyright\b|\brights reserved\b|\bISSN\b|\bISBN\b", re.IGNORECASE)
_OF_PAGES: Final = re.compile(
    rf"(?<![\d/.])\d{{1,4}}\s*(?:/|{alternatives(lambda language: language.of)})\s*\d{{1,4}}(?![\d/.])", re.IGNORECASE
)
_DIGITS: Final = re.compile(r"\d+")
#: A word of a running head that may be a page number.
_NUMBER_WORD: Final = re.compile(r"\b(?:\d{1,4}|[ivxlc]{1,7}|[IVXLC]{1,7})\b")
#: Share by which neighbouring bands (ranges of heights on the page) overlap.
HALF_BAND: Final = 0.5
#: Share of pages that counts as nearly all.
_EVERY: Final = 0.9
#: Smallest and largest difference of size, relative to the body, that is used; larger differences are limited to these.
_SMALLER, _LARGER = -0.5, 1.0
#: Pages from which repetition can be expected.
_MANY_PAGES: Final = 3
#: Doublings, line spacings and sizes beyond which a sign no longer increases.
_MOST: Final = 4
#: Lines on one row that are counted: left, middle, right and one more. Drawings and tables have more.
_PIECES: Final = 4
#: Offsets of pages whose lines are compared; two on each side, because heads of left and right pages alternate.
_NEAR_PAGES: Final = (-2, -1, 1, 2)
#: Distances from the edge, in page heights, of lines that are very near and near.
_OUTER, _MARGIN = 0.07, 0.1
#: Texts whose results are cached, because several functions are called for the same line.
_KEPT: Final = 4096
#: Words from which a line may be a sentence.
_WORDS: Final = 5


@lru_cache(_KEPT)
def printed_number(text: str) -> tuple[int, str] | None:
    """Return the value and the text of a page number that is the only text of a line; None for other lines."""
    match = _PAGE_NUMBER.match(text.strip())
    if match is None:
        return None
    number = match["number"]
    return (int(number) if number.isdecimal() else roman_value(number.upper())), number


class Edge(NamedTuple):
    """A line at the top or bottom of a page, with the rows around it. parted: whether each row is separated from the next one inwards."""

    page: int  # number from 1
    rows: Sequence[EdgeRow]  # all rows at that end of the page, outermost first
    parted: Sequence[bool]  # for each row, whether space or a rule separates it from the next one
    n: int  # index of the line's row in `rows`
    piece: EdgeLine  # the line
    leads: bool  # it is larger or bolder than the text, and the most prominent line of the page

    @property
    def row(self) -> EdgeRow:
        return self.rows[self.n]

    @property
    def is_parted(self) -> bool:
        """Whether space or a rule separates the row from the text."""
        return any(self.parted[self.n :])

    @property
    def heads_table(self) -> bool:
        """Whether several lines of the next row begin at the same positions as those of this row, as below a table header."""
        below = self.rows[self.n + 1].pieces if self.row.head and self.n + 1 < len(self.rows) else ()
        return sum(any(abs(one.x0 - two.x0) <= one.look.size / 2 for two in below) for one in self.row.pieces) > 1

    @property
    def is_number(self) -> bool:
        value = printed_number(self.piece.text)
        return bool(_LABEL.match(self.piece.text)) or (value is not None and value[1].isdecimal())


class Refusal(NamedTuple):
    """A condition under which a line is never a running head, a footer or the like, whatever its features are."""

    name: str
    says: str  # the reason in words
    holds: Callable[[Edge, int], bool]  # the test of a line and the number of pages on which it repeats


REFUSALS: Final = (
    Refusal("in_text", "it is neither repeated nor separated from the text", lambda edge, often: often < 2 and not edge.is_parted),
    Refusal("in_table", "it is inside a drawn table", lambda edge, often: edge.piece.in_table),
    Refusal("many_pieces", "it is one of many parts of a row", lambda edge, often: len(edge.row.pieces) > _PIECES),
    Refusal(
        "title",
        "it is the most prominent line of its page, and no other page repeats it",
        lambda edge, often: often < 2 and edge.row.head and edge.leads,
    ),
    Refusal(
        "item", "it is an item of a list", lambda edge, often: often < 2 and bool(BULLET.match(edge.piece.text)) and not edge.is_number
    ),
    Refusal("caption", "it is a caption", lambda edge, often: bool(CAPTION.match(edge.piece.text))),
    Refusal(
        "table_head", "it is the header of a table: the parts of the row below begin where its own do", lambda edge, often: edge.heads_table
    ),
    Refusal("alone", "it is alone on its page", lambda edge, often: edge.row.apart < 0 and not (edge.n == 0 and edge.is_number)),
)


def read_signs(
    notes: Mapping[int, PageNotes], spacing: float, em: float, settings: LayoutSettings
) -> Iterator[tuple[Edge, Refusal | None, dict[str, float]]]:
    """Yield each line at the top or bottom of a page, the refusal that applies to it or None, and its signs (features) by name. If a
    refusal applies, there are no signs.

    spacing: line spacing of the document, points, not 0. em: font size of its body, points, not 0.
    """
    reader = _SignReader(notes, spacing, em, settings)
    for edge in reader.edges:
        often = reader.alike[edge.page, edge.piece.head, edge.piece.line]
        refusal = next((refusal for refusal in REFUSALS if refusal.holds(edge, often)), None)
        yield edge, refusal, reader.read(edge) if refusal is None else {}


class _SignReader:
    def __init__(self, notes: Mapping[int, PageNotes], spacing: float, em: float, settings: LayoutSettings) -> None:
        self.notes, self.spacing, self.em, self.settings = notes, spacing, em, settings
        self.edges: list[Edge] = []
        for page, note in sorted(notes.items()):
            for rows in (edge_rows(note, head, settings) for head in (True, False)):
                parted = [is_apart(row, spacing, settings) for row in rows]
                self.edges += [
                    Edge(page, rows, parted, n, piece, self._leads(piece, note)) for n, row in enumerate(rows) for piece in row.pieces
                ]
        places: dict[tuple[int, bool, int], set[tuple[bool, int, int, bool]]] = defaultdict(set)
        for edge in self.edges:
            places[edge.page, edge.row.head, edge.n].update(self._count_places(edge))
        # numbers beside a text count for those alone in their rows too
        counted = {((*p[:3], beside), row[0]) for row, own in places.items() for p in own for beside in (p[3], False)}
        series = Counter(place for place, _ in counted)
        self.series = {row: max((series[place] for place in own), default=1) for row, own in places.items()}
        self.alike = self._count_alike()
        self.texts: dict[tuple[int, bool, int], list[str]] = defaultdict(list)
        self.looks: dict[tuple[bool, int, Look], set[int]] = defaultdict(set)
        for edge in self.edges:
            outer = (edge.parted[edge.n] or self._count_on(edge) >= _MANY_PAGES) and not any(edge.parted[: edge.n])
            for height in self._heights(edge.piece):
                self.texts[edge.page, edge.piece.head, height].append(edge.piece.text)
                if outer:
                    self.looks[edge.piece.head, height, edge.row.look].add(edge.page)
        self.inside = self._count_inside()
        self.outermost = {head: self._outermost_text(head) for head in (True, False)}

    def read(self, edge: Edge) -> dict[str, float]:
        """Return the value of every feature of `SIGNS`, by name."""
        return self._repetition(edge) | self._place(edge) | self._look(edge) | self._words(edge)

    def _leads(self, piece: EdgeLine, note: PageNotes) -> bool:
        """Return whether the line is the most prominent one of its page: largest, or the only bold one."""
        own, plain = self._prominence(piece.look), (0.0, False)
        if own == plain:  # most lines
            return False
        others = max((self._prominence(c.look) for c in note.candidates if piece.line not in c.lines), default=plain)
        return own > max(others, plain) or own == others > (0.0, True)

    def _prominence(self, look: Look) -> tuple[float, bool]:
        return look.size if look.size >= self.settings.heading_size * self.em else 0.0, look.bold

    def _heights(self, piece: EdgeLine) -> set[int]:
        """Return the bands of height that contain a line. They overlap by half, so that lines at similar heights share one."""
        height = piece.baseline / self.settings.furniture_band
        return {round(height), round(height + HALF_BAND)}

    def _count_alike(self) -> dict[tuple[int, bool, int], int]:
        pages: dict[tuple[bool, int, tuple[str, ...]], set[int]] = defaultdict(set)
        places: dict[tuple[int, bool, int], list[tuple[bool, int, tuple[str, ...]]]] = {}
        for edge in self.edges:
            piece, said = edge.piece, list(self._signatures(edge))
            places[edge.page, piece.head, piece.line] = own = [
                (piece.head, height, text) for text in said for height in self._heights(piece)
            ]
            for place in own:
                pages[place].add(edge.page)
        return {line: max((len(pages[place]) for place in own), default=1) for line, own in places.items()}

    def _signatures(self, edge: Edge) -> Iterator[tuple[str, ...]]:
        """Yield keys by which lines of different pages match: equal words, with numbers that are equal or increase with the page."""
        key, numbers = mask_digits(edge.piece.text), _DIGITS.findall(edge.piece.text)
        if any(map(str.isalnum, edge.piece.text)):
            yield (key, *numbers)
            if self._count_on(edge) > 1:
                yield (key,)

    def _count_places(self, edge: Edge) -> Iterator[tuple[bool, int, int, bool]]:
        """Yield (True at the top, band of heights, offset, whether the row has a text too) for each number of the line that may be the
        page's. offset: this number minus the number of the page. Numbers alone in their rows do not count for those beside a text, because
        a line of text may end level with one of them."""
        piece, text, look = edge.piece, edge.piece.text, edge.piece.look
        words = [text] if printed_number(text) else _NUMBER_WORD.findall(f"{text} {piece.tail}")
        prominent = look.bold or look.size >= self.settings.heading_size * self.em
        if piece.in_table or (prominent and words != [text] and numbering_depth(text)):
            return  # chapters begin at one height, and their numbers may increase with the pages
        beside = words != [text] or len(edge.row.pieces) > 1
        for value in {number[0] for word in words if (number := printed_number(word))}:
            yield from ((piece.head, height, value - edge.page, beside) for height in self._heights(piece))

    def _count_on(self, edge: Edge) -> int:
        """Return on how many pages a number at the line's height, alone or in a text as here, is as far from the number of its page as one
        in the line's row is; 1 without one."""
        return self.series[edge.page, edge.row.head, edge.n]

    def _outermost_text(self, head: bool) -> list[tuple[float, int]]:
        """Return (distance from the edge in points, page) of the two pages whose text comes nearest to the edge."""
        found: dict[int, float] = {}
        for edge in self.edges:
            text = edge.piece.head == head and edge.row.apart >= 0 and not edge.parted[edge.n]
            if text and edge.page not in found and all(self.alike[edge.page, head, line] < 2 for line in edge.row.lines):
                found[edge.page] = _distance(edge.row, self.notes[edge.page])
        return sorted((distance, page) for page, distance in found.items())[:2]

    def _count_inside(self) -> dict[tuple[str, Look], set[int]]:
        at_edge = {(edge.page, edge.piece.line) for edge in self.edges}
        inside: dict[tuple[str, Look], set[int]] = defaultdict(set)
        for page, note in self.notes.items():
            for candidate in note.candidates:
                if all((page, line) not in at_edge for line in candidate.lines):
                    inside[mask_digits(candidate.text), candidate.look].add(page)
        return inside

    def _repetition(self, edge: Edge) -> dict[str, float]:
        piece, pages = edge.piece, len(self.notes)
        often = self.alike[edge.page, piece.head, piece.line]
        inside = len(self.inside.get((mask_digits(piece.text), piece.look), ()))
        series = self._count_on(edge)
        running = max(len(self.looks.get((piece.head, height, edge.row.look), ())) for height in self._heights(piece)) / pages
        plain = not piece.look.bold and piece.look.size < self.settings.heading_size * self.em
        marks = [printed_number(o.text) or self.alike[edge.page, o.head, o.line] >= _MANY_PAGES for o in edge.row.pieces if o is not piece]
        beside = any(marks) or (series >= _MANY_PAGES and not printed_number(piece.text))
        return {
            "repeats": min(log2(often), _MOST),
            "repeats_share": often / pages if pages > 1 else 0.0,
            "near": self._nearest(edge),
            "inside": inside >= self.settings.side_share * often,
            "series": min(log2(series), _MOST),
            "running_plain": running if pages >= _MANY_PAGES and plain else 0.0,
            "every_page": pages >= _MANY_PAGES and often >= _EVERY * pages,
            "heads_number": beside and running if pages > 1 else 0.0,
            "beside_number": beside,
            "many_pages": pages >= _MANY_PAGES,
        }

    def _nearest(self, edge: Edge) -> float:
        """Return the similarity, 0 to 1, to the most similar line at the same height on a nearby page."""
        head, heights = edge.piece.head, self._heights(edge.piece)
        texts = {other for step in _NEAR_PAGES for height in heights for other in self.texts.get((edge.page + step, head, height), ())}
        if edge.piece.text in texts:
            return 1.0
        own = _pairs(edge.piece.text)
        return max((2 * len(own & other) / (len(own) + len(other)) for other in map(_pairs, texts)), default=0.0)

    def _place(self, edge: Edge) -> dict[str, float]:
        row, note = edge.row, self.notes[edge.page]
        distance = _distance(row, note)
        text = next((at for at, page in self.outermost[row.head] if page != edge.page), None)
        few_pages = len(self.notes) < _MANY_PAGES
        return {
            "beyond_text": text is not None and text > distance + self.spacing / 2,
            "apart": min(row.apart / self.spacing, _MOST),
            "parted": edge.is_parted,
            "outer": distance <= _OUTER * note.height,
            "margin": distance <= _MARGIN * note.height,
            "row": min(edge.n, _MOST),
            "few_pages_apart": few_pages and edge.is_parted,
            "few_pages_outermost": few_pages and edge.n == 0,
            "few_lines": note.lines <= self.settings.few_lines,
        }

    def _look(self, edge: Edge) -> dict[str, float]:
        piece, width = edge.piece, max(self.notes[edge.page].width, 1.0)
        size = piece.look.size / self.em
        return {
            "size": max(_SMALLER, min(size - 1, _LARGER)),
            "small": size <= self.settings.footnote_size,
            "large_head": piece.head and size > self.settings.large_size,
            "italic": piece.look.italic,
            "width": (piece.x1 - piece.x0) / width,
            "full": piece.full,
        }

    def _words(self, edge: Edge) -> dict[str, float]:
        piece, text = edge.piece, edge.piece.text
        return {
            "number_outermost": edge.n == 0 and edge.is_number,
            "of_pages": bool(_OF_PAGES.search(text)),
            "rights": bool(_RIGHTS.search(text)),
            "lower": text[:1].islower(),
            "numbered": numbering_depth(text) > 0 and self._count_on(edge) < _MANY_PAGES,
            "note": not piece.head and bool(FOOTNOTE_MARK.match(text)) and not edge.is_number,
            "prose": text.count(" ") >= _WORDS and ends_sentence(piece.tail),
        }


def _distance(row: EdgeRow, note: PageNotes) -> float:
    return row.baseline if row.head else note.height - row.baseline


@lru_cache(_KEPT)
def _pairs(text: str) -> frozenset[str]:
    masked = "".join(c for c in mask_digits(text) if c.isalnum() or c == "#")
    return frozenset(masked[n : n + 2] for n in range(max(1, len(masked) - 1)))
