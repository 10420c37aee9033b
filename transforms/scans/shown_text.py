"""Estimate, on a small image and without OCR, whether a page shows text that its text layer lacks.
In a narrow column of an image, lines of text are bands of ink as high as letters, with paper above and below, and many strokes at uneven
distances, unlike photographs, patterns and drawings."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Final

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from pdfmill.schemas.codes import PageError
from pdfmill.schemas.records import PageLines
from pdfmill.transforms.pdf.draw.render import POINTS, render_grey
from pdfmill.transforms.pdf.open.document import PdfDocument
from pdfmill.transforms.scans.ink import Floats, dark_on_light, darkness
from pdfmill.transforms.scans.recognizers import Picture

Bools = NDArray[np.bool_]
Boxes = NDArray[np.float32]


class ShownTextSettings(Struct, frozen=True):
    """Thresholds for bands of ink, which may be lines of text. Lengths are in pixels of an image of `dpi` dots per inch; the comment of a
    field names any other unit."""

    dpi: float = 100.0  # dots per inch of the image; letters of small print have 4 pixels
    column: int = 48  # width of a column, some five letters: lines of a skewed page are still separate in it
    dark: float = 0.22  # share of white by which ink is darker than paper
    row: float = 0.04  # smallest share of dark pixels in a row of a band
    heights: tuple[int, int] = (4, 30)  # smallest and largest height of a band: letters of 5 to 20 points
    apart: int = 2  # smallest number of rows of paper between bands
    changes: float = 5.0  # smallest mean number of changes between paper and ink along a row in the middle half of a band
    ink: tuple[float, float] = (0.06, 0.6)  # smallest and largest share of dark pixels in a band
    alike: float = 0.12  # relative spread of the distances between strokes below which they are even, as threads of cloth are
    repeated: float = 0.2  # share of bands with even strokes from which an image is a pattern; of text it is one in fifty
    seen: int = 12  # smallest number of bands of an image that can be called a pattern
    two_tones: float = 0.6  # smallest share of full ink among pixels darker than paper; photographs have more intermediate tones
    margin: int = 2  # margin around boxes of the page's text
    scales: tuple[int, ...] = (1, 2)  # the image is examined at full size, and at half size for large letters
    letters: int = 5  # number of letters for which a band counts
    pictured: float = 0.05  # smallest share of a page with text that images must cover if it is to be examined
    held: int = 400  # characters; a page with more text is not examined
    fewest: int = 10  # letters in images; fewer are labels and signs


DEFAULTS: Final = ShownTextSettings()


def shown_letters(page: PageLines, document: PdfDocument) -> int | None:
    """Return the estimated number of letters in the images of a page, which has some; None if it has much text of its own.
    Counting stops at the number of letters in the page's text, or at `settings.fewest` if that is larger."""
    if page.lines and not _is_worth_it(page):
        return None
    try:
        drawn = render_grey(document.pdfium, page.page, DEFAULTS.dpi / POINTS)
    except PageError:
        return None
    picture = dark_on_light(drawn)
    pictures = [picture] if picture is drawn else [picture, drawn]  # white on black, or light paper on a dark table
    held = page.word_boxes * np.float32(drawn.shape[1] / page.width)
    enough = -(-max(DEFAULTS.fewest, sum(len(line.text) for line in page.lines)) // DEFAULTS.letters)
    found = 0
    for dark, boxes in _sides(pictures, held):
        found = max(found, _count_bands(dark, boxes, enough))
        if found >= enough:
            break
    return DEFAULTS.letters * found


def _sides(pictures: Sequence[Picture], held: Boxes) -> Iterator[tuple[Floats, Boxes]]:
    """Yield (darkness, boxes of the page's text) of each image at each scale, upright and then with rows and columns exchanged; pixels.
    held: boxes of the page's text at full scale."""
    seen = []
    for picture in pictures:
        for step in DEFAULTS.scales:
            seen.append((darkness(np.ascontiguousarray(picture[::step, ::step])), held / np.float32(step)))
            yield seen[-1]
    yield from ((np.ascontiguousarray(dark.T), boxes[:, [1, 0, 3, 2]]) for dark, boxes in seen)


def _is_worth_it(page: PageLines) -> bool:
    covered = float(((page.images[:, 2] - page.images[:, 0]) * (page.images[:, 3] - page.images[:, 1])).sum())
    return covered >= DEFAULTS.pictured * page.width * page.height and sum(len(line.text) for line in page.lines) <= DEFAULTS.held


def count_bands(picture: Picture, held: Boxes, enough: int | None = None) -> int:
    """Return the number of pieces of lines, each of some letters, outside of the page's text. dark: `darkness` of the image, changed here.
    held: boxes of the page's text in pixels. enough: counting may stop at this number."""
    return _count_bands(darkness(picture), held, enough)


def _count_bands(dark: Floats, held: Boxes, enough: int | None) -> int:
    """Return the number of pieces of lines, each of some letters, outside of the page's text. dark: `darkness` of the image, changed here.
    held: boxes of the page's text in pixels. enough: counting may stop at this number."""
    for x0, top, x1, bottom in held.tolist():
        around = DEFAULTS.margin
        rows = slice(max(0, int(top) - around), max(0, int(bottom) + around))
        dark[rows, max(0, int(x0) - around) : max(0, int(x1) + around)] = 0
    ink = dark >= DEFAULTS.dark
    grey = dark >= DEFAULTS.dark / 3
    wide, columns = DEFAULTS.column, dark.shape[1] // DEFAULTS.column
    filled = ink[:, : columns * wide].reshape(len(ink), columns, wide).mean(axis=2) >= DEFAULTS.row
    repeated = (
        _repeats(ink[top:bottom, column])
        for number in range(columns)
        for column in [slice(number * wide, (number + 1) * wide)]
        for top, bottom in _bands(filled[:, number])
        if _is_text(ink[top:bottom, column], grey[top:bottom, column])
    )
    bands = list(islice(repeated, None if enough is None else max(enough, DEFAULTS.seen)))
    return len(bands) if sum(bands) <= DEFAULTS.repeated * len(bands) else 0


def _bands(filled: Bools) -> Iterator[tuple[int, int]]:
    """Yield (first row, last row + 1) of each band of ink as high as letters, with empty rows above and below.
    filled: bool[rows], whether each row of a column of the image has ink."""
    ends = np.flatnonzero(np.diff(filled, prepend=False, append=False)).tolist()
    runs = list(zip(ends[::2], ends[1::2], strict=True))
    bounds = [(-DEFAULTS.apart, -DEFAULTS.apart), *runs, (len(filled) + DEFAULTS.apart, 0)]
    low, high = DEFAULTS.heights
    for (_, before), (first, last), (after, _) in zip(bounds, bounds[1:], bounds[2:], strict=False):
        if low <= last - first <= high and first - before >= DEFAULTS.apart and after - last >= DEFAULTS.apart:
            yield first, last


def _is_text(ink: Bools, grey: Bools) -> bool:
    low, high = DEFAULTS.ink
    share = float(ink.mean())
    changes = np.sort((ink[:, 1:] != ink[:, :-1]).sum(axis=1))
    middle = changes[len(changes) // 4 : -(len(changes) // 4) or None]
    return low <= share <= high and float(middle.mean()) >= DEFAULTS.changes and int(ink.sum()) >= DEFAULTS.two_tones * int(grey.sum())


def _repeats(ink: Bools) -> bool:
    """Return whether the strokes of a band of ink are evenly spaced, as in patterns. ink: bool[rows, columns]."""
    rows, begins = np.nonzero(ink[:, 1:] & ~ink[:, :-1])
    apart = np.diff(begins)[rows[1:] == rows[:-1]]
    return bool(apart.size) and float(apart.std()) < DEFAULTS.alike * float(apart.mean())
