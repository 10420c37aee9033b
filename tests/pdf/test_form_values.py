"""Values of form fields in the text of a page."""

from __future__ import annotations

import io
from collections.abc import Sequence

import pikepdf
import pytest
from pikepdf import Array, Dictionary, Name, String

from pdfmill.transforms.layout.lines.lines import find_lines
from tests.pdf.pages import make_page, read

LABEL = "BT /F1 10 Tf 20 105 Td (Name:) Tj ET"
BOX = (60, 100, 160, 118)


def lines_of(*widgets: Dictionary, content: str = LABEL, box: Sequence[int] = BOX, rotate: int = 0) -> list[str]:
    """The lines of a page whose widgets have the same box."""
    with pikepdf.Pdf.open(io.BytesIO(make_page(content))) as pdf:
        given = [Dictionary(Type=Name.Annot, Subtype=Name.Widget, F=4, Rect=Array(list(box))) for _ in widgets]
        for widget, entries in zip(given, widgets, strict=True):
            for key, value in entries.items():
                widget[key] = value
        pdf.pages[0].obj["/Annots"] = Array([pdf.make_indirect(widget) for widget in given])
        pdf.pages[0].obj["/Rotate"] = rotate
        pdf.Root["/AcroForm"] = Dictionary(Fields=pdf.pages[0].obj["/Annots"])
        sink = io.BytesIO()
        pdf.save(sink)
    return [line.text for line in find_lines(read(sink.getvalue())).lines]


ON_OR_OFF = Dictionary(N=Dictionary(Yes=Dictionary(), Off=Dictionary()))
OPTIONS = Array([Array([String("p"), String("pi")]), String("delta")])


@pytest.mark.parametrize(
    ("widget", "shown"),
    [
        (Dictionary(FT=Name.Tx, V=String("Ada")), ["Name: Ada"]),
        (Dictionary(FT=Name.Ch, Ff=1 << 17, Opt=OPTIONS, V=String("p")), ["Name: pi"]),  # a drop-down list
        (Dictionary(FT=Name.Ch, Opt=OPTIONS, V=String("p")), ["Name: pi"]),  # a list box
        (Dictionary(FT=Name.Btn, AS=Name.Yes, AP=ON_OR_OFF), ["Name: \N{BALLOT BOX WITH CHECK}"]),
        (Dictionary(FT=Name.Btn, AS=Name.Off, AP=ON_OR_OFF), ["Name:"]),
        (Dictionary(FT=Name.Btn, AS=Name.Yes, AP=ON_OR_OFF, Ff=1 << 16), ["Name:"]),
        (Dictionary(FT=Name.Tx, V=String("secret"), Ff=1 << 13), ["Name:"]),
        (Dictionary(FT=Name.Tx, V=String("hidden"), F=2), ["Name:"]),
        (Dictionary(FT=Name.Tx, V=String("not on the screen"), F=1 << 5), ["Name:"]),
        (Dictionary(FT=Name.Tx, V=String("beside the page"), Rect=Array([400, 100, 500, 118])), ["Name:"]),
        (Dictionary(FT=Name.Sig, V=Dictionary()), ["Name:"]),
        (Dictionary(FT=Name.Tx), ["Name:"]),
    ],
)
def test_a_field_shows_its_value_beside_its_label(widget: Dictionary, shown: list[str]) -> None:
    assert lines_of(widget) == shown


def test_what_the_page_itself_draws_in_the_box_is_not_repeated() -> None:
    drawn = LABEL + " BT /F1 10 Tf 62 105 Td (Ada) Tj ET"
    assert lines_of(Dictionary(FT=Name.Tx, V=String("Ada")), content=drawn) == ["Name: Ada"]


def test_long_values_are_wrapped_and_what_the_box_cannot_hold_is_left_out() -> None:
    text = String("one two three four five six seven eight nine ten")
    assert " ".join(lines_of(Dictionary(FT=Name.Tx, V=text), content="", box=(60, 40, 160, 118))) == str(text)
    many = String("\n".join(str(number) for number in range(100)))
    assert len(lines_of(Dictionary(FT=Name.Tx, V=many), content="", box=(60, 40, 160, 118))) < 20


def test_values_of_turned_pages_stand_in_the_displayed_box() -> None:
    assert lines_of(Dictionary(FT=Name.Tx, V=String("Ada")), content="", box=(60, 40, 160, 118), rotate=90) == ["Ada"]
