"""Where Unicode comes from, case by case of the character-mapping note."""

from __future__ import annotations

import pikepdf
import pytest
from pikepdf import Array, Dictionary, Name, String

from pdfmill.transforms.pdf.fonts.fonts import describe, plain_name, read_fonts
from tests.pdf.make import make_document


def simple(subtype: str = "Type1", base: str = "/ABCDEF+Garamond", flags: int = 32, **entries: object) -> Dictionary:
    return Dictionary(Type=Name.Font, Subtype=Name(f"/{subtype}"), BaseFont=Name(base), FontDescriptor=Dictionary(Flags=flags), **entries)


def composite(encoding: object, ordering: str) -> Dictionary:
    system = Dictionary(Registry=String("Adobe"), Ordering=String(ordering), Supplement=0)
    descendant = Dictionary(Type=Name.Font, Subtype=Name.CIDFontType0, BaseFont=Name("/ABCDEF+Ming"), CIDSystemInfo=system)
    return Dictionary(
        Type=Name.Font, Subtype=Name.Type0, BaseFont=Name("/ABCDEF+Ming-Identity-H"), Encoding=encoding, DescendantFonts=Array([descendant])
    )


def differences(*names: str) -> Dictionary:
    return Dictionary(BaseEncoding=Name.WinAnsiEncoding, Differences=Array([65, *(Name(f"/{each}") for each in names)]))


@pytest.mark.parametrize(
    ("font", "source", "trusted"),
    [
        (simple(Encoding=Name.WinAnsiEncoding), "named_encoding", True),
        (simple(Encoding=differences("A", "Euro", "uni20AC", "f_i")), "differences", True),
        (simple(Encoding=differences("A", "g123")), "unknown_differences", False),
        (simple(base="/Symbol", flags=4), "font_name", True),
        (simple(base="/Obscure", flags=4), "symbolic_unknown_encoding", False),
        (simple("TrueType", flags=4, Encoding=Name.WinAnsiEncoding), "symbolic_unknown_encoding", False),
        (simple(), "built_in_encoding", True),
        (simple("Type3", Encoding=differences("a1", "a2")), "unknown_differences", False),
        (composite(Name("/90ms-RKSJ-H"), "Japan1"), "named_cmap_known_collection", True),
        (composite(Name("/UniGB-UCS2-H"), "Custom"), "named_cmap_unknown_collection", True),
        (composite(Name("/Private-H"), "Custom"), "named_cmap_unknown_collection", False),
        (composite(Name("/Identity-H"), "Korea1"), "identity_known_collection", True),
        (composite(Name("/Identity-H"), "Identity"), "identity_unknown_collection", False),
    ],
)
def test_sources_and_trust(font: Dictionary, source: str, trusted: bool) -> None:
    row = describe(font)
    assert (row["unicode_source"], row["trusted"]) == (source, trusted)


def test_to_unicode_comes_first() -> None:
    pdf = pikepdf.new()
    row = describe(simple(Encoding=differences("g1"), ToUnicode=pdf.make_stream(b"")))
    assert (row["unicode_source"], row["trusted"]) == ("to_unicode", True)


def test_embedded_cmap() -> None:
    pdf = pikepdf.new()
    cmap = pdf.make_stream(b"", CMapName=Name("/Mine"))
    assert describe(composite(cmap, "GB1"))["unicode_source"] == "cmap_known_collection"
    assert describe(composite(cmap, "Else"))["trusted"] is False


def test_names() -> None:
    assert plain_name("ABCDEF+Times-Roman") == "Times-Roman"
    assert plain_name("Abcdef+x") == "Abcdef+x"
    row = describe(composite(Name("/Identity-H"), "Identity"))
    assert (row["name"], row["subtype"], row["encoding"], row["embedded"]) == ("Ming", "CIDFontType0", "Identity-H", False)


def test_each_font_once_also_those_in_forms() -> None:
    def edit(pdf: pikepdf.Pdf) -> None:
        inner = pdf.make_indirect(simple(Encoding=Name.WinAnsiEncoding))
        form = pdf.make_stream(b"", Type=Name.XObject, Subtype=Name.Form)
        form["/Resources"] = Dictionary(Font=Dictionary(X=inner), XObject=Dictionary(Self=form))
        pdf.pages[0].obj["/Resources"]["/XObject"] = Dictionary(Fm=form)
        pdf.pages[1].obj["/Resources"]["/Font"]["/F2"] = inner

    fonts = read_fonts(make_document(edit, pages=2))["fonts"]
    assert isinstance(fonts, list)
    assert sorted(each["name"] for each in fonts) == ["Garamond", "Helvetica"]
