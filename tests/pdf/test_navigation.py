"""Outline, named destinations, article threads."""

from __future__ import annotations

from collections.abc import Callable

import pikepdf
import pytest
from pikepdf import Array, Dictionary, Name, String

from pdfmill.transforms.pdf.facts.navigation import read_named_destinations, read_outline, read_page_beads, read_threads
from tests.pdf.make import make_document


def chain(pdf: pikepdf.Pdf, *items: Dictionary) -> Dictionary:
    """Outline items linked as siblings; the first of them."""
    linked = [pdf.make_indirect(item) for item in items]
    for item, following in zip(linked, linked[1:], strict=False):
        item["/Next"] = following
    return linked[0]


def test_titles_levels_and_targets() -> None:
    def edit(pdf: pikepdf.Pdf) -> None:
        page = pdf.pages[1].obj
        pdf.Root["/Names"] = Dictionary(Dests=Dictionary(Names=Array([String("there"), Dictionary(D=Array([page, Name.Fit]))])))
        below = chain(
            pdf,
            Dictionary(Title=String("1.1"), A=Dictionary(S=Name.GoTo, D=String("there"))),
            Dictionary(Title=String("web"), A=Dictionary(S=Name.URI, URI=String("https://x.org"))),
        )
        first = chain(
            pdf,
            Dictionary(Title=String("1  One\n"), Dest=Array([pdf.pages[0].obj, Name.Fit]), First=below),
            Dictionary(Title=String("broken"), Dest=String("nowhere")),
            Dictionary(Title=String("other file"), A=Dictionary(S=Name.GoToR, F=String("b.pdf"), D=Array([0, Name.Fit]))),
        )
        pdf.Root["/Outlines"] = Dictionary(First=first)

    outline = read_outline(make_document(edit, pages=2))["outline"]
    assert isinstance(outline, list)
    assert [tuple(item.values()) for item in outline] == [
        ("1 One", 1, 1, None), ("1.1", 2, 2, None), ("web", 2, None, "https://x.org"), ("broken", 1, None, None),
        ("other file", 1, None, "b.pdf"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("entries", "target"),
    [
        (lambda page, element: {"A": Dictionary(S=Name.GoTo, SD=Array([element, Name.Fit]))}, (2, None)),
        (lambda page, element: {"SE": element}, (2, None)),
        (lambda page, element: {"Dest": String("nowhere"), "A": Dictionary(S=Name.GoTo, D=Array([page, Name.Fit]))}, (2, None)),
        (
            lambda page, element: {"A": Dictionary(S=Name.Named, N=Name.NextPage, Next=Dictionary(S=Name.URI, URI=String("http://next")))},
            (None, "http://next"),
        ),
        (lambda page, element: {"A": Dictionary(S=Name.Launch, Win=Dictionary(F=String("run.exe")))}, (None, "run.exe")),
        (lambda page, element: {"A": Dictionary(S=Name.GoToE, T=Dictionary(R=Name.C, N=String("inner.pdf")))}, (None, "inner.pdf")),
        (
            lambda page, element: {"A": Dictionary(S=Name.SubmitForm, F=Dictionary(FS=Name.URL, F=String("http://form")))},
            (None, "http://form"),
        ),
        (lambda page, element: {"A": Dictionary(S=Name.URI, URI=pikepdf.Object.parse("(http://é)".encode()))}, (None, "http://é")),
        (lambda page, element: {"A": Dictionary(S=Name.URI, URI=pikepdf.Object.parse(b"(http://\\351)"))}, (None, "http://é")),
    ],
)
def test_other_ways_to_lead_somewhere(
    entries: Callable[[object, object], dict[str, object]], target: tuple[int | None, str | None]
) -> None:
    def edit(pdf: pikepdf.Pdf) -> None:
        page = pdf.pages[1].obj
        element = pdf.make_indirect(Dictionary(Type=Name.StructElem, S=Name.H1, Pg=page))
        pdf.Root["/Outlines"] = Dictionary(First=pdf.make_indirect(Dictionary(Title=String("x"), **entries(page, element))))

    outline = read_outline(make_document(edit, pages=2))["outline"]
    assert isinstance(outline, list)
    assert (outline[0]["page"], outline[0]["uri"]) == target


def test_loops_end() -> None:
    def edit(pdf: pikepdf.Pdf) -> None:
        item = pdf.make_indirect(Dictionary(Title=String("a")))
        item["/Next"] = item
        item["/First"] = item
        pdf.Root["/Outlines"] = pdf.make_indirect(Dictionary(First=item))

    outline = read_outline(make_document(edit))["outline"]
    assert isinstance(outline, list)
    assert len(outline) == 1


def test_no_outline() -> None:
    assert read_outline(make_document()) == {"outline": None}
    assert read_outline(make_document(lambda pdf: pdf.Root.__setitem__("/Outlines", 7))) == {"outline": None}


def test_named_destinations() -> None:
    def edit(pdf: pikepdf.Pdf) -> None:
        pdf.Root["/Dests"] = Dictionary(old=Array([pdf.pages[1].obj, Name.Fit]))
        pdf.Root["/Names"] = Dictionary(
            Dests=Dictionary(Names=Array([String("new"), Array([pdf.pages[0].obj, Name.Fit]), String("bad"), 3]))
        )

    assert read_named_destinations(make_document(edit, pages=2))["named_destinations"] == [
        {"name": "old", "page": 2}, {"name": "new", "page": 1}, {"name": "bad", "page": None},
    ]  # fmt: skip


def test_threads_with_beads_in_order() -> None:
    def edit(pdf: pikepdf.Pdf) -> None:
        beads = [pdf.make_indirect(Dictionary(P=pdf.pages[page].obj, R=Array([0, 0, 50, 100]))) for page in (1, 0)]
        beads[0]["/N"], beads[1]["/N"] = beads[1], beads[0]
        pdf.Root["/Threads"] = Array(
            [Dictionary(F=beads[0], I=Dictionary(Title=String("Ode"), Author=String("A"), CreationDate=String("D:2020")))]
        )

    document = make_document(edit, pages=2)
    (thread,) = read_threads(document)["article_threads"]  # type: ignore[misc]
    assert (thread["title"], thread["author"], thread["created"]) == ("Ode", "A", "2020-01-01T00:00:00")
    assert thread["beads"] == [{"page": page, "x0": 0, "top": 0, "x1": 50, "bottom": 100} for page in (2, 1)]
    assert read_page_beads(document, 2, []).tolist() == [[0, 0, 50, 100]]
    assert read_page_beads(make_document(), 1, []).shape == (0, 4)
