"""Structure of hand-made pages: what a reader would say, and properties that hold for every page."""

from __future__ import annotations

import itertools
import pickle
import random

import numpy as np
import pytest

from pdfmill.schemas.codes import FURNITURE_ROLES
from pdfmill.schemas.records import PageLines
from pdfmill.schemas.statistics import DocumentStatistics
from pdfmill.transforms.layout.blocks.page_structure import structure_page
from pdfmill.transforms.layout.document.document_style import decide_style
from pdfmill.transforms.layout.document.page_statistics import measure_page
from pdfmill.transforms.layout.settings.layout_settings import LayoutSettings
from tests.layout.pages import BODY, BOLD, CODE, LARGE, SMALL, Piece, blocks_of, flow, make_page, move, sentence, style_of


def report(pages: int = 4) -> list[PageLines]:
    """A plain report: a running head, a page number, a bold heading and three paragraphs on each page, a title on the first."""
    made = []
    for number in range(1, pages + 1):
        pieces = [Piece("Annual Report of the River Board", 72, 40, SMALL), Piece(str(number), 300, 770, SMALL)]
        top = 90.0
        if number == 1:
            pieces.append(Piece("Silt and Barley", 72, top, LARGE))
            top += 40
        pieces.append(Piece(f"{number} Chapter of the hills", 72, top, BOLD))
        top += 24
        for n in range(3):
            lines = flow(sentence(70, seed=number + n), 72, top, 80)
            pieces.extend(lines)
            top = lines[-1].baseline + 22
        made.append(make_page(number, pieces))
    return made


def test_a_report_has_title_headings_paragraphs_and_furniture() -> None:
    blocks = blocks_of(report())
    assert [b.text for b in blocks if b.role == "title"] == ["Silt and Barley"]
    headings = [b for b in blocks if b.role == "heading"]
    assert [b.text for b in headings] == [f"{n} Chapter of the hills" for n in (1, 2, 3, 4)]
    assert {b.level for b in headings} == {2}
    assert sum(b.role == "paragraph" for b in blocks) == 12
    assert [b.text for b in blocks if b.role == "page_number"] == ["1", "2", "3", "4"]
    assert {b.text for b in blocks if b.role == "page_header"} == {"Annual Report of the River Board"}


def test_heading_path_and_label_come_from_the_document() -> None:
    pages = report()
    style = style_of(pages)
    page = structure_page(pages[2], style.for_pages(3, 3))
    assert page.printed_label == "3"
    assert page.blocks[-2].heading_path == ["Silt and Barley", "3 Chapter of the hills"]


def test_columns_are_read_one_after_the_other() -> None:
    left, right = sentence(60, 1), sentence(60, 5)
    pieces = [Piece("A Title over both Columns", 150, 60, LARGE), *flow(left, 50, 100, 46), *flow(right, 310, 100, 46)]
    blocks = [b.text for b in blocks_of([make_page(1, pieces)])]
    assert blocks == ["A Title over both Columns", left, right]


def test_a_paragraph_runs_over_the_column() -> None:
    lines = flow(sentence(120), 50, 100, 46)
    half = len(lines) // 2
    moved = [Piece(q.text, 310, q.baseline - half * 12.0) for q in lines[half:]]
    page = make_page(1, [*lines[:half], *moved])
    (block,) = blocks_of([page])
    assert block.text == sentence(120)
    assert len(block.boxes) == 2
    assert block.boxes[0].x1 < block.boxes[1].x0


def test_a_paragraph_runs_over_the_page() -> None:
    lines = flow(sentence(120), 72, 100, 80)
    first, second = make_page(1, lines[:5]), make_page(2, [Piece(q.text, q.x, q.baseline - 60.0) for q in lines[5:]])
    blocks = blocks_of([first, second])
    assert [b.continues for b in blocks] == [False, True]


def test_first_line_indents_part_paragraphs_without_space() -> None:
    texts = [sentence(50, n) for n in range(4)]
    pieces: list[Piece] = []
    top = 100.0
    for text in texts:
        lines = flow(text, 72, top, 80, indent=15.0)
        pieces.extend(lines)
        top = lines[-1].baseline + 12.0
    assert [b.text for b in blocks_of([make_page(1, pieces)])] == texts


def test_double_spaced_lines_are_one_paragraph() -> None:
    text = sentence(80)
    assert [b.text for b in blocks_of([make_page(1, flow(text, 72, 100, 80, leading=24.0))])] == [text]


def test_list_items_keep_their_hanging_lines() -> None:
    pieces = flow("Before the list there is a line of text that introduces it:", 72, 100, 80)
    top = 130.0
    items = [sentence(30, n) for n in range(3)]
    for item in items:
        lines = flow(item, 90, top, 60)
        pieces += [Piece("•", 76, top), *lines]
        top = lines[-1].baseline + 14
    roles = [(b.role, b.text) for b in blocks_of([make_page(1, pieces)])]
    assert roles[1:] == [("list_item", f"• {item}") for item in items]


@pytest.mark.parametrize("bullet", ["â€¢", "Â·", "ï‚·"])
def test_bullets_that_were_read_in_the_wrong_encoding_begin_items(bullet: str) -> None:
    items = [f"{bullet} {sentence(9, n)}" for n in range(3)]
    pieces = [*flow(sentence(60), 72, 100, 80), *(Piece(item, 80, 200 + 13.0 * n) for n, item in enumerate(items))]
    assert [b.text for b in blocks_of([make_page(1, pieces)]) if b.role == "list_item"] == items


def test_code_keeps_its_lines() -> None:
    code = ["def flood(river):", "    return river.level", "", "print(flood(nile))"]
    pieces = flow(sentence(60), 72, 100, 80)
    pieces += [Piece(line.strip(), 72 + 4.5 * (len(line) - len(line.lstrip())), 180 + 11 * n, CODE) for n, line in enumerate(code) if line]
    pieces += flow(sentence(60, 3), 72, 250, 80)
    (block,) = [b for b in blocks_of([make_page(1, pieces)]) if b.role == "code"]
    assert block.text.splitlines() == code


def test_footnotes_end_the_page() -> None:
    pieces = flow(sentence(60, 1), 50, 100, 46) + flow(sentence(60, 5), 310, 100, 46)
    pieces += flow("1 " + sentence(20, 2), 50, 700, 56, SMALL, leading=9.5)
    page = make_page(1, pieces)
    assert [b.role for b in blocks_of([page])] == ["paragraph", "paragraph", "footnote"]
    why = structure_page(page, style_of([page]), LayoutSettings(explain=True)).why
    assert [(each.rule, each.lines) for each in why if each.question == "role"] == [("foot", (len(page.lines) - 2, len(page.lines) - 1))]


@pytest.mark.parametrize(("rule", "role"), [((50, 692, 120, 692.5), "footnote"), ((50, 685, 50.5, 695), "paragraph")])
def test_small_text_under_a_short_rule_is_a_footnote_and_beside_a_stroke_none(rule: tuple[float, ...], role: str) -> None:
    page = make_page(1, flow(sentence(60, 1), 50, 100, 80) + flow(sentence(20, 2), 50, 700, 56, SMALL, leading=9.5))
    page.rules = np.array([rule], np.float32)
    assert [b.role for b in blocks_of([page])] == ["paragraph", role]


def test_a_figure_at_the_foot_of_the_next_column_is_no_footnote() -> None:
    left = [*flow(sentence(60, 1), 50, 100, 46), *flow("1 " + sentence(16, 2), 50, 700, 56, SMALL, leading=9.5)]
    labels = [Piece("0 20 40 60 80", 330, 660, SMALL), Piece("Water level in metres", 340, 676, SMALL)]
    caption = flow("Figure 3: " + sentence(20, 4), 310, 700, 56, SMALL, leading=9.5)
    blocks = blocks_of([make_page(1, [*left, *flow(sentence(60, 5), 310, 100, 46), *labels, *caption])])
    assert [b.text for b in blocks if b.role == "footnote"] == ["1 " + sentence(16, 2)]
    assert [b.text for b in blocks if b.role == "caption"] == ["Figure 3: " + sentence(20, 4)]


def test_a_rule_set_in_signs_parts_paragraphs() -> None:
    pieces = [Piece("the sum of all is nine", 72, 100), Piece("_" * 60, 72, 112), Piece("and something else begins", 72, 124)]
    blocks = blocks_of([make_page(1, [*pieces, *flow(sentence(60), 72, 200, 80)])])
    assert [b.text for b in blocks][:1] == ["the sum of all is nine"]


def test_small_items_under_a_heading_are_no_footnotes() -> None:
    items = [Piece(f"• Source {n} of the story", 72, 720 + 12 * n, SMALL) for n in range(3)]
    page = make_page(1, [*flow(sentence(200), 72, 80, 80), Piece("Sources", 72, 700, LARGE), *items])
    page.rules = np.array([(72, 708, 200, 708.5)], np.float32)
    assert [b.role for b in blocks_of([page])][-3:] == ["list_item"] * 3


def test_a_second_paragraph_of_a_footnote_is_one_too() -> None:
    notes = [
        *flow("1 " + sentence(16, 2), 50, 680, 56, SMALL, leading=9.5),
        *flow("Yet " + sentence(16, 3), 50, 720, 56, SMALL, leading=9.5),
    ]
    blocks = blocks_of([make_page(1, [*flow(sentence(60, 1), 50, 100, 80), *notes])])
    assert [b.role for b in blocks] == ["paragraph", "footnote", "footnote"]


def test_captions_and_contents_lines_are_no_headings() -> None:
    pieces = [
        Piece("Figure 3: The flood", 72, 100, BOLD),
        Piece("Introduction . . . . . . . . . . . . 7", 72, 140),
        *flow(sentence(70), 72, 180, 80),
    ]
    assert {b.role for b in blocks_of([make_page(1, pieces)])} == {"caption", "paragraph"}


def test_furniture_can_be_kept_in_the_text() -> None:
    pages = report()
    style = style_of(pages)
    assert "Annual Report" not in structure_page(pages[1], style).text
    kept = structure_page(pages[1], style, LayoutSettings(keep_furniture=True))
    assert kept.text.startswith("Annual Report")
    assert all(block.text_start is not None for block in kept.blocks)


@pytest.mark.parametrize(
    "page",
    [
        make_page(1, []),
        make_page(1, [Piece("One line", 72, 100)]),
        make_page(1, [Piece("7", 72, 100)]),
        make_page(1, flow(sentence(90), 72, 100, 80, BOLD)),
        make_page(1, [Piece("word", 10.0 * n, 100.0) for n in range(40)]),
        make_page(1, [Piece("same place", 72, 100)] * 5),
    ],
    ids=["empty", "one line", "one number", "all bold", "one row", "all in one place"],
)
def test_limits(page: PageLines) -> None:
    structured = structure_page(page, style_of([page]))
    assert_nothing_lost(page, structured_text=[b.text for b in structured.blocks])


def assert_nothing_lost(page: PageLines, structured_text: list[str]) -> None:
    letters = sorted(c for line in page.lines for c in line.text if c not in " -\u00ad\u2010")
    assert sorted(c for text in structured_text for c in text if c not in " -\n\u00ad\u2010") == letters


def test_blocks_and_words_slice_the_text() -> None:
    for page in report():
        structured = structure_page(page, style_of(report()))
        for block in structured.blocks:
            if block.role in FURNITURE_ROLES:
                assert block.text_start is None
            else:
                assert structured.text[block.text_start : block.text_end] == block.text
        words = [structured.text[a:b] for a, b in structured.words.tolist()]
        assert words == structured.text.split()
        assert len(structured.word_boxes) == len(words)


def test_merging_in_any_order_is_the_same() -> None:
    parts = [measure_page(page) for page in report(5)]
    expected = DocumentStatistics()
    for part in parts:
        expected.add(part)
    for order in itertools.islice(itertools.permutations(parts), 0, 120, 17):
        left, right = order[:2], order[2:]
        one, two = DocumentStatistics(), DocumentStatistics()
        for part in left:
            one.add(part)
        for part in right:
            two.add(part)
        two.add(one)
        assert two == expected
        assert decide_style(two) == decide_style(expected)


def test_statistics_stay_small() -> None:
    parts = report(40)
    total = DocumentStatistics()
    for page in parts:
        total.add(measure_page(page))
    assert len(pickle.dumps(total)) / len(parts) < 2500
    assert len(total.language_sample()) <= 2100


def test_order_of_lines_does_not_matter() -> None:
    pages = report()
    expected = [(b.role, b.text) for b in blocks_of(pages)]
    for seed in range(3):
        shuffled = []
        for page in pages:
            order = list(range(len(page.lines)))
            random.Random(seed).shuffle(order)
            pieces = [Piece(page.lines[k].text, page.lines[k].x0, page.lines[k].baseline, page.styles[page.lines[k].style]) for k in order]
            shuffled.append(make_page(page.page, pieces))
        assert [(b.role, b.text) for b in blocks_of(shuffled)] == expected


@pytest.mark.parametrize(("dx", "dy", "factor"), [(13.0, 0.0, 1.0), (0.0, 9.0, 1.0), (0.0, 0.0, 2.0), (0.0, 0.0, 0.5)])
def test_moving_and_scaling_change_nothing(dx: float, dy: float, factor: float) -> None:
    pages = report()
    expected = [(b.role, b.level, b.text, b.continues) for b in blocks_of(pages)]
    assert [(b.role, b.level, b.text, b.continues) for b in blocks_of([move(page, dx, dy, factor) for page in pages])] == expected


def test_a_page_range_needs_only_its_slice() -> None:
    pages = report(6)
    style = style_of(pages)
    for page in pages:
        whole, cut = structure_page(page, style), structure_page(page, style.for_pages(page.page, page.page))
        assert (whole.text, whole.blocks) == (cut.text, cut.blocks)
        assert np.array_equal(whole.words, cut.words)


def test_code_keeps_its_indentation_and_its_columns() -> None:
    lines = [(0, 0, "switch (river) {"), (2, 1, "case NILE:"), (4, 2, "flood();"), (20, 2, "// each spring"), (4, 3, "break;"), (0, 4, "}")]
    pieces = [Piece(text, 72 + 4.5 * column, 180 + 11 * row, CODE) for column, row, text in lines]
    page = make_page(1, [*flow(sentence(60), 72, 100, 80), *pieces, *flow(sentence(60, 3), 72, 270, 80)])
    structured = structure_page(page, style_of([page]))
    (block,) = [b for b in structured.blocks if b.role == "code"]
    assert block.text == "switch (river) {\n  case NILE:\n    flood();        // each spring\n    break;\n}"
    assert [structured.text[a:b] for a, b in structured.words.tolist()] == structured.text.split()


def test_body_is_prose_although_code_outweighs_it() -> None:
    pieces = flow(sentence(60), 72, 100, 80) + flow(sentence(200), 72, 200, 80, CODE, leading=10.0)
    body = style_of([make_page(1, pieces)]).body
    assert body is not None
    assert (body.family, body.size) == ("Times", BODY.size)


def test_a_page_of_thousands_of_lines_is_read_in_slices() -> None:
    pieces = [Piece(f"w{n}", 20 + 28.0 * (n % 20), 20 + 3.0 * (n // 20), SMALL) for n in range(1800)]
    page = make_page(1, pieces)
    settings = LayoutSettings(max_pairs_lines=500)
    total = DocumentStatistics()
    total.add(measure_page(page, settings))
    structured = structure_page(page, decide_style(total, settings=settings), settings)
    assert_nothing_lost(page, [b.text for b in structured.blocks])


def test_list_items_nest_by_where_they_begin() -> None:
    places = [(76, "•"), (96, "–"), (96, "–"), (116, "•"), (76, "•")]
    pieces = flow(sentence(40), 72, 100, 80)
    pieces += [Piece(f"{sign} kind {n} of silt", x, 150 + 14.0 * n) for n, (x, sign) in enumerate(places)]
    pieces += [*flow(sentence(40, 3), 72, 250, 80), Piece("• another list", 96, 310), Piece("• with two items", 96, 324)]
    items = [b for b in blocks_of([make_page(1, pieces)]) if b.role == "list_item"]
    assert [b.level for b in items] == [1, 2, 2, 3, 1, 1, 1]


def test_text_that_stands_in_as_far_as_an_item_does_not_end_the_list() -> None:
    pieces = [
        *flow(sentence(40), 72, 100, 80),
        Piece("• kind one", 76, 150),
        *flow(sentence(30, 2), 86, 170, 70),
        Piece("– of it", 96, 215),
        Piece("• kind two", 76, 229),
    ]
    items = [b for b in blocks_of([make_page(1, pieces)]) if b.role == "list_item"]
    assert [b.level for b in items] == [1, 2, 1]


def listed(labels: list[str]) -> list[str]:
    """Roles of lines of some labels, apart from each other, after a paragraph."""
    pieces = flow(sentence(60), 72, 100, 80)
    pieces += [
        Piece(f"{label} Weber and the others of the {word} went on.", 72, 200 + 30 * n)
        for n, (label, word) in enumerate(zip(labels, ("town", "river", "hills"), strict=False))
    ]
    return [b.role for b in blocks_of([make_page(1, pieces)])][1:]


def test_an_initial_is_no_list_label_without_its_neighbours() -> None:
    assert listed(["M.", "D. P.", "R."]) == ["paragraph"] * 3
    assert listed(["C.", "D."]) == ["list_item"] * 2
    assert listed(["A."]) == ["list_item"]
    assert listed(["V.", "VI."]) == ["list_item"] * 2


def test_the_short_last_line_of_a_caption_across_the_columns_is_its_own() -> None:
    columns = [*flow(sentence(150, 1), 50, 100, 46), *flow(sentence(150, 5), 310, 100, 46)]
    caption = flow("Figure 4: " + sentence(20, 9), 50, 420, 98)
    assert len(caption) == 2
    found = [b for b in blocks_of([make_page(1, [*columns, *caption])]) if b.role == "caption"]
    assert [b.text for b in found] == ["Figure 4: " + sentence(20, 9)]


def test_small_type_at_the_foot_of_a_column_does_not_part_its_paragraph() -> None:
    text = sentence(200, 1)
    lines = flow(text, 50, 100, 46)
    half = len(lines) // 2
    right = [Piece(piece.text, 310, 100 + 12.0 * n) for n, piece in enumerate(lines[half:])]
    foot = flow("Correspondence to the river and the town. " + sentence(20), 50, 100 + 12.0 * half + 30, 56, SMALL)
    blocks = blocks_of([make_page(1, [*lines[:half], *foot, *right])])
    assert text in [b.text for b in blocks]


def test_a_raised_mark_begins_a_note_though_the_line_before_is_full() -> None:
    address = "https://example.org/" + "river" * 16
    notes = [Piece(f"{mark} {address}", 72, 709.5 + 9.5 * n, SMALL) for n, mark in enumerate("¹²³")]
    page = make_page(1, [*flow(sentence(300), 72, 80, 80), *notes])
    assert [b.text for b in blocks_of([page])][1:] == [f"{mark} {address}" for mark in "¹²³"]


def test_lines_far_apart_are_a_paragraph_where_all_of_it_are() -> None:
    loose = make_page(1, flow(sentence(80, 2), 72, 80, 80, leading=28))
    assert next(b.text for b in blocks_of([loose, make_page(2, flow(sentence(400), 72, 80, 80))])) == sentence(80, 2)


def test_a_paragraph_goes_on_after_a_caption_at_the_head_of_the_next_column() -> None:
    text = sentence(120, 1)
    lines = flow(text, 50, 100, 46)
    half = len(lines) // 2
    caption = flow("Figure 3: " + sentence(12, 4), 310, 100, 46)
    right = [Piece(piece.text, 310, 160 + 12.0 * n) for n, piece in enumerate(lines[half:])]
    assert [b.text for b in blocks_of([make_page(1, [*lines[:half], *caption, *right])])] == [text, "Figure 3: " + sentence(12, 4)]


def test_where_all_is_small_nothing_is_a_footnote() -> None:
    note = flow("(10) " + sentence(40, 2), 72, 600, 80, SMALL, leading=9.5)
    body = make_page(1, flow(sentence(500, 1), 72, 80, 80))
    below_text = make_page(2, [*flow(sentence(200, 3), 72, 80, 80), *note])
    alone = make_page(2, note)
    assert [b.role for b in blocks_of([body, below_text])][-1] == "footnote"
    assert "footnote" not in {b.role for b in blocks_of([body, alone])}


def test_the_end_of_a_range_of_numbers_begins_no_item() -> None:
    pieces = [
        Piece("Attitudes of nurses and their behaviour to the people of the town in a year, 9 3(4), 416-", 72, 100),
        Piece("422.", 90, 112),
    ]
    blocks = blocks_of([make_page(1, [*pieces, *flow(sentence(300, 2), 72, 300, 90)])])
    assert {b.role for b in blocks} == {"paragraph"}
