"""Unicode values for codes that PDFium cannot map, from the font dictionary and the embedded font program (ISO 32000-2 §9.10.2).

In this order: the names of an encoding's differences (Adobe Glyph List, and its rules for `uni0041` and `f_i`), the font program's
own character map turned round, its glyph names. What the dictionary states is sure; what the font program says is a guess.
"""

from __future__ import annotations

import io
import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

import pikepdf
from fontTools.cffLib import CFFFontSet
from fontTools.ttLib import TTFont, TTLibError
from pdfminer.encodingdb import EncodingDB, name2unicode

from transforms.pdf.fonts import plain_name
from transforms.pdf.limits import DEFAULT_LIMITS
from transforms.pdf.objects import OBJECT_ERRORS, Object, get, get_dict, integer, items, name, stream_bytes
from transforms.pdf.symbol_fonts import symbol_characters, symbol_font

#: What broken font programs make fontTools raise.
_FONT_ERRORS: Final = (TTLibError, *OBJECT_ERRORS, AssertionError, EOFError, OSError)
#: Glyph names that only count glyphs: `g12`, `cid00123`, `glyph7`, `index5`.
_COUNTED: Final = re.compile(r"^(g|gid|cid|glyph|index|c|a|char|ch|h)[-_.]?\d+$|^\.notdef$|^[A-Z]\d+$", re.IGNORECASE)
_SUFFIX: Final = re.compile(r"\.[A-Za-z0-9.]+$")


@dataclass(frozen=True, slots=True)
class Guess:
    """The characters of a code. sure: the font dictionary states it by the standard's rules."""

    text: str
    sure: bool


@dataclass(slots=True)
class FontGuesser:
    """Character codes of one font to guesses. width: bytes a code."""

    width: int
    _by_code: dict[int, Guess] = field(default_factory=dict)
    _glyph_of: bytes | None = None
    _by_glyph: dict[int, str] = field(default_factory=dict)

    def codes(self, string: bytes) -> list[int]:
        """The codes of a shown string."""
        if self.width == 1:
            return list(string)
        return [int.from_bytes(string[at : at + self.width], "big") for at in range(0, len(string) - self.width + 1, self.width)]

    def guess(self, code: int) -> Guess | None:
        """What a code stands for, None when nothing tells."""
        if (known := self._by_code.get(code)) is not None:
            return known
        glyph = code if self._glyph_of is None else int.from_bytes(self._glyph_of[2 * code : 2 * code + 2], "big")
        text = self._by_glyph.get(glyph)
        return Guess(text, False) if text else None


def read_guesser(font: Object) -> FontGuesser | None:
    """A guesser for a font dictionary; None for composite fonts whose codes are not two bytes of identity encoding."""
    if name(get(font, "/Subtype")) == "Type0":
        return _composite(font)
    guesser = FontGuesser(1)
    encoding = get(font, "/Encoding")
    for code, glyph in _differences(encoding):
        if (text := name_to_text(glyph)) is not None:
            guesser._by_code[code] = Guess(text, True)
    for code, text in _program_encoding(get_dict(font, "/FontDescriptor")).items():
        guesser._by_code.setdefault(code, Guess(text, False))
    base = name(encoding) or name(get(encoding, "/BaseEncoding"))
    if base in EncodingDB.encodings:
        for code, text in EncodingDB.encodings[base].items():
            guesser._by_code.setdefault(code, Guess(text, True))
    return guesser


def _composite(font: Object) -> FontGuesser | None:
    if not (name(get(font, "/Encoding")) or "").startswith("Identity"):
        return None
    descendant = next(iter(items(get(font, "/DescendantFonts"))), None)
    descriptor = get_dict(descendant, "/FontDescriptor")
    guesser = FontGuesser(2)
    mapping = get(descendant, "/CIDToGIDMap")
    if isinstance(mapping, pikepdf.Stream):
        guesser._glyph_of = stream_bytes(mapping, DEFAULT_LIMITS)
    guesser._by_glyph = _program_glyphs(descriptor, symbol_font(plain_name(name(get(font, "/BaseFont")) or "")))
    return guesser


def _differences(encoding: Object) -> Iterator[tuple[int, str]]:
    """Codes and glyph names of an encoding's Differences (§9.6.5.1)."""
    code = 0
    for entry in items(get(encoding, "/Differences")):
        if (number := integer(entry)) is not None:
            code = number
        elif (glyph := name(entry)) is not None:
            yield code, glyph
            code += 1


def name_to_text(glyph: str) -> str | None:
    """Characters of a glyph name by the Adobe Glyph List and its rules; None for names that tell nothing.

    >>> name_to_text("f_i"), name_to_text("uni00E9"), name_to_text("eacute.sc"), name_to_text("g17")
    ('fi', 'é', 'é', None)
    """
    if _COUNTED.match(glyph) and len(glyph) > 1:
        return None
    try:
        return _printable(name2unicode(glyph))
    except (KeyError, ValueError):
        base = _SUFFIX.sub("", glyph)
    if base == glyph or not base:
        return None
    try:
        return _printable(name2unicode(base))
    except (KeyError, ValueError):
        return None


def _printable(text: str) -> str | None:
    """The text, unless it holds control or private-use characters."""
    return text if text and not any(unicodedata.category(character) in ("Cc", "Co", "Cn", "Cs") for character in text) else None


def _program(descriptor: Object) -> tuple[str, bytes]:
    """Which key holds the embedded font program, and its bytes; empty when there is none."""
    for key in ("/FontFile2", "/FontFile3", "/FontFile"):
        if isinstance(stream := get(descriptor, key), pikepdf.Stream):
            try:
                return key, stream_bytes(stream, DEFAULT_LIMITS)
            except OBJECT_ERRORS:
                return "", b""
    return "", b""


def _program_glyphs(descriptor: Object, table: str | None) -> dict[int, str]:
    """Text of each glyph index of an embedded TrueType, OpenType or CFF program. table: of a symbol font."""
    _, data = _program(descriptor)
    try:
        if data[:4] in (b"\0\1\0\0", b"true", b"OTTO", b"ttcf"):
            return _sfnt_glyphs(data, symbol_characters(table) if table else {})
        return _cff_glyphs(data) if data[:1] == b"\1" else {}
    except _FONT_ERRORS:
        return {}


def _sfnt_glyphs(data: bytes, symbols: dict[int, int]) -> dict[int, str]:
    """symbols: what the codes of its (3, 0) map stand for (§9.6.5.4)."""
    found: dict[int, str] = {}
    with TTFont(io.BytesIO(data), lazy=True, fontNumber=0) as font:
        order = font.getGlyphOrder()
        for index, glyph in enumerate(order):
            if (text := name_to_text(glyph)) is not None:
                found[index] = text
        if "cmap" in font:
            index_of = {glyph: index for index, glyph in enumerate(order)}
            for code, glyph in sorted((font.getBestCmap() or {}).items(), reverse=True):
                if (text := _printable(chr(code))) is not None:
                    found[index_of[glyph]] = text
            for map_ in font["cmap"].tables if symbols else ():
                if (map_.platformID, map_.platEncID) == (3, 0):
                    found |= {index_of[glyph]: chr(symbols[code & 0xFF]) for code, glyph in map_.cmap.items() if code & 0xFF in symbols}
    return found


def _cff_glyphs(data: bytes) -> dict[int, str]:
    """Glyph names of a bare CFF program; a CID-keyed one has none."""
    fonts = CFFFontSet()
    fonts.decompile(io.BytesIO(data), None)
    top = fonts[0]
    if hasattr(top, "ROS"):
        return {}
    return {index: text for index, glyph in enumerate(top.charset) if (text := name_to_text(glyph)) is not None}


def _program_encoding(descriptor: Object) -> dict[int, str]:
    """Text of each code by the built-in encoding of a simple font's program."""
    key, data = _program(descriptor)
    try:
        if key == "/FontFile3" and data[:1] == b"\1":
            return _cff_encoding(data)
        if key == "/FontFile2":
            return _symbol_encoding(data)
    except _FONT_ERRORS:
        return {}
    return {}


def _cff_encoding(data: bytes) -> dict[int, str]:
    fonts = CFFFontSet()
    fonts.decompile(io.BytesIO(data), None)
    encoding = getattr(fonts[0], "Encoding", None)
    if not isinstance(encoding, list):
        return {}
    return {code: text for code, glyph in enumerate(encoding) if (text := name_to_text(glyph)) is not None}


def _symbol_encoding(data: bytes) -> dict[int, str]:
    """A TrueType program's codes by its (3, 0) or (1, 0) map and its glyph names (§9.6.5.4)."""
    with TTFont(io.BytesIO(data), lazy=True, fontNumber=0) as font:
        tables = font["cmap"].tables if "cmap" in font else []
        chosen = next((table for kind in ((3, 0), (1, 0)) for table in tables if (table.platformID, table.platEncID) == kind), None)
        if chosen is None:
            return {}
        return {code & 0xFF: text for code, glyph in chosen.cmap.items() if (text := name_to_text(glyph)) is not None}
