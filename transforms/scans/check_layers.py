"""Check the quality of a doubtful OCR layer (invisible text over a scan) by comparing a few of its lines with a new recognition."""

from __future__ import annotations

from difflib import SequenceMatcher
from typing import Final

from msgspec import Struct

from pdfmill.schemas.errors import PageError
from pdfmill.schemas.records import PageLines
from pdfmill.transforms.pdf.draw.render import POINTS
from pdfmill.transforms.pdf.open.document import PdfDocument
from pdfmill.transforms.scans.ocr_layers import Scan, picture_of
from pdfmill.transforms.scans.recognizers import OcrError, Recognizer


class CheckSettings(Struct, frozen=True):
    """Thresholds by which an OCR layer is called doubtful, is checked, and is called bad. The comment of each field gives its unit."""

    doubted: float = 0.9  # quality estimated from the text, below which a layer is checked; 1 in 20 good English pages is below
    #: Lines that are recognised again: their some 60 words distinguish a tenth of wrong words from none, at an eighth of a page's cost.
    lines: int = 6
    around: float = 0.5  # line heights of margin around these lines
    bad: float = 0.8  # quality below which a page is recognised again if the user wants that: one letter in 15 is wrong


DEFAULTS: Final = CheckSettings()


def is_doubted(page: PageLines, settings: CheckSettings = DEFAULTS) -> bool:
    """Return whether the quality estimated from the text of a page's OCR layer is low enough to check the layer."""
    return bool(page.lines) and (page.ocr_quality is None or page.ocr_quality < settings.doubted)


def checked_quality(
    page: PageLines, document: PdfDocument, recognizer: Recognizer, language: str, seconds: float, settings: CheckSettings = DEFAULTS
) -> float | None:
    """Return the quality of a page's OCR layer, 0 to 1; None if it is unknown: the larger of the estimate from its text and the share of
    words in a few lines on which OCR anew and the layer agree. Names, terms and languages without a word list make good text look bad.
    seconds: time limit."""
    estimated = page.ocr_quality
    try:
        scan = picture_of(page.page, page.width, page.turn, document)
        alike = None if scan is None else _alike(page, scan, recognizer, language, seconds, settings)
    except (OcrError, PageError):
        return estimated
    return estimated if alike is None else max(alike, estimated or 0.0)


def _alike(page: PageLines, scan: Scan, recognizer: Recognizer, language: str, seconds: float, settings: CheckSettings) -> float | None:
    """Return the share of words, 0 to 1, in a few lines in the middle of the page on which OCR and the text layer agree; None if the page
    has no horizontal lines."""
    level = sorted((line for line in page.lines if not line.angle), key=lambda line: line.top)
    first = max(0, (len(level) - settings.lines) // 2)
    chosen = level[first : first + settings.lines]
    if not chosen:
        return None
    around = settings.around * (chosen[0].bottom - chosen[0].top)
    top, bottom = chosen[0].top - around, max(line.bottom for line in chosen) + around
    band = scan.picture[max(0, round(top / scan.scale)) : max(0, round(bottom / scan.scale))]
    if not band.size:
        return None
    read = [word.text for word in recognizer.read(band, POINTS / scan.scale, language, seconds)]
    held = [word for line in chosen for word in line.text.split()]
    return round(SequenceMatcher(None, sorted(held), sorted(read), autojunk=False).ratio(), 3)
