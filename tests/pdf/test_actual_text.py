"""Text that structure elements state for what they show."""

from __future__ import annotations

import io
from collections.abc import Sequence

import numpy as np
import pikepdf
import pytest
from pikepdf import Array, Dictionary, Name, String

from pdfmill.schemas.glyphs import Glyphs
from pdfmill.transforms.layout.lines.lines import find_lines
from tests.pdf.pages import make_page, read, text_of


def tagged(content: str, *elements: tuple[str, Sequence[object]], pages: int = 1) -> bytes:
    """Pages with the content, and elements with their ActualText (or "") over marked content of the first."""
    pdf = pikepdf.Pdf.open(io.BytesIO(make_page(content)))
    for _ in range(1, pages):
        pdf.pages.append(pdf.pages[0])

    def element(text: str, kids: Sequence[object]) -> Dictionary:
        inner = [element(*kid) if isinstance(kid, tuple) else kid for kid in kids]
        stated = {"/ActualText": String(text)} if text else {}
        return pdf.make_indirect(Dictionary({"/S": Name.Span, "/Pg": pdf.pages[0].obj, "/K": Array(inner), **stated}))

    pdf.Root["/StructTreeRoot"] = pdf.make_indirect(Dictionary(K=Array([element(*each) for each in elements])))
    sink = io.BytesIO()
    pdf.save(sink)
    return sink.getvalue()


def marked(content_id: int, shown: str, x: int = 20, y: int = 100) -> str:
    return f"/Span <</MCID {content_id}>> BDC BT /F1 20 Tf {x} {y} Td ({shown}) Tj ET EMC "


def glyphs_of(data: bytes) -> Glyphs:
    return read(data).glyphs


def lines_of(data: bytes) -> list[str]:
    return [line.text for line in find_lines(read(data)).lines]


@pytest.mark.parametrize(
    ("shown", "stated", "text"),
    [
        ("LATEX", "LaTeX", "LaTeX"),  # as many characters
        ("1/2", "\N{VULGAR FRACTION ONE HALF}", "\N{VULGAR FRACTION ONE HALF}"),  # fewer
        ("#", "ohm", "ohm"),  # more
        ("Dr", "Doctor", "Doctor"),  # some stay
        ("x", "\U0001d465", "\U0001d465"),
        ("Fine", "Fine", "Fine"),
        ("ab cd", "a bcd", "a bcd"),
        ("shown", "\n", "shown"),  # how writers mark line ends
        ("shown", "\uf0b7", "shown"),  # private use says nothing
    ],
)
def test_the_stated_text_replaces_what_is_shown(shown: str, stated: str, text: str) -> None:
    assert text_of(read(tagged(marked(0, "a ") + marked(1, shown, 60) + marked(2, "z", 200), ("", [0]), (stated, [1]), ("", [2])))).replace(
        " ", ""
    ) == f"a{text}z".replace(" ", "")


def test_equal_characters_keep_their_boxes_and_others_share_those_they_replace() -> None:
    plain, stated = glyphs_of(make_page(marked(0, "a--b"))), glyphs_of(tagged(marked(0, "a--b"), ("aXb", [0])))
    np.testing.assert_allclose(stated.x0, plain.x0[[0, 1, 3]])
    np.testing.assert_allclose(stated.x1, plain.x1[[0, 2, 3]])
    longer = glyphs_of(tagged(marked(0, "a-b"), ("aXYb", [0])))
    np.testing.assert_allclose(longer.x0[2] - longer.x0[1], longer.x1[1] - longer.x0[1], atol=1e-3)
    assert longer.x1[2] == plain.x1[1]


def test_the_outermost_text_counts_over_all_content_below() -> None:
    assert lines_of(tagged(marked(3, "TE") + marked(4, "X", 47), ("TeX", [("no", [3]), 4]))) == ["TeX"]


def test_content_of_forms_has_ids_of_its_own() -> None:
    data = tagged("/X Do " + marked(0, "in the page", 20, 50), ("on paper", [0]))
    pdf = pikepdf.Pdf.open(io.BytesIO(data))
    form = pdf.make_stream(
        marked(0, "in a form").encode(),
        Type=Name.XObject,
        Subtype=Name.Form,
        BBox=Array([0, 0, 300, 200]),
        Resources=pdf.pages[0].Resources,
    )
    pdf.pages[0].Resources["/XObject"] = Dictionary(X=form)
    sink = io.BytesIO()
    pdf.save(sink)
    assert lines_of(sink.getvalue()) == ["in a form", "on paper"]


def test_text_over_two_pages_is_left_as_shown() -> None:
    pdf = pikepdf.Pdf.open(io.BytesIO(tagged(marked(0, "shown"), ("stated", [0]), pages=2)))
    span = pdf.Root.StructTreeRoot.K[0]
    span.K.append(Dictionary(Type=Name.MCR, Pg=pdf.pages[1].obj, MCID=0))
    sink = io.BytesIO()
    pdf.save(sink)
    assert lines_of(sink.getvalue()) == ["shown"]


def test_a_hyphen_that_the_text_does_not_have_is_a_soft_one() -> None:
    shown = marked(0, "Druk-", 20, 100) + marked(1, "ker", 20, 70)
    assert lines_of(tagged(shown, ("Drucker", [0, 1]))) == ["Druc\N{SOFT HYPHEN}", "ker"]
    assert lines_of(tagged(marked(0, "a-b c"), ("abc", [0]))) == ["abc"]


def test_right_to_left_text_takes_its_places_from_the_right() -> None:
    assert lines_of(tagged(marked(0, "xyz"), ("שלום", [0]))) == ["שלום"]


FIGURE = "/Figure <</MCID 7>> BDC 120 100 100 20 re 120 100 m 200 120 l S EMC "


def test_text_of_a_drawing_stands_where_it_is_drawn() -> None:
    data = tagged(marked(0, "before", 20, 103) + FIGURE + marked(1, "after", 20, 40), ("", [0]), ("drawn words", [7]), ("", [1]))
    page = find_lines(read(data))
    assert [line.text for line in page.lines] == ["before", "after", "drawn words"]
    drawn = page.lines[2]
    assert 118 < drawn.x0 < drawn.x1 < 222
    assert 78 < drawn.top < drawn.bottom < 101  # the page is 200 high
    assert drawn.mcid == 7


def test_a_picture_alone_and_a_long_text() -> None:
    text = " ".join(f"word{number}" for number in range(40))
    page = find_lines(read(tagged("/Figure <</MCID 7>> BDC 100 0 0 100 50 50 cm 0 0 1 1 re f EMC", (text, [7]))))
    assert " ".join(line.text for line in page.lines) == text
    assert 4 < len(page.lines) < 20
    assert page.word_boxes[:, 0].min() > 49
    assert page.word_boxes[:, 2].max() < 151


def test_lines_that_describe_a_large_picture_are_of_the_type_size_of_the_page() -> None:
    words = marked(0, "words of the page before it", 20, 180)
    picture = "/Figure <</MCID 7>> BDC 250 0 0 150 20 10 cm 0 0 1 1 re f EMC"
    page = read(tagged(words + picture, ("", [0]), ("A screen with its menu", [7]))).glyphs
    assert max(style.size for style in page.styles) == 20
    assert len(set(page.origin_y.tolist())) == 2


@pytest.mark.parametrize("text", ["שלום עולם", "well-known double-barrelled names", "一二三四五六七八九十一二三四五六七八九十", "A"])
def test_texts_of_all_kinds_are_set(text: str) -> None:
    page = find_lines(read(tagged("/Figure <</MCID 7>> BDC 100 0 0 40 50 50 cm 0 0 1 1 re f EMC", (text, [7]))))
    assert " ".join(line.text for line in page.lines).replace(" ", "") == text.replace(" ", "")


def test_alternate_text_is_no_text() -> None:
    pdf = pikepdf.Pdf.open(io.BytesIO(tagged(FIGURE, ("", [7]))))
    pdf.Root.StructTreeRoot.K[0]["/Alt"] = String("a chart")
    sink = io.BytesIO()
    pdf.save(sink)
    assert not lines_of(sink.getvalue())
