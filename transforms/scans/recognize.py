"""Recognise the text of pages that are images: render, straighten, recognise and measure.
Lines are returned horizontal. `PageLines.turn` is the rotation, by which the boxes in the output are rotated back
(`pdfmill.transforms.layout.document.derotate`)."""

from __future__ import annotations

import time
import unicodedata
from collections.abc import Iterator, Sequence
from itertools import groupby, pairwise
from statistics import median
from typing import Final, NamedTuple

import numpy as np
from msgspec.structs import replace
from numpy.typing import NDArray

from pdfmill.schemas.codes import PageError
from pdfmill.schemas.records import FontStyle, Notice, PageLines, TextLine, WordInk
from pdfmill.transforms.layout.document.derotate import righted
from pdfmill.transforms.pdf.draw.render import POINTS, picture_resolution, render_grey
from pdfmill.transforms.pdf.open.document import PdfDocument
from pdfmill.transforms.pdf.open.limits import DEFAULT_PAGE_LIMITS
from pdfmill.transforms.pdf.text.ruled_tables import find_ruled_tables
from pdfmill.transforms.scans.drawn_rules import as_edges, find_rules
from pdfmill.transforms.scans.ink import Ink, dark_on_light, darkness, measure_words
from pdfmill.transforms.scans.missed_page_numbers import read_with_marks
from pdfmill.transforms.scans.ocr_languages import further
from pdfmill.transforms.scans.recognizers import OcrError, Picture, Recognizer, Word, mean_confidence
from pdfmill.transforms.scans.regions import DEFAULTS as REGIONS
from pdfmill.transforms.scans.regions import Region, joined, own_words, painted_over, read_regions, words_beside
from pdfmill.transforms.scans.straighten import find_turn, is_sideways, turned_up

#: Factor from the height of a line's ink, ascenders to descenders, to the font size, if letters give no better estimate.
_INK_HEIGHT: Final = 0.9
#: First and last Korean syllable. They are as wide as Chinese characters, but Korean words are separated by spaces.
_HANGUL: Final = ("\uac00", "\ud7a3")


#: Dots per inch at which a page is recognised: those of its image if between the least and the most, otherwise the usual ones. Below, small
#: print has too few pixels; above, results are no better.
_LEAST_DPI, _USUAL_DPI, _MOST_DPI = 150.0, 300.0, 400.0
#: A gap between words ends their line if it is wider than both so many usual heights of its words (each some .7 em), and so many usual gaps
#: of the line. With fewer gaps than `_GAPS` a line has no usual one.
_CUT_HEIGHTS, _CUT_GAPS, _GAPS = 2.4, 2.2, 3
#: A page is recognised again upside down if the mean confidence is lower than this, and this share of the time limit remains: upside down,
#: the confidence is .2 to .5; of faint print it is .75.
_UPRIGHT_CONFIDENCE, _TIME_LEFT = 0.7, 0.5
#: A word is spaced if it has so many single letters in a row (initials and list labels have fewer), with gaps of at most so many letter
#: heights (between cells of a table they are wider); a gap of so many usual ones ends it.
_SPACED_LETTERS, _SPACED_HEIGHTS, _SPACED_GAPS = 4, 1.0, 1.7


def resolution(own: float | None) -> float:
    """Return the dots per inch at which to recognise a page. own: resolution of the page's image; None without an image."""
    return own if own is not None and _LEAST_DPI <= own <= _MOST_DPI else _USUAL_DPI


def recognize_page(
    page: PageLines, document: PdfDocument, recognizer: Recognizer, language: str, seconds: float, *, named: bool = True
) -> PageLines:
    """Return the page with lines recognised on its image, marked `ocr`; unchanged, with a warning, if that fails.
    seconds: time limit. named: the user chose the language; if not, the words may suggest another, in which they are recognised again."""
    ends = time.monotonic() + seconds
    try:
        dpi = resolution(picture_resolution(document.pdfium, page.page))
        drawn = render_grey(document.pdfium, page.page, dpi / POINTS)
        held = page.lines and page.ink is None and not page.ocr and not page.untrusted_chars
        picture = dark_on_light(painted_over(drawn, page.word_boxes[own_words(page)], dpi / POINTS) if held else drawn)
        read = read_upright(picture, recognizer, dpi, language, seconds)
        if not named:
            read = _read_further(picture, read, recognizer, dpi, language, ends)
    except (OcrError, PageError) as error:
        return replace(page, warnings=[*page.warnings, Notice("ocr_failed", page.page, str(error))])
    if not read.words:
        return page
    if (
        held and not read.quarters
    ):  # the page's own text needs no OCR, but its text styles are measured on the image, like those of recognised words
        scale = page.width / read.picture.shape[1]
        straight = dark_on_light(turned_up(drawn, read.turn))
        return with_words(page, [*read.words, *words_beside(page, read.turn, scale)], straight, scale, read.turn)
    page = righted(page, read.quarters)
    return with_words(page, read.words, read.picture, page.width / read.picture.shape[1], read.turn)


def _read_further(picture: Picture, read: Reading, recognizer: Recognizer, dpi: float, language: str, ends: float) -> Reading:
    """Return the result of recognising the image with another language, if the words suggest one and time is left, else `read`.
    ends: end of the time limit, in seconds of the monotonic clock."""
    more = further(read.picture, read.words, dpi, recognizer, language, ends - time.monotonic())
    if more is None:
        return read
    try:
        return read_upright(picture, recognizer, dpi, f"{language}+{more}", ends - time.monotonic())
    except OcrError:  # the first result is kept, though it may be worse
        return read


def recognize_regions(
    page: PageLines, document: PdfDocument, boxes: Sequence[Region], recognizer: Recognizer, language: str, seconds: float
) -> PageLines:
    """Return the page with the words added that OCR recognises in parts of its image (`boxes`), or with a warning. seconds: for all
    parts."""
    try:
        read = read_regions(page, document, boxes, recognizer, language, seconds / len(boxes))
    except (OcrError, PageError) as error:
        return replace(page, warnings=[*page.warnings, Notice("ocr_failed", page.page, str(error))])
    if not read:
        return page
    parts = []
    for words, picture, left, top in read:
        lines = with_words(PageLines(page.page, page.width, page.height), words, picture, POINTS / REGIONS.dpi)
        parts.append(
            replace(
                lines,
                lines=[
                    replace(
                        line,
                        x0=line.x0 + left,
                        x1=line.x1 + left,
                        top=line.top + top,
                        bottom=line.bottom + top,
                        baseline=line.baseline + top,
                    )
                    for line in lines.lines
                ],
                word_boxes=lines.word_boxes + np.array((left, top, left, top), np.float32),
            )
        )
    return joined(page, parts)


class Reading(NamedTuple):
    """The words recognised on an image, and this image rotated upright. Before, it was turned clockwise by `quarters` right angles and then
    by `turn` degrees."""

    words: list[Word]
    picture: Picture
    turn: float  # see `PageLines`
    quarters: int  # see `PageLines`


def read_upright(picture: Picture, recognizer: Recognizer, dpi: float, language: str, seconds: float) -> Reading:
    """Recognise an image in the orientation, by quarter turns, that gives the highest confidence. Most images are upright, and read once.
    language: Tesseract's names, joined by +. seconds: time limit. Raises OcrError."""
    ways = (1, 3) if is_sideways(picture) else (0, 2)
    ends = time.monotonic() + seconds
    readings: list[Reading] = []
    for quarters in ways:
        righted_picture = np.ascontiguousarray(np.rot90(picture, quarters))
        turn = find_turn(righted_picture)
        straight = turned_up(righted_picture, turn)
        words = read_with_marks(straight, recognizer, dpi, language, ends - time.monotonic())
        readings.append(Reading(words, straight, turn, quarters))
        if not words or mean_confidence(words) >= _UPRIGHT_CONFIDENCE or ends - time.monotonic() < _TIME_LEFT * seconds:
            break
    return max(readings, key=lambda reading: mean_confidence(reading.words) if reading.words else 0.0)


def with_words(page: PageLines, words: Sequence[Word], picture: Picture, scale: float, turn: float = 0.0) -> PageLines:
    """Return the page with these words instead of its text. picture: the straightened image with the words. scale: points per pixel.
    turn: skew of the image before it was straightened, degrees clockwise."""
    lines = [part for _, members in groupby(words, key=lambda word: word.line) for part in cut_line(join_spaced(list(members)))]
    words = [word for line in lines for word in line]
    dark = darkness(picture)
    ink = measure_words(dark, lines)
    rules = find_rules(dark, scale)
    spans: list[tuple[int, int]] = []
    for line in lines:
        start = 0
        for word, space in zip(line, spaces(line), strict=True):
            start += len(space)
            spans.append((start, start + len(word.text)))
            start += len(word.text)
    boxes = np.array([word.box for word in words], np.float32) * np.float32(scale)
    counts = [len(line) for line in lines]
    starts = np.cumsum([0, *counts]).tolist()
    sizes = [
        round(float(part[:, 3].max() - part[:, 1].min()) * _INK_HEIGHT, 1)
        for part in (boxes[start : start + count] for start, count in zip(starts, counts, strict=False))
    ]
    styles = sorted(set(sizes))
    return replace(
        page,
        styles=[FontStyle("", size) for size in styles],
        lines=[
            _line(line, boxes[start : start + len(line)], styles.index(size), baseline)
            for line, start, size, baseline in zip(lines, starts, sizes, (ink.baselines * scale).tolist(), strict=False)
        ],
        word_lines=np.repeat(np.arange(len(lines)), counts).astype(np.int32),
        word_spans=np.array(spans, np.int32),
        word_boxes=boxes,
        word_content=page.word_content[:0],
        rules=np.concatenate([page.rules, rules]),
        tables=page.tables or find_ruled_tables(as_edges(rules), DEFAULT_PAGE_LIMITS.max_edges),
        tags=(),
        untrusted_chars=0,
        cut_at_gutters=False,
        ocr=True,
        ink=word_ink(ink, scale),
        word_confidences=np.array([word.confidence for word in words], np.float32),
        ocr_quality=mean_confidence(words),
        turn=turn,
    )


def cut_line(words: list[Word]) -> Iterator[list[Word]]:
    """Yield the parts of a line, split at gaps as wide as tab stops, such as between cells of a table."""
    gaps = [max(b.box[0] - a.box[2], a.box[0] - b.box[2]) for a, b in pairwise(words)]
    height = median(word.box[3] - word.box[1] for word in words)
    usual = median(gaps) if gaps else 0
    start = 0
    for place, gap in enumerate(gaps, start=1):
        if gap > _CUT_HEIGHTS * height and (gap > _CUT_GAPS * usual or len(gaps) < _GAPS):
            yield words[start:place]
            start = place
    yield words[start:]


def spaces(words: Sequence[Word]) -> list[str]:
    """Return the text before each word of a line: " ", or "" at the start and between characters of scripts without spaces.

    >>> spaces([Word((), text, (0, 0, 9, 9)) for text in ("Debian", "手", "册")])
    ['', ' ', '']
    """
    return [
        "" if before is None or (_is_unspaced(before.text[-1]) and _is_unspaced(word.text[0])) else " "
        for before, word in zip([None, *words], words, strict=False)
    ]


def _is_unspaced(sign: str) -> bool:
    """Return whether the character is Chinese, Japanese or another one of full width, but not Korean."""
    return unicodedata.east_asian_width(sign) in ("W", "F") and not _HANGUL[0] <= sign <= _HANGUL[1]


def word_ink(ink: Ink, scale: float) -> WordInk:
    """Return the measurements `ink` of words, which are in pixels, converted to points. scale: points per pixel."""
    heights, stems, gaps = ((each * scale).astype(np.float32) for each in (ink.heights, ink.stems, ink.gaps))
    return WordInk(heights, stems, ink.runs, ink.slants, gaps)


def _line(words: Sequence[Word], boxes: NDArray[np.float32], style: int, baseline: float) -> TextLine:
    text = "".join(space + word.text for word, space in zip(words, spaces(words), strict=True))
    x0, top = boxes[:, :2].min(axis=0).tolist()
    x1, bottom = boxes[:, 2:].max(axis=0).tolist()
    strong = next((kind for character in text if (kind := unicodedata.bidirectional(character)) in ("L", "R", "AL")), "L")
    return TextLine(text, x0, top, x1, bottom, baseline, style, ((0, style),), rtl=strong != "L")


def join_spaced(line: Sequence[Word]) -> list[Word]:
    """Return the words of a line, with spaced letters joined to words, but not letters in alphabetical order (names of columns or
    choices)."""
    return [
        word
        for single, members in groupby(line, key=lambda word: len(word.text) == 1 and word.text.isalpha())
        for word in (_joined(list(members)) if single else members)
    ]


def _joined(letters: list[Word]) -> Iterator[Word]:
    gaps = [b.box[0] - a.box[2] for a, b in pairwise(letters)]
    texts = [word.text.lower() for word in letters]
    if len(letters) < _SPACED_LETTERS or texts == sorted(texts) or min(gaps) < 0:
        yield from letters
        return
    usual = median(gaps)
    if usual > _SPACED_HEIGHTS * median(word.box[3] - word.box[1] for word in letters):
        yield from letters
        return
    ends = [place for place, gap in enumerate(gaps, start=1) if gap > _SPACED_GAPS * usual]
    for first, last in pairwise([0, *ends, len(letters)]):
        yield _one(letters[first:last])


def _one(letters: Sequence[Word]) -> Word:
    x0, top, x1, bottom = zip(*(word.box for word in letters), strict=True)
    text = "".join(word.text for word in letters)
    return Word(letters[0].line, text, (min(x0), min(top), max(x1), max(bottom)), mean_confidence(letters))
