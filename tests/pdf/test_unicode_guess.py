"""What glyph names tell."""

from __future__ import annotations

import pytest
from pikepdf import Array, Dictionary, Name

from transforms.pdf.unicode_guess import name_to_text, read_guesser


@pytest.mark.parametrize(
    ("glyph", "text"),
    [("A", "A"), ("eacute", "é"), ("uni20AC", "€"), ("u1F600", "😀"), ("f_f_i", "ffi"), ("one.oldstyle", "1"), ("g17", None), ("cid00123", None), (".notdef", None), ("C0045", None)],
)
def test_names(glyph: str, text: str | None) -> None:
    assert name_to_text(glyph) == text


def test_differences_come_before_the_base_encoding() -> None:
    font = Dictionary(Type=Name.Font, Subtype=Name.Type1, Encoding=Dictionary(BaseEncoding=Name.WinAnsiEncoding, Differences=Array([65, Name.alpha, Name.beta, 90, Name.g3])))
    guesser = read_guesser(font)
    assert guesser is not None
    assert [(guess.text, guess.sure) if (guess := guesser.guess(code)) else None for code in b"ABCZ"] == [("α", True), ("β", True), ("C", True), ("Z", True)]


def test_a_composite_font_with_another_encoding_tells_nothing() -> None:
    assert read_guesser(Dictionary(Type=Name.Font, Subtype=Name.Type0, Encoding=Name("/90ms-RKSJ-H"))) is None
