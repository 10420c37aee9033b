"""Text that seems unseen because PDFium keeps the first of several copies."""

from __future__ import annotations

import pytest

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
