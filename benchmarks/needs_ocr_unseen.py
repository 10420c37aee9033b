"""Kinds of pages for `benchmarks.needs_ocr`: made, labelled, and then asked. The rule was mended for one of them, cards on a dark table."""

from __future__ import annotations

from typing import Final

import numpy as np
from PIL import Image, ImageDraw
from reportlab.pdfgen.canvas import Canvas

from benchmarks.needs_ocr_kinds import SCALE, box, sheet, write
from benchmarks.needs_ocr_pages import HEIGHT, WIDTH, Maker, Random, photograph, put, scanned, sentence, text


def dotted(image: Image.Image, cell: int) -> Image.Image:
    """A photograph as print shows it: dots in rows, larger where it is dark."""
    pixels = np.asarray(image.convert("L"), float) / 255
    rows, columns = np.arange(image.height)[:, None], np.arange(image.width)[None, :]
    screen = (np.cos(2 * np.pi * (rows + columns) / cell / 1.41) + np.cos(2 * np.pi * (rows - columns) / cell / 1.41)) / 4 + 0.5
    return Image.fromarray(np.where(pixels > screen, 250, 20).astype(np.uint8))


def fax(canvas: Canvas, random: Random) -> None:
    """A page of large text, coarse, black or white, with dirt from the line."""
    image, pen = sheet()
    write(pen, 40, 14, 8, f"FROM 555 {random.integers(1000, 9999)} TO {random.integers(1000, 9999)} P {random.integers(1, 9)}", "VeraBd")
    for line in range(int(random.integers(10, 26))):
        write(pen, 60, 90 + 24 * line, 13, sentence(random, 7))
    small = np.asarray(image.resize((WIDTH * 100 // 72, HEIGHT * 100 // 72)))
    dirt = random.random(small.shape)
    put(canvas, Image.fromarray(np.where((small > 150) & (dirt > 0.002) | (dirt > 0.9995), 255, 0).astype(np.uint8)))


def index_card(canvas: Canvas, random: Random) -> None:
    """A card with a few typed lines on a dark table."""
    image, pen = sheet(tone=70)
    pen.rectangle((90 * SCALE, 250 * SCALE, 510 * SCALE, 520 * SCALE), fill=235)
    for line in range(7):
        write(pen, 115, 275 + 30 * line, 12, sentence(random, int(random.integers(2, 7))))
    put(canvas, scanned(image, random))


def newspaper(canvas: Canvas, random: Random) -> None:
    """Narrow columns under a headline, around a printed photograph."""
    image, pen = sheet(tone=225)
    write(pen, 50, 40, 30, sentence(random, 4).title(), "VeraBd")
    for column in range(4):
        for line in range(62):
            if not (column in (1, 2) and 12 < line < 34):
                write(pen, 45 + 128 * column, 100 + 11 * line, 7.5, sentence(random, 4))
    image.paste(dotted(photograph(random, round(250 * SCALE), round(230 * SCALE)), 6), (round(172 * SCALE), round(240 * SCALE)))
    put(canvas, scanned(image, random))


def pasted_text(canvas: Canvas, random: Random) -> None:
    """A typed heading over the picture of a page of text."""
    text(canvas, random, 1, top=800)
    image, pen = sheet(475, 500, tone=255)
    for line in range(int(random.integers(14, 30))):
        write(pen, 10, 10 + 15 * line, 10, sentence(random, 9), fill=20)
    put(canvas, image, (60, 260, 535, 760))


def calendar(canvas: Canvas, random: Random) -> None:
    """A month, with its days in squares."""
    image, pen = sheet()
    write(pen, 180, 120, 26, random.choice(["October", "January", "August"]) + f" {random.integers(1900, 2020)}", "VeraBd")
    for column, day in enumerate("Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split()):  # noqa: SIM905
        write(pen, 50 + 72 * column, 180, 8.5, day)
        for row in range(5):
            box(pen, 46 + 72 * column, 200 + 90 * row, 118 + 72 * column, 290 + 90 * row)
            write(pen, 52 + 72 * column, 206 + 90 * row, 14, str(1 + (7 * row + column) % 31))
    put(canvas, scanned(image, random))


def coloured_paper(canvas: Canvas, random: Random) -> None:
    """Blue print on orange paper."""
    image, pen = sheet()
    for line in range(int(random.integers(6, 36))):
        write(pen, 60, 70 + 18 * line, 11, sentence(random, 8))
    ink = (255 - np.asarray(scanned(image, random), float)[:, :, None]) / 255
    put(canvas, Image.fromarray(((1 - ink) * np.array([245.0, 170.0, 70.0]) + ink * np.array([40.0, 40.0, 120.0])).astype(np.uint8)))


def printed_photograph(canvas: Canvas, random: Random) -> None:
    """A page that is one photograph, in dots."""
    put(canvas, dotted(photograph(random, 1240, 1754), int(random.integers(5, 12))))


def music(canvas: Canvas, random: Random) -> None:
    """Notes on their lines as a picture, and the title as text."""
    image, pen = sheet()
    for staff in range(8):
        top = 110 + 85 * staff
        for line in range(5):
            pen.line((50 * SCALE, (top + 8 * line) * SCALE, 545 * SCALE, (top + 8 * line) * SCALE), fill=50, width=2)
        for note in range(22):
            x, y = 70 + 21 * note, top + 4 * int(random.integers(-1, 10))
            pen.ellipse((x * SCALE, (y - 3) * SCALE, (x + 9) * SCALE, (y + 4) * SCALE), fill=20)
            pen.line(((x + 9) * SCALE, y * SCALE, (x + 9) * SCALE, (y - 26) * SCALE), fill=20, width=2)
    put(canvas, scanned(image, random))
    text(canvas, random, 1, top=800, size=16)


def brick_wall(canvas: Canvas, random: Random) -> None:
    """A photograph of bricks."""
    base = np.asarray(photograph(random, 900, 1200), float) * 0.4 + 90
    image = Image.fromarray(base.astype(np.uint8))
    pen = ImageDraw.Draw(image)
    high, wide = int(random.integers(18, 60)), int(random.integers(60, 150))
    for row, top in enumerate(range(0, 1200, high)):
        pen.line((0, top, 900, top), fill=220, width=3)
        for left in range(-(row % 2) * wide // 2, 900, wide):
            pen.line((left, top, left, top + high), fill=220, width=3)
    put(canvas, image)


def contours(canvas: Canvas, random: Random) -> None:
    """A map of heights without names, and its caption."""
    heights = np.asarray(photograph(random, 900, 1000), float)
    lines = np.abs((heights % 12) - 6) < 0.6
    put(canvas, Image.fromarray(np.where(lines, 60, 250).astype(np.uint8)), (60, 250, 535, 780))
    text(canvas, random, 1, top=220)


def engraving(canvas: Canvas, random: Random) -> None:
    """A picture made of strokes, and its caption."""
    pixels = np.asarray(photograph(random, 1000, 1100), float)
    rows, columns = np.arange(1100)[:, None], np.arange(1000)[None, :]
    wave = np.sin(2 * np.pi * (rows + 25 * np.sin(columns / 90)) / float(random.uniform(7, 12)))
    put(canvas, Image.fromarray(np.where(wave * 0.5 + 0.5 > pixels / 255, 30, 245).astype(np.uint8)), (60, 220, 535, 780))
    text(canvas, random, 2, top=190)


def radiograph(canvas: Canvas, random: Random) -> None:
    """Bright shapes on black, and a letter for the side."""
    image, pen = sheet(tone=15)
    for _ in range(9):
        x, y, r = float(random.uniform(150, 450)), float(random.uniform(150, 700)), float(random.uniform(20, 90))
        pen.ellipse(((x - r) * SCALE, (y - 2 * r) * SCALE, (x + r) * SCALE, (y + 2 * r) * SCALE), fill=int(random.integers(90, 230)))
    write(pen, 60, 60, 24, "L", fill=250)
    put(canvas, scanned(image, random))


UNSEEN_NEED: Final[tuple[Maker, ...]] = (fax, index_card, newspaper, pasted_text, calendar, coloured_paper)
UNSEEN_DO_NOT: Final[tuple[Maker, ...]] = (printed_photograph, music, brick_wall, contours, engraving, radiograph)
