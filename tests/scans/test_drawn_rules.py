"""Rules on a picture: thin lines are found where they are, lines of text and bars are none, and a scanned table has its cells."""

import numpy as np
import pytest

from pdfmill.schemas.records import PageLines
from pdfmill.transforms.scans.drawn_rules import find_rules
from pdfmill.transforms.scans.ink import darkness
from pdfmill.transforms.scans.recognize import with_words
from pdfmill.transforms.scans.straighten import find_turn, turned_up
from tests.scans.drawn import SCALE, draw, plain

WIDTH, HEIGHT = 520.0, 595.0


def ruled(rules, lines=(), thick=2):
    """A picture with these rules (points) and lines, and its words."""
    picture, words = draw(list(lines), WIDTH, HEIGHT)
    picture = picture.copy()
    for x0, top, x1, bottom in rules:
        left, first, right, last = (round(side * SCALE) for side in (x0, top, x1, bottom))
        picture[first : max(last, first + thick), left : max(right, left + thick)] = 40
    return picture, words


def found(picture):
    return find_rules(darkness(picture), 1 / SCALE)


def test_rules_are_found_where_they_are():
    rules = [(60, 100, 400, 100), (60, 100, 60, 300), (60, 300, 400, 300)]
    assert found(ruled(rules)[0]) == pytest.approx(np.array([rules[0], rules[2], rules[1]]), abs=5)


def test_text_and_bars_and_the_edge_are_none():
    lines = [plain(60, 80 + 12 * n, 11, "illiterate millinery mmmmmmmmmmmmmmmmm illustrated") for n in range(20)]
    assert len(found(ruled([], lines)[0])) == 0
    assert len(found(ruled([(60, 400, 400, 420), (0, 3, 520, 3)])[0])) == 0


def test_a_rule_under_text_is_one():
    lines = [plain(60, 200, 11, "Running head of a chapter that is long")]
    assert found(ruled([(60, 204, 460, 204)], lines)[0]) == pytest.approx(np.array([(60, 204, 460, 205)]), abs=5)


@pytest.mark.parametrize("degrees", [0.0, 1.0])
def test_a_scanned_table_has_its_cells(degrees):
    cells = [(left, top) for top in (100, 160, 220) for left in (60, 180, 300)]
    borders = [(60, top, 420, top) for top in (90, 150, 210, 270)] + [(left, 90, left, 270) for left in (60, 180, 300, 420)]
    lines = [plain(left + 6, top + 10 + 14 * n, 10, "some words") for left, top in cells for n in range(3)]
    picture, words = ruled(borders, lines)
    if degrees:
        tilted = turned_up(picture, -degrees)
        assert find_turn(tilted) == pytest.approx(degrees, abs=0.1)
        picture = turned_up(tilted, find_turn(tilted))
    page = with_words(PageLines(1, WIDTH, HEIGHT), words, picture, 1 / SCALE)
    (table,) = page.tables
    assert [len(row) for row in table.rows] == [3, 3, 3]
    assert (table.x0, table.top, table.x1, table.bottom) == pytest.approx((60, 90, 420, 270), abs=3)
