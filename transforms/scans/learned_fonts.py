"""Find the text of font codes with wrong or missing Unicode values by OCR of some pages.
Each glyph of a recognised word votes for the text of its code, so that further pages need no OCR. The choice of pages depends on the
document only."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final, NamedTuple

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from pdfmill.schemas.codes import PageError
from pdfmill.transforms.pdf.draw.render import POINTS, render_grey
from pdfmill.transforms.pdf.open.document import PdfDocument
from pdfmill.transforms.pdf.open.objects import Key
from pdfmill.transforms.pdf.text.glyph_codes import CodedGlyphs, coded_glyphs
from pdfmill.transforms.scans.recognizers import OcrError, Picture, Recognizer, Word


class LearnSettings(Struct, frozen=True):
    """Settings: which pages are recognised, and when votes decide. The comment of each field gives its unit."""

    looked_at: int = 8  # pages of a document, evenly spread, whose text is tested for trust
    read: int = 3  # pages of these that are recognised: some 6,000 characters, which contain all but rare codes
    dpi: float = 300.0  # dots per inch of rendered pages
    confident: float = 0.6  # OCR confidence below which words do not vote
    around: float = 0.6  # points beside a word's box within which the middle of its glyphs may lie
    below: float = 0.35  # em by which the baseline of a glyph may lie below the bottom of its word's box
    majority: float = 0.5  # share of a code's votes that a text needs
    blank: float = 0.8  # share of a code's glyphs outside of all words, from which it is a space
    #: Share of a font's glyphs from which such a code is a space whatever words say; in ordinary text one glyph in six is a space.
    spaces: float = 0.05
    #: Share of a font's characters on which OCR agrees, from which the font's own text is right; of right fonts it is .97.
    agreed: float = 0.5
    least: int = 100  # recognised characters of a font from which the font's own text can be called wrong
    blanks: int = 5  # glyphs of a code from which it can be called a space


DEFAULTS: Final = LearnSettings()
#: Text by code of a font.
FontMap = dict[int, str]


class _Placed(NamedTuple):
    """A recognised word, and the indices of the glyphs that lie in its box."""

    text: str
    glyphs: NDArray[np.int64]


def sample_pages(count: int) -> list[int]:
    """Return page numbers, from 1, evenly spread over a document of `count` pages.

    >>> sample_pages(3), sample_pages(80)
    ([1, 2, 3], [1, 11, 21, 31, 41, 51, 61, 71])
    """
    return sorted({1 + place * count // DEFAULTS.looked_at for place in range(DEFAULTS.looked_at)} if count else ())


def telling_pages(document: PdfDocument, pages: Sequence[int]) -> list[int]:
    """Choose the pages that together contain the most character codes, in page order."""
    if len(pages) <= DEFAULTS.read:
        return sorted(pages)
    shown: dict[int, set[tuple[Key, int]]] = {}
    for number in pages:
        try:
            glyphs = coded_glyphs(document, number)
        except PageError:
            continue
        if glyphs is not None:
            shown[number] = {(glyphs.fonts[font], code) for font, code in zip(glyphs.font.tolist(), glyphs.code.tolist(), strict=True)}
    chosen: list[int] = []
    seen: set[tuple[Key, int]] = set()
    while shown and len(chosen) < DEFAULTS.read:
        best = max(shown, key=lambda number: (len(shown[number] - seen), -number))
        seen |= shown.pop(best)
        chosen.append(best)
    return sorted(chosen)


class SeenPage(NamedTuple):
    """A page with its character codes, its image, and the words recognised on the image."""

    glyphs: CodedGlyphs
    picture: Picture  # image at `LearnSettings.dpi`
    words: list[Word]  # words recognised on the image


def see_page(document: PdfDocument, number: int, recognizer: Recognizer, language: str, seconds: float) -> SeenPage | None:
    """Render page `number`, from 1, and recognise its words by OCR; None if its codes cannot be read or OCR fails within `seconds`."""
    try:
        glyphs = coded_glyphs(document, number)
        if glyphs is None:
            return None
        picture = render_grey(document.pdfium, number, DEFAULTS.dpi / POINTS)
        return SeenPage(glyphs, picture, recognizer.read(picture, DEFAULTS.dpi, language, seconds))
    except (PageError, OcrError):
        return None


def seen_again(page: SeenPage, recognizer: Recognizer, language: str, seconds: float) -> SeenPage:
    """Recognise the page again in other languages (Tesseract's names, joined by +); return it unchanged if OCR fails. seconds: time
    limit."""
    try:
        return page._replace(words=recognizer.read(page.picture, DEFAULTS.dpi, language, seconds))
    except OcrError:
        return page


def learn_fonts(pages: Iterable[SeenPage]) -> dict[Key, FontMap]:
    """Return a map from character codes to text for each font, by its object key, whose own map to Unicode is wrong or missing."""
    votes = _Votes()
    for page in pages:
        votes.add(page.glyphs, page.words, page.glyphs.width / page.picture.shape[1])
    return votes.maps()


class _Votes:
    """Counts votes for the text of each character code of a font, one for each recognised word with it. The majority decides."""

    def __init__(self) -> None:
        self.placed: list[tuple[list[tuple[Key, int]], str]] = []
        self.outside: Counter[tuple[Key, int]] = Counter()
        self.seen: Counter[tuple[Key, int]] = Counter()
        self.said: Counter[tuple[tuple[Key, int], str]] = Counter()

    def add(self, glyphs: CodedGlyphs, words: Iterable[Word], scale: float) -> None:
        """Count, for each character code, the texts that OCR reads where glyphs of this code lie on a page. scale: points per pixel."""
        codes = [(glyphs.fonts[font], code) for font, code in zip(glyphs.font.tolist(), glyphs.code.tolist(), strict=True)]
        within = np.zeros(len(codes), np.bool_)
        for text, places in _place(glyphs, words, scale):
            within[places] = True
            self.placed.append(([codes[place] for place in places.tolist()], text))
        self.seen.update(codes)
        self.said.update(zip(codes, map(chr, glyphs.unicode.tolist()), strict=True))
        self.outside.update(codes[place] for place in np.flatnonzero(~within).tolist())

    def maps(self) -> dict[Key, FontMap]:
        """Return for each font a map from character code to the text that won a majority of the code's votes."""
        equal = ((codes, list(text)) for codes, text in self.placed if len(codes) == len(text))
        known = _elected(equal)
        # A word with fewer codes than letters has a ligature, whose text is what the known letters around it leave.
        for code, text in _elected((_split(codes, text, known) for codes, text in self.placed if len(codes) != len(text))).items():
            known.setdefault(code, text)
        drawn = Counter[Key]()
        for (font, _), count in self.seen.items():
            drawn[font] += count
        for code, count in self.outside.items():
            if count < max(DEFAULTS.blanks, DEFAULTS.blank * self.seen[code]):
                continue
            if code not in known or self.seen[code] >= DEFAULTS.spaces * drawn[code[0]]:
                known[code] = " "
        honest = self._honest(known)
        found: dict[Key, FontMap] = defaultdict(dict)
        for (font, number), text in known.items():
            if font not in honest:
                found[font][number] = text
        return dict(found)

    def _honest(self, known: Mapping[tuple[Key, int], str]) -> set[Key]:
        """Return the fonts whose own map agrees with OCR for most characters, or of which OCR recognised too few. known: text by font and
        code."""
        agreed: Counter[Key] = Counter()
        judged: Counter[Key] = Counter()
        for (code, said), count in self.said.items():
            if code in known and known[code] != " ":
                judged[code[0]] += count
                agreed[code[0]] += count * (known[code] == said)
        fonts = {font for font, _ in self.seen}
        return {font for font in fonts if judged[font] < DEFAULTS.least or agreed[font] > DEFAULTS.agreed * judged[font]}


def _place(glyphs: CodedGlyphs, words: Iterable[Word], scale: float) -> Iterator[_Placed]:
    """Yield each recognised word with the glyphs in its box; a word of low confidence gets the text "". scale: points per pixel."""
    for word in words:
        x0, top, x1, bottom = (side * scale for side in word.box)
        inside = (glyphs.middle > x0 - DEFAULTS.around) & (glyphs.middle < x1 + DEFAULTS.around) & (glyphs.baseline > (top + bottom) / 2)
        places = np.flatnonzero(inside & (glyphs.baseline < bottom + DEFAULTS.below * glyphs.size))
        if len(places):
            text = word.text if word.confidence >= DEFAULTS.confident else ""
            yield _Placed(text, places[np.argsort(glyphs.middle[places], kind="stable")])


def _elected(ballots: Iterable[tuple[Sequence[tuple[Key, int]], Sequence[str]]]) -> dict[tuple[Key, int], str]:
    """Return for each character code the text for which the majority of words vote. ballots: for each word its codes, and a text for each.
    A code is a pair: the font's key and the character code."""
    counts: dict[tuple[Key, int], Counter[str]] = defaultdict(Counter)
    for codes, texts in ballots:
        for code, text in zip(codes, texts, strict=True):
            counts[code][text] += 1
    elected = {}
    for code, count in counts.items():
        text, most = min(count.items(), key=lambda item: (-item[1], item[0]))
        if most > DEFAULTS.majority * count.total():
            elected[code] = text
    return elected


def _split(codes: Sequence[tuple[Key, int]], text: str, known: Mapping[tuple[Key, int], str]) -> tuple[list[tuple[Key, int]], list[str]]:
    """Return ([code], [text]) of the only unknown code in a word: what the known codes leave of its text; ([], []) if that is not clear."""
    unknown = [place for place, code in enumerate(codes) if code not in known]
    if len(unknown) != 1:
        return [], []
    before = "".join(known[code] for code in codes[: unknown[0]])
    after = "".join(known[code] for code in codes[unknown[0] + 1 :])
    left = text[len(before) : len(text) - len(after)]
    return ([codes[unknown[0]]], [left]) if left and before + left + after == text else ([], [])
