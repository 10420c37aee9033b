"""Further kinds of pages, made and labelled before the rule was asked about any of them."""

from __future__ import annotations

from typing import Final

import numpy as np
from PIL import Image, ImageDraw, ImageFont
from reportlab.pdfgen.canvas import Canvas

from tests.scans.ocr_pages import FONTS, HEIGHT, WIDTH, Maker, Random, paper, photograph, put, scanned, sentence, text

#: Pixels per point of what is drawn here, of 150 dots per inch.
SCALE: Final = 150 / 72
White = tuple[Image.Image, ImageDraw.ImageDraw]


def sheet(width: float = WIDTH, height: float = HEIGHT, tone: int = 250) -> White:
    """Empty paper, and a pen for it."""
    image = Image.new("L", (round(width * SCALE), round(height * SCALE)), tone)
    return image, ImageDraw.Draw(image)


def write(pen: ImageDraw.ImageDraw, left: float, top: float, size: float, said: str, face: str = "Vera", fill: int = 40) -> None:
    """Words at a place; all in points."""
    pen.text((left * SCALE, top * SCALE), said, font=ImageFont.truetype(str(FONTS / f"{face}.ttf"), size * SCALE), fill=fill)


def box(pen: ImageDraw.ImageDraw, x0: float, top: float, x1: float, bottom: float, outline: int = 50) -> None:
    """A frame; in points."""
    pen.rectangle((x0 * SCALE, top * SCALE, x1 * SCALE, bottom * SCALE), outline=outline, width=2)


def black_and_white(canvas: Canvas, random: Random) -> None:
    """Two columns of small print by a scanner that knows no grey."""
    image, pen = sheet()
    for left in (50, 310):
        for line in range(55):
            write(pen, left, 60 + 13 * line, 8.5, sentence(random, 7), "VeraIt" if random.random() < 0.1 else "Vera")
    put(canvas, scanned(image, random).point(lambda value: 255 if value > 150 else 0))


def spread(canvas: Canvas, random: Random) -> None:
    """Two pages of a book and the shadow between them."""
    image, pen = sheet(HEIGHT, WIDTH)
    for left in (60, 470):
        for line in range(28):
            write(pen, left, 60 + 16 * line, 10, sentence(random, 8))
    pixels = np.asarray(scanned(image, random), float)
    fall = np.abs(np.linspace(-1, 1, image.width))
    canvas.setPageSize((HEIGHT, WIDTH))
    put(canvas, Image.fromarray((pixels * np.minimum(1, 0.4 + 8 * fall)[None, :]).astype(np.uint8)), (0, 0, HEIGHT, WIDTH))


def strips(canvas: Canvas, random: Random) -> None:
    """A scan that is stored in strips, as scanners do."""
    page = paper(random, 150, 40, 10)
    count = 12
    for number in range(count):
        top, bottom = (page.height * each // count for each in (number, number + 1))
        put(canvas, page.crop((0, top, page.width, bottom)), (0, HEIGHT * (1 - (number + 1) / count), WIDTH, HEIGHT * (1 - number / count)))


def numbered_by_a_court(canvas: Canvas, random: Random) -> None:
    """A scan with the number that an exhibit gets, and a line that says where it comes from."""
    put(canvas, paper(random, 200, int(random.integers(15, 45)), 11))
    canvas.drawString(430, 18, f"EXH-{random.integers(100000, 999999)}")
    canvas.drawString(
        60, 18, f"Case {random.integers(1, 99)}-cv-{random.integers(1000, 9999)} filed {random.integers(1, 12)}/9/2004 page 3 of 17"
    )


def ruled_table(canvas: Canvas, random: Random) -> None:
    """A scan of a table with all its rules."""
    image, pen = sheet()
    for row in range(22):
        for column in range(4):
            box(pen, 60 + 120 * column, 80 + 28 * row, 180 + 120 * column, 108 + 28 * row)
            write(pen, 66 + 120 * column, 88 + 28 * row, 9, sentence(random, 2) if column < 2 else str(random.integers(10, 99999)))
    put(canvas, scanned(image, random))


def title_page(canvas: Canvas, random: Random) -> None:
    """Few large words, as books begin."""
    image, pen = sheet()
    write(pen, 120, 200, 28, sentence(random, 2).title(), "VeraBd")
    write(pen, 150, 260, 20, sentence(random, 3))
    write(pen, 180, 700, 12, sentence(random, 4))
    put(canvas, scanned(image, random))


def sideways(canvas: Canvas, random: Random) -> None:
    """A page that lies on its side."""
    put(canvas, paper(random, 150, 35, 10).rotate(90, expand=True).resize((1240, 1754)))


def dim_paper(canvas: Canvas, random: Random) -> None:
    """Old paper, faint print, stains."""
    page = np.asarray(paper(random, 200, 30, 11), float)
    stain = np.asarray(photograph(random, page.shape[1], page.shape[0]).resize((page.shape[1], page.shape[0])), float)
    put(canvas, Image.fromarray((255 - (255 - page) * 0.6 - (255 - stain) * 0.15 - 25).clip(0, 255).astype(np.uint8)))


def signed_letter(canvas: Canvas, random: Random) -> None:
    """A short letter with a drawn sign above and a scrawl below."""
    image, pen = sheet()
    pen.ellipse((60 * SCALE, 40 * SCALE, 110 * SCALE, 90 * SCALE), fill=90)
    for line in range(8):
        write(pen, 60, 180 + 17 * line, 11, sentence(random, 9))
    points = [(60 + 4 * n, 420 + float(random.normal(0, 8))) for n in range(40)]
    pen.line([(x * SCALE, y * SCALE) for x, y in points], fill=30, width=3)
    put(canvas, scanned(image, random))


def chart(canvas: Canvas, random: Random) -> None:
    """Bars with a few labels in a picture, and text."""
    image, pen = sheet(400, 250)
    for bar in range(8):
        height = float(random.uniform(20, 180))
        pen.rectangle(
            ((40 + 42 * bar) * SCALE, (220 - height) * SCALE, (70 + 42 * bar) * SCALE, 220 * SCALE), fill=int(random.integers(60, 200))
        )
        write(pen, 46 + 42 * bar, 226, 9, str(1990 + bar))
    put(canvas, image, (80, 480, 480, 730))
    text(canvas, random, int(random.integers(6, 30)), top=450)


def line_drawing(canvas: Canvas, random: Random) -> None:
    """A plan without words as a picture, and its caption."""
    image, pen = sheet()
    for _ in range(30):
        x, y = (float(each) for each in random.uniform(60, 450, 2))
        box(pen, x, y, x + float(random.uniform(10, 90)), y + float(random.uniform(10, 90)))
    for _ in range(40):
        pen.line([(float(random.uniform(50, 540)) * SCALE, float(random.uniform(50, 700)) * SCALE) for _ in range(2)], fill=40, width=2)
    put(canvas, scanned(image, random))
    text(canvas, random, 1, top=40)


def squares(canvas: Canvas, random: Random) -> None:
    """A square code, as tickets have one, and what it is for."""
    side = 33
    code = Image.fromarray((random.integers(0, 2, (side, side)) * 255).astype(np.uint8)).resize((330, 330), Image.Resampling.NEAREST)
    put(canvas, code, (180, 400, 400, 620))
    text(canvas, random, 3, top=360)


def bars(canvas: Canvas, random: Random) -> None:
    """A bar code alone."""
    lines = np.repeat(np.repeat((random.integers(0, 2, 95) * 255).astype(np.uint8), 4)[None, :], 120, axis=0)
    put(canvas, Image.fromarray(lines), (150, 600, 450, 700))


def signature(canvas: Canvas, random: Random) -> None:
    """A letter with the picture of a signature."""
    text(canvas, random, int(random.integers(8, 20)))
    image, pen = sheet(160, 50)
    pen.line([(10 * SCALE + 9 * n, (25 + float(random.normal(0, 9))) * SCALE) for n in range(32)], fill=20, width=3)
    put(canvas, image, (60, 200, 220, 250))


def holes_and_shadow(canvas: Canvas, random: Random) -> None:
    """The empty back of a page: holes, shadow, folds, specks."""
    image, pen = sheet(tone=int(random.integers(215, 250)))
    for top in (250, 560):
        pen.ellipse((20 * SCALE, top * SCALE, 38 * SCALE, (top + 18) * SCALE), fill=30)
    pen.rectangle((0, 0, 8 * SCALE, HEIGHT * SCALE), fill=60)
    pen.line((0, 420 * SCALE, WIDTH * SCALE, 424 * SCALE), fill=190, width=3)
    for _ in range(60):
        x, y = (float(each) * SCALE for each in (random.uniform(0, WIDTH), random.uniform(0, HEIGHT)))
        pen.ellipse((x, y, x + 3, y + 3), fill=60)
    put(canvas, scanned(image, random))


def writing_paper(canvas: Canvas, random: Random) -> None:
    """Scanned paper with rules or squares that nobody has written on."""
    image, pen = sheet()
    step = int(random.choice([14, 20, 24]))
    for top in range(60, 800, step):
        pen.line((40 * SCALE, top * SCALE, 555 * SCALE, top * SCALE), fill=130, width=2)
    if random.random() < 0.5:
        for left in range(40, 556, step):
            pen.line((left * SCALE, 60 * SCALE, left * SCALE, 790 * SCALE), fill=130, width=2)
    put(canvas, scanned(image, random))


def collage(canvas: Canvas, random: Random) -> None:
    """Six photographs, each with its line."""
    canvas.setFont("Helvetica", 9)
    for number in range(6):
        left, bottom = 60 + 250 * (number % 2), 580 - 250 * (number // 2)
        put(canvas, photograph(random, 500, 360), (left, bottom, left + 220, bottom + 160))
        canvas.drawString(left, bottom - 12, sentence(random, 4))


def woven_photograph(canvas: Canvas, random: Random) -> None:
    """A photograph of cloth, a fence or a wall: fine patterns in rows."""
    base = np.asarray(photograph(random, 900, 1200), float)
    rows, columns = np.arange(1200)[:, None], np.arange(900)[None, :]
    period = float(random.uniform(9, 24))
    base += 45 * np.sin(2 * np.pi * rows / period) + 45 * np.sin(2 * np.pi * columns / (1.6 * period) + rows // period)
    put(canvas, Image.fromarray(base.clip(0, 255).astype(np.uint8)))


def watermark(canvas: Canvas, random: Random) -> None:
    """Text over a pale picture of large letters."""
    image, pen = sheet(tone=255)
    write(pen, 90, 350, 90, "DRAFT", "VeraBd", fill=225)
    put(canvas, image)
    text(canvas, random, int(random.integers(5, 40)))


def index_card(canvas: Canvas, random: Random) -> None:
    """A card with a few typed lines on a dark table."""
    image, pen = sheet(tone=70)
    pen.rectangle((90 * SCALE, 250 * SCALE, 510 * SCALE, 520 * SCALE), fill=235)
    for line in range(7):
        write(pen, 115, 275 + 30 * line, 12, sentence(random, int(random.integers(2, 7))))
    put(canvas, scanned(image, random))


MORE_NEED: Final[tuple[Maker, ...]] = (
    black_and_white, spread, strips, numbered_by_a_court, ruled_table, title_page, sideways, dim_paper, signed_letter, index_card,
)  # fmt: skip
MORE_DO_NOT: Final[tuple[Maker, ...]] = (
    chart, line_drawing, squares, bars, signature, holes_and_shadow, writing_paper, collage, woven_photograph, watermark,
)  # fmt: skip
