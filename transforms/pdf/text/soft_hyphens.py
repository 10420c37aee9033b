"""Restore soft hyphens at line ends, for which PDFium gives the same character as for hyphens there.
They are soft if the font has U+00AD and no hyphen; if it has both, the codes in the content stream decide."""

from __future__ import annotations

import re
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pdfmill.schemas.glyphs import Glyphs
from pdfmill.schemas.records import Notice
from pdfmill.transforms.pdf.fonts.cmaps import to_unicode
from pdfmill.transforms.pdf.fonts.fonts import base_name, fonts_of, plain_name
from pdfmill.transforms.pdf.fonts.unicode_guess import differences_of, name_to_text
from pdfmill.transforms.pdf.open.document import PdfDocument, once_per_document, shorten
from pdfmill.transforms.pdf.open.limits import DEFAULT_LIMITS
from pdfmill.transforms.pdf.open.objects import OBJECT_ERRORS, Key, Object, get, integer, items, key_of, name, stream_bytes
from pdfmill.transforms.pdf.open.pdfium_api import OBJECT_FONT, of_objects
from pdfmill.transforms.pdf.text.glyphs import font_name
from pdfmill.transforms.pdf.text.text_objects import Shown, shown_by_object, text_objects

_HYPHEN, _SOFT = 0x2D, 0xAD
_HYPHENS: Final = ("-", "\N{HYPHEN}")
_SOFT_HYPHEN: Final = "\N{SOFT HYPHEN}"
#: Code of the soft hyphen in WinAnsiEncoding, which is drawn as a hyphen (Annex D.2).
_WIN_ANSI_SOFT: Final = 0xAD
#: U+00AD as a target in a ToUnicode map, with the code before it if it is not in an array.
_STATES_SOFT: Final = re.compile(rb"(?:<([\dA-F]{1,8})>\s*)?<00AD>", re.IGNORECASE)
#: Glyph names of the soft hyphen in the Adobe Glyph List.
_SOFT_NAMES: Final = re.compile(rb"/(?:softhyphen|sfthyphen|uni00AD)\b")


def restore_soft_hyphens(glyphs: Glyphs, handles: list[int], page: int, number: int, document: PdfDocument, warnings: list[Notice]) -> None:
    """Replace hyphens at line ends by U+00AD if they are soft, in place.
    handles: PDFium's handles of the text objects; `Glyphs.run` has each glyph's index in this list. page: PDFium's handle. number: from 1.
    warnings: list to which errors of reading fonts are added."""
    places = _line_ends(glyphs)
    if not len(places):
        return
    try:
        names = _font_names(glyphs, handles, places)
        known = {label: fonts for label in set(names) if (fonts := _soft_fonts(document, label)).codes}
        if not known:
            return
        within = ((glyphs.unicode[:-1] == _SOFT) & (glyphs.run[1:] == glyphs.run[:-1])).nonzero()[0]
        for label in _font_names(glyphs, handles, within):
            known.pop(label, None)  # within a line it is a hyphen, whatever its code is called
        asked = [known.get(label) for label in names]
        glyphs.unicode[places[[fonts is not None and fonts.only for fonts in asked]]] = _SOFT
        doubtful = places[[fonts is not None and not fonts.only for fonts in asked]]
        if len(doubtful) and _holds(number, {code for fonts in known.values() if not fonts.only for code in fonts.codes}, document):
            glyphs.unicode[doubtful[_end_softly(glyphs.run[doubtful], handles, page, number, document)]] = _SOFT
    except OBJECT_ERRORS as error:
        warnings.append(Notice("text_evidence_unreadable", number, f"soft hyphens of the page cannot be distinguished: {shorten(error)}"))


def _line_ends(glyphs: Glyphs) -> NDArray[np.intp]:
    places: NDArray[np.intp] = (glyphs.unicode == _HYPHEN).nonzero()[0]
    if not len(places):
        return places
    after = np.minimum(places + 1, len(glyphs.unicode) - 1)
    apart = (glyphs.origin_y[after] != glyphs.origin_y[places]) | (glyphs.origin_x[after] < glyphs.origin_x[places])
    ends: NDArray[np.bool_] = (after == places) | (apart & (glyphs.run[after] != glyphs.run[places]))
    return places[ends]


def _font_names(glyphs: Glyphs, handles: list[int], places: NDArray[np.intp]) -> list[str]:
    objects = np.array([handles[run] for run in glyphs.run[places].tolist()], np.uint64)
    fonts = of_objects(OBJECT_FONT, objects, np.zeros(len(objects), np.uint64)).tolist()
    names = {font: font_name(font) if font else "" for font in set(fonts)}
    return [names[font] for font in fonts]


class _SoftFonts(NamedTuple):
    """The codes of the soft hyphen in a document's fonts of one name. only: these fonts have no other hyphen."""

    codes: frozenset[bytes]  # codes of the soft hyphen
    only: bool  # all of these fonts have a soft hyphen and none has a hyphen


@once_per_document
def _soft_fonts(document: PdfDocument, label: str) -> _SoftFonts:
    fonts = [font for font in fonts_of(document) if plain_name(base_name(font) or "") == label]
    codes = [soft_codes(font) for font in fonts]
    only = all(own and not _has_hyphen(font) for own, font in zip(codes, fonts, strict=True))
    return _SoftFonts(frozenset(code for own in codes for code in own), only)


def soft_codes(font: Object) -> tuple[bytes, ...]:
    """Return the codes of a font that mean U+00AD, by its ToUnicode map or, if it has none, by its encoding."""
    composite, stated = name(get(font, "/Subtype")) == "Type0", _stated(font)
    silent = composite or (not stated and get(font, "/ToUnicode") is not None)
    encoded = set() if silent else _encoded(font)
    found = {code for code, text in stated.items() if text == _SOFT_HYPHEN} | (encoded - stated.keys())
    return tuple(code.to_bytes(2 if composite else 1, "big") for code in sorted(found))


def _stated(font: Object) -> dict[int, str]:
    """Return the font's ToUnicode map (text by code) if it maps a drawn code to U+00AD, else {}. The source is searched before it is
    parsed."""
    written = get(font, "/ToUnicode")
    codes = _STATES_SOFT.findall(stream_bytes(written, DEFAULT_LIMITS))
    composite = name(get(font, "/Subtype")) == "Type0"
    return to_unicode(written) if any(composite or not code or _draws(font, int(code, 16)) for code in codes) else {}


def _encoded(font: Object) -> set[int]:
    encoding = get(font, "/Encoding")
    usual = "WinAnsiEncoding" in (name(encoding), name(get(encoding, "/BaseEncoding"))) and _draws(font, _WIN_ANSI_SOFT)
    differences = get(encoding, "/Differences")
    if not usual and (differences is None or not _SOFT_NAMES.search(differences.unparse())):
        return set()
    named = dict(differences_of(encoding))
    found = {code for code, glyph in named.items() if name_to_text(glyph) == _SOFT_HYPHEN}
    return found | {_WIN_ANSI_SOFT} if usual and _WIN_ANSI_SOFT not in named else found


def _has_hyphen(font: Object) -> bool:
    stated = _stated(font)
    if any(text in _HYPHENS for text in stated.values()):
        return True
    return name(get(font, "/Subtype")) != "Type0" and _HYPHEN not in stated and _draws(font, _HYPHEN)


def _draws(font: Object, code: int) -> bool:
    widths, place = items(get(font, "/Widths")), code - (integer(get(font, "/FirstChar")) or 0)
    return not widths or (0 <= place < len(widths) and bool(widths[place]))


def _holds(number: int, codes: set[bytes], document: PdfDocument) -> bool:
    """Return whether the content of page `number`, from 1, without its forms, may show one of these codes."""
    forms = (
        form
        for code in sorted(codes)
        for form in (re.escape(code), re.escape(b"".join(b"\\%03o" % byte for byte in code)), rb"<[\dA-F\s]*" + code.hex().encode())
    )
    content = b"\n".join(stream_bytes(stream, DEFAULT_LIMITS) for stream in items(get(document.tree.pages[number - 1], "/Contents")))
    return re.search(b"|".join(forms), content, re.IGNORECASE) is not None


def _end_softly(runs: NDArray[np.int32], handles: list[int], page: int, number: int, document: PdfDocument) -> list[bool]:
    """Return, for each of these runs, whether its last code is a soft hyphen. handles: of the text objects, by run. number: of `page`, from
    1."""
    shown = shown_by_object(text_objects(page), number, document)
    operators = [shown.get(handles[run]) for run in runs.tolist()]
    codes: dict[Key | int, tuple[bytes, ...]] = {}
    for each in operators:
        if each is not None and (key := _key(each)) not in codes:
            codes[key] = soft_codes(each.font)
    return [each is not None and each.codes.endswith(codes[_key(each)]) for each in operators]


def _key(shown: Shown) -> Key | int:
    return key_of(shown.font) or id(shown.font)
