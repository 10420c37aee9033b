"""Words of drawn pages: spaces whatever the scaling, skew and spacing; letters set aside that belong to a word."""

from __future__ import annotations

import pytest
from pikepdf import Dictionary, Name

from pdfmill.transforms.layout.lines.lines import find_lines
from tests.pdf.pages import make_page, read


def lines_of(content: str, **entries: object) -> list[str]:
    return [line.text for line in find_lines(read(make_page(content, **entries))).lines]  # type: ignore[arg-type]


@pytest.mark.parametrize("state", ["1 Tc", "3 Tc", "-0.8 Tc", "50 Tz", "200 Tz", "5 Tw", "-2 Tw"])
def test_spacing_and_scaling(state: str) -> None:
    assert lines_of(f"BT /F1 12 Tf {state} 20 100 Td [(Hello) -300 (world) -300 (again)] TJ ET") == ["Hello world again"]


@pytest.mark.parametrize(
    "matrix", [".4 0 0 1", "1 0 .3 1", "1 .3 0 1", ".87 .5 -.5 .87", "0 1 -1 0", "-1 0 0 -1", "0 -1 1 0", ".8 .6 -.3 .9", "2 0 0 2"]
)
def test_skew_rotation_and_squeezing(matrix: str) -> None:
    assert lines_of(f"BT /F1 9 Tf {matrix} 120 90 Tm [(Hello) -300 (world) -300 (again)] TJ ET") == ["Hello world again"]


@pytest.mark.parametrize(
    "shown",
    [
        "[(this is ) (s) -250 (p) -250 (a) -250 (c) -250 (e) -250 (d) ( out)] TJ",
        "(this is ) Tj 3 Tc (spaced) Tj 0 Tc ( out) Tj",
    ],
)
def test_letters_spaced_out_within_a_line(shown: str) -> None:
    assert lines_of(f"BT /F1 12 Tf 20 100 Td {shown} ET") == ["this is spaced out"]


def test_words_of_one_letter_stay() -> None:
    assert lines_of("BT /F1 12 Tf 20 100 Td [(I) -278 (a) -600 (b) -278 (c) -350 (d)] TJ ET") == ["I a b c d"]
    assert lines_of("BT /F1 12 Tf 20 100 Td (p o e t) Tj ET") == ["p o e t"]  # drawn spaces are spaces


def piece(shown: str, x: float, y: float, size: float = 10) -> str:
    return f"BT /F1 {size} Tf {x} {y} Td ({shown}) Tj ET "


def test_a_letter_set_lower_at_full_size_belongs_to_its_word() -> None:
    assert lines_of(piece("in T", 20, 100) + piece("E", 35.2, 97.8) + piece("X and", 40.6, 100) + piece("a line below", 20, 88)) == [
        "in TEX and",
        "a line below",
    ]


def test_a_raised_capital_begins_its_word() -> None:
    assert lines_of(piece("O", 20, 100, 36) + piece("nce upon", 49, 100, 12) + piece("a time", 20, 86, 12)) == ["Once upon", "a time"]


def test_no_spaces_are_inferred_where_widths_are_missing() -> None:
    font = Dictionary(Type=Name.Font, Subtype=Name.TrueType, BaseFont=Name.Unheard, Encoding=Name.WinAnsiEncoding)
    apart = "BT /F3 12 Tf 20 100 Td [(Hello) -300 (wor) -300 (ld again)] TJ ET"
    assert lines_of(apart, fonts={"F3": font}) == ["Helloworld again"]
    assert lines_of(apart.replace("F3", "F1")) == ["Hello wor ld again"]


@pytest.mark.parametrize(
    ("shown", "text"),
    [
        ("[(caf) (\\264) 333 (e is)] TJ", "café is"),  # as TeX draws it
        ("[(f) (\\250) 445 (ur)] TJ", "für"),
        ("[(fu) 445 (\\250) -112 (r)] TJ", "für"),  # the accent after its letter
        ("[(gar) (c) 416 (\\270) -83 (on)] TJ", "garçon"),
        ("[(a ^) (b ~c)] TJ", "a ^b ~c"),
        ("[(x) (\\264) 333 (7)] TJ", "x´7"),
    ],
)
def test_an_accent_over_a_letter_is_part_of_it(shown: str, text: str) -> None:
    assert lines_of(f"BT /F1 12 Tf 20 100 Td {shown} ET") == [text]


def test_a_raised_accent_over_a_capital() -> None:
    assert lines_of(piece("\\264", 21.7, 102) + piece("Ecole", 20, 100) + piece("below", 20, 88)) == ["École", "below"]


def test_what_stands_between_two_subscripts_stays_on_its_line() -> None:
    row = piece("V", 20, 100) + piece("a", 26.7, 98, 6) + piece("< V", 33, 100) + piece("b", 48.4, 98, 6) + piece("holds", 54, 100)
    assert lines_of(row + piece("next line", 20, 86)) == ["Va < Vb holds", "next line"]


def test_dots_and_signs_are_not_spaced_out_letters() -> None:
    assert lines_of("BT /F1 10 Tf 20 100 Td [(words and) -280 (.) -280 (.) -280 (.) -280 (.) -280 (a) -280 (lot more)] TJ ET") == [
        "words and . . . . a lot more"
    ]
    assert lines_of("BT /F1 10 Tf 20 100 Td [(something is) -300 (s) -300 (p) -300 (a) -300 (c) -300 (e) -300 (something)] TJ ET") == [
        "something is space something"
    ]


def test_doubled_letters_drawn_one_by_one_are_two() -> None:
    """Times-Italic's f reaches over the next letter, and the matrix makes the type smaller than it is set: PDFium takes two for a copy."""
    x, pieces = 20.0, []
    for letter, advance in (("O", 0.722), ("f", 0.278), ("f", 0.278), ("i", 0.278), ("c", 0.444), ("e", 0.444)):
        pieces.append(f"BT .75 0 0 .75 {x:.3f} 100 Tm /F2 16 Tf ({letter}) Tj ET")
        x += advance * 12
    assert lines_of(" ".join(pieces)) == ["Office"]


def test_a_letter_drawn_again_to_make_it_bold_is_one() -> None:
    x, pieces = 20.0, []
    for letter, advance in (("O", 0.722), ("f", 0.278), ("t", 0.278), ("e", 0.444), ("n", 0.5)):
        for shift in (0.0, 0.3):
            pieces.append(f"BT .75 0 0 .75 {x + shift:.3f} 100 Tm /F2 16 Tf ({letter}) Tj ET")
        x += advance * 12
    assert lines_of(" ".join(pieces)) == ["Often"]
