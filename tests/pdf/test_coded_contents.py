"""Content that stands in the samples of a JPEG."""

from __future__ import annotations

import io

import pikepdf
import pytest
from pikepdf import Name
from PIL import Image

from pdfmill.transforms.pdf.open import contents as coded_contents
from pdfmill.transforms.pdf.open.document import PdfDocument
from pdfmill.transforms.pdf.text.page import read_page
from tests.pdf.make import make_document


def pictured(content: bytes, second: bytes | None = None) -> PdfDocument:
    """A document of two pages, the second with its content as a picture of one row; `second` for the picture's own bytes."""

    def edit(pdf: pikepdf.Pdf) -> None:
        sink = io.BytesIO()
        Image.frombytes("L", (len(content), 1), content).save(sink, "JPEG", quality=100, subsampling=0)
        stream = pdf.make_stream(sink.getvalue() if second is None else second)
        stream["/Filter"] = Name.DCTDecode
        pdf.pages[1].obj["/Contents"] = stream
        pdf.Root.Pages["/MediaBox"] = pdf.pages[1].obj["/MediaBox"]
        pdf.Root.Pages["/Resources"] = pdf.pages[1].obj["/Resources"]
        del pdf.pages[1].obj["/MediaBox"], pdf.pages[1].obj["/Resources"]

    return make_document(edit, pages=2)


SHOWN = b"BT /F1 12 Tf 20 50 Td (Samples) Tj ET"


def text_of(document: PdfDocument) -> tuple[str, list[str]]:
    content = read_page(document.pdfium, 2, document=document)
    return "".join(map(chr, content.glyphs.unicode)), [each.code for each in content.warnings]


def test_content_in_a_picture_is_read_and_told() -> None:
    document = pictured(SHOWN)
    assert text_of(document) == ("Samples", ["repaired_object"])
    read = read_page(document.pdfium, 2, document=document)
    assert (read.page, read.width, read.height) == (2, 200.0, 100.0)


def test_no_picture_and_one_too_large_show_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    assert text_of(pictured(SHOWN, b"no picture")) == ("", [])
    monkeypatch.setattr(coded_contents, "_MAX_SAMPLES", 10)
    assert text_of(pictured(SHOWN)) == ("", [])
