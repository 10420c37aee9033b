"""Pages of very many lines or glyphs, as made to cost the square of them: what is compared with what, counted, and that little changes."""

from __future__ import annotations

import random
import re

import numpy as np
import pytest

from pdfmill.schemas.glyphs import PageContent
from pdfmill.transforms.layout.blocks import page_structure as structure
from pdfmill.transforms.layout.document.articles import has_articles
from pdfmill.transforms.layout.lines import lines
from pdfmill.transforms.layout.lines.lines import find_lines
from pdfmill.transforms.layout.page.columns import order_rows
from pdfmill.transforms.layout.page.line_frame import read_frame
from pdfmill.transforms.layout.settings.layout_settings import LayoutSettings
from tests.layout.pages import SMALL, Piece, blocks_of, flow, make_page, sentence
from tests.layout.test_accents import drawn


class Counting:
    """A pattern that counts what it is asked."""

    def __init__(self, pattern: re.Pattern[str]) -> None:
        self.pattern = pattern
        self.asked = 0

    def match(self, text: str) -> re.Match[str] | None:
        self.asked += 1
        return self.pattern.match(text)


def test_each_block_is_asked_once_or_twice_whether_it_is_a_caption(monkeypatch: pytest.MonkeyPatch):
    body = flow(sentence(1500), 60, 60, 200, leading=8)
    notes = [Piece(f"{number} A note on silt and floods.", 60, 420 + 3 * number, SMALL) for number in range(120)]
    caption = Counting(structure.CAPTION)
    monkeypatch.setattr(structure, "CAPTION", caption)
    blocks = blocks_of([make_page(1, [*body, *notes], width=1200)])
    assert sum(block.role == "footnote" for block in blocks) > 50
    assert caption.asked <= 2 * 130


def test_a_row_of_very_many_lines_is_read_in_order(monkeypatch):
    page = make_page(1, [Piece("ab", 12.0 * number, 100) for number in range(300)], width=4000)
    frame = read_frame(page)
    every = np.arange(300)
    assert order_rows(frame, every) == every.tolist()
    monkeypatch.setattr("pdfmill.transforms.layout.page.columns._ROW_LINES", 100)
    assert order_rows(frame, every) == every.tolist()


def test_lines_are_not_looked_for_in_more_beads_than_memory_holds():
    frame = read_frame(make_page(1, [Piece("a line of text", 60, 100), Piece("another one", 60, 112)]))
    settings = LayoutSettings(bead_pairs=100)
    assert [has_articles(frame, beads, settings) for beads in (0, 1, 50, 51)] == [False, True, True, False]


def raised(seed: int) -> PageContent:
    """Letters of two sizes scattered over a narrow band, so that many may stand beside many."""
    source = random.Random(seed)
    placed = [(source.choice("abcdef"), source.random() * 300, 100 + source.random() * 12) for _ in range(120)]
    glyphs = drawn(placed)
    glyphs.styles.append(type(glyphs.styles[0])("Times-Roman", 6.0))
    glyphs.style = np.array([source.randint(0, 1) for _ in placed], np.int32)
    return PageContent(1, 600, 800, 0, glyphs)


@pytest.mark.parametrize("seed", range(6))
def test_small_type_finds_its_line_among_neighbours_as_among_all(seed: int, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(lines, "_CROWD", 0)
    found = [line.text for line in find_lines(raised(seed)).lines]
    monkeypatch.setattr(lines, "_CROWD", 1000)
    assert found == [line.text for line in find_lines(raised(seed)).lines]


def test_small_type_looks_at_its_neighbours_only(monkeypatch: pytest.MonkeyPatch):
    content = raised(1)
    glyphs = content.glyphs
    glyphs.x0, glyphs.x1, glyphs.origin_x = (values * np.float32(40) for values in (glyphs.x0, glyphs.x1, glyphs.origin_x))
    glyphs.x1 = glyphs.x0 + np.float32(5)
    looked = []
    between = lines._Crowd.between
    monkeypatch.setattr(lines, "_CROWD", 0)
    monkeypatch.setattr(
        lines._Crowd, "between", lambda crowd, left, right: looked.append(len(between(crowd, left, right))) or between(crowd, left, right)
    )
    find_lines(content)
    assert len(looked) > 60
    assert sum(looked) < len(looked), "12,000 points for 120 letters: hardly one has a neighbour"


def test_tabs_are_told_by_the_gaps_of_their_own_baseline():
    """A gap of 35 points is a tab beside word gaps of 5, and justification beside gaps of 25."""
    rows = ((100.0, (0, 15, 30, 75)), (130.0, (0, 35, 70, 115)))
    glyphs = drawn([(letter, start + 5.0 * place, y) for y, starts in rows for start in starts for place, letter in enumerate("ab")])
    assert [line.text for line in find_lines(PageContent(1, 600, 800, 0, glyphs)).lines] == ["ab ab ab", "ab", "ab ab ab ab"]
