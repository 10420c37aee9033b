"""The labels of a chart are one block at its place; they are in no paragraph, no table and no heading, and nothing is lost."""

from __future__ import annotations

import numpy as np
import pytest
from msgspec.structs import replace

from pdfmill.schemas.records import Block, FontStyle, PageLines
from tests.layout.pages import BODY, Piece, blocks_of, flow, make_page, sentence

AXIS = FontStyle("Helvetica", 8.0)


def turned(page: PageLines, text: str, x: float, bottom: float) -> PageLines:
    """The page with the line `text` turned: it reads upwards from `bottom`, left of `x`."""
    lines = [
        replace(line, angle=270, baseline=x, x0=x - 6.4, x1=x + 1.6, top=bottom - 4.0 * len(text), bottom=bottom)
        if line.text == text
        else line
        for line in page.lines
    ]
    return replace(page, lines=lines)


def plot(left: float, top: float, style: FontStyle = AXIS, y_title: str = "Distance") -> tuple[list[Piece], np.ndarray]:
    """The labels of a chart of 200 by 120 points, and its frame with ticks."""
    pieces = [
        Piece("Reachability", left + 80, top - 8, style),
        Piece(y_title, left - 30, top + 60, style),
        Piece("0.04", left - 20, top + 90, style),
        Piece("0.08", left - 20, top + 40, style),
        Piece("0 100 200 300", left, top + 138, style),
        Piece("Order", left + 90, top + 154, style),
        Piece("noise", left + 150, top + 20, style),
        Piece("core", left + 150, top + 32, style),
    ]
    x1, bottom = left + 200, top + 120
    rules = [(left, top, x1, top), (left, bottom, x1, bottom), (left, top, left, bottom), (x1, top, x1, bottom)]
    return pieces, np.array(rules + [(left + x, bottom, left + x, bottom + 5) for x in (10, 70, 130, 190)], np.float32)


LABELS = ["Reachability", "noise", "core", "0.08", "0.04", "0 100 200 300", "Order", "Distance"]


def page_with(top: float = 200.0, *, style: FontStyle = AXIS, ruled: bool = True, turn: bool = True) -> PageLines:
    """A page on which a paragraph, a chart, its caption and another paragraph follow each other."""
    pieces, rules = plot(200, top, style)
    above, below = flow(sentence(60, seed=1), 72, 90, 80), flow(sentence(60, seed=2), 72, top + 220, 80)
    page = make_page(1, [*above, *pieces, Piece("Figure 2: A plot of the hills.", 200, top + 180), *below])
    page = replace(page, rules=rules) if ruled else page
    return turned(page, "Distance", 180, top + 80) if turn else page


def drawn(blocks: list[Block]) -> list[list[str]]:
    return [block.text.split("\n") for block in blocks if block.role == "other"]


def test_labels_are_one_block_at_the_place_of_the_chart() -> None:
    blocks = blocks_of([page_with()])
    assert [block.role for block in blocks] == ["paragraph", "other", "caption", "paragraph"]
    assert drawn(blocks) == [LABELS]


def test_a_sentence_goes_on_below_a_chart_at_the_head_of_the_next_column() -> None:
    left = flow(sentence(400, seed=3).rstrip(".") + " and", 40, 90, 48)
    pieces, rules = plot(360, 120)
    right = flow("it rains " + sentence(200, seed=4), 320, 340, 48)
    page = turned(replace(make_page(1, [*left, *pieces, *right]), rules=rules), "Distance", 340, 200)
    blocks = blocks_of([page])
    assert drawn(blocks) == [LABELS]
    assert any(block.text.find("and it rains") > 0 for block in blocks)


def test_charts_beside_each_other_are_two_blocks() -> None:
    (one, rules), (two, more) = plot(110, 200), plot(360, 200, y_title="Height of it")
    text = flow(sentence(60, seed=1), 72, 90, 80)
    page = replace(make_page(1, [*text, *one, *two]), rules=np.concatenate((rules, more)))
    page = turned(turned(page, "Distance", 90, 280), "Height of it", 340, 280)
    assert drawn(blocks_of([page])) == [LABELS, [*LABELS[:-1], "Height of it"]]


def test_a_matrix_in_a_chart_is_a_table() -> None:
    pieces, rules = plot(200, 200)
    numbers = [Piece(f".{row}{column}", 212 + 30 * column, 225 + 18 * row, AXIS) for row in range(5) for column in range(4)]
    text = flow(sentence(60, seed=1), 72, 90, 80)
    page = make_page(1, [*text, *(p for p in pieces if p.text not in ("noise", "core", "0.04", "0.08")), *numbers])
    blocks = blocks_of([turned(replace(page, rules=rules), "Distance", 190, 280)])
    assert [block.text.count("\t") for block in blocks if block.role == "table"] == [15]
    assert drawn(blocks) == [["Reachability", "0 100 200 300", "Order", "Distance"]]


@pytest.mark.parametrize(
    ("name", "page"),
    [
        ("in the font of the text", page_with(style=BODY)),
        ("without drawn lines", page_with(ruled=False)),
        ("without a turned label", page_with(turn=False)),
    ],
)
def test_other_labels_are_read_as_before(name: str, page: PageLines) -> None:
    assert LABELS not in drawn(blocks_of([page])), name


def test_a_turned_running_head_with_a_head_and_a_foot_is_no_chart() -> None:
    """They lie along the margin, with trim marks, and reach over the whole page."""
    pieces = [Piece("Chapter 5", 530, 40, AXIS), Piece("Of hills and of rain", 560, 420, AXIS), Piece("89", 560, 760, AXIS)]
    marks = np.array([(555, 50 + 12 * number, 575, 50 + 12 * number) for number in range(60)], np.float32)
    page = replace(make_page(1, [*flow(sentence(200, seed=1), 72, 90, 70), *pieces]), rules=marks)
    assert drawn(blocks_of([turned(page, "Of hills and of rain", 560, 460)])) == [["Of hills and of rain"]]


def test_text_beside_a_chart_is_no_label() -> None:
    page = page_with()
    boxes = replace(page, rules=np.concatenate((page.rules, np.array([[60, 80, 560, 700]], np.float32))))  # a frame around all
    assert drawn(blocks_of([boxes])) == [LABELS]
