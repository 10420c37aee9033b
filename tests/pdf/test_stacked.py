"""Columns of characters set one by one."""

from __future__ import annotations

import numpy as np

from pdfmill.schemas.glyphs import GlyphFlag, Glyphs
from pdfmill.schemas.records import FontStyle
from pdfmill.transforms.pdf.text.writing_direction import mark_stacked


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


def test_punctuation_of_a_vertical_font_does_not_part_a_column() -> None:
    glyphs = _column("一項︑二", 10)
    glyphs.angle[2], glyphs.flags[2] = 90, GlyphFlag.VERTICAL
    mark_stacked(glyphs)
    assert glyphs.angle.tolist() == [90] * 4
