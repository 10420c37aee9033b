"""Files that were cut off or overwritten: pages whose content is gone say so, and what is there of a content is read."""

from __future__ import annotations

import zlib

import pytest

from pdfmill.schemas.records import PageLines
from pdfmill.transforms.pdf.open.document import open_document
from pdfmill.transforms.road.document_road import read_page_lines
from tests.torture.reading import CATALOG, FONT, raw_pdf, read, stream

SHOWN = b"BT /F1 12 Tf 14 TL 20 800 Td " + b" ".join(b"(line %d, %d) '" % (n, n * 7919 % 1000) for n in range(50)) + b" ET"


def whole(packed: bool = True) -> bytes:
    """Three pages of fifty lines, each before its content in the file: objects 4 to 9."""
    content = stream(zlib.compress(SHOWN), b"/Filter/FlateDecode") if packed else stream(SHOWN)
    page = b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 850]/Contents %d 0 R/Resources<</Font<</F1 3 0 R>>>>>>"
    return raw_pdf(
        [CATALOG, b"<</Type/Pages/Count 3/Kids[4 0 R 6 0 R 8 0 R]>>", FONT, page % 5, content, page % 7, content, page % 9, content]
    )


def pages_of(data: bytes) -> list[PageLines]:
    document = open_document(data, name="a.pdf")
    try:
        return [read_page_lines(document, number) for number in range(1, document.page_count + 1)]
    finally:
        document.close()


@pytest.mark.parametrize("packed", [True, False])
def test_a_content_that_was_cut_off_is_read_up_to_its_end(packed: bool):
    data = whole(packed)
    last = pages_of(data[: data.index(b"9 0 obj") + 200])[-1]
    assert 5 < len(last.lines) < 50
    assert [(each.code, each.message) for each in last.warnings] == [("content_incomplete", "page 3: the file ends within its content")]
    assert pages_of(data[: data.rindex(b"endstream") + 4])[-1].lines[49].text == "line 49, 31"


def test_a_page_whose_content_is_gone_is_a_failed_page(tmp_path):
    data = whole()
    found = read(tmp_path / "cut.pdf", data[: data.index(b"9 0 obj")])
    assert found.reason == ("partial", "content_missing")
    assert found.row["error_message"] == "page 3: its content is not in the file"
    assert [(page["status"], page["error_code"], page["height"]) for page in found.pages] == [
        ("ok", None, 850.0),
        ("ok", None, 850.0),
        ("failed", "content_missing", 850.0),
    ]


def test_a_document_whose_text_is_cut_is_partial(tmp_path):
    data = whole()
    found = read(tmp_path / "cut.pdf", data[: data.index(b"9 0 obj") + 200])
    assert found.reason == ("partial", "content_incomplete")
    assert [page["status"] for page in found.pages] == ["ok", "ok", "partial"]


def test_without_any_content_there_are_still_facts(tmp_path):
    data = whole().replace(b"/Contents 5 0 R", b"/Contents 9 0 R").replace(b"/Contents 7 0 R", b"/Contents 9 0 R")
    found = read(tmp_path / "cut.pdf", data[: data.index(b"9 0 obj")])
    assert found.reason == ("partial", "content_missing")
    assert [page["status"] for page in found.pages] == ["failed"] * 3


def test_one_of_several_contents_is_gone():
    data = whole().replace(b"/Contents 5 0 R", b"/Contents[5 0 R 10 0 R]")
    first = pages_of(data[: data.index(b"xref")])[0]
    assert (len(first.lines), [each.message for each in first.warnings]) == (
        50,
        ["page 1: 1 of the 2 parts of its content are not in the file"],
    )


def test_an_empty_page_of_a_damaged_file_is_an_empty_page():
    data = whole().replace(b"/Contents 5 0 R", b"               ")
    first, second, _ = pages_of(data[: data.index(b"xref")])
    assert (first.lines, first.failure, first.warnings) == ([], None, [])
    assert len(second.lines) == 50


def test_a_reference_to_nothing_in_a_sound_file_is_an_empty_page():
    """As the standard has it (ISO 32000-2 §7.3.10)."""
    first = pages_of(whole().replace(b"/Contents 5 0 R", b"/Contents 0 9 R"))[0]
    assert (first.lines, first.failure, first.warnings) == ([], None, [])


def test_a_stream_without_its_last_keyword_is_not_cut_off():
    data = whole()
    last = data.rindex(b"endstream")
    third = pages_of(data[:last] + data[last + 9 : data.index(b"xref")])[2]
    assert (len(third.lines), third.warnings) == (50, [])
