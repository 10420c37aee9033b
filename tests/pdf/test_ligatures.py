"""Several characters of one glyph: right-to-left ones in the order of reading, each with its part of the box."""

from __future__ import annotations

import pytest

from pdfmill.transforms.layout.lines.lines import find_lines
from tests.pdf.mapped import mapped_page
from tests.pdf.pages import read

KAF, ALEF, LAM_ALEF, MEEM, ALLAH, TURNED, SPACE, LATIN, SHIN = range(1, 10)
TEXTS: dict[int, str | None] = {
    KAF: "ك",
    ALEF: "ا",
    LAM_ALEF: "لا",
    MEEM: "م",
    ALLAH: "الله",
    TURNED: "ال",
    SPACE: " ",
    LATIN: "fi",
    SHIN: "\u05e9\u05c1",
}


def from_left(*codes: int) -> str:
    """Glyphs in the order in which they stand, as most producers write them."""
    return f"BT /F1 12 Tf 20 100 Td <{''.join(f'{code:04x}' for code in codes)}> Tj ET "


def from_right(*codes: int) -> str:
    """Glyphs in the order of reading, the pen going back over each."""
    return "BT /F1 12 Tf 120 100 Td [" + " 1000 ".join(f"<{code:04x}>" for code in codes) + "] TJ ET "


def lines(content: str) -> list[str]:
    return [line.text for line in find_lines(read(mapped_page(content, TEXTS))).lines]


@pytest.mark.parametrize("ligature", [LAM_ALEF, TURNED])  # some producers map to the order on the page
def test_lam_alef_is_read_lam_first(ligature: int) -> None:
    assert lines(from_left(ligature, ALEF, KAF)) == ["كالا"]
    assert lines(from_right(KAF, ALEF, ligature)) == ["كالا"]
    assert lines(from_left(MEEM, SPACE, ligature, SPACE, MEEM)) == ["م لا م"]


def test_letters_of_their_own_stay_in_their_order() -> None:
    texts: dict[int, str | None] = {1: "ا", 2: "ل", 3: "م"}
    content = from_left(3, 2, 1)
    assert [line.text for line in find_lines(read(mapped_page(content, texts))).lines] == ["الم"]


def test_a_longer_target_is_read_as_the_map_says() -> None:
    assert lines(from_left(ALLAH, SPACE, MEEM)) == ["م الله"]
    assert lines(from_left(SHIN, SPACE, SHIN)) == ["\u05e9\u05c1 \u05e9\u05c1"]


def test_an_accent_and_its_letter_of_one_glyph_are_one_letter() -> None:
    texts: dict[int, str | None] = {1: "s", 2: "\u02dca", 3: "o", 4: "\u00b8c", 5: "`", 6: "a", 7: "a\u02dc"}
    drawn = [line.text for line in find_lines(read(mapped_page(from_left(1, 2, 3), texts))).lines]
    assert drawn == ["são"]
    assert [line.text for line in find_lines(read(mapped_page(from_left(2, 4, 2, 3), texts))).lines] == ["ãção"]
    assert [line.text for line in find_lines(read(mapped_page(from_left(1, 5, 6, 3), texts))).lines] == ["s`ao"]  # two glyphs
    assert [line.text for line in find_lines(read(mapped_page(from_left(1, 7, 3), texts))).lines] == ["sa\u02dco"]  # after its letter


def test_other_scripts_keep_their_order() -> None:
    assert lines(from_left(LATIN, LATIN)) == ["fifi"]


def test_each_letter_has_its_part_from_the_right() -> None:
    glyphs = read(mapped_page(from_left(LAM_ALEF, KAF), TEXTS)).glyphs
    place = {
        chr(code): (float(left), float(right)) for code, left, right in zip(glyphs.unicode.tolist(), glyphs.x0, glyphs.x1, strict=True)
    }
    assert place == {"ك": (26.0, 32.0), "ل": (23.0, 26.0), "ا": (20.0, 23.0)}


def test_a_glyph_that_the_engine_drops_gives_all_its_characters() -> None:
    assert lines(from_left(LATIN) + from_left(LAM_ALEF).replace("20 100", "20 50")) == ["fi", "لا"]
