"""Small shapes before lines are bullets where a page has several of a kind, one below the other."""

from __future__ import annotations

import pytest

from pdfmill.transforms.layout.lines.lines import find_lines
from tests.pdf.pages import make_page, read

LINES = "BT /F1 10 Tf 40 150 Td (Milk) Tj 0 -20 Td (Bread) Tj 0 -20 Td (Eggs) Tj ET "


def square(x: float, y: float, side: float = 3.0) -> str:
    return f"{x} {y} {side} {side} re f "


def lines_of(content: str) -> list[str]:
    return [line.text for line in find_lines(read(make_page(content))).lines]


def test_shapes_before_lines_are_bullets() -> None:
    assert lines_of(LINES + square(30, 152) + square(30, 132)) == ["• Milk", "• Bread", "Eggs"]


def test_a_circle_that_is_stroked_is_a_bullet() -> None:
    ring = "30 {0} m 30 {1} 33 {1} 33 {0} c 33 {2} 30 {2} 30 {0} c S "
    assert lines_of(LINES + "".join(ring.format(y, y + 2, y - 2) for y in (153.5, 133.5, 113.5))) == ["• Milk", "• Bread", "• Eggs"]


@pytest.mark.parametrize(
    ("name", "shapes"),
    [
        ("a lone one", square(30, 152)),
        ("of two sizes", square(30, 152, 3) + square(30, 132, 4.5)),
        ("not one below the other", square(30, 152) + square(27, 132)),
        ("as large as letters", square(25, 150, 8) + square(25, 130, 8)),
        ("too far from the text", square(5, 152) + square(5, 132)),
        ("at the head of the line", square(30, 158) + square(30, 138)),
        ("high and narrow", "30 150 1 5 re f 30 130 1 5 re f "),
        ("behind a word", "BT /F1 10 Tf 15 150 Td (A) Tj 0 -20 Td (A) Tj ET " + square(30, 152) + square(30, 132)),
        ("behind the lines", square(70, 152) + square(70, 132)),
        ("a drawing of many", "".join(square(30, y / 3 - 100) for y in range(401)) + square(30, 152) + square(30, 132)),
    ],
)
def test_other_shapes_are_none(name: str, shapes: str) -> None:
    assert "•" not in "".join(lines_of(LINES + shapes)), name


def test_a_bullet_has_the_style_of_its_line_and_its_own_place() -> None:
    glyphs = read(
        make_page("BT /F2 10 Tf 40 150 Td (Milk) Tj /F1 10 Tf 0 -20 Td (Bread) Tj ET " + square(30, 152) + square(30, 132))
    ).glyphs
    first, second = (glyphs.unicode == ord("•")).nonzero()[0].tolist()
    assert (first, second) == (0, 5)
    assert [glyphs.styles[glyphs.style[k]].font for k in (first, second)] == ["Times-Italic", "Helvetica"]
    assert glyphs.x0[[first, second]].tolist() == pytest.approx([30, 30]) == glyphs.origin_x[[first, second]].tolist()
    assert len({*glyphs.run[[first, second]].tolist(), *glyphs.run[[1, 6]].tolist()}) == 4
