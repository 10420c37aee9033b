"""Pages with a given content stream, read and set into lines."""

from __future__ import annotations

import io

import pikepdf
from pikepdf import Array, Dictionary, Name

from pdfmill.schemas.glyphs import PageContent
from pdfmill.transforms.pdf.open.document import open_document
from pdfmill.transforms.pdf.text.page import read_page


def make_page(
    content: str, *, fonts: dict[str, Dictionary] | None = None, resources: dict[str, object] | None = None, **page: object
) -> bytes:
    """A PDF of one page of 300 x 200 points. F1 is Helvetica, F2 Times-Italic; `page` adds entries to the page dictionary."""
    pdf = pikepdf.Pdf.new()
    usual = {"F1": standard("Helvetica"), "F2": standard("Times-Italic")} | (fonts or {})
    entries = {"MediaBox": Array([0, 0, 300, 200]), **page}
    obj = Dictionary(
        Type=Name.Page,
        Contents=pdf.make_stream(content.encode("latin-1")),
        Resources=Dictionary(Font=Dictionary({f"/{key}": value for key, value in usual.items()}), **(resources or {})),
        **entries,
    )
    pdf.pages.append(pikepdf.Page(pdf.make_indirect(obj)))
    sink = io.BytesIO()
    pdf.save(sink)
    return sink.getvalue()


def standard(name: str) -> Dictionary:
    """One of the standard fonts."""
    return Dictionary(Type=Name.Font, Subtype=Name.Type1, BaseFont=Name(f"/{name}"), Encoding=Name.WinAnsiEncoding)


def read(data: bytes, number: int = 1) -> PageContent:
    """The content of a page, read with all evidence."""
    document = open_document(data, name="test.pdf")
    try:
        return read_page(document.pdfium, number, document=document)
    finally:
        document.close()


def text_of(content: PageContent) -> str:
    """The characters in order."""
    return "".join(map(chr, content.glyphs.unicode.tolist()))
