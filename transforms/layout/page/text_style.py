"""Determine the text style of a whole line: font names are reduced to families, and the font styles in the line to one `Look`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Final

from pdfmill.schemas.records import FontStyle, TextLine
from pdfmill.schemas.statistics import Look

_WEIGHT_WORDS: Final = re.compile(
    r"(semi|demi|extra|ultra)?(bold|black|heavy|light|medium|regular|roman|book|italic|oblique|slanted|condensed|narrow|inclined|ital|obli|regu|medi|bd|it|ps|mt)+$",
    re.IGNORECASE,
)
_SMALL_CAPS: Final = re.compile(r"caps(?:\d|-|$)|small-?caps|csc\d*$|[-_ ]sc$", re.IGNORECASE)
_TYPEWRITER: Final = re.compile(
    r"mono(?!type)|courier|consol|typewriter|nimbusmon|menlo|monaco|inconsolata|terminal|fixed|source-?code|andale|(?:^|[a-z0-9])(?:cm|ec|lm|la|t1x|tx|pcr|ntx)b?(?:sl|it|i)?tt|tt\d{1,2}$|^(?:sf|ec)(?:tt|st|it|tc)\d{3,4}$|luximon|firacode|hack-",
    re.IGNORECASE,
)
#: Appended to the font family of letterspaced text.
_SPACED: Final = " (spaced)"
_SMALL_CAP: Final = 0.9  # size of small capitals against the capitals beside them, at most
_MIN_CAPS: Final = 3  # cased letters needed before "all capitals" means anything


@lru_cache(maxsize=4096)
def font_family(font: str) -> str:
    """Return the family of a font: `LiberationSans-BoldItalic` -> `LiberationSans`; `NimbusRomNo9L-Medi` -> `NimbusRomNo9L`."""
    name = re.split(r"[-,]", font, maxsplit=1)[0]
    return _WEIGHT_WORDS.sub("", name) or name


@lru_cache(maxsize=4096)
def is_small_caps(font: str) -> bool:
    return bool(_SMALL_CAPS.search(font))


def _is_caps(text: str) -> bool:
    """Return whether the text is in capitals. A Japanese line with an acronym does not count."""
    if not text.isupper():
        return False
    capitals = sum(map(str.isupper, text))
    return capitals >= _MIN_CAPS and 2 * capitals >= sum(map(str.isalpha, text))


@lru_cache(maxsize=4096)
def is_typewriter(font: str) -> bool:
    """Return whether a font is monospaced by its name. (PDFium's flag is wrong for many monospaced fonts.)"""
    return bool(_TYPEWRITER.search(font))


def is_monospaced(style: FontStyle) -> bool:
    """Return whether a font style is monospaced, by the font's name or by its glyphs."""
    return style.monospaced or is_typewriter(style.font)


def span_lengths(line: TextLine) -> list[tuple[int, int]]:
    """Return the style index and the number of characters of each span (stretch in one style) of the line."""
    if len(line.spans) == 1:  # most lines
        return [(line.spans[0][1], len(line.text) - line.spans[0][0])]
    ends = [start for start, _ in line.spans[1:]] + [len(line.text)]
    return [(style, end - start) for (start, style), end in zip(line.spans, ends, strict=True)]


def line_look(line: TextLine, styles: Sequence[FontStyle]) -> Look:
    """Return the text style of most of the line's characters. The size of small capitals is that of their capitals."""
    style = styles[line.style]
    small_caps = is_small_caps(style.font)
    caps = 2 if small_caps else int(_is_caps(line.text))
    size = style.size
    if caps and len(line.spans) > 1:
        sizes = [styles[s].size for s, n in span_lengths(line) if n]
        size = max(sizes)
        if min(sizes) < _SMALL_CAP * size:
            caps = 2
    family = font_family(style.font) + (_SPACED if style.spaced else "")
    return Look(family, size, style.bold, style.italic, is_monospaced(style), caps, style.color)


def line_looks(lines: Sequence[TextLine], styles: Sequence[FontStyle]) -> list[Look]:
    """Return the text style of each line. Equal styles are one object, so that they are compared and counted fast."""
    known: dict[Look, Look] = {}
    plain: dict[int, Look] = {}  # by style, for lines in one style that are not in capitals, which most are
    found = []
    for line in lines:
        is_plain = len(line.spans) == 1 and not line.text.isupper()
        look = plain.get(line.style) if is_plain else None
        if look is None:
            look = line_look(line, styles)
            look = known.setdefault(look, look)
            if is_plain:
                plain[line.style] = look
        found.append(look)
    return found


def same_look(a: Look, b: Look, size_tolerance: float) -> bool:
    """Return whether two text styles look the same to a reader. size_tolerance: largest relative difference of equal sizes."""
    return a is b or (
        abs(a.size - b.size) <= size_tolerance * max(a.size, b.size)
        and a.bold == b.bold
        and a.italic == b.italic
        and a.color == b.color
        and (a.caps == b.caps or a.bold)
        and (a.family == b.family or a.monospaced == b.monospaced)
    )
