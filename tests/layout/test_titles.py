"""What a document is called."""

from __future__ import annotations

import pytest

from pdfmill.schemas.records import FontStyle, PageLines
from pdfmill.schemas.statistics import DocumentStatistics
from pdfmill.transforms.layout.document.document_style import decide_style
from pdfmill.transforms.layout.document.page_statistics import measure_page
from tests.layout.pages import BOLD, SMALL, Piece, flow, make_page, sentence

HUGE = FontStyle("Times-Roman", 24.0)


def title_of(pages: list[PageLines], stated: str | None = None) -> tuple[str | None, str | None]:
    statistics = DocumentStatistics()
    for page in pages:
        statistics.add(measure_page(page))
    style = decide_style(statistics, stated=stated)
    return style.title, style.title_source


def text_pages(*heads: Piece) -> list[PageLines]:
    """Three pages of text; the first begins with these."""
    return [make_page(n + 1, [*(heads if n == 0 else ()), *flow(sentence(150, n), 72, 200, 80)]) for n in range(3)]


COVER = (Piece("Ministry of Roads", 72, 40, SMALL), Piece("Bridges of the North", 72, 100, HUGE))


@pytest.mark.parametrize(
    "stated",
    [
        None,
        "Microsoft Word - final.docx",
        "Visio-Board 1.vsd",
        "Untitled document",
        "Presentación de PowerPoint",
        "无标题文档",
        "D:\\work\\report",
        "annual_report_2019",
        "3f2b8c1d9e4a7f60",
        "Another title altogether",
    ],
)
def test_the_largest_type_of_the_first_page_is_the_title_whatever_else_is_stated(stated: str | None) -> None:
    assert title_of(text_pages(*COVER), stated)[0] == "Bridges of the North"


@pytest.mark.parametrize("text", ["DRAFT", "Release Candidate 2", "Your Name Here", "Vertraulich", "草稿"])
def test_placeholders_and_stamps_are_no_titles(text: str) -> None:
    larger = Piece(text, 72, 40, FontStyle("Times-Roman", 36.0))
    assert title_of(text_pages(larger))[0] is None
    assert title_of(text_pages(larger, *COVER))[0] == "Bridges of the North"


def test_metadata_that_agree_with_the_page_have_the_writing() -> None:
    shown = (Piece("BRIDGES OF THE NORTH", 72, 100, HUGE),)
    assert title_of(text_pages(*shown), "Bridges of the North")[0] == "Bridges of the North"


def test_metadata_are_the_title_of_a_page_that_shows_none() -> None:
    assert title_of(text_pages(), "Bridges of the North") == ("Bridges of the North", "info")
    assert title_of(text_pages(), "bridges.pdf") == (None, None)


def test_a_look_that_heads_other_pages_is_no_title() -> None:
    pages = [
        make_page(n + 1, [Piece(text, 72, 100, HUGE), *flow(sentence(150, n), 72, 200, 80)])
        for n, text in enumerate(("Sand", "Silt", "Clay"))
    ]
    assert title_of(pages) == (None, None)


@pytest.mark.parametrize("text", ["Contents", "Abstract", "3 Results", "1984"])
def test_heads_of_parts_are_no_titles(text: str) -> None:
    assert title_of(text_pages(Piece(text, 72, 100, HUGE)))[1] != "first_page"


@pytest.mark.parametrize(("others", "title"), [(1, "Soils and rivers"), (2, None)])
def test_what_heads_several_other_pages_at_its_height_is_not_the_title(others: int, title: str | None) -> None:
    """On a page that says nothing else above its text, and is no cover."""
    pages = [
        make_page(n + 1, [*([Piece("Soils and rivers", 72, 60, HUGE)] if n <= others else []), *flow(sentence(150, n), 72, 200, 80)])
        for n in range(4)
    ]
    assert title_of(pages)[0] == title


def test_a_title_has_a_word_and_stands_near_the_top() -> None:
    assert title_of(text_pages(Piece("T10", 72, 100, HUGE))) == (None, None)
    low = [make_page(1, [*flow(sentence(200, 0), 72, 80, 80), Piece("Along the river", 72, 560, HUGE)]), *text_pages()[1:]]
    assert title_of(low) == (None, None)


def marks_of(pages: list[PageLines]) -> list[tuple[str, str]]:
    """Return (role, text) of each heading."""
    statistics = DocumentStatistics()
    for page in pages:
        statistics.add(measure_page(page))
    return [(mark.role, mark.text) for marks in decide_style(statistics).headings.values() for mark in marks]


def test_the_title_has_the_role_and_the_author_below_it_has_not() -> None:
    title, author, head = (FontStyle("Times-Bold", size, True) for size in (20.0, 14.0, 16.0))
    above = [Piece("pssh how-to", 150, 60, title), Piece("Maria Hill", 260, 100, author)]
    bodies = [
        [Piece(f"{n}. The Method", 72, 180, head), *flow(sentence(120, n), 72, 210, 80),
         Piece(f"{n}.1. The Result", 72, 560, head), *flow(sentence(60, n), 72, 590, 80)]
        for n in range(1, 4)
    ]  # fmt: skip
    pages = [make_page(n, [*(above if n == 1 else ()), *body]) for n, body in enumerate(bodies, start=1)]
    assert marks_of(pages)[:2] == [("title", "pssh how-to"), ("heading", "1. The Method")]


def test_a_title_of_two_groups_of_lines_is_one_heading() -> None:
    cover = (Piece("Bridges of", 72, 100, HUGE), Piece("the North", 110, 136, HUGE))
    assert marks_of(text_pages(*cover)) == [("title", "Bridges of the North")]


def test_a_title_repeated_below_itself_is_not_doubled() -> None:
    cover = (Piece("Bridges of the North", 72, 100, HUGE), Piece("Bridges of the North", 72, 140, HUGE))
    assert title_of(text_pages(*cover))[0] == "Bridges of the North"
    assert marks_of(text_pages(*cover))[0] == ("title", "Bridges of the North")


@pytest.mark.parametrize(
    ("below", "heads"),
    [
        ("Steven R. Emmerson", False),
        ("Robert Stojnić¹ and Heng Li*", False),
        ("28 de noviembre de 2022", False),
        ("Version 0.72", False),
        ("Orders of the Council", True),  # the text writes "orders" and "council", too
        ("Table of Contents", True),
        ("1.1 Heng Li", True),
    ],
)
def test_authors_dates_and_versions_below_a_title_are_no_headings(below: str, heads: bool) -> None:
    text = "The council orders bridges. " * 40
    cover = [Piece("Bridges of the North", 72, 100, HUGE), Piece(below, 72, 140, BOLD)]
    piers = [Piece(f"{n}. Piers", 72, 40, BOLD) for n in (1, 2, 3)]
    pages = [make_page(1, cover), *(make_page(n + 2, [head, *flow(text, 72, 70, 80)]) for n, head in enumerate(piers))]
    assert (("heading", below) in marks_of(pages)) is heads


def test_names_below_a_numbered_heading_are_headings() -> None:
    cover = [Piece("Bridges of the North", 72, 100, HUGE), Piece("1. Builders", 72, 140, BOLD), Piece("Heng Li", 72, 180, BOLD)]
    pages = [make_page(1, [*cover, *flow(sentence(150, 1), 72, 200, 80)]), *text_pages()[1:]]
    assert marks_of(pages)[1:] == [("heading", "1. Builders"), ("heading", "Heng Li")]


def test_the_title_of_a_cover_may_look_like_the_heads_of_chapters() -> None:
    cover = make_page(1, [Piece("Bridges of the North", 72, 100, HUGE), Piece("Steven R. Emmerson", 72, 140, BOLD)])
    chapters = [make_page(n, [Piece(f"Part {n}", 72, 100, HUGE), *flow(sentence(150, n), 72, 200, 80)]) for n in (2, 3, 4)]
    assert title_of([cover, *chapters]) == ("Bridges of the North", "first_page")
