"""Text in the colour of its ground: the ground is what is painted under it, not the box of what is painted round it."""

from __future__ import annotations

import io

import pikepdf
import pytest
from pikepdf import Array, Dictionary, Name

from pdfmill.schemas.glyphs import GlyphFlag
from tests.pdf.pages import make_page, read, standard

INSIDE = "BT 0 g /F1 10 Tf 100 100 Td (a) Tj ET "
WHITE = "BT 1 g /F1 10 Tf 100 100 Td (a) Tj ET "
OUTER = "20 20 260 160 re "


def hidden(content: str, **resources: object) -> bool:
    """Whether the page's only letter is hidden."""
    flags = read(make_page(content, resources=dict(resources))).glyphs.flags
    assert len(flags) == 1
    return bool(flags[0] & GlyphFlag.SAME_COLOR)


@pytest.mark.parametrize(
    "frame",
    [
        f"0 g {OUTER} 25 25 250 150 re f* ",  # two rectangles, the inner one left out
        "0 g 20 20 m 280 20 l 280 180 l 20 180 l h 25 25 m 25 175 l 275 175 l 275 25 l h f ",  # the same by direction
        "0 g 20 20 m 280 20 l 280 30 l 30 30 l 30 180 l 20 180 l h f ",  # an angle
        "0 g 20 20 m 280 20 l 280 180 l 275 180 l 275 25 l 25 25 l 25 180 l 20 180 l h f ",  # open above
        "0 g 20 60 m 20 20 60 20 100 20 c 280 20 l 280 25 l 100 25 l 60 25 25 25 25 60 c 25 180 l 20 180 l h f ",  # a rounded corner
    ],
)
def test_a_frame_does_not_hide_what_stands_inside(frame: str) -> None:
    assert not hidden(frame + INSIDE)


@pytest.mark.parametrize(
    "area",
    [
        f"0 g {OUTER} f ",
        f"0 g {OUTER} 25 25 250 150 re f ",  # both rectangles turn the same way: all is painted
        "0 g 20 20 m 280 20 l 280 180 l 20 180 l h f ",
        "0 g 20 100 m 150 -80 150 -80 280 100 c 150 280 150 280 20 100 c f ",  # an eye of curves
        f"0 g 1 0 0 1 0 0 cm {OUTER} f ",
    ],
)
def test_what_is_painted_hides_text_of_its_colour(area: str) -> None:
    assert hidden(area + INSIDE)


def test_white_text_inside_a_frame_is_hidden_by_the_paper() -> None:
    assert hidden(f"0 g {OUTER} 25 25 250 150 re f* " + WHITE)


def test_what_lets_shine_through_hides_nothing() -> None:
    state = Dictionary(Thin=Dictionary(Type=Name.ExtGState, ca=0.2))
    assert not hidden(f"q /Thin gs 0 g {OUTER} f Q " + INSIDE, ExtGState=state)


def test_the_ground_is_what_was_painted_last_also_where_a_form_paints() -> None:
    pdf = pikepdf.Pdf.new()
    paper = pdf.make_stream(b"1 g 0 0 300 200 re f")
    paper["/Type"], paper["/Subtype"], paper["/BBox"] = Name.XObject, Name.Form, Array([0, 0, 300, 200])
    resources = Dictionary(Font=Dictionary(F1=standard("Helvetica")), XObject=Dictionary(Paper=paper))
    content = pdf.make_stream(f"/Paper Do 0 g 20 20 260 160 re f {WHITE}".encode())
    pdf.pages.append(
        pikepdf.Page(pdf.make_indirect(Dictionary(Type=Name.Page, MediaBox=Array([0, 0, 300, 200]), Resources=resources, Contents=content)))
    )
    sink = io.BytesIO()
    pdf.save(sink)
    assert not read(sink.getvalue()).glyphs.flags.any()


def test_what_a_shading_paints_is_not_known() -> None:
    ends = Dictionary(FunctionType=2, Domain=[0, 1], C0=[0, 0, 0.4], C1=[0.4, 0, 0.6], N=1)
    shading = Dictionary(ShadingType=2, ColorSpace=Name.DeviceRGB, Coords=[0, 0, 300, 0], Function=ends, Extend=[True, True])
    pattern = Dictionary(P1=Dictionary(Type=Name.Pattern, PatternType=2, Shading=shading))
    assert not hidden(f"/Pattern cs /P1 scn {OUTER} f " + WHITE, Pattern=pattern)
    assert hidden(WHITE, Pattern=pattern)
    assert hidden(f"1 g {OUTER} f " + WHITE)
    tiles = Dictionary(P1=Dictionary(Type=Name.Pattern, PatternType=1))
    assert hidden(f"1 g {OUTER} f " + WHITE, Pattern=tiles)  # a pattern that paints tiles is no shading
