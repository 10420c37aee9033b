from __future__ import annotations

import pytest

from pdfmill.schemas.codes import DocumentError
from pdfmill.transforms.pdf.facts.facts import read_facts
from pdfmill.transforms.pdf.open.document import open_document

FDF = b"""%FDF-1.4
1 0 obj
<</Version/1.6/FDF<</F(form.pdf)/Fields[<</T(a)/Kids[<</T(b)/V(one)>><</T(c)/V[(x)(y)]>>]>><</T(d)/V/On>>]
/Annots[2 0 R]/JavaScript<</Before(start\\(\\))/Doc[(lib)(lib\\(\\))]>>>>>>
endobj
2 0 obj
<</Type/Annot/Subtype/Text/Page 4/Contents(note)/T(Ann)/Rect[1 2 3 4]>>
endobj
trailer
<</Root 1 0 R>>
%%EOF"""

XFDF = b"""<?xml version="1.0"?><xfdf xmlns="http://ns.adobe.com/xfdf/"><f href="form.pdf"/>
<fields><field name="a"><field name="b"><value>one</value></field></field>
<field name="list"><value>x</value><value>y</value></field></fields>
<annots><text page="1" title="Ann" rect="1,2,3,4" date="D:20200101000000Z"><contents-richtext>
<body xmlns="http://www.w3.org/1999/xhtml"><p>rich <b>note</b></p></body></contents-richtext>
<popup page="1" rect="0,0,1,1"/></text><highlight page="0"><contents>plain</contents></highlight></annots></xfdf>"""


def facts(data: bytes) -> dict[str, object]:
    document = open_document(data, name="x")
    assert document.page_count == 0
    found = read_facts(document, data)
    assert found.warnings == []
    return found.row


def test_fdf() -> None:
    row = facts(FDF)
    assert (row["format"], row["pdf_version"], row["fdf_target"]) == ("fdf", "1.6", "form.pdf")
    assert [(each["name"], each["value"]) for each in row["form_fields"]] == [("a.b", ["one"]), ("a.c", ["x", "y"]), ("d", ["On"])]  # type: ignore[attr-defined]
    (note,) = row["fdf_annotations"]  # type: ignore[misc]
    assert (note["type"], note["page"], note["contents"], note["author"], note["rect"]) == ("Text", 5, "note", "Ann", [1, 2, 3, 4])
    assert [each["code"] for each in row["javascript"]] == ["start()", "lib()"]  # type: ignore[attr-defined]


def test_xfdf() -> None:
    row = facts(XFDF)
    assert (row["format"], row["fdf_target"]) == ("xfdf", "form.pdf")
    assert [(each["name"], each["value"]) for each in row["form_fields"]] == [("a.b", ["one"]), ("list", ["x", "y"])]  # type: ignore[attr-defined]
    notes = row["fdf_annotations"]
    assert isinstance(notes, list)
    assert [(each["type"], each["page"], each["contents"]) for each in notes] == [
        ("text", 2, "rich note"),
        ("popup", 2, None),
        ("highlight", 1, "plain"),
    ]
    assert notes[0]["modified"] == "2020-01-01T00:00:00Z"
    assert row["annotation_types"] == [{"type": kind, "count": 1} for kind in ("highlight", "popup", "text")]


def test_what_is_no_form_data_says_so() -> None:
    document = open_document(FDF.replace(b"/FDF<<", b"/XXX<<"), name="x")
    assert [each.code for each in read_facts(document, FDF).warnings] == ["facts_fdf"]
    with pytest.raises(DocumentError, match="FDF"):
        open_document(b"%FDF-1.2\nnothing", name="x")


def test_xfdf_in_utf_16() -> None:
    row = facts(XFDF.decode().replace('<?xml version="1.0"?>', "").replace("one", "ein\u00e9").encode("utf-16"))
    fields = row["form_fields"]
    assert isinstance(fields, list)
    assert [(each["name"], each["value"]) for each in fields] == [("a.b", ["ein\u00e9"]), ("list", ["x", "y"])]


def test_an_fdf_without_a_trailer_and_strings_in_its_encoding() -> None:
    body = "<</FDF<</Encoding/utf-8/Fields[<</T(a)/V(\u00e9)>><</T(b)/V<feff00e8>>>]>>>>"
    fields = facts(b"%FDF-1.4\n1 0 obj\n" + body.encode() + b"\nendobj\n")["form_fields"]
    assert isinstance(fields, list)
    assert [each["value"] for each in fields] == [["\u00e9"], ["\u00e8"]]


def test_files_and_actions_of_an_fdf() -> None:
    data = FDF.replace(b"/Contents(note)", b"/Contents(note)/FS<</F(x.txt)/EF<</F 3 0 R>>>>").replace(
        b"/V/On", b"/V/On/A<</S/JavaScript/JS(act)>>"
    )
    data = data.replace(b"trailer", b"3 0 obj\n<</Length 5>>\nstream\nhello\nendstream\nendobj\ntrailer")
    document = open_document(data, name="x")
    found = read_facts(document, data)
    assert [(each.row["name"], each.row["page"], each.data) for each in found.assets] == [("x.txt", 5, b"hello")]
    scripts = found.row["javascript"]
    assert isinstance(scripts, list)
    assert ("field", "d", "act") in [tuple(each.values()) for each in scripts]
