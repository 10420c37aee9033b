"""Weight and slant by the outlines of letters, whatever the font is called."""

from __future__ import annotations

import io

import pikepdf
import pytest
from fontTools.fontBuilder import FontBuilder
from fontTools.pens.ttGlyphPen import TTGlyphPen
from pikepdf import Array, Dictionary, Name

from pdfmill.schemas.records import FontStyle
from pdfmill.transforms.pdf.open.document import open_document
from pdfmill.transforms.pdf.text.page import read_page
from tests.pdf.make import make_pdf

LETTERS = "nlihmHello"


def _glyph(stem: int, lean: float, height: int = 700, foot: int = 0) -> object:
    """Two stems, leaning. foot: how far above the baseline they begin."""
    pen = TTGlyphPen(None)
    for x in (100, 400):
        corners = [(x, foot), (x + stem, foot), (x + stem + lean * height, height), (x + lean * height, height)]
        pen.moveTo(corners[0])
        for corner in corners[1:]:
            pen.lineTo(corner)
        pen.closePath()
    return pen.glyph()


def _font(stem: int, lean: float = 0.0, letters: str = LETTERS, foot: int = 0) -> bytes:
    names = sorted(set(letters))
    builder = FontBuilder(1000, isTTF=True)
    builder.setupGlyphOrder([".notdef", *names])
    builder.setupCharacterMap({ord(letter): letter for letter in names})
    builder.setupGlyf({".notdef": _glyph(300, 0.0), **{letter: _glyph(stem, lean, 600 + ord(letter), foot) for letter in names}})
    builder.setupHorizontalMetrics(dict.fromkeys([".notdef", *names], (700, 100)))
    builder.setupHorizontalHeader(ascent=800, descent=-200)
    builder.setupNameTable({"familyName": "Nameless"})
    builder.setupOS2()
    builder.setupPost()
    sink = io.BytesIO()
    builder.save(sink)
    return sink.getvalue()


def _styles(*programs: bytes, text: str = LETTERS) -> list[FontStyle]:
    """The style of a page's text in each of the fonts, all of one name."""

    def edit(pdf: pikepdf.Pdf) -> None:
        fonts = Dictionary()
        for number, program in enumerate(programs):
            descriptor = Dictionary(
                Type=Name.FontDescriptor, FontName=Name.Nameless, Flags=32, FontBBox=Array([0, -200, 700, 800]), ItalicAngle=0,
                Ascent=800, Descent=-200, CapHeight=700, StemV=80, FontFile2=pdf.make_stream(program),
            )  # fmt: skip
            fonts[f"/F{number}"] = Dictionary(
                Type=Name.Font, Subtype=Name.TrueType, BaseFont=Name.Nameless, Encoding=Name.WinAnsiEncoding, FirstChar=32, LastChar=126,
                Widths=Array([700] * 95), FontDescriptor=pdf.make_indirect(descriptor),
            )  # fmt: skip
        pdf.pages[0].obj["/Resources"]["/Font"] = fonts
        lines = "".join(f"BT /F{number} 8 Tf 10 {80 - 20 * number} Td ({text}) Tj ET " for number in range(len(programs)))
        pdf.pages[0].obj["/Contents"] = pdf.make_stream(lines.encode())

    glyphs = read_page(open_document(make_pdf(edit), name="test.pdf").pdfium, 1).glyphs
    return [glyphs.styles[number] for number in sorted(set(glyphs.style.tolist()))]


@pytest.mark.parametrize(("stem", "bold"), [(60, False), (150, True)])
def test_letters_may_stand_above_the_baseline(stem: int, bold: bool) -> None:
    assert [style.bold for style in _styles(_font(stem, foot=450))] == [bold]


@pytest.mark.parametrize(("stem", "bold"), [(60, False), (95, False), (115, True), (150, True)])
def test_thick_stems_are_bold_whatever_the_name(stem: int, bold: bool) -> None:
    assert [style.bold for style in _styles(_font(stem))] == [bold]


@pytest.mark.parametrize(("lean", "italic"), [(0.0, False), (0.05, False), (0.2, True)])
def test_leaning_stems_are_italic(lean: float, italic: bool) -> None:
    assert [style.italic for style in _styles(_font(80, lean))] == [italic]


def test_two_fonts_of_one_name_are_measured_apart() -> None:
    """The name is the same, the program is not."""
    assert [style.bold for style in _styles(_font(80), _font(150, letters="nlihmHelloX"))] == [False, True]


def test_missing_letters_are_not_measured() -> None:
    """What is drawn in place of a letter that the font lacks is heavy here; one letter is too few to tell."""
    assert [style.bold for style in _styles(_font(80, letters="l"), text="lll")] == [False]
