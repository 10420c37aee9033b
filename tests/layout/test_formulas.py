"""Displayed formulas, told by their fonts, signs and lack of words."""

from __future__ import annotations

import pytest

from pdfmill.schemas.records import FontStyle, TextLine
from pdfmill.transforms.layout.blocks.page_structure import structure_page
from pdfmill.transforms.layout.page.formulas import is_displayed_formula, is_math_font
from tests.layout.pages import BODY, Piece, flow, make_page, style_of

LETTERS = FontStyle("CMMI10", 10.0, italic=True)
SIGNS = FontStyle("CMSY10", 10.0)
STYLES = [BODY, LETTERS, SIGNS]
PROSE = (
    "the river of the town flooded every year when the snow of the hills came down in spring and nobody who lived there was afraid of it "
    * 3
)


def line(*parts: tuple[str, FontStyle]) -> TextLine:
    spans, text = [], ""
    for part, style in parts:
        spans.append((len(text), STYLES.index(style)))
        text += part
    return TextLine(text, 0.0, 0.0, 5.0 * len(text), 10.0, 8.0, spans[0][1], tuple(spans))


@pytest.mark.parametrize(
    "font",
    [
        "CMMI10",
        "CMSY7",
        "CMEX10",
        "MSBM10",
        "LMMathItalic10-Regular",
        "CambriaMath",
        "STIXTwoMath-Regular",
        "XITSMath",
        "rtxmi",
        "txsy",
        "EUFM10",
        "Asana-Math",
    ],
)
def test_fonts_of_mathematics(font: str) -> None:
    assert is_math_font(font)


@pytest.mark.parametrize("font", ["Times-Roman", "CMR10", "Mathilde", "Euphemia", "Cambria", "CMTT10", "LMRoman10-Regular"])
def test_fonts_of_text(font: str) -> None:
    assert not is_math_font(font)


@pytest.mark.parametrize(
    ("parts", "found"),
    [
        ([("E", LETTERS), (" = ", BODY), ("mc", LETTERS), ("2", BODY)], True),
        (
            [
                ("f", LETTERS),
                ("(", BODY),
                ("x", LETTERS),
                (") = max ", BODY),
                ("x", LETTERS),
                (" \u2208 ", SIGNS),
                ("R", LETTERS),
                (" (12)", BODY),
            ],
            True,
        ),
        ([("\U0001d449\U0001d456 < 2\U0001d6ff\U0001d463", BODY)], True),
        ([("a = b", BODY)], True),
        ([("where ", BODY), ("x", LETTERS), (" is the number of pages", BODY)], False),
        ([("Version = 3", BODY)], False),
        ([("1980 1985 1990", BODY)], False),
        ([("x", LETTERS)], False),
        ([("Chapter", BODY)], False),
    ],
)
def test_what_is_a_formula(parts: list[tuple[str, FontStyle]], found: bool) -> None:
    assert is_displayed_formula([line(*parts)], STYLES) is found


def test_a_displayed_formula_is_a_block_of_its_own_in_parts() -> None:
    pieces = [
        *flow(PROSE, 72, 100, 80),
        Piece("a + b", 250, 180, LETTERS),
        Piece("x =", 220, 190, LETTERS),
        Piece("cd", 255, 200, LETTERS),
        *flow(PROSE, 72, 230, 80),
    ]
    page = make_page(1, pieces)
    blocks = structure_page(page, style_of([page])).blocks
    assert [block.role for block in blocks] == ["paragraph", "formula", "paragraph"]
