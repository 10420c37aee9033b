"""Find the boxes of a phrase, or of a range of offsets, on a page; write them as JSON or for Acrobat, or mark them on a picture."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

import numpy as np
from msgspec import Struct, field
from numpy.typing import NDArray
from PIL import Image, ImageChops, ImageDraw

from pdfmill.pipeline.render.rows import box_in, structs_in, text_in, whole_in
from pdfmill.schemas.glyphs import Glyphs
from pdfmill.schemas.records import PageLines, Row, TextLine
from pdfmill.schemas.scripts import NOTE_MARK, RADICALS, UNSPACED_LETTERS

Box = tuple[float, float, float, float]

#: Letters of scripts without spaces between words, where a word may begin at any letter.
_UNSPACED: Final = re.compile(f"[{UNSPACED_LETTERS}]")
_RTL: Final = ("R", "AL")


class Hit(Struct):
    """An occurrence of a phrase. start, end (excluded): offsets into the page's text. boxes: one for each text line, on the page."""

    page: int
    start: int
    end: int
    text: str
    boxes: list[Box] = field(default_factory=list)


def fold(text: str, *, accents: bool) -> tuple[str, list[int]]:
    """Return the text normalised for searching, and for each character of the result the offset in the original.
    Case is ignored, and the mark of a footnote becomes a word of its own. accents: keep them; otherwise combining marks of the
    compatibility decomposition are removed (Unicode Standard Annex 15).

    >>> fold("Café", accents=False), fold("in 2014¹", accents=False)[0]
    (('cafe', [0, 1, 2, 3]), 'in 2014 1')
    """
    marks = set() if text.isascii() else {match.start() for match in NOTE_MARK.finditer(text)}
    folded: list[str] = []
    origin: list[int] = []
    for offset, character in enumerate(text):
        part = RADICALS.get(ord(character), character).casefold()
        if not accents and not part.isascii():
            part = "".join(each for each in unicodedata.normalize("NFKD", part) if not unicodedata.combining(each)).casefold()
            part = part.replace("\u0456", "i")  # TeX draws the Latin letter
        part = " " + part if offset in marks else part
        folded.append(part)
        origin += [offset] * len(part)
    return "".join(folded), origin


def phrase_pattern(phrase: str, *, accents: bool, parts: bool) -> re.Pattern[str] | None:
    """Return the pattern that matches a phrase in a normalised text, with any white space between its words; None for an empty phrase.
    accents: keep the accents of the phrase. parts: the phrase may also begin and end within words."""
    words = fold(unicodedata.normalize("NFC", phrase), accents=accents)[0].split()
    if not words:
        return None
    before = r"(?<!\w)" if not parts and _is_spaced(words[0][0]) else ""
    after = r"(?!\w)" if not parts and _is_spaced(words[-1][-1]) else ""
    return re.compile(before + r"\s+".join(map(re.escape, words)) + after)


def _is_spaced(character: str) -> bool:
    return (character.isalnum() or character == "_") and not _UNSPACED.match(character)


def find_phrases(text: str, phrases: Sequence[str], *, accents: bool = True, parts: bool = False) -> list[tuple[int, int]]:
    """Return (start, end) of every occurrence of the phrases in the text, ascending.
    accents: words match only if their accents are equal. parts: a phrase may also begin and end within words."""
    folded, origin = fold(text, accents=accents)
    patterns = [pattern for phrase in phrases if (pattern := phrase_pattern(phrase, accents=accents, parts=parts)) is not None]
    found = {(origin[match.start()], origin[match.end() - 1] + 1) for pattern in patterns for match in pattern.finditer(folded)}
    return sorted(found)


def place_hits(row: Row, lines: PageLines, spans: Sequence[tuple[int, int]]) -> list[Hit]:
    """Return hits with boxes for the (start, end) ranges `spans` of a page's text. row: the page's row of `pages`."""
    text, page = text_in(row, "text"), whole_in(row, "page") or 0
    words = _Words(row, lines)
    return [Hit(page, start, end, text[start:end], list(words.boxes(start, end))) for start, end in spans]


class _Words:
    def __init__(self, row: Row, lines: PageLines) -> None:
        self._text = text_in(row, "text")
        line_of = {tuple(box): number for box, number in zip(lines.word_boxes.tolist(), lines.word_lines.tolist(), strict=True)}
        self._lines = lines.lines
        self._words = [
            (whole_in(word, "start") or 0, whole_in(word, "end") or 0, box, line_of.get(box, -1))
            for word in structs_in(row, "words")
            for box in [box_in(word)]
        ]

    def boxes(self, start: int, end: int) -> Iterator[Box]:
        """Yield a box for each line of text[start:end], in text order. Of a word that is only partly in this range, a part of its box is
        used."""
        last: tuple[int, Box] | None = None
        for first, stop, box, line in self._words:
            if stop <= start or first >= end:
                continue
            part = self._cut(
                box, line, (max(start, first) - first) / (stop - first), (min(end, stop) - first) / (stop - first), self._text[first:stop]
            )
            if last is not None and last[0] == line >= 0:
                last = line, _union(last[1], part)
                continue
            if last is not None:
                yield last[1]
            last = line, part
        if last is not None:
            yield last[1]

    def _cut(self, box: Box, line: int, begin: float, stop: float, word: str) -> Box:
        """Return the part of a word's box from share `begin` to `stop` (0 to 1) of its length, in reading direction; on skewed lines the
        whole box."""
        if (begin, stop) == (0.0, 1.0):
            return box
        written = self._lines[line] if line >= 0 else None
        direction = _direction(written, word)
        if direction is None:
            return box
        x0, top, x1, bottom = box
        if direction in (180, 270):
            begin, stop = 1.0 - stop, 1.0 - begin
        if direction in (0, 180):
            return x0 + begin * (x1 - x0), top, x0 + stop * (x1 - x0), bottom
        return x0, top + begin * (bottom - top), x1, top + stop * (bottom - top)


def _direction(line: TextLine | None, word: str) -> int | None:
    """Return the reading direction of a word in clockwise degrees: 0, 90, 180 or 270; None if the line is skewed."""
    angle = line.angle if line is not None else 0
    if angle % 90:
        return None
    backwards = any(unicodedata.bidirectional(character) in _RTL for character in word)
    return (angle + 180 * backwards) % 360


def _union(one: Box, other: Box) -> Box:
    return min(one[0], other[0]), min(one[1], other[1]), max(one[2], other[2]), max(one[3], other[3])


#: The colour of a marker pen.
_YELLOW: Final = (255, 235, 60)
_EDGE: Final = (225, 140, 0)


def render_hits(source_uri: str, hits: Sequence[Hit]) -> str:
    """Return one JSON object: the document's address and its hits in order, boxes in points."""
    rows = [
        {
            "page": hit.page,
            "start": hit.start,
            "end": hit.end,
            "text": hit.text,
            "boxes": [dict(zip(("x0", "top", "x1", "bottom"), (round(side, 2) for side in box), strict=True)) for box in hit.boxes],
        }
        for hit in hits
    ]
    return json.dumps({"source_uri": source_uri, "hits": rows}, ensure_ascii=False, indent=1) + "\n"


def render_acrobat(hits: Iterable[Hit], glyphs: Mapping[int, Glyphs]) -> str:
    """Return hits in Adobe's Highlight File Format (Technical Note 5172). Pages count from 0; positions are characters in drawing order.
    glyphs: of each page with hits, by page number."""
    places = [
        f"<loc pg={hit.page - 1} pos={first} len={length}>"
        for hit in hits
        for first, length in _runs(drawn_within(glyphs[hit.page], hit.boxes))
    ]
    return "\n".join(["<XML>", "<Body units=characters version=2>", "<Highlight>", *places, "</Highlight>", "</Body>", "</XML>", ""])


def drawn_within(glyphs: Glyphs, boxes: Sequence[Box]) -> list[int]:
    """Return the positions, in drawing order, of the characters whose centre lies in a box, and of spaces between two such characters."""
    x, y = (glyphs.x0 + glyphs.x1) / 2, (glyphs.top + glyphs.bottom) / 2
    inside = np.zeros(len(x), np.bool_)
    for x0, top, x1, bottom in boxes:
        inside |= (x >= x0) & (x <= x1) & (y >= top) & (y <= bottom)
    inside &= glyphs.unicode != 32
    between = np.flatnonzero((glyphs.unicode[1:-1] == 32) & inside[:-2] & inside[2:]) + 1
    inside[between] = True
    found: list[int] = np.flatnonzero(inside).tolist()
    return found


def _runs(places: Sequence[int]) -> Iterable[tuple[int, int]]:
    first = last = -2
    for place in places:
        if place == last + 1:
            last = place
            continue
        if first >= 0:
            yield first, last - first + 1
        first = last = place
    if first >= 0:
        yield first, last - first + 1


def mark_page(pixels: NDArray[np.uint8], width: float, hits: Iterable[Hit]) -> Image.Image:
    """Draw a marker over each box of the hits. pixels: uint8[height, width, 3], the drawn page. width: of the page in points."""
    scale = pixels.shape[1] / width if width else 1.0
    page = Image.fromarray(pixels)
    marks = Image.new("RGB", page.size, "white")
    places = [[side * scale for side in box] for hit in hits for box in hit.boxes]
    for place in places:
        ImageDraw.Draw(marks).rectangle(place, fill=_YELLOW)
    page = ImageChops.multiply(page, marks)
    for place in places:
        ImageDraw.Draw(page).rectangle(place, outline=_EDGE, width=max(1, round(scale / 2)))
    return page
