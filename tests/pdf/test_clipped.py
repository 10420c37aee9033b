"""Text that a clipping path hides."""

import io

import numpy as np
import pikepdf
import pytest
from pikepdf import Array, Dictionary, Name

from pdfmill.schemas.glyphs import GlyphFlag
from pdfmill.transforms.layout.lines.lines import find_lines
from tests.pdf.pages import make_page, read


def with_form(form, content, *, fonts=None, **entries):
    """A page that draws the form X0, which may use the page's fonts; entries: of the form."""
    pdf = pikepdf.Pdf.open(io.BytesIO(make_page(content, fonts=fonts)))
    resources = pdf.pages[0].Resources
    stream = pdf.make_stream(form.encode(), Type=Name.XObject, Subtype=Name.Form, **({"BBox": Array([0, 0, 300, 200])} | entries))
    stream["/Resources"] = Dictionary(Font=resources.Font)
    resources["/XObject"] = Dictionary(X0=stream)
    sink = io.BytesIO()
    pdf.save(sink)
    return sink.getvalue()


def _told_of_form(form, content, **entries):
    found = find_lines(read(with_form(form, content, **entries)))
    return [line.text for line in found.lines], [(each.reason, each.text) for each in found.hidden]


TWO = "BT /F1 12 Tf 20 100 Td (inside) Tj 0 -60 Td (gone) Tj ET"


@pytest.mark.parametrize(
    ("form", "content", "entries"),
    [
        (f"10 90 200 30 re W n {TWO}", "/X0 Do", {}),
        (f"10 90 200 30 re W n {TWO}", "q 0.5 0 0 0.5 100 20 cm /X0 Do Q", {}),
        (TWO, "q 10 90 200 30 re W n /X0 Do Q", {}),
        (TWO, "/X0 Do", {"BBox": Array([10, 90, 210, 120])}),
        (TWO, "q 1 0 0 1 30 40 cm /X0 Do Q", {"BBox": Array([10, 90, 210, 120]), "Matrix": Array([0.5, 0, 0, 0.5, 10, 20])}),
    ],
)
def test_inside_a_form(form, content, entries):
    assert _told_of_form(form, content, **entries) == (["inside"], [("clipped", "gone")])


def test_a_form_that_shows_all():
    assert _told_of_form("BT /F1 12 Tf 20 100 Td (inside) Tj ET", "q 2 0 0 2 -20 -100 cm /X0 Do Q") == (["inside"], [])


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


def test_a_clip_around_nearly_the_whole_page_hides_nothing():
    content = "q 10 12 280 180 re W n BT /F1 12 Tf 20 100 Td (shown) Tj 0 -97 Td (margin) Tj ET Q"
    assert _told(content) == (["shown", "margin"], [])
    form = "BT /F1 12 Tf 20 100 Td (shown) Tj 0 -97 Td (margin) Tj ET"
    assert _told_of_form(form, "q 10 12 280 180 re W n /X0 Do Q") == (["shown", "margin"], [])
