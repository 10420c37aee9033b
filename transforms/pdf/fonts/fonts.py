"""Describe fonts: from which source the Unicode values of their characters come, and whether it is reliable (ISO 32000-2 §9.6 to §9.10)."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Final

import pikepdf

from pdfmill.schemas.records import Row
from pdfmill.transforms.pdf.fonts.symbol_fonts import symbol_font
from pdfmill.transforms.pdf.open.document import PdfDocument, once_per_document
from pdfmill.transforms.pdf.open.objects import (
    OBJECT_ERRORS,
    Key,
    Object,
    first_time,
    get,
    get_dict,
    integer,
    items,
    key_of,
    keys,
    name,
    text,
)

#: Registered character collections with a published mapping to Unicode (§9.7.5.2).
_COLLECTIONS: Final = frozenset({"GB1", "CNS1", "Japan1", "Japan2", "Korea1", "KR"})
#: Predefined encodings (§9.6.5).
_NAMED_ENCODINGS: Final = frozenset({"StandardEncoding", "MacRomanEncoding", "WinAnsiEncoding", "PDFDocEncoding", "MacExpertEncoding"})
#: Keys of the font descriptor under which an embedded font program is stored (Table 124).
FONT_FILES: Final = ("/FontFile", "/FontFile2", "/FontFile3")
_SYMBOLIC: Final = 4  # bit 3 of the descriptor's Flags (Table 121)
#: Bounds for one document: fonts, and forms whose resources are searched.
_MAX_FONTS: Final = 20_000
_MAX_FORMS: Final = 20_000


def read_fonts(document: PdfDocument) -> Row:
    """Return the column `documents.fonts`: one row for each font in the resources of the pages; None if there are none."""
    rows: list[Row] = []
    for font in fonts_of(document):
        try:
            rows.append(describe(font) | {"recognized": _learned(font, document)})
        except OBJECT_ERRORS:
            rows.append(
                {
                    "name": None,
                    "subtype": None,
                    "encoding": None,
                    "embedded": None,
                    "unicode_source": "unreadable",
                    "trusted": False,
                    "recognized": None,
                }
            )
    return {"fonts": rows or None}


def _learned(font: Object, document: PdfDocument) -> str | None:
    """Return the texts that OCR gave for the font's codes as "CODE=TEXT CODE=TEXT ...", with hexadecimal codes; None if there are none."""
    found = (document.pictured.fonts or {}).get(key_of(font) or (0, 0))
    return " ".join(f"{code:X}={'' if text == ' ' else text}" for code, text in sorted(found.items())) if found else None


@once_per_document
def fonts_of(document: PdfDocument) -> list[Object]:
    """Return the fonts in the pages' resources, each once."""
    return list(_fonts(document))


def _fonts(document: PdfDocument) -> Iterator[Object]:
    seen: set[Key] = set()
    given = 0
    for resources in _resources(document):
        fonts = get_dict(resources, "/Font")
        if fonts is None or not first_time(fonts, seen):
            continue
        for key in keys(fonts):
            font = get_dict(fonts, key)
            if font is None or not first_time(font, seen):
                continue
            given += 1
            if given > _MAX_FONTS:
                return
            yield font


def _resources(document: PdfDocument) -> Iterator[Object]:
    """Yield the resources of the pages, of the forms (form XObjects) drawn there, each once, and of the interactive form."""
    seen: set[Key] = set()
    forms = 0
    waiting = [document.tree.attribute(page, "/Resources") for page in range(len(document.tree.pages), 0, -1)]
    while waiting:
        resources = waiting.pop()
        if resources is None or not first_time(resources, seen):
            continue
        yield resources
        drawn = get_dict(resources, "/XObject")
        if drawn is None or not first_time(drawn, seen):
            continue
        for key in keys(drawn):
            form = get(drawn, key)
            if not isinstance(form, pikepdf.Stream) or get(form, "/Resources") is None or not first_time(form, seen):
                continue
            forms += 1
            if forms > _MAX_FORMS:
                return
            waiting.append(get(form, "/Resources"))
    yield get(get_dict(document.pikepdf.Root, "/AcroForm"), "/DR")


def describe(font: Object) -> Row:
    subtype = name(get(font, "/Subtype"))
    descendant = next(iter(items(get(font, "/DescendantFonts"))), None)
    descriptor = get_dict(descendant if subtype == "Type0" else font, "/FontDescriptor")
    base = base_name(font)
    source, trusted = unicode_source(font, subtype, descendant, descriptor, plain_name(base or ""))
    return {
        "name": plain_name(base) if base else None,
        "subtype": name(get(descendant, "/Subtype")) if subtype == "Type0" else subtype,
        "encoding": _encoding_name(get(font, "/Encoding")),
        "embedded": subtype == "Type3" or any(get(descriptor, key) is not None for key in FONT_FILES),
        "unicode_source": source,
        "trusted": trusted,
    }


def base_name(font: Object) -> str | None:
    """Return the font's name as written; for a composite font that of its descendant (§9.7.6.1)."""
    descendant = next(iter(items(get(font, "/DescendantFonts"))), None)
    return name(get(descendant, "/BaseFont")) or name(get(font, "/BaseFont")) or text(get(font, "/Name"))


def plain_name(base: str) -> str:
    """Return the font's name without its subset tag (§9.9.2).

    >>> plain_name("ABCDEF+Times-Roman")
    'Times-Roman'
    """
    return base[7:] if len(base) > 7 and base[6] == "+" and base[:6].isalpha() and base[:6].isupper() else base


def _encoding_name(encoding: Object) -> str | None:
    if isinstance(encoding, pikepdf.Stream):
        return name(get(encoding, "/CMapName")) or "embedded CMap"
    if isinstance(encoding, pikepdf.Dictionary):
        return (name(get(encoding, "/BaseEncoding")) or "built-in") + (
            " with differences" if get(encoding, "/Differences") is not None else ""
        )
    return name(encoding)


def unicode_source(font: Object, subtype: str | None, descendant: Object, descriptor: Object, base: str) -> tuple[str, bool]:
    """Return the source of the font's Unicode values, as in the column `unicode_source`, and whether it is reliable.
    descendant: of a composite font, else None. base: the font's name without subset tag."""
    if isinstance(get(font, "/ToUnicode"), pikepdf.Stream):
        return "to_unicode", True
    if subtype == "Type0":
        return _composite(get(font, "/Encoding"), descendant)
    return _simple(get(font, "/Encoding"), subtype, descriptor, base)


def _composite(encoding: Object, descendant: Object) -> tuple[str, bool]:
    ordering = text(get(get_dict(descendant, "/CIDSystemInfo"), "/Ordering")) or ""
    known = ordering in _COLLECTIONS
    written = name(encoding) or ""
    suffix = "known_collection" if known else "unknown_collection"
    if isinstance(encoding, pikepdf.Stream):
        return f"cmap_{suffix}", known
    if written.startswith("Identity"):
        return f"identity_{suffix}", known
    return f"named_cmap_{suffix}", known or written.startswith("Uni")


def _simple(encoding: Object, subtype: str | None, descriptor: Object, base: str) -> tuple[str, bool]:
    table = symbol_font(base)
    if table and get(encoding, "/Differences") is None:
        return "font_name", True
    if isinstance(encoding, pikepdf.Dictionary) and get(encoding, "/Differences") is not None:
        known = _known_differences(get(encoding, "/Differences"), table == "zapfdingbats")
        return ("differences", True) if known else ("unknown_differences", False)
    symbolic = bool((integer(get(descriptor, "/Flags")) or 0) & _SYMBOLIC)
    named = name(encoding) or name(get(encoding, "/BaseEncoding"))
    if named in _NAMED_ENCODINGS and not (symbolic and subtype == "TrueType"):
        return "named_encoding", True
    if symbolic:
        return "symbolic_unknown_encoding", False
    return ("unknown_differences", False) if subtype == "Type3" else ("built_in_encoding", True)


def _known_differences(differences: Object, dingbats: bool) -> bool:
    """Return whether all glyph names in an array Differences follow the Adobe Glyph List. dingbats: accept a1 to a206 too."""
    names = [written for entry in items(differences) if (written := name(entry)) is not None]
    return all(_in_glyph_list(written) or (dingbats and _is_dingbat(written)) for written in names)


def _is_dingbat(glyph: str) -> bool:
    from fontTools import agl  # slow to import, and few documents need it

    return bool(agl.toUnicode(glyph, isZapfDingbats=True))


@cache
def _in_glyph_list(glyph: str) -> bool:
    if glyph in (".notdef", "nbspace", "space"):
        return True
    from pdfminer.encodingdb import name2unicode  # slow to import, and few documents need it

    try:
        return bool(name2unicode(glyph))
    except (KeyError, ValueError):
        return False
