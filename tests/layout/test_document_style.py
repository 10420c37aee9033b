"""What is decided over the whole document: body, furniture, headings and their levels."""

from __future__ import annotations

import pytest

from pdfmill.schemas.records import FontStyle, PageLines
from pdfmill.transforms.layout.document.document_style import decide_style
from pdfmill.transforms.layout.document.furniture_signs import printed_number
from pdfmill.transforms.layout.document.page_statistics import measure_page
from pdfmill.transforms.layout.page.patterns import (
    is_contents_line,
    is_formula,
    is_list_start,
    is_open,
    mask_digits,
    number_of,
    numbering_depth,
)
from tests.layout.pages import BODY, BOLD, LARGE, SMALL, WORDS, Piece, blocks_of, flow, make_page, sentence, style_of


@pytest.mark.parametrize(
    ("text", "depth"),
    [
        ("2.3.1 Title", 3),
        ("1 Title", 1),
        ("2-5- Title", 2),
        ("2-5 years", 0),
        ("Chapter 4. Title", 1),
        ("A.2 Title", 2),
        ("IV. Title", 1),
        ("A house", 0),
        ("1984 was cold", 0),
        ("Title", 0),
    ],
)
def test_numbering_depth(text: str, depth: int) -> None:
    assert numbering_depth(text) == depth


@pytest.mark.parametrize(
    ("text", "value"), [("12", 12), ("- 3 -", 3), ("Page 7 of 80", 7), ("xiv", 14), ("5 / 9", 5), ("In 1984", None), ("Nile", None)]
)
def test_printed_number(text: str, value: int | None) -> None:
    found = printed_number(text)
    assert (found[0] if found else None) == value


def test_small_patterns() -> None:
    assert mask_digits("Page 12 of 80") == "page # of #"
    assert is_list_start("• water")
    assert is_list_start("(a) water")
    assert not is_list_start("water")
    assert is_contents_line("Introduction . . . . . . . 7")
    assert is_contents_line("Source code . . . . . . . VI")
    assert not is_contents_line("I just upgraded, and . . .")


def pages_with(head: list[str], *, apart: float = 40.0, count: int = 6) -> list[PageLines]:
    """Pages of one paragraph each, with a line above it and a page number below."""
    made = []
    for n in range(count):
        pieces = [
            Piece(head[n % len(head)], 72, 40, SMALL),
            *flow(sentence(150, n), 72, 40 + apart, 80),
            Piece(f"{n + 11}", 300, 780, SMALL),
        ]
        made.append(make_page(n + 1, pieces))
    return made


def test_changing_heads_are_known_by_their_slot() -> None:
    style = style_of(pages_with([f"The matter of {word}" for word in ("rain", "silt", "wind", "barley", "stone", "salt")]))
    assert all("page_header" in roles.values() for roles in style.furniture.values())
    assert len(style.furniture) == 6


def test_page_numbers_run_with_the_pages() -> None:
    assert style_of(pages_with(["The river"])).labels == {n: str(n + 10) for n in range(1, 7)}


def test_first_lines_of_the_body_are_no_heads() -> None:
    pages = [make_page(n + 1, flow(sentence(200, n), 72, 60, 80)) for n in range(6)]
    assert style_of(pages).furniture == {}


def sections(style: FontStyle, sub: FontStyle) -> list[PageLines]:
    made = []
    for n in range(4):
        pieces, top = [], 80.0 + 12 * n
        for m in range(2):
            pieces.append(Piece(f"The part about {WORDS.split()[3 * n + m]}", 72, top, style if m == 0 else sub))
            lines = flow(sentence(120, n + m), 72, top + 24, 80)
            pieces += lines
            top = lines[-1].baseline + 30
        made.append(make_page(n + 1, pieces))
    return made


@pytest.mark.parametrize(
    ("style", "sub"),
    [
        (FontStyle("Times-Roman", 14.0), FontStyle("Times-Roman", 12.0)),
        (FontStyle("Times-Bold", 12.0, bold=True), BOLD),
        (BOLD, FontStyle("Times-BoldItalic", 10.0, bold=True, italic=True)),
        (BOLD, FontStyle("Times-Italic", 10.0, italic=True)),
        (FontStyle("Helvetica-Bold", 9.5, bold=True), FontStyle("Helvetica", 9.5, color=0x2244AA)),
    ],
    ids=["size", "bold size", "bold italic", "italic", "another family"],
)
def test_headings_by_look_and_their_levels(style: FontStyle, sub: FontStyle) -> None:
    headings = [b for b in blocks_of(sections(style, sub)) if b.role in ("heading", "title")]
    assert len(headings) == 8
    levels = [b.level for b in headings]
    assert levels[0] is not None
    assert levels == [levels[0], levels[0] + 1] * 4


def test_numbering_gives_levels_where_looks_do_not() -> None:
    pieces, top = [], 80.0
    for text in ("1 Rain", "1.1 Soft rain", "1.2 Hail", "2 Silt", "2.1 Mud"):
        pieces.append(Piece(text, 72, top, BOLD))
        lines = flow(sentence(60), 72, top + 22, 80)
        pieces += lines
        top = lines[-1].baseline + 30
    headings = [b for b in blocks_of([make_page(1, pieces)]) if b.role == "heading"]
    assert [b.level for b in headings] == [1, 2, 2, 1, 2]


def test_bold_words_that_begin_a_paragraph_are_no_heading() -> None:
    page = make_page(1, flow(sentence(60), 72, 80, 80) + flow("Cost. " + sentence(60), 72, 200, 80))
    line = page.lines[-5] if page.lines[-5].text.startswith("Cost") else next(q for q in page.lines if q.text.startswith("Cost"))
    page.styles.append(BOLD)
    line.spans = ((0, len(page.styles) - 1), (6, line.style))
    assert {b.role for b in blocks_of([page])} == {"paragraph"}


def test_two_lines_of_a_centred_title_are_one() -> None:
    pieces = [
        Piece("A Long Title about the River", 188, 100, LARGE),
        Piece("and its Silt", 252, 119, LARGE),
        *flow(sentence(120), 72, 180, 80, BODY),
    ]
    assert [b.text for b in blocks_of([make_page(1, pieces)]) if b.role == "title"] == ["A Long Title about the River and its Silt"]


def test_a_title_of_the_outline_is_a_heading_whatever_it_looks_like() -> None:
    pieces = [Piece("the flood", 72, 80), *flow(sentence(90), 72, 110, 80)]
    page = make_page(1, pieces)
    statistics = measure_page(page)
    assert decide_style(statistics).headings == {}
    (mark,) = decide_style(statistics, [("1. The Flood", 1, 1)]).headings[1]
    assert mark.text == "the flood"


def test_patterns_of_what_is_no_heading() -> None:
    assert [
        is_formula(t)
        for t in ("A ∪ B", "H0 : D(Y|X) = D(Y)", "\U0001d441\U0001d43a =", "The <em> element", "C++ and C", "Where x = y holds")
    ] == [True, True, True, False, False, False]
    assert [is_open(t) for t in ("SET)", "a) Silt", "Silt (and barley)", "(the flood")] == [True, False, False, True]
    assert [number_of(t) for t in ("2.3.1 Title", "A.2 Title", "Title")] == [(2, 3, 1), (), ()]


def chapter(titles: list[Piece]) -> list[str]:
    """The headings found among these lines, each with a paragraph below, after a plain chapter."""
    pieces, top = [Piece("1 Rain", 72, 80, BOLD), *flow(sentence(60), 72, 104, 80)], 220.0
    for title in titles:
        pieces.append(Piece(title.text, title.x, top, title.style))
        lines = flow(sentence(60, len(pieces)), 72, top + 24, 80)
        pieces += lines
        top = lines[-1].baseline + 30
    return [b.text for b in blocks_of([make_page(1, pieces)]) if b.role in ("title", "heading")]


def test_formulas_are_no_headings() -> None:
    assert chapter([Piece("2 Silt", 72, 0, BOLD), Piece("A ∪ B", 72, 0, LARGE)]) == ["1 Rain", "2 Silt"]


def test_chinese_in_a_font_without_bold_does_not_make_a_heading_impure() -> None:
    title = "2 Shell \u811a\u672c"
    pieces = [Piece(title, 72, 80, BOLD), *flow(sentence(90), 72, 104, 80)]
    page = make_page(1, pieces)
    page.lines[0].spans = ((0, page.lines[0].style), (8, page.lines[1].style))
    assert [b.text for b in blocks_of([page]) if b.role == "heading"] == [title]


@pytest.mark.parametrize(("title", "plain", "pure"), [("Were you at the river? If it", 6, False), ("Were you at the river of it", 6, True)])
def test_a_bold_line_that_a_sentence_follows_is_not_pure(title: str, plain: int, pure: bool) -> None:
    page = make_page(1, [*flow(sentence(90), 72, 104, 80), Piece(title, 72, 300, BOLD), *flow(sentence(60), 72, 312, 60)])
    line = next(line for line in page.lines if line.text == title)
    line.spans = ((0, line.style), (len(title) - plain, page.lines[0].style))
    assert [c.pure for c in measure_page(page).notes[1].candidates if c.text == title] == [pure]


def test_the_next_number_is_a_heading_between_rules_too() -> None:
    pages = []
    for n, title in enumerate(("1.1 The Hills", "1.2 The Plain")):
        page = make_page(n + 1, [Piece(title, 72, 100, BOLD), *flow(sentence(90), 72, 124, 80)])
        pages.append(page)
    statistics = measure_page(pages[0])
    second = measure_page(pages[1])
    note = second.notes[2]
    second.notes[2] = note._replace(candidates=tuple(c._replace(in_table=True) for c in note.candidates))
    statistics.add(second)
    assert [[m.text for m in marks] for marks in decide_style(statistics).headings.values()] == [["1.1 The Hills"], ["1.2 The Plain"]]


def numbered_page(number: int, step: int = 1) -> PageLines:
    """Prose whose lines carry numbers in the margin."""
    lines = flow(sentence(150, number), 72, 80, 60)
    return make_page(number, [*lines, *(Piece(str(n), 40, q.baseline, SMALL) for n, q in enumerate(lines, start=1) if n % step == 0)])


@pytest.mark.parametrize("step", [1, 2])
def test_line_numbers_are_furniture(step: int) -> None:
    blocks = blocks_of([numbered_page(1, step), numbered_page(2, step)])
    assert [b.text for b in blocks if b.role == "paragraph"] == [sentence(150, 1), sentence(150, 2)]
    assert {b.role for b in blocks} == {"paragraph", "page_margin"}


def test_numbers_that_do_not_count_are_no_line_numbers() -> None:
    lines = flow(sentence(150), 72, 80, 60)
    page = make_page(1, [*lines, *(Piece(str(1900 + 37 * n % 100), 40, q.baseline, SMALL) for n, q in enumerate(lines))])
    assert "page_margin" not in {b.role for b in blocks_of([page])}


def side_pages(places: list[float]) -> list[PageLines]:
    pages = []
    for n, top in enumerate(places):
        page = make_page(n + 1, [*flow(sentence(200, n), 72, 80, 80), Piece(f"Downloaded on {n + 1} May", 20, top)])
        page.lines[-1].angle = 270
        pages.append(page)
    return pages


def test_turned_text_at_one_place_of_the_pages_is_furniture() -> None:
    assert [b.role for b in blocks_of(side_pages([300.0] * 3)) if "Downloaded" in b.text] == ["page_margin"] * 3
    assert [b.role for b in blocks_of(side_pages([300.0, 400.0, 500.0])) if "Downloaded" in b.text] == ["other"] * 3


def test_a_watermark_is_furniture_and_repeated_titles_elsewhere_are_not() -> None:
    huge = FontStyle("Helvetica", 60.0)
    pages = [make_page(n + 1, [*flow(sentence(200, n), 72, 80, 80), Piece("DRAFT", 150, 400, huge)]) for n in range(4)]
    assert [b.role for b in blocks_of(pages) if b.text == "DRAFT"] == ["page_margin"] * 4
    title = FontStyle("Times-Bold", 24.0, bold=True)
    moved = [make_page(n + 1, [Piece("Review", 72, 200 + 30 * n, title), *flow(sentence(200, n), 72, 240 + 30 * n, 80)]) for n in range(4)]
    assert "page_margin" not in {b.role for b in blocks_of(moved)}


def slides(titles: list[str]) -> list[PageLines]:
    """Pages of a large title and some lines each."""
    return [
        make_page(n + 1, [Piece(title, 72, 60, LARGE), *flow(sentence(40, n), 72, 110, 60)], 800, 600) for n, title in enumerate(titles)
    ]


def test_titles_of_slides_that_go_on_are_headings() -> None:
    titles = ["The river", "The river", "The silt", "The fields", "The fields", "The harvest"]
    assert [b.text for b in blocks_of(slides(titles)) if b.role in ("heading", "title")] == titles


def test_titles_that_some_slides_share_are_no_furniture() -> None:
    many = ["The river"] * 6 + [f"The {word}" for word in ("silt", "field", "harvest", "town", "flood", "wind", "rain", "stone")]
    assert {b.role for b in blocks_of(slides(many)) if b.text == "The river"} <= {"title", "heading"}


def test_a_cover_s_title_of_six_lines_is_one_heading() -> None:
    title = [f"Of the {word} of" for word in ("river", "town", "silt", "snow", "fields", "people")]
    cover = make_page(1, [Piece(line, 72, 200 + 19.0 * n, LARGE) for n, line in enumerate(title)])
    body = [make_page(n, flow(sentence(150, n), 72, 80, 80)) for n in (2, 3)]
    assert next((b.role, b.text) for b in blocks_of([cover, *body])) == ("title", " ".join(title))
