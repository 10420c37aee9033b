"""What PDFs made to break parsers come to: always rows, in time, and nothing in them is run, fetched or trusted."""

from __future__ import annotations

import http.server
import random
import threading
import time
import unicodedata
import zlib
from typing import Any

import numpy as np
import pytest
from pikepdf import Array, Dictionary, Name, String

from pdfmill.transforms.layout.page.columns import find_gutters
from pdfmill.transforms.layout.page.line_frame import Frame
from pdfmill.transforms.pdf.open.page_tree import PageTree
from tests.pdf.make import add_annotations, annotation, embedded, make_pdf
from tests.torture.reading import CATALOG, FONT, HELLO, Outcome, flate_bomb, page, raw_pdf, read, stream

#: A hostile document may take as long as its limits say, and some for starting another parser.
PATIENCE = 90.0


@pytest.fixture
def outcome(tmp_path):
    def of(data: bytes, **settings: Any) -> Outcome:
        begin = time.monotonic()
        found = read(tmp_path / "hostile.pdf", data, **settings)
        assert time.monotonic() - begin < PATIENCE
        return found

    return of


@pytest.fixture
def bait():
    """The address of a server that must not be asked, and the paths that were asked for."""
    asked: list[str] = []

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.append(self.path)
            self.send_error(404)

        do_POST = do_HEAD = do_GET

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_address[1]}", asked
    server.shutdown()
    server.server_close()


# Bombs


def test_a_page_that_inflates_to_gigabytes(outcome):
    found = outcome(page(flate_bomb(1100)))
    assert found.row["page_count"] == 1
    assert found.reason[1] in (None, "timed_out", "out_of_memory", "crashed", "page_unreadable")


def test_xmp_that_inflates_to_what_no_packet_has(outcome):
    found = outcome(page(catalog=b"/Metadata 6 0 R", more=[flate_bomb(30)]), max_stream=1 << 20)
    assert found.reason == ("ok", None)
    (message,) = found.warnings("facts_xmp")
    assert "inflates to more than" in message
    assert found.pages[0]["text"] == "Hello"


def test_a_script_deflated_twice_and_written_in_hex(outcome):
    inner = zlib.compress(b" " * (400 << 20), 9)
    twice = zlib.compress(inner, 9).hex().encode()
    code = stream(twice, b"/Filter[/ASCIIHexDecode/FlateDecode/FlateDecode]")
    found = outcome(page(catalog=b"/OpenAction<</S/JavaScript/JS 6 0 R>>", more=[code]))
    assert found.reason == ("ok", None)
    assert "inflates to more than" in found.warnings("facts_javascript")[0]


ENTITIES = b"".join(b'<!ENTITY e%d "%s">' % (number, b"&e%d;" % (number - 1) * 10) for number in range(1, 12))
LAUGHS = b'<?xml version="1.0"?><!DOCTYPE x [<!ENTITY e0 "ha">' + ENTITIES + b'<!ENTITY file SYSTEM "file:///etc/hostname">]>'
RDF = b'<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description xmlns:dc="http://purl.org/dc/elements/1.1/">'
XMP = LAUGHS + b"<x>" + RDF + b"<dc:format>%s</dc:format></rdf:Description></rdf:RDF></x>"


@pytest.mark.parametrize("entity", [b"&e11;", b"&file;"])
def test_entities_of_xmp_are_not_resolved(outcome, entity):
    found = outcome(page(catalog=b"/Metadata 6 0 R", more=[stream(XMP % entity)]))
    assert found.reason == ("ok", None)
    assert all(not any("ha" in value or "host" in value for value in each["values"]) for each in found.row["xmp_properties"])


def test_entities_of_xfa_are_not_resolved(outcome, bait):
    url, asked = bait
    form = (
        LAUGHS.replace(b"file:///etc/hostname", url.encode())
        + b"<xdp><script contentType='application/x-javascript'>&e11;&file;x</script></xdp>"
    )
    found = outcome(page(catalog=b"/AcroForm<</Fields[]/XFA 6 0 R>>", more=[stream(form)]))
    assert found.reason == ("ok", None)
    assert asked == []
    assert sum(len(each["code"]) for each in found.row["javascript"] or []) < 100


# Loops, numbers, depth


def test_loops(outcome):
    loop = b"<</Title(a)/Next 6 0 R/First 6 0 R>>"
    tree = b"<</Kids[7 0 R 7 0 R]/Names[(x) 7 0 R]>>"
    form = stream(
        b"/X Do BT /F1 12 Tf 20 50 Td (In) Tj ET",
        b"/Type/XObject/Subtype/Form/BBox[0 0 200 100]/Resources<</XObject<</X 8 0 R>>/Font<</F1 5 0 R>>>>",
    )
    field = b"<</T(a)/Kids[9 0 R]/Parent 9 0 R>>"
    action = b"<</S/JavaScript/JS(1)/Next 10 0 R>>"
    filter_ = b"11 0 R"
    catalog = b"/Outlines<</First 6 0 R>>/Names<</Dests 7 0 R/EmbeddedFiles 7 0 R/JavaScript 7 0 R>>/AcroForm<</Fields[9 0 R]>>"
    catalog += b"/OpenAction 10 0 R/PageLabels 7 0 R/StructTreeRoot<</K 9 0 R>>/Threads[6 0 R]"
    found = outcome(
        page(stream(b"/X Do " + HELLO), catalog=catalog, resources=b"/XObject<</X 8 0 R>>", more=[loop, tree, form, field, action, filter_])
    )
    assert found.reason == ("ok", None)
    assert "Hello" in found.pages[0]["text"]
    assert [item["title"] for item in found.row["outline"]] == ["a"]


def test_a_page_tree_that_holds_itself(outcome):
    found = outcome(
        raw_pdf(
            [
                CATALOG,
                b"<</Type/Pages/Count 3/Kids[2 0 R 3 0 R 2 0 R]>>",
                b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 200 100]/Contents 4 0 R/Resources<</Font<</F1 5 0 R>>>>>>",
                stream(HELLO),
                FONT,
            ]
        )
    )
    assert "Hello" in [row["text"] for row in found.pages]


@pytest.mark.parametrize("count", [b"999999", b"2147483647", b"-5", b"99999999999999999999"])
def test_a_page_count_that_lies(outcome, count):
    leaf = b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 200 100]/Contents 4 0 R/Resources<</Font<</F1 5 0 R>>>>>>"
    found = outcome(raw_pdf([CATALOG, b"<</Type/Pages/Count %s/Kids[3 0 R]>>" % count, leaf, stream(HELLO), FONT]))
    assert found.pages[0]["text"] == "Hello"
    assert found.row["page_count"] == 1


@pytest.mark.parametrize(
    "edit",
    [
        (b"/Size 6", b"/Size 999999999"),
        (b"xref\n0 6", b"xref\n0 999999999"),
        (b"xref\n0 6", b"xref\n99999999 6"),
        (b"5 0 obj", b"8388607 0 obj"),
        (b"5 0 obj", b"99999999999999 0 obj"),
        (b"/Length 35", b"/Length 2147483647"),
        (b"/Length 35", b"/Length 4 0 R"),
    ],
)
def test_object_numbers_and_lengths_that_lie(outcome, edit):
    data = page()
    assert edit[0] in data
    found = outcome(data.replace(*edit))
    assert found.pages[0]["text"] in ("Hello", "")
    assert found.reason[0] in ("ok", "partial")


@pytest.mark.parametrize("opening", [b"[", b"<<", b"<</A", b"(", b"q ", b"BT ", b"/Span BMC "])
@pytest.mark.parametrize("place", ["object", "content"])
def test_deep_nesting(outcome, opening, place):
    deep = opening * 100_000
    found = outcome(page(stream(deep + b" " + HELLO)) if place == "content" else page(more=[deep]))
    assert found.row["page_count"] == 1
    assert found.reason[0] in ("ok", "partial") or found.reason[1] in ("crashed", "timed_out", "out_of_memory")


def test_a_deep_page_tree(outcome):
    depth = 3000
    nodes = [
        b"<</Type/Pages/Count 1/Kids[%d 0 R]%s>>" % (number + 1, b"/Parent %d 0 R" % (number - 1) if number > 2 else b"")
        for number in range(2, depth)
    ]
    leaf = b"<</Type/Page/Parent %d 0 R/MediaBox[0 0 200 100]/Contents %d 0 R>>" % (depth - 1, depth + 1)
    found = outcome(raw_pdf([CATALOG, *nodes, leaf, stream(HELLO)]))
    assert found.reason[0] in ("ok", "partial", "failed")
    assert found.row["page_count"] == len(found.pages)


# Pages


@pytest.mark.parametrize(
    "box",
    [
        b"[0 0 1e38 1e38]",
        b"[-99999999999 -99999999999 99999999999 99999999999]",
        b"[0 0 0 0]",
        b"[0 0 -5 -5]",
        b"[(a) (b)]",
        b"[0 0 200]",
        b"null",
        b"[1e400 0 nan inf]",
    ],
)
def test_page_boxes(outcome, box):
    found = outcome(page(box=box))
    assert found.row["page_count"] == 1
    width, height = found.pages[0]["width"], found.pages[0]["height"]
    assert width == width >= 0
    assert height == height >= 0


def test_a_million_glyphs_are_refused(outcome):
    content = (
        b"BT /F1 1 Tf "
        + b"".join(b"1 0 0 1 %d %d Tm (%s) Tj " % (number % 9, number % 97, b"word " * 200) for number in range(1000))
        + b"ET"
    )
    found = outcome(page(stream(content)), seconds_per_document=60.0, seconds_per_page=60.0)
    assert found.reason[1] in ("too_large", "timed_out")


def test_scattered_glyphs_end_in_time(outcome):
    draw = random.Random(1)
    content = (
        b"BT /F1 4 Tf "
        + b"".join(
            b"1 0 0 1 %.1f %.1f Tm (%c) Tj " % (draw.random() * 200, draw.random() * 100, 97 + number % 26) for number in range(20_000)
        )
        + b"ET"
    )
    found = outcome(page(stream(content)))
    assert found.reason in [("ok", None), ("failed", "timed_out")]


def test_a_text_of_one_line(outcome):
    content = b"BT /F1 1 Tf 0.0001 0 0 1 10 50 Tm " + b"(word ) Tj " * 10_000 + b"ET"
    found = outcome(page(stream(content)))
    assert found.reason in [("ok", None), ("failed", "timed_out")]
    if found.reason[0] == "ok":
        assert found.pages[0]["text"].count("word") == 10_000


@pytest.mark.parametrize("key", [b"FontFile", b"FontFile2", b"FontFile3"])
@pytest.mark.parametrize("program", ["noise", "empty", "bomb"])
def test_broken_font_programs(outcome, key, program):
    data = {"noise": stream(random.Random(3).randbytes(5000)), "empty": stream(b""), "bomb": flate_bomb(300, b"\x00\x01")}[program]
    kind = {b"FontFile": b"Type1", b"FontFile2": b"TrueType", b"FontFile3": b"Type1"}[key]
    descriptor = b"<</Type/FontDescriptor/FontName/Bad/Flags 32/Ascent 1e30/Descent -1e30/%s 7 0 R>>" % key
    font = b"<</Type/Font/Subtype/%s/BaseFont/Bad/FontDescriptor 6 0 R/Encoding/WinAnsiEncoding>>" % kind
    found = outcome(page(font=font, more=[descriptor, data]))
    assert found.reason in [("ok", None), ("failed", "crashed"), ("failed", "timed_out"), ("failed", "out_of_memory")]


def test_a_font_whose_glyphs_draw_themselves(outcome):
    font = b"<</Type/Font/Subtype/Type3/FontBBox[0 0 1 1]/FontMatrix[1 0 0 1 0 0]/FirstChar 72/LastChar 72/Widths[1]"
    font += b"/Encoding<</Differences[72/H]>>/CharProcs<</H 6 0 R>>/Resources<</Font<</F1 5 0 R>>>>>>"
    assert outcome(page(font=font, more=[stream(b"1 0 d0 BT /F1 1 Tf (HHHH) Tj ET")])).row["page_count"] == 1


def test_a_character_map_of_everything(outcome):
    ranges = b"".join(b"<00000000> <ffffffff> <0000>\n" for _ in range(100))
    cmap = (
        b"/CIDInit/ProcSet findresource begin begincmap 1 begincodespacerange <00> <ffffffff> endcodespacerange "
        b"100 beginbfrange\n%sendbfrange endcmap" % ranges
    )
    font = FONT.replace(b">>", b"/ToUnicode 6 0 R>>")
    assert outcome(page(font=font, more=[stream(cmap)])).row["page_count"] == 1


# Strings


def strings(found: Outcome) -> list[str]:
    """Every string of the rows."""
    waiting: list[Any] = [found.row, found.pages, found.assets]
    given: list[str] = []
    while waiting:
        each = waiting.pop()
        if isinstance(each, dict):
            waiting += each.values()
        elif isinstance(each, list):
            waiting += each
        elif isinstance(each, str):
            given.append(each)
    return given


def test_control_characters_and_lone_surrogates(outcome):
    bad = b"\xfe\xff\xd8\x00\x00A\xdc\x00\x00\x00\x00\x1b\x00[\x002\x00J"

    def edit(pdf: Any) -> None:
        pdf.docinfo["/Title"] = String(bad)
        pdf.docinfo["/Custom"] = String(bad)
        pdf.Root.Names = Dictionary(EmbeddedFiles=Dictionary(Names=Array([String(bad), embedded(pdf, b"x", "a\x00\x1b.txt")])))
        add_annotations(pdf, annotation("Text", Contents=String(bad), T=String(bad)))
        cmap = b"begincmap 1 begincodespacerange <00> <ff> endcodespacerange "
        cmap += b"3 beginbfchar <48> <d800> <65> <0000> <6c> <001b> endbfchar endcmap"
        pdf.pages[0].obj.Resources.Font.F1.ToUnicode = pdf.make_stream(cmap)

    found = outcome(make_pdf(edit))
    assert found.reason[0] in ("ok", "partial")
    for written in strings(found):
        assert "\x00" not in written
        assert written == written.encode("utf-8").decode("utf-8")
        assert unicodedata.is_normalized("NFC", written)


PATHS = [
    "../../../../tmp/escaped",
    "/etc/passwd",
    "C:\\Windows\\x",
    "..\\..\\x",
    "a/b/c",
    "~/x",
    ".",
    "..",
    "",
    "con",
    "x" * 5000,
    "a\nb\x1b[2J",
]


def test_names_that_are_paths(outcome, tmp_path):
    def edit(pdf: Any) -> None:
        names = [
            part for number, path in enumerate(PATHS) for part in (String(f"{number}"), embedded(pdf, f"data {number}".encode(), path))
        ]
        pdf.Root.Names = Dictionary(EmbeddedFiles=Dictionary(Names=Array(names)))

    files = tmp_path / "out" / "files"
    found = outcome(make_pdf(edit), assets_uri=files.as_uri())
    assert len(found.assets) == len(PATHS)
    written = sorted(path for path in tmp_path.rglob("*") if path.is_file() and path.suffix != ".pdf")
    assert len(written) == len(PATHS)
    for path in written:
        digest = path.name
        assert (path.parent.name, path.parent.parent, len(digest)) == (digest[:2], files, 64)


def test_addresses_are_kept_and_never_asked(outcome, bait):
    url, asked = bait

    def edit(pdf: Any) -> None:
        uris = [f"{url}/uri", "javascript:alert(1)", "file:///etc/passwd", "data:text/html,<script>"]
        add_annotations(
            pdf,
            *[annotation("Link", A=Dictionary(S=Name.URI, URI=String(uri))) for uri in uris],
            annotation("Link", A=Dictionary(S=Name.Launch, F=String("/bin/true"))),
            annotation("Link", A=Dictionary(S=Name.SubmitForm, F=Dictionary(FS=Name.URL, F=String(f"{url}/submit")))),
        )
        pdf.Root.OpenAction = Dictionary(S=Name.URI, URI=String(f"{url}/open"))
        outside = pdf.make_stream(b"")
        outside["/F"] = Dictionary(FS=Name.URL, F=String(f"{url}/content"))
        pdf.pages[0].obj["/Metadata"] = outside
        pdf.Root.Metadata = outside
        pdf.Root.Names = Dictionary(
            EmbeddedFiles=Dictionary(Names=Array([String("a"), Dictionary(Type=Name.Filespec, FS=Name.URL, F=String(f"{url}/file"))]))
        )

    found = outcome(make_pdf(edit))
    assert found.reason == ("ok", None)
    assert asked == []
    uris = [each["uri"] for each in found.pages[0]["annotations"]]
    assert {f"{url}/uri", "javascript:alert(1)", "file:///etc/passwd", "data:text/html,<script>"} <= set(uris)


def test_a_stream_kept_in_a_file_outside_is_not_read(outcome, tmp_path):
    secret = tmp_path / "secret"
    secret.write_bytes(b"BT /F1 12 Tf 20 50 Td (Secret) Tj ET")
    content = stream(b"", b"/F(%s)" % str(secret).encode())
    found = outcome(page(content, catalog=b"/Metadata 6 0 R", more=[stream(b"", b"/F(%s)" % str(secret).encode())]))
    assert not any("Secret" in written for written in strings(found))


def test_messages_are_one_printable_line(outcome):
    found = outcome(
        b"%PDF-1.7\n1 0 obj\n<</Type/Catalog/Pages \x1b[2J\nfoo>>\nendobj\ntrailer\n<</Root 1 0 R/Encrypt<</Filter/\x1b[31mEvil>>>>\n"
    )
    told = [found.row["error_message"] or "", *(each["message"] for each in found.row["warnings"])]
    assert all(message.isprintable() for message in told), told


def test_html_in_text_is_text(outcome):
    found = outcome(page(stream(b"BT /F1 6 Tf 5 50 Td (<script>alert(1)</script> &amp; <b>) Tj ET".replace(b"alert(1)", b"alert\\(1\\)"))))
    assert "<script>alert(1)</script> &amp; <b>" in found.pages[0]["text"]


def test_a_cipher_whose_name_is_no_text(outcome):
    handler = b"/Encrypt<</Filter/Standard/V 4/R 4/Length 128/StmF/StdCF/CF<</StdCF<</CFM/A\xc5V3>>>>/O(x)/U(y)/P -1>>"
    assert outcome(raw_pdf([CATALOG, b"<</Type/Pages/Count 0/Kids[]>>"], trailer=handler)).reason[1] != "internal"


@pytest.mark.parametrize("end", [1e18, 1e12, float("inf")])
def test_lines_beyond_any_page(end):
    """As a page's own box may say. Columns are looked for point by point: not over what no memory holds."""
    rows = np.arange(40.0)
    frame = Frame(rows.astype(int), rows, np.full(40, end), rows, rows + 9, rows + 8, np.full(40, 10.0), (), 600.0, 800.0, 0, False)
    assert find_gutters(frame, np.full(40, 60)) == []


def test_a_page_that_the_tree_does_not_hold():
    """PDFium may count more than qpdf finds."""
    assert PageTree().attribute(1, "/Resources") is None
