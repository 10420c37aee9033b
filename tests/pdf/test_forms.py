"""Forms, their scripts, XFA and signatures."""

from __future__ import annotations

import pikepdf
from pikepdf import Array, Dictionary, Name, String

from pdfmill.transforms.pdf.facts.forms import read_forms, read_signatures, read_xfa, xfa_asset
from pdfmill.transforms.pdf.facts.javascript import read_javascript
from tests.pdf.make import add_annotations, annotation, make_document, script

TEMPLATE = (
    b"<template xmlns='http://www.xfa.org/schema/xfa-template/3.3/'><field name='f'><event><script>go()</script></event></field></template>"
)


def with_form(pdf: pikepdf.Pdf, *fields: Dictionary, **entries: object) -> None:
    pdf.Root["/AcroForm"] = Dictionary(Fields=Array([pdf.make_indirect(each) for each in fields]), **entries)


def test_hierarchy_and_inheritance() -> None:
    def edit(pdf: pikepdf.Pdf) -> None:
        leaf = Dictionary(T=String("zip"), TU=String("Postal code"), TM=String("plz"), V=String("1010"))
        group = Dictionary(T=String("address"), FT=Name.Tx, Ff=2, Kids=Array([pdf.make_indirect(leaf)]))
        choice = Dictionary(
            T=String("planets"),
            FT=Name.Ch,
            V=Array([String("Earth"), String("Venus")]),
            Opt=Array([Array([String("e"), String("Earth")]), String("Venus")]),
        )
        with_form(pdf, group, choice)

    assert read_forms(make_document(edit))["form_fields"] == [
        {"name": "address.zip", "type": "Tx", "alternate_name": "Postal code", "mapping_name": "plz", "value": ["1010"],
         "options": None, "flags": 2},
        {"name": "planets", "type": "Ch", "alternate_name": None, "mapping_name": None, "value": ["Earth", "Venus"],
         "options": ["Earth", "Venus"], "flags": None},
    ]  # fmt: skip


def test_widgets_of_one_field_are_not_fields() -> None:
    def edit(pdf: pikepdf.Pdf) -> None:
        widgets = [pdf.make_indirect(annotation("Widget")) for _ in range(3)]
        named = pdf.make_indirect(annotation("Widget", T=String("one")))
        with_form(
            pdf,
            Dictionary(T=String("radio"), FT=Name.Btn, V=Name("/2"), Kids=Array(widgets)),
            Dictionary(T=String("mixed"), FT=Name.Btn, Kids=Array([named, widgets[0]])),
        )

    fields = read_forms(make_document(edit))["form_fields"]
    assert isinstance(fields, list)
    assert [(each["name"], each["value"]) for each in fields] == [("radio", ["2"]), ("mixed.one", None)]


def test_fields_that_loop_end() -> None:
    def edit(pdf: pikepdf.Pdf) -> None:
        field = pdf.make_indirect(Dictionary(T=String("a")))
        field["/Kids"] = Array([field, pdf.make_indirect(Dictionary(T=String("b"), FT=Name.Tx))])
        pdf.Root["/AcroForm"] = Dictionary(Fields=Array([field]))

    fields = read_forms(make_document(edit))["form_fields"]
    assert isinstance(fields, list)
    assert [each["name"] for each in fields] == ["a.b"]


def test_signatures() -> None:
    def edit(pdf: pikepdf.Pdf) -> None:
        value = Dictionary(
            Type=Name.Sig,
            SubFilter=Name("/ETSI.CAdES.detached"),
            Name=String("Max"),
            M=String("D:20200101000000Z"),
            Reason=String("because"),
        )
        with_form(pdf, Dictionary(T=String("s1"), FT=Name.Sig, V=value), Dictionary(T=String("unsigned"), FT=Name.Sig))

    assert read_signatures(make_document(edit))["signatures"] == [
        {"field": "s1", "name": "Max", "subfilter": "ETSI.CAdES.detached", "signed": "2020-01-01T00:00:00Z", "reason": "because"}
    ]


def test_xfa_joined_from_packets() -> None:
    def edit(pdf: pikepdf.Pdf) -> None:
        packets = [(b"preamble", b"<xdp>"), (b"template", TEMPLATE), (b"postamble", b"</xdp>")]
        with_form(pdf, XFA=Array([part for name, data in packets for part in (String(name), pdf.make_stream(data))]))

    document = make_document(edit)
    row = read_xfa(document)
    assert row["xfa_packets"] == [
        {"name": "preamble", "byte_size": 5},
        {"name": "template", "byte_size": len(TEMPLATE)},
        {"name": "postamble", "byte_size": 6},
    ]
    assert row["xfa_dynamic"] is False
    asset = xfa_asset(document)
    assert asset is not None
    assert asset.data == b"<xdp>" + TEMPLATE + b"</xdp>"
    assert read_javascript(document)["javascript"] == [{"location": "xfa", "name": "f", "code": "go()"}]


def test_xfa_in_one_stream() -> None:
    document = make_document(lambda pdf: with_form(pdf, XFA=pdf.make_stream(b"<xdp><dynamicRender>required</dynamicRender></xdp>")))
    assert read_xfa(document) == {"xfa_packets": [], "xfa_dynamic": True}
    assert read_xfa(make_document()) == {"xfa_packets": None, "xfa_dynamic": None}


def test_scripts_in_every_place() -> None:
    def edit(pdf: pikepdf.Pdf) -> None:
        following = script("after()")
        opening = script("open()")
        opening["/Next"] = Array([following])
        pdf.Root["/Names"] = Dictionary(JavaScript=Dictionary(Names=Array([String("lib"), script("lib()")])))
        pdf.Root["/OpenAction"] = opening
        pdf.Root["/AA"] = Dictionary(WC=script("close()"))
        pdf.pages[0].obj["/AA"] = Dictionary(O=Dictionary(S=Name.JavaScript, JS=pdf.make_stream(b"page()")))
        field = Dictionary(T=String("f"), FT=Name.Tx, AA=Dictionary(K=script("key()")))
        with_form(pdf, field)
        add_annotations(
            pdf,
            annotation("Screen", A=Dictionary(S=Name.Rendition, JS=String("render()")), T=String("s")),
            annotation("Widget", Parent=pdf.make_indirect(Dictionary(T=String("orphan"), AA=Dictionary(F=script("format()"))))),
        )
        item = pdf.make_indirect(Dictionary(Title=String("go"), A=script("outline()")))
        pdf.Root["/Outlines"] = Dictionary(First=item)

    scripts = read_javascript(make_document(edit))["javascript"]
    assert isinstance(scripts, list)
    assert [(each["location"], each["name"], each["code"]) for each in scripts] == [
        ("document", "lib", "lib()"),
        ("open_action", None, "open()"),
        ("open_action", None, "after()"),
        ("document.AA.WC", None, "close()"),
        ("page.AA.O", "1", "page()"),
        ("annotation", "s", "render()"),
        ("field.AA.F", "orphan", "format()"),
        ("field.AA.K", "f", "key()"),
        ("outline", "go", "outline()"),
    ]


def test_actions_that_loop_end() -> None:
    def edit(pdf: pikepdf.Pdf) -> None:
        action = pdf.make_indirect(script("again()"))
        action["/Next"] = action
        pdf.Root["/OpenAction"] = action

    assert read_javascript(make_document(edit))["javascript"] == [{"location": "open_action", "name": None, "code": "again()"}]


def test_a_form_that_names_no_fields_has_those_of_the_widgets() -> None:
    def edit(pdf: pikepdf.Pdf) -> None:
        with_form(pdf)
        parent = pdf.make_indirect(Dictionary(FT=Name.Tx, T=String("name"), V=String("Ann")))
        add_annotations(pdf, annotation("Widget", Parent=parent), annotation("Widget", FT=Name.Tx, T=String("own")))

    fields = read_forms(make_document(edit))["form_fields"]
    assert isinstance(fields, list)
    assert [(field["name"], field["value"]) for field in fields] == [("name", ["Ann"]), ("own", None)]


def test_scripts_of_scenes_and_addresses() -> None:
    def edit(pdf: pikepdf.Pdf) -> None:
        scene = pdf.make_stream(b"u3d")
        scene["/OnInstantiate"] = pdf.make_stream(b"scene.spin()")
        link = annotation("Link", A=Dictionary(S=Name.URI, URI=String("JavaScript:go()")))
        add_annotations(pdf, annotation("3D", **{"3DD": scene}), link)

    scripts = read_javascript(make_document(edit))["javascript"]
    assert isinstance(scripts, list)
    assert [each["code"] for each in scripts] == ["scene.spin()", "JavaScript:go()"]
