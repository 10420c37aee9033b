"""Glyphs put right by what only the font dictionary and the content stream tell: characters that PDFium cannot map, hidden layers."""

from __future__ import annotations

from itertools import repeat
from typing import Final

import numpy as np
from numpy.typing import NDArray

from schemas.glyphs import GlyphFlag, Glyphs
from schemas.records import Recovery
from transforms.pdf import calls
from transforms.pdf.document import PdfDocument, shorten
from transforms.pdf.layers import layer_view
from transforms.pdf.objects import OBJECT_ERRORS, Key, Object, key_of
from transforms.pdf.show_operators import Shown, read_shown
from transforms.pdf.unicode_guess import FontGuesser, Guess, read_guesser

REPLACEMENT: Final = 0xFFFD
_FORM, _TEXT = 5, 1


def odd_characters(unicode: NDArray[np.uint32]) -> NDArray[np.bool_]:
    """Unmapped, control (but not white space), private-use and non-characters: no text can hold them."""
    odd: NDArray[np.bool_] = (unicode < 9) | ((unicode > 13) & (unicode < 32)) | ((unicode >= 0x7F) & (unicode < 0xA0)) | ((unicode >= 0xE000) & (unicode < 0xF900))
    odd |= (unicode == REPLACEMENT) | ((unicode & 0xFFFE) == 0xFFFE) | (unicode >= 0xF0000)
    return odd


def repair_text(glyphs: Glyphs, handles: list[int], page: int, number: int, document: PdfDocument, warnings: list[Recovery]) -> None:
    """Replace what PDFium could not map by the font's own evidence, mark text in hidden layers; in place.

    handles: text object of each run. page: PDFium's handle. warnings: takes the reason when the evidence cannot be read.
    """
    try:
        view = layer_view(document)
        unsure = (glyphs.flags & GlyphFlag.UNTRUSTED) != 0
        if not view.hides_any and not unsure.any():
            return
        tree = document.tree
        shown = read_shown(tree.pages[number - 1], tree.attribute(number, "/Resources"), view)
        ordinal = {handle: place for place, handle in enumerate(text_objects(page))}
        if len(ordinal) != len(shown):
            return
        by_run = [shown[ordinal[handle]] if handle in ordinal else None for handle in handles]
        _mark_hidden(glyphs, by_run)
        _replace(glyphs, by_run, unsure)
    except OBJECT_ERRORS as error:
        warnings.append(Recovery("text_evidence_unreadable", number, f"fonts or layers of the page cannot be read: {shorten(error)}"))


def text_objects(page: int, depth: int = 12) -> list[int]:
    """Handles of all text objects of a page in drawing order, those in forms too."""
    found: list[int] = []

    def walk(handles: list[int], left: int) -> None:
        for handle in handles:
            kind = calls.object_type(handle)
            if kind == _TEXT:
                found.append(handle)
            elif kind == _FORM and left:
                walk(list(map(calls.get_form_object, repeat(handle), range(calls.count_form_objects(handle)))), left - 1)

    walk(list(map(calls.get_object, repeat(page), range(calls.count_objects(page)))), depth)
    return found


def _mark_hidden(glyphs: Glyphs, by_run: list[Shown | None]) -> None:
    hidden = np.array([shown is not None and shown.hidden for shown in by_run], np.bool_)
    if hidden.any():
        glyphs.flags[hidden[glyphs.run]] |= np.uint8(GlyphFlag.HIDDEN_LAYER)


def _replace(glyphs: Glyphs, by_run: list[Shown | None], unsure: NDArray[np.bool_]) -> None:
    """Go through the runs with unsure characters, where codes and glyphs agree in number."""
    guessers: dict[Key | int, FontGuesser | None] = {}
    bounds = np.searchsorted(glyphs.run, np.arange(len(by_run) + 1))
    for run in np.unique(glyphs.run[unsure]).tolist():
        shown, first, last = by_run[run], int(bounds[run]), int(bounds[run + 1])
        guesser = _guesser(shown.font, guessers) if shown is not None else None
        if shown is None or guesser is None:
            continue
        codes = guesser.codes(shown.codes)
        if len(codes) == last - first:
            for place, code in zip(range(first, last), codes, strict=True):
                if unsure[place]:
                    _put(glyphs, place, guesser.guess(code))


def _guesser(font: Object, known: dict[Key | int, FontGuesser | None]) -> FontGuesser | None:
    key: Key | int = key_of(font) or id(font)
    if key not in known:
        known[key] = read_guesser(font)
    return known[key]


def _put(glyphs: Glyphs, place: int, guess: Guess | None) -> None:
    """One guess, or the replacement character where PDFium has nothing that can be text."""
    if guess is not None:
        glyphs.unicode[place] = ord(guess.text[0])
        if guess.sure:
            glyphs.flags[place] &= np.uint8(0xFF ^ GlyphFlag.UNTRUSTED)
