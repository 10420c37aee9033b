"""Glyphs: values, places, styles, whatever the matrix and the page's rotation."""

from __future__ import annotations

import io

import numpy as np
import pikepdf
import pytest
from pikepdf import Array, Dictionary, Name

from pdfmill.schemas.codes import PageError
from pdfmill.schemas.glyphs import GlyphFlag
from pdfmill.transforms.layout.lines.lines import find_lines
from pdfmill.transforms.pdf.open.document import open_document
from pdfmill.transforms.pdf.open.limits import PageLimits
from pdfmill.transforms.pdf.text.page import read_page
from tests.pdf.pages import make_page, read, standard, text_of

HELLO = "BT /F1 20 Tf 50 100 Td (Hello) Tj ET"


def test_characters_advance_by_the_widths_of_the_font() -> None:
    glyphs = read(make_page(HELLO)).glyphs
    assert glyphs.unicode.tolist() == [ord(c) for c in "Hello"]
    widths = np.array([722, 556, 222, 222, 556]) * 20 / 1000
    np.testing.assert_allclose(glyphs.x0, 50 + np.concatenate(([0], np.cumsum(widths)[:-1])), atol=0.05)
    np.testing.assert_allclose(glyphs.x1 - glyphs.x0, widths, atol=0.05)
    np.testing.assert_allclose(glyphs.origin_y, 100, atol=0.01)
    assert (glyphs.top < 90).all()
    assert (glyphs.bottom > 100).all()


def test_a_style_has_the_size_after_the_matrix() -> None:
    glyphs = read(make_page("BT /F1 1 Tf 1 0 0 rg 18 0 0 18 10 10 Tm (Ab) Tj /F2 1 Tf (c) Tj ET")).glyphs
    assert [(style.font, style.size, style.italic, style.color) for style in glyphs.styles] == [
        ("Helvetica", 18.0, False, 0xFF0000),
        ("Times-Italic", 18.0, True, 0xFF0000),
    ]
    assert glyphs.style.tolist() == [0, 0, 1]


@pytest.mark.parametrize(
    ("rotate", "angle", "start"), [(0, 0, (50, 100)), (90, 90, (100, 50)), (180, 180, (250, 100)), (270, 270, (100, 250))]
)
def test_places_are_those_of_the_displayed_page(rotate: int, angle: int, start: tuple[float, float]) -> None:
    content = read(make_page(HELLO, Rotate=rotate))
    assert (content.width, content.height) == ((200, 300) if rotate % 180 else (300, 200))
    assert set(content.glyphs.angle.tolist()) == {angle}
    np.testing.assert_allclose((content.glyphs.origin_x[0], content.glyphs.origin_y[0]), start, atol=0.01)


def test_the_crop_box_is_the_origin_and_hides_what_is_outside() -> None:
    glyphs = read(make_page(HELLO + " BT /F1 10 Tf 5 190 Td (x) Tj ET", CropBox=Array([40, 50, 240, 150]))).glyphs
    np.testing.assert_allclose(glyphs.origin_x[0], 10, atol=0.01)
    np.testing.assert_allclose(glyphs.origin_y[0], 50, atol=0.01)
    assert (glyphs.flags & GlyphFlag.OUTSIDE != 0).tolist() == [False] * 5 + [True]


def test_a_crop_box_beside_the_page_is_none() -> None:
    content = read(make_page(HELLO, CropBox=Array([400, 300, 500, 400])))
    assert (content.width, content.height) == (300, 200)
    assert not content.glyphs.flags.any()


def test_text_turned_by_its_matrix_reads_along_its_direction() -> None:
    glyphs = read(make_page("BT /F1 20 Tf 0 1 -1 0 100 50 Tm (Up) Tj ET")).glyphs
    assert glyphs.angle.tolist() == [270, 270]
    np.testing.assert_allclose(glyphs.bottom, [150, 150 - 14.44], atol=0.1)


def test_spaces_that_are_drawn_are_kept_and_invented_ones_are_not() -> None:
    assert text_of(read(make_page("BT /F1 10 Tf 10 10 Td (a b) Tj 100 0 Td (c) Tj ET"))) == "a bc"


def test_invisible_text_is_flagged() -> None:
    assert (read(make_page("BT 3 Tr /F1 10 Tf 10 10 Td (ab) Tj ET")).glyphs.flags == GlyphFlag.INVISIBLE).all()


def test_white_text_on_paper_and_on_a_white_box_is_flagged_and_on_black_is_not() -> None:
    content = "BT 1 1 1 rg /F1 10 Tf 10 10 Td (a) Tj ET 0 0 0 rg 40 0 40 40 re f BT 1 1 1 rg /F1 10 Tf 50 10 Td (b) Tj ET"
    assert (read(make_page(content)).glyphs.flags & GlyphFlag.SAME_COLOR != 0).tolist() == [True, False]


def test_text_in_a_form_has_the_forms_matrix_and_its_own_run() -> None:
    pdf = pikepdf.Pdf.new()
    form = pdf.make_stream(b"BT /F1 10 Tf 5 5 Td (in) Tj ET")
    form["/Type"], form["/Subtype"] = Name.XObject, Name.Form
    form["/BBox"], form["/Matrix"] = Array([0, 0, 50, 50]), Array([2, 0, 0, 2, 100, 100])
    form["/Resources"] = Dictionary(Font=Dictionary(F1=standard("Helvetica")))
    page = Dictionary(
        Type=Name.Page,
        MediaBox=Array([0, 0, 300, 200]),
        Resources=Dictionary(XObject=Dictionary(X=form)),
        Contents=pdf.make_stream(b"/X Do"),
    )
    pdf.pages.append(pikepdf.Page(pdf.make_indirect(page)))
    sink = io.BytesIO()
    pdf.save(sink)
    glyphs = read(sink.getvalue()).glyphs
    np.testing.assert_allclose((glyphs.origin_x[0], glyphs.origin_y[0]), (110, 90), atol=0.01)
    assert glyphs.styles[0].size == 20.0


def test_a_page_without_text_has_no_glyphs() -> None:
    assert len(read(make_page("")).glyphs.unicode) == 0


def test_too_many_characters_are_refused_by_name() -> None:
    with pytest.raises(PageError, match="page 1: the page has 5 characters; the limit is 4") as caught:
        read_page(open_document(make_page(HELLO), name="x").pdfium, 1, limits=PageLimits(max_glyphs=4))
    assert caught.value.code == "too_large"


def test_a_page_that_is_not_there_is_unreadable() -> None:
    with pytest.raises(PageError, match="page 7") as caught:
        read(make_page(HELLO), 7)
    assert caught.value.code == "page_unreadable"


def page_of(pdf: pikepdf.Pdf, font: Dictionary, drawn: bytes) -> bytes:
    """The file with a page on which this is drawn in the font /T."""
    page = Dictionary(
        Type=Name.Page, MediaBox=Array([0, 0, 300, 200]), Resources=Dictionary(Font=Dictionary(T=font)), Contents=pdf.make_stream(drawn)
    )
    pdf.pages.append(pikepdf.Page(pdf.make_indirect(page)))
    sink = io.BytesIO()
    pdf.save(sink)
    return sink.getvalue()


def test_a_type_3_font_by_its_differences_and_with_a_believable_size() -> None:
    pdf = pikepdf.Pdf.new()
    shape = pdf.make_stream(b"0.5 0 d0 0.05 0.05 0.4 0.4 re f")
    font = Dictionary(
        Type=Name.Font, Subtype=Name.Type3, FontBBox=Array([0, 0, 0.5, 0.5]), FontMatrix=Array([1, 0, 0, 1, 0, 0]), FirstChar=1, LastChar=2,
        Widths=Array([0.5, 0.5]), CharProcs=Dictionary(A=shape, eacute=shape),
        Encoding=Dictionary(Differences=Array([1, Name.A, Name.eacute])),
    )  # fmt: skip
    content = read(page_of(pdf, font, b"BT /T 20 Tf 50 50 Td <0102> Tj ET"))
    assert text_of(content) == "Aé"
    assert not (content.glyphs.flags & GlyphFlag.UNTRUSTED).any()
    assert content.glyphs.styles[0].size == pytest.approx(20.0, abs=1.0)


def test_ink_that_reaches_back_makes_no_letter_before_it_narrow() -> None:
    """Two glyphs of unlike widths stand for one "e", so that its steps tell its width; the y after it reaches far to the left."""
    pdf = pikepdf.Pdf.new()
    boxes = {"a": (500, 0), "b": (600, 0), "y": (500, -350), "n": (500, 0)}
    glyphs = {
        name: pdf.make_stream(f"{width} 0 {left} 0 {width} 700 d1 {left} 0 {width - left} 700 re f".encode())
        for name, (width, left) in boxes.items()
    }
    to_unicode = pdf.make_stream(
        b"/CIDInit /ProcSet findresource begin begincmap 1 begincodespacerange <00> <FF> endcodespacerange "
        b"4 beginbfchar <01> <0065> <02> <0065> <03> <0079> <04> <006E> endbfchar endcmap end"
    )
    font = Dictionary(
        Type=Name.Font, Subtype=Name.Type3, FontBBox=Array([-350, 0, 600, 700]), FontMatrix=Array([0.001, 0, 0, 0.001, 0, 0]),
        FirstChar=1, LastChar=4, Widths=Array([boxes[name][0] for name in glyphs]),
        CharProcs=Dictionary({f"/{name}": each for name, each in glyphs.items()}),
        Encoding=Dictionary(Differences=Array([1, *(Name(f"/{name}") for name in glyphs)])), ToUnicode=to_unicode,
    )  # fmt: skip
    content = read(page_of(pdf, font, b"BT /T 10 Tf 20 100 Td <01030401030401040203040203040204> Tj ET"))
    assert [line.text for line in find_lines(content).lines] == ["eyneyneneyneynen"]


def test_what_nothing_maps_is_the_replacement_character_and_untrusted() -> None:
    descendant = Dictionary(
        Type=Name.Font, Subtype=Name.CIDFontType2, BaseFont=Name("/Nothing"), DW=500, CIDToGIDMap=Name.Identity,
        CIDSystemInfo=Dictionary(Registry=pikepdf.String("Adobe"), Ordering=pikepdf.String("Identity"), Supplement=0),
        FontDescriptor=Dictionary(Type=Name.FontDescriptor, FontName=Name("/Nothing"), Flags=4, FontBBox=Array([0, 0, 1000, 1000]),
                                  Ascent=800, Descent=-200),
    )  # fmt: skip
    font = Dictionary(
        Type=Name.Font, Subtype=Name.Type0, BaseFont=Name("/Nothing"), Encoding=Name("/Identity-H"), DescendantFonts=Array([descendant])
    )
    content = read(make_page("BT /G 10 Tf 10 10 Td <00010002> Tj ET", fonts={"G": font}))
    assert text_of(content) == "��"
    assert (content.glyphs.flags & GlyphFlag.UNTRUSTED != 0).all()


def test_a_hidden_layer_hides_its_text() -> None:
    pdf = pikepdf.open(io.BytesIO(make_page("/OC /L BDC BT /F1 10 Tf 10 10 Td (off) Tj ET EMC BT /F1 10 Tf 10 50 Td (on) Tj ET")))
    group = pdf.make_indirect(Dictionary(Type=Name.OCG, Name=pikepdf.String("layer")))
    pdf.Root["/OCProperties"] = Dictionary(OCGs=Array([group]), D=Dictionary(OFF=Array([group])))
    pdf.pages[0].Resources["/Properties"] = Dictionary(L=group)
    sink = io.BytesIO()
    pdf.save(sink)
    glyphs = read(sink.getvalue()).glyphs
    assert (glyphs.flags & GlyphFlag.HIDDEN_LAYER != 0).tolist() == [True, True, True, False, False]


@pytest.mark.parametrize(
    "content", ["/F1 -20 Tf -1 0 0 -1 50 100 Tm", "/F1 -20 Tf -100 Tz 1 0 0 -1 50 100 Tm", "/F1 20 Tf -100 Tz -1 0 0 1 50 100 Tm"]
)
def test_a_negative_size_or_scaling_that_the_matrix_undoes(content: str) -> None:
    glyphs, plain = read(make_page(f"BT {content} (Hello) Tj ET")).glyphs, read(make_page(HELLO)).glyphs
    assert glyphs.unicode.tolist() == plain.unicode.tolist()
    assert (set(glyphs.angle.tolist()), glyphs.styles) == ({0}, plain.styles)
    for name in ("x0", "top", "x1", "bottom", "origin_x", "origin_y"):
        np.testing.assert_allclose(getattr(glyphs, name), getattr(plain, name), atol=0.1)


@pytest.mark.parametrize(
    "matrix",
    [
        "0.966 0.259 -0.259 0.966",
        "0.866 0.5 -0.5 0.866",
        "0.707 0.707 -0.707 0.707",
        "-0.174 0.985 -0.985 -0.174",
        "1 0 0.33 1",
        "1 0 -0.2 1",
        "1 0.3 0 1",
    ],
)
def test_gaps_of_turned_and_slanted_text_are_spaces(matrix: str) -> None:
    page = find_lines(read(make_page(f"BT /F1 12 Tf {matrix} 120 60 Tm [(Hello)-250(world)-250(fly)] TJ ET")))
    assert [line.text for line in page.lines] == ["Hello world fly"]
