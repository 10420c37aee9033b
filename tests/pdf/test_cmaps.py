"""CMaps: predefined ones, those a document brings along, and what the identifiers of the collections stand for."""

from __future__ import annotations

import io

import pikepdf
import pytest
from pikepdf import Array, Dictionary, Name, String

from pdfmill.transforms.pdf.fonts.cmaps import collection_characters, named_cmap, read_cmap, to_unicode
from tests.pdf.pages import make_page, read, text_of

#: A CMap of each kind of encoding that Table 116 has, with Python's name of it.
NAMED = [
    ("GB1", "中文测试", {"GB-EUC": "gb2312", "GBpc-EUC": "gb2312", "GBK-EUC": "gbk", "GBKp-EUC": "gbk", "GBK2K": "gb18030", "UniGB-UCS2": "utf-16-be", "UniGB-UTF16": "utf-16-be"}),
    ("CNS1", "中文測試", {"B5pc": "big5", "HKscs-B5": "big5hkscs", "ETen-B5": "big5", "ETenms-B5": "big5", "UniCNS-UCS2": "utf-16-be", "UniCNS-UTF16": "utf-16-be"}),
    ("Japan1", "日本語テスト", {"90ms-RKSJ": "cp932", "90msp-RKSJ": "cp932", "Add-RKSJ": "shift_jis", "EUC": "euc_jp", "Ext-RKSJ": "shift_jis", "UniJIS-UCS2": "utf-16-be", "UniJIS-UCS2-HW": "utf-16-be", "UniJIS-UTF16": "utf-16-be"}),
    ("Korea1", "한국어시험", {"KSC-EUC": "euc_kr", "KSCms-UHC": "cp949", "KSCms-UHC-HW": "cp949", "UniKS-UCS2": "utf-16-be", "UniKS-UTF16": "utf-16-be"}),
]  # fmt: skip
CASES = [(ordering, text, f"{cmap}-{mode}", codec) for ordering, text, cmaps in NAMED for cmap, codec in cmaps.items() for mode in "HV"]
CASES += [
    ("KR", "한국어 A🄐", f"UniAKR-{form}-H", codec) for form, codec in {"UTF8": "utf-8", "UTF16": "utf-16-be", "UTF32": "utf-32-be"}.items()
]


def composite(encoding: object, ordering: str, **entries: object) -> Dictionary:
    """A composite font that is not embedded."""
    descendant = Dictionary(
        Type=Name.Font,
        Subtype=Name.CIDFontType0,
        BaseFont=Name.Missing,
        CIDSystemInfo=Dictionary(Registry=String("Adobe"), Ordering=String(ordering), Supplement=2),
        DW=1000,
        FontDescriptor=Dictionary(Type=Name.FontDescriptor, FontName=Name.Missing, Flags=4, FontBBox=Array([0, -200, 1000, 800])),
    )
    written = Name(f"/{encoding}") if isinstance(encoding, str) else encoding
    return Dictionary(
        Type=Name.Font, Subtype=Name.Type0, BaseFont=Name.Missing, Encoding=written, DescendantFonts=Array([descendant]), **entries
    )


def shown(string: bytes, font: Dictionary) -> str:
    """What a page says that shows the string in the font."""
    return text_of(read(make_page(f"BT /F3 12 Tf 50 150 Td <{string.hex()}> Tj ET", fonts={"F3": font})))


@pytest.mark.parametrize(("ordering", "text", "cmap", "codec"), CASES, ids=[case[2] for case in CASES])
def test_predefined_cmaps_of_fonts_that_are_not_there(ordering: str, text: str, cmap: str, codec: str) -> None:
    assert shown(text.encode(codec), composite(cmap, ordering)) == text


@pytest.mark.parametrize("mode", ["H", "V"])
def test_identity_with_a_known_collection(mode: str) -> None:
    assert shown(bytes.fromhex("034b034d034f"), composite(f"Identity-{mode}", "Japan1")) == "あいう"
    assert shown(bytes.fromhex("00df2fcf0bbf"), composite(f"Identity-{mode}", "KR")) == "\uac04ᄀᆞᆨ!"


def test_characters_beyond_the_basic_plane() -> None:
    text = "\U0002000b\U0002123d\U000200a2\u53f1\u65e5"
    for codec in ("utf-32-be", "utf-8"):
        name = f"UniJIS2004-{codec[:3].upper()}{codec[4:].removesuffix('-be')}-H"
        assert shown(text.encode(codec), composite(name, "Japan1")) == text
    cmap = named_cmap("UniJIS2004-UTF32-H")
    assert cmap is not None
    identifier = cmap.identifier(text[2].encode("utf-32-be"))
    assert identifier == 17_240, "beyond PDFium's table of Adobe-Japan1, which ends before 15,444"
    assert shown(identifier.to_bytes(2, "big"), composite("Identity-H", "Japan1")) == text[2]


OWNER = pikepdf.Pdf.new()


def stream(body: str, **entries: object) -> pikepdf.Stream:
    """A CMap as a document holds it."""
    return pikepdf.Stream(OWNER, f"begincmap {body} endcmap".encode(), Type=Name.CMap, CMapName=Name.Own, **entries)


def embedded(body: str, string: str, ordering: str = "Japan1", **entries: object) -> str:
    pdf = pikepdf.Pdf.open(
        io.BytesIO(make_page(f"BT /F3 12 Tf 50 150 Td <{string}> Tj ET", fonts={"F3": composite("Identity-H", ordering)}))
    )
    pdf.pages[0].Resources.Font.F3.Encoding = pdf.make_stream(
        f"begincmap {body} endcmap".encode(), Type=Name.CMap, CMapName=Name.Own, **entries
    )
    sink = io.BytesIO()
    pdf.save(sink)
    return text_of(read(sink.getvalue()))


def test_a_cmap_in_the_document_with_a_known_collection() -> None:
    assert (
        embedded("1 begincodespacerange <0000> <ffff> endcodespacerange 1 begincidrange <0001> <0003> 843 endcidrange", "000100020003")
        == "あぃい"
    )
    assert embedded("1 begincodespacerange <00> <ff> endcodespacerange 2 begincidchar <41> 843 <42> 845 endcidchar", "4142") == "あい"
    assert embedded("/WMode 1 def 1 begincodespacerange <00> <ff> endcodespacerange 1 begincidchar <41> 843 endcidchar", "4141") == "ああ"


def test_a_cmap_that_builds_on_another_one() -> None:
    spaces = "2 begincodespacerange <00> <80> <8140> <fcfc> endcodespacerange"
    assert embedded(f"/90ms-RKSJ-H usecmap {spaces}", "日本".encode("cp932").hex()) == "日本"
    assert (
        embedded(f"{spaces} 1 begincidchar <41> 843 endcidchar", "41" + "日".encode("cp932").hex(), UseCMap=Name("/90ms-RKSJ-H")) == "あ日"
    )


def test_codes_of_one_to_four_bytes() -> None:
    cmap = read_cmap(
        stream(
            "3 begincodespacerange <00> <7f> <8100> <8fff> <90000000> <90ffffff> endcodespacerange 1 begincidrange <8100> <81ff> 10 endcidrange"
        )
    )
    assert cmap is not None
    codes = cmap.codes(bytes.fromhex("41 8105 90010203 ff"))
    assert [code.hex() for code in codes] == ["41", "8105", "90010203", "ff"]
    assert [cmap.identifier(code) for code in codes] == [None, 15, None, None]


def test_cmaps_that_build_on_themselves_or_on_nothing() -> None:
    pdf = pikepdf.Pdf.new()
    loop = pdf.make_stream(b"begincmap endcmap")
    loop["/UseCMap"] = loop
    cmap = read_cmap(loop)
    assert cmap is not None
    assert (cmap.codes(b"ab"), cmap.identifier(b"a")) == ([b"a", b"b"], None)
    assert named_cmap("Nobody-H") is None
    assert named_cmap("../../etc/passwd") is None
    assert collection_characters("Nobody") == {}


def test_glyphs_of_vertical_writing_are_the_characters_they_stand_for() -> None:
    assert [collection_characters("Japan1")[identifier] for identifier in (7887, 7891, 736)] == ["、", "ー", "→"]
    assert collection_characters("GB1")[573] == "，"


def test_to_unicode_as_far_as_it_goes() -> None:
    assert to_unicode(stream("1 beginbfchar <01> <0041> endbfchar 1 beginbfrange <02> <03> <0061> endbfrange")) == {1: "A", 2: "a", 3: "b"}
    assert to_unicode(stream("1 beginbfchar <01> <0041> endbfchar 1 beginbfchar <02")) == {1: "A"}
    assert to_unicode(stream("1 beginbfrange <10> <12> [<0041> <00660069>] <20> <21> <d83ddE00> endbfrange")) == {
        16: "A",
        17: "fi",
        32: "😀",
        33: "😁",
    }
    assert to_unicode(None) == {}


def test_hostile_maps_end() -> None:
    assert len(to_unicode(stream("1 beginbfrange <00000000> <ffffffff> <0000> endbfrange"))) == 0x10000
    assert len(to_unicode(stream("beginbfrange " + "<0000> <ffff> <0000> " * 20_000 + "endbfrange"))) == 0x10000
    assert to_unicode(stream("beginbfchar " * 200_000)) == {}
    cmap = read_cmap(stream("begincidrange <00> " * 200_000 + "begincodespacerange " + "<00> <ff> " * 1000 + "endcodespacerange"))
    assert cmap is not None
    assert cmap.codes(b"ab") == [b"a", b"b"]
