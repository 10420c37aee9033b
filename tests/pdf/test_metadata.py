"""Document information, XMP, versions, page labels, layers, portfolios."""

from __future__ import annotations

from datetime import UTC, datetime

import pikepdf
import pytest
from pikepdf import Array, Dictionary, Name, String

from pdfmill.transforms.pdf.facts.attachments import read_portfolio
from pdfmill.transforms.pdf.facts.layers import read_layers
from pdfmill.transforms.pdf.facts.metadata import XML_HEADER, decode_packet, properties, read_info, read_xmp
from pdfmill.transforms.pdf.facts.navigation import numeral, read_page_labels
from pdfmill.transforms.pdf.facts.revisions import later_version, read_version
from pdfmill.transforms.pdf.facts.tags import read_tags
from pdfmill.transforms.pdf.open.document import open_document
from tests.pdf.make import make_document, make_pdf

PACKET = """<?xpacket begin='\ufeff' id='x'?><x:xmpmeta xmlns:x='adobe:ns:meta/'>
<rdf:RDF xmlns:rdf='http://www.w3.org/1999/02/22-rdf-syntax-ns#'>
<rdf:Description rdf:about='' xmlns:xap='http://ns.adobe.com/xap/1.0/' xap:CreatorTool='Quill' xmlns:dc='http://purl.org/dc/elements/1.1/'>
<dc:title><rdf:Alt><rdf:li xml:lang='de'>Titel</rdf:li><rdf:li xml:lang='x-default'>Title</rdf:li></rdf:Alt></dc:title>
<dc:creator><rdf:Seq><rdf:li>A</rdf:li><rdf:li>B</rdf:li></rdf:Seq></dc:creator>
</rdf:Description></rdf:RDF></x:xmpmeta>"""


def test_info_with_custom_keys() -> None:
    def edit(pdf: pikepdf.Pdf) -> None:
        pdf.trailer["/Info"] = pdf.make_indirect(
            Dictionary(
                Title=String("Bericht über"),
                CreationDate=String("D:20200102030405+01'00'"),
                Trapped=Name.False_,
                Company=String("ACME"),
                Level=3,
            )
        )
        pdf.trailer["/Info"]["/Trapped"] = Name("/False")

    row = read_info(make_document(edit))
    info = row["info"]
    assert isinstance(info, dict)
    assert (info["title"], info["created"], info["trapped"], info["author"]) == ("Bericht über", "2020-01-02T03:04:05+01:00", "False", None)
    assert (row["created"], row["modified"], row["author"]) == (datetime(2020, 1, 2, 2, 4, 5, tzinfo=UTC), None, None)
    assert row["info_custom"] == [{"key": "Company", "value": "ACME"}, {"key": "Level", "value": "3"}]


def test_no_info() -> None:
    assert set(read_info(make_document()).values()) == {None}


@pytest.mark.parametrize("date", ["last spring", "D:99991231235959-12'00'", "D:00000101000000"])
def test_what_is_no_date_stays_in_info_alone(date: str) -> None:
    def edit(pdf: pikepdf.Pdf) -> None:
        pdf.trailer["/Info"] = pdf.make_indirect(Dictionary(ModDate=String(date), Author=String("  ")))

    row = read_info(make_document(edit))
    assert (row["created"], row["modified"], row["author"]) == (None, None, None)


def test_xmp_with_header_and_properties() -> None:
    def edit(pdf: pikepdf.Pdf) -> None:
        pdf.Root["/Metadata"] = pdf.make_stream(PACKET.encode(), Type=Name.Metadata, Subtype=Name.XML)

    row = read_xmp(make_document(edit))
    assert row["xmp"] == XML_HEADER + PACKET
    assert row["xmp_size"] == len(PACKET.encode())
    assert {"name": "dc:creator", "values": ["A", "B"]} in row["xmp_properties"]  # type: ignore[operator]


def test_xmp_properties_by_preferred_prefix() -> None:
    found = dict(properties(PACKET.encode()))
    assert found == {"xmp:CreatorTool": ["Quill"], "dc:title": ["Title"], "dc:creator": ["A", "B"]}


def test_broken_xmp_gives_what_can_be_read() -> None:
    assert dict(properties(PACKET.encode()[:-60]))["dc:title"] == ["Title"]
    assert dict(properties(b"no xml at all")) == {}


def test_xmp_in_the_encoding_that_it_declares() -> None:
    packet = '<?xml version="1.0" encoding="ISO-8859-1"?><a>é</a>'
    assert decode_packet(packet.encode("latin-1")) == packet
    assert decode_packet(packet.replace("ISO-8859-1", "no-such").encode()) == packet.replace("ISO-8859-1", "no-such")


def test_a_property_that_is_an_address() -> None:
    packet = PACKET.replace("<dc:title>", '<dc:relation rdf:resource="http://r"/><dc:title>')
    assert dict(properties(packet.encode()))["dc:relation"] == ["http://r"]


def test_entities_are_not_resolved() -> None:
    bomb = b"<!DOCTYPE x [<!ENTITY a 'aaaa'><!ENTITY b '&a;&a;'>]>" + PACKET.replace("Title<", "&b;<").encode()
    assert "aaaa" not in str(dict(properties(bomb)))


def test_versions() -> None:
    def edit(pdf: pikepdf.Pdf) -> None:
        pdf.Root["/Version"] = Name("/2.0")
        pdf.Root["/Lang"] = String("de-AT")
        pdf.Root["/Extensions"] = Dictionary(GLGR=Dictionary(BaseVersion=Name("/1.7"), ExtensionLevel=8))

    data = make_pdf(edit, linearize=True, force_version="1.6", object_stream_mode=pikepdf.ObjectStreamMode.generate)
    row = read_version(open_document(data, name="x"))
    assert row == {
        "pdf_version": "2.0", "catalog_version": "2.0", "extension_level": 8, "linearized": True, "object_streams": True,
        "declared_language": "de-AT",
    }  # fmt: skip


def test_later_version_wins() -> None:
    assert later_version("1.10", "1.9") == "1.10"
    assert later_version("1.4", "nonsense") == "1.4"
    assert later_version(None, None) is None


def test_page_labels() -> None:
    def edit(pdf: pikepdf.Pdf) -> None:
        numbers = Array([0, Dictionary(S=Name.r), 2, Dictionary(S=Name.D, St=5, P=String("A-")), 3, Dictionary(P=String("end"))])
        pdf.Root["/PageLabels"] = Dictionary(Nums=numbers)

    assert read_page_labels(make_document(edit, pages=4)) == {"page_labels": ["i", "ii", "A-5", "end"]}
    assert read_page_labels(make_document()) == {"page_labels": None}


def test_numerals() -> None:
    assert [numeral(value, "R") for value in (1, 4, 9, 40, 1999)] == ["I", "IV", "IX", "XL", "MCMXCIX"]
    assert [numeral(value, "a") for value in (1, 26, 27, 53)] == ["a", "z", "aa", "aaa"]
    assert numeral(10**9, "r") == str(10**9)
    assert numeral(-1, "r") == "-1"


def test_layers_with_their_default_visibility() -> None:
    def edit(pdf: pikepdf.Pdf) -> None:
        groups = [pdf.make_indirect(Dictionary(Type=Name.OCG, Name=String(name))) for name in ("shown", "hidden")]
        pdf.Root["/OCProperties"] = Dictionary(OCGs=Array(groups), D=Dictionary(OFF=Array([groups[1]])))

    assert read_layers(make_document(edit)) == {"layers": [{"name": "shown", "visible": True}, {"name": "hidden", "visible": False}]}


def test_base_state_off() -> None:
    def edit(pdf: pikepdf.Pdf) -> None:
        groups = [pdf.make_indirect(Dictionary(Type=Name.OCG, Name=String(name))) for name in ("on", "off")]
        pdf.Root["/OCProperties"] = Dictionary(OCGs=Array(groups), D=Dictionary(BaseState=Name.OFF, ON=Array([groups[0]])))

    layers = read_layers(make_document(edit))["layers"]
    assert isinstance(layers, list)
    assert [each["visible"] for each in layers] == [True, False]


def test_portfolio_fields_in_their_order() -> None:
    def edit(pdf: pikepdf.Pdf) -> None:
        schema = Dictionary(a=Dictionary(N=String("Size"), O=2), b=Dictionary(N=String("Name"), O=1))
        pdf.Root["/Collection"] = Dictionary(Schema=schema)

    assert read_portfolio(make_document(edit)) == {"is_portfolio": True, "collection_fields": ["Name", "Size"]}
    assert read_portfolio(make_document()) == {"is_portfolio": False, "collection_fields": None}


def test_structure_types_by_role_map() -> None:
    def edit(pdf: pikepdf.Pdf) -> None:
        root = pdf.make_indirect(Dictionary(Type=Name.StructTreeRoot, RoleMap=Dictionary(Standard=Name.Body, Body=Name.P)))
        paragraph = pdf.make_indirect(Dictionary(S=Name.Standard, K=0))
        document = pdf.make_indirect(Dictionary(S=Name.Document, K=Array([paragraph, Dictionary(S=Name.P), paragraph])))
        paragraph["/K"] = document
        root["/K"] = document
        pdf.Root["/StructTreeRoot"] = root
        pdf.Root["/MarkInfo"] = Dictionary(Marked=True)

    row = read_tags(make_document(edit))
    assert row == {"tagged": True, "struct_types": [{"type": "Document", "count": 1}, {"type": "P", "count": 2}]}
