"""Glyphs to lines and words: pages set by hand, glyph by glyph."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from pdfmill.schemas.glyphs import GlyphFlag, Glyphs, PageContent
from pdfmill.schemas.records import FontStyle, PageLines
from pdfmill.transforms.layout.lines.lines import find_lines

WIDTH = 0.5


class Page:
    """A page on which text is set with glyphs half an em wide; a blank in the text is a gap, `_` a drawn space."""

    def __init__(self) -> None:
        self.rows: list[tuple[int, float, float, float, float, float, float, int, int, int]] = []
        self.styles: list[FontStyle] = []
        self.runs = 0

    def put(
        self,
        text: str,
        x: float,
        y: float,
        size: float = 10.0,
        *,
        gap: float = 0.25,
        spacing: float = 0.0,
        angle: int = 0,
        flags: int = 0,
        font: str = "Times-Roman",
    ) -> float:
        style = FontStyle(font, size)
        if style not in self.styles:
            self.styles.append(style)
        along = 0.0
        for character in text:
            if character == " ":
                along += gap * size
                continue
            code = 32 if character == "_" else ord(character)
            advance = (0.25 if character == "_" else WIDTH) * size
            if angle == 0:
                box = (x + along, y - 0.8 * size, x + along + advance, y + 0.2 * size, x + along, y)
            else:  # 270: reading upwards
                box = (x - 0.8 * size, y - along - advance, x + 0.2 * size, y - along, x, y - along)
            self.rows.append((code, *box, angle, self.styles.index(style), flags))
            along += advance + spacing * size
        self.runs += 1
        return x + along

    def lines(self) -> PageLines:
        columns: list[Any] = [np.array(column) for column in zip(*self.rows, strict=True)] or [np.zeros(0)] * 10
        floats = [column.astype(np.float32) for column in columns[1:7]]
        none = np.zeros(len(self.rows), np.int32)
        glyphs = Glyphs(
            columns[0].astype(np.uint32), *floats, columns[7].astype(np.int16), columns[8].astype(np.int32), none, none - 1,
            columns[9].astype(np.uint8), self.styles,
        )  # fmt: skip
        return find_lines(PageContent(1, 600.0, 800.0, 0, glyphs))


def texts(page: Page) -> list[str]:
    return [line.text for line in page.lines().lines]


def test_an_empty_page_has_no_lines() -> None:
    assert texts(Page()) == []


def test_gaps_and_drawn_spaces_part_words_and_kerning_does_not() -> None:
    page = Page()
    page.put("one two_three", 50, 100)
    page.put("ke rn", 50, 120, gap=0.08)
    assert texts(page) == ["one two three", "ke rn".replace(" ", "")]


def test_a_drawn_space_that_is_kerned_away_is_none() -> None:
    page = Page()
    x = page.put("PA_", 50, 100)
    page.put("TTERN", x - 3.0, 100)
    assert texts(page) == ["PATTERN"]


def test_words_boxes_and_offsets() -> None:
    page = Page()
    page.put("ab cde", 50, 100)
    found = page.lines()
    assert found.word_spans.tolist() == [[0, 2], [3, 6]]
    np.testing.assert_allclose(found.word_boxes, [[50, 92, 60, 102], [62.5, 92, 77.5, 102]], atol=1e-4)
    line = found.lines[0]
    assert (line.x0, line.x1, line.baseline) == (50, 77.5, 100)


def test_a_gutter_parts_lines_and_wide_spaces_of_a_justified_line_do_not() -> None:
    page = Page()
    page.put("left column", 50, 100)
    page.put("left again", 50, 112)
    page.put("right column", 200, 100)
    page.put("very wide spaces here", 50, 150, gap=1.5)
    assert texts(page) == ["left column", "left again", "right column", "very wide spaces here"]


def test_cells_far_apart_are_lines_of_their_own() -> None:
    page = Page()
    page.put("a b", 50, 100)
    page.put("c d", 150, 100)
    assert texts(page) == ["a b", "c d"]


def test_superscripts_and_subscripts_stay_in_their_line() -> None:
    page = Page()
    page.put("above the line", 50, 88)
    x = page.put("mc", 50, 100)
    x = page.put("2", x, 96, 6.0)
    page.put(" is energy", x, 100)
    x = page.put("H", 50, 130)
    x = page.put("2", x, 132, 6.0)
    page.put("O", x, 130)
    assert texts(page) == ["above the line", "mc² is energy", "H2O"]


@pytest.mark.parametrize(
    ("mark", "rise", "size", "shown"),
    [
        ("1", 4, 6.0, "¹"),
        ("1,2", 4, 6.0, "¹,²"),
        ("-12", 4, 6.0, "⁻¹²"),
        ("\u22122", 1, 8.0, "⁻²"),
        ("th", 4, 6.0, "th"),  # letters have no raised form of their own that people search
        ("1234", 4, 6.0, "1234"),  # too long for a mark
        ("1", 0.5, 6.0, "1"),  # on the line
        ("1", 4, 9.0, "1"),  # not smaller
        ("1", -2, 6.0, "1"),  # lowered
    ],
)
def test_small_figures_above_the_line_are_raised(mark: str, rise: float, size: float, shown: str) -> None:
    page = Page()
    x = page.put("in 2014", 50, 100)
    x = page.put(mark, x, 100 - rise, size)
    page.put(" and", x, 100)
    assert texts(page) == [f"in 2014{shown} and"]
    assert page.lines().word_spans[1].tolist() == [3, 7 + len(mark)]


def test_a_raised_figure_begins_a_note_and_one_after_a_dropped_capital_is_measured_by_its_neighbour() -> None:
    page = Page()
    x = page.put("7", 50, 97, 6.0)
    page.put(" See there.", x, 100)
    x = page.put("I", 50, 200, 40.0)
    page.put("n 20 of 300", x, 200)
    assert texts(page) == ["⁷ See there.", "In 20 of 300"]


def test_figures_of_an_ocr_layer_are_not_raised() -> None:
    page = Page()
    x = page.put("in 2014", 50, 100, flags=int(GlyphFlag.INVISIBLE))
    page.put("1", x, 96, 6.0, flags=int(GlyphFlag.INVISIBLE))
    assert texts(page) == ["in 20141"]


def test_spaced_out_letters_are_one_word() -> None:
    page = Page()
    page.put("SPACED OUT", 50, 100, spacing=0.3, gap=0.5)
    assert texts(page) == ["SPACED OUT"]


def test_spaced_out_letters_join_no_words_of_the_next_column() -> None:
    page = Page()
    page.put("slavery is forbidden", 50, 100, spacing=0.15, gap=0.4)
    page.put("in all its forms", 50, 112, spacing=0.15, gap=0.4)
    page.put("All are equal", 250, 100)
    assert texts(page) == ["slavery is forbidden", "in all its forms", "All are equal"]


def test_leaders_say_nothing_about_the_spacing_of_letters() -> None:
    page = Page()
    x = page.put("Main ideas", 50, 100)
    page.put("." * 30, x + 3, 100, spacing=0.25)
    assert texts(page)[0].startswith("Main ideas . .")


def test_single_digits_in_columns_are_words() -> None:
    page = Page()
    page.put("Guam", 50, 100)
    page.put("0123050", 85, 100, spacing=2.0)
    assert " ".join(texts(page)) == "Guam 0 1 2 3 0 5 0"


@pytest.mark.parametrize(("spacing", "told"), [(0.5, "A 0 1 - 4 2"), (0.45, "A01-42")])
def test_single_digits_between_blanks_as_wide_as_they_are_words(spacing: float, told: str) -> None:
    page = Page()
    page.put("A01-42", 50, 100, spacing=spacing)
    assert texts(page) == [told]


def test_letters_drawn_into_holes_stand_in_them() -> None:
    page = Page()
    page.put("H ft", 50, 100, gap=0.5)
    page.put("e", 55, 100)
    page.put("y", 70, 100)
    assert texts(page) == ["Hefty"]


def test_all_signs_of_a_line_that_are_drawn_last_stand_in_their_holes() -> None:
    page = Page()
    page.put("one   two   three", 50, 100)
    for x in (65, 87.5):
        page.put(",", x, 100)
    assert texts(page) == ["one, two, three"]


def test_a_sign_begins_no_word() -> None:
    page = Page()
    page.put("பத", 50, 100)
    page.put("\u0bca", 62, 100)
    page.put("ப", 70, 100)
    assert texts(page) == ["பத\u0bca ப"]


def test_text_that_runs_upwards_is_a_line_of_its_own_direction() -> None:
    page = Page()
    page.put("going up", 50, 400, angle=270)
    page.put("straight on", 100, 100)
    lines = page.lines().lines
    assert [(line.text, line.angle) for line in lines] == [("going up", 270), ("straight on", 0)]
    assert lines[0].baseline == pytest.approx(50)
    assert lines[0].top < lines[0].bottom == 400


def test_marks_of_direction_are_left_out() -> None:
    page = Page()
    x = page.put("a", 50, 100)
    page.put("\u200e", x, 100)
    page.put("b\ufeff", x, 100)
    page.put("︵縦︶", 50, 120)
    assert texts(page) == ["ab", "（縦）"]


def test_hebrew_is_read_from_the_right() -> None:
    page = Page()
    page.put("םלוע םולש", 50, 100)
    line = page.lines().lines[0]
    assert (line.text, line.rtl) == ("שלום עולם", True)


def test_a_drawn_space_counts_under_ink_that_reaches_over_it() -> None:
    page = Page()
    page.put("काि_ए", 50, 100)  # the vowel is drawn over the letter before it, and its ink over the space
    page.rows[2] = (*page.rows[2][:3], page.rows[2][3] + 2.0, *page.rows[2][4:])
    assert texts(page) == ["काि ए"]


def test_marks_stay_behind_their_letters_on_lines_with_words_from_the_right() -> None:
    page = Page()
    end = page.put("தமழகளலஉம்", 50, 100) - WIDTH * 10
    mark = page.rows[-1]
    page.rows[-1] = (mark[0], end, mark[2], end, mark[4], end, *mark[6:])
    end = page.put(",_", end - 0.2, 100)
    page.put("םולש", end + 3, 100)
    assert texts(page) == ["தமழகளலஉம், שלום"]


def test_hidden_text_is_kept_out_with_its_reason() -> None:
    page = Page()
    page.put("seen", 50, 100)
    page.put("off", 50, 120, flags=int(GlyphFlag.HIDDEN_LAYER))
    page.put("white", 50, 140, flags=GlyphFlag.SAME_COLOR)
    found = page.lines()
    assert [line.text for line in found.lines] == ["seen"]
    assert [(hidden.reason, hidden.text) for hidden in found.hidden] == [("same_color", "white"), ("hidden_layer", "off")]


def test_invisible_text_that_outweighs_the_visible_is_an_ocr_layer() -> None:
    page = Page()
    page.put("recognised text", 50, 100, flags=GlyphFlag.INVISIBLE)
    page.put("7", 50, 700)
    found = page.lines()
    assert found.ocr
    assert [line.text for line in found.lines] == ["recognised text", "7"]
    assert found.hidden == []


def test_ligatures_are_letters_and_offsets_follow() -> None:
    page = Page()
    page.put("ﬁnd ofﬁce x", 50, 100)
    found = page.lines()
    assert found.lines[0].text == "find office x"
    assert [found.lines[0].text[a:b] for a, b in found.word_spans.tolist()] == ["find", "office", "x"]


def test_untrusted_characters_are_counted() -> None:
    page = Page()
    page.put("abc", 50, 100, flags=GlyphFlag.UNTRUSTED)
    assert page.lines().untrusted_chars == 3


@pytest.mark.parametrize(("dx", "dy"), [(0.0, 0.0), (37.5, 81.25)])
def test_moving_the_page_moves_the_boxes_only(dx: float, dy: float) -> None:
    still, moved = Page(), Page()
    for page, x, y in ((still, 0.0, 0.0), (moved, dx, dy)):
        page.put("some words here", 50 + x, 100 + y)
        page.put("and others", 50 + x, 112 + y, 8.0)
    a, b = still.lines(), moved.lines()
    assert [line.text for line in a.lines] == [line.text for line in b.lines]
    np.testing.assert_allclose(b.word_boxes, a.word_boxes + np.array([dx, dy, dx, dy]), atol=1e-3)


def test_scaling_the_page_changes_no_text() -> None:
    for scale in (0.1, 1.0, 20.0):
        page = Page()
        page.put("wide and narrow", 50 * scale, 100 * scale, 10.0 * scale)
        assert texts(page) == ["wide and narrow"]


def test_a_dropped_capital_begins_the_first_word() -> None:
    page = Page()
    x = page.put("T", 50, 112, 28.0)
    page.put("his is the first", x + 1, 100)
    page.put("line and the next", x + 1, 112)
    page.put("line after", 50, 124)
    lines = page.lines().lines
    assert [line.text for line in lines] == ["This is the first", "line and the next", "line after"]
    assert [line.baseline for line in lines] == [100, 112, 124]


def test_a_raised_mark_that_begins_a_note_is_a_word() -> None:
    page = Page()
    x = page.put("12", 50, 96, 6.0)
    page.put("See there", x, 100)
    assert texts(page) == ["¹² See there"]


def test_justified_japanese_has_no_spaces_and_a_single_gap_is_one() -> None:
    page = Page()
    end = page.put("設問を取り消し", 50, 100, spacing=0.2)
    page.put("scoring{b=0,m=0,e=0}", end, 100)
    page.put("前連結 会計年度の決算", 50, 130)
    assert texts(page) == ["設問を取り消し scoring{b=0,m=0,e=0}", "前連結 会計年度の決算"]


@pytest.mark.parametrize(
    ("mark", "font", "text"),
    [
        ("Â", "AppleIconFour", "• item"),
        ("!", "WPTypographicSymbols", "• item"),
        ("∑", "Wingdings-Regular", "• item"),
        ("➀", "Wingdings-Regular", "➀ item"),
        ("✓", "ZapfDingbats", "✓ item"),
        ("→", "Webdings", "→ item"),
        ("∙", "Wingdings", "∙ item"),
        ("x", "CMMI10", "x item"),
        ("Â", "Times-Italic", "Â item"),
    ],
)
def test_a_picture_that_comes_as_a_letter_is_a_bullet_where_it_begins_a_line(mark: str, font: str, text: str) -> None:
    page = Page()
    page.put(mark, 50, 100, font=font)
    page.put("item", 60, 100)
    page.put(f"an {mark}", 50, 130)
    assert texts(page) == [text, f"an {mark}"]


def test_words_of_a_font_of_pictures_stay() -> None:
    page = Page()
    page.put("New", 50, 100, font="Iconic-Sans")
    page.put("item", 70, 100)
    assert texts(page) == ["New item"]


def test_a_raised_figure_as_large_as_the_text_directly_before_it_is_in_its_line() -> None:
    page = Page()
    page.put("beside", 300, 102)
    x = page.put("in 2014", 50, 100)
    page.put("12", x, 95, 9.8)
    page.put("below", 50, 116)
    assert texts(page) == ["beside", "in 2014¹²", "below"]


def test_words_set_higher_that_fill_the_gap_between_two_parts_of_a_line_are_in_it() -> None:
    page = Page()
    page.put("above the line", 50, 80)
    x = page.put("one", 50, 100)
    x = page.put("two", x + 2.5, 92)
    page.put("three", x + 2.5, 100)
    assert texts(page) == ["above the line", "one two three"]


def test_text_at_the_margin_of_a_column_is_no_part_of_an_overlong_line_on_its_left() -> None:
    page = Page()
    for n in range(5):
        page.put("left" if n != 2 else "overlong left", 50, 100 + 12 * n)
    for n in range(5):
        page.put("right", 112, 100 + 12 * n)
    assert texts(page) == ["left", "left", "overlong left", "left", "left", *["right"] * 5]


def test_a_tibetan_vowel_drawn_around_its_letter_is_read_after_it() -> None:
    page = Page()
    x = page.put("\u0f66", 50, 100)
    page.put("\u0f7c", x - 8, 100)
    page.put("\u0f53\u0f0b", x, 100)
    assert texts(page) == ["\u0f66\u0f7c\u0f53\u0f0b"]
