"""Text that PDFium gives no character of: fonts that are nowhere, drawn one by one, downwards or turned."""

from __future__ import annotations

import numpy as np
import pytest

from pdfmill.schemas.glyphs import GlyphFlag
from tests.pdf.pages import make_page, read, text_of
from tests.pdf.test_clipped import with_form
from tests.pdf.test_cmaps import composite

DOWN = {"F3": composite("UniJIS-UCS2-V", "Japan1")}
ACROSS = {"F3": composite("UniJIS-UCS2-H", "Japan1")}
STRING = "縦書き".encode("utf-16-be").hex()


def test_vertical_writing_goes_down_from_its_origin() -> None:
    glyphs = read(make_page(f"BT /F1 12 Tf 20 20 Td (Latin) Tj ET BT /F3 20 Tf 100 150 Td <{STRING}> Tj ET", fonts=DOWN)).glyphs
    assert "".join(map(chr, glyphs.unicode.tolist())) == "Latin縦書き"
    assert glyphs.flags[5:].tolist() == [GlyphFlag.VERTICAL] * 3
    assert glyphs.angle[5:].tolist() == [90] * 3
    np.testing.assert_allclose(glyphs.x0[5:], 90, atol=0.1)
    np.testing.assert_allclose(glyphs.x1[5:], 110, atol=0.1)
    np.testing.assert_allclose(glyphs.top[5:], [50, 70, 90], atol=1.5)
    assert [(style.font, style.size) for style in glyphs.styles] == [("Helvetica", 12.0), ("Missing", 20.0)]


@pytest.mark.parametrize(
    ("matrix", "angle", "box"), [("1 0 0 1 100 150", 0, (100, 32.4, 120, 52.4)), ("0 1 -1 0 100 150", 270, (82.4, 30, 102.4, 50))]
)
def test_single_characters(matrix: str, angle: int, box: tuple[float, float, float, float]) -> None:
    glyphs = read(make_page(f"BT /F3 20 Tf {matrix} Tm <7e26> Tj ET", fonts=ACROSS)).glyphs
    assert (glyphs.unicode.tolist(), glyphs.angle.tolist()) == ([ord("縦")], [angle])
    np.testing.assert_allclose((glyphs.x0[0], glyphs.top[0], glyphs.x1[0], glyphs.bottom[0]), box, atol=0.1)


def test_inside_a_form_and_on_a_turned_page() -> None:
    data = with_form(f"BT /F3 10 Tf 10 20 Td <{STRING}> Tj ET", "q 2 0 0 2 50 60 cm /X0 Do Q", fonts=DOWN)
    glyphs = read(data).glyphs
    assert text_of(read(data)) == "縦書き"
    np.testing.assert_allclose((glyphs.x0[0], glyphs.top[0]), (60, 100), atol=0.1)
    assert glyphs.styles[0].size == 20.0


def test_spaces_and_what_is_there_are_not_added() -> None:
    data = make_page("BT /F1 12 Tf 20 20 Td (a) Tj ( ) Tj () Tj ET BT /F3 20 Tf 100 150 Td <3000> Tj ET", fonts=ACROSS)
    assert text_of(read(data)) == "a"


def test_a_code_without_a_character_is_marked() -> None:
    glyphs = read(make_page("BT /F3 20 Tf 100 150 Td <7e26ffff> Tj ET", fonts=DOWN)).glyphs
    assert glyphs.unicode.tolist() == [ord("縦"), 0xFFFD]
    assert glyphs.flags[1] & GlyphFlag.UNTRUSTED
