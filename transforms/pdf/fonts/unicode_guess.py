"""Derive text for codes that PDFium cannot map, from the font dictionary and the embedded font program (ISO 32000-2 §9.10.2).
Sources, in this order: Differences (Adobe Glyph List), or CMap and collection; the program's character map in reverse; its glyph names;
code points in glyph names; the usual order of glyphs. Text that the dictionary does not state is a guess."""

from __future__ import annotations

import io
import re
import struct
import unicodedata
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import cache
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final

import pikepdf
from msgspec import Struct, field
from msgspec.structs import replace

from pdfmill.transforms.pdf.fonts.cmaps import CMap, collection_characters, place_codes, read_cmap, to_unicode
from pdfmill.transforms.pdf.fonts.fonts import FONT_FILES, fonts_of, plain_name
from pdfmill.transforms.pdf.fonts.symbol_fonts import (
    FIRST_PRIVATE,
    LAST_PRIVATE,
    private_characters,
    private_texts,
    symbol_characters,
    symbol_font,
)
from pdfmill.transforms.pdf.open.document import PdfDocument, once_per_document
from pdfmill.transforms.pdf.open.limits import DEFAULT_LIMITS
from pdfmill.transforms.pdf.open.objects import OBJECT_ERRORS, Key, Object, get, get_dict, integer, items, key_of, name, stream_bytes
from pdfmill.transforms.pdf.open.objects import text as text_string

if TYPE_CHECKING:
    from fontTools.ttLib import TTFont

#: Glyph names that only contain a glyph's number: `g12`, `cid00123`, `glyph7`, `index5`.
_COUNTED: Final = re.compile(r"^(g|gid|cid|glyph|index|c|a|char|ch|h)[-_.]?\d+$|^\.notdef$|^[A-Z]\d+$", re.IGNORECASE)
_SUFFIX: Final = re.compile(r"\.[A-Za-z0-9.]+$")
#: Beginnings of the names of the standard 14 fonts, and of names that viewers replace by them.
_STANDARD: Final = re.compile(r"Helvetica|Times|Courier|Symbol|ZapfDingbats|Arial", re.IGNORECASE)
_NOT_TWO_BYTES: Final = re.compile(r"^Uni\w+-UTF(8|32)-[HV]$")
#: Length of a Type 2 charstring that draws nothing: a width and the operator `endchar`.
_BLANK_PROGRAM: Final = 2
#: Glyph index of the space in TrueType fonts of the usual glyph order, and in Microsoft's symbol fonts, whose glyphs are in order of codes.
_FIRST_GLYPH: Final = 3
#: Number of codes of a simple font, whose codes are bytes.
_SIMPLE_CODES: Final = 256
#: Glyph names that contain the number of the character, as dvips and others write them.
_DECIMAL: Final = re.compile(r"^(?:[aAcC]|ch|char)(\d{2,4})$")
_HEXADECIMAL: Final = re.compile(r"^[gG]([0-9A-F]{2})$")
#: Fewest small letters by which a font of numbered glyphs is one of text; fonts of large brackets and arrows have fewer.
_TEXT_LETTERS: Final = 8


class Guess(Struct, frozen=True):
    """The text that was derived for a character code. sure: the font dictionary states it by the rules of the standard."""

    text: str
    sure: bool  # the font dictionary states it by the rules of the standard


#: Texts recognised by OCR for the codes of fonts, by the font's object key and the code.
LearnedFonts = Mapping[Key, Mapping[int, str]]
NOTHING_LEARNED: Final[LearnedFonts] = MappingProxyType({})
#: Text of a code for which OCR gave none.
_UNKNOWN: Final = "\N{REPLACEMENT CHARACTER}"
#: A code without text: an ornament, or a part of a letter whose text belongs to another glyph.
NOTHING: Final = Guess("", True)
#: Vowel signs that are drawn left of their letters.
DRAWN_FIRST: Final = frozenset("िিেৈਿિେୈெேைෙේෛេែៃ\u1031")
#: Codes on each side of a glyph that may state the text which it draws a part of: those of a syllable.
_BESIDE: Final = 3
#: Khmer vowels of which a part is drawn before the letter, and that part.
_SPLIT: Final = {code: f"{chr(code)}\u17c1" for code in (0x17BE, 0x17BF, 0x17C0, 0x17C4, 0x17C5)}
#: First and last of the Latin ligatures that Unicode has for compatibility with older encodings.
_LIGATURES: Final = ("\ufb00", "\ufb06")


class FontGuesser(Struct):
    """Derives the text of the character codes of one font."""

    vertical: bool = False  # vertical writing mode
    overrides_pdfium: bool = False  # its texts replace those of PDFium, because the dictionary states more than PDFium reads
    wrong_code_length: bool = False  # PDFium divides strings of this font into codes of the wrong length
    has_gaps: bool = False  # its ToUnicode map is right but lacks some codes
    _by_code: dict[int, Guess] = field(default_factory=dict)
    _cmap: CMap | None = None
    _by_identifier: Mapping[int, str] = field(default_factory=dict)  # text by character identifier
    _glyph_of: bytes | None = None  # CIDToGIDMap: glyph index by character identifier, two bytes each; None: they are equal
    _by_glyph: Mapping[int, str] = field(default_factory=dict)  # text by glyph index
    _in_order: bool = False  # `_by_glyph` is guessed from the usual order of glyphs
    _stated: Mapping[int, str] | None = None  # the ToUnicode map, read at first use
    _stated_texts: frozenset[str] = frozenset()  # the texts in it, but the empty one
    _empty: frozenset[int] | None = None  # codes with an empty text in it
    _font: Object = None
    _texts: frozenset[str] | None = None
    _learned: Mapping[int, str] | None = None  # texts recognised by OCR

    @property
    def learned(self) -> bool:
        """Whether the texts of the font's codes come from OCR."""
        return self._learned is not None

    def is_raw(self, code: int, *, aligned: bool = False) -> bool:
        """Return whether an untrusted character is in truth a character code that the ToUnicode map lacks; False for white space.
        aligned: False also for codes with an empty text, which `guess_at` knows better."""
        if code >= self._limit or chr(code).isspace() or self._map().get(code) or (aligned and code in self._emptied()):
            return False
        return bool(self._stated_texts) and chr(code) not in self._stated_texts

    @property
    def _limit(self) -> int:
        return _SIMPLE_CODES if self._cmap is None else _SIMPLE_CODES**2

    def code_bytes(self, code: int) -> bytes:
        """Return a character code as the bytes that strings contain."""
        return code.to_bytes(1 if self._cmap is None else 2, "big")

    def may_know(self, code: int) -> bool:
        """Return whether this font may change a character that PDFium gives as the bare number `code`. True for all composite fonts and all
        fonts whose texts replace those of PDFium."""
        if self._cmap is not None or self.overrides_pdfium or self.wrong_code_length or code >= _SIMPLE_CODES or self.is_raw(code):
            return True
        if self._texts is None:
            guesses = (self.guess(bytes([each])) for each in range(_SIMPLE_CODES))
            self._texts = frozenset(guess.text for guess in guesses if guess is not None)
        return self.guess(bytes([code])) is not None or chr(code) in self._texts

    def codes(self, string: bytes) -> list[bytes]:
        """Divide a string that a page shows in this font into character codes."""
        return [string[at : at + 1] for at in range(len(string))] if self._cmap is None else self._cmap.codes(string)

    def starts(self, codes: Sequence[bytes], characters: Sequence[int]) -> list[int] | None:
        """Return the index of the first extracted character of each code of a string, and the number of characters; None if they do not
        fit."""
        if len(codes) == len(characters):
            return list(range(len(codes) + 1))
        return place_codes([self._extracted_text(int.from_bytes(code, "big")) for code in codes], characters)

    def _extracted_text(self, number: int) -> str | None:
        """Return the text that PDFium extracts for a code: that of the ToUnicode map, or a space for code 32; None if it is unknown."""
        text = self._map().get(number, "")
        if not text:
            return " " if number == ord(" ") else None
        return "".join(map(_parts, text))

    def guess(self, code: bytes) -> Guess | None:
        """Return the text of a code that PDFium does not map; None if it is unknown."""
        number = int.from_bytes(code, "big")
        if self._learned is not None:
            return Guess(self._learned.get(number, _UNKNOWN), True)
        if self.has_gaps and _printable(self._map().get(number, "")):
            return None
        return self._text_without_map(code)

    def _text_without_map(self, code: bytes) -> Guess | None:
        number = int.from_bytes(code, "big")
        if (known := self._by_code.get(number)) is not None:
            return known
        identifier = number if self._cmap is None else self._cmap.identifier(code)
        if identifier is not None and (text := self._by_identifier.get(identifier)):
            return Guess(text, True)
        text = self._by_glyph.get(self._glyph(identifier)) if identifier is not None else None
        return Guess(text, False) if text else NOTHING if number in self._emptied() else None

    def guess_at(self, codes: Sequence[bytes], place: int) -> Guess | None:
        """Return the text of `codes[place]` as `guess` does, but nothing for a code with an empty text in the ToUnicode map whose glyph
        draws a part of a letter next to it, as the text of that code says."""
        guess = self.guess(codes[place])
        if guess is None or not guess.text or int.from_bytes(codes[place], "big") not in self._emptied():
            return guess
        around = (self._map().get(int.from_bytes(code, "big"), "") for code in codes[max(place - _BESIDE, 0) : place + _BESIDE + 1])
        return NOTHING if guess.text in unicodedata.normalize("NFKD", "".join(around)).translate(_SPLIT) else guess

    def _glyph(self, identifier: int) -> int:
        return identifier if self._glyph_of is None else int.from_bytes(self._glyph_of[2 * identifier : 2 * identifier + 2], "big")

    def _emptied(self) -> Collection[int]:
        """Return the codes to which the ToUnicode map assigns an empty text; none if all its texts are empty."""
        if self._empty is None:
            stated = self._map()
            self._empty = frozenset(code for code, text in stated.items() if not text) if any(stated.values()) else frozenset()
        return self._empty

    def _map(self) -> Mapping[int, str]:
        if self._stated is None:
            self._stated = to_unicode(get(self._font, "/ToUnicode"))
            self._stated_texts = frozenset(filter(None, self._stated.values()))
        return self._stated

    def text_pairs(self) -> Iterator[tuple[str, str]]:
        """Yield two texts for each code that has both: the text of the ToUnicode map, and the text of the encoding or glyph name."""
        for number, text in self._map().items() if not self._in_order else ():
            other = self._text_without_map(self.code_bytes(number)) if number < self._limit else None
            if other is not None and other.text:
                yield text, other.text

    def read(self, code: bytes) -> Guess | None:
        """Return the text of a code for which PDFium gives nothing: from the ToUnicode map, else by `guess`. None if it is unknown."""
        text = _printable(self._map().get(int.from_bytes(code, "big"), ""))
        return Guess(text, True) if text else self.guess(code)


def _parts(character: str) -> str:
    return unicodedata.normalize("NFKC", character) if _LIGATURES[0] <= character <= _LIGATURES[1] else character


def read_guesser(font: Object) -> FontGuesser | None:
    """Return the guesser of a font, which derives the text of codes; None for composite fonts with an unknown CMap."""
    if name(get(font, "/Subtype")) == "Type0":
        return _composite(font)
    guesser = FontGuesser(overrides_pdfium=has_unread_text(font), _font=font)
    encoding = get(font, "/Encoding")
    differences = list(differences_of(encoding))
    for code, glyph in differences:
        if (text := name_to_text(glyph)) is not None:
            guesser._by_code[code] = Guess(text, True)
    for code, text in _program_encoding(get_dict(font, "/FontDescriptor")).items():
        guesser._by_code.setdefault(code, Guess(text, False))
    for code in _bitmap_letters(differences) if name(get(font, "/Subtype")) == "Type3" else ():
        guesser._by_code.setdefault(code, Guess(chr(code), True))
    for code, text in _numbered(differences):
        guesser._by_code.setdefault(code, Guess(text, False))
    for code, character in symbol_characters(symbol_font(plain_name(name(get(font, "/BaseFont")) or "")) or "").items():
        guesser._by_code.setdefault(code, Guess(chr(character), True))
    guesser.has_gaps = _maps_to_empty(font)
    if guesser.has_gaps and (name(get(font, "/Subtype")) == "Type3" or _program_key(get_dict(font, "/FontDescriptor"))):
        for (
            code
        ) in guesser._emptied():  # a code that no source names is not that of the base encoding: a subset may give its glyphs any codes
            guesser._by_code.setdefault(code, NOTHING)
    base = name(encoding) or name(get(encoding, "/BaseEncoding"))
    for code, text in _base_encoding(base).items():
        guesser._by_code.setdefault(code, Guess(text, True))
    return guesser


def guesser_of(font: Object, document: PdfDocument) -> FontGuesser | None:
    """Return the guesser of a font, which derives the text of codes, cached per document; None for composite fonts with an unknown CMap."""
    key = key_of(font)
    if key is None:
        return read_guesser(font)
    if key not in (known := _guessers(document)):
        known[key] = read_guesser(font)
    return known[key]


@once_per_document
def _guessers(_: PdfDocument) -> dict[Key, FontGuesser | None]:
    return {}


def learned_guesser(guesser: FontGuesser, learned: Mapping[int, str]) -> FontGuesser:
    """Return a copy of a guesser that gives the texts recognised by OCR (`learned`, by code), and U+FFFD for all other codes."""
    return replace(guesser, overrides_pdfium=True, wrong_code_length=False, _learned=learned)


def _maps_to_empty(font: Object) -> bool:
    stream = get(font, "/ToUnicode")
    return isinstance(stream, pikepdf.Stream) and b"<>" in stream_bytes(stream, DEFAULT_LIMITS)


def _base_encoding(base: str | None) -> Mapping[int, str]:
    if base == "MacExpertEncoding":
        return _mac_expert()
    from pdfminer.encodingdb import EncodingDB  # slow to import, and many documents do without

    found: Mapping[int, str] = EncodingDB.encodings.get(base or "", {})
    return found


#: MacExpertEncoding (Annex D.4) from 0x20, with small capitals as capitals and old-style figures as figures; U+FFFD for unused codes.
_MAC_EXPERT: Final = (
    " !˝¢$$&´⁽⁾‥․,-.⁄0123456789:;\ufffd—\ufffd?\ufffd\ufffd\ufffd\ufffdÐ\ufffd\ufffd¼½¾⅛⅜⅝⅞⅓⅔\ufffd\ufffd\ufffd\ufffd\ufffd\ufffdﬀﬁ"
    "ﬂﬃﬄ₍\ufffd₎ˆ-`ABCDEFGHIJKLMNOPQRSTUVWXYZ₡1₨˜\ufffd\ufffda¢\ufffd\ufffd\ufffd\ufffdÁÀÂÄÃÅÇÉÈ"
    "ÊËÍÌÎÏÑÓÒÔÖÕÚÙÛÜ\ufffd⁸₄₃₆₈₇Š\ufffd¢₂\ufffd¨\ufffdˇo₅\ufffd,.Ý\ufffd$\ufffd\ufffdÞ\ufffd₉₀ŽÆØ¿₁Ł\ufffd\ufffd\ufffd\ufffd\ufffd"
    "\ufffd¸\ufffd\ufffd\ufffd\ufffd\ufffdŒ‒-\ufffd\ufffd\ufffd\ufffd¡\ufffdŸ\ufffd¹²³⁴⁵⁶⁷⁹⁰\ufffdert\ufffd\ufffdisd\ufffd\ufffd\ufffd\ufffd\ufffdl˛˘¯bⁿm,.˙˚\ufffd\ufffd\ufffd\ufffd"
)


@cache
def _mac_expert() -> Mapping[int, str]:
    return {code: text for code, text in enumerate(_MAC_EXPERT, start=0x20) if text != "\N{REPLACEMENT CHARACTER}"}


def has_unread_text(font: Object) -> bool:
    """Return whether a font states text that PDFium does not read: ligatures named by their parts (f_f_i), MacExpertEncoding, CMaps of
    UTF-8 and UTF-32, or codes with an empty text."""
    if _has_wrong_code_length(font):
        return True
    if name(get(font, "/Subtype")) == "Type0":
        return False
    if get(font, "/ToUnicode") is not None:
        return _maps_to_empty(font)
    encoding = get(font, "/Encoding")
    if "MacExpertEncoding" in (name(encoding), name(get(encoding, "/BaseEncoding"))):
        return True
    return any("_" in glyph and name_to_text(glyph) is not None for _, glyph in differences_of(encoding))


def _has_wrong_code_length(font: Object) -> bool:
    """Return whether PDFium divides the font's strings into codes of two bytes although those of its CMap have one to four."""
    return name(get(font, "/Subtype")) == "Type0" and bool(_NOT_TWO_BYTES.search(name(get(font, "/Encoding")) or ""))


@once_per_document
def font_traits(document: PdfDocument) -> tuple[bool, bool, bool]:
    """Return whether PDFium drops text because a composite font is not embedded (`lost_text`), whether a font states text that PDFium does
    not read, and whether a font lacks widths."""
    fonts = fonts_of(document)
    return any(map(has_no_program, fonts)), any(map(has_unread_text, fonts)), any(map(has_no_widths, fonts))


def has_no_widths(font: Object) -> bool:
    """Return whether a simple font has neither widths nor a program, and is not one of the standard 14 fonts (§9.6.2.2)."""
    if name(get(font, "/Subtype")) not in ("Type1", "MMType1", "TrueType") or get(font, "/Widths") is not None:
        return False
    if _program_key(get_dict(font, "/FontDescriptor")) is not None:
        return False
    return not _STANDARD.match(plain_name(name(get(font, "/BaseFont")) or ""))


def has_no_program(font: Object) -> bool:
    """Return whether the font is a composite font without an embedded program."""
    if name(get(font, "/Subtype")) != "Type0":
        return False
    descriptor = get_dict(next(iter(items(get(font, "/DescendantFonts"))), None), "/FontDescriptor")
    return _program_key(descriptor) is None


def _composite(font: Object) -> FontGuesser | None:
    cmap = read_cmap(get(font, "/Encoding"))
    if cmap is None:
        return None
    descendant = next(iter(items(get(font, "/DescendantFonts"))), None)
    descriptor = get_dict(descendant, "/FontDescriptor")
    wrong_code_length = _has_wrong_code_length(font)
    guesser = FontGuesser(cmap.vertical, wrong_code_length, wrong_code_length, _cmap=cmap, _font=font)
    if private := private_texts(plain_name(name(get(font, "/BaseFont")) or "")):
        guesser._by_code = {code: Guess(private[text], True) for code, text in guesser._map().items() if text in private}
    ordering = text_string(get(get_dict(descendant, "/CIDSystemInfo"), "/Ordering")) or ""
    guesser._by_identifier = collection_characters(ordering)
    if guesser._by_identifier:
        return guesser
    mapping = get(descendant, "/CIDToGIDMap")
    if isinstance(mapping, pikepdf.Stream):
        guesser._glyph_of = stream_bytes(mapping, DEFAULT_LIMITS)
    table = symbol_font(plain_name(name(get(font, "/BaseFont")) or ""))
    guesser._by_glyph, guesser._in_order = _program_glyphs(descriptor, table)
    if table and not guesser._by_glyph:
        guesser._by_glyph = _symbol_glyphs(table, embedded=not has_no_program(font))
    return guesser


def _symbol_glyphs(table: str, *, embedded: bool) -> dict[int, str]:
    """Return the characters of a symbol font without glyph names by glyph index, which follows the order of codes."""
    first = _FIRST_GLYPH - 0x20 if embedded else 0
    return {code + first: chr(character) for code, character in symbol_characters(table).items()}


def _numbered(differences: Sequence[tuple[int, str]]) -> Iterator[tuple[int, str]]:
    """Yield (code, text) from glyph names that contain the number of the character (c72, char72, C0072, or hexadecimal G48).
    Yields nothing if some name does not. differences: pairs of code and glyph name."""
    names = [(code, glyph) for code, glyph in differences if glyph not in (".notdef", "space")]
    for pattern, radix in ((_DECIMAL, 10), (_HEXADECIMAL, 16)):
        numbers = [int(match[1], radix) for _, glyph in names if (match := pattern.match(glyph))]
        if names and len(numbers) == len(names) and min(numbers) >= 32 and max(numbers) <= 255:
            for (code, _), number in zip(names, numbers, strict=True):
                if text := _printable(bytes([number]).decode("cp1252", "ignore")):
                    yield code, text
            return


def _bitmap_letters(differences: Sequence[tuple[int, str]]) -> list[int]:
    """Return the codes of ASCII letters and digits in a bitmap font of TeX whose glyph names state the codes (a97), else [].
    Codes without gaps do not count, because they were given in order of first use."""
    codes = [code for code, glyph in differences if glyph != ".notdef"]
    named = all(glyph in (".notdef", f"a{code}") for code, glyph in differences)
    letters = [code for code in codes if code < 0x80 and chr(code).isalnum()]
    is_text = named and len(codes) <= max(codes, default=0) and sum(chr(code).islower() for code in letters) >= _TEXT_LETTERS
    return letters if is_text else []


def differences_of(encoding: Object) -> Iterator[tuple[int, str]]:
    """Yield the pairs (code, glyph name) of an encoding's array Differences (§9.6.5.1)."""
    code = 0
    for entry in items(get(encoding, "/Differences")):
        if (number := integer(entry)) is not None:
            code = number
        elif (glyph := name(entry)) is not None:
            yield code, glyph
            code += 1


def name_to_text(glyph: str) -> str | None:
    """Return the characters that a glyph name stands for by the Adobe Glyph List and its rules; None for names without a meaning.

    >>> name_to_text("f_i"), name_to_text("uni00E9"), name_to_text("eacute.sc"), name_to_text("g17")
    ('fi', 'é', 'é', None)
    """
    if _COUNTED.match(glyph) and len(glyph) > 1:
        return None
    from pdfminer.encodingdb import name2unicode  # slow to import, and many documents do without

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
    """Return the text, with a private-use character replaced by its known meaning; None if it is empty or cannot be printed."""
    if len(text) == 1 and FIRST_PRIVATE <= ord(text) <= LAST_PRIVATE:
        text = chr(private_characters()[ord(text) - FIRST_PRIVATE])
    return text if text and not any(unicodedata.category(character) in ("Cc", "Co", "Cn", "Cs") for character in text) else None


def _program_key(descriptor: Object) -> str | None:
    return next((key for key in FONT_FILES if get(descriptor, key) is not None), None)


def _program(descriptor: Object) -> tuple[str, bytes]:
    """Return the embedded font program: its key in the font descriptor and its bytes; both empty if it cannot be read."""
    for key in ("/FontFile2", "/FontFile3", "/FontFile"):
        if isinstance(stream := get(descriptor, key), pikepdf.Stream):
            try:
                return key, stream_bytes(stream, DEFAULT_LIMITS)
            except OBJECT_ERRORS:
                return "", b""
    return "", b""


def _font_errors() -> tuple[type[Exception], ...]:
    from fontTools.ttLib import TTLibError  # slow to import, and few documents need it

    return (TTLibError, *OBJECT_ERRORS, AssertionError, EOFError, OSError, struct.error)


def _program_glyphs(descriptor: Object, table: str | None) -> tuple[dict[int, str], bool]:
    """Return the text of each glyph index of an embedded program, and whether it is guessed from the usual order of glyphs.
    table: name of the font's symbol table; None if it is no symbol font."""
    _, data = _program(descriptor)
    try:
        if data[:4] in (b"\0\1\0\0", b"true", b"OTTO", b"ttcf"):
            return _sfnt_glyphs(data, symbol_characters(table) if table else {})
        return _cff_glyphs(data) if data[:1] == b"\1" else ({}, False)
    except _font_errors():
        return {}, False


def _sfnt_glyphs(data: bytes, symbols: dict[int, int]) -> tuple[dict[int, str], bool]:
    """Return the text of each glyph index of a TrueType or OpenType program, and whether it is guessed from the usual order of glyphs.
    symbols: the characters for the codes of its symbol character map, (3, 0) (§9.6.5.4)."""
    from fontTools.ttLib import TTFont  # slow to import, and few documents need it
    from fontTools.ttLib.standardGlyphOrder import standardGlyphOrder

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
        return (found, False) if found or not _space_is_third(font) else (_in_order(standardGlyphOrder), True)


def _space_is_third(font: TTFont) -> bool:
    """Return whether glyph 3, the space in the usual (Macintosh) glyph order, is blank, as after subsetting."""
    if "loca" not in font or len(font["loca"]) <= _FIRST_GLYPH + 1:
        return False
    return bool(font["loca"][_FIRST_GLYPH] == font["loca"][_FIRST_GLYPH + 1])


def _in_order(names: Sequence[str]) -> dict[int, str]:
    return {index: text for index, glyph in enumerate(names) if (text := name_to_text(glyph)) is not None}


def _cff_glyphs(data: bytes) -> tuple[dict[int, str], bool]:
    """Return the text of each glyph index of a bare CFF program, and whether it is guessed: a CID-keyed program with a blank first glyph is
    assumed to have the ISOAdobe order."""
    from fontTools.cffLib import cffISOAdobeStrings  # slow to import, and few documents need it

    top = _cff_font(data)
    if not hasattr(top, "ROS"):
        return _in_order(top.charset), False
    if "cid00001" not in top.charset:
        return {}, False
    space = top.CharStrings["cid00001"]
    space.decompile()
    return (_in_order(cffISOAdobeStrings), True) if len(space.program) <= _BLANK_PROGRAM else ({}, False)


def _cff_font(data: bytes) -> Any:
    from fontTools.cffLib import CFFFontSet  # slow to import, and few documents need it

    fonts = CFFFontSet()
    fonts.decompile(io.BytesIO(data), None)
    return fonts[0]


def _program_encoding(descriptor: Object) -> dict[int, str]:
    """Return the text of each code by the built-in encoding of a simple font's program."""
    key, data = _program(descriptor)
    try:
        if key == "/FontFile3" and data[:1] == b"\1":
            return _cff_encoding(data)
        if key == "/FontFile2":
            return _symbol_encoding(data)
    except _font_errors():
        return {}
    return {}


def _cff_encoding(data: bytes) -> dict[int, str]:
    encoding = getattr(_cff_font(data), "Encoding", None)
    if not isinstance(encoding, list):
        return {}
    return {code: text for code, glyph in enumerate(encoding) if (text := name_to_text(glyph)) is not None}


def _symbol_encoding(data: bytes) -> dict[int, str]:
    """Return the text of each code of a TrueType program, from its character map (3, 0) or (1, 0) and its glyph names (§9.6.5.4)."""
    from fontTools.ttLib import TTFont  # slow to import, and few documents need it

    with TTFont(io.BytesIO(data), lazy=True, fontNumber=0) as font:
        tables = font["cmap"].tables if "cmap" in font else []
        chosen = next((table for kind in ((3, 0), (1, 0)) for table in tables if (table.platformID, table.platEncID) == kind), None)
        if chosen is None:
            return {}
        return {code & 0xFF: text for code, glyph in chosen.cmap.items() if (text := name_to_text(glyph)) is not None}
