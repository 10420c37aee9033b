"""Pages whose text PDFium drops."""

from __future__ import annotations

import numpy as np
from pikepdf import Array

from pdfmill.schemas.glyphs import Glyphs
from pdfmill.transforms.pdf.open.document import open_document
from pdfmill.transforms.pdf.text.page import lost_text
from pdfmill.transforms.pdf.text.pdfminer_text import more_text, read_again
from pdfmill.transforms.pdf.text.user_space import PageSpace
from tests.pdf.pages import make_page, read


def test_both_engines_agree_where_both_can_read() -> None:
    data = make_page("BT /F1 20 Tf 50 100 Td (Hello) Tj ET", MediaBox=Array([10, 20, 310, 220]))
    first = read(data).glyphs
    again = read_again(open_document(data, name="x"), 1, PageSpace((10.0, 20.0, 310.0, 220.0)))
    assert again is not None
    assert again.unicode.tolist() == first.unicode.tolist()
    for name in ("x0", "x1", "origin_x", "origin_y"):  # heights differ: each engine has its own descent
        np.testing.assert_allclose(getattr(again, name), getattr(first, name), atol=0.1)


def test_few_objects_or_most_of_them_heard_is_no_loss() -> None:
    assert lost_text(2600, 8)
    assert not lost_text(2600, 2000)
    assert not lost_text(5, 0)


def test_the_second_engine_is_believed_only_where_it_hears_far_more() -> None:
    def read_line(text: str) -> Glyphs:
        return read(make_page(f"BT /F1 20 Tf 50 100 Td ({text}) Tj ET")).glyphs

    spaces, some, more = read_line("A      "), read_line("ABC"), read_line("ABCDEF")
    assert more_text(some, more) is more
    assert more_text(more, some) is None
    assert more_text(some, spaces) is None
    assert more_text(some, None) is None
