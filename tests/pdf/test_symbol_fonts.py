"""Symbol fonts by their name."""

import io

import numpy as np
import pikepdf
import pytest
from pikepdf import Array, Dictionary, Name

from pdfmill.schemas.glyphs import GlyphFlag
from pdfmill.transforms.pdf.fonts.fonts import describe
from pdfmill.transforms.pdf.fonts.symbol_fonts import FIRST_PRIVATE, _mapped, _translation, private_characters, symbol_font, tables
from tests.pdf.mapped import mapped_page
from tests.pdf.pages import make_page, read, text_of


def _font(name, subtype="TrueType", **entries):
    descriptor = Dictionary(
        Type=Name.FontDescriptor,
        FontName=Name(f"/{name}"),
        Flags=4,
        Ascent=800,
        Descent=-200,
        CapHeight=700,
        ItalicAngle=0,
        StemV=80,
        FontBBox=Array([0, 0, 1000, 1000]),
    )
    return Dictionary(
        Type=Name.Font,
        Subtype=Name(f"/{subtype}"),
        BaseFont=Name(f"/{name}"),
        FontDescriptor=descriptor,
        FirstChar=0,
        LastChar=255,
        Widths=Array([600] * 256),
        **entries,
    )


@pytest.mark.parametrize(
    ("name", "codes", "told"),
    [
        ("Wingdings", "v\\247\\374\\237 l", "❖▪✓• ⚫"),
        ("Wingdings-Regular", "v\\247\\374", "❖▪✓"),
        ("Webdings", "a", "✔"),
        ("Wingdings3", "p", "▲"),
        ("SymbolMT", "ab\\267m 12", "αβ•μ 12"),
        ("Symbol", "ab\\267\\265m 12", "αβ•∝μ 12"),
        ("ZapfDingbats", "n4\\267", "■✔❷"),
    ],
)
@pytest.mark.parametrize("encoding", [{}, {"Encoding": Name.WinAnsiEncoding}])
def test_latin_letters_are_signs(name, codes, told, encoding):
    content = read(make_page(f"BT /F9 12 Tf 20 100 Td ({codes}) Tj ET", fonts={"F9": _font(name, **encoding)}))
    assert text_of(content).startswith(told)
    assert not (content.glyphs.flags & GlyphFlag.UNTRUSTED).any()


def test_private_characters_of_a_map_to_unicode():
    pdf_map = "1 begincodespacerange <00> <FF> endcodespacerange 2 beginbfchar <01> <F0A7> <02> <F8E6> endbfchar"
    data = make_page("BT /F9 12 Tf 20 100 Td (\\001\\002) Tj ET", fonts={"F9": _font("ABCDEF+Wingdings")})
    with pikepdf.open(io.BytesIO(data)) as pdf:
        pdf.pages[0].obj.Resources.Font.F9.ToUnicode = pdf.make_stream(pdf_map.encode())
        sink = io.BytesIO()
        pdf.save(sink)
    assert text_of(read(sink.getvalue())) == "▪⏐"


@pytest.mark.parametrize(("name", "text"), [("BAAAAA+OpenSymbol", "•▪➢✓\ufffd"), ("BAAAAA+Other", "\ufffd\ufffd\ufffd\ufffd\ufffd")])
def test_bullets_that_libreoffice_draws_in_its_own_font(name, text):
    codes = " ".join(f"<{place:02x}> <{code}>" for place, code in enumerate(("F0B7", "F0A7", "F0D8", "F0FC", "F061"), start=1))
    with pikepdf.open(io.BytesIO(make_page("BT /F9 12 Tf 20 100 Td <0102030405> Tj ET", fonts={"F9": _font(name)}))) as pdf:
        pdf.pages[0].obj.Resources.Font.F9.ToUnicode = pdf.make_stream(f"5 beginbfchar {codes} endbfchar".encode())
        sink = io.BytesIO()
        pdf.save(sink)
    assert text_of(read(sink.getvalue())) == text


def test_private_characters_that_foundries_agree_on():
    names = [
        Name("/oneoldstyle"),
        Name("/Asmall"),
        Name("/Eacutesmall"),
        Name("/registerserif"),
        Name("/tsuperior"),
        Name("/maieklowleftthai"),
        Name("/parenlefttp"),
    ]
    content = make_page(
        "BT /F9 12 Tf 20 100 Td (ABCDEFG) Tj ET",
        fonts={"F9": _font("Expert", "Type1", Encoding=Dictionary(Differences=Array([65, *names])))},
    )
    assert text_of(read(content)) == "1AÉ®t\u0e48⎛"
    assert [chr(private_characters()[code - FIRST_PRIVATE]) for code in (0xF70A, 0xF70F, 0xF71A, 0xF8FF)] == [
        "\u0e48",
        "ญ",
        "\u0e3a",
        "\uf8ff",
    ]


@pytest.mark.parametrize(("name", "text"), [("Expert", "1A"), ("FontAwesome5", "\ufffd\ufffd")])
def test_fonts_of_pictures_have_their_own_private_characters(name, text):
    with pikepdf.open(io.BytesIO(make_page("BT /F9 12 Tf 20 100 Td (\\001\\002) Tj ET", fonts={"F9": _font(name)}))) as pdf:
        pdf.pages[0].obj.Resources.Font.F9.ToUnicode = pdf.make_stream(b"2 beginbfchar <01> <F731> <02> <F761> endbfchar")
        sink = io.BytesIO()
        pdf.save(sink)
    assert text_of(read(sink.getvalue())) == text


@pytest.mark.parametrize("table", tables())
def test_each_table_is_whole_and_mapping_twice_changes_nothing(table):
    assert len(tables()[table]) == 224
    codes = np.array(sorted(_translation(table)), np.uint32)
    once = _mapped(table, codes)
    assert (_mapped(table, once) == once).all()


@pytest.mark.parametrize("name", ["OpenSymbol", "LMMathSymbols10-Regular", "SymbolNeu", "Symbols1", "Helvetica"])
def test_other_fonts_are_left_alone(name):
    assert symbol_font(name) is None


def test_what_the_fonts_row_says():
    row = describe(_font("ABCDEF+Wingdings"))
    assert (row["unicode_source"], row["trusted"]) == ("font_name", True)
    names = Dictionary(Type=Name.Encoding, Differences=Array([1, Name.a20, Name.a71]))
    assert describe(_font("ZapfDingbats", "Type1", Encoding=names))["unicode_source"] == "differences"
    assert describe(_font("Helvetica", "Type1", Encoding=names))["trusted"] is False


def _bitmaps(pdf, *codes):
    """A Type 3 font as pdfTeX embeds bitmaps: without a name, its glyphs named by their codes."""
    shape = pdf.make_stream(b"0.5 0 d0 0.05 0.05 0.4 0.4 re f")
    names = [Name(f"/a{code}") for code in codes]
    return Dictionary(
        Type=Name.Font, Subtype=Name.Type3, FontBBox=Array([0, 0, 0.5, 0.5]), FontMatrix=Array([1, 0, 0, 1, 0, 0]),
        FirstChar=min(codes), LastChar=max(codes), Widths=Array([0.5] * (max(codes) - min(codes) + 1)),
        CharProcs=Dictionary(dict.fromkeys(map(str, names), shape)),
        Encoding=Dictionary(Differences=Array([each for pair in zip(codes, names, strict=True) for each in pair])),
    )  # fmt: skip


def _in_bitmaps(*codes, spaced=0):
    """A page that shows these codes in a font of TeX as bitmaps, with so many points between its characters."""
    shown = "".join(f"{code:02X}" for code in codes)
    pdf = pikepdf.Pdf.open(io.BytesIO(make_page(f"BT /F9 12 Tf {spaced} Tc 20 100 Td <{shown}> Tj ET")))
    pdf.pages[0].Resources.Font["/F9"] = pdf.make_indirect(_bitmaps(pdf, *sorted(set(codes))))
    sink = io.BytesIO()
    pdf.save(sink)
    return read(sink.getvalue())


@pytest.mark.parametrize(("codes", "told"), [((136,), "•"), ((136, 169), "•©"), ((136, 200), "ˆÈ")])
def test_a_bullet_of_bitmaps_in_the_encoding_of_symbols(codes, told):
    assert text_of(_in_bitmaps(*codes)) == told


@pytest.mark.parametrize(
    ("codes", "told"),
    [
        (b"di\x1berent`\xf7'", "diﬀerent‘œ’"),  # T1: the ligature ff is 27
        (b"di\x0berent{", "diﬀerent–"),  # OT1: it is 11
        (b"post\x15war", "post–war"),  # T1: an en dash
        (b"\xc0\xed\xe0\xeb\xe8\xe7 \xbe\xbc\xeb\xea\xe8\xbf", "Анализ «ёлки»"),  # T2A
        (b"\x13\x14\x13\x14", "«»«»"),  # T1: French quotation marks of a font that has nothing else
        (b"pr\x1cve-l\x1asning", "prøve-læsning"),  # OT1: æ beside ø, whose code is fi in T1
    ],
)
def test_letters_of_bitmaps_in_the_encodings_of_tex(codes, told):
    content = _in_bitmaps(*codes)
    assert text_of(content) == told
    assert not (content.glyphs.flags & GlyphFlag.UNTRUSTED).any()


@pytest.mark.parametrize(
    ("codes", "spaced"),
    [
        (b"abcd\x01\x02\x03\x04\x05\x06\x07\x08\x0b", 0),  # codes that count the glyphs of their font
        (b"x\x1b", 0),  # no word, as in formulas
        (b"\x14", 0),  # a sign alone, as "at most" of formulas
        (b"abcd\x1b", 3),  # letters that stand alone
    ],
)
def test_letters_of_bitmaps_in_an_unknown_encoding_are_untrusted(codes, spaced):
    content = _in_bitmaps(*codes, spaced=spaced)
    assert "\ufffd" in text_of(content)
    assert (content.glyphs.flags & GlyphFlag.UNTRUSTED).any()


@pytest.mark.parametrize(("codes", "told"), [(b"library", True), (b"lallali", False)])
def test_bitmaps_of_one_width_are_monospaced(codes, told):
    content = _in_bitmaps(*codes)
    assert text_of(content) == codes.decode()
    assert {content.glyphs.styles[number].monospaced for number in content.glyphs.style.tolist()} == {told}


def test_bitmaps_of_several_widths_are_not_monospaced():
    pdf = pikepdf.Pdf.open(io.BytesIO(make_page("BT /F9 12 Tf 20 100 Td (library) Tj ET")))
    font = _bitmaps(pdf, *sorted(set(b"library")))
    font.Widths[ord("i") - ord("a")] = 0.3
    pdf.pages[0].Resources.Font["/F9"] = pdf.make_indirect(font)
    sink = io.BytesIO()
    pdf.save(sink)
    assert not any(style.monospaced for style in read(sink.getvalue()).glyphs.styles)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("IHXUIF+LinLibertineO-Identity-H", "The 1588 set"),
        ("LINUXBIOLINUM,Bold", "The 1588 set"),
        ("Junicode", "\ufffde \ufffd\ufffd\ufffd\ufffd \ufffdet"),
    ],
)
def test_private_characters_of_libertine_that_xetex_writes_into_the_map(name, text):
    """A ligature, figures and a small capital; in other fonts the same characters mean something else."""
    drawn = "\ue049e \ue011\ue015\ue018\ue018 \ue063et"
    characters = dict(enumerate(drawn, 1))
    page = mapped_page(f"BT /F1 12 Tf 20 100 Td <{''.join(f'{code:04x}' for code in characters)}> Tj ET", characters, name=name)
    assert text_of(read(page)) == text
