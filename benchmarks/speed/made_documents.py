"""Typeset documents for measurements, with any number of pages: no two are alike, and they are the same on every machine."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from reportlab.lib.pagesizes import A4
from reportlab.pdfgen.canvas import Canvas

#: English words by frequency, from which texts are drawn. With words of no language, language detection would take longer.
_COMMON: Final = """
    the of and to in a is that for it as was with be by on not he his but at are this have from or had an they which one you were
    all her she there would their we him been has when who will no more if out so up said what its about than into them can only
    other time new some could these two may first then do any like my now over such our man me even most made after also did many
    must before back see through way where get much go well your know should down work year because come people just say each
    those take day good how long little use own country great school house water light harbour engine winter letter garden window
    market question morning evening company history village measure language distance government development particular understand
    important different experience information president education temperature international
"""
_WORDS: Final = _COMMON.split()
_WEIGHTS: Final = [1 / rank for rank in range(1, len(_WORDS) + 1)]
_LEFT: Final = 72
_TOP: Final = 770
_LINE: Final = 14


def book(path: Path, pages: int) -> None:
    """Write a long document: running head and page number, a heading on every fifth page, three paragraphs of together about 2,300
    characters per page."""
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
    """Write `count` documents of one page with some 600 characters, 1,000 per subfolder."""
    for number in range(count):
        letter(folder / f"{number // 1000:03d}" / f"letter-{number:06d}.pdf", number)


def letter(path: Path, number: int, pages: int = 1) -> None:
    """Write a document with some 600 characters per page; its folder is created. number: another number gives another text."""
    path.parent.mkdir(parents=True, exist_ok=True)
    draw = random.Random(number)
    canvas = Canvas(str(path), pagesize=A4, invariant=1)
    for _ in range(pages):
        canvas.setFont("Times-Roman", 11)
        for place, line in enumerate(_paragraph(draw, 8)):
            canvas.drawString(_LEFT, _TOP - place * _LINE, line)
        canvas.showPage()
    canvas.save()


def _paragraph(draw: random.Random, lines: int) -> Iterator[str]:
    for number in range(lines):
        line = _words(draw, 11)
        yield (line.capitalize() if number == 0 else line) + ("." if number == lines - 1 else "")


def _words(draw: random.Random, count: int) -> str:
    return " ".join(draw.choices(_WORDS, _WEIGHTS, k=count))
