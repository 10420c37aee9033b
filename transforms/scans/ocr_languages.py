"""Choose the OCR languages of a page: from other pages of the document, or by recognising a few lines in one language of each script.
OCR in a wrong script has low confidence. The best script is taken, and then the language of the recognised text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import Final

import numpy as np
from msgspec import Struct

from pdfmill.transforms.language.detect import page_language
from pdfmill.transforms.scans.ink import darkness
from pdfmill.transforms.scans.recognizers import OcrError, Picture, Recognizer, Word, mean_confidence


class LanguageSettings(Struct, frozen=True):
    """Settings for the first recognition of a few lines, and for choosing languages. The comment of each field gives its unit."""

    band: float = 1.2  # inches, height of the recognised part: some seven lines, whose letters suffice to detect a language
    sure: float = 0.85  # mean confidence from which no other script is tried; words in a wrong script have .2 to .6
    least: float = 0.4  # mean confidence below which there is no text: a photograph, or a page on its side
    share: float = 0.15  # share of pages with text, or of recognised parts, from which their language is one of the document's
    filled: float = 0.25  # largest share of dark pixels in a row; more is a rule or an image
    letters: int = 200  # smallest number of letters from which a language is detected
    confident: float = 0.5  # smallest confidence of that detection
    certain: float = 0.9  # confidence of a page's detected language from which the page is recognised in it too
    unsure: float = 0.65  # mean confidence of a line below which it may be in another script; in a wrong one lines have .2 to .6
    lines: int = 12  # largest number of such lines of a page that are recognised again
    unsure_letters: int = 80  # smallest number of letters in these lines
    better: float = 0.15  # smallest increase of confidence that another script must give


DEFAULTS: Final = LanguageSettings()
#: Value of the language option for choosing languages by page.
AUTO: Final = "auto"
#: Tesseract's names and ISO 639-1 codes of languages, by script. The first installed one of a script is used for the first recognition.
_SCRIPTS: Final = tuple(
    tuple((name, code) for name, _, code in (each.partition(":") for each in script.split()))
    for script in (
        "eng:en fra:fr deu:de spa:es ita:it por:pt nld:nl pol:pl ces:cs slk:sk slv:sl hrv:hr ron:ro hun:hu swe:sv dan:da nor:no fin:fi"
        " est:et lav:lv lit:lt tur:tr vie:vi ind:id cat:ca sqi:sq afr:af swa:sw tgl:tl som:so",
        "rus:ru ukr:uk bul:bg mkd:mk",
        "ell:el",
        "chi_sim:zh-cn chi_tra:zh-tw",
        "jpn:ja",
        "kor:ko",
        "ara:ar fas:fa urd:ur",
        "heb:he",
        "hin:hi mar:mr nep:ne",
        "ben:bn",
        "tha:th",
        "tam:ta",
        "tel:te",
        "kan:kn",
        "mal:ml",
        "guj:gu",
        "pan:pa",
    )
)
_CODES: Final = {code: name for script in _SCRIPTS for name, code in script}


def by_texts(codes: Sequence[str], installed: Sequence[str]) -> str | None:
    """Return the OCR languages that are most frequent on a document's pages with text, joined by +; None if none is installed.

    >>> by_texts(["en", "en", "de", "fi"], ["eng", "deu"])
    'eng+deu'
    """
    counts = Counter(_CODES[code] for code in codes if _CODES.get(code) in installed)
    common = [name for name, count in counts.most_common() if count >= DEFAULTS.share * len(codes)]
    return "+".join(common) or None


def with_latin(named: str, installed: Sequence[str]) -> str:
    """Return the OCR languages; if all are Cyrillic, with a Latin one, because texts in Cyrillic contain Latin names and terms.

    >>> with_latin("rus", ["deu", "eng", "rus"]), with_latin("deu+rus", ["deu", "eng", "rus"])
    ('rus+eng', 'deu+rus')
    """
    latin, cyrillic = ([name for name, _ in script] for script in _SCRIPTS[:2])
    more = next((name for name in latin if name in installed), None)
    return f"{named}+{more}" if more is not None and set(named.split("+")) <= set(cyrillic) else named


def language_of(text: str) -> str | None:
    """Return the language code of a page's text; None if it is too short or unclear."""
    if len(text) < DEFAULTS.letters:
        return None
    code, confidence = page_language(text, (None, None))
    return code if code is not None and (confidence or 0.0) >= DEFAULTS.confident else None


def by_pictures(
    bands: Iterable[tuple[Picture, float]], recognizer: Recognizer, installed: Sequence[str], seconds: float,
) -> str | None:  # fmt: skip
    """Return the most frequent languages in some straightened images, such as "eng+deu"; None if no text can be recognised.
    bands: parts of pages (`text_bands`), each with its dots per inch. seconds: time limit for each part and script."""
    names = [name for band, dpi in bands for name in [_by_picture(band, dpi, recognizer, installed, seconds)] if name]
    common = [name for name, count in Counter(names).most_common() if count >= DEFAULTS.share * len(names)]
    return "+".join(common) or None


def _by_picture(band: Picture, dpi: float, recognizer: Recognizer, installed: Sequence[str], seconds: float) -> str | None:
    return _of_scripts(band, dpi, recognizer, _by_script(installed), seconds, DEFAULTS.least)


def _of_scripts(
    band: Picture, dpi: float, recognizer: Recognizer, scripts: Iterable[Sequence[str]], seconds: float, least: float,
) -> str | None:  # fmt: skip
    """Recognise an image once in each script, and return the language with the highest confidence; None if none is above `least`.
    scripts: for each script its installed languages. dpi: pixels per inch. seconds: time limit for each script."""
    best, read = least, None
    for names in scripts:
        try:
            words = recognizer.read(band, dpi, names[0], seconds)
        except OcrError:  # another language may still be read
            continue
        sure = mean_confidence(words) if words else 0.0
        if sure > best:
            best, read = sure, (names, words)
        if sure >= DEFAULTS.sure:
            break
    return _named(*read) if read is not None else None


def _by_script(installed: Sequence[str]) -> list[list[str]]:
    scripts = ([name for name, _ in script if name in installed] for script in _SCRIPTS)
    return [names for names in scripts if names]


def further(
    picture: Picture, words: Sequence[Word], dpi: float, recognizer: Recognizer, languages: str, seconds: float,
) -> str | None:  # fmt: skip
    """Return another language in which a page must also be recognised: that of the recognised words if it is certain, else the result of
    `beside`. None if there is none.
    words: the words recognised in `languages`. dpi: pixels per inch. seconds: time limit for each script."""
    if not words:
        return None
    text = " ".join(word.text for word in words)
    code, confidence = page_language(text, (None, None)) if len(text) >= DEFAULTS.letters else (None, None)
    name = _CODES.get(code or "")
    if name in recognizer.languages() and name not in languages.split("+") and (confidence or 0.0) >= DEFAULTS.certain:
        return name
    return beside(picture, words, dpi, recognizer, languages, seconds)


def beside(
    picture: Picture, words: Sequence[Word], dpi: float, recognizer: Recognizer, languages: str, seconds: float,
) -> str | None:  # fmt: skip
    """Return a language of another script in which lines of low confidence are read better; None if there is none.
    words: the words recognised in `languages`. dpi: pixels per inch. seconds: time limit for each script."""
    lines = [list(members) for _, members in groupby(words, key=lambda word: word.line)]
    unsure = [line for line in lines if mean_confidence(line) < DEFAULTS.unsure]
    unsure = sorted(unsure, key=lambda line: -sum(len(word.text) for word in line))[: DEFAULTS.lines]
    if sum(len(word.text) for line in unsure for word in line) < DEFAULTS.unsure_letters:
        return None
    others = [names for names in _by_script(recognizer.languages()) if not set(names) & set(languages.split("+"))]
    least = mean_confidence([word for line in unsure for word in line]) + DEFAULTS.better
    return _of_scripts(_lines_alone(picture, unsure), dpi, recognizer, others, seconds, least)


def _lines_alone(picture: Picture, lines: Sequence[Sequence[Word]]) -> Picture:
    boxes = [np.array([word.box for word in line]) for line in lines]
    edges = [(*box[:, :2].min(axis=0).tolist(), *box[:, 2:].max(axis=0).tolist()) for box in boxes]
    rows: list[Picture] = []
    for x0, top, x1, bottom in sorted(edges, key=lambda edge: edge[1]):
        around = (bottom - top) // 3
        row = np.full((bottom - top + 2 * around, picture.shape[1]), 255, np.uint8)
        seen = picture[max(0, top - around // 2) : bottom + around // 2, x0:x1]
        row[around // 2 : around // 2 + len(seen), x0 : x0 + seen.shape[1]] = seen
        rows.append(row)
    return np.concatenate(rows)


def _named(names: Sequence[str], words: Sequence[Word]) -> str:
    """Return the language of these words, one of `names` (the languages of one script); the first of them if the language is unclear."""
    code, _ = page_language(" ".join(word.text for word in words), (None, None))
    name = _CODES.get(code or "")
    return name if name is not None and name in names else names[0]


def text_bands(picture: Picture, dpi: float, count: int = 1) -> Iterator[Picture]:
    """Yield a strip of rows from each of `count` equal parts of a straightened image: the one in which darkness changes most from row to
    row, as it does in lines of text. dpi: pixels per inch."""
    height = round(DEFAULTS.band * dpi)
    part = picture.shape[0] // count
    for first in range(0, part * count, part):
        rows = picture[first : first + part]
        if part > height:
            ink = darkness(rows).mean(axis=1).clip(0, DEFAULTS.filled)
            sums = np.concatenate([np.zeros(1), np.cumsum(np.abs(np.diff(ink, append=ink[-1])), dtype=np.float64)])
            best = int((sums[height:] - sums[:-height]).argmax())
            rows = rows[best : best + height]
        yield rows
