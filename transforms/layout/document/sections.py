"""Divide the blocks of a document into sections: the text under a heading, in sizes for search engines and language models.
A section begins at each heading, and where a table, a list of references or a long listing begins or ends. Longer text is divided at the
ends of paragraphs. Running heads and page numbers are left out."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from hashlib import sha256
from itertools import pairwise
from typing import Any, Final

from msgspec import Struct, field

from pdfmill.schemas.codes import FURNITURE_ROLES
from pdfmill.schemas.declare import Row, as_row
from pdfmill.schemas.records import DocId, section_id
from pdfmill.schemas.rows import SectionPlace, SectionRow

#: Roles of blocks that begin a section.
_HEADINGS: Final = ("title", "heading")
#: Kind of a section by role of its blocks; the kind of other roles is text.
_KINDS: Final = {"table": "table", "code": "code", "contents": "contents", "index": "contents", "reference": "references"}
#: Kinds that never share a section with text. Short code may, because a short listing is read with the text around it.
_APART: Final = ("table", "contents", "references")
_BLANK_LINE: Final = "\n\n"
#: Positions at which a block that is too long may be divided, in order of preference: after a line, a sentence, a word.
_ENDS: Final = (re.compile(r"\n"), re.compile(r"[.!?…]['\"”’)\]]*\s|[。！？]"), re.compile(r"\s"))


class SectionSettings(Struct, frozen=True):
    """Limits on the length of a section."""

    #: Characters of a section; longer text is cut. 2,000 characters are about 500 tokens of English, as many as common embedding models
    #: take (512), and no more than a page of a book, so that a search hit names the passage.
    chars: int = 2000  # characters
    code_share: float = 0.25  # share of `chars`; a longer listing is a section of its own
    least_share: float = 0.5  # share of `chars` before which a block is not divided, or by which one over two pages exceeds them


DEFAULT_SECTIONS: Final = SectionSettings()


def section_rows(doc_id: DocId, blocks: Iterable[Row], settings: SectionSettings = DEFAULT_SECTIONS) -> Iterator[Row]:
    """Yield the rows of `sections` of a document. blocks: the document's rows of `blocks`, of all pages in order."""
    for number, section in enumerate(_sections(_pieces(blocks, settings), settings), start=1):
        yield as_row(_row(doc_id, number, section))


class _Piece(Struct):
    """A block, or a part of a long one. start: offset in the page's text. carries_on: it continues the piece before it. kind: a key of
    `SECTION_KINDS`."""

    role: str
    level: int | None  # of a heading, 0 for a title, None for other blocks
    path: list[str]  # the headings above it
    text: str
    page: int
    start: int  # offset into the page's text
    boxes: list[Any]
    language: str | None
    carries_on: bool  # it continues the text of the piece before it
    kind: str  # see `SECTION_KINDS`


class _Section(Struct):
    """A section under construction."""

    pieces: list[_Piece] = field(default_factory=list)
    kind: str | None = None  # None while it contains headings only
    length: int = 0  # characters

    def add(self, piece: _Piece, kind: str | None) -> None:
        self.length += len(piece.text) + len(_BLANK_LINE)
        self.pieces.append(piece)
        self.kind = self.kind or kind


def _pieces(blocks: Iterable[Row], settings: SectionSettings) -> Iterator[_Piece]:
    for block in blocks:
        row: dict[str, Any] = block
        if row["role"] in FURNITURE_ROLES or row["text_start"] is None or not row["text"]:
            continue
        level = (row["level"] or 1 if row["role"] == "heading" else 0) if row["role"] in _HEADINGS else None
        for place, (start, end) in enumerate(_cuts(row["text"], settings.chars, settings.least_share)):
            yield _Piece(
                row["role"], level, row["heading_path"], row["text"][start:end], row["page"], row["text_start"] + start,
                row["boxes"] or [], row["language"], row["continues"] and not place, _KINDS.get(row["role"], "text"),
            )  # fmt: skip


def _cuts(text: str, chars: int, least_share: float) -> Iterator[tuple[int, int]]:
    """Yield the start and end of the parts of a text, each at most `chars` long. Only white space between the parts is left out."""
    start = 0
    while len(text) - start > chars:
        end = start + _end(text[start : start + chars], int(least_share * chars))
        yield start, start + len(text[start:end].rstrip())
        start = end + len(text[end:]) - len(text[end:].lstrip())
    if start < len(text):
        yield start, len(text)


def _end(text: str, least: int) -> int:
    """Return the offset after the last line, sentence or word that ends after offset `least`; the text's length if there is none."""
    for ends in _ENDS:
        places = [match.end() for match in ends.finditer(text, least)]
        if places:
            return places[-1]
    return len(text)


def _sections(pieces: Iterable[_Piece], settings: SectionSettings) -> Iterator[_Section]:
    section = _Section()
    for piece, following in pairwise(_and_none(pieces)):
        assert piece is not None
        kind = _kind_of(piece, following, section, settings)
        if section.pieces and _begins(piece, kind, section, settings):
            yield section
            section = _Section()
        section.add(piece, kind)
    if section.pieces:
        yield section


def _and_none(pieces: Iterable[_Piece]) -> Iterator[_Piece | None]:
    yield from pieces
    yield None


def _kind_of(piece: _Piece, following: _Piece | None, section: _Section, settings: SectionSettings) -> str | None:
    """Return the kind of section to which the piece belongs; None for a heading, which joins the text below it."""
    if piece.level is not None:
        return None
    if piece.role == "caption" and (section.kind == "table" or (following is not None and following.kind == "table")):
        return "table"
    if piece.kind == "code" and section.kind != "code" and len(piece.text) < settings.code_share * settings.chars:
        return "text"
    return piece.kind


def _begins(piece: _Piece, kind: str | None, section: _Section, settings: SectionSettings) -> bool:
    last = section.pieces[-1]
    if kind is None:  # a heading directly under another, such as a chapter and its first part, joins its section
        return section.kind is not None or (piece.role != "title" and (piece.level or 0) <= (last.level or 0))
    if section.kind is None:
        return False
    if kind != section.kind or (piece.path != last.path and not piece.carries_on):
        return True
    if kind == "table" and piece.role == "table" and not piece.carries_on and any(each.role == "table" for each in section.pieces):
        return True
    more = settings.least_share if piece.carries_on and piece.role == last.role else 0.0
    return section.length + len(piece.text) > (1.0 + more) * settings.chars


def _row(doc_id: DocId, number: int, section: _Section) -> SectionRow:
    text, places = _joined(section.pieces)
    parts = [each for place, each in enumerate(section.pieces) if not place or each.boxes is not section.pieces[place - 1].boxes]
    return SectionRow(
        doc_id=doc_id,
        section=number,
        id=section_id(doc_id, number),
        heading_path=section.pieces[-1].path,
        text=text,
        text_sha256=sha256(text.encode("utf-8", "surrogatepass")).hexdigest(),
        kind=_kind(section),
        language=_language(section.pieces),
        first_page=section.pieces[0].page,
        last_page=max(piece.page for piece in section.pieces),
        boxes=[box for piece in parts for box in piece.boxes],
        places=places,
    )


def _joined(pieces: Sequence[_Piece]) -> tuple[str, list[SectionPlace]]:
    """Return the text of a section, and the stretches of it that occur unchanged in the text of a page."""
    text: list[str] = []
    places: list[SectionPlace] = []
    offset = 0
    for number, piece in enumerate(pieces):
        between = _between(pieces[number - 1], piece) if number else ""
        text += (between, piece.text)
        offset += len(between)
        end = piece.start + len(piece.text)
        last = places[-1] if places else None
        if last is not None and between == _BLANK_LINE and (last.page, last.end + len(between)) == (piece.page, piece.start):
            places[-1] = SectionPlace(last.page, last.start, end, last.offset)
        else:
            places.append(SectionPlace(piece.page, piece.start, end, offset))
        offset += len(piece.text)
    return "".join(text), places


def _between(last: _Piece, piece: _Piece) -> str:
    """Return the text between two pieces: a blank line; or, inside one block, a space in running text and a line feed elsewhere."""
    if not piece.carries_on or last.role != piece.role:
        return _BLANK_LINE
    return "\n" if piece.kind != "text" else " "


def _kind(section: _Section) -> str:
    """Return the section's kind: that of a table, of contents or references, else the kind of most of its characters."""
    if section.kind in _APART:
        return section.kind
    counts: Counter[str] = Counter()
    for piece in section.pieces:
        if piece.level is None:
            counts[piece.kind] += len(piece.text)
    return counts.most_common(1)[0][0] if counts else "text"


def _language(pieces: Iterable[_Piece]) -> str | None:
    counts: Counter[str] = Counter()
    for piece in pieces:
        if piece.language is not None:
            counts[piece.language] += len(piece.text)
    return counts.most_common(1)[0][0] if counts else None
