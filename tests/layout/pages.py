"""Pages of text lines made by hand, for the tests of the layout."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from pdfmill.schemas.records import Block, FontStyle, PageLines, TextLine
from pdfmill.schemas.statistics import DocumentStatistics, DocumentStyle
from pdfmill.transforms.layout.blocks.page_structure import structure_page
from pdfmill.transforms.layout.document.document_style import decide_style
from pdfmill.transforms.layout.document.page_statistics import measure_page

BODY = FontStyle("Times-Roman", 10.0)
BOLD = FontStyle("Times-Bold", 10.0, bold=True)
LARGE = FontStyle("Times-Bold", 16.0, bold=True)
SMALL = FontStyle("Times-Roman", 8.0)
CODE = FontStyle("Courier", 9.0, monospaced=True)

#: Average width of a character, em.
CHAR = 0.5


class Piece(Struct, frozen=True):
    """A line to be set: its text, the place of its baseline's start, its style."""

    text: str
    x: float
    baseline: float
    style: FontStyle = BODY


def make_page(number: int, pieces: Iterable[Piece], width: float = 600.0, height: float = 800.0) -> PageLines:
    """A page of lines; each character is half an em wide, each word has its box."""
    page = PageLines(number, width, height)
    word_lines: list[int] = []
    word_spans: list[tuple[int, int]] = []
    word_boxes: list[tuple[float, float, float, float]] = []
    for piece in pieces:
        if piece.style not in page.styles:
            page.styles.append(piece.style)
        style, size = page.styles.index(piece.style), piece.style.size
        top, bottom, step = piece.baseline - 0.8 * size, piece.baseline + 0.2 * size, CHAR * size
        page.lines.append(
            TextLine(piece.text, piece.x, top, piece.x + step * len(piece.text), bottom, piece.baseline, style, ((0, style),))
        )
        offset = 0
        for word in piece.text.split(" "):
            if word:
                word_lines.append(len(page.lines) - 1)
                word_spans.append((offset, offset + len(word)))
                word_boxes.append((piece.x + step * offset, top, piece.x + step * (offset + len(word)), bottom))
            offset += len(word) + 1
    page.word_lines = np.array(word_lines, np.int32)
    page.word_spans = np.array(word_spans, np.int32).reshape(-1, 2)
    page.word_boxes = np.array(word_boxes, np.float32).reshape(-1, 4)
    return page


def flow(text: str, x: float, top: float, chars: int, style: FontStyle = BODY, leading: float = 12.0, indent: float = 0.0) -> list[Piece]:
    """A paragraph set in lines of at most `chars` characters, its first baseline at `top`."""
    lines: list[str] = []
    for word in text.split():
        limit = chars - (round(indent / (CHAR * style.size)) if len(lines) <= 1 and indent else 0)
        if lines and len(lines[-1]) + 1 + len(word) <= limit:
            lines[-1] += f" {word}"
        else:
            lines.append(word)
    return [Piece(line, x + (indent if n == 0 else 0.0), top + n * leading, style) for n, line in enumerate(lines)]


def style_of(pages: Sequence[PageLines]) -> DocumentStyle:
    """The decided style of a document of these pages."""
    statistics = DocumentStatistics()
    for page in pages:
        statistics.add(measure_page(page))
    return decide_style(statistics)


def blocks_of(pages: Sequence[PageLines]) -> list[Block]:
    """All blocks of a document, page by page."""
    style = style_of(pages)
    return [block for page in pages for block in structure_page(page, style.for_pages(page.page, page.page)).blocks]


def move(page: PageLines, dx: float, dy: float, factor: float = 1.0) -> PageLines:
    """The page scaled and moved; sizes of type scale too."""
    lines = [
        replace(
            q,
            x0=q.x0 * factor + dx,
            x1=q.x1 * factor + dx,
            top=q.top * factor + dy,
            bottom=q.bottom * factor + dy,
            baseline=q.baseline * factor + dy,
        )
        for q in page.lines
    ]
    boxes = page.word_boxes * np.float32(factor) + np.array([dx, dy, dx, dy], np.float32)
    styles = [replace(s, size=round(s.size * factor, 1)) for s in page.styles]
    return replace(page, lines=lines, word_boxes=boxes, styles=styles, width=page.width * factor, height=page.height * factor)


WORDS = "the river carries silt from the hills to the plain where farmers wait for the flood each spring and then they sow barley"


def sentence(words: int, seed: int = 0) -> str:
    """That many words of running text, ending in a full stop."""
    source = WORDS.split()
    return " ".join(source[(seed + n) % len(source)] for n in range(words)).capitalize() + "."
