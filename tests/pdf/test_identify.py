from __future__ import annotations

import pytest

from pdfmill.transforms.pdf.open.identify import find_signature, guess_format, looks_like_pdf


@pytest.mark.parametrize(
    ("data", "kind", "offset", "version"),
    [
        (b"%PDF-1.7\n", "pdf", 0, "1.7"),
        (b"\xef\xbb\xbf%PDF-2.0\n", "pdf", 3, "2.0"),
        (bytes(128) + b"%PDF-1.3\n", "pdf", 128, "1.3"),
        (b"@PJL ENTER LANGUAGE = PDF\r\n" * 300 + b"%PDF-1.4", "pdf", 8100, "1.4"),
        (b"%!PS-Adobe-3.0 PDF-1.2\n", "pdf", 0, "1.2"),
        (b"%FDF-1.2\n", "fdf", 0, "1.2"),
        (b"%PDF-bad\n", "pdf", 0, None),
        (b'<?xml version="1.0"?>\n<xfdf xmlns="http://ns.adobe.com/xfdf/">', "xfdf", 0, None),
    ],
)
def test_signature_wherever_it_lies(data: bytes, kind: str, offset: int, version: str | None) -> None:
    found = find_signature(data)
    assert found is not None
    assert (found.kind, found.offset, found.version) == (kind, offset, version)


def test_no_signature() -> None:
    assert find_signature(b"GIF89a") is None
    assert find_signature(b"") is None


@pytest.mark.parametrize(
    ("data", "word"),
    [
        (b"\x89PNG\r\n\x1a\n", "png"),
        (b"PK\x03\x04" + b"\0" * 26 + b"word/document.xml", "docx"),
        (b"PK\x03\x04plain", "zip"),
        (b"<!DOCTYPE html><html>", "html"),
        (b"{\\rtf1", "rtf"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "ole"),
        (b"Dear Sir,", "text"),
        (b"\x00\x01\x02\x03", "unknown"),
        (b"", "empty"),
    ],
)
def test_what_other_bytes_look_like(data: bytes, word: str) -> None:
    assert guess_format(data) == word


def test_pdf_syntax_without_a_signature() -> None:
    assert looks_like_pdf(b"1 0 obj <</Type /Catalog>> endobj")
    assert not looks_like_pdf(b"a text about the word endobj")
