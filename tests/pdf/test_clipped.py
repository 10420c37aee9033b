"""Text that a clipping path hides."""

import numpy as np
import pytest

from schemas.glyphs import GlyphFlag
from tests.pdf.pages import make_page, read
from transforms.layout.lines import find_lines


def _told(content, **page):
    found = find_lines(read(make_page(content, **page)))
    return [line.text for line in found.lines], [(each.reason, each.text) for each in found.hidden]


@pytest.mark.parametrize("page", [{}, {"Rotate": 90}, {"UserUnit": 2}])
def test_outside_a_rectangle(page):
    content = "q 10 90 200 30 re W n BT /F1 12 Tf 20 100 Td (inside) Tj 0 -60 Td (gone) Tj ET Q BT /F1 12 Tf 20 20 Td (free) Tj ET"
    shown, hidden = _told(content, **page)
    assert (set(shown), hidden) == ({"inside", "free"}, [("clipped", "gone")])


def test_outside_one_of_two():
    content = "q 0 0 300 200 re W n 10 10 50 30 re W n BT /F1 12 Tf 20 100 Td (gone) Tj 0 -80 Td (in) Tj ET Q"
    assert _told(content) == (["in"], [("clipped", "gone")])


def test_cut_in_the_middle_of_a_word():
    found = read(make_page("q 0 0 100 200 re W n BT /F1 12 Tf 60 100 Td (something long) Tj ET Q")).glyphs
    clipped = (found.flags & GlyphFlag.CLIPPED) != 0
    assert (clipped == (found.x0 >= 100)).all()
    assert clipped.any()
    assert not clipped.all()


def test_any_shape_counts_by_its_box():
    content = "q 10 90 m 200 90 l 105 130 l h W n BT /F1 12 Tf 60 100 Td (shown) Tj 0 -60 Td (gone) Tj ET Q"
    assert _told(content) == (["shown"], [("clipped", "gone")])


def test_a_turned_square_whose_corners_are_far():
    """Opposite corners of a square that stands on its tip have no width between them."""
    content = "q 100 40 m 160 100 l 100 160 l 40 100 l h W n BT /F1 12 Tf 60 100 Td (shown) Tj ET Q"
    assert _told(content) == (["shown"], [])


def test_no_clip_no_mark():
    found = read(make_page("BT /F1 12 Tf 20 100 Td (text) Tj ET")).glyphs
    assert not np.any(found.flags)
