"""Points are points, whatever the page's unit (ISO 32000-2 §7.7.3.3)."""

import numpy as np
import pytest
from pikepdf import Array, Dictionary, Name, String

from pdfmill.transforms.pdf.open.document import open_document
from pdfmill.transforms.road.document_road import read_page_lines
from tests.pdf.pages import make_page

CONTENT = "0.9 g 10 10 100 60 re f 0 g BT /F1 12 Tf 40 120 Td (Hello there) Tj 0 -40 Td (again) Tj ET"


def _lines(**page):
    note = Dictionary(Type=Name.Annot, Subtype=Name.Text, Rect=Array([10, 20, 60, 40]), Contents=String("note"))
    document = open_document(make_page(CONTENT, Annots=Array([note]), **page), name="a.pdf")
    return read_page_lines(document, 1)


@pytest.mark.parametrize("rotate", [0, 90, 270])
def test_everything_grows_with_the_unit(rotate):
    one, three = _lines(Rotate=rotate), _lines(Rotate=rotate, UserUnit=3)
    assert (three.facts.user_unit, three.width, three.height) == (3, 3 * one.width, 3 * one.height)
    assert three.facts.media_box == one.facts.media_box
    assert [line.text for line in three.lines] == [line.text for line in one.lines]
    np.testing.assert_allclose(three.word_boxes, 3 * one.word_boxes, rtol=1e-5)
    np.testing.assert_allclose(three.fills, 3 * one.fills, rtol=1e-5)
    assert [style.size for style in three.styles] == [36.0]
    for side in ("x0", "top", "x1", "bottom"):
        assert three.annotations[0][side] == 3 * one.annotations[0][side]


@pytest.mark.parametrize("unit", [1e30, -5, 0])
def test_absurd_units_do_no_harm(unit):
    page = _lines(UserUnit=unit)
    assert [line.text for line in page.lines] == ["Hello there", "again"]
    assert np.isfinite(page.word_boxes).all()
