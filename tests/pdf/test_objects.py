from __future__ import annotations

import zlib

import pikepdf
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pikepdf import Array, Dictionary, Name, String

from pdfmill.transforms.pdf.open.limits import Limits
from pdfmill.transforms.pdf.open.objects import (  # fmt: skip
    clean,
    inflate,
    integer,
    iso_date,
    items,
    keys,
    name_tree,
    number_tree,
    rectangle,
    stream_bytes,
    text,
)


@pytest.mark.parametrize(
    ("raw", "characters"),
    [
        (b"\xfe\xff\x00A\x20\xac", "A€"),
        (b"\xff\xfeA\x00", "A"),
        (b"\xef\xbb\xbfgr\xc3\xbc\xc3\x9f", "grüß"),
        (b"\x80 \xa0", "• €"),
        (b"\xfe\xff\x00\x1b\x00e\x00n\x00\x1b\x00A", "A"),
        (b"\xfe\xff\xd8\x00", "\ufffd"),
        (b"A\x00B", "AB"),
    ],
)
def test_text_strings(raw: bytes, characters: str) -> None:
    assert text(String(raw)) == characters


@pytest.mark.parametrize(
    ("characters", "kept"),
    [("a\x1b[2Jb", "a[2Jb"), ("tab\tand\r\nlines", "tab\tand\r\nlines"), ("x\u202efdp.exe\u202c", "xfdp.exe"), ("a\x9b\x85b", "ab")],
)
def test_what_steers_a_terminal_or_a_reader_is_left_out(characters: str, kept: str) -> None:
    assert clean(characters) == kept


def test_text_of_other_types() -> None:
    assert text(Name.Title) == "Title"
    assert text(None) is None
    assert text(Array()) is None


@given(st.text())
def test_clean_text_can_always_be_stored(characters: str) -> None:
    kept = clean(characters)
    kept.encode("utf-8")
    assert "\x00" not in kept
    assert clean(kept) == kept


@pytest.mark.parametrize(
    ("written", "date"),
    [
        ("D:20170627084223+02'00'", "2017-06-27T08:42:23+02:00"),
        ("D:20060628162229Z", "2006-06-28T16:22:29Z"),
        ("D:20150417144333", "2015-04-17T14:43:33"),
        ("D:199812", "1998-12-01T00:00:00"),
        ("D:19990209153925-08'00", "1999-02-09T15:39:25-08:00"),
        ("20220101", "2022-01-01T00:00:00"),
        ("2009-10-14T19:26:43+02:00", "2009-10-14T19:26:43+02:00"),
        ("yesterday", "yesterday"),
        ("D:20251399", "D:20251399"),
    ],
)
def test_dates_keep_their_zone(written: str, date: str) -> None:
    assert iso_date(written) == date


def test_wrong_types_are_empty() -> None:
    assert integer(True) is None
    assert integer(10**30) is None
    assert rectangle(Array([0, 0, 1])) is None
    assert rectangle(Array([0, Name.X, 1, 2])) is None
    assert rectangle(Array([10, 20, 0, 5])) == (0, 5, 10, 20)
    assert items(None) == []
    assert items(7) == [7]
    assert keys(None) == []
    assert stream_bytes(None) == b""


def test_long_arrays_are_cut() -> None:
    assert items(Array(range(10)), Limits(max_nodes=3)) == [0, 1, 2]


def test_trees_that_loop_end() -> None:
    pdf = pikepdf.new()
    node = pdf.make_indirect(Dictionary(Names=Array([String("a"), 1, String("b"), 2])))
    node["/Kids"] = Array([node])
    assert list(name_tree(node)) == [("a", 1), ("b", 2)]


def test_number_tree_in_order() -> None:
    leaves = [Dictionary(Nums=Array([0, String("x")])), Dictionary(Nums=Array([4, String("y"), String("bad"), 1]))]
    assert [key for key, _ in number_tree(Dictionary(Kids=Array(leaves)))] == [0, 4]


def test_truncated_stream_gives_what_there_is() -> None:
    whole = bytes(range(256)) * 500
    assert whole.startswith(inflate(zlib.compress(whole)[:-40]))
    assert inflate(zlib.compress(whole)[:-40])


def test_deflate_bomb_is_refused() -> None:
    with pytest.raises(ValueError, match="1000"):
        inflate(zlib.compress(bytes(10_000)), Limits(max_stream=1000))


def test_stream_behind_two_filters() -> None:
    pdf = pikepdf.new()
    stream = pdf.make_stream(zlib.compress(b"hello").hex().encode() + b">")
    stream["/Filter"] = Array([Name.ASCIIHexDecode, Name.FlateDecode])
    assert stream_bytes(stream) == b"hello"


def test_the_empty_name_is_no_key() -> None:
    pdf = pikepdf.new()
    pdf.add_blank_page()
    holder = pdf.make_indirect(pikepdf.Object.parse(b"<< / 1 /Length 2 >>"))
    assert len(holder.keys()) == 2, "the library gives it"
    assert keys(holder) == ["/Length"]
