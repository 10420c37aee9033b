"""Text that seems unseen because PDFium keeps the first of several copies."""

from __future__ import annotations

import pytest
from pikepdf import Dictionary

from pdfmill.schemas.glyphs import GlyphFlag
from pdfmill.transforms.layout.lines.lines import find_lines
from tests.pdf.pages import make_page, read, text_of


def piece(shown: str, x: float, y: float, state: str = "0 g") -> str:
    return f"{state} BT /F1 12 Tf {x} {y} Td ({shown}) Tj ET "


@pytest.mark.parametrize("first", ["1 g", "3 Tr"])
@pytest.mark.parametrize("frame", ["", "q .5 0 0 .5 10 10 cm "])
def test_an_embossed_text_shows(first: str, frame: str) -> None:
    end = "Q " if frame else ""
    content = read(
        make_page(
            frame + piece("Embossed", 20, 100, first) + "0 Tr " + piece("Embossed", 20.5, 99.5, ".5 g") + end + piece("plain", 20, 20)
        )
    )
    assert [line.text for line in find_lines(content).lines] == ["Embossed", "plain"]


def test_white_text_stays_hidden_beside_other_text() -> None:
    content = read(
        make_page(piece("white", 20, 100, "1 g") + piece("white", 20, 103, "1 g") + piece("white", 20, 60) + piece("  ", 20, 100))
    )
    assert text_of(content).count("white") >= 2
    assert (content.glyphs.flags[:5] & GlyphFlag.SAME_COLOR).all()
    assert [line.text for line in find_lines(content).lines] == ["white"]


#: Made-up bold of Chrome: letters as outlines, then the text, transparent. I, H and an O with corners, in 12-point Helvetica.
OUTLINES = "0 .2 .4 rg 21.1 100 m 22.3 100 l 22.3 108.6 l 21.1 108.6 l h 24.3 100 m 25.5 100 l 25.5 108.6 l 24.3 108.6 l h "
REST = "30.8 100 m 32 100 l 32 108.6 l 30.8 108.6 l h 25.5 104 m 30.8 104 l 30.8 105 l 25.5 105 l h f "


@pytest.mark.parametrize(
    ("drawn", "shows"),
    [
        (OUTLINES + REST, True),
        ("", False),
        ("0 .2 .4 rg 19 97 16 14 re f ", False),  # a frame has other ink
        (OUTLINES.replace("21.1", "60").replace("22.3", "61") + REST, False),  # of other text
    ],
)
def test_a_text_over_its_own_outlines_shows(drawn: str, shows: bool) -> None:
    transparent = {"ExtGState": Dictionary(G0=Dictionary(ca=0))}
    content = read(make_page(piece("plain", 20, 20) + drawn + "/G0 gs " + piece("IH", 20, 100), resources=transparent))
    assert [line.text for line in find_lines(content).lines] == ["plain", *["IH"] * shows]
