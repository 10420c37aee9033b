"""Pages that lack what they must have are read as readers read them, and said to be repaired."""

from __future__ import annotations

import pikepdf
from pikepdf import Array, Dictionary, Name

from pdfmill.transforms.pdf.facts.facts import read_facts
from pdfmill.transforms.pdf.open.document import open_document
from tests.pdf.make import make_document, make_pdf


def repairs(data: bytes) -> list[str]:
    facts = read_facts(open_document(data, name="x"), data)
    return [each.message for each in facts.warnings if each.code == "repaired_page"]


def test_a_sound_tree_needs_none() -> None:
    assert repairs(make_pdf(pages=3)) == []


def test_what_a_page_lacks() -> None:
    def edit(pdf: pikepdf.Pdf) -> None:
        del pdf.pages[1].obj["/MediaBox"]
        del pdf.pages[2].obj["/Resources"]
        pdf.pages[2].obj["/Type"] = Name.Pagina

    assert repairs(make_pdf(edit, pages=3)) == [
        "1 of 3 pages (the first is page 3) lack the type Page",
        "1 of 3 pages (the first is page 2) have no media box; the size US Letter is assumed",
        "1 of 3 pages (the first is page 3) have no resources",
    ]


def test_inherited_attributes_count() -> None:
    def edit(pdf: pikepdf.Pdf) -> None:
        for key in ("/MediaBox", "/Resources"):
            pdf.Root.Pages[key] = pdf.pages[0].obj[key]
            del pdf.pages[0].obj[key]

    assert repairs(make_pdf(edit)) == []


def test_kids_that_are_no_pages() -> None:
    def edit(pdf: pikepdf.Pdf) -> None:
        kids = pdf.Root.Pages.Kids
        pdf.Root.Pages.Kids = Array([*kids, 7, kids[0], Dictionary(kids[0])])

    document = make_document(edit)
    facts = read_facts(document, document.data)
    assert {each.message for each in facts.warnings if each.code == "repaired_page"} == {
        "1 entries of the page tree refer to no page",
        "1 of 3 pages (the first is page 3) are written in the page tree directly instead of by reference",
        "a page is listed in the page tree more than once",
    }


def test_a_version_that_does_not_exist() -> None:
    data = make_pdf(object_stream_mode=pikepdf.ObjectStreamMode.disable).replace(b"%PDF-1.", b"%PDF-7.", 1)
    assert [each.code for each in open_document(data, name="x").warnings] == ["header_invalid"]
