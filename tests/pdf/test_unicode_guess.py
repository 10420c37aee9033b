"""What glyph names tell."""

from __future__ import annotations

import io

import numpy as np
import pikepdf
import pytest
from fontTools.cffLib import FDArrayIndex, FDSelect, FontDict
from fontTools.fontBuilder import FontBuilder
from fontTools.misc.psCharStrings import T2CharString
from fontTools.pens.ttGlyphPen import TTGlyphPen
from pikepdf import Array, Dictionary, Name

from pdfmill.schemas.glyphs import GlyphFlag
from pdfmill.transforms.layout.lines.lines import find_lines
from pdfmill.transforms.pdf.fonts.unicode_guess import name_to_text, read_guesser
from pdfmill.transforms.pdf.text import repair_text
from tests.pdf.mapped import mapped_page
from tests.pdf.pages import make_page, read, text_of
from tests.pdf.test_cmaps import composite
from tests.pdf.test_glyphs import page_of


@pytest.mark.parametrize(
    ("glyph", "text"),
    [
        ("A", "A"),
        ("eacute", "é"),
        ("uni20AC", "€"),
        ("u1F600", "😀"),
        ("f_f_i", "ffi"),
        ("one.oldstyle", "1"),
        ("g17", None),
        ("cid00123", None),
        (".notdef", None),
        ("C0045", None),
    ],
)
def test_names(glyph: str, text: str | None) -> None:
    assert name_to_text(glyph) == text


def test_differences_come_before_the_base_encoding() -> None:
    font = Dictionary(
        Type=Name.Font,
        Subtype=Name.Type1,
        Encoding=Dictionary(BaseEncoding=Name.WinAnsiEncoding, Differences=Array([65, Name.alpha, Name.beta, 90, Name.g3])),
    )
    guesser = read_guesser(font)
    assert guesser is not None
    assert [(guess.text, guess.sure) if (guess := guesser.guess(code)) else None for code in (b"A", b"B", b"C", b"Z")] == [
        ("α", True),
        ("β", True),
        ("C", True),
        ("Z", True),
    ]


def test_a_composite_font_with_an_unknown_encoding_tells_nothing() -> None:
    assert read_guesser(Dictionary(Type=Name.Font, Subtype=Name.Type0, Encoding=Name("/Nobody-H"))) is None


def _simple(encoding: object, **entries: object) -> Dictionary:
    return Dictionary(
        Type=Name.Font,
        Subtype=Name.Type1,
        BaseFont=Name.Missing,
        Encoding=encoding,
        FirstChar=0,
        LastChar=255,
        Widths=Array([600] * 256),
        **entries,
    )


@pytest.mark.parametrize(
    ("encoding", "string", "text"),
    [
        (Name.MacExpertEncoding, "3031565748656c", "01fffi½EL"),
        (Dictionary(Differences=Array([65, Name("/f_f_i"), Name.T_h, Name.alpha])), "414243", "ffiThα"),
        (Dictionary(Differences=Array([1, Name.c72, Name.c101, Name.c108])), "010203", "Hel"),
        (Dictionary(Differences=Array([1, Name.G48, Name.G65, Name.G6C])), "010203", "Hel"),
    ],
)
def test_encodings_that_pdfium_does_not_read(encoding: object, string: str, text: str) -> None:
    font = _simple(encoding)
    page = find_lines(read(make_page(f"BT /F3 20 Tf 20 100 Td <{string}> Tj ET", fonts={"F3": font})))
    assert [line.text for line in page.lines] == [text]


def test_the_characters_of_a_ligature_share_its_box() -> None:
    font = _simple(Dictionary(Differences=Array([65, Name("/f_f_i")])))
    glyphs = read(make_page("BT /F3 20 Tf 20 100 Td (AA) Tj ET", fonts={"F3": font})).glyphs
    np.testing.assert_allclose(glyphs.x0, [20, 24, 28, 32, 36, 40], atol=0.1)
    np.testing.assert_allclose(glyphs.x1 - glyphs.x0, 4, atol=0.1)
    assert not glyphs.flags.any()


def test_a_to_unicode_map_to_nul_is_none() -> None:
    pdf = pikepdf.Pdf.open(io.BytesIO(make_page("BT /F3 20 Tf 20 100 Td (He-) Tj ET", fonts={"F3": _simple(Name.WinAnsiEncoding)})))
    pdf.pages[0].Resources.Font.F3.ToUnicode = pdf.make_stream(
        b"begincmap 3 beginbfchar <48> <0000> <65> <0000> <2d> <0000> endbfchar endcmap"
    )
    sink = io.BytesIO()
    pdf.save(sink)
    assert text_of(read(sink.getvalue())) == "He-"


@pytest.mark.parametrize("string", ["00fc00a7", "f0fcf0a7"])
def test_wingdings_with_an_identity_encoding(string: str) -> None:
    font = composite("Identity-H", "Identity")
    font.DescendantFonts[0].BaseFont = font.BaseFont = Name("/ABCDEF+Wingdings-Regular")
    assert text_of(read(make_page(f"BT /F3 20 Tf 20 100 Td <{string}> Tj ET", fonts={"F3": font}))) == "✓▪"


@pytest.mark.parametrize(
    ("codes", "trusted"),
    [
        ([44, *b"0123abdeginrt", 224], [*b"ab01"]),  # as TeX writes bitmap fonts: each glyph has the name of its code
        ([*range(123)], []),  # numbered in order of use
        ([*b"PRXbc"], []),  # large brackets and sums
    ],
)
def test_letters_of_bitmap_fonts_named_by_their_codes_are_known(codes: list[int], trusted: list[int]) -> None:
    pdf = pikepdf.Pdf.new()
    shapes = {f"/a{code}": pdf.make_stream(b"600 0 d0 0 0 500 700 re f") for code in codes}
    names = Array([entry for code in codes for entry in (code, Name(f"/a{code}"))])
    font = Dictionary(
        Type=Name.Font, Subtype=Name.Type3, FontBBox=Array([0, 0, 600, 700]), FontMatrix=Array([0.001, 0, 0, 0.001, 0, 0]), FirstChar=0,
        LastChar=255, Widths=Array([600] * 256), Encoding=Dictionary(Differences=names), CharProcs=Dictionary(shapes),
    )  # fmt: skip
    glyphs = read(page_of(pdf, font, b"BT /T 20 Tf 20 100 Td (ab01,) Tj ET")).glyphs
    assert len(glyphs.unicode) == 5
    assert bytes(glyphs.unicode[(glyphs.flags & GlyphFlag.UNTRUSTED) == 0].tolist()) == bytes(trusted)


def _truetype(*, space_blank: bool) -> bytes:
    """A program with glyphs in the usual order, without a character map and names."""
    builder = FontBuilder(1000)
    order = [f"g{index}" for index in range(80)]
    pen = TTGlyphPen(None)
    for point in ((0, 0), (0, 700), (500, 700)):
        (pen.lineTo if pen.points else pen.moveTo)(point)
    pen.closePath()
    full, blank = pen.glyph(), TTGlyphPen(None).glyph()
    builder.setupGlyphOrder(order)
    builder.setupGlyf({glyph: blank if index == 3 and space_blank else full for index, glyph in enumerate(order)})
    builder.setupHorizontalMetrics(dict.fromkeys(order, (600, 0)))
    builder.setupHorizontalHeader(ascent=800, descent=-200)
    builder.setupPost(keepGlyphNames=False)
    sink = io.BytesIO()
    builder.save(sink)
    return sink.getvalue()


@pytest.mark.parametrize(("space_blank", "text"), [(True, "Ab c"), (False, "$E\ufffdF")])
def test_glyphs_without_names_in_the_usual_order(space_blank: bool, text: str) -> None:
    font = composite("Identity-H", "Identity")
    pdf = pikepdf.Pdf.open(io.BytesIO(make_page("BT /F3 20 Tf 20 100 Td <0024004500030046> Tj ET", fonts={"F3": font})))
    descendant = pdf.pages[0].Resources.Font.F3.DescendantFonts[0]
    descendant.Subtype, descendant.CIDToGIDMap = Name.CIDFontType2, Name.Identity
    descendant.FontDescriptor.FontFile2 = pdf.make_stream(_truetype(space_blank=space_blank))
    sink = io.BytesIO()
    pdf.save(sink)
    content = read(sink.getvalue())
    assert text_of(content) == text
    assert (content.glyphs.flags & GlyphFlag.UNTRUSTED).all()


@pytest.mark.parametrize(
    ("space", "text"), [(["endchar"], "Ab c"), ([100, "hmoveto", 500, "hlineto", 700, "vlineto", "endchar"], '"C\ufffdD')]
)
def test_a_cid_keyed_program_in_the_usual_order(space: list[object], text: str) -> None:
    builder = FontBuilder(1000, isTTF=False)
    order = [".notdef", *(f"cid{index:05}" for index in range(1, 80))]
    full = T2CharString(program=[100, "hmoveto", 500, "hlineto", 700, "vlineto", "endchar"])
    builder.setupGlyphOrder(order)
    builder.setupHorizontalMetrics(dict.fromkeys(order, (600, 0)))
    builder.setupCFF("Test", {}, {glyph: T2CharString(program=space) if glyph == "cid00001" else full for glyph in order}, {})
    top = builder.font["CFF "].cff[0]
    top.ROS, top.CIDCount = ("Adobe", "Identity", 0), 80
    top.FDArray, top.FDSelect = FDArrayIndex(), FDSelect()
    part = FontDict()
    part.setCFF2(False)
    part.FontName, part.Private = "Test", top.Private
    top.FDArray.append(part)
    top.FDSelect.format, top.FDSelect.gidArray = 3, [0] * 80
    sink = io.BytesIO()
    builder.font["CFF "].cff.compile(sink, builder.font)
    pdf = pikepdf.Pdf.open(
        io.BytesIO(make_page("BT /F3 20 Tf 20 100 Td <0022004300010044> Tj ET", fonts={"F3": composite("Identity-H", "Identity")}))
    )
    program = pdf.make_stream(sink.getvalue(), Subtype=Name.CIDFontType0C)
    pdf.pages[0].Resources.Font.F3.DescendantFonts[0].FontDescriptor.FontFile3 = program
    sink = io.BytesIO()
    pdf.save(sink)
    assert text_of(read(sink.getvalue())) == text


def test_a_code_with_an_empty_target_stands_for_no_text() -> None:
    assert text_of(read(mapped_page("BT /F1 12 Tf 20 100 Td <004100420043> Tj ET", {0x41: "a", 0x42: None, 0x43: "c"}))) == "ac"


def test_a_map_of_empty_targets_alone_says_nothing() -> None:
    glyphs = read(mapped_page("BT /F1 12 Tf 20 100 Td <00410042> Tj ET", {0x41: None, 0x42: None})).glyphs
    assert len(glyphs.unicode) == 2
    assert (glyphs.flags & GlyphFlag.UNTRUSTED).all()


def test_a_code_that_the_map_lacks_is_no_letter() -> None:
    content = read(mapped_page("BT /F1 12 Tf 20 100 Td <0041036C00430042> Tj ET", {0x41: "m", 0x43: "n"}))
    assert text_of(content) == "m\ufffdn\ufffd"
    assert (content.glyphs.flags & GlyphFlag.UNTRUSTED).astype(bool).tolist() == [False, True, False, True]


def test_a_code_that_the_map_lacks_is_what_the_font_program_says() -> None:
    builder = FontBuilder(1000)
    builder.setupGlyphOrder([".notdef", "A", "eacute"])
    builder.setupCharacterMap({})
    builder.setupGlyf(dict.fromkeys([".notdef", "A", "eacute"], TTGlyphPen(None).glyph()))
    builder.setupHorizontalMetrics(dict.fromkeys([".notdef", "A", "eacute"], (500, 0)))
    builder.setupHorizontalHeader()
    builder.setupPost()
    program = io.BytesIO()
    builder.save(program)
    pdf = pikepdf.Pdf.open(io.BytesIO(mapped_page("BT /F1 12 Tf 20 100 Td <00010002> Tj ET", {1: "A"})))
    pdf.pages[0].Resources.Font.F1.DescendantFonts[0].FontDescriptor.FontFile2 = pdf.make_stream(program.getvalue())
    sink = io.BytesIO()
    pdf.save(sink)
    assert text_of(read(sink.getvalue())) == "Aé"


def test_a_code_that_the_map_of_a_simple_font_lacks_is_no_letter() -> None:
    pdf = pikepdf.Pdf.open(
        io.BytesIO(make_page("BT /F3 12 Tf 20 100 Td (ABC) Tj ET", fonts={"F3": _simple(Dictionary(Differences=Array([66, Name.g7])))}))
    )
    pdf.pages[0].Resources.Font.F3.ToUnicode = pdf.make_stream(b"begincmap 2 beginbfchar <41> <0061> <43> <0063> endbfchar endcmap")
    sink = io.BytesIO()
    pdf.save(sink)
    assert text_of(read(sink.getvalue())) == "a\ufffdc"


@pytest.mark.parametrize(
    ("encoding", "text"),
    [
        (Dictionary(Differences=Array([66, Name.g7])), "ac"),
        (Dictionary(Differences=Array([66, Name.beta])), "aβc"),
        (Name.WinAnsiEncoding, "ac"),
    ],
)
def test_what_nothing_names_is_not_what_the_base_encoding_has(encoding: object, text: str) -> None:
    pdf = pikepdf.Pdf.open(io.BytesIO(make_page("BT /F3 12 Tf 20 100 Td (ABC) Tj ET", fonts={"F3": _simple(encoding)})))
    font = pdf.pages[0].Resources.Font.F3
    font.FontDescriptor = Dictionary(
        Type=Name.FontDescriptor, FontName=Name.Missing, Flags=4, FontBBox=Array([0, -200, 1000, 800]), FontFile=pdf.make_stream(b"%!")
    )
    font.ToUnicode = pdf.make_stream(b"begincmap 3 beginbfchar <41> <0061> <42> <> <43> <0063> endbfchar endcmap")
    sink = io.BytesIO()
    pdf.save(sink)
    assert text_of(read(sink.getvalue())) == text


@pytest.mark.parametrize(
    ("encoding", "asked"),
    [
        (Dictionary(Differences=Array([65, Name.alpha, Name.g7])), False),  # nobody names B: the content would tell nothing
        (Dictionary(Differences=Array([65, Name("/f_f_i")])), True),
        (Dictionary(Differences=Array([65, Name.B, Name.g7])), True),  # what came as B may have the code of A
    ],
)
def test_content_is_not_read_where_no_font_can_tell(encoding: object, asked: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    calls = []
    monkeypatch.setattr(repair_text, "shown_by_object", lambda *arguments: calls.append(arguments) or {})
    content = read(make_page("BT /F3 12 Tf 20 100 Td (AB) Tj ET", fonts={"F3": _simple(encoding)}))
    assert (content.glyphs.flags & GlyphFlag.UNTRUSTED).any()
    assert bool(calls) == asked


@pytest.mark.parametrize("program", [b"\1\0\4\4\0\1\1", b"\1\0\4\4\0\1\4\0\0", b"\1"])
def test_a_font_program_that_ends_too_early_tells_nothing(program: bytes) -> None:
    with pikepdf.Pdf.new() as pdf:
        descriptor = Dictionary(Type=Name.FontDescriptor, FontFile3=pdf.make_stream(program))
        font = Dictionary(Type=Name.Font, Subtype=Name.Type1, FontDescriptor=descriptor, Encoding=Name.WinAnsiEncoding)
        guesser = read_guesser(font)
        assert guesser is not None
        assert [guess.text if (guess := guesser.guess(code)) else None for code in (b"A", b"\1")] == ["A", None]
