"""Marks over letters, wherever the stream draws them."""

from __future__ import annotations

import pytest

from pdfmill.transforms.layout.lines.lines import find_lines
from tests.pdf.mapped import mapped_page
from tests.pdf.pages import read

ALEF, MEEM, TANWIN, SPACE, KAF, SHADDA, FATHA = range(1, 8)
ARABIC: dict[int, str | None] = {ALEF: "ا", MEEM: "م", TANWIN: "\u064b", SPACE: " ", KAF: "ك", SHADDA: "\u0651", FATHA: "\u064e"}
CONSONANT, OTHER, UPPER, TONE, RING, AA, LOWER, SHORT = range(1, 9)
THAI: dict[int, str | None] = {
    CONSONANT: "ก",
    OTHER: "บ",
    UPPER: "\u0e35",
    TONE: "\u0e49",
    RING: "\u0e4d",
    AA: "า",
    LOWER: "\u0e38",
    SHORT: "\u0e31",
}


def put(code: int, x: float, y: float = 100) -> str:
    return f"BT /F1 10 Tf {x} {y} Td <{code:04x}> Tj ET "


def lines(content: str, texts: dict[int, str | None], widths: dict[int, int] | None = None) -> list[str]:
    return [line.text for line in find_lines(read(mapped_page(content, texts, widths))).lines]


#: kitab meem-alef from the right: meem at 100, alef at 95, then a space and kaf, meem.
WORDS = put(MEEM, 100) + put(ALEF, 95) + put(SPACE, 90) + put(KAF, 85) + put(MEEM, 80)


@pytest.mark.parametrize("y", [100, 101.5, 104, 97])
@pytest.mark.parametrize("x", [93.0, 94.5, 96.0])
@pytest.mark.parametrize("place", ["before", "after"])
def test_an_arabic_mark_follows_its_letter_and_takes_no_space(place: str, x: float, y: float) -> None:
    mark = put(TANWIN, x, y)
    assert lines(mark + WORDS if place == "before" else WORDS + mark, ARABIC) == ["ما\u064b كم"]


def test_several_marks_of_a_letter_stand_in_the_order_of_unicode() -> None:
    assert lines(WORDS + put(SHADDA, 100, 103) + put(FATHA, 100, 102), ARABIC) == ["م\u064e\u0651ا كم"]


def test_a_mark_of_the_line_above_stays_there() -> None:
    above = put(MEEM, 95, 112) + put(ALEF, 90, 112)
    assert lines(WORDS + above + put(TANWIN, 90, 112), ARABIC) == ["ما كم", "ما\u064b"]


def thai(*codes: int) -> list[str]:
    """Codes one after the other; marks have no width, so they stand where their letters end."""
    content = f"BT /F1 10 Tf 20 100 Td <{''.join(f'{code:04x}' for code in codes)}> Tj ET "
    return lines(content, THAI, dict.fromkeys((UPPER, TONE, RING, LOWER, SHORT), 0))


def test_thai_marks_stand_at_their_letters_end() -> None:
    assert thai(CONSONANT, UPPER, OTHER, SHORT, CONSONANT) == ["กีบัก"]


def test_thai_marks_drawn_at_the_end_of_the_line_go_to_their_letters() -> None:
    content = f"BT /F1 10 Tf 20 100 Td [<{CONSONANT:04x}{OTHER:04x}{CONSONANT:04x}> 1010 <{UPPER:04x}> -400 <{TONE:04x}>] TJ ET"
    assert lines(content, THAI, {UPPER: 100, TONE: 100}) == ["กีบ้ก"]


def test_thai_vowel_and_tone_stand_in_the_order_of_typing() -> None:
    assert thai(CONSONANT, TONE, UPPER, OTHER) == ["กี้บ"]
    assert thai(CONSONANT, TONE, LOWER, OTHER) == ["กุ้บ"]


def test_sara_am_is_one_character() -> None:
    assert thai(CONSONANT, RING, AA) == ["กำ"]
    assert thai(CONSONANT, TONE, RING, AA) == ["ก้ำ"]
    assert thai(CONSONANT, RING, TONE, AA) == ["ก้ำ"]


def test_an_accent_over_nothing_is_the_sign_itself() -> None:
    texts: dict[int, str | None] = {1: "\u0300", 2: "e", 3: "d"}
    assert lines(put(1, 20) + put(2, 25) + put(3, 30), texts) == ["`ed"]
    assert lines(put(2, 20) + put(1, 20) + put(3, 25), texts) == ["èd"]


def test_the_arrow_of_a_vector_stands_on_the_letter_under_it() -> None:
    texts: dict[int, str | None] = {1: "k", 2: "v", 3: "\u20d1", 4: "ข"}
    line_above = put(4, 100, 110)
    assert sorted(lines(line_above + put(1, 100) + put(2, 120) + put(3, 100, 107) + put(3, 120, 107), texts)) == ["k\u20d1 v\u20d1", "ข"]
