"""Repair glyphs by the font dictionary and the content stream: read characters that PDFium cannot map or drops, and mark hidden layers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from pdfmill.schemas.glyphs import GlyphFlag, Glyphs
from pdfmill.schemas.records import Notice
from pdfmill.transforms.pdf.facts.layers import layer_view
from pdfmill.transforms.pdf.fonts.fonts import fonts_of, plain_name
from pdfmill.transforms.pdf.fonts.unicode_guess import (
    DRAWN_FIRST,
    NOTHING,
    NOTHING_LEARNED,
    FontGuesser,
    Guess,
    LearnedFonts,
    font_traits,
    guesser_of,
    has_no_program,
    has_no_widths,
    learned_guesser,
    read_guesser,
)
from pdfmill.transforms.pdf.open.document import PdfDocument, shorten
from pdfmill.transforms.pdf.open.objects import OBJECT_ERRORS, Key, Object, get, is_dict, items, key_of, name
from pdfmill.transforms.pdf.text.lost_text import add_lost, lost_objects
from pdfmill.transforms.pdf.text.shared_texts import spread
from pdfmill.transforms.pdf.text.text_objects import Shown, shown_by_object, text_objects
from pdfmill.transforms.pdf.text.user_space import PageSpace

REPLACEMENT: Final = 0xFFFD


_NO_KEY: Final = (0, 0)
_IS_ODD: Final = np.zeros(0x10000, np.bool_)
for _first, _end in ((0, 9), (14, 32), (0x7F, 0xA0), (0xE000, 0xF900), (REPLACEMENT, REPLACEMENT + 1), (0xFFFE, 0x10000)):
    _IS_ODD[_first:_end] = True


def odd_characters(unicode: NDArray[np.uint32]) -> NDArray[np.bool_]:
    """Return bool[n], which code points cannot occur in text: unmapped, private-use, noncharacters, and controls other than white space."""
    odd: NDArray[np.bool_] = _IS_ODD.take(unicode, mode="clip")
    if unicode.max(initial=0) > 0xFFFF:
        odd = np.where(unicode > 0xFFFF, ((unicode & 0xFFFE) == 0xFFFE) | (unicode >= 0xF0000), odd)
    return odd


def repair_text(
    glyphs: Glyphs,
    handles: list[int],
    page: int,
    space: PageSpace,
    number: int,
    document: PdfDocument,
    warnings: list[Notice],
    learned: LearnedFonts,
) -> bool:
    """Replace characters that PDFium could not map and add those that it dropped, in place. Mark text in hidden layers, of fonts without
    widths, and of fonts that are missing in a damaged file. Return whether the page has text of fonts learned by OCR.
    handles: PDFium's handles of the text objects; `Glyphs.run` has each glyph's index in this list; those of added runs are appended.
    page: PDFium's handle. number: from 1. learned: texts of font codes from OCR, which take precedence over the font dictionary."""
    by_learned = False
    try:
        view, (drops_text, more, no_widths) = layer_view(document), font_traits(document)
        more = more or bool(learned)
        always = view.hides_any or more or no_widths or document.rebuilt
        unsure = (glyphs.flags & GlyphFlag.UNTRUSTED) != 0
        if not (always or drops_text or (unsure.any() and _may_be_known(glyphs, unsure, document))):
            return False
        placed = text_objects(page)
        lost = lost_objects(placed, set(handles)) if drops_text else []
        if not (always or unsure.any() or lost):
            return False
        by_handle = shown_by_object(placed, number, document)
        if not by_handle:
            return False
        guessers = _Guessers(document, learned)
        _replace(glyphs, [by_handle.get(handle) for handle in handles], unsure, more, guessers)
        for each in lost:
            font = by_handle[each.handle].font
            guesser = guessers.of(font) if has_no_program(font) else None
            if guesser is not None and add_lost(glyphs, each, by_handle[each.handle].codes, guesser, space):
                handles.append(each.handle)
        by_run = [by_handle.get(handle) for handle in handles]
        _mark(glyphs, GlyphFlag.HIDDEN_LAYER, [shown is not None and shown.hidden for shown in by_run])
        if document.rebuilt:  # PDFium shows text whose font is missing in the file in another font
            _mark(glyphs, GlyphFlag.UNTRUSTED, [shown is not None and not is_dict(shown.font) for shown in by_run])
        if learned:
            maps = [learned.get(key_of(shown.font) or _NO_KEY) if shown is not None else None for shown in by_run]
            by_learned = any(found is not None for found in maps)
            _mark(glyphs, GlyphFlag.UNTRUSTED, [found is not None for found in maps])
            # PDFium's widths belong to wrong letters, so words are separated by the font's own spaces.
            _mark(glyphs, GlyphFlag.NO_METRICS, [found is not None and " " in found.values() for found in maps])
        if no_widths:
            _mark(glyphs, GlyphFlag.NO_METRICS, [shown is not None and has_no_widths(shown.font) for shown in by_run])
    except OBJECT_ERRORS as error:
        warnings.append(Notice("text_evidence_unreadable", number, f"fonts or layers of the page cannot be read: {shorten(error)}"))
    return by_learned


def _mark(glyphs: Glyphs, flag: np.uint8, runs: list[bool]) -> None:
    if any(runs):
        glyphs.flags[np.array(runs, np.bool_)[glyphs.run]] |= flag


def _replace(glyphs: Glyphs, by_run: list[Shown | None], unsure: NDArray[np.bool_], more: bool, guessers: _Guessers) -> None:
    """Replace untrusted characters, in place, run by run, if the run's codes and glyphs can be aligned.
    by_run: the text-showing operator of each run. unsure: whether each glyph is untrusted. more: also replace characters in runs whose font
    states text that PDFium does not read."""
    bounds = np.searchsorted(glyphs.run, np.arange(len(by_run) + 1))
    doubtful = np.zeros(len(by_run), np.bool_)
    doubtful[glyphs.run[unsure]] = True
    longer: dict[int, str] = {}
    for run, shown in enumerate(by_run):
        guesser = guessers.of(shown.font) if shown is not None and (more or doubtful[run]) else None
        if shown is None or guesser is None or not (doubtful[run] or guesser.overrides_pdfium):
            continue
        first, last = int(bounds[run]), int(bounds[run + 1])
        codes = guesser.codes(shown.codes)
        if guesser.wrong_code_length:
            longer |= _shared_out([guesser.read(code) for code in codes], glyphs, first, last)
        starts = None if guesser.wrong_code_length else guesser.starts(codes, glyphs.unicode[first:last].tolist())
        longer |= _put_raw(glyphs, first + unsure[first:last].nonzero()[0], unsure, guesser, aligned=starts is not None)
        if starts is None:
            continue
        for number, (start, end, code) in enumerate(zip(starts, starts[1:], codes, strict=False)):
            place = first + start
            if start == end:
                if guesser.learned and place:  # also after a space that ends the run before
                    longer |= _after(glyphs, place, last, guesser.guess(code), longer)
                continue
            alone = end - start == 1 or guesser.learned
            guess = guesser.guess_at(codes, number) if alone and (unsure[place] or guesser.overrides_pdfium) else None
            if guess is not None and guess.text in DRAWN_FIRST and first + end + 1 < last and starts[number + 2] == end + 1:
                longer[first + end] = chr(glyphs.unicode[first + end]) + guess.text  # a sign that is read after the next letter
                guess = NOTHING
            if guess is not None and (unsure[place] or guess.sure):
                _put(glyphs, place, guess)
                if len(guess.text) != 1:
                    longer[place] = guess.text
                if end - start > 1:
                    longer |= _one_of_several(glyphs, place, first + end)
    spread(glyphs, longer)


def _put_raw(glyphs: Glyphs, places: NDArray[np.intp], unsure: NDArray[np.bool_], guesser: FontGuesser, *, aligned: bool) -> dict[int, str]:
    """Replace characters that are really codes, which the font's ToUnicode map lacks, by text or U+FFFD, in place.
    Clear them in `unsure`. Return the new texts that are not one character, by index of the glyph. places: glyphs to examine.
    aligned: the codes of the glyphs are known."""
    longer: dict[int, str] = {}
    for code in (each for each in np.unique(glyphs.unicode[places]).tolist() if guesser.is_raw(each, aligned=aligned)):
        guess = guesser.guess(guesser.code_bytes(code)) or Guess(chr(REPLACEMENT), False)
        own = places[glyphs.unicode[places] == code]
        for place in own.tolist():
            _put(glyphs, place, guess)
        unsure[own] = False
        if len(guess.text) != 1:
            longer |= dict.fromkeys(own.tolist(), guess.text)
    return longer


def _after(glyphs: Glyphs, place: int, end: int, guess: Guess | None, longer: Mapping[int, str]) -> dict[int, str]:
    """Add the text of a code that PDFium dropped to the glyph before it, and extend its box, in place. Return its new text, by its index.
    place: index of the next glyph. end: index after the run's last glyph. longer: new texts so far."""
    before = place - 1
    while before in longer and not longer[before]:  # further glyphs of one code
        before -= 1
    if place < end and glyphs.angle[place] == 0:
        glyphs.x1[before] = max(glyphs.x1[before], glyphs.x0[place])
    return {before: longer.get(before, chr(glyphs.unicode[before])) + (guess.text if guess else "")}


def _one_of_several(glyphs: Glyphs, place: int, end: int) -> dict[int, str]:
    """Extend the first of several glyphs of one code to the box of all of them, in place. Return empty texts, by index, for the others."""
    glyphs.x0[place], glyphs.x1[place] = glyphs.x0[place:end].min(), glyphs.x1[place:end].max()
    return dict.fromkeys(range(place + 1, end), "")


def _shared_out(guesses: Sequence[Guess | None], glyphs: Glyphs, first: int, last: int) -> dict[int, str]:
    """Distribute the texts of some codes evenly over the glyphs from `first` to before `last`. Return the new texts by index."""
    texts = [guess.text if guess else chr(REPLACEMENT) for guess in guesses]
    if all(guess is not None and guess.sure for guess in guesses):
        glyphs.flags[first:last] &= ~GlyphFlag.UNTRUSTED
    count = last - first
    bounds = [-(-index * len(texts) // count) for index in range(count + 1)]
    return {first + index: "".join(texts[start:end]) for index, (start, end) in enumerate(zip(bounds, bounds[1:], strict=False))}


class _Guessers:
    """A cache of what derives the text of codes, for each font of the document, and for this page if the font is a direct object."""

    def __init__(self, document: PdfDocument, learned: LearnedFonts = NOTHING_LEARNED) -> None:
        self._document = document
        self._learned = learned
        self._of_learned: dict[Key, FontGuesser] = {}
        self._of_page: dict[int, FontGuesser | None] = {}

    def of(self, font: Object) -> FontGuesser | None:
        key = key_of(font)
        if key is None:
            if id(font) not in self._of_page:
                self._of_page[id(font)] = read_guesser(font)
            return self._of_page[id(font)]
        known = guesser_of(font, self._document)
        if known is None or key not in self._learned:
            return known
        if key not in self._of_learned:
            self._of_learned[key] = learned_guesser(known, self._learned[key])
        return self._of_learned[key]


def _may_be_known(glyphs: Glyphs, unsure: NDArray[np.bool_], document: PdfDocument) -> bool:
    """Return whether any font of the untrusted characters may have text for them, so that the page's content must be interpreted."""
    if odd_characters(glyphs.unicode[unsure]).any():  # these may be mapped characters, so that their codes are unknown
        return True
    guessers = _Guessers(document)
    pairs = set(zip(glyphs.style[unsure].tolist(), glyphs.unicode[unsure].tolist(), strict=True))
    for label, code in {(glyphs.styles[style].font, code) for style, code in pairs}:
        fonts = [font for font in fonts_of(document) if plain_name(_written_name(font)) == label]
        if not fonts or any(guesser is not None and guesser.may_know(code) for guesser in map(guessers.of, fonts)):
            return True
    return False


def _written_name(font: Object) -> str:
    descendant = next(iter(items(get(font, "/DescendantFonts"))), None)
    return name(get(descendant, "/BaseFont")) or name(get(font, "/BaseFont")) or ""


def _put(glyphs: Glyphs, place: int, guess: Guess) -> None:
    if guess.text:
        glyphs.unicode[place] = ord(guess.text[0])
    if guess.sure:
        glyphs.flags[place] &= ~GlyphFlag.UNTRUSTED
