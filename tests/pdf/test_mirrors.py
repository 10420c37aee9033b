"""Brackets in right-to-left text."""

from __future__ import annotations

import pytest
from bidi.algorithm import get_display
from pikepdf import Array, Dictionary, Name

from pdfmill.transforms.layout.lines.lines import find_lines
from tests.pdf.pages import make_page, read, text_of

HEBREW = "אבגדהוזחטיךכלםמןנסעףפץצקרשת־"


def hebrew(visual: str) -> bytes:
    """A page that draws a string as it stands, from the left; Hebrew letters are codes from 161 on."""
    names = [Name(f"/afii{57664 + index}") for index in range(27)] + [Name.afii57645]
    font = Dictionary(
        Type=Name.Font, Subtype=Name.Type1, BaseFont=Name.Missing, FirstChar=0, LastChar=255, Widths=Array([600] * 256),
        Encoding=Dictionary(BaseEncoding=Name.WinAnsiEncoding, Differences=Array([161, *names])),
    )  # fmt: skip
    codes = bytes(161 + HEBREW.index(character) if character in HEBREW else ord(character) for character in visual)
    return make_page(f"BT /F9 12 Tf 20 100 Td <{codes.hex()}> Tj ET", fonts={"F9": font})


@pytest.mark.parametrize(
    ("logical", "base"),
    [
        ("זה (מבחן) קצר", "R"),
        ("זה (test) קצר", "R"),
        ("ראה [3] כאן", "R"),
        ("see (שלום) there it is", "L"),
        ("בית־ספר (א)", "R"),
        ("מילה(ות) כאן", "R"),
        ("the word (no) שלום", "L"),
    ],
)
def test_brackets_open_and_close(logical: str, base: str) -> None:
    content = read(hebrew(get_display(logical, base_dir=base)))
    assert [line.text for line in find_lines(content).lines] == [logical]


def test_brackets_come_as_drawn() -> None:
    for visual in (get_display("שלום (עולם) טוב", base_dir="R"), "(a) b [c]"):
        glyphs = read(hebrew(visual)).glyphs
        drawn = sorted(zip(glyphs.x0.tolist(), map(chr, glyphs.unicode.tolist()), strict=True))
        assert "".join(character for _, character in drawn) == visual
    assert text_of(read(hebrew("(a)"))) == "(a)"
