"""Documents typeset for measurements: any number of pages, no two alike, the same on every machine."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from reportlab.lib.pagesizes import A4
from reportlab.pdfgen.canvas import Canvas

_SYLLABLES: Final = ("ba", "co", "di", "fen", "gar", "hul", "in", "jo", "ka", "lem", "mor", "na", "or", "pel", "qui", "ra", "sol", "tem", "un", "ver")
_LEFT: Final = 72
_TOP: Final = 770
_LINE: Final = 14


def book(path: Path, pages: int) -> None:
    """A book: a running head and page number, a heading on every fifth page, three paragraphs of about 2,300 characters a page."""
    draw = random.Random(pages)
    canvas = Canvas(str(path), pagesize=A4, pageCompression=1, invariant=1)
    for number in range(1, pages + 1):
        canvas.setFont("Helvetica", 8)
        canvas.drawString(_LEFT, 800, f"A book of {pages} pages")
        canvas.drawString(520, 40, str(number))
        y = _TOP
        if number % 5 == 1:
            canvas.setFont("Helvetica-Bold", 16)
            canvas.drawString(_LEFT, y, f"{number // 5 + 1} {_words(draw, 3).capitalize()}")
            y -= 2 * _LINE
        canvas.setFont("Times-Roman", 11)
        for _ in range(3):
            for line in _paragraph(draw, 12):
                canvas.drawString(_LEFT, y, line)
                y -= _LINE
            y -= _LINE
        canvas.showPage()
    canvas.save()


def letters(folder: Path, count: int) -> None:
    """Documents of one page with some 600 characters, 1,000 in a folder."""
    for number in range(count):
        path = folder / f"{number // 1000:03d}" / f"letter-{number:06d}.pdf"
        path.parent.mkdir(parents=True, exist_ok=True)
        draw = random.Random(number)
        canvas = Canvas(str(path), pagesize=A4, invariant=1)
        canvas.setFont("Times-Roman", 11)
        for place, line in enumerate(_paragraph(draw, 8)):
            canvas.drawString(_LEFT, _TOP - place * _LINE, line)
        canvas.save()


def _paragraph(draw: random.Random, lines: int) -> Iterator[str]:
    for number in range(lines):
        line = _words(draw, 11)
        yield (line.capitalize() if number == 0 else line) + ("." if number == lines - 1 else "")


def _words(draw: random.Random, count: int) -> str:
    return " ".join("".join(draw.choices(_SYLLABLES, k=draw.randint(1, 4))) for _ in range(count))
