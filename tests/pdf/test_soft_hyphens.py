"""Soft and hard hyphens at line ends, as fonts and codes tell them."""

from __future__ import annotations

import io
from collections.abc import Mapping

import pikepdf
import pytest
from pikepdf import Array, Dictionary, Name

from pdfmill.transforms.layout.lines.lines import find_lines
from pdfmill.transforms.layout.page.hyphens import join_lines
from pdfmill.transforms.layout.settings.layout_settings import HyphenMode
from tests.pdf.pages import make_page, read, text_of
from tests.pdf.to_unicode import to_cmap

ASCII = {code: code for code in range(32, 127)}
SOFT = "\N{SOFT HYPHEN}"


def with_map(content: str, characters: Mapping[int, int], encoding: Name | None = None) -> bytes:
    """A page whose font F1 has a ToUnicode map."""
    pdf = pikepdf.Pdf.open(io.BytesIO(make_page(content)))
    font = pdf.pages[0].obj.Resources.Font.F1
    font.ToUnicode = pdf.make_stream(to_cmap({code: chr(character) for code, character in characters.items()}, 1))
    font.FirstChar, font.Widths = 1, Array([500] * 255)
    del font.Encoding
    if encoding is not None:
        font.Encoding = encoding
    sink = io.BytesIO()
    pdf.save(sink)
    return sink.getvalue()


def lines_of(data: bytes) -> list[str]:
    return [line.text for line in find_lines(read(data)).lines]


def shown(*lines: str, font: str = "F1") -> str:
    return f"BT /{font} 12 Tf 14 TL 20 150 Td " + " T* ".join(f"({line}) Tj" for line in lines) + " ET"


def test_a_font_that_has_both_is_asked_for_the_code() -> None:
    data = with_map(shown("an upright neu\\001", "tral and well-", "known name"), ASCII | {1: 0xAD})
    assert lines_of(data) == [f"an upright neu{SOFT}", "tral and well-", "known name"]
    assert join_lines(lines_of(data), mode=HyphenMode.SOFT).text == "an upright neutral and well- known name"


def test_a_font_that_has_only_the_soft_one_settles_it() -> None:
    data = with_map(shown("an upright neu-", "tral name"), ASCII | {45: 0xAD})
    assert text_of(read(data)) == f"an upright neu{SOFT}tral name"


def test_the_same_code_within_a_line_shows_that_it_is_the_hyphen() -> None:
    assert lines_of(with_map(shown("a well-known and well-", "read name"), ASCII | {45: 0xAD})) == ["a well-known and well-", "read name"]


@pytest.mark.parametrize(
    ("encoding", "expected"),
    [
        (Name.WinAnsiEncoding, SOFT),  # the standard's meaning of its second hyphen
        (Dictionary(BaseEncoding=Name.WinAnsiEncoding, Differences=Array([173, Name.hyphen])), "-"),
        (Dictionary(BaseEncoding=Name.WinAnsiEncoding, Differences=Array([173, Name.softhyphen])), SOFT),
        (Dictionary(Differences=Array([173, Name.hyphen])), "-"),
    ],
    ids=["the second hyphen", "a hyphen by name", "a soft hyphen by name", "no encoding"],
)
def test_encodings_tell_too(encoding: Name | Dictionary, expected: str) -> None:
    font = Dictionary(Type=Name.Font, Subtype=Name.Type1, BaseFont=Name.Helvetica, Encoding=encoding)
    data = make_page(shown("an upright neu\\255", "tral and well-", "known name", font="F3"), fonts={"F3": font})
    assert lines_of(data) == [f"an upright neu{expected}", "tral and well-", "known name"]


def test_what_the_map_says_of_the_second_hyphen_counts() -> None:
    assert lines_of(with_map(shown("an upright neu\\255", "tral name"), ASCII | {173: 45}, Name.WinAnsiEncoding)) == [
        "an upright neu-",
        "tral name",
    ]


def test_a_hyphen_stays_one() -> None:
    assert lines_of(make_page(shown("well-", "known"))) == ["well-", "known"]
