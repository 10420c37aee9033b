"""Rows and columns that the tags of a table state."""

from __future__ import annotations

import pikepdf
from pikepdf import Array, Dictionary, Name

from pdfmill.schemas.records import TaggedCell
from pdfmill.transforms.pdf.facts.tags import read_page_tags
from pdfmill.transforms.pdf.open.document import PdfDocument
from tests.pdf.make import make_document
from tests.pdf.test_tags import element, tagged


def cell(pdf: pikepdf.Pdf, kind: str, content: int | None, page: int = 1, **attributes: object) -> Dictionary:
    made = element(pdf, kind, *([] if content is None else [content]), page=page)
    if attributes:
        made["/A"] = Array([Dictionary(O=Name.Layout, Width=9), Dictionary(O=Name.Table, **attributes)])
    return made


def cells(document: PdfDocument, page: int = 1) -> tuple[TaggedCell, ...]:
    (table,) = [each for each in read_page_tags(document, page, []) if each.kind == "Table"]
    return table.cells


def places(document: PdfDocument, page: int = 1) -> list[tuple[int, int, int, int, tuple[int, ...]]]:
    return [(each.row, each.column, each.down, each.across, each.content) for each in cells(document, page)]


def test_spanning_cells_push_the_others_on() -> None:
    def tree(pdf: pikepdf.Pdf) -> Dictionary:
        first = element(pdf, "TR", cell(pdf, "TH", 0, RowSpan=2), cell(pdf, "TH", 1, ColSpan=2, Scope=Name.Column))
        second = element(pdf, "TR", cell(pdf, "TH", 2), cell(pdf, "TH", None))
        third = element(pdf, "TR", cell(pdf, "TH", 3, Scope=Name.Row), cell(pdf, "TD", 4), cell(pdf, "TD", 5))
        return element(pdf, "Table", element(pdf, "THead", first, second), element(pdf, "TBody", third))

    document = tagged(tree)
    assert places(document) == [
        (0, 0, 2, 1, (0,)),
        (0, 1, 1, 2, (1,)),
        (1, 1, 1, 1, (2,)),
        (1, 2, 1, 1, ()),
        (2, 0, 1, 1, (3,)),
        (2, 1, 1, 1, (4,)),
        (2, 2, 1, 1, (5,)),
    ]
    assert [each.head for each in cells(document)] == ["column", "column", "column", "column", "row", "", ""]


def test_attributes_of_classes_count_after_a_cells_own() -> None:
    def edit(pdf: pikepdf.Pdf) -> None:
        wide, own = cell(pdf, "TD", 0), cell(pdf, "TD", 1, ColSpan=1)
        wide["/C"] = own["/C"] = Name.Wide
        rows = [element(pdf, "TR", wide, own), element(pdf, "TR", *(cell(pdf, "TD", n) for n in (2, 3, 4)))]
        classes = Dictionary(Wide=Dictionary(O=Name.Table, ColSpan=2))
        pdf.Root["/StructTreeRoot"] = pdf.make_indirect(Dictionary(K=element(pdf, "Table", *rows), ClassMap=classes))

    assert [place[1:4] for place in places(make_document(edit))[:2]] == [(0, 1, 2), (2, 1, 1)]


def test_each_page_has_its_rows_and_a_table_in_a_cell_is_text_of_it() -> None:
    def tree(pdf: pikepdf.Pdf) -> Dictionary:
        inner = element(pdf, "Table", element(pdf, "TR", cell(pdf, "TD", 2), cell(pdf, "TD", 3)))
        rows = [
            element(pdf, "TR", cell(pdf, "TD", 0), cell(pdf, "TD", 1)),
            element(pdf, "TR", element(pdf, "TD", inner, page=1), cell(pdf, "TD", 4)),
            element(pdf, "TR", cell(pdf, "TD", 0, page=2), cell(pdf, "TD", 1, page=2)),
        ]
        return element(pdf, "Table", element(pdf, "Caption", 9, page=1), *rows)

    document = tagged(tree)
    assert places(document) == [(0, 0, 1, 1, (0,)), (0, 1, 1, 1, (1,)), (1, 0, 1, 1, (2, 3)), (1, 1, 1, 1, (4,))]
    assert places(document, 2) == [(0, 0, 1, 1, (0,)), (0, 1, 1, 1, (1,))]


def test_cells_without_rows_and_hostile_spans_make_none() -> None:
    def loose(pdf: pikepdf.Pdf) -> Dictionary:
        return element(pdf, "Table", cell(pdf, "TD", 0), element(pdf, "TR", cell(pdf, "TD", 1)))

    def huge(pdf: pikepdf.Pdf) -> Dictionary:
        return element(pdf, "Table", element(pdf, "TR", *(cell(pdf, "TD", n, RowSpan=10**9, ColSpan=10**9) for n in range(3))))

    def odd(pdf: pikepdf.Pdf) -> Dictionary:
        return element(pdf, "Table", element(pdf, "TR", cell(pdf, "TD", 0, ColSpan=Name.Two), cell(pdf, "TD", 1, RowSpan=-3)))

    assert cells(tagged(loose)) == ()
    assert cells(tagged(huge)) == ()
    assert [place[:4] for place in places(tagged(odd))] == [(0, 0, 1, 1), (0, 1, 1, 1)]
