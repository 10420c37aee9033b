"""The structure tree, and what it makes of a page."""

from __future__ import annotations

import pikepdf
from pikepdf import Array, Dictionary, Name

from pdfmill.transforms.pdf.facts.tags import read_page_tags, read_tags
from pdfmill.transforms.pdf.open.document import PdfDocument
from tests.pdf.make import make_document


def element(pdf: pikepdf.Pdf, kind: str, *kids: object, page: int | None = None) -> Dictionary:
    entries = {} if page is None else {"/Pg": pdf.pages[page - 1].obj}
    return pdf.make_indirect(Dictionary({"/S": Name(f"/{kind}"), "/K": Array(kids), **entries}))


def tagged(tree: object, roles: Dictionary | None = None) -> PdfDocument:
    """A document of two pages with the tree that `tree` makes of its PDF."""

    def edit(pdf: pikepdf.Pdf) -> None:
        assert callable(tree)
        pdf.Root["/StructTreeRoot"] = pdf.make_indirect(Dictionary(K=tree(pdf), RoleMap=roles or Dictionary()))

    return make_document(edit, pages=2)


def summary(document: PdfDocument, page: int) -> list[tuple[str, int, tuple[int, ...], bool]]:
    return [(each.kind, each.level, each.content, each.carried) for each in read_page_tags(document, page, [])]


def test_blocks_in_tree_order_with_their_content() -> None:
    def tree(pdf: pikepdf.Pdf) -> Dictionary:
        link = element(pdf, "Link", 4, page=1)
        return element(pdf, "Document", element(pdf, "H2", 3, page=1), element(pdf, "P", 1, link, 2, page=1), element(pdf, "P", 0, page=2))

    document = tagged(tree)
    assert summary(document, 1) == [("H2", 2, (3,), False), ("P", 0, (1, 4, 2), False)]
    assert summary(document, 2) == [("P", 0, (0,), False)]
    assert summary(make_document(), 1) == []


def test_lists_nest_and_a_second_paragraph_of_an_item_is_its_own() -> None:
    def item(pdf: pikepdf.Pdf, label: int, *kids: object) -> Dictionary:
        return element(pdf, "LI", element(pdf, "Lbl", label, page=1), element(pdf, "LBody", *kids))

    def tree(pdf: pikepdf.Pdf) -> Dictionary:
        inner = element(pdf, "L", item(pdf, 3, element(pdf, "Span", 4, page=1)))
        return element(pdf, "L", item(pdf, 0, element(pdf, "P", 1, page=1), element(pdf, "P", 2, page=1), inner))

    assert summary(tagged(tree), 1) == [("LI", 1, (0, 1), False), ("P", 0, (2,), False), ("LI", 2, (3, 4), False)]


def test_cells_belong_to_their_table_and_captions_do_not() -> None:
    def tree(pdf: pikepdf.Pdf) -> Dictionary:
        row = element(pdf, "TR", element(pdf, "TD", element(pdf, "P", 1, page=1)), element(pdf, "TD", 2, page=1))
        return element(pdf, "Sect", element(pdf, "Table", element(pdf, "Caption", 0, page=1), row))

    assert [each[:3] for each in summary(tagged(tree), 1)] == [("Table", 0, (1, 2)), ("Caption", 0, (0,))]


def test_role_map_generic_headings_and_content_over_two_pages() -> None:
    def tree(pdf: pikepdf.Pdf) -> Dictionary:
        over = Dictionary(Type=Name.MCR, Pg=pdf.pages[1].obj, MCID=0)
        of_form = Dictionary(Type=Name.MCR, Pg=pdf.pages[1].obj, MCID=0, Stm=pdf.make_stream(b""))
        chapter = element(pdf, "Sect", element(pdf, "H", 5, page=1))
        return element(pdf, "Part", chapter, element(pdf, "Text", 1, over, of_form, page=1), element(pdf, "Odd", 2, page=1))

    document = tagged(tree, Dictionary(Text=Name("/Body"), Body=Name.P, Odd=Name("/Odd")))
    assert summary(document, 1) == [("H", 2, (5,), False), ("P", 0, (1,), False)]
    assert summary(document, 2) == [("P", 0, (0,), True)]
    assert {each["type"] for each in read_tags(document)["struct_types"]} == {"Part", "Sect", "H", "P", "Odd"}  # type: ignore[attr-defined, union-attr]


def test_loops_and_wrong_types_end() -> None:
    def tree(pdf: pikepdf.Pdf) -> Dictionary:
        node = element(pdf, "P", 0, "no kid", Dictionary(MCID=1), page=1)
        node.K.append(node)
        return node

    assert summary(tagged(tree), 1) == [("P", 0, (0, 1), False)]
