"""Files that lost what leads to their object streams: downloads that broke off."""

from __future__ import annotations

import re
import zlib

import pikepdf
import pytest

from pdfmill.transforms.layout.lines.lines import find_lines
from pdfmill.transforms.pdf.open.document import DocumentError, open_document
from pdfmill.transforms.pdf.open.salvage import unpacked_objects
from pdfmill.transforms.road.document_road import read_page_lines
from pdfmill.transforms.road.page_rows import needs_ocr
from tests.pdf.make import make_pdf
from tests.pdf.pages import read, text_of

MOST = 1 << 20


def stream(objects: dict[int, bytes], number: int = 50, *, packed: bool = True, entries: bytes = b"") -> bytes:
    """An object stream of these objects."""
    offsets, body = [], b""
    for each, text in objects.items():
        offsets.append(b"%d %d" % (each, len(body)))
        body += text + b" "
    head = b" ".join(offsets) + b"\n"
    samples = zlib.compress(head + body) if packed else head + body
    told = b"/Filter/FlateDecode" if packed else b""
    return b"%d 0 obj\n<</Type/ObjStm/N %d/First %d%s/Length %d%s>>\nstream\n%s\nendstream\nendobj\n" % (
        number, len(objects), len(head), told, len(samples), entries, samples,
    )  # fmt: skip


@pytest.mark.parametrize("packed", [True, False])
def test_objects_are_written_plainly(packed: bool) -> None:
    data = b"%PDF-1.5\n" + stream({3: b"<</A 1>>", 4: b"[1 2]"}, packed=packed)
    assert unpacked_objects(data, MOST) == b"\n3 0 obj\n<</A 1>>\nendobj\n4 0 obj\n[1 2]\nendobj"


def test_what_the_file_says_later_counts() -> None:
    first, second = stream({3: b"(old)", 4: b"(old)", 5: b"(kept)"}, 50), stream({3: b"(new)"}, 51)
    found = unpacked_objects(first + second + b"4 0 obj\n(plain)\nendobj\n", MOST)
    assert found == b"\n5 0 obj\n(kept)\nendobj\n3 0 obj\n(new)\nendobj"


def test_a_stream_that_is_cut_off_gives_what_is_left() -> None:
    objects = {number: b"(%s)" % bytes(str(hash((number, "text"))), "ascii") * 9 for number in range(3, 40)}
    data = stream(objects)
    found = re.findall(rb"\n(\d+) 0 obj\n(.*)\nendobj", unpacked_objects(data[: len(data) * 2 // 3], MOST))
    assert 3 < len(found) < len(objects)
    assert all(objects[int(number)] == text for number, text in found)


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"/Type/ObjStm",
        b"1 0 obj\n<</Type/ObjStm/N 1/First 5>>\nendobj\n",
        stream({3: b"null"}, entries=b"/DecodeParms<</Predictor 12>>"),
        stream({3: b"null"}).replace(b"/FlateDecode", b"/LZWDecode"),
        stream({3: b"null"}).replace(b"\x78\x9c", b"\x00\x00"),
        stream({3: b"null"}, packed=False).replace(b"3 0\n", b"x y\n"),
    ],
)
def test_what_cannot_be_unpacked_is_left(data: bytes) -> None:
    assert unpacked_objects(data, MOST) == b""


def test_no_more_is_unpacked_than_allowed() -> None:
    bomb = stream({3: b"(" + b"a" * (1 << 22) + b")", 4: b"null"})
    assert unpacked_objects(bomb, MOST) == b""
    assert len(unpacked_objects(bomb, 1 << 23)) > 1 << 22


def broken_off(objects: int = 0) -> bytes:
    """A document of three pages, its objects packed, without the cross-reference stream that leads to them, and without so many contents
    before that."""
    data = make_pdf(pages=3, object_stream_mode=pikepdf.ObjectStreamMode.generate)
    heads = [match.start() for match in re.finditer(rb"\d+ 0 obj", data[: data.index(b"/XRef")])]
    assert data.index(b"/ObjStm") < heads[-3]
    return data[: heads[-1 - objects]]


def test_pages_of_a_download_that_broke_off_are_read() -> None:
    document = open_document(broken_off(), name="x")
    assert document.page_count == 3
    assert [text_of(read(broken_off(), number)) for number in (1, 2, 3)] == ["Hello 1", "Hello 2", "Hello 3"]
    assert "repaired_page_tree" in [each.code for each in document.warnings]


def test_a_page_whose_content_did_not_come_says_so() -> None:
    document = open_document(broken_off(1), name="x")
    pages = [read_page_lines(document, number) for number in (1, 2, 3)]
    assert [page.failure.code if page.failure else None for page in pages] == [None, None, "content_missing"]


def test_text_of_a_font_that_did_not_come_is_not_trusted() -> None:
    data = make_pdf(object_stream_mode=pikepdf.ObjectStreamMode.disable)
    (font,) = (match for match in re.finditer(rb"\d+ 0 obj\s.*?endobj", data, re.DOTALL) if b"/Helvetica" in match[0])
    lost = data[: font.start()] + data[font.end() : data.rindex(b"xref\n0")]
    document = open_document(lost[: lost.rindex(b"endobj")], name="x")
    page = read_page_lines(document, 1)
    assert "".join(line.text for line in page.lines) == "Hello 1"  # by PDFium's own font, which may not be that of the file
    assert needs_ocr(page)
    whole = open_document(data, name="x")
    assert not needs_ocr(find_lines(read(data)))
    assert not whole.rebuilt


def test_nothing_comes_of_nothing() -> None:
    with pytest.raises(DocumentError) as caught:
        open_document(broken_off()[:200], name="x")
    assert caught.value.code == "damaged"


def test_content_that_says_it_is_a_picture_costs_no_page() -> None:
    def spoil(pdf: pikepdf.Pdf) -> None:
        pdf.pages[0].obj.Contents.write(b"BT ET", filter=pikepdf.Name.JBIG2Decode)

    data = make_pdf(spoil, object_stream_mode=pikepdf.ObjectStreamMode.disable)
    document = open_document(data[: data.rindex(b"xref\n0")], name="x")
    assert document.rebuilt
    page = read_page_lines(document, 1)
    assert page.failure is None or page.failure.code == "content_missing"
