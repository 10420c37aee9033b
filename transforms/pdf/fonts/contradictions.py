"""Find fonts that contradict themselves: their ToUnicode map disagrees with their encoding or glyph names for most letters.

One of them is wrong; only the page's picture shows which.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection
from typing import Final

from pdfmill.transforms.pdf.fonts.fonts import base_name, fonts_of, plain_name
from pdfmill.transforms.pdf.fonts.unicode_guess import guesser_of
from pdfmill.transforms.pdf.open.document import PdfDocument
from pdfmill.transforms.pdf.open.objects import OBJECT_ERRORS, Object

#: Codes of which both must speak, so that it counts, and share of these of which they must say something else.
_LEAST: Final = 8
_SHARE: Final = 0.5
#: Fonts of other scripts often have Latin names, because old programs knew no others: characters of one alphabet are compared.
_ALPHABETS: Final = tuple(map(re.compile, ("[ -~\u00c0-\u024f]", "[\u0370-\u03ff]", "[\u0400-\u052f]")))


def contradicting_fonts(document: PdfDocument, names: Collection[str]) -> set[str]:
    """Return which of these fonts contradict themselves. names: without subset prefix; one of several fonts of a name is enough."""
    try:
        fonts = fonts_of(document)
    except OBJECT_ERRORS:
        return set()
    named = ((plain_name(base_name(font) or ""), font) for font in fonts)
    return {label for label, font in named if label in names and _contradicts(font, document)}


def _contradicts(font: Object, document: PdfDocument) -> bool:
    try:
        guesser = guesser_of(font, document)
        told = [] if guesser is None else [_plain(one) == _plain(other) for one, other in guesser.witnesses() if _comparable(one, other)]
    except OBJECT_ERRORS:
        return False
    return len(told) >= _LEAST and told.count(False) > _SHARE * len(told)


def _comparable(one: str, other: str) -> bool:
    return any(letter.fullmatch(one) and letter.fullmatch(other) for letter in _ALPHABETS)


def _plain(letter: str) -> str:
    """Return small letters for small capitals, whose glyph names name small letters."""
    return unicodedata.normalize("NFKC", letter).casefold()
