"""Examine sample pages of a document, with `--ocr` only: which pages have text with untrusted Unicode values, and which languages.
The sample depends on the document alone, so that every process gets the same result."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from typing import Final

import numpy as np
from msgspec import Struct, field

from pdfmill.schemas.codes import PageError
from pdfmill.schemas.records import PageLines
from pdfmill.transforms.layout.lines.lines import find_lines
from pdfmill.transforms.layout.lines.no_language import strange_fonts
from pdfmill.transforms.layout.settings.text_settings import TextSettings
from pdfmill.transforms.pdf.draw.render import POINTS, picture_resolution, render_grey
from pdfmill.transforms.pdf.fonts.contradictions import contradicting_fonts
from pdfmill.transforms.pdf.open.document import PdfDocument
from pdfmill.transforms.pdf.open.objects import Key
from pdfmill.transforms.pdf.text.page import read_page
from pdfmill.transforms.road.job_settings import ReadSettings
from pdfmill.transforms.road.page_rows import is_untrusted
from pdfmill.transforms.road.time_limits import time_limit
from pdfmill.transforms.scans.ink import dark_on_light
from pdfmill.transforms.scans.installed import recognizer
from pdfmill.transforms.scans.learned_fonts import DEFAULTS as LEARNING
from pdfmill.transforms.scans.learned_fonts import FontMap, SeenPage, learn_fonts, sample_pages, see_page, seen_again, telling_pages
from pdfmill.transforms.scans.ocr_languages import AUTO, by_pictures, by_texts, further, language_of, text_bands, with_latin
from pdfmill.transforms.scans.recognize import resolution
from pdfmill.transforms.scans.recognizers import Picture, Recognizer
from pdfmill.transforms.scans.straighten import find_turn, is_sideways, turned_up

#: Share of a page's deadline that its OCR may take, so that OCR is ended before the whole page is.
OCR_SHARE: Final = 0.8
#: Number of pages whose pictures are examined to detect the language.
_PICTURES: Final = 3
#: Number of parts of each such page that are examined, since it may have several languages.
_PARTS: Final = 4
#: Share of the sampled text from which the names of a font's glyphs are examined, which takes some hundredths of a second.
_MAIN_SHARE: Final = 0.1
#: Share of a page's text in doubtful fonts (in no language, or contradictory) from which the page counts as untrusted.
_DOUBTED_SHARE: Final = 0.1


class Survey(Struct):
    """Numbers of sample pages with untrusted text (`doubtful`) and without text (`bare`), and the texts of the others."""

    doubtful: list[int] = field(default_factory=list)  # numbers of the pages with untrusted text
    bare: list[int] = field(default_factory=list)  # numbers of the pages without text
    texts: list[str] = field(default_factory=list)  # texts of the other pages


def survey(document: PdfDocument, settings: ReadSettings) -> Survey:
    """Read sample pages, spread over the document, and sort them into pages with untrusted text, without text, and with other text."""
    pages = []
    for number in sample_pages(document.page_count) if settings.sample_pages else ():
        try:
            with time_limit(settings.seconds_per_page):
                pages.append(find_lines(read_page(document.pdfium, number, limits=settings.page_limits, document=document)))
        except PageError:
            continue
    doubted = _doubted_fonts(document, [page for page in pages if not page.ocr])
    found = Survey()
    for page in pages:
        if not page.lines:
            found.bare.append(page.page)
        elif not page.ocr and (is_untrusted(page) or _share(page, doubted) > _DOUBTED_SHARE):
            found.doubtful.append(page.page)
        else:
            found.texts.append("\n".join(line.text for line in page.lines))
    return found


def _doubted_fonts(document: PdfDocument, pages: Sequence[PageLines]) -> set[str]:
    """Return the names of fonts whose text on all sample pages is in no language or, for much text, contradicts their glyph names."""
    counts: Counter[str] = Counter()
    for page in pages:
        for line in page.lines:
            counts[page.styles[line.style].font] += len(line.text)
    main = {font for font, count in counts.items() if count >= _MAIN_SHARE * counts.total()}
    return strange_fonts(((page.lines, page.styles) for page in pages), TextSettings()) | contradicting_fonts(document, main)


def _share(page: PageLines, fonts: Collection[str]) -> float:
    """Return the share, 0 to 1, of a page's characters that are in lines mostly set in one of these fonts."""
    counts = [(len(line.text), page.styles[line.style].font in fonts) for line in page.lines]
    return sum(count for count, within in counts if within) / max(1, sum(count for count, _ in counts))


def _surveyed(document: PdfDocument, settings: ReadSettings) -> Survey:
    if document.pictured.survey is None:
        document.pictured.survey = survey(document, settings)
    assert isinstance(document.pictured.survey, Survey)
    return document.pictured.survey


def fonts_learned(document: PdfDocument, settings: ReadSettings) -> dict[Key, FontMap]:
    """Return the character maps that OCR of sample pages gives for the document's fonts, by object key. The first call learns them."""
    if document.pictured.fonts is None:
        document.pictured.fonts = {}
        if pages := _surveyed(document, settings).doubtful:
            document.pictured.fonts = learn_fonts(_seen(document, telling_pages(document, pages), settings))
    return document.pictured.fonts


def fonts_learned_here(document: PdfDocument, number: int, settings: ReadSettings) -> dict[Key, FontMap]:
    """Return the character maps of `fonts_learned`, with characters added that OCR of the page with this number gives."""
    known = fonts_learned(document, settings)
    more = learn_fonts(_seen(document, [number], settings))
    return {key: more.get(key, {}) | characters for key, characters in known.items()}


def _seen(document: PdfDocument, numbers: Sequence[int], settings: ReadSettings) -> list[SeenPage]:
    """Recognise pages by OCR, and return those that could be drawn. If the user named no language, unsure pages are read in further
    ones."""
    reader, language = recognizer(settings.recognizer), ocr_language(document, settings)
    seconds = OCR_SHARE * settings.seconds_per_page / LEARNING.read
    seen = {number: page for number in numbers if (page := see_page(document, number, reader, language, seconds)) is not None}
    if settings.ocr_language == AUTO:
        more = {number: further(page.picture, page.words, LEARNING.dpi, reader, language, seconds) for number, page in seen.items()}
        named = "+".join([language, *dict.fromkeys(found for found in more.values() if found)])
        for number in (number for number, found in more.items() if found):
            seen[number] = seen_again(seen[number], reader, named, seconds)
    return list(seen.values())


def ocr_language(document: PdfDocument, settings: ReadSettings) -> str:
    """Return the OCR languages of the document, such as "eng+deu": those named by the user, else those detected from its pages."""
    if settings.ocr_language != AUTO:
        return settings.ocr_language
    if document.pictured.language is None:
        reader = recognizer(settings.recognizer)
        document.pictured.language = with_latin(_detected_languages(document, settings, reader), reader.languages())
    return document.pictured.language


def _detected_languages(document: PdfDocument, settings: ReadSettings, reader: Recognizer) -> str:
    """Detect the OCR languages from the document's pages, such as "eng+deu". Return the first installed one if none is detected, "" if the
    OCR engine has no choice of languages."""
    installed = reader.languages()
    if len(installed) < 2:
        return installed[0] if installed else ""
    found = _surveyed(document, settings)
    languages = [language for text in found.texts if (language := language_of(text))]
    if languages and not found.doubtful and (named := by_texts(languages, installed)):
        return named
    seconds = OCR_SHARE * settings.seconds_per_page / _PICTURES
    if found.doubtful:  # text that nobody can read, which may be in several languages
        bands = (band for number in found.doubtful[:_PICTURES] for band in _bands(document, number, _PARTS))
        if named := by_pictures(bands, reader, installed, seconds):
            return named
    bands = (band for number in _spread(found.bare) for band in _bands(document, number, 1))
    if named := by_pictures(bands, reader, installed, seconds):
        return named
    return by_texts(languages, installed) or installed[0]


def _spread(pages: Sequence[int]) -> list[int]:
    return sorted({pages[0], pages[(len(pages) - 1) // 2], pages[-1]}) if pages else []


def _bands(document: PdfDocument, number: int, count: int) -> Iterator[tuple[Picture, float]]:
    """Draw a page and yield up to `count` horizontal strips of it with lines of text, each with its dots per inch."""
    try:
        picture, dpi = _straight_picture(document, number)
    except PageError:
        return
    for band in text_bands(picture, dpi, count):
        yield band, dpi


def _straight_picture(document: PdfDocument, number: int) -> tuple[Picture, float]:
    """Draw the page, rotate it so that its lines are level, and return the picture and its dots per inch."""
    dpi = resolution(picture_resolution(document.pdfium, number))
    picture = dark_on_light(render_grey(document.pdfium, number, dpi / POINTS))
    if is_sideways(picture):
        picture = np.ascontiguousarray(np.rot90(picture))
    return turned_up(picture, find_turn(picture)), dpi
