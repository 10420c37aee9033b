"""Use an existing OCR layer, which is invisible text over the image of a page: words come from the layer, and their appearance from the
image, because one font is stretched over each word. Lines of a skewed scan are straightened first. A doubtful layer is checked by
recognising a few of its lines."""

from __future__ import annotations

import math
from collections.abc import Sequence
from difflib import SequenceMatcher
from itertools import pairwise
from typing import Final, NamedTuple

import numpy as np
from msgspec import Struct
from msgspec.structs import replace
from numpy.typing import NDArray

from pdfmill.schemas.codes import PageError
from pdfmill.schemas.glyphs import Glyphs, PageContent
from pdfmill.schemas.records import PageLines, WordInk
from pdfmill.transforms.layout.page.line_frame import word_bounds
from pdfmill.transforms.pdf.draw.render import POINTS, picture_resolution, render_grey
from pdfmill.transforms.pdf.open.document import PdfDocument
from pdfmill.transforms.scans.ink import darkness, fit_to_ink, measure_words
from pdfmill.transforms.scans.recognize import resolution, word_ink
from pdfmill.transforms.scans.recognizers import OcrError, Picture, Recognizer, Word
from pdfmill.transforms.scans.straighten import find_turn, turned_up

Floats = NDArray[np.float32]


class LayerSettings(Struct, frozen=True):
    """Thresholds for using an OCR layer with the image of its page. The comment of each field gives its unit."""

    most: float = 250.0  # dots per inch of the measured image: stems are some 4 pixels wide, and more pixels give no more accuracy
    upright: int = 6  # degrees up to which text is rotated with a skewed image; other text is vertical
    met: float = 0.5  # smallest share of words with letters that lie on ink; a layer of another page has a smaller one


DEFAULTS: Final = LayerSettings()


class Scan(NamedTuple):
    """The straightened image of a page. scale: points per pixel. turn: skew of the image before it was straightened, degrees clockwise."""

    picture: Picture
    scale: float  # points per pixel
    turn: float  # degrees by which it was rotated, see `PageLines`


def picture_under(content: PageContent, document: PdfDocument) -> Scan | None:
    """Return the straightened image of a page with an OCR layer; None if no image covers the page, or it cannot be rendered."""
    if not len(content.images):
        return None
    try:
        return picture_of(content.page, content.width, None, document)
    except PageError:  # the page keeps its text, and the text styles stay unknown
        return None


def picture_of(number: int, width: float, turn: float | None, document: PdfDocument) -> Scan | None:
    """Return the straightened image of page `number`, from 1; None if images do not cover the page.
    width: of the page, points. turn: skew of the image, degrees clockwise; None to measure it.

    Raises:
        PageError: the page cannot be rendered.
    """
    own = picture_resolution(document.pdfium, number)
    if own is None:
        return None
    picture = render_grey(document.pdfium, number, min(DEFAULTS.most, resolution(own)) / POINTS)
    turn = find_turn(picture) if turn is None else turn
    return Scan(turned_up(picture, turn), width / picture.shape[1], turn)


def straighten_text(content: PageContent, scan: Scan) -> PageContent:
    """Return the page's content with the glyphs of the OCR layer moved to their positions on the straightened image."""
    if not scan.turn:
        return content
    glyphs = content.glyphs
    sine, cosine = math.sin(math.radians(scan.turn)), math.cos(math.radians(scan.turn))
    x, y = glyphs.origin_x - content.width / 2, glyphs.origin_y - content.height / 2
    across, down = (cosine * x + sine * y - x).astype(np.float32), (cosine * y - sine * x - y).astype(np.float32)
    lean = (glyphs.angle + 180) % 360 - 180
    moved: Glyphs = replace(
        glyphs,
        x0=glyphs.x0 + across,
        x1=glyphs.x1 + across,
        origin_x=glyphs.origin_x + across,
        top=glyphs.top + down,
        bottom=glyphs.bottom + down,
        origin_y=glyphs.origin_y + down,
        angle=np.where(np.abs(lean) <= DEFAULTS.upright, 0, glyphs.angle).astype(np.int16),
    )
    return replace(content, glyphs=moved)


def look_at_layer(page: PageLines, scan: Scan) -> PageLines:
    """Return the page with the words of its OCR layer measured on the image; without measurements if too few words lie on ink."""
    page = replace(page, turn=scan.turn)
    dark = darkness(scan.picture)
    bounds = word_bounds(page)
    level = [
        (number, first, last)
        for number, (first, last) in enumerate(pairwise(bounds))
        if last > first and not page.lines[number].angle and not page.lines[number].vertical
    ]
    lines = [_words_on(page, number, first, last, dark, scan.scale) for number, first, last in level]
    ink = measure_words(dark, lines)
    asked = [any(map(str.isalnum, word.text)) for line in lines for word in line]
    if not any(asked) or np.count_nonzero(ink.runs[asked]) < DEFAULTS.met * sum(asked):
        return page
    measured = word_ink(ink, scan.scale)
    places = np.concatenate([np.arange(first, last) for _, first, last in level])
    for (number, _, _), baseline in zip(level, (ink.baselines * scan.scale).tolist(), strict=True):
        page.lines[number] = replace(page.lines[number], baseline=baseline)
    return replace(page, ink=_spread(measured, places, len(page.word_lines)))


def _words_on(page: PageLines, number: int, first: int, last: int, dark: Floats, scale: float) -> Sequence[Word]:
    """Return words of an OCR layer's line as recognised words, with boxes as high as their ink. number: of the line. first, last: indices
    of the first word and after the last. dark: `darkness` of the image, 0 to 1. scale: points per pixel."""
    line = page.lines[number]
    boxes = fit_to_ink(dark, page.word_boxes[first:last] / np.float32(scale), line.baseline / scale, page.styles[line.style].size / scale)
    return [
        Word((str(number),), line.text[start:end], (x0, top, x1, bottom))
        for (start, end), (x0, top, x1, bottom) in zip(page.word_spans[first:last].tolist(), boxes.tolist(), strict=True)
    ]


def _spread(ink: WordInk, places: NDArray[np.int64], count: int) -> WordInk:
    """Return measurements for all `count` words of a page, nan for those not measured. places: int64[words], index of each measured
    word."""

    def spread(values: Floats, empty: float) -> Floats:
        all_of_them = np.full((count, *values.shape[1:]), empty, np.float32)
        all_of_them[places] = values
        return all_of_them

    return WordInk(*(spread(values, empty) for values, empty in zip(ink, (np.nan, np.nan, 0.0, 0.0, np.nan), strict=True)))


class CheckSettings(Struct, frozen=True):
    """Thresholds by which an OCR layer is called doubtful, is checked, and is called bad. The comment of each field gives its unit."""

    doubted: float = 0.9  # quality estimated from the text, below which a layer is checked; 1 in 20 good English pages is below
    #: Lines that are recognised again: their some 60 words distinguish a tenth of wrong words from none, at an eighth of a page's cost.
    lines: int = 6
    around: float = 0.5  # line heights of margin around these lines
    bad: float = 0.8  # quality below which a page is recognised again if the user wants that: one letter in 15 is wrong


CHECKS: Final = CheckSettings()


def is_doubted(page: PageLines) -> bool:
    """Return whether the quality estimated from the text of a page's OCR layer is low enough to check the layer."""
    return bool(page.lines) and (page.ocr_quality is None or page.ocr_quality < CHECKS.doubted)


def checked_quality(page: PageLines, document: PdfDocument, recognizer: Recognizer, language: str, seconds: float) -> float | None:
    """Return the quality of a page's OCR layer, 0 to 1; None if it is unknown: the larger of the estimate from its text and the share of
    words in a few lines on which OCR anew and the layer agree. Names, terms and languages without a word list make good text look bad.
    seconds: time limit."""
    estimated = page.ocr_quality
    try:
        scan = picture_of(page.page, page.width, page.turn, document)
        alike = None if scan is None else _alike(page, scan, recognizer, language, seconds)
    except (OcrError, PageError):
        return estimated
    return estimated if alike is None else max(alike, estimated or 0.0)


def _alike(page: PageLines, scan: Scan, recognizer: Recognizer, language: str, seconds: float) -> float | None:
    """Return the share of words, 0 to 1, in a few lines in the middle of the page on which OCR and the text layer agree; None if the page
    has no horizontal lines."""
    level = sorted((line for line in page.lines if not line.angle), key=lambda line: line.top)
    first = max(0, (len(level) - CHECKS.lines) // 2)
    chosen = level[first : first + CHECKS.lines]
    if not chosen:
        return None
    around = CHECKS.around * (chosen[0].bottom - chosen[0].top)
    top, bottom = chosen[0].top - around, max(line.bottom for line in chosen) + around
    band = scan.picture[max(0, round(top / scan.scale)) : max(0, round(bottom / scan.scale))]
    if not band.size:
        return None
    read = [word.text for word in recognizer.read(band, POINTS / scan.scale, language, seconds)]
    held = [word for line in chosen for word in line.text.split()]
    return round(SequenceMatcher(None, sorted(held), sorted(read), autojunk=False).ratio(), 3)
