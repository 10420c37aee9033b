"""Recognise words in images on a page that also has text (figures, stamps, parts of forms), and add them to the page.
Only images that show letters are recognised (`transforms.scans.shown_text`). The text of the page is painted over first."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
from msgspec import Struct
from msgspec.structs import replace
from numpy.typing import NDArray

from pdfmill.schemas.codes import PageError
from pdfmill.schemas.records import PageLines
from pdfmill.transforms.layout.document.derotate import turned_boxes
from pdfmill.transforms.pdf.draw.render import POINTS, render_grey
from pdfmill.transforms.pdf.open.document import PdfDocument
from pdfmill.transforms.scans.ink import dark_on_light
from pdfmill.transforms.scans.recognizers import Picture, Recognizer, Word, mean_confidence
from pdfmill.transforms.scans.shown_text import DEFAULTS as SHOWN
from pdfmill.transforms.scans.shown_text import count_bands


class RegionSettings(Struct, frozen=True):
    """Thresholds: which images of a page are recognised, and which words are accepted. The comment of each field gives its unit."""

    dpi: float = 300.0
    least: float = 0.01  # share of the page's area; smaller images are signs and letters
    bands: int = 2  # smallest number of pieces of lines in an image, each of some five letters
    margin: float = 1.0  # points around text of the page that are painted over
    confident: float = 0.6  # smallest confidence of a word; words read in tones of an image have less
    sure: float = 0.75  # smallest mean confidence of the words with letters; textures that look like lines have less
    letters: int = 3  # smallest number of letters in all words of an image


DEFAULTS: Final = RegionSettings()
Boxes = NDArray[np.float32]
#: A part of a page: x0, top, x1, bottom in points.
Region = tuple[float, float, float, float]


def painted_over(picture: Picture, boxes: Boxes, scale: float) -> Picture:
    """Return the image with boxes painted over in the colour of paper. boxes: float32[n, 4], points. scale: pixels per point."""
    blank = picture.copy()
    around = DEFAULTS.margin
    for x0, top, x1, bottom in boxes.tolist():
        pixels = _pixels((x0 - around, top - around, x1 + around, bottom + around), scale)
        part = picture[pixels]
        if part.size:
            blank[pixels] = np.uint8(np.quantile(part, 0.9))  # the tone of paper, which most of a word's box shows
    return blank


def _pixels(box: Region, scale: float) -> tuple[slice, slice]:
    x0, top, x1, bottom = (max(0, round(side * scale)) for side in box)
    return slice(top, bottom), slice(x0, x1)


def _beside(boxes: Boxes, box: Region, reach: float) -> NDArray[np.bool_]:
    x0, top, x1, bottom = box
    level = (boxes[:, 1] <= bottom + reach) & (boxes[:, 3] >= top - reach)
    return level & (boxes[:, 0] <= x1 + reach) & (boxes[:, 2] >= x0 - reach)


def own_words(page: PageLines) -> NDArray[np.int64]:
    """Return the indices of those words of the page that stand in horizontal lines."""
    level = np.array([not line.angle and not line.vertical for line in page.lines], np.bool_)
    return np.flatnonzero(level[page.word_lines]) if len(page.lines) else np.zeros(0, np.int64)


def words_beside(page: PageLines, turn: float, scale: float) -> list[Word]:
    """Return the horizontal words of the page's own text as recognised words, with confidence 1, on the straightened image.
    turn: skew of the image before it was straightened, degrees clockwise. scale: points per pixel."""
    chosen = own_words(page)
    boxes = turned_boxes(page.word_boxes[chosen], replace(page, turn=-turn, quarters=0)) / np.float32(scale)
    return [
        Word(("own", str(line)), page.lines[line].text[start:end], (round(x0), round(top), round(x1), round(bottom)))
        for line, (start, end), (x0, top, x1, bottom) in zip(
            page.word_lines[chosen].tolist(), page.word_spans[chosen].tolist(), boxes.tolist(), strict=True
        )
    ]


def lettered_regions(page: PageLines, document: PdfDocument) -> list[Region]:
    """Return boxes, in points, of images on the page that show letters beyond its text, joined if they touch; [] if it cannot be
    rendered."""
    large = [box for box in page.images.tolist() if (box[2] - box[0]) * (box[3] - box[1]) >= DEFAULTS.least * page.width * page.height]
    if not large:
        return []
    try:
        small = render_grey(document.pdfium, page.page, SHOWN.dpi / POINTS)
    except PageError:
        return []
    scale = small.shape[1] / page.width
    found = []
    for box in _joined(large):
        rows, columns = _pixels(box, scale)
        part = small[rows, columns]
        part = np.ascontiguousarray(dark_on_light(part)) if part.size else part
        corner = np.array([columns.start, rows.start] * 2, np.float32)
        held = (page.word_boxes * np.float32(scale) - corner).astype(np.float32)
        if part.size and count_bands(part, held, enough=DEFAULTS.bands) >= DEFAULTS.bands:
            found.append(box)
    return found


def _joined(boxes: Sequence[Sequence[float]]) -> list[Region]:
    left = [(box[0], box[1], box[2], box[3]) for box in boxes]
    joined: list[Region] = []
    while left:
        x0, top, x1, bottom = left.pop()
        touching = [each for each in left if each[0] <= x1 and each[2] >= x0 and each[1] <= bottom and each[3] >= top]
        if touching:
            left = [each for each in left if each not in touching]
            every = [(x0, top, x1, bottom), *touching]
            left.append((min(b[0] for b in every), min(b[1] for b in every), max(b[2] for b in every), max(b[3] for b in every)))
        else:
            joined.append((x0, top, x1, bottom))
    return sorted(joined, key=lambda box: (box[1], box[0]))


def read_regions(
    page: PageLines, document: PdfDocument, boxes: Sequence[Region], recognizer: Recognizer, language: str,
    seconds: float,
) -> list[tuple[list[Word], Picture, float, float]]:  # fmt: skip
    """Recognise the words in parts of a page (`boxes`). Return for each part with text its words, image, and left and top in points.
    seconds: time limit for each.

    Raises:
        OcrError: the recogniser failed.
        PageError: the page cannot be rendered.
    """
    scale = DEFAULTS.dpi / POINTS
    near = np.zeros(len(page.word_boxes), np.bool_)
    for box in boxes:
        near |= _beside(page.word_boxes, box, DEFAULTS.margin + 1)
    picture = painted_over(render_grey(document.pdfium, page.page, scale), page.word_boxes[near], scale)
    found = []
    for x0, top, x1, bottom in boxes:
        part = np.ascontiguousarray(picture[_pixels((x0, top, x1, bottom), scale)])
        if not part.size:
            continue
        part = dark_on_light(part)
        words = [word for word in recognizer.read(part, DEFAULTS.dpi, language, seconds) if any(map(str.isalnum, word.text))]
        kept = [word for word in words if word.confidence >= DEFAULTS.confident]
        letters = sum(len(word.text) for word in kept)
        if letters >= DEFAULTS.letters and mean_confidence(words) >= DEFAULTS.sure:
            found.append((kept, part, max(0.0, x0), max(0.0, top)))
    return found


def joined(page: PageLines, more: Sequence[PageLines]) -> PageLines:
    """Add the lines of the pages `more` to the page. Words that the page had before get the confidence 1."""
    styles, lines = list(page.styles), list(page.lines)
    numbers, spans, boxes, content, sure = (
        [page.word_lines],
        [page.word_spans],
        [page.word_boxes],
        [page.word_content],
        [page.word_confidences if len(page.word_confidences) else np.ones(len(page.word_lines), np.float32)],
    )
    for each in more:
        first, kinds = len(lines), len(styles)
        styles += each.styles
        lines += [
            replace(line, style=line.style + kinds, spans=tuple((at, style + kinds) for at, style in line.spans)) for line in each.lines
        ]
        numbers.append((each.word_lines + first).astype(np.int32))
        spans.append(each.word_spans)
        boxes.append(each.word_boxes)
        content.append(np.full(len(each.word_lines) if len(page.word_content) else 0, -1, np.int32))
        sure.append(each.word_confidences)
    return replace(
        page,
        styles=styles,
        lines=lines,
        word_lines=np.concatenate(numbers),
        word_spans=np.concatenate(spans),
        word_boxes=np.concatenate(boxes),
        word_content=np.concatenate(content),
        word_confidences=np.concatenate(sure),
    )
