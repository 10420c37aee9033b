"""What is taken for furniture, what is not, and which rule says so."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from pdfmill.schemas.records import PageLines, RuledTable
from pdfmill.schemas.statistics import DocumentStatistics
from pdfmill.transforms.layout.blocks.page_structure import structure_page
from pdfmill.transforms.layout.document.document_style import decide_style
from pdfmill.transforms.layout.document.furniture import WEIGHTS
from pdfmill.transforms.layout.document.furniture_signs import SIGNS, printed_number
from pdfmill.transforms.layout.document.page_statistics import measure_page
from pdfmill.transforms.layout.settings.layout_settings import DEFAULTS
from tests.layout.pages import BOLD, LARGE, SMALL, Piece, blocks_of, flow, make_page, sentence, style_of

FURNITURE = {"page_header", "page_footer", "page_number"}


def page_of(number: int, *more: Piece, top: float = 100.0) -> PageLines:
    """A page full of text from `top` on, and some lines more."""
    return make_page(number, [*more, *flow(sentence(500, number), 72, top, 80)])


def furniture_of(*pages: PageLines) -> list[str]:
    return [b.text for b in blocks_of(pages) if b.role in FURNITURE]


def test_a_running_head_needs_space_to_the_body() -> None:
    heads = [page_of(n, Piece("Rivers of the plain", 72, 60), top=100) for n in (1, 2)]
    assert furniture_of(*heads) == ["Rivers of the plain"] * 2
    tight = [page_of(n, Piece("Rivers of the plain", 72, 88), top=100) for n in (1, 2)]
    assert furniture_of(*tight) == []


def test_under_a_head_only_what_repeats_on_half_the_pages_goes_on_it() -> None:
    pages = [
        page_of(n, Piece("Rivers", 72, 40), *([Piece("Reply of the town", 72, 70)] if n in (2, 3) else []), top=100) for n in range(1, 7)
    ]
    assert furniture_of(*pages) == ["Rivers"] * 6
    pages = [page_of(n, Piece("Rivers", 72, 40), Piece("Second line", 72, 70), top=100) for n in range(1, 7)]
    assert furniture_of(*pages) == ["Rivers", "Second line"] * 6


def test_numbers_that_vary_must_count_the_pages() -> None:
    assert furniture_of(*(page_of(n, Piece(f"Sheet {n + 4} of 80", 72, 60)) for n in range(1, 5))) == [
        f"Sheet {n + 4} of 80" for n in range(1, 5)
    ]
    assert furniture_of(*(page_of(n, Piece(f"Order {n * n + 3} of the town", 72, 60, BOLD)) for n in range(1, 5))) == []


SECTIONS = ("Rivers of the plain", "Hills", "Towns by the sea", "Old roads", "Bridges", "Weather in spring")


@pytest.mark.parametrize("offset", [0, 18])
def test_heads_whose_number_counts_the_pages_are_found_with_a_new_name_on_each_page(offset: int) -> None:
    texts = [f"{n + offset} {name}" if n % 2 else f"{name} {n + offset}" for n, name in enumerate(SECTIONS, 1)]
    assert furniture_of(*(page_of(n, Piece(text, 72, 60)) for n, text in enumerate(texts, 1))) == texts


def test_a_line_of_text_that_ends_level_with_one_page_number_stays() -> None:
    feet = [str(n) if n != 4 else "the harbour of the town 4" for n in range(1, 7)]
    pages = [page_of(n, Piece(foot, 72, 760)) for n, foot in enumerate(feet, 1)]
    assert "the harbour of the town 4" not in furniture_of(*pages)


def test_a_name_beside_what_is_on_every_page_is_a_head_too() -> None:
    heads = [(f"1.{n} {name}", "Guide for travellers") for n, name in enumerate(SECTIONS, 1)]
    pages = [page_of(n, Piece(left, 72, 40), Piece(right, 430, 40)) for n, (left, right) in enumerate(heads, 1)]
    assert furniture_of(*pages) == [text for head in heads for text in head]


def test_lines_that_end_in_numbers_which_do_not_count_the_pages_stay() -> None:
    pages = [page_of(n, Piece(f"{name} {n * n + 7}", 72, 60)) for n, name in enumerate(SECTIONS, 1)]
    assert furniture_of(*pages) == []


def test_chapters_that_open_each_page_are_no_running_heads() -> None:
    pages = [page_of(n, Piece(f"{n} Chapter of the hills", 72, 60, BOLD)) for n in range(1, 5)]
    assert furniture_of(*pages) == []


def test_heads_that_name_the_chapter_stay_so_beside_titles_at_their_height() -> None:
    titles = [
        make_page(n, [Piece(title, 72, 64, LARGE), *flow(sentence(400, n), 72, 140, 80)])
        for n, title in ((1, "Where they rise"), (9, "Where they run"), (17, "Where they end"))
    ]
    heads = [
        page_of(n, Piece(f"{chapter} {n}", 72, 60, SMALL))
        for first, chapter in ((2, "Springs"), (10, "Rivers"), (18, "Deltas"))
        for n in range(first, first + 7)
    ]
    pages = sorted([*titles, *heads], key=lambda page: page.page)
    assert furniture_of(*pages) == [head.lines[0].text for head in heads]


def test_a_line_that_stands_in_the_middle_of_pages_too_is_none() -> None:
    middle = [*flow(sentence(100), 72, 100, 80), Piece("Explanation of the rule", 72, 400, BOLD), *flow(sentence(100), 72, 430, 80)]
    top = [page_of(n, Piece("Explanation of the rule", 72, 60, BOLD)) for n in (2, 3)]
    assert furniture_of(make_page(1, middle), *top) == []


def test_the_head_of_a_table_that_goes_on_is_none() -> None:
    def table(number: int) -> PageLines:
        rows = [
            Piece(text, x, 60 + 24.0 * n)
            for n in range(20)
            for x, text in ((72, "river" if n else "Name"), (300, f"{n * 7}" if n else "Length"))
        ]
        return make_page(number, rows + flow(sentence(120, number), 72, 600, 80))

    assert furniture_of(table(1), table(2), table(3)) == []


def test_a_caption_is_no_running_head() -> None:
    pages = [page_of(n, Piece("Table 1. Rivers of the plain", 72, 60)) for n in (1, 2)]
    assert furniture_of(*pages) == []


@pytest.mark.parametrize(
    "line",
    [
        Piece("7-45", 500, 770),
        Piece("Halaman 4", 480, 770),
        Piece("Page 3 of 12", 280, 770),
        Piece("© 2016 The River Press. All rights reserved.", 72, 775, SMALL),
        Piece("J. Silt 2010;86:272-278. doi:10.1000/silt.77", 300, 775, SMALL),
    ],
    ids=lambda line: line.text[:12],
)
def test_one_page_tells_its_foot_by_place_and_content(line: Piece) -> None:
    assert furniture_of(page_of(1, line)) == [line.text]


@pytest.mark.parametrize(
    "line",
    [
        Piece("The town was burnt in that year and nobody rebuilt it.", 72, 740),
        Piece("1 See the letter of the king, printed in the second volume.", 72, 700, SMALL),
        Piece("• a last point, at www.river.org", 72, 770),
    ],
    ids=lambda line: line.text[:8],
)
def test_sentences_notes_and_items_at_the_foot_of_one_page_stay(line: Piece) -> None:
    assert furniture_of(page_of(1, line)) == []


def test_a_line_alone_on_its_page_is_its_text() -> None:
    assert furniture_of(*(make_page(n, [Piece(f"River {n - 1}", 72, 60)]) for n in range(1, 5))) == []


def test_the_cells_of_a_drawing_at_the_edge_stay() -> None:
    assert furniture_of(page_of(1, *(Piece(str(n), 60.0 + 80 * n, 780) for n in range(6)))) == []


def test_the_title_of_one_page_stays() -> None:
    assert furniture_of(page_of(1, Piece("Silt and Barley", 72, 40, LARGE))) == []


def test_in_a_longer_document_words_alone_say_nothing() -> None:
    pages = [page_of(n) for n in range(1, 6)]
    pages[2] = page_of(3, Piece("A word at the edge", 72, 60))
    assert furniture_of(*pages) == []


def test_a_head_with_slips_of_recognition_is_one() -> None:
    words = ["Rivers of the plain"] * 6
    words[3] = "Rlvers of tbe plain"
    pages = [page_of(n, Piece(word, 72, 60, SMALL), Piece(str(n + 10), 520, 60, SMALL)) for n, word in enumerate(words, start=1)]
    assert furniture_of(*pages)[6] == "Rlvers of tbe plain"


def test_what_stands_in_a_drawn_table_is_none() -> None:
    rows = [Piece(word, x, y) for word, x, y in (("Name", 72, 40), ("Year", 300, 40), ("Silt", 72, 60), ("1910", 300, 60))]
    pages = [page_of(n, *rows, top=130) for n in (1, 2, 3)]
    assert furniture_of(*pages) != []
    for page in pages:
        page.tables = [RuledTable(60, 25, 540, 65, [[(60, y, 290, y + 20), (290, y, 540, y + 20)] for y in (25, 45)])]
    assert furniture_of(*pages) == []


def test_furniture_that_no_other_page_repeats_keeps_its_place_in_the_text() -> None:
    pages = [page_of(n, Piece("Rivers of the plain", 72, 60), Piece(str(n), 300, 790)) for n in (1, 2)]
    pages[0] = page_of(1, Piece("Rivers of the plain", 72, 60), Piece("© 2016 The River Press. All rights reserved.", 72, 775, SMALL))
    style = style_of(pages)
    structured = structure_page(pages[0], style)
    assert {b.text: b.role for b in structured.blocks if b.role in FURNITURE}.keys() == {
        "Rivers of the plain",
        "© 2016 The River Press. All rights reserved.",
    }
    assert structured.text.endswith("© 2016 The River Press. All rights reserved.")
    assert "Rivers of the plain" not in structured.text


def test_the_rules_are_told_where_they_are_asked_for() -> None:
    settings = replace(DEFAULTS, explain=True)
    statistics = DocumentStatistics()
    for number in (1, 2):
        statistics.add(measure_page(page_of(number, Piece("Rivers of the plain", 72, 60), Piece("Table 2. Towns", 72, 48))))
    why = [(w.rule, w.taken, w.says) for w in decide_style(statistics, (), settings).why[1] if w.question == "furniture"]
    assert ("caption", False, "it is a caption") in why
    taken = next(says for _, taken, says in why if taken)
    assert float(taken.partition(":")[0]) >= 0
    assert "parts it from the text" in taken or "space to the text" in taken
    assert decide_style(statistics, (), DEFAULTS).why == {}


def test_each_sign_has_a_weight() -> None:
    assert list(WEIGHTS.weights) == list(SIGNS)


def test_page_numbers_as_printed() -> None:
    assert printed_number("- 12 -") == (12, "12")
    assert printed_number("Page xiv") == (14, "xiv")
    assert printed_number("12 rivers") is None
