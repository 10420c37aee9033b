"""Find fonts whose ToUnicode map disagrees with their encoding or glyph names for most letters. Only an image shows which one is wrong."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection
from typing import Final

from pdfmill.transforms.pdf.fonts.fonts import base_name, fonts_of, plain_name
from pdfmill.transforms.pdf.fonts.unicode_guess import guesser_of
from pdfmill.transforms.pdf.open.document import PdfDocument
from pdfmill.transforms.pdf.open.objects import OBJECT_ERRORS, Object

#: Codes that must have text from both sources before a font is judged, and share of these codes whose texts must differ.
_LEAST: Final = 8
_SHARE: Final = 0.5
#: Letters are compared within one alphabet only, because fonts of other scripts often use Latin glyph names.
_ALPHABETS: Final = tuple(map(re.compile, ("[ -~\u00c0-\u024f]", "[\u0370-\u03ff]", "[\u0400-\u052f]")))


def contradicting_fonts(document: PdfDocument, names: Collection[str]) -> set[str]:
    """Return which of these fonts (names without subset tags) have a ToUnicode map that contradicts their encoding or glyph names."""
    try:
        fonts = fonts_of(document)
    except OBJECT_ERRORS:
        return set()
    named = ((plain_name(base_name(font) or ""), font) for font in fonts)
    return {label for label, font in named if label in names and _contradicts(font, document)}


def _contradicts(font: Object, document: PdfDocument) -> bool:
    try:
        guesser = guesser_of(font, document)
        agreements = (
            [] if guesser is None else [_plain(one) == _plain(other) for one, other in guesser.text_pairs() if _comparable(one, other)]
        )
    except OBJECT_ERRORS:
        return False
    return len(agreements) >= _LEAST and agreements.count(False) > _SHARE * len(agreements)


def _comparable(one: str, other: str) -> bool:
    return any(letter.fullmatch(one) and letter.fullmatch(other) for letter in _ALPHABETS)


def _plain(letter: str) -> str:
    return unicodedata.normalize("NFKC", letter).casefold()
