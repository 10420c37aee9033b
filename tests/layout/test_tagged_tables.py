"""Cells that tags state: taken where the page agrees, refused with a reason where it does not."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from msgspec.structs import replace

from pdfmill.schemas.records import Decision, PageLines, RuledTable, TaggedCell, TaggedElement
from pdfmill.schemas.statistics import DocumentStyle
from pdfmill.transforms.layout.blocks.page_structure import structure_page
from pdfmill.transforms.layout.settings.layout_settings import LayoutSettings
from pdfmill.transforms.layout.tables.from_tags import TAG_REFUSALS
from tests.layout.pages import BODY, Piece, flow, make_page, sentence, style_of

#: row, column, rows and columns spanned, head, lines
Given = tuple[int, int, int, int, str, Sequence[Piece]]
HEADS = [(0, 0, 1, 1, "column", [Piece("Set", 100, 200)]), (0, 1, 1, 1, "column", [Piece("Kept in", 220, 200)])]
#: Two rows of wrapped words: alone they would be paragraphs side by side.
WORDS: list[Given] = [
    *HEADS,
    (1, 0, 1, 1, "row", [Piece("Maps", 100, 214)]),
    (1, 1, 1, 1, "", [Piece("the lower drawers of", 220, 214), Piece("the long cabinet", 220, 226)]),
    (2, 0, 1, 1, "row", [Piece("Letters", 100, 240), Piece("and bills", 100, 252)]),
    (2, 1, 1, 1, "", [Piece("boxes in the attic", 220, 240)]),
]


def page_of(cells: Sequence[Given], strangers: Sequence[Piece] = ()) -> PageLines:
    """A page of a tagged paragraph, a table with these cells, and lines that no tag holds."""
    text = flow(sentence(60), 72, 80, 80)
    pieces = [*text, *(piece for cell in cells for piece in cell[5]), *strangers]
    owners = [0] * len(text) + [n for n, cell in enumerate(cells, start=1) for _ in cell[5]] + [-1] * len(strangers)
    page = make_page(1, pieces)
    for line, owner in zip(page.lines, owners, strict=True):
        line.mcid = owner
    stated = tuple(TaggedCell(*cell[:5], (n,)) for n, cell in enumerate(cells, start=1))
    table = TaggedElement("Table", 0, 1, tuple(range(1, len(cells) + 1)), cells=stated)
    tags = (TaggedElement("P", 0, 0, (0,)), table)
    return replace(page, tags=tags, word_content=np.array([owners[i] for i in page.word_lines.tolist()], np.int32))


def tables(page: PageLines) -> list[str | None]:
    return [block.html for block in structure_page(page, style_of([page])).blocks if block.role == "table"]


def decisions(page: PageLines) -> list[Decision]:
    """What was decided about tables by their tags."""
    style: DocumentStyle = style_of([page])
    told = structure_page(page, style, LayoutSettings(explain=True)).why
    return [why for why in told if why.question == "table" and why.rule.startswith("tags")]


def test_cells_without_rules_are_as_their_tags_say() -> None:
    page = page_of(WORDS)
    assert tables(page) == [
        "<table><thead><tr><th>Set</th><th>Kept in</th></tr></thead><tbody>"
        '<tr><th scope="row">Maps</th><td>the lower drawers of the long cabinet</td></tr>'
        '<tr><th scope="row">Letters and bills</th><td>boxes in the attic</td></tr></tbody></table>'
    ]
    assert [(why.rule, why.taken, why.says) for why in decisions(page)] == [("tags", True, "its tags state its cells, and the page agrees")]
    (told,) = style_of([page]).evidence
    assert "tables" in told.used_for
    assert len(tables(replace(page, tags=page.tags[:1]))) == 0


def test_spanning_cells_of_a_drawn_table() -> None:
    cells: list[Given] = [
        (0, 0, 2, 1, "column", [Piece("Year", 100, 207)]),
        (0, 1, 1, 2, "column", [Piece("Catch", 240, 200)]),
        (1, 1, 1, 1, "column", [Piece("eels", 210, 214)]),
        (1, 2, 1, 1, "column", [Piece("carp", 300, 214)]),
        *((n, k, 1, 1, "", [Piece(f"{n}{k}0", 100 + 100.0 * k, 200 + 14.0 * n)]) for n in range(2, 5) for k in range(3)),
    ]
    page = page_of(cells)
    page.tables = [
        RuledTable(
            90, 190, 390, 262, [[(90 + 100.0 * k, 190 + 14.0 * n, 190 + 100.0 * k, 204 + 14.0 * n) for k in range(3)] for n in range(5)]
        )
    ]
    (html,) = tables(page)
    assert html is not None
    assert html.startswith(
        '<table><thead><tr><th rowspan="2">Year</th><th colspan="2">Catch</th></tr><tr><th>eels</th><th>carp</th></tr></thead>'
    )


def one_cell_a_row() -> PageLines:
    return page_of([(n, 0, 1, 1, "", [Piece(f"item {n}", 100, 200 + 14.0 * n), Piece(f"{n}00", 250, 200 + 14.0 * n)]) for n in range(5)])


def joined_columns() -> PageLines:
    def both(n: int, x: float) -> list[Piece]:
        return [Piece(f"item {n}", x, 200 + 14.0 * n), Piece(f"{n}", x + 100, 200 + 14.0 * n)]

    return page_of([(n, k, 1, 1, "", both(n, 100 + 200.0 * k)) for n in range(5) for k in range(2)])


def rows_upside_down() -> PageLines:
    return page_of([(n, k, 1, 1, "", [Piece(f"item {n}{k}", 100 + 200.0 * k, 270 - 14.0 * n)]) for n in range(5) for k in range(2)])


def shifted_by_an_empty_cell() -> PageLines:
    rows = [["Nile", "6650", "Egypt"], ["Rhine", "1230", "Germany"], ["Thaya", "", "Austria"], ["Tagus", "1007", "Spain"]]
    return page_of(
        [
            (n, k, 1, 1, "", [Piece(text, x, 200 + 14.0 * n)])
            for n, row in enumerate(rows)
            for k, (text, x) in enumerate((text, x) for text, x in zip(row, (100.0, 200.0, 300.0), strict=True) if text)
        ]
    )


def text_without_tags_inside() -> PageLines:
    return page_of(WORDS, [Piece("stray", 180, 226)])


def all_rows_in_one() -> PageLines:
    body: list[Given] = [
        (1, 0, 1, 1, "", [Piece(f"river {n}", 100, 214 + 12.0 * n) for n in range(4)]),
        (1, 1, 1, 1, "", [Piece(f"{n}50", 220, 214 + 12.0 * n) for n in range(4)]),
    ]
    return page_of([*HEADS, *body])


def borders_through_cells() -> PageLines:
    page = page_of(WORDS)
    page.tables = [
        RuledTable(
            90, 190, 390, 256, [[(90, 190 + 12.0 * n, 210, 202 + 12.0 * n), (210, 190 + 12.0 * n, 390, 202 + 12.0 * n)] for n in range(6)]
        )
    ]
    return page


def a_page_in_boxes() -> PageLines:
    return page_of([(n, k, 1, 1, "", flow(sentence(50), 80 + 240.0 * k, 200 + 150.0 * n, 40)) for n in range(2) for k in range(2)])


def half_a_line() -> PageLines:
    page = page_of(WORDS)
    content = page.word_content.copy()
    content[-1] = 99
    return replace(page, word_content=content)


@pytest.mark.parametrize(
    ("made", "rule"),
    [
        (one_cell_a_row, "tags_small"),
        (half_a_line, "tags_torn"),
        (joined_columns, "tags_apart"),
        (rows_upside_down, "tags_rows"),
        (shifted_by_an_empty_cell, "tags_columns"),
        (text_without_tags_inside, "tags_strangers"),
        (all_rows_in_one, "tags_joined"),
        (borders_through_cells, "tags_borders"),
        (a_page_in_boxes, "tags_layout"),
    ],
)
def test_wrong_tags_are_refused_with_the_reason(made: object, rule: str) -> None:
    assert callable(made)
    (why,) = decisions(made())
    assert (why.rule, why.taken, why.says) == (rule, False, next(each.says for each in TAG_REFUSALS if each.name == rule))


def test_each_refusal_is_shown() -> None:
    assert len({each.name for each in TAG_REFUSALS}) == len(TAG_REFUSALS) == 9


def test_refused_tags_leave_the_table_that_is_seen() -> None:
    (html,) = tables(shifted_by_an_empty_cell())
    assert html is not None
    assert "<td>Thaya</td><td></td><td>Austria</td>" in html


def test_a_head_without_tags_keeps_the_rows_that_it_heads() -> None:
    rows: list[Given] = [(n, k, 1, 1, "", [Piece(f"{n}{k}7", 100 + 100.0 * k, 214 + 14.0 * n)]) for n in range(5) for k in range(3)]
    page = page_of(rows, [Piece("River", 100, 200, BODY), Piece("Length", 200, 200), Piece("Depth", 300, 200)])
    (html,) = tables(page)
    assert html is not None
    assert "River" in html
    assert [why.rule for why in decisions(page)] == ["tags_narrow"]


@pytest.mark.parametrize(("rule", "heads"), [(217, True), (231, False)])
def test_a_rule_ends_the_head_that_no_tag_names(rule: float, heads: bool) -> None:
    rows: list[Given] = [(n, k, 1, 1, "", [Piece(f"{n}{k}7", 100 + 100.0 * k, 214 + 14.0 * n)]) for n in range(6) for k in range(3)]
    page = page_of(rows)
    page.rules = np.array([(96, y, 330, y + 0.5) for y in (202, rule, 288)], np.float32)
    (html,) = tables(page)
    assert html is not None
    assert html.startswith("<table><thead><tr><th>007</th><th>017</th><th>027</th></tr></thead>") is heads


def test_titles_and_notes_in_rows_of_their_own_stay_out() -> None:
    rows: list[Given] = [(n + 1, k, 1, 1, "", [Piece(f"{n}{k}7", 100 + 100.0 * k, 214 + 14.0 * n)]) for n in range(5) for k in range(3)]
    title: Given = (0, 0, 1, 3, "", [Piece("Table 4. Lengths of rivers, widths, depths", 100, 196)])
    note: Given = (6, 0, 1, 3, "", [Piece("Source: the board of rivers and their banks", 100, 286)])
    page = page_of([title, *rows, note])
    blocks = structure_page(page, style_of([page])).blocks
    assert [(block.role, block.text[:6]) for block in blocks[1:]] == [("caption", "Table "), ("table", "007\t01"), ("paragraph", "Source")]
