"""Fractions, operators and their limits stay in the line that they are drawn in."""

from __future__ import annotations

import pytest

from pdfmill.transforms.layout.lines.lines import find_lines
from tests.pdf.pages import make_page, read

ABOVE = "BT /F1 10 Tf 20 124 Td (the line above it) Tj ET "
BELOW = "BT /F1 10 Tf 20 76 Td (the line below it) Tj ET "


def lines(content: str) -> list[str]:
    return [line.text for line in find_lines(read(make_page(ABOVE + content + BELOW))).lines]


def put(text: str, x: float, y: float, size: float = 10) -> str:
    return f"BT /F1 {size} Tf {x} {y} Td ({text}) Tj ET "


def bar(x0: float, x1: float, y: float = 102.5) -> str:
    return f"{x0} {y} m {x1} {y} l 0.4 w S "


def framed(*lines_between: str) -> list[str]:
    return ["the line above it", *lines_between, "the line below it"]


@pytest.mark.parametrize("size", [10, 7])
def test_a_fraction_is_read_numerator_first(size: float) -> None:
    parts = put("a half is", 20, 100) + put("1", 66, 105, size) + bar(65, 72) + put("2", 66, 93.5, size) + put("of it", 75, 100)
    assert lines(parts) == framed("a half is 1 2 of it")


def test_a_fraction_with_exponents_in_both_parts() -> None:
    over = put("k", 66, 105.5) + put("2", 71, 109, 6) + put("+ 1", 76, 105.5)
    under = put("k", 69, 93) + put("3", 74, 96.5, 6) + put("+ 2", 79, 93)
    assert lines(put("sum of", 20, 100) + over + bar(65, 95) + under + put("here", 98, 100)) == framed("sum of k² + 1 k³ + 2 here")


def test_underlined_words_and_rows_of_a_table_are_no_fraction() -> None:
    parts = put("an", 20, 100) + put("underlined", 34, 100) + bar(34, 80, 98.5) + put("word", 84, 100) + put("and the next", 20, 88)
    assert lines(parts) == framed("an underlined word", "and the next")
    row = put("one", 40, 104) + bar(35, 60, 102) + put("two", 40, 92)
    assert lines(row) == framed("one", "two")


def test_an_operator_with_its_limit_stays_between_its_words() -> None:
    parts = (
        put("we take S", 20, 100)
        + put("U", 66, 107.5)
        + put("L", 65, 94, 7)
        + put("i", 69, 92.5, 5)
        + put("in S", 71, 94, 7)
        + put("of all", 86, 100)
    )
    assert lines(parts) == framed("we take S U Li in S of all")
