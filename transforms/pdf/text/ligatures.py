"""Handle several characters of one glyph: ligatures, and letters with marks, each of which PDFium gives the box of the whole glyph.

Those of right-to-left scripts that a ToUnicode map gives stand there in the order of reading (ISO 32000-2 §9.10.3); PDFium turns them
round with all else on the line. Those of a presentation form it takes apart itself, and leaves in order.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterator, Mapping
from typing import Final

import numpy as np
from numpy.typing import NDArray

from pdfmill.schemas.glyphs import Glyphs
from pdfmill.schemas.scripts import rtl_mask
from pdfmill.transforms.pdf.fonts.cmaps import to_unicode
from pdfmill.transforms.pdf.fonts.fonts import fonts_of
from pdfmill.transforms.pdf.open.document import PdfDocument, once_per_document
from pdfmill.transforms.pdf.open.objects import OBJECT_ERRORS, get

Floats = NDArray[np.float32]
Mask = NDArray[np.bool_]
#: Gives the texts of several right-to-left characters that fonts map to one code.
Targets = Callable[[], frozenset[str]]

#: Lam, and the alefs that it joins with: as one glyph, lam always comes first, whatever a map says.
_LAM: Final = "\u0644"
_ALEFS: Final = frozenset("\u0622\u0623\u0625\u0627\u0671")


def _first_parts(members: NDArray[np.intp], loose: Floats) -> Mask:
    """Return which of the joined characters begin a glyph."""
    return np.concatenate(([True], (np.diff(members) != 1) | (np.diff(loose[members, 0]) != 0) | (np.diff(loose[members, 2]) != 0)))


def _marks(codes: NDArray[np.uint32]) -> Mask:
    """Return which characters are nonspacing marks."""
    kinds, place = np.unique(codes, return_inverse=True)
    marks: Mask = np.array([unicodedata.category(chr(code)) == "Mn" for code in kinds.tolist()], np.bool_)[place]
    return marks


def share_ligatures(joined: Mask, loose: Floats, unicode: NDArray[np.uint32], origin_x: Floats, width: Floats) -> None:
    """Give each letter of a ligature an equal part of it, in place; letters of right-to-left scripts from the right. Marks take no room:
    they stand where their letters end."""
    members = joined.nonzero()[0]
    first = _first_parts(members, loose)
    group = np.cumsum(first) - 1
    letter = first | ~_marks(unicode[members])
    size = np.bincount(group, letter).astype(np.int64)[group]
    counted = np.cumsum(letter)
    place = counted - counted[first][group]
    leftwards = rtl_mask(unicode[members])
    place = np.where(leftwards, size - 1 - place, place)
    part = ((loose[members, 2] - loose[members, 0]) / size).astype(np.float32)
    origin_x[members] = loose[members, 0] + (place + (~letter & ~leftwards)) * part
    width[members] = np.where(letter, part, 0)


def order_ligatures(joined: Mask, loose: Floats, unicode: NDArray[np.uint32], targets: Targets | None) -> None:
    """Bring the right-to-left characters of one glyph into the order of reading, in place. targets: what the document's fonts map to;
    asked only where there are such glyphs."""
    members = joined.nonzero()[0]
    bounds = [*members[_first_parts(members, loose)].tolist(), len(unicode)]
    known: frozenset[str] | None = None
    for start, limit in zip(bounds, bounds[1:], strict=False):
        end = start + 1
        while end < limit and joined[end]:
            end += 1
        codes = unicode[start:end]
        if not rtl_mask(codes).all():
            continue
        known = known if known is not None else targets() if targets is not None else frozenset()
        unicode[start:end] = [ord(character) for character in _in_order("".join(map(chr, codes.tolist())), known)]


def _in_order(text: str, targets: frozenset[str]) -> str:
    """Return the characters of a glyph in reading order. text: in PDFium's order."""
    turned = text[::-1]
    text = turned if turned in targets and text not in targets else text
    return text[::-1] if len(text) == 2 and text[1] == _LAM and text[0] in _ALEFS else text


@once_per_document
def rtl_targets(document: PdfDocument) -> frozenset[str]:
    """The texts of several characters, all of right-to-left scripts, that the document's fonts map codes to."""
    try:
        return frozenset(_rtl_targets(document))
    except OBJECT_ERRORS:  # a font that cannot be read maps nothing
        return frozenset()


def _rtl_targets(document: PdfDocument) -> Iterator[str]:
    for font in fonts_of(document):
        for text in to_unicode(get(font, "/ToUnicode")).values():
            if len(text) > 1 and rtl_mask(np.array([ord(character) for character in text], np.uint32)).all():
                yield text


def parts(codes: NDArray[np.uint32]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Where each character of one glyph begins and ends, shares of its box: letters have equal parts, marks none, at the letter's end."""
    letter = ~_marks(codes)
    letter[0] = True
    ends = np.cumsum(letter) / letter.sum()
    return np.where(letter, ends - 1 / letter.sum(), ends), ends


def spread(glyphs: Glyphs, texts: Mapping[int, str]) -> None:
    """Give glyphs other texts, in place: each letter of several an equal part of the box, of right-to-left scripts from the right, and
    marks no room where their letters end; a glyph without text goes.

    texts: by the glyph's position.
    """
    if not texts:
        return
    counts = np.ones(len(glyphs.unicode), np.int64)
    counts[list(texts)] = [len(text) for text in texts.values()]
    starts = np.cumsum(counts) - counts
    source = np.repeat(np.arange(len(counts)), counts)
    first, last = np.zeros((2, len(source)))  # shares of the box from its left
    last += 1
    for name in glyphs.__struct_fields__:
        if name != "styles":
            setattr(glyphs, name, getattr(glyphs, name)[source])
    for place, text in texts.items():
        own = slice(starts[place], starts[place] + len(text))
        glyphs.unicode[own] = [ord(character) for character in text]
        if len(text) > 1:
            begins, ends = parts(glyphs.unicode[own])
            leftwards = rtl_mask(glyphs.unicode[own]).any()
            first[own], last[own] = (1 - ends, 1 - begins) if leftwards else (begins, ends)
    across = (glyphs.angle == 0) & (counts[source] > 1)
    width = glyphs.x1 - glyphs.x0
    left = np.where(across, glyphs.x0 + first * width, glyphs.x0).astype(np.float32)
    glyphs.origin_x = np.where(across & (first > 0), left, glyphs.origin_x).astype(np.float32)
    glyphs.x0, glyphs.x1 = left, np.where(across, glyphs.x0 + last * width, glyphs.x1).astype(np.float32)
