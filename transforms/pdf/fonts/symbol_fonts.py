"""Map characters of symbol fonts (Wingdings, Webdings, Symbol, ZapfDingbats, MT Extra) and of TeX's bitmap fonts to Unicode.
Without a table, PDFium gives their codes as Latin letters or as F000 + code. TeX's bitmap fonts have no name; of their encodings the one is
taken with which the text has words. The tables come from ISO 32000-2 Annexes D.5 and D.6 (Symbol, ZapfDingbats), from Unicode's documents
L2/11-344 and L2/12-368 (Wingdings, Webdings), as copied from dingbat-to-unicode 1.0.2 (BSD 2-Clause, Copyright (c) 2021 Michael Williamson)
and the Adobe glyph lists, and from Mozilla's table for MathML (MT Extra), with the harpoon over vectors added."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import Final

import msgspec
import numpy as np
from msgspec.structs import replace
from numpy.typing import NDArray

from pdfmill.schemas.glyphs import GlyphFlag, Glyphs
from pdfmill.transforms.pdf.open.pdfium_api import OBJECT_FONT, of_objects

# Private-use characters whose meaning foundries agree on: Adobe's corporate use (Adobe Glyph List; symbol.txt of Unicode's mappings for
# the pieces of brackets) and the Thai forms of Windows fonts.


#: Range of private-use characters on whose meaning font foundries agree.
FIRST_PRIVATE, LAST_PRIVATE = 0xF6BE, 0xF8FF
#: Pieces of brackets, arrows and signs, by code point from U+F8E5.
_FIRST_PIECE, _PIECES = 0xF8E5, "‾⏐⎯®©™⎛⎜⎝⎡⎢⎣⎧⎨⎩⎪⎮⎞⎟⎠⎤⎥⎦⎫⎬⎭"
#: Thai consonants without their lower part, and marks shifted to the left or down, by code point from U+F700.
_FIRST_THAI, _THAI = (
    0xF700,
    "\u0e10\u0e34\u0e35\u0e36\u0e37\u0e48\u0e49\u0e4a\u0e4b\u0e4c\u0e48\u0e49\u0e4a\u0e4b\u0e4c\u0e0d\u0e31\u0e4d\u0e47\u0e48\u0e49\u0e4a\u0e4b\u0e4c\u0e38\u0e39\u0e3a",
)
#: Parts of Adobe's glyph names that describe only the appearance: small capitals, old-style or raised figures, shifted marks.
_LOOK: Final = re.compile(r"(small|oldstyle|superior|inferior|fitted|serif|(upper|low)?(left|right)(?=thai))")

#: Other glyph names that Adobe maps to private-use characters, and the characters that they mean.
_OTHERS: Final = {"registerserif": "®", "dotlessj": "ȷ", "threequartersemdash": "—"}


@cache
def private_characters() -> NDArray[np.uint32]:
    """Return uint32[n], the standard character for each private-use character from FIRST_PRIVATE to LAST_PRIVATE, or that character
    itself."""
    from fontTools import agl  # slow to import, and few documents need it

    found = np.arange(FIRST_PRIVATE, LAST_PRIVATE + 1, dtype=np.uint32)
    for glyph, points in agl.LEGACY_AGL2UV.items():
        code, plain = points[0], _LOOK.sub("", glyph)
        if FIRST_PRIVATE <= code <= LAST_PRIVATE:
            meanings = (agl.toUnicode(plain), agl.toUnicode(plain.lower()), _OTHERS.get(glyph, ""))
            found[code - FIRST_PRIVATE] = next(
                (ord(text[0]) for text in meanings if text and not FIRST_PRIVATE <= ord(text[0]) <= LAST_PRIVATE), code
            )
    for first, texts in ((_FIRST_PIECE, _PIECES), (_FIRST_THAI, _THAI)):
        found[first - FIRST_PRIVATE : first - FIRST_PRIVATE + len(texts)] = [ord(character) for character in texts]
    return found


#: Names of symbol fonts in lower case and without spaces, with optional styles and foundries.
_NAMES: Final = re.compile(
    r"^(?:itc)?(wingdings[23]?|webdings|symbol|zapfdingbats|mtextra)(?:mt|ps|std|itc|regular|normal|roman|bold|italic|oblique|[-,])*$"
)
#: Names of icon fonts, which use the private-use area in their own way.
_ICONS: Final = re.compile(r"icon|awesome|emoji", re.IGNORECASE)
#: First and last code of a table, and the offset at which fonts repeat these codes in the private-use area.
_FIRST, _LAST, _PRIVATE = 0x20, 0xFF, 0xF000
_NO_CHARACTER: Final = 0xFFFD
#: Codes of symbols in TeX's TS1 encoding, from the first up to those that letters have in other encodings of TeX; that of the bullet.
_FIRST_COMPANION, _FIRST_LETTER, _COMPANION_BULLET = 0x80, 0xC0, 0x88
#: TeX's T1 encoding ("Cork", 256 characters): its codes from 13 to 31, and those from 127; ASCII lies between.
_T1: Final = dict(enumerate("‚‹›“”„«»–—\u200b₀ıȷﬀﬁﬂﬃﬄ", 13)) | {0x27: "’", 0x60: "‘"} | dict(enumerate(
    "-ĂĄĆČĎĚĘĞĹĽŁŃŇŊŐŔŘŚŠŞŤŢŰŮŸŹŽŻĲİđ§ăąćčďěęğĺľłńňŋőŕřśšşťţűůÿźžżĳ¡¿£"
    "ÀÁÂÃÄÅÆÇÈÉÊËÌÍÎÏÐÑÒÓÔÕÖŒØÙÚÛÜÝÞẞàáâãäåæçèéêëìíîïðñòóôõöœøùúûüýþß", 127))  # fmt: skip
#: TeX's T2A encoding, for Cyrillic, which differs from T1 in its upper half.
_T2A: Final = _T1 | dict(enumerate(
    "ҐҒЂЋҺҖҘЉЇҚҠҜӔҢҤЅӨҪЎҮҰҲЏҸҶЄӘЊЁ№¤§ґғђћһҗҙљїқҡҝӕңҥѕөҫўүұҳџҹҷєәњё„«»"
    "АБВГДЕЖЗИЙКЛМНОПРСТУФХЦЧШЩЪЫЬЭЮЯабвгдежзийклмнопрстуфхцчшщъыьэюя", 128))  # fmt: skip
#: Share of letters above ASCII from which a text in bitmaps is Cyrillic; no language writes so many Latin letters with accents.
_CYRILLIC: Final = 0.5
#: TeX's OT1 encoding, where it is not ASCII: 128 characters, of which those from 18 to 24 are accents that are drawn over letters.
_OT1: Final = dict(enumerate("ΓΔΘΛΞΠΣΥΦΨΩﬀﬁﬂﬃﬄıȷ")) | dict(enumerate("ßæœøÆŒØ", 25)) | dict(zip(b"\"'<>\\`{|", "”’¡¿“‘–—", strict=True))
#: Codes by which a font shows that it has OT1 (ff, fi, æ; accents that never stand alone in T1), and else T1 (quotation marks, dashes, and
#: the ligatures from ff to ffl, which are œ, ø, Æ, Œ and Ø in OT1).
_OT1_ALONE, _T1_ALONE = (11, 12, 26), (16, 17, 21, 22, *range(27, 32))
#: French quotation marks in T1. In OT1 these codes are accents, which no text uses without letters of the same font; fonts of signs seldom
#: have both (subset, at most) and nothing else.
_T1_GUILLEMETS: Final = {19, 20}
#: The number of small letters in a word, at least, and the share of a text's characters that are such letters; in formulas, letters stand
#: alone, and fonts whose codes merely count their glyphs have other codes for letters.
_WORD, _IN_WORDS = 3, 1 / 3
#: Number of different small letters of equal width that show a font without a name to be monospaced, and what counts as equal.
_SMALL_LETTERS, _EQUAL_WIDTHS = 6, 0.01
#: The widest gap between two letters of a word, in units of the font size.
_LETTER_GAP = 0.1
#: Code point of the Adobe Glyph List's name mu. Symbol has another character at that code, which PDFium gives correctly.
_MICRO: Final = 0xB5


#: Private-use characters of Linux Libertine and Linux Biolinum, by their first code point: figures of other shapes, ligatures, forms for
#: capitals, small capitals. From the glyph names of the fonts 5.3.0; U+FFFD is a character that some of the fonts lack or use otherwise.
_LIBERTINE: Final = {
    0xE010: "0123456789", 0xE020: "0123456789", 0xE118: "0123456789", 0xE051: "abcdefghijklmnopqrstuvwxyz\ufffd\ufffd-",
    0xE070: "àáâãäåæçèéêëìíîïðñòóôõöœøùúûüýþÿĳßß", 0xE097: "đăąćčďęěğĺłńňŋőŕřśşšţŧůűźżžľťțși",
}  # fmt: skip
_LIBERTINE_LIGATURES: Final = {
    0xE030: "fb", 0xE032: "ffh", 0xE033: "ffj", 0xE034: "ffk", 0xE035: "fft", 0xE036: "fh", 0xE037: "fj", 0xE038: "fk", 0xE039: "ft",
    0xE03A: "ck", 0xE03B: "ch", 0xE03C: "tt", 0xE03D: "ct", 0xE048: "Qu", 0xE049: "Th", 0xE04A: "tz",
}  # fmt: skip
_LIBERTINES: Final = re.compile(r"lin(ux)?[ _]?(libertine|biolinum)", re.IGNORECASE)


def private_texts(name: str) -> Mapping[str, str]:
    """Return the text of each private-use character of a font whose use of them is known (XeTeX writes them into ToUnicode maps).
    name: the font's name without subset tag.

    >>> private_texts("LinLibertineO-Identity-H")["\\ue049"], private_texts("Junicode")
    ('Th', {})
    """
    return _libertine() if _LIBERTINES.match(name) else {}


@cache
def _libertine() -> Mapping[str, str]:
    single = {chr(first + at): text for first, texts in _LIBERTINE.items() for at, text in enumerate(texts) if text != "\ufffd"}
    return single | {chr(code): text for code, text in _LIBERTINE_LIGATURES.items()}


@cache
def symbol_font(name: str) -> str | None:
    """Return the name of the table (see `tables`) for a symbol font; None for all other fonts. name: the font's name without subset tag.

    >>> symbol_font("Wingdings-Regular"), symbol_font("Symbol,Bold"), symbol_font("SymbolNeu")
    ('wingdings', 'symbol', None)
    """
    match = _NAMES.match(name.replace(" ", "").replace("_", "").lower())
    return match[1] if match else None


def map_symbols(glyphs: Glyphs, handles: Sequence[int]) -> None:
    """Replace characters of symbol fonts and of TeX's bitmap fonts, in place, and mark the new characters as trusted.
    handles: PDFium's handles of the text objects; `Glyphs.run` has each glyph's index in this list."""
    if glyphs.unicode.max(initial=0) >= FIRST_PRIVATE:
        private = glyphs.unicode - np.uint32(FIRST_PRIVATE)
        known = np.flatnonzero(private <= LAST_PRIVATE - FIRST_PRIVATE)  # unsigned: below wraps round
        known = known[~np.array([bool(_ICONS.search(style.font)) for style in glyphs.styles], np.bool_)[glyphs.style[known]]]
        _put(glyphs, known, private_characters()[private[known]])
    if nameless := [number for number, style in enumerate(glyphs.styles) if not style.font]:
        unmapped = np.flatnonzero(np.isin(glyphs.style, nameless) & ((glyphs.flags & GlyphFlag.UNTRUSTED) != 0))
        runs, run = np.unique(glyphs.run[unmapped], return_inverse=True)
        fonts = of_objects(OBJECT_FONT, np.array(handles, np.uint64)[runs], np.zeros(len(runs), np.uint64))[run]
        for font in np.unique(fonts):
            members = unmapped[fonts == font]
            _put_tex_bullets(glyphs, members)
            _put_tex_letters(glyphs, members)
            _mark_monospaced(glyphs, members)
    for number in [number for number, style in enumerate(glyphs.styles) if style.font.startswith("OpenSymbol")]:
        members = np.flatnonzero(glyphs.style == number)
        _put(glyphs, members, np.array([_OPEN.get(code, code) for code in glyphs.unicode[members].tolist()], np.uint32))
    tables = [symbol_font(style.font) for style in glyphs.styles]
    for table in sorted({table for table in tables if table}):
        members = np.flatnonzero(np.array([each == table for each in tables], np.bool_)[glyphs.style])
        codes, unsure = glyphs.unicode[members], (glyphs.flags[members] & GlyphFlag.UNTRUSTED) != 0
        # If PDFium has no mapping it gives the code itself, which in a composite font is the number of a glyph.
        _put(glyphs, members, np.where(unsure & (codes < _PRIVATE), codes, _mapped(table, codes)))


def _put_tex_bullets(glyphs: Glyphs, members: NDArray[np.intp]) -> None:
    """Replace bullets, in place, in a nameless Type 3 font of TeX's text companion symbols (TS1), if all its codes are of symbols.
    members: indices of the font's glyphs for which PDFium has no Unicode value."""
    codes = glyphs.unicode[members]
    if ((codes >= _FIRST_COMPANION) & (codes < _FIRST_LETTER)).all():
        _put(glyphs, members, np.where(codes == _COMPANION_BULLET, ord("•"), codes))


def _put_tex_letters(glyphs: Glyphs, members: NDArray[np.intp]) -> None:
    """Replace, in place, the codes in a nameless Type 3 font of TeX by the characters of its encoding: OT1, T1 or T2A.
    Nothing is replaced if the encoding is not clear, or if the letters form no words, as in formulas.
    members: indices of the font's glyphs for which PDFium has no Unicode value."""
    codes = glyphs.unicode[members]
    in_words = codes[_are_in_words(glyphs, members)]
    encoding = None
    if len(in_words) > _IN_WORDS * len(codes):
        if (in_words >= _FIRST_LETTER).mean() > _CYRILLIC:
            encoding = _T2A
        elif np.isin(codes, _OT1_ALONE).any():
            encoding = _OT1
        elif np.isin(codes, _T1_ALONE).any():
            encoding = _T1
    elif set(codes.tolist()) == _T1_GUILLEMETS:
        encoding = _T1
    if encoding:
        _put(glyphs, members, np.array([ord(encoding.get(code, chr(code))) for code in codes.tolist()], np.uint32))
        glyphs.flags[members] &= ~GlyphFlag.UNTRUSTED


def _mark_monospaced(glyphs: Glyphs, members: NDArray[np.intp]) -> None:
    """Give these glyphs of one font without a name a monospaced style, in place, if their small letters have one width."""
    letters = members[(glyphs.unicode[members] >= ord("a")) & (glyphs.unicode[members] <= ord("z"))]
    widths = (glyphs.x1[letters] - glyphs.origin_x[letters]) / glyphs.sizes(letters)
    if len(np.unique(glyphs.unicode[letters])) >= _SMALL_LETTERS and np.ptp(widths) < _EQUAL_WIDTHS * widths.max():
        for number in np.unique(glyphs.style[members]).tolist():
            glyphs.style[members[glyphs.style[members] == number]] = len(glyphs.styles)
            glyphs.styles.append(replace(glyphs.styles[number], monospaced=True))


def _are_in_words(glyphs: Glyphs, members: NDArray[np.intp]) -> NDArray[np.bool_]:
    """Return bool[len(members)]: which of these glyphs of one font are in runs of letters, without gaps, that are long enough for words."""
    codes = glyphs.unicode[members]
    letters = ((codes >= ord("a")) & (codes <= ord("z"))) | ((codes >= _FIRST_LETTER) & (codes <= _LAST))
    gap = np.abs(glyphs.origin_x[members[1:]] - glyphs.x1[members[:-1]])
    near = (np.diff(members) == 1) & (gap <= _LETTER_GAP * glyphs.sizes(members[1:])) & (np.diff(glyphs.origin_y[members]) == 0)
    word = np.concatenate(([0], np.cumsum(~near)))
    in_words: NDArray[np.bool_] = letters & (np.bincount(word, letters)[word] >= _WORD)
    return in_words


def _put(glyphs: Glyphs, places: NDArray[np.intp], characters: NDArray[np.uint32]) -> None:
    changed = (characters != glyphs.unicode[places]) & (characters != _NO_CHARACTER)
    glyphs.unicode[places[changed]] = characters[changed]
    glyphs.flags[places[changed]] &= ~GlyphFlag.UNTRUSTED


def _mapped(table: str, codes: NDArray[np.uint32]) -> NDArray[np.uint32]:
    """Replace each character by the one of the table. Results of the table stay, so that a second call changes nothing."""
    known = _translation(table)
    return np.array([known.get(code, code) for code in codes.tolist()], np.uint32)


@cache
def _translation(table: str) -> dict[int, int]:
    """Return the code point of each symbol by the one that PDFium gives in its place: a private-use or a Latin character."""
    codes = symbol_characters(table)
    right = {*codes.values(), _MICRO}
    found = {_PRIVATE + code: character for code, character in codes.items()}
    for code, character in codes.items():
        for latin in {code, *map(ord, bytes([code]).decode("cp1252", "ignore"))} - right:
            found[latin] = character
    return found


@cache
def symbol_characters(table: str) -> dict[int, int]:
    """Return the code points of a table by character code, 0x20 to 0xFF. table: a name from `symbol_font`; the result is empty for ""."""
    pairs = zip(range(_FIRST, _LAST + 1), map(ord, tables()[table]), strict=True) if table else ()
    return {code: character for code, character in pairs if character != _NO_CHARACTER}


#: Bullets of Symbol and Wingdings that LibreOffice draws in OpenSymbol, by their private-use codes; others are ambiguous.
_OPEN: Final = {0xF0A7: ord("▪"), 0xF0B7: ord("•"), 0xF0D8: ord("➢"), 0xF0FC: ord("✓")}


@cache
def tables() -> dict[str, str]:
    """Return the tables of symbol fonts by name: each is the characters of the codes 0x20 to 0xFF, with U+FFFD for codes without one."""
    lines = msgspec.json.decode(files(__package__).joinpath("symbol_fonts.json").read_bytes(), type=dict[str, list[str]])
    return {font: "".join(parts) for font, parts in lines.items()}
