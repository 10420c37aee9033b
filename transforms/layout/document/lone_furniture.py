"""Which lines at the edge of a page are furniture although nothing repeats? Signs of place, look and content, added up.

One page says little by itself: no sign decides alone but the plainest. Each has a weight; rows that stand together at the edge, a
block, are judged together, and taken from the sum `settings.lone_limit` on.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

from pdfmill.schemas.statistics import EdgeLine, PageNotes
from pdfmill.transforms.language.language_words import alternatives
from pdfmill.transforms.layout.page.page_margins import EdgeRow, is_apart
from pdfmill.transforms.layout.page.patterns import BULLET, ENDS_SENTENCE, FOOTNOTE_MARK, numbering_depth
from pdfmill.transforms.layout.settings.layout_settings import LayoutSettings

_PAGE_NUMBER: Final = re.compile(
    rf"^(?P<lead>(?:{alternatives(lambda language: language.page)})?\s*[-–—|•·\[(]?\s*)(?P<number>\d{{1,4}}|[ivxlc]{{1,7}}|[IVXLC]{{1,7}})"
    rf"(?P<tail>\s*[-–—|•·\])]?\s*(?:(?:/|{alternatives(lambda language: language.of)})\s*\d{{1,4}}"
    rf"|(?:{alternatives(lambda language: language.after_page)})+)?\s*\.?)$",
    re.IGNORECASE,
)
_LABEL: Final = re.compile(r"^(?:[A-Z]{1,2}|\d{1,3})\s?[-–]\s?\d{1,4}$|^[-–—\s]*\d{1,4}[-–—\s]*$")
_WORD_AND_NUMBER: Final = re.compile(r"^[^\W\d_]{1,10}\.?\s\d{1,3}$")
_ROMAN: Final = {"i": 1, "v": 5, "x": 10, "l": 50, "c": 100}
_ADDRESS: Final = re.compile(
    r"https?://|\bwww\.|\bdoi\b|\b10\.\d{4,}/|\S@\S+\.\w|\b[\w-]+\.(?:com|org|net|edu|gov|info|eu|de|fr|uk|nl|it|es|ru|ch|at|jp|cn|kr|br)\b",
    re.IGNORECASE,
)
_RIGHTS: Final = re.compile(r"©|\([cC]\)\s|℗|®\s|\bcopyright\b|\brights reserved\b|\bISSN\b|\bISBN\b", re.IGNORECASE)
_YEAR: Final = re.compile(r"(?<![\d.])(?:1[89]|20)\d\d(?!\d)")
_NUMBER: Final = re.compile(r"\d+")
_OF_PAGES: Final = re.compile(
    rf"(?<![\d/.])\d{{1,4}}\s*(?:/|{alternatives(lambda language: language.of)})\s*\d{{1,4}}(?![\d/.])", re.IGNORECASE
)


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


class _Block(NamedTuple):
    """Rows that stand together at one end of a page, outermost first. after: the row outward of them is furniture. pages: of the
    document; body_size, spacing: its own, points."""

    rows: Sequence[EdgeRow]
    after: bool
    note: PageNotes
    page: DocumentPage

    @property
    def settings(self) -> LayoutSettings:
        return self.page.settings

    @property
    def head(self) -> bool:
        return self.rows[0].head

    @property
    def text(self) -> str:
        return " ".join(row.text for row in self._down)

    @property
    def first(self) -> EdgeRow:
        """Its upmost row."""
        return self._down[0]

    @property
    def _down(self) -> Sequence[EdgeRow]:
        return self.rows if self.head else self.rows[::-1]

    @property
    def pieces(self) -> list[EdgeLine]:
        return [piece for row in self.rows for piece in row.pieces]

    @property
    def space(self) -> float:
        """Distance to the text, in line spacings; without limit on a page with nothing else."""
        apart = self.rows[-1].apart
        return apart / self.page.spacing if apart >= 0 and self.page.spacing > 0 else float("inf")

    @property
    def width(self) -> float:
        """Of its widest piece, as a share of the page's."""
        return max(piece.x1 - piece.x0 for piece in self.pieces) / max(self.note.width, 1.0)

    @property
    def size(self) -> float:
        """Of its largest type, in body sizes."""
        return max(row.size for row in self.rows) / self.page.body_size

    @property
    def title_size(self) -> float:
        """The largest type of what may be a heading elsewhere on the page, in body sizes."""
        own = {piece.line for piece in self.pieces}
        return max((c.look.size for c in self.note.candidates if own.isdisjoint(c.lines)), default=0.0) / self.page.body_size


class DocumentPage(NamedTuple):
    """What the signs ask of the document. spacing, body_size: points."""

    pages: int
    spacing: float
    body_size: float
    settings: LayoutSettings


class Sign(NamedTuple):
    """What speaks for furniture, or against it where the weight is negative."""

    name: str
    weight: float
    holds: Callable[[_Block], bool]


def _is_number(block: _Block) -> bool:
    """A piece of its only row is a page number, with its word only at the foot: at the head it may be a chapter's."""
    return (
        len(block.rows) == 1
        and len(block.pieces) <= block.settings.lone_pieces
        and any(_numbers_page(piece.text, block.head) for piece in block.pieces)
    )


def _numbers_page(text: str, head: bool) -> bool:
    value = printed_number(text)
    return (value is not None and value[1].isdecimal()) or bool(_LABEL.match(text)) or (not head and bool(_WORD_AND_NUMBER.match(text)))


def _is_dated(block: _Block) -> bool:
    """A year among other numbers: a volume, an issue, a date."""
    return bool(_YEAR.search(block.text)) and len(_NUMBER.findall(block.text)) > 1


def _is_outer(block: _Block) -> bool:
    outer = block.rows[0].baseline
    return (outer if block.head else block.note.height - outer) <= block.settings.outer_band * block.note.height


def _is_title(block: _Block) -> bool:
    """At the head, in the largest type of the page, or large in a document whose pages might repeat a running head."""
    settings = block.settings
    if not block.head or block.size <= settings.head_size:
        return False
    return block.page.pages > settings.furniture_pages or block.size >= settings.title_share * block.title_size


def _may_be_title(block: _Block) -> bool:
    """At the head of a first page that has no larger type."""
    return block.head and block.note.page == 1 and block.title_size <= max(block.size, block.settings.heading_size)


def _is_prose(block: _Block) -> bool:
    """Long lines of words, more than one or a whole sentence."""
    long = [row for row in block.rows if len(row.text) >= block.settings.prose_edge_chars]
    counted = len(_NUMBER.findall(block.text)) * block.settings.number_chars > len(block.text)
    return bool(long) and not counted and (len(long) > 1 or bool(ENDS_SENTENCE.search(block.rows[0].pieces[-1].tail)))


def _is_heading(block: _Block) -> bool:
    return (
        block.head and not _is_number(block) and (any(piece.look.bold for piece in block.pieces) or numbering_depth(block.first.text) > 0)
    )


def _says_nothing(block: _Block) -> bool:
    """In a document of some pages, words that no content gives away: what stands once at the edge is text then."""
    return block.page.pages >= block.settings.slot_pages and not any(sign.holds(block) for sign in CONTENT)


def _is_note(block: _Block) -> bool:
    """A footnote, or the rest of one whose beginning is further up."""
    if block.head:
        return False
    text = block.first.text
    marked = bool(FOOTNOTE_MARK.match(text)) and (len(text) > block.settings.note_chars or len(block.rows) > 1)
    return marked or (
        not _is_number(block)
        and block.space <= block.settings.lone_space
        and block.rows[-1].widest <= block.rows[-1].apart * block.settings.equal_gap
    )


#: What says by its words that it is furniture.
CONTENT: Final[tuple[Sign, ...]] = (
    Sign("page number", 0.7, _is_number),
    Sign("page of pages", 0.5, lambda block: bool(_OF_PAGES.search(block.text))),
    Sign("address", 0.5, lambda block: bool(_ADDRESS.search(block.text))),
    Sign("rights", 0.5, lambda block: bool(_RIGHTS.search(block.text))),
    Sign("date or volume", 0.3, _is_dated),
)
#: Weights come from the single pages of documents with gold, each read as a document of its own.
SIGNS: Final[tuple[Sign, ...]] = (
    *CONTENT,
    Sign("small type", 0.3, lambda block: block.size <= block.settings.footnote_size),
    Sign("outer margin", 0.3, _is_outer),
    Sign("short", 0.2, lambda block: block.width <= block.settings.lone_width),
    Sign("space", 0.2, lambda block: block.space > block.settings.lone_space),
    Sign("wide space", 0.2, lambda block: block.space > block.settings.lone_wide),
    Sign("rule", 0.3, lambda block: block.rows[-1].ruled),
    Sign("pieces", 0.2, lambda block: any(len(row.pieces) > 1 for row in block.rows)),
    Sign("above a title", 0.3, lambda block: block.head and block.title_size > block.settings.kicker_size * block.size),
    Sign("beside furniture", 0.3, lambda block: block.after),
    Sign("title", -0.8, _is_title),
    Sign("no other title", -0.4, _may_be_title),
    Sign("bold or numbered", -0.4, _is_heading),
    Sign("only words", -0.4, _says_nothing),
    Sign("prose", -0.4, _is_prose),
    Sign("list item", -0.8, lambda block: any(bool(BULLET.match(row.text)) and not _LABEL.match(row.text) for row in block.rows)),
    Sign("code", -0.8, lambda block: any(piece.look.monospaced for piece in block.pieces) and len(block.rows) > 1),
    Sign("note", -0.8, _is_note),
    Sign("many pieces", -0.8, lambda block: any(len(row.pieces) > block.settings.lone_pieces for row in block.rows)),
    Sign("table", -0.8, lambda block: any(row.in_table for row in block.rows)),
)


def judge_lone(rows: Sequence[EdgeRow], after: bool, note: PageNotes, page: DocumentPage) -> tuple[Sequence[EdgeRow], str, bool] | None:
    """The rows at one end of a page that the signs take, or those that they refused last, with what they say. rows: outermost first.

    A block goes up to a wide gap: the widest is asked first. None where nothing stands apart.
    """
    verdict = None
    ends = [n for n, row in enumerate(rows[: page.settings.lone_rows]) if is_apart(row, page.spacing, page.settings)]
    for last in sorted(ends, key=lambda n: -rows[n].apart if rows[n].apart >= 0 else float("-inf")):
        block = _Block(rows[: last + 1], after, note, page)
        holding = [sign for sign in SIGNS if sign.holds(block)]
        total = round(sum(sign.weight for sign in holding), 2)
        verdict = (
            block.rows,
            " + ".join(f"{sign.name} {sign.weight:g}" for sign in holding) + f" = {total:g}",
            total >= page.settings.lone_limit,
        )
        if verdict[-1]:
            break
    return verdict
