"""Pages drawn as in a mirror read as their letters are meant, and their boxes stay where the ink is."""

from __future__ import annotations

import numpy as np
import pytest
from pikepdf import Array, Dictionary, Name

from pdfmill.schemas.records import PageLines
from pdfmill.transforms.layout.lines.lines import find_lines
from tests.layout.pages import blocks_of
from tests.pdf.pages import make_page, read

PARAGRAPHS = (
    [
        "The river carries silt from the hills to the plain",
        "where farmers wait for the flood each spring and",
        "then they sow barley in the black soil of the bank.",
    ],
    ["A second paragraph follows after some more space and", "it has some lines too so that order can be seen here."],
)
SIDE = 400


def drawn(matrix: str) -> PageLines:
    """The paragraphs, each word a text object, under a matrix."""
    shown = f"{matrix} cm "
    y = 350
    for lines in PARAGRAPHS:
        for line in lines:
            shown += f"BT /F1 10 Tf 1 0 0 1 20 {y} Tm ({line}) Tj ET "
            y -= 12
        y -= 24
    return find_lines(read(make_page(shown, MediaBox=Array([0, 0, SIDE, SIDE]))))


PLAIN = drawn("1 0 0 1 0 0")


@pytest.mark.parametrize(
    "matrix", ["-1 0 0 1 400 0", "1 0 0 -1 0 400", "0 1 1 0 0 0", "0 -1 -1 0 400 400", "-1 0 0 -1 400 400", "0 1 -1 0 400 0"]
)
def test_mirrored_and_turned_pages_read_as_they_are_meant(matrix: str) -> None:
    assert [block.text for block in blocks_of([drawn(matrix)])] == [" ".join(lines) for lines in PARAGRAPHS]


def test_boxes_of_a_mirrored_page_are_the_mirror_image() -> None:
    boxes = drawn("-1 0 0 1 400 0").word_boxes
    np.testing.assert_allclose(boxes[:, [2, 1, 0, 3]], PLAIN.word_boxes * [-1, 1, -1, 1] + [SIDE, 0, SIDE, 0], atol=0.1)


def test_a_type_3_font_may_turn_its_glyphs_back() -> None:
    """Its glyphs are upside down in its own space, and the text matrix turns them up: the page is no mirror image."""
    font = Dictionary(
        Type=Name.Font,
        Subtype=Name.Type3,
        FontMatrix=Array([0.1, 0, 0, -0.1, 0, 0]),
        FontBBox=Array([0, -8, 6, 2]),
        Encoding=Dictionary(Differences=Array([32, *(Name(f"/uni{code:04X}") for code in range(32, 127))])),
        FirstChar=32,
        LastChar=126,
        Widths=Array([6] * 95),
        CharProcs=Dictionary(),
    )
    shown = "BT /F3 10 Tf 1 0 0 -1 20 350 Tm (first line) Tj 1 0 0 -1 20 330 Tm (second line) Tj ET"
    page = find_lines(read(make_page(shown, fonts={"F3": font}, MediaBox=Array([0, 0, SIDE, SIDE]))))
    assert [(line.text, line.angle, line.rtl) for line in page.lines] == [("first line", 0, False), ("second line", 0, False)]
