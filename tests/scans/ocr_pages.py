"""Made pages that need OCR or do not, kind by kind: scans, forms, photographs, drawings, empty paper."""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path
from typing import Final

import numpy as np
import reportlab
from PIL import Image, ImageDraw, ImageFilter, ImageFont
from reportlab.lib.utils import ImageReader
from reportlab.pdfgen.canvas import Canvas

FONTS: Final = Path(reportlab.__file__).parent / "fonts"
WIDTH, HEIGHT = 595, 842
WORDS: Final = tuple(
    "the archive holds letters that came in boxes from many towns and nobody has read them since year of war Paper 1907 No. Street".split()  # noqa: SIM905
)
Random = np.random.Generator
Maker = Callable[[Canvas, Random], None]


def sentence(random: Random, words: int) -> str:
    """Words in a row."""
    return " ".join(random.choice(WORDS) for _ in range(words))


def paper(random: Random, dpi: int, lines: int, size: float, form: bool = False) -> Image.Image:
    """A page as a scanner sees it: lines of text, or a form with fields, slightly turned, blurred, shaded and noisy."""
    scale = dpi / 72
    image = Image.new("L", (round(WIDTH * scale), round(HEIGHT * scale)), int(random.integers(225, 256)))
    pen, font = ImageDraw.Draw(image), ImageFont.truetype(str(FONTS / "Vera.ttf"), size * scale)
    for number in range(lines):
        top = (70 + number * (700 / max(lines, 1) if form else 1.4 * size)) * scale
        pen.text((60 * scale, top), sentence(random, 3 if form else 9), font=font, fill=int(random.integers(10, 70)))
        if form:
            pen.rectangle((250 * scale, top, 520 * scale, top + 1.6 * size * scale), outline=60, width=2)
    return scanned(image, random)


def scanned(image: Image.Image, random: Random) -> Image.Image:
    """The same from a scanner."""
    turned = image.rotate(float(random.normal(0, 0.6)), fillcolor=240, resample=Image.Resampling.BICUBIC)
    pixels = np.asarray(turned.filter(ImageFilter.GaussianBlur(0.7)), float) + random.normal(0, 8, (image.height, image.width))
    pixels *= np.linspace(float(random.uniform(0.75, 1)), 1, image.width)[None, :]
    return Image.fromarray(pixels.clip(0, 255).astype(np.uint8))


def photograph(random: Random, width: int, height: int) -> Image.Image:
    """Tones like those of a photograph: noise of which coarse parts are the strongest, and some objects with edges."""
    total = np.zeros((height, width))
    for power in range(1, 8):
        small = Image.fromarray(random.normal(0, 1, (2**power + 1, 2**power + 1)).astype(np.float32))
        total += np.asarray(small.resize((width, height), Image.Resampling.BICUBIC)) / 1.7**power
    low, high = np.quantile(total, (0.02, 0.98))
    image = Image.fromarray((255 * (total - low) / (high - low)).clip(0, 255).astype(np.uint8))
    pen = ImageDraw.Draw(image)
    for _ in range(int(random.integers(3, 12))):
        x, y, r = (int(random.integers(0, side)) for side in (width, height, max(8, width // 4)))
        pen.ellipse((x - r, y - r // 2, x + r, y + r // 2), fill=int(random.integers(0, 256)))
    return image


def put(canvas: Canvas, image: Image.Image, box: tuple[float, float, float, float] = (0, 0, WIDTH, HEIGHT)) -> None:
    """The picture on the page, as a JPEG."""
    sink = io.BytesIO()
    image.save(sink, "JPEG", quality=75)
    canvas.drawImage(ImageReader(sink), box[0], box[1], box[2] - box[0], box[3] - box[1])


def text(canvas: Canvas, random: Random, lines: int, top: float = 780, size: float = 10) -> None:
    """Lines of text of the page's own."""
    canvas.setFont("Helvetica", size)
    for number in range(lines):
        canvas.drawString(60, top - 1.4 * size * number, sentence(random, 12))


def scan(canvas: Canvas, random: Random) -> None:
    put(canvas, paper(random, int(random.choice([100, 150, 200, 300])), int(random.integers(3, 48)), float(random.choice([8, 10, 12, 16]))))


def scan_with_number(canvas: Canvas, random: Random) -> None:
    scan(canvas, random)
    canvas.drawString(290, 20, str(random.integers(1, 999)))


def stamped_scan(canvas: Canvas, random: Random) -> None:
    scan(canvas, random)
    canvas.drawString(400, 815, f"Received {random.integers(1, 29)} May 1999 by the archive, copy {random.integers(100, 999)}")


def negative_scan(canvas: Canvas, random: Random) -> None:
    page = paper(random, 150, int(random.integers(20, 45)), 10)
    put(canvas, Image.fromarray(255 - np.asarray(page)))


def stamped_form(canvas: Canvas, random: Random) -> None:
    put(canvas, paper(random, 200, int(random.integers(8, 22)), 10, form=True))
    canvas.drawString(260, 600, sentence(random, 4))


def captioned_photograph(canvas: Canvas, random: Random) -> None:
    put(canvas, photograph(random, 900, 700), (60, 300, 535, 700))
    text(canvas, random, int(random.integers(1, 3)), top=280)


def lone_photograph(canvas: Canvas, random: Random) -> None:
    put(canvas, photograph(random, 900, 1200))


def illustrated_text(canvas: Canvas, random: Random) -> None:
    text(canvas, random, 25)
    put(canvas, photograph(random, 600, 400), (60, 80, 400, 350))


def text_on_paper(canvas: Canvas, random: Random) -> None:
    put(canvas, paper(random, 100, 0, 10))
    text(canvas, random, int(random.integers(2, 40)))


def empty(canvas: Canvas, random: Random) -> None:
    canvas.setTitle(sentence(random, 2))


def empty_paper(canvas: Canvas, random: Random) -> None:
    put(canvas, paper(random, 150, 0, 10))


def drawing(canvas: Canvas, random: Random) -> None:
    for _ in range(40):
        canvas.line(*(float(v) for v in random.uniform(50, 550, 4)))
    if random.random() < 0.5:
        text(canvas, random, 1, top=60)


def dark_photograph(canvas: Canvas, random: Random) -> None:
    put(canvas, Image.fromarray((np.asarray(photograph(random, 900, 1200)) * 0.6).astype(np.uint8)))


def small_square(canvas: Canvas, random: Random) -> None:
    left, top = (float(each) for each in random.uniform(50, 400, 2))
    put(canvas, Image.new("L", (60, 60), int(random.integers(0, 120))), (left, top, left + 40, top + 40))


def slide(canvas: Canvas, random: Random) -> None:
    put(canvas, photograph(random, 1000, 1400))
    canvas.setFillGray(1)
    text(canvas, random, 1, size=24)


NEED: Final[tuple[Maker, ...]] = (scan, scan_with_number, stamped_scan, stamped_form, negative_scan)
DO_NOT: Final[tuple[Maker, ...]] = (
    captioned_photograph, lone_photograph, illustrated_text, text_on_paper, empty, empty_paper, drawing, slide, dark_photograph,
    small_square,
)  # fmt: skip
