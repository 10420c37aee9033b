from __future__ import annotations

import pikepdf
import pytest
from pikepdf import Array, Dictionary, Name, String

from pdfmill.schemas.records import Notice
from pdfmill.transforms.pdf.facts.annotations import read_annotation_types, read_annotations
from pdfmill.transforms.pdf.open.document import open_document
from tests.pdf.make import HELVETICA, add_annotations, annotation, embedded, make_document, make_pdf
from tests.pdf.to_unicode import to_cmap


def appearance(pdf: pikepdf.Pdf, text: str, **entries: object) -> Dictionary:
    stream = pdf.make_stream(f"BT /F1 10 Tf 2 5 Td ({text}) Tj ET".encode())
    for key, value in {
        "Subtype": Name.Form,
        "BBox": Array([0, 0, 50, 20]),
        "Resources": Dictionary(Font=Dictionary(F1=Dictionary(HELVETICA))),
        **entries,
    }.items():
        stream[f"/{key}"] = value
    return Dictionary(N=stream)


def test_text_links_and_files() -> None:
    def edit(pdf: pikepdf.Pdf) -> None:
        add_annotations(
            pdf,
            annotation("Text", Contents=String("a comment"), T=String("Ann"), M=String("D:20200101000000Z"), RC=String("<p>a comment</p>")),
            annotation("Link", A=Dictionary(S=Name.URI, URI=String("https://example.org/"))),
            annotation("Link", Dest=Array([pdf.pages[1].obj, Name.Fit])),
            annotation("FileAttachment", FS=embedded(pdf, b"x", "x.txt")),
            annotation("Square"),
        )

    rows = read_annotations(make_document(edit, pages=2), 1)
    said = [(row["type"], row["contents"], row["uri"], row["target_page"]) for row in rows]
    assert said == [
        ("Text", "a comment", None, None),
        ("Link", None, "https://example.org/", None),
        ("Link", None, None, 2),
        ("FileAttachment", "x.txt", None, None),
    ]
    assert (rows[0]["author"], rows[0]["modified"], rows[0]["rich_text"]) == ("Ann", "2020-01-01T00:00:00Z", "<p>a comment</p>")
    assert (rows[0]["x0"], rows[0]["top"], rows[0]["x1"], rows[0]["bottom"]) == (10, 60, 60, 80)


def test_all_types_are_counted_also_those_left_out() -> None:
    def edit(pdf: pikepdf.Pdf) -> None:
        add_annotations(pdf, annotation("Square"), annotation("Square"), annotation("Ink"))

    document = make_document(edit)
    assert read_annotation_types(document) == {"annotation_types": [{"type": "Ink", "count": 1}, {"type": "Square", "count": 2}]}
    assert read_annotations(document, 1) == []


@pytest.mark.parametrize(
    ("rotation", "box"), [(0, (0, 50, 50, 70)), (90, (10, 0, 30, 50)), (180, (130, 10, 180, 30)), (270, (50, 130, 70, 180))]
)
def test_boxes_on_the_rotated_and_cropped_page(rotation: int, box: tuple[float, ...]) -> None:
    def edit(pdf: pikepdf.Pdf) -> None:
        pdf.pages[0].obj["/CropBox"] = Array([10, 10, 190, 90])
        pdf.pages[0].obj["/Rotate"] = rotation
        add_annotations(pdf, annotation("Text", Contents=String("x")))

    (row,) = read_annotations(make_document(edit), 1)
    assert (row["x0"], row["top"], row["x1"], row["bottom"]) == box


def test_text_that_only_the_appearance_shows() -> None:
    def edit(pdf: pikepdf.Pdf) -> None:
        stamp = annotation("Stamp", AP=appearance(pdf, "APPROVED"))
        widget = annotation("Widget", AP=appearance(pdf, "typed in", Resources=Dictionary()))
        widget["/AP"]["/N"].__delitem__("/Resources")
        pdf.Root["/AcroForm"] = Dictionary(Fields=Array(), DR=Dictionary(Font=Dictionary(F1=Dictionary(HELVETICA))))
        add_annotations(pdf, stamp, widget)

    rows = read_annotations(make_document(edit), 1)
    assert [(row["type"], row["appearance_text"]) for row in rows] == [("Stamp", "APPROVED"), ("Widget", "typed in")]


@pytest.mark.parametrize(("revision", "aes"), [(2, False), (3, False), (4, False), (4, True), (6, True)])
def test_text_of_appearances_in_encrypted_files(revision: int, aes: bool) -> None:
    def edit(pdf: pikepdf.Pdf) -> None:
        pdf.Root["/AcroForm"] = Dictionary(Fields=Array(), DR=Dictionary(Font=Dictionary(F1=Dictionary(HELVETICA))))
        font = embedded_font(pdf)
        add_annotations(
            pdf,
            *(
                annotation("Stamp", AP=appearance(pdf, word, Resources=Dictionary(Font=Dictionary(F1=font))))
                for word in ("APPROVED", "REJECTED")
            ),
        )

    data = make_pdf(edit, encryption=pikepdf.Encryption(owner="o", user="geheim", R=revision, aes=aes, metadata=aes))
    document = open_document(data, name="x", passwords=("geheim",))
    assert [row["appearance_text"] for row in read_annotations(document, 1)] == ["APPROVED", "REJECTED"]


def embedded_font(pdf: pikepdf.Pdf) -> Dictionary:
    """Helvetica with a map, a stream of the file too."""
    font = Dictionary(HELVETICA)
    font.ToUnicode = pdf.make_stream(to_cmap({code: chr(code) for code in range(32, 127)}, 1))
    return pdf.make_indirect(font)


def test_pop_ups_and_replies_name_their_parent() -> None:
    def edit(pdf: pikepdf.Pdf) -> None:
        first, pop_up, reply, lost = add_annotations(
            pdf,
            annotation("Text", Contents=String("question")),
            annotation("Popup"),
            annotation("Text", Contents=String("answer")),
            annotation("Popup"),
        )
        pop_up["/Parent"] = first
        reply["/IRT"] = first

    rows = read_annotations(make_document(edit), 1)
    assert [(row["type"], row["parent"]) for row in rows] == [("Text", None), ("Popup", 0), ("Text", 0)]


def test_broken_annotations_lose_nothing_else() -> None:
    def edit(pdf: pikepdf.Pdf) -> None:
        broken = annotation("Link", A=Dictionary(S=Name.GoTo, D=String("nowhere")))
        strange = Dictionary(Subtype=7, Rect=String("x"), Contents=Array())
        add_annotations(pdf, broken, strange, annotation("Text", Contents=String("kept")))
        pdf.pages[0].obj["/Annots"].append(42)

    warnings: list[Notice] = []
    rows = read_annotations(make_document(edit), 1, warnings)
    assert [row["contents"] for row in rows] == ["kept"]


def test_a_page_without_annotations() -> None:
    document = make_document(pages=2)
    assert read_annotations(document, 2) == []
    assert read_annotations(document, 99) == []


def test_the_appearance_of_the_state_it_is_in() -> None:
    def edit(pdf: pikepdf.Pdf) -> None:
        states = Dictionary(N=Dictionary(On=appearance(pdf, "APPROVED").N, Off=appearance(pdf, "REJECTED").N))
        add_annotations(pdf, annotation("Stamp", AP=states, AS=Name.On), annotation("Widget", FT=Name.Btn, AP=states, AS=Name.On))

    assert [(row["type"], row["appearance_text"]) for row in read_annotations(make_document(edit), 1)] == [("Stamp", "APPROVED")]


def test_a_popup_that_comes_before_its_parent() -> None:
    def edit(pdf: pikepdf.Pdf) -> None:
        popup, note = add_annotations(pdf, annotation("Popup"), annotation("Text", Contents=String("note")))
        popup["/Parent"] = note

    assert [(row["type"], row["parent"]) for row in read_annotations(make_document(edit), 1)] == [("Popup", 1), ("Text", None)]


def field(kind: str, **entries: object) -> Dictionary:
    return annotation("Widget", FT=Name(f"/{kind}"), **entries)


@pytest.mark.parametrize("anew", [False, True])
def test_what_viewers_write_into_fields_without_appearances(anew: bool) -> None:
    options = Array([Array([String("p"), String("pi")]), String("delta")])

    def edit(pdf: pikepdf.Pdf) -> None:
        parent = pdf.make_indirect(Dictionary(FT=Name.Tx, V=String("of the parent")))
        widgets = [
            field("Tx", V=String("typed")),
            annotation("Widget", Parent=parent),
            field("Ch", Opt=options, V=String("p"), Ff=1 << 17),
            field("Ch", Opt=options, V=String("p")),
            field("Tx", V=String("secret"), Ff=1 << 13),
            field("Tx", V=String("hidden"), F=2),
            field("Btn", V=Name.Yes),
            field("Tx", V=String("later"), AP=appearance(pdf, "shown")),
            field("Tx", V=String("blank"), AP=Dictionary(N=pdf.make_stream(b""))),
        ]
        add_annotations(pdf, *widgets)
        pdf.Root["/AcroForm"] = Dictionary(Fields=Array(), NeedAppearances=anew)

    shown = [row["appearance_text"] for row in read_annotations(make_document(edit), 1)]
    assert shown == ["typed", "of the parent", "pi", "pi\ndelta", "shown", *(["blank"] if anew else [])]
