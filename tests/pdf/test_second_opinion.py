"""Pages whose text PDFium drops, and columns of characters set one by one."""

from __future__ import annotations

import numpy as np
from pikepdf import Array

from schemas.glyphs import GlyphFlag, Glyphs
from schemas.records import FontStyle
from tests.pdf.pages import make_page, read
from transforms.pdf.document import open_document
from transforms.pdf.second_opinion import lost_text, read_again
from transforms.pdf.space import PageSpace
from transforms.pdf.stacked import mark_stacked


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


def _column(text: str, step: float) -> Glyphs:
    count = len(text)
    x, y = np.full(count, 50, np.float32), np.arange(count, dtype=np.float32) * np.float32(step) + 100
    zeros = np.zeros(count, np.int32)
    return Glyphs(
        np.array([ord(c) for c in text], np.uint32), x, y, x + 10, y + 10, x, y + 8, np.zeros(count, np.int16), zeros, zeros, zeros - 1,
        np.zeros(count, np.uint8), [FontStyle("Ryumin", 10.0)],
    )  # fmt: skip


def test_characters_under_each_other_are_vertical_writing() -> None:
    glyphs = _column("道路横断", 10)
    mark_stacked(glyphs)
    assert (glyphs.flags == GlyphFlag.VERTICAL).all()
    assert glyphs.angle.tolist() == [90] * 4


def test_two_lines_of_one_character_and_latin_columns_are_not() -> None:
    for glyphs in (_column("道路", 10), _column("abcd", 10), _column("道路横断", 30)):
        mark_stacked(glyphs)
        assert not glyphs.flags.any()
