"""Pages drawn as pictures, with the words that a recogniser would read on them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import reportlab
from PIL import Image, ImageDraw, ImageFont

from pdfmill.transforms.scans.recognizers import Picture, Word

FONTS = Path(reportlab.__file__).parent / "fonts"
#: Pixels per point, of 200 dots per inch.
SCALE = 200 / 72
#: A line: left and baseline in points, size, and words each with its font: "" for plain, "Bd" bold, "It" slanted.
Line = tuple[float, float, float, list[tuple[str, str]]]


class PretendedRecognizer:
    """What a test's own recogniser shares with all: it is there, and has nothing to say."""

    def missing(self) -> str | None:
        return None

    def languages(self) -> tuple[str, ...]:
        return ()

    def read(self, picture: Picture, dpi: float, language: str, seconds: float) -> list[Word]:
        return []


def plain(left: float, baseline: float, size: float, text: str, face: str = "") -> Line:
    """A line in one face."""
    return left, baseline, size, [(word, face) for word in text.split()]


def draw(lines: list[Line], width: float = 520, height: float = 595, degrees: float = 0.0) -> tuple[Picture, list[Word]]:
    """The picture of a page, uint8[height, width], turned to the right; and its words as they stand on the straight page."""
    image = Image.new("L", (round(width * SCALE), round(height * SCALE)), 250)
    pen = ImageDraw.Draw(image)
    words = []
    for number, (left, baseline, size, texts) in enumerate(lines):
        x = left * SCALE
        for text, face in texts:
            font = ImageFont.truetype(str(FONTS / f"Vera{face}.ttf"), size * SCALE)
            place = (x, baseline * SCALE)
            pen.text(place, text, fill=20, font=font, anchor="ls")
            box = pen.textbbox(place, text, font=font, anchor="ls")
            words.append(Word((str(number),), text, (round(box[0]), round(box[1]), round(box[2]), round(box[3]))))
            x += font.getlength(text + " ")
    if degrees:
        image = image.rotate(-degrees, resample=Image.Resampling.BICUBIC, fillcolor=250)
    return np.asarray(image, np.uint8), words
