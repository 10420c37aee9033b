"""Small PDFs for the tests, made object by object."""

from __future__ import annotations

import io
import warnings
from collections.abc import Callable

import pikepdf
from pikepdf import Array, Dictionary, Name, String

from pdfmill.transforms.pdf.open.document import PdfDocument, open_document

HELVETICA = Dictionary(Type=Name.Font, Subtype=Name.Type1, BaseFont=Name.Helvetica, Encoding=Name.WinAnsiEncoding)


def make_pdf(edit: Callable[[pikepdf.Pdf], None] | None = None, *, pages: int = 1, text: str = "Hello", **save: object) -> bytes:
    """A PDF of `pages` pages of 200 x 100 points, each with `text` and its number; `edit` changes it before it is saved."""
    pdf = pikepdf.Pdf.new()
    font = pdf.make_indirect(Dictionary(HELVETICA))
    for number in range(1, pages + 1):
        content = pdf.make_stream(f"BT /F1 12 Tf 20 50 Td ({text} {number}) Tj ET".encode())
        page = Dictionary(
            Type=Name.Page, MediaBox=Array([0, 0, 200, 100]), Contents=content, Resources=Dictionary(Font=Dictionary(F1=font))
        )
        pdf.pages.append(pikepdf.Page(pdf.make_indirect(page)))
    if edit is not None:
        edit(pdf)
    sink = io.BytesIO()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", pikepdf.PageCopyWarning)
        pdf.save(sink, **{"fix_metadata_version": False, **save})
    return sink.getvalue()


def make_document(edit: Callable[[pikepdf.Pdf], None] | None = None, *, pages: int = 1) -> PdfDocument:
    """The same, opened."""
    return open_document(make_pdf(edit, pages=pages), name="test.pdf")


def script(code: str) -> Dictionary:
    """A JavaScript action."""
    return Dictionary(S=Name.JavaScript, JS=String(code))


def annotation(kind: str, **entries: object) -> Dictionary:
    """An annotation in the lower left corner."""
    return Dictionary(Type=Name.Annot, Subtype=Name(f"/{kind}"), Rect=Array([10, 20, 60, 40]), **entries)


def add_annotations(pdf: pikepdf.Pdf, *annotations: Dictionary, page: int = 1) -> list[Dictionary]:
    """Put annotations on a page; returns them as indirect objects."""
    found = [pdf.make_indirect(each) for each in annotations]
    pdf.pages[page - 1].obj["/Annots"] = Array(found)
    return found


def embedded(pdf: pikepdf.Pdf, data: bytes, name: str, **entries: object) -> Dictionary:
    """A file specification that holds a file."""
    stream = pdf.make_stream(data)
    stream["/Type"] = Name.EmbeddedFile
    return pdf.make_indirect(Dictionary(Type=Name.Filespec, F=String(name), UF=String(name), EF=Dictionary(F=stream), **entries))
