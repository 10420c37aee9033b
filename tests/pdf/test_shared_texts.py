"""One text for several glyphs: it is read once, over the whole way of the pen."""

from __future__ import annotations

import io
from pathlib import Path

import pikepdf
import pytest

from pdfmill.transforms.layout.lines.lines import find_lines
from tests.pdf.mapped import mapped_page
from tests.pdf.pages import read
from tests.pdf.test_faces import make_font

CONSONANT, SIGN, NEXT, SPACE = range(1, 5)
TAMIL: dict[int, str | None] = {CONSONANT: "ன", SIGN: "\u0bbf", NEXT: "த", SPACE: " "}
THAI: dict[int, str | None] = {CONSONANT: "ก", SIGN: "\u0e35", NEXT: "บ", SPACE: " "}


def shared(text: str, *placed: tuple[int, float]) -> str:
    """Glyphs, each at its x, in one sequence with a text."""
    own = f"/Span << /ActualText <FEFF{text.encode('utf-16-be').hex()}> >> BDC\n"
    return own + "".join(put(code, x) for code, x in placed) + "EMC\n"


def page_of(content: str, texts: dict[int, str | None], folder: Path) -> bytes:
    """A page whose font is embedded: PDFium gives no text for glyphs without ink. Glyphs are .6 em wide."""
    make_font(folder / "font.ttf", "Plain", "".join(filter(None, texts.values())))
    sink = io.BytesIO()
    with pikepdf.open(io.BytesIO(mapped_page(content, texts, dict.fromkeys(texts, 600)))) as pdf:
        descriptor = pdf.pages[0].Resources.Font.F1.DescendantFonts[0].FontDescriptor
        descriptor.FontFile2 = pdf.make_stream((folder / "font.ttf").read_bytes())
        pdf.save(sink)
    return sink.getvalue()


def lines(content: str, texts: dict[int, str | None], folder: Path) -> list[str]:
    return [line.text for line in find_lines(read(page_of(content, texts, folder))).lines]


def put(code: int, x: float) -> str:
    return f"BT /F1 10 Tf {x} 100 Td <{code:04x}> Tj ET\n"


@pytest.mark.parametrize("sign", [26.0, 18.0])
@pytest.mark.parametrize("texts", [TAMIL, THAI])
def test_a_syllable_is_read_once_wherever_its_sign_is_drawn(texts: dict[int, str | None], sign: float, tmp_path: Path) -> None:
    syllable = f"{texts[CONSONANT]}{texts[SIGN]}"
    content = shared(syllable, (CONSONANT, 20), (SIGN, sign)) + put(NEXT, 32)
    assert lines(content, texts, tmp_path) == [f"{syllable}{texts[NEXT]}"]


@pytest.mark.parametrize(("goes_on", "end"), [(32, 32), (33, 31)])
def test_the_letters_of_a_text_reach_to_where_the_pen_goes_on_if_that_is_nearer_than_a_space(
    goes_on: float, end: float, tmp_path: Path
) -> None:
    glyphs = read(page_of(shared("னி", (CONSONANT, 20), (SIGN, 26)) + put(NEXT, goes_on), TAMIL, tmp_path)).glyphs
    assert list(map(chr, glyphs.unicode.tolist())) == ["ன", "\u0bbf", "த"]
    assert glyphs.x0[0] == 20
    assert glyphs.x1[1] == end


def test_a_gap_wider_than_any_advance_stays(tmp_path: Path) -> None:
    content = shared("னி", (CONSONANT, 20), (SIGN, 26)) + put(NEXT, 42)
    assert lines(content, TAMIL, tmp_path) == ["னி த"]


def test_a_glyph_without_a_text_leaves_no_gap_in_its_syllable() -> None:
    texts: dict[int, str | None] = {1: "અ", 0x275: None, 3: "ધિ", 4: " ", 5: "ક"}
    page = mapped_page("BT /F1 12 Tf 20 100 Td <00010275000300040275000300050275> Tj ET", texts)
    assert [line.text for line in find_lines(read(page)).lines] == ["અધિ ધિક"]


def test_a_vowel_sign_without_a_text_is_part_of_the_next_letter_although_the_font_knows_it(tmp_path: Path) -> None:
    texts: dict[int, str | None] = {1: "ਅ", 2: "ਧਿ", 3: None, 4: "ਕ"}  # by the font, glyph 3 is the sign
    assert lines("BT /F1 12 Tf 20 100 Td <0001000300020004> Tj ET", texts, tmp_path) == ["ਅਧਿਕ"]


def test_letters_below_others_are_read_in_the_order_of_drawing() -> None:
    texts: dict[int, str | None] = {1: "ក", 2: "្ដ", 3: "ី", 4: "ប"}
    content = put(1, 20) + put(2, 24) + put(3, 22) + put(4, 26)
    page = mapped_page(content, texts, {1: 600, 2: 0, 3: 0, 4: 600})
    assert [line.text for line in find_lines(read(page)).lines] == ["ក្ដីប"]


def test_a_vowel_sign_without_a_text_that_no_neighbour_states_is_read_after_its_letter(tmp_path: Path) -> None:
    texts: dict[int, str | None] = {1: "ਅ", 2: "ਕਿ", 3: None, 4: "ਧ"}  # by the font, glyph 3 is the sign
    assert lines("BT /F1 12 Tf 20 100 Td <0001000300040001000300020001> Tj ET", texts, tmp_path) == ["ਅਧਿਅਕਿਅ"]
