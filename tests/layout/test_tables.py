"""Tables of hand-made pages: grids, booktabs rules, stripes and plain alignment; and what is no table."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from msgspec.structs import replace

from pdfmill.schemas.records import Block, PageLines, RuledTable
from pdfmill.schemas.statistics import HeadingMark
from pdfmill.transforms.layout.blocks.page_structure import structure_page
from pdfmill.transforms.layout.document.page_analysis import PageView
from pdfmill.transforms.layout.settings.layout_settings import DEFAULTS, LayoutSettings
from pdfmill.transforms.layout.tables.model import Cell, Chunk, Table, table_html
from pdfmill.transforms.layout.tables.refusals import GRID_REFUSALS, REFUSALS
from pdfmill.transforms.layout.tables.words import goes_on
from tests.layout.pages import BOLD, CODE, LARGE, Piece, blocks_of, flow, make_page, sentence, style_of

ROWS = [
    ["River", "Length", "Country"],
    ["Nile", "6650", "Egypt"],
    ["Rhine", "1230", "Germany"],
    ["Loire", "1012", "France"],
    ["Tagus", "1007", "Spain"],
]
PLACES = (100.0, 200.0, 300.0)


def cells(rows: list[list[str]], top: float = 200.0, leading: float = 14.0) -> list[Piece]:
    return [
        Piece(text, x, top + leading * n, BOLD if n == 0 else Piece("", 0, 0).style)
        for n, row in enumerate(rows)
        for text, x in zip(row, PLACES, strict=True)
        if text
    ]


def around(table: list[Piece]) -> list[Piece]:
    """The table between two paragraphs."""
    return [*flow(sentence(60), 72, 80, 80), *table, *flow(sentence(60, 3), 72, 400, 80)]


def rule(x0: float, x1: float, y: float) -> tuple[float, float, float, float]:
    return x0, y, x1, y + 0.5


def table_of(page: PageLines) -> Block:
    (block,) = [b for b in structure_page(page, style_of([page])).blocks if b.role == "table"]
    return block


def matrix(block: Block) -> list[list[str]]:
    return [row.split("\t") for row in block.text.split("\n")]


def test_alignment_alone_makes_a_table() -> None:
    page = make_page(1, around(cells(ROWS)))
    block = table_of(page)
    assert matrix(block) == ROWS
    assert block.html is not None
    assert block.html.startswith("<table><thead><tr><th>River</th><th>Length</th><th>Country</th></tr></thead>")
    assert [b.role for b in blocks_of([page])] == ["paragraph", "table", "paragraph"]


def test_words_of_a_table_slice_the_text() -> None:
    page = make_page(1, around(cells(ROWS)))
    structured = structure_page(page, style_of([page]))
    assert [structured.text[a:b] for a, b in structured.words.tolist()] == structured.text.split()


def test_booktabs_rules_tell_the_header_and_a_spanning_cell() -> None:
    page = make_page(1, around([Piece("Both measures", 218, 186), *cells(ROWS)]))
    page.rules = np.array([rule(96, 360, 172), rule(196, 360, 189), rule(96, 360, 206), rule(96, 360, 262)], np.float32)
    block = table_of(page)
    assert block.html is not None
    assert '<th colspan="2">Both measures</th>' in block.html
    assert block.html.count("<th") - block.html.count("<thead") == 5


def test_grid_cells_hold_their_wrapped_lines_and_empty_cells() -> None:
    pieces = [
        Piece("Name", 102, 210),
        Piece("Remark", 202, 210),
        Piece("Nile", 102, 230),
        Piece("long river", 202, 230),
        Piece("of Africa", 202, 242),
        Piece("Rhine", 102, 262),
    ]
    page = make_page(1, around(pieces))
    edges = [(200.0, 216.0), (216.0, 248.0), (248.0, 268.0)]
    page.tables = [RuledTable(100, 200, 300, 268, [[(100, a, 200, b), (200, a, 300, b)] for a, b in edges])]
    assert matrix(table_of(page)) == [["Name", "Remark"], ["Nile", "long river of Africa"], ["Rhine", ""]]


def test_cells_are_escaped() -> None:
    rows = [["a<b", "x&y", "z"], *ROWS[1:]]
    html = table_of(make_page(1, around(cells(rows)))).html
    assert html is not None
    assert "a&lt;b" in html
    assert "x&amp;y" in html


def test_columns_of_prose_are_no_table() -> None:
    pieces = flow(sentence(80, 1), 50, 100, 46) + flow(sentence(80, 5), 310, 100, 46)
    assert all(b.role == "paragraph" for b in blocks_of([make_page(1, pieces)]))


def test_contents_code_and_lists_are_no_tables() -> None:
    contents = [
        piece
        for n in range(8)
        for piece in (Piece(f"{n + 1} A chapter with a long title", 72, 100 + 14 * n), Piece(str(3 + 4 * n), 500, 100 + 14 * n))
    ]
    code = [piece for n in range(6) for piece in (Piece("move r1", 72, 100 + 12 * n, CODE), Piece("# note", 250, 100 + 12 * n, CODE))]
    listed = [piece for n in range(6) for piece in (Piece("•", 72, 100 + 14 * n), Piece(sentence(8, n), 90, 100 + 14 * n))]
    for pieces in (contents, code, listed):
        page = make_page(1, [*pieces, *flow(sentence(90), 72, 400, 80)])
        assert not any(b.role == "table" for b in blocks_of([page]))


def test_rules_that_reach_into_the_gutter_leave_the_order_of_columns() -> None:
    left = [*flow(sentence(50, 1), 50, 80, 46), *cells_at(60), *flow(sentence(50, 7), 50, 330, 46)]
    page = make_page(1, [*left, *flow(sentence(200, 3), 310, 80, 46)])
    page.rules = np.array([rule(50, 306, y) for y in (186, 204, 262)], np.float32)
    blocks = blocks_of([page])
    assert [b.role for b in blocks] == ["paragraph", "table", "paragraph", "paragraph"]
    assert [b.boxes[0].x0 < 300 for b in blocks] == [True, True, True, False]


def cells_at(x: float) -> list[Piece]:
    """The rivers, narrower, from x."""
    return [Piece(piece.text, x + (piece.x - PLACES[0]) * 0.8, piece.baseline, piece.style) for piece in cells(ROWS)]


def grid_page(number: int, rows: list[list[str]], top: float, above: list[Piece] | None = None) -> PageLines:
    """A page with a ruled table whose first baseline is at `top`."""
    page = make_page(number, [*(above or []), *cells(rows, top)])
    tops = [top - 10 + 14 * n for n in range(len(rows) + 1)]
    lefts = [98.0, 198.0, 298.0, 398.0]
    page.tables = [
        RuledTable(98, tops[0], 398, tops[-1], [[(a, y, b, y + 14) for a, b in zip(lefts, lefts[1:], strict=False)] for y in tops[:-1]])
    ]
    page.rules = np.array([rule(98, 398, y) for y in tops], np.float32)
    return page


def tables_over(*pages: PageLines) -> list[Block]:
    return [block for block in blocks_of(list(pages)) if block.role == "table"]


MORE = [["Elbe", "1094", "Czechia"], ["Oder", "854", "Poland"], ["Ebro", "930", "Spain"]]


def test_a_table_goes_on_on_the_next_page_and_its_repeated_header_is_told() -> None:
    opening = flow(sentence(200), 72, 80, 80)
    _, second = tables_over(grid_page(1, ROWS, 700, opening), grid_page(2, [ROWS[0], *MORE], 60))
    assert second.continues
    assert second.html is not None
    assert second.html.startswith('<table><thead class="repeated"><tr><th>River</th>')


def test_a_table_with_its_own_header_begins_anew() -> None:
    first, second = tables_over(
        grid_page(1, ROWS, 700, flow(sentence(200), 72, 80, 80)), grid_page(2, [["Lake", "Depth", "Country"], *MORE], 60)
    )
    assert not first.continues
    assert not second.continues
    assert second.html is not None
    assert "<thead><tr><th>Lake" in second.html


def test_a_table_after_text_begins_anew() -> None:
    before = grid_page(1, ROWS, 300, flow(sentence(200), 72, 80, 80))
    after = grid_page(2, [ROWS[0], *MORE], 60)
    closing = make_page(1, [*flow(sentence(200), 72, 80, 80), *cells(ROWS, 300), *flow(sentence(300, 2), 72, 420, 80)])
    closing.tables, closing.rules = before.tables, before.rules
    _, second = tables_over(closing, after)
    assert not second.continues


def test_rows_without_rules_go_on_under_the_last_row_of_the_page_before() -> None:
    plain = [Piece(text, x, 60 + 14 * n) for n, row in enumerate([*MORE, *ROWS[1:]]) for text, x in zip(row, PLACES, strict=True)]
    first = make_page(1, [*flow(sentence(200), 72, 80, 80), *cells(ROWS, 700)])
    _, second = tables_over(first, make_page(2, [*plain, *flow(sentence(60, 3), 72, 400, 80)]))
    assert second.continues
    assert second.html is not None
    assert "<thead" not in second.html


LEDGER = [
    ["", "2019", "2018"],
    ["Assets:", "", ""],
    ["Inventories", "120", "130"],
    ["Cash", "40", "35"],
    ["Total assets", "160", "165"],
    ["Equity:", "", ""],
    ["Share capital", "90", "90"],
    ["Total equity", "90", "90"],
]


def plain(rows: list[list[str]], top: float = 200.0, leading: float = 14.0, places: tuple[float, ...] = PLACES) -> list[Piece]:
    """Rows of cells in body type."""
    return [Piece(text, x, top + leading * n) for n, row in enumerate(rows) for text, x in zip(row, places, strict=True) if text]


def test_rules_above_sums_do_not_cut_a_statement_into_tables() -> None:
    page = make_page(1, around(plain(LEDGER)))
    page.rules = np.array([rule(196, 332, 200 + 14 * n - 10) for n in (4, 7)], np.float32)
    assert matrix(table_of(page)) == [[text for text in row if text] for row in LEDGER]


def chunk(text: str, x: float, top: float) -> Chunk:
    return Chunk(0, 0, len(text), x, top, x + 5 * len(text), top + 10, 10, text, bold=False)


def test_the_next_line_of_a_cell_needs_a_row_of_several_above_it() -> None:
    name, length, second = chunk("Nile of", 100, 200), chunk("6650", 200, 200), chunk("egypt", 100, 212)
    assert goes_on([second], [[name, length]], DEFAULTS.tables)
    assert goes_on([chunk("again", 100, 224)], [[name, length], [second]], DEFAULTS.tables)
    assert not goes_on([second], [[name]], DEFAULTS.tables), "lines one under the other are a paragraph"
    assert not goes_on([chunk("egypt", 100, 240)], [[name, length]], DEFAULTS.tables), "not tight under it"
    assert not goes_on([chunk("egypt", 130, 212)], [[name, length]], DEFAULTS.tables), "begins elsewhere"


def test_tables_side_by_side_are_two() -> None:
    left = [["Town", "Men"], ["Kiel", "12"], ["Bonn", "15"], ["Jena", "18"], ["Gera", "19"]]
    right = [["Town", "Women"], ["Ulm", "22"], ["Suhl", "25"], ["Worms", "28"], ["Trier", "31"], ["Aalen", "37"]]
    pieces = [*plain(left, places=(80.0, 140.0)), *plain(right, places=(320.0, 380.0))]
    tables = [matrix(block) for block in blocks_of([make_page(1, around(pieces))]) if block.role == "table"]
    assert tables == [left, right]


def test_halves_that_share_a_line_are_one_table() -> None:
    left = [["Kiel", "12"], ["Bonn", "15"], ["Jena", "18"], ["Gera", "19"]]
    right = [["Ulm", "22"], ["Suhl", "25"], ["Worms", "28"], ["Trier", "31"], ["Aalen", "37"]]
    head = Piece("Town".ljust(12) + "Men".ljust(36) + "Town".ljust(12) + "Women", 80, 200)
    pieces = [head, *plain(left, 214, places=(80.0, 140.0)), *plain(right, 214, places=(320.0, 380.0))]
    page = make_page(1, around(pieces))
    found = structure_page(page, style_of([page]))
    assert not found.unplaced
    assert [b.role for b in found.blocks] == ["paragraph", "table", "paragraph"]
    assert matrix(table_of(page))[1] == ["Kiel", "12", "Ulm", "22"]


def test_the_last_line_of_a_wrapped_cell_stays_in_its_row() -> None:
    rows = [
        ["Nile", "long", "the longest river of all"],
        ["", "", "Africa and beyond"],
        ["Rhine", "short", "flows through several"],
        ["", "", "towns of Germany"],
        ["Loire", "shorter", "has very many castles on"],
        ["", "", "its banks"],
    ]
    expected = [
        ["Nile", "long", "the longest river of all Africa and beyond"],
        ["Rhine", "short", "flows through several towns of Germany"],
        ["Loire", "shorter", "has very many castles on its banks"],
    ]
    assert matrix(table_of(make_page(1, around(plain([["River", "Length", "Remark"], *rows], leading=12.0)))))[1:] == expected


def test_signs_apart_from_their_number_stand_in_its_cell() -> None:
    pieces = [*plain(LEDGER), Piece("$", 185, 228), Piece("$", 285, 228), Piece("%", 222, 242)]
    rows = matrix(table_of(make_page(1, around(pieces))))
    assert rows[2] == ["Inventories", "$ 120", "$ 130"]
    assert rows[3] == ["Cash", "40 %", "35"]


def test_several_aligned_lines_of_numbers_in_a_drawn_cell_are_rows() -> None:
    page = grid_page(1, [["State", "Permits", "Total"]], 200)
    states = [["Alabama", "18", "71"], ["Alaska", "20", "70"], ["Arizona", "23", "27"]]
    whole = make_page(1, [*cells([["State", "Permits", "Total"]], 200), *plain(states, 214, 12.0)])
    lefts = [98.0, 198.0, 298.0, 398.0]
    whole.tables = [
        RuledTable(
            98,
            190,
            398,
            244,
            [[(a, y0, b, y1) for a, b in zip(lefts, lefts[1:], strict=False)] for y0, y1 in ((190.0, 204.0), (204.0, 244.0))],
        )
    ]
    assert matrix(table_of(whole)) == [["State", "Permits", "Total"], *states]
    assert page.tables
    states[1][1] = ""  # a payslip's or a ledger's rows have blank cells
    gap = make_page(1, [*cells([["State", "Permits", "Total"]], 200), *(p for p in plain(states, 214, 12.0) if p.text)])
    gap.tables = whole.tables
    assert matrix(table_of(gap)) == [["State", "Permits", "Total"], *states]


def test_items_between_rules_are_no_table() -> None:
    items = [piece for n in range(5) for piece in (Piece("o", 90, 200 + 14.0 * n), Piece(sentence(4, n), 108, 200 + 14.0 * n))]
    page = make_page(1, [*flow(sentence(60), 72, 80, 80), *items])
    page.rules = np.array([(80, y, 400, y + 0.5) for y in (186, 262)], np.float32)
    assert "table" not in {b.role for b in blocks_of([page])}


def test_furniture_in_a_grid_leaves_the_other_lines_in_the_table() -> None:
    page = grid_page(1, ROWS, 60)
    first = replace(style_of([page]), furniture={1: {0: "page_header"}})
    blocks = structure_page(page, first).blocks
    assert [b.role for b in blocks] == ["page_header", "table"]
    assert matrix(blocks[1])[1:] == ROWS[1:]


def test_a_chart_and_a_list_of_one_bullet_are_no_tables() -> None:
    lefts = [60.0 * n for n in range(1, 9)]
    bars = make_page(1, [Piece(str(20 + n), x + 5, 100 + 12 * n) for n, x in enumerate(lefts[:-1])])
    bars.tables = [
        RuledTable(
            60, 90, 480, 230, [[(a, 90.0 + 20 * k, b, 110.0 + 20 * k) for a, b in zip(lefts, lefts[1:], strict=False)] for k in range(7)]
        )
    ]
    choices = make_page(1, [piece for n in range(7) for piece in (Piece("o", 72, 100 + 14 * n), Piece(sentence(2, n), 90, 100 + 14 * n))])
    for page in (bars, choices):
        assert not any(b.role == "table" for b in blocks_of([page]))


def test_it_is_told_which_rule_took_or_refused_rows() -> None:
    explain = LayoutSettings(explain=True)
    contents = [
        piece
        for n in range(8)
        for piece in (Piece(f"A chapter with a long title {n}", 72, 100 + 14 * n), Piece(str(3 + 4 * n), 500, 100 + 14 * n))
    ]
    for pieces, rule_name, taken in ((contents, "contents", False), (around(cells(ROWS)), "alignment", True)):
        page = make_page(1, pieces)
        why = structure_page(page, style_of([page]), explain).why
        assert (rule_name, taken) in {(w.rule, w.taken) for w in why if w.question == "table"}
        assert structure_page(page, style_of([page])).why == ()


def test_each_rule_has_a_name_of_its_own_and_a_sentence() -> None:
    names = [rule.name for rule in (*REFUSALS, *GRID_REFUSALS)]
    assert len(set(names)) == len(names)
    assert all(" " in rule.says for rule in (*REFUSALS, *GRID_REFUSALS))


def test_ruled_cells_cost_no_square() -> None:
    """Each chunk is put into its cell without a look at the others."""
    rows = [[str(n), str(2 * n), str(3 * n)] for n in range(300)]
    page = grid_page(1, rows, 60)
    (table,) = PageView(page, LayoutSettings()).evident_tables
    assert table.row_count == 300
    assert [chunk.text for cell in table.cells for chunk in cell.chunks] == [text for row in rows for text in row]


def test_a_rule_below_rows_of_numbers_ends_no_header() -> None:
    rows = [["Nile", "6650", "Egypt"], ["Rhine", "1230", "Germany"], ["Loire", "1012", "France"], ["Tagus", "1007", "Spain"]]
    rows += [["Elbe", "1094", "Germany"], ["Oder", "840", "Poland"], ["Ebro", "930", "Spain"]]
    page = make_page(1, around([replace(piece, style=Piece("", 0, 0).style) for piece in cells(rows)]))
    page.rules = np.array([rule(96, 360, 186), rule(96, 360, 231), rule(96, 360, 290)], np.float32)
    block = table_of(page)
    assert matrix(block) == rows
    assert block.html is not None
    assert "<th" not in block.html


def test_rows_of_a_drawn_grid_are_no_headings() -> None:
    pieces = [
        *cells(ROWS[:3]),
        Piece("Southern rivers", 102, 242, BOLD),
        *cells([["Loire", "1012", "France"], ["Tagus", "1007", "Spain"]], 256),
    ]
    page = make_page(1, around(pieces))
    edges = [(189.0 + 14 * n, 203.0 + 14 * n) for n in range(6)]
    page.tables = [RuledTable(96, 189, 400, 273, [[(96, a, 196, b), (196, a, 296, b), (296, a, 400, b)] for a, b in edges])]
    line = next(n for n, each in enumerate(page.lines) if each.text == "Southern rivers")
    style = replace(style_of([page]), headings={1: (HeadingMark(1, (line,), 2, "Southern rivers", "heading"),)})
    blocks = structure_page(page, style).blocks
    assert not any(b.role == "heading" for b in blocks)
    (table,) = [b for b in blocks if b.role == "table"]
    assert matrix(table)[3] == ["Southern rivers", "", ""]


def test_a_head_beside_the_empty_corner_of_a_drawn_grid_is_no_heading() -> None:
    rows = [["", "to air", "to water"], ["Ammonia", "10", "12"], ["Chlorine", "14", "16"], ["Benzene", "18", "11"]]
    page = make_page(1, [Piece("Thresholds", 230, 200, BOLD), *plain(rows, 214), *flow(sentence(90), 72, 300, 80)])
    lefts = [98.0, 198.0, 298.0, 398.0]
    body = [[(a, 204.0 + 14 * n, b, 218.0 + 14 * n) for a, b in pairwise(lefts)] for n in range(4)]
    page.tables = [RuledTable(98, 190, 398, 260, [[(98.0, 190.0, 198.0, 204.0), (198.0, 190.0, 398.0, 204.0), None], *body])]
    marked = replace(style_of([page]), headings={1: (HeadingMark(1, (0,), 2, "Thresholds", "heading"),)})
    blocks = structure_page(page, marked).blocks
    assert [b.role for b in blocks] == ["table", "paragraph"]
    assert "Thresholds" in blocks[0].text


def test_a_larger_head_of_several_lines_is_no_heading_inside() -> None:
    large, title = replace(BOLD, size=12.0), Piece("Rivers of Europe", 72, 60, replace(BOLD, size=16.0))
    head = [
        *(Piece(text, x, 200, large) for text, x in zip(["River", "Length", "Country"], PLACES, strict=True)),
        Piece("(km)", 208, 213, large),
    ]
    body = [replace(piece, style=Piece("", 0, 0).style) for piece in cells(ROWS[1:], 228)]
    page = make_page(1, [title, *around([*head, *body])])
    page.rules = np.array([rule(96, 360, 186), rule(96, 360, 217), rule(96, 360, 276)], np.float32)
    assert matrix(table_of(page)) == [["River", "Length (km)", "Country"], *ROWS[1:]]


def test_a_column_that_only_spans_cross_is_none_in_html() -> None:
    """HTML wants a cell to begin in each column; a header that spans one too many made the page invalid."""
    cells = [Cell(0, 0), Cell(0, 1, 1, 3), Cell(1, 0), Cell(1, 1, 1, 2), Cell(1, 3)]
    table = Table(0.0, 0.0, 9.0, 9.0, cells, 4, header_rows=1)
    told = table_html(table, dict(enumerate("abcde")))
    assert told == (
        '<table><thead><tr><th>a</th><th colspan="2">b</th></tr></thead><tbody><tr><td>c</td><td>d</td><td>e</td></tr></tbody></table>'
    )


def test_fills_of_cells_on_fills_of_rows_are_one_table() -> None:
    rows = [
        ["First downs", "25", "13"],
        ["By rushing", "6", "6"],
        ["By passing", "16", "5"],
        ["Net yards", "409", "277"],
        ["Score", "15", "23"],
    ]
    page = make_page(1, around([Piece("Saints", 240, 190), Piece("Hawks", 300, 190), *plain(rows, 204, places=(100.0, 240.0, 300.0))]))
    fills = [(98.0, 194.0 + 14 * n, 340.0, 208.0 + 14 * n) for n in range(5)]
    fills += [(x, 194.0 + 14 * n, x + 40, 206.0 + 14 * n) for n in range(5) if n != 2 for x in (238.0, 298.0)]
    page.fills = np.array(fills, np.float32)
    (region,) = PageView(page, LayoutSettings()).table_finder.drawn.regions()
    assert (region[0][1], region[-1][3]) == (194, 278)
    assert matrix(table_of(page))[1:] == rows


def test_a_cell_that_reaches_over_a_gap_a_little_leaves_it_one() -> None:
    rows = [
        ["01-Apr", "Opening balance", "", "27614207"],
        ["13-May", "Reimbursements unpaid for February.", "26406576", "1207631"],
        ["25-Jun", "Commission returned", "132696", "1074935"],
        ["19-Aug", "Payment against the last of the bills", "1074935", "0"],
    ]
    heads = [Piece(text, x, 186) for text, x in (("Date", 100), ("Particulars", 160), ("Debit in EUR", 344), ("Balance", 420))]
    page = make_page(1, around([*heads, *plain(rows, places=(100.0, 160.0, 354.0, 420.0))]))
    assert matrix(table_of(page)) == [["Date", "Particulars", "Debit in EUR", "Balance"], *([c for c in row if c] for row in rows)]


def test_a_filled_header_and_the_rule_at_the_end_hold_a_table_of_one_row() -> None:
    form = [Piece("Client: Weber", 100, 150), Piece("Date: 1.2.2026", 300, 150)]
    rows = [["Product", "Unit", "Price"], ["Rent of rooms", "day", "2390"]]
    page = make_page(1, [*form, *plain(rows, leading=20.0)])
    page.fills = np.array([(98, 188, 198, 206), (199, 188, 298, 206), (299, 188, 400, 206)], np.float32)
    page.rules = np.array([rule(98, 400, 230)], np.float32)
    assert matrix(table_of(page)) == rows


def test_a_last_row_below_the_fills_is_one_of_the_table() -> None:
    rows = [[f"Post {n}", f"{n}00", f"{n}50"] for n in range(1, 8)]
    page = make_page(1, plain(rows))
    page.fills = np.array([(98.0, 190.0 + 14 * n, 340.0, 204.0 + 14 * n) for n in range(6)], np.float32)
    page.fills = page.fills[[0, 2, 4]]
    assert matrix(table_of(page)) == rows


def test_text_under_the_last_rule_of_a_frame_is_no_row() -> None:
    comment = "Planting conditions were very good here and growth was better than ever before"
    remarks = [[f"Remark {n}:", comment] for n in range(2)]
    page = make_page(1, [*plain(LEDGER), *plain(remarks, 330, places=(100.0, 170.0))])
    page.rules = np.array([rule(96, 500, y) for y in (188, 202, 316, 360)], np.float32)
    assert len(matrix(table_of(page))) == len(LEDGER)


def test_items_whose_words_stand_below_each_other_are_a_list() -> None:
    items = [
        piece
        for n, mark in enumerate("abcdef")
        for piece in (
            Piece(f"({mark})", 100, 200 + 30 * n),
            Piece("A letter  from the company of many sugars", 130, 200 + 30 * n),
            Piece("accepting  and enclosing their check for it", 130, 212 + 30 * n),
        )
    ]
    assert not any(b.role == "table" for b in blocks_of([make_page(1, items)]))


def test_heads_in_one_drawn_cell_are_cells_and_a_title_on_top_stands_above() -> None:
    states = [["Alabama", "18", "71", "3"], ["Alaska", "20", "70", "4"], ["Arizona", "23", "27", "5"]]
    places = (100.0, 200.0, 260.0, 320.0)
    heads = [Piece("Checks", 100, 100, LARGE), Piece("Guns", 230, 120), Piece("Total", 322, 132)]
    heads += [Piece("State", 100, 132), Piece("Hand", 202, 132), Piece("Long", 262, 132)]
    page = make_page(1, [*heads, *plain(states, 150, places=places)])
    lefts = [98.0, 198.0, 258.0, 318.0, 378.0]
    body = [[(a, y, b, y + 14) for a, b in pairwise(lefts)] for y in (140.0, 154.0, 168.0)]
    title = [(98.0, 80.0, 378.0, 108.0), None, None, None]
    group = [(98.0, 108.0, 198.0, 140.0), (198.0, 108.0, 318.0, 140.0), None, (318.0, 108.0, 378.0, 140.0)]
    page.tables = [RuledTable(98, 80, 378, 182, [title, group, *body])]
    blocks = blocks_of([page])
    assert [b.text for b in blocks if b.role != "table"] == ["Checks"]
    (table,) = [b for b in blocks if b.role == "table"]
    assert table.html is not None
    assert '<td colspan="2">Guns</td>' in table.html
    assert "<tr><td>Hand</td><td>Long</td></tr>" in table.html
    assert matrix(table)[-3:] == states


def test_prose_in_columns_on_a_coloured_ground_is_no_table() -> None:
    prose = [piece for n in range(3) for piece in flow(sentence(90, n), 72 + 160 * n, 200, 28)]
    page = make_page(1, [*prose, *flow(sentence(60, 3), 72, 600, 80)])
    page.fills = np.array([(60, 185, 560, 400)], np.float32)
    assert "table" not in {b.role for b in blocks_of([page])}


def test_blocks_of_text_under_several_rows_of_heads_are_one_row() -> None:
    heads = [["2.5", "1st", "~70%"], ["kilograms", "woman", "electricity"]]
    text = [
        ["carbon of each sort from", "of all engineers on a", "made in the country with"],
        ["our whole river plain in", "platform of the land and", "gas of the two fields in"],
        ["the year that went by", "the first on any of them", "the sea and no other one"],
    ]
    pieces = [Piece(t, x, 200 + 20 * n, BOLD) for n, row in enumerate(heads) for t, x in zip(row, (72, 232, 392), strict=True)]
    pieces += [Piece(t, x, 240 + 12 * n) for n, row in enumerate(text) for t, x in zip(row, (72, 232, 392), strict=True)]
    page = make_page(1, [*flow(sentence(60), 72, 80, 80), *pieces, *flow(sentence(60, 3), 72, 500, 80)])
    page.rules = np.array([rule(70, 540, 185), rule(70, 540, 275)], np.float32)
    assert matrix(table_of(page)) == [*heads, [" ".join(column) for column in zip(*text, strict=True)]]


def test_a_header_above_a_region_does_not_take_rows_of_the_region_above(monkeypatch) -> None:
    page = make_page(1, [*cells(ROWS, 200), *cells(ROWS, 300)])
    finder = PageView(page, DEFAULTS).table_finder
    made = finder.from_rows
    monkeypatch.setattr(finder, "from_rows", lambda rows, box: made(rows, box) if len(rows) <= len(ROWS) + 1 else [])
    monkeypatch.setattr(
        finder, "_header_above", lambda rows, box, free: finder.words.rows([i for i in free if finder.boxes[i][3] < box[1]][-3:], 1)
    )
    region = [(96.0, y + 14.0 * n, 360.0, y + 14.0 * n + 14) for y in (190.0, 290.0) for n in range(len(ROWS))]
    first, second = finder.in_region(region, list(finder.boxes), [])
    assert len(first.lines) == len(second.lines) == 15
    assert first.lines.isdisjoint(second.lines)


def test_contents_between_the_rules_of_the_page_are_no_table() -> None:
    entries = [
        piece
        for n in range(8)
        for piece in (
            Piece(f"{n + 1}.1", 72, 100 + 14 * n),
            Piece(f"Chapter of the {sentence(1, n)} {'. ' * 20}  {3 + 4 * n}", 100, 100 + 14 * n),
        )
    ]
    page = make_page(1, entries)
    page.rules = np.array([rule(60, 520, 80), rule(60, 520, 220)], np.float32)
    blocks = structure_page(page, style_of([page, make_page(2, flow(sentence(400), 72, 100, 80))])).blocks
    assert {b.role for b in blocks} == {"contents"}
