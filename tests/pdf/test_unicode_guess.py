"""What glyph names tell."""

from __future__ import annotations

import io

import numpy as np
import pikepdf
import pytest
from pikepdf import Array, Dictionary, Name

from tests.pdf.pages import make_page, read, text_of
from tests.pdf.test_cmaps import composite
from transforms.layout.lines import find_lines
from transforms.pdf.unicode_guess import name_to_text, read_guesser


@pytest.mark.parametrize(
    ("glyph", "text"),
    [("A", "A"), ("eacute", "é"), ("uni20AC", "€"), ("u1F600", "😀"), ("f_f_i", "ffi"), ("one.oldstyle", "1"), ("g17", None), ("cid00123", None), (".notdef", None), ("C0045", None)],
)
def test_names(glyph: str, text: str | None) -> None:
    assert name_to_text(glyph) == text


def test_differences_come_before_the_base_encoding() -> None:
    font = Dictionary(Type=Name.Font, Subtype=Name.Type1, Encoding=Dictionary(BaseEncoding=Name.WinAnsiEncoding, Differences=Array([65, Name.alpha, Name.beta, 90, Name.g3])))
    guesser = read_guesser(font)
    assert guesser is not None
    assert [(guess.text, guess.sure) if (guess := guesser.guess(code)) else None for code in (b"A", b"B", b"C", b"Z")] == [("α", True), ("β", True), ("C", True), ("Z", True)]


def test_a_composite_font_with_an_unknown_encoding_tells_nothing() -> None:
    assert read_guesser(Dictionary(Type=Name.Font, Subtype=Name.Type0, Encoding=Name("/Nobody-H"))) is None


def _simple(encoding: object, **entries: object) -> Dictionary:
    return Dictionary(Type=Name.Font, Subtype=Name.Type1, BaseFont=Name.Missing, Encoding=encoding, FirstChar=0, LastChar=255, Widths=Array([600] * 256), **entries)


@pytest.mark.parametrize(
    ("encoding", "string", "text"),
    [
        (Name.MacExpertEncoding, "3031565748656c", "01fffi½EL"),
        (Dictionary(Differences=Array([65, Name("/f_f_i"), Name.T_h, Name.alpha])), "414243", "ffiThα"),
        (Dictionary(Differences=Array([1, Name.c72, Name.c101, Name.c108])), "010203", "Hel"),
        (Dictionary(Differences=Array([1, Name.G48, Name.G65, Name.G6C])), "010203", "Hel"),
    ],
)
def test_encodings_that_pdfium_does_not_read(encoding: object, string: str, text: str) -> None:
    font = _simple(encoding)
    page = find_lines(read(make_page(f"BT /F3 20 Tf 20 100 Td <{string}> Tj ET", fonts={"F3": font})))
    assert [line.text for line in page.lines] == [text]


def test_the_characters_of_a_ligature_share_its_box() -> None:
    font = _simple(Dictionary(Differences=Array([65, Name("/f_f_i")])))
    glyphs = read(make_page("BT /F3 20 Tf 20 100 Td (AA) Tj ET", fonts={"F3": font})).glyphs
    np.testing.assert_allclose(glyphs.x0, [20, 24, 28, 32, 36, 40], atol=0.1)
    np.testing.assert_allclose(glyphs.x1 - glyphs.x0, 4, atol=0.1)
    assert not glyphs.flags.any()


def test_a_to_unicode_map_to_nul_is_none() -> None:
    pdf = pikepdf.Pdf.open(io.BytesIO(make_page("BT /F3 20 Tf 20 100 Td (He-) Tj ET", fonts={"F3": _simple(Name.WinAnsiEncoding)})))
    pdf.pages[0].Resources.Font.F3.ToUnicode = pdf.make_stream(b"begincmap 3 beginbfchar <48> <0000> <65> <0000> <2d> <0000> endbfchar endcmap")
    sink = io.BytesIO()
    pdf.save(sink)
    assert text_of(read(sink.getvalue())) == "He-"


@pytest.mark.parametrize("string", ["00fc00a7", "f0fcf0a7"])
def test_wingdings_with_an_identity_encoding(string: str) -> None:
    font = composite("Identity-H", "Identity")
    font.DescendantFonts[0].BaseFont = font.BaseFont = Name("/ABCDEF+Wingdings-Regular")
    assert text_of(read(make_page(f"BT /F3 20 Tf 20 100 Td <{string}> Tj ET", fonts={"F3": font}))) == "✓▪"
