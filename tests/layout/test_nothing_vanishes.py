"""Every line that was read stands in a block, once, whatever is drawn around it and whatever was taken for furniture."""

from __future__ import annotations

from collections import Counter

import numpy as np
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from pdfmill.schemas.records import PageLines, RuledTable, StructuredPage
from pdfmill.schemas.statistics import DocumentStyle
from pdfmill.transforms.layout.blocks.page_structure import _BlockBuilder, _Page, structure_page
from pdfmill.transforms.layout.document.page_analysis import view_of
from pdfmill.transforms.layout.page.columns import split_lines
from pdfmill.transforms.layout.settings.layout_settings import LayoutSettings
from tests.layout.pages import BODY, BOLD, CODE, LARGE, SMALL, Piece, make_page, style_of

KEEP = LayoutSettings(keep_furniture=True)


def words_of(page: PageLines) -> Counter[str]:
    return Counter(word for line in page.lines for word in line.text.split())


def placed(structured: StructuredPage) -> Counter[str]:
    return Counter(word for block in structured.blocks for word in block.text.split())


def check(page: PageLines, style: DocumentStyle) -> None:
    """All words stand in blocks, and no other ones; their boxes tell where in the text they are."""
    structured = structure_page(page, style, KEEP)
    assert placed(structured) == words_of(page)
    assert not structured.unplaced
    assert Counter(structured.text[a:b] for a, b in structured.words.tolist()) == words_of(page)


def grid(lefts: list[float], tops: list[float]) -> RuledTable:
    rows: list[list[tuple[float, float, float, float] | None]] = [
        [(x0, top, x1, bottom) for x0, x1 in zip(lefts, lefts[1:], strict=False)] for top, bottom in zip(tops, tops[1:], strict=False)
    ]
    return RuledTable(lefts[0], tops[0], lefts[-1], tops[-1], rows)


def test_a_grid_whose_first_line_is_furniture_keeps_its_other_lines() -> None:
    rows = [Piece(f"cell{row}x{column}", 100.0 + 100 * column, 112.0 + 20 * row) for row in range(6) for column in range(3)]
    page = make_page(2, rows)
    page.tables = [grid([95.0, 195.0, 295.0, 395.0], [100.0 + 20 * n for n in range(7)])]
    style = style_of([page])
    style.furniture = {2: dict.fromkeys((0, 1, 2), "page_header")}
    structured = structure_page(page, style, KEEP)
    check(page, style)
    assert [block.role for block in structured.blocks] == ["page_header"] * 3 + ["table"]
    assert structured.blocks[-1].text.split("\n")[0] == "cell1x0\tcell1x1\tcell1x2"


class Forgetful(_Page):
    """Loses a line in the middle of the road."""

    def _body(self, furniture: set[int]) -> list[_BlockBuilder]:
        return [draft for draft in super()._body(furniture) if draft.lines != [1]]


def test_a_line_that_no_question_places_is_kept_and_told() -> None:
    page = make_page(1, [Piece("kept", 100, 100), Piece("forgotten", 100, 300)])

    structured = Forgetful(view_of(page, KEEP), style_of([page]), KEEP).structure()
    assert structured.unplaced == (1,)
    assert [(block.role, block.text) for block in structured.blocks] == [("paragraph", "kept"), ("other", "forgotten")]


STYLES = st.sampled_from([BODY, BOLD, LARGE, SMALL, CODE])
TEXTS = st.lists(
    st.sampled_from(["river", "1", "•", "Table", "3.4", "a)", "70.00", "The", "end.", "=", "12", "Page", "…", "- 4 -"]),
    min_size=1,
    max_size=6,
).map(" ".join)
PIECES = st.builds(Piece, TEXTS, st.integers(0, 14).map(lambda n: 20.0 + 40 * n), st.integers(1, 45).map(lambda n: 17.0 * n), STYLES)
BOXES = st.tuples(st.integers(0, 25), st.integers(0, 40), st.integers(1, 25), st.integers(0, 40)).map(
    lambda b: (20.0 * b[0], 18.0 * b[1], 20.0 * (b[0] + b[2]), 18.0 * (b[1] + b[3]))
)


@st.composite
def pages(draw: st.DrawFn, number: int = 1) -> PageLines:
    """Lines anywhere, over each other too, turned ones, and rules, fills and grids that know nothing of them."""
    page = make_page(number, draw(st.lists(PIECES, min_size=1, max_size=40)))
    for line in draw(st.lists(st.integers(0, len(page.lines) - 1), max_size=4, unique=True)):
        page.lines[line] = replace(page.lines[line], angle=draw(st.sampled_from([0, 90, 45, 270])))
    boxes = draw(st.lists(BOXES, max_size=12))
    page.fills = np.array([b for b in boxes if b[3] > b[1]], np.float32).reshape(-1, 4)
    page.rules = np.array([(x0, top, x1, top + 0.5) for x0, top, x1, _ in boxes], np.float32).reshape(-1, 4)
    if draw(st.booleans()):
        lefts, tops = (sorted(draw(st.sets(st.integers(1, 30), min_size=2, max_size=6))) for _ in range(2))
        page.tables = [grid([20.0 * x for x in lefts], [25.0 * y for y in tops])]
    return split_lines(page)


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(st.data())
def test_no_line_of_any_page_vanishes(data: st.DataObject) -> None:
    drawn = [data.draw(pages(number)) for number in range(1, data.draw(st.integers(1, 3)) + 1)]
    style = style_of(drawn)
    for page in drawn:
        every = st.integers(0, len(page.lines) - 1)
        of_page = style.for_pages(page.page, page.page)
        of_page.furniture = {
            page.page: dict.fromkeys(
                data.draw(st.sets(every, max_size=5)), data.draw(st.sampled_from(["page_header", "page_footer", "page_margin"]))
            )
        }
        marks = of_page.headings.get(page.page, ())
        of_page.headings = {page.page: tuple(mark for mark in marks if not set(mark.lines) & set(of_page.furniture[page.page]))}
        check(page, of_page)
