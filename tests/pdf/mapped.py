"""Pages in a font whose ToUnicode map is given: each code is one glyph, of half an em where no width is stated."""

from __future__ import annotations

import io
from collections.abc import Mapping

import pikepdf
from pikepdf import Array, Dictionary, Name, String

from tests.pdf.to_unicode import to_cmap


def mapped_page(content: str, characters: Mapping[int, str | None], widths: Mapping[int, int] | None = None, name: str = "Plain") -> bytes:
    """A PDF of one page of 300 x 200 points whose font F1 has codes of two bytes and this ToUnicode map; None: the target is empty.
    widths: of codes, thousandths of an em. name: of the font."""
    pdf = pikepdf.Pdf.new()
    system = Dictionary(Registry=String("Adobe"), Ordering=String("Identity"), Supplement=0)
    descriptor = Dictionary(
        Type=Name.FontDescriptor,
        FontName=Name(f"/{name}"),
        Flags=4,
        FontBBox=Array([0, -200, 500, 800]),
        ItalicAngle=0,
        Ascent=800,
        Descent=-200,
        CapHeight=700,
        StemV=80,
    )
    descendant = Dictionary(
        Type=Name.Font,
        Subtype=Name.CIDFontType2,
        BaseFont=Name(f"/{name}"),
        CIDSystemInfo=system,
        DW=500,
        W=Array([entry for code, width in (widths or {}).items() for entry in (code, Array([width]))]),
        FontDescriptor=descriptor,
    )
    font = Dictionary(
        Type=Name.Font,
        Subtype=Name.Type0,
        BaseFont=Name(f"/{name}"),
        Encoding=Name("/Identity-H"),
        DescendantFonts=Array([descendant]),
        ToUnicode=pdf.make_stream(to_cmap({code: text or "" for code, text in characters.items()}, 2)),
    )
    page = Dictionary(
        Type=Name.Page,
        MediaBox=Array([0, 0, 300, 200]),
        Resources=Dictionary(Font=Dictionary(F1=pdf.make_indirect(font))),
        Contents=pdf.make_stream(content.encode()),
    )
    pdf.pages.append(pikepdf.Page(pdf.make_indirect(page)))
    sink = io.BytesIO()
    pdf.save(sink)
    return sink.getvalue()
