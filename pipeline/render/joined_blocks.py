"""Make the units of a document that `pdfmill show` prints: blocks joined across pages, with links, without running heads and page
numbers."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from enum import Enum
from itertools import accumulate
from typing import Final, NamedTuple
from unicodedata import east_asian_width
from urllib.parse import quote, urlsplit

from msgspec import Struct, field
from msgspec.structs import replace

from pdfmill.pipeline.render.cells import Cell, read_cells, without_repeated
from pdfmill.pipeline.render.images import Picture
from pdfmill.pipeline.render.rows import DocumentRows, box_in, real_in, structs_in, text_in, whole_in
from pdfmill.schemas.codes import FURNITURE_ROLES
from pdfmill.schemas.records import Row
from pdfmill.schemas.scripts import RAISED_FIGURES, holds_rtl
from pdfmill.transforms.layout.page.hyphens import join_lines
from pdfmill.transforms.layout.page.patterns import ITEM_BULLET, ends_sentence, starts_lower

#: Points by which a word may extend beyond its link's rectangle: rectangles are drawn around glyphs, word boxes around advance widths.
LINK_SLACK_POINTS: Final = 1.0
#: Roles of text that belongs to the picture on which it lies.
_LABEL_ROLES: Final = frozenset({"other", "caption"})
#: Roles of blocks between the halves of a sentence that a page break parts: figures, tables and notes stand at heads and feet of pages.
_BETWEEN: Final = frozenset({"image", "table", "caption", "footnote", "other"})
#: What is left out of a document of one page, where no head or foot can run on.
_NUMBERS: Final = frozenset({"page_number", "page_margin"})
#: Deepest level of list items; deeper ones are shown at this level.
MAX_LIST_DEPTH: Final = 8
#: An e-mail or web address: of one person, or of several at one host in braces. Such text is often set in a monospaced font.
_ADDRESS: Final = r"(?:(?:\{[^{}@]*\}|[\w.+-]+)@[\w-]+(?:\.[\w-]+)+|(?:https?://|www\.)\S+|(?:[\w-]+\.)+[a-z]{2,}/[^\s(]*)"
#: One or more such addresses. A sign may precede each: a picture of an envelope or a house, often from a font without character map.
_ADDRESSES: Final = re.compile(rf"\s*(?:[^\w\s$/#>]\s+)?{_ADDRESS}(?:[\s,;]+(?:[^\w\s$/#>]\s+)?{_ADDRESS})*\s*")
#: Text without a known letter or digit, but with unknown characters. The tables contain it because it takes space on the page.
_UNKNOWN: Final = re.compile(r"\W*\ufffd\W*")
#: Leader dots from a title to its page number, four or more, close or spaced.
_LEADERS: Final = re.compile(r"\s*(?:[.·…_]\s?){4,}\s*(?=(?:[0-9]+|[ivxlc]+)\b)")
#: Leader dots at the end of a cell; dots for a blank to fill in ("Name: .....") stay.
_LEADS_ON: Final = re.compile(r"(?<=[\w)\]%*])\s*(?:[.·…]\s?){4,}$")


#: Superscript figures: one footnote mark or several.
RAISED: Final = re.compile(f"[{RAISED_FIGURES}]+(?:[,–][{RAISED_FIGURES}]+)*")
#: The ordinary figure for each superscript one.
PLAIN: Final = str.maketrans(RAISED_FIGURES, "0123456789+-")
#: The number at the beginning of a footnote.
_NOTE_NUMBER: Final = re.compile(rf"\s*(?:([{RAISED_FIGURES}]{{1,3}})|([0-9]{{1,3}}))(?:[.)]?\s+|(?=[^\W\d_]))")
#: The number of a footnote without further text.
_NOTE_MARK: Final = re.compile(rf"[0-9{RAISED_FIGURES}]{{1,3}}")


def with_sup(text: str) -> str:
    """Put HTML's `sup` around superscript figures.

    >>> with_sup("in 2014¹,²")
    'in 2014<sup>1,2</sup>'
    """
    return RAISED.sub(lambda match: f"<sup>{match[0].translate(PLAIN)}</sup>", text)


def note_number(unit: Unit) -> tuple[str, int]:
    """Return the number with which a footnote begins, and its length with the space after it; ("", 0) for other text.
    Any block counts as a footnote if it begins with a superscript number."""
    found = _NOTE_NUMBER.match(unit.pieces[0].text) if unit.role not in ("title", "heading", "table") else None
    if found is None or (found[2] and unit.role != "footnote"):
        return "", 0
    return (found[1] or found[2]).translate(PLAIN), found.end()


def without_leaders(text: str) -> str:
    """Remove the leader dots before a page number; other rows of dots stay.

    >>> without_leaders("2 Holdings . . . . . . . 14"), without_leaders("Name: ........"), without_leaders("and so on ... 3")
    ('2 Holdings 14', 'Name: ........', 'and so on ... 3')
    """
    return _LEADERS.sub(" ", text)


def cell_text(cell: Cell) -> str:
    """Return the text of a cell, without leader dots before a number in this cell or in the next."""
    return _LEADS_ON.sub("", without_leaders(cell.text.strip()))


class Link(NamedTuple):
    """A link over the characters `start` to `end`, excluded, of a text."""

    start: int
    end: int
    target: str | int  # an address, or a page number of this document


class Piece(Struct):
    """The part of a unit on one page. rows: the cells of a part of a table. glue: text between the previous piece and this one. picture:
    the image, if the piece is one."""

    page: int
    text: str
    links: list[Link] = field(default_factory=list)
    rows: list[list[Cell]] = field(default_factory=list)
    glue: str = ""
    picture: Picture | None = None


class Unit(Struct):
    """A block of the document, joined across page breaks, or a picture (role "image"). pieces: its parts in order, each on one page."""

    role: str  # as in `blocks`, or "image"
    level: int  # as in `blocks`
    pieces: list[Piece]
    bold: bool = False
    italic: bool = False

    @property
    def text(self) -> str:
        """The whole text of the unit."""
        return "".join(piece.glue + piece.text for piece in self.pieces)


def units(rows: DocumentRows, *, keep_furniture: bool = False) -> list[Unit]:
    """Return the document's units in reading order. keep_furniture: include running heads, footers and page numbers."""
    links = {whole_in(page, "page"): page_links(page) for page in rows.pages}
    left_out = _NUMBERS if whole_in(rows.document, "page_count") == 1 else FURNITURE_ROLES
    found: list[Unit] = []
    for block in _with_pictures(rows):
        if isinstance(block, Picture):
            found.append(Unit("image", 1, [Piece(block.page, "", picture=block)]))
            continue
        role = text_in(block, "role")
        if role == "code" and _ADDRESSES.fullmatch(text_in(block, "text")):
            role = "paragraph"
        if (role in left_out and not keep_furniture) or _UNKNOWN.fullmatch(text_in(block, "text")):
            continue
        piece = _piece(block, links.get(whole_in(block, "page"), []))
        before = _to_continue(found, role, piece.page) if block.get("continues") or _goes_on(found, role, piece.text) else None
        if before is not None:
            _append(before, piece)
        elif role == "footnote" and found and found[-1].role == role and _NOTE_MARK.fullmatch(found[-1].text):
            found[-1].pieces[-1].text += " "  # the mark of a note, set apart from its text
            found[-1].pieces.append(piece)
        else:
            found.append(Unit(role, whole_in(block, "level") or 1, [piece], bool(block.get("bold")), bool(block.get("italic"))))
    _nest_lists(found)
    _nest_headings(found)
    return found


def _with_pictures(rows: DocumentRows) -> Iterator[Row | Picture]:
    """Yield the blocks in reading order, and the pictures, each before the first block below it. Labels in a picture become its text."""
    if not rows.pictures:
        yield from rows.blocks
        return
    by_page: dict[int | None, list[Row]] = {}
    for block in rows.blocks:
        by_page.setdefault(whole_in(block, "page"), []).append(block)
    for number in [whole_in(page, "page") for page in rows.pages]:
        waiting, blocks = _apart(rows.pictures.get(number or 0, []), by_page.get(number, []))
        for block in blocks:
            above = [picture for picture in waiting if text_in(block, "role") not in FURNITURE_ROLES and _under(block, picture)]
            yield from above
            waiting = [picture for picture in waiting if picture not in above]
            yield block
        yield from waiting


def _apart(pictures: Sequence[Picture], blocks: Sequence[Row]) -> tuple[list[Picture], list[Row]]:
    """Return the pictures of a page, each with the text of its labels, and the page's blocks without these labels."""
    shown: list[Picture] = []
    left = list(blocks)
    for picture in pictures:
        labels = labels_in(picture.box, left) or []
        shown.append(replace(picture, text="\n".join(text_in(block, "text") for block in labels)))
        left = [block for block in left if block not in labels]
    return shown, left


def labels_in(box: tuple[float, float, float, float], blocks: Sequence[Row]) -> list[Row] | None:
    """Return the blocks of a page that belong to a picture, such as axis labels; None if it must not be shown, because of other text on it.
    box: of the picture, in points."""
    on_it = [block for block in blocks if text_in(block, "role") not in FURNITURE_ROLES and _lies_on(block, box)]
    return on_it if all(text_in(block, "role") in _LABEL_ROLES and _lies_in(block, box) for block in on_it) else None


def _lies_in(block: Row, around: tuple[float, float, float, float]) -> bool:
    boxes = structs_in(block, "boxes")
    x0, top, x1, bottom = around
    return bool(boxes) and all(
        real_in(box, "x0") >= x0 - LINK_SLACK_POINTS
        and real_in(box, "x1") <= x1 + LINK_SLACK_POINTS
        and real_in(box, "top") >= top - LINK_SLACK_POINTS
        and real_in(box, "bottom") <= bottom + LINK_SLACK_POINTS
        for box in boxes
    )


def _lies_on(block: Row, around: tuple[float, float, float, float]) -> bool:
    x0, top, x1, bottom = around
    return any(
        real_in(box, "x0") < x1 - LINK_SLACK_POINTS
        and real_in(box, "x1") > x0 + LINK_SLACK_POINTS
        and real_in(box, "top") < bottom - LINK_SLACK_POINTS
        and real_in(box, "bottom") > top + LINK_SLACK_POINTS
        for box in structs_in(block, "boxes")
    )


def _under(block: Row, picture: Picture) -> bool:
    x0, _, x1, bottom = picture.box
    box = next(iter(structs_in(block, "boxes")), {})
    return bool(box) and real_in(box, "top") >= bottom - LINK_SLACK_POINTS and real_in(box, "x0") < x1 and real_in(box, "x1") > x0


def _nest_lists(found: Sequence[Unit]) -> None:
    """Set the levels of list items, in place: from 1, and at most one level deeper than the item before."""
    depth = 0
    for unit in found:
        if unit.role == "list_item":
            unit.level = min(unit.level, depth + 1, MAX_LIST_DEPTH)
            depth = unit.level
        else:
            depth = 0


def _nest_headings(found: Sequence[Unit]) -> None:
    """Close gaps in heading levels, in place: from 1, and at most one level deeper than the heading above.
    A page that is shown alone begins below level 1 if a heading of a higher level follows."""
    levels = [unit.level for unit in found if unit.role == "heading"]
    above = sorted({level for level in levels if level < levels[0]})
    for unit in found:
        if unit.role == "heading":
            while above and above[-1] >= unit.level:
                above.pop()
            above.append(unit.level)
            unit.level = len(above)


def _piece(block: Row, page: Sequence[Link]) -> Piece:
    text = text_in(block, "text")
    start, end = whole_in(block, "text_start"), whole_in(block, "text_end")
    piece = Piece(whole_in(block, "page") or 1, text)
    if start is not None and end is not None:
        inside = (link for link in page if link.start < end and link.end > start)
        for link in inside:
            first, last = max(link.start, start) - start, min(link.end, end) - start
            if piece.links and piece.links[-1].target == link.target and not text[piece.links[-1].end : first].strip():
                first = piece.links.pop().start  # a link over a line's end has an annotation for each line
            piece.links.append(Link(first, last, link.target))
    if text_in(block, "role") == "table":
        piece.rows = read_cells(text_in(block, "html"))
    return piece


def _goes_on(found: Sequence[Unit], role: str, text: str) -> bool:
    """Return whether a text is the second half of a sentence, with nothing but figures, tables and notes since the first half."""
    last = next((unit for unit in reversed(found) if unit.role not in _BETWEEN), None)
    return role == "paragraph" and last is not None and last.role == role and starts_lower(text) and not ends_sentence(last.text)


def _to_continue(found: Sequence[Unit], role: str, page: int) -> Unit | None:
    for unit in reversed(found):
        if unit.role == role:
            return unit if unit.pieces[-1].page < page else None
    return None


def _append(unit: Unit, piece: Piece) -> None:
    """Add a piece to a unit. A hyphen at the page's end is treated as at a line's end; a table's repeated header is dropped."""
    last = unit.pieces[-1]
    if unit.role in ("code", "contents"):
        piece.glue = "\n"
    elif piece.rows:
        piece.rows = without_repeated(piece.rows, unit.pieces[0].rows)
    else:
        joined = join_lines([last.text, piece.text])
        last.text = last.text[: joined.lengths[0]]
        piece.glue = " " if joined.starts[1] > len(last.text) else ""
    unit.pieces.append(piece)


def page_links(page: Row) -> list[Link]:
    """Return the links of a page as disjoint ranges of its text, in order. A word belongs to a link if its centre lies in the link's
    rectangle. A word that the rectangle covers in part is cut at a sign or beside a character of full width, because a full stop or the
    next word may follow without a space."""
    text, found = text_in(page, "text"), list[Link]()
    words = [(whole_in(word, "start") or 0, whole_in(word, "end") or 0, box_in(word)) for word in structs_in(page, "words")]
    for annotation in structs_in(page, "annotations"):
        target = annotation.get("uri") or annotation.get("target_page")
        if text_in(annotation, "type") != "Link" or not isinstance(target, str | int):
            continue
        box, before = box_in(annotation), -1  # before: index of the word before, if the link covers its end
        for number, (start, end, corners) in enumerate(words):
            first, last = _covered(text[start:end], corners, box)
            if first < last:
                begin = found.pop().start if 0 <= before == number - 1 and first == 0 else start + first
                found.append(Link(begin, start + last, target))
                before = number if last == end - start else -1
    disjoint: list[Link] = []
    for link in sorted(found):
        start = max(link.start, disjoint[-1].end) if disjoint else link.start
        disjoint += [link._replace(start=start)] if start < link.end else []
    return disjoint


def _covered(text: str, word: tuple[float, float, float, float], box: tuple[float, float, float, float]) -> tuple[int, int]:
    """Return (start, end) of the characters of a word that belong to a link; (0, 0) if none does. text: the word. word, box: (x0, top, x1,
    bottom) of the word and of the link. The characters are taken to be equally wide, those of full width twice as wide."""
    (x0, high, x1, low), (left, top, right, bottom) = word, box
    middle, height = (high + low) / 2, low - high
    if not (
        top - LINK_SLACK_POINTS <= middle <= bottom + LINK_SLACK_POINTS and left - LINK_SLACK_POINTS < x1 and x0 < right + LINK_SLACK_POINTS
    ):
        return 0, 0
    if x1 - x0 <= height or holds_rtl(text):  # a short word, or one whose characters do not run from left to right
        return (0, len(text)) if left - LINK_SLACK_POINTS <= (x0 + x1) / 2 <= right + LINK_SLACK_POINTS else (0, 0)
    widths = [2 if east_asian_width(character) in "WF" else 1 for character in text]
    edges = [x0 + (x1 - x0) * width / sum(widths) for width in accumulate(widths, initial=0)]
    cuts = [n for n in range(len(text) + 1) if n in (0, len(text)) or 2 in widths[n - 1 : n + 1] or not text[n - 1 : n + 1].isalnum()]
    begins = [n for n in cuts if text[n : n + 1].isalnum() or n in (0, len(text))]
    first = min(begins, key=lambda n: abs(edges[n] - left)) if left > x0 + LINK_SLACK_POINTS else 0
    last = min(cuts, key=lambda n: abs(edges[n] - right)) if right < x1 - LINK_SLACK_POINTS else len(text)
    return first, last


def spans(text: str, links: Sequence[Link]) -> Iterator[tuple[str, str | int | None]]:
    """Yield each part of the text with the target of its link: a URL, the number of a page of the same document, or None.

    >>> list(spans("see here now", [Link(4, 8, "https://a.b")]))
    [('see ', None), ('here', 'https://a.b'), (' now', None)]
    """
    position = 0
    for start, end, target in links:
        start, end = max(start, position), min(end, len(text))
        if start >= end:
            continue
        if start > position:
            yield text[position:start], None
        yield text[start:end], target
        position = end
    if position < len(text):
        yield text[position:], None


def title_shift(rows: DocumentRows, shown: Sequence[Unit]) -> int:
    """Return by how many levels headings are lowered: 1 if the title takes level 1, because it is on a page, else 0."""
    return 1 if text_in(rows.document, "title_source") in ("page", "first_page") or any(unit.role == "title" for unit in shown) else 0


# The bullet or number at the beginning of a list item.


#: A decimal list marker. A letter may follow directly ("1.open"), a digit may not ("2.1").
_DECIMAL: Final = re.compile(r"\d{1,9}[.)](?:\s+|(?=[^\W\d_]))")


class Marker(Enum):
    """The kind of a list marker. BULLET: a sign such as •. DECIMAL: `3.` or `3)`. OTHER: part of the text, such as `(a)`, `iv.`, `2.1`."""

    BULLET = "bullet"
    DECIMAL = "decimal"
    OTHER = "other"


def split_marker(text: str) -> tuple[Marker, int]:
    """Return the kind of list marker with which the text begins, and its length with the space after it; 0 for OTHER.

    >>> split_marker("• milk"), split_marker("12) eggs"), split_marker("3.bread"), split_marker("(a) salt")
    ((<Marker.BULLET: 'bullet'>, 2), (<Marker.DECIMAL: 'decimal'>, 4), (<Marker.DECIMAL: 'decimal'>, 2), (<Marker.OTHER: 'other'>, 0))
    """
    if found := ITEM_BULLET.match(text):
        return Marker.BULLET, found.end()
    if found := _DECIMAL.match(text):
        return Marker.DECIMAL, found.end()
    return Marker.OTHER, 0


# Addresses of links as they may stand in a document: known schemes only, percent-encoded where the URL standard wants it.


#: Schemes of links that are safe in an untrusted document; in particular not `javascript:`, `data:` and `file:`.
SCHEMES: Final = frozenset({"http", "https", "mailto", "ftp", "tel"})
_HOST: Final = re.compile(r"[\w-]+(\.[\w-]+)*\.?")
_LONE_PERCENT: Final = re.compile(r"%(?![0-9A-Fa-f]{2})")


def safe_address(uri: str) -> str | None:
    """Return the address as a valid URL; None if its scheme or host is not safe.

    >>> safe_address("https://a.org/b c#d")
    'https://a.org/b%20c#d'
    >>> safe_address("javascript:alert(1)") is None
    True
    """
    uri = uri.strip()
    try:
        parts = urlsplit(uri)
        port = parts.port
    except ValueError:  # an unclosed bracket, or a port that is no number
        return None
    if parts.scheme not in SCHEMES or port == 0:
        return None
    if parts.scheme in ("http", "https", "ftp") and not (parts.hostname and _HOST.fullmatch(parts.hostname) and "@" not in parts.netloc):
        return None
    head, mark, fragment = uri.partition("#")
    return _encode(head) + mark + _encode(fragment.replace("#", "%23"))


def _encode(text: str) -> str:
    return quote(_LONE_PERCENT.sub("%25", text), safe="%;/?:@&=+$,-_.!~*'()")
