from __future__ import annotations

import hashlib
import io
import re
from collections.abc import Callable
from datetime import UTC, datetime

import pikepdf
import pytest
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from pikepdf import Array, Dictionary, Name, String

from pdfmill.schemas.codes import DocumentError
from pdfmill.transforms.pdf.facts.attachments import attachment_bytes, read_attachments
from pdfmill.transforms.pdf.open.document import open_document
from pdfmill.transforms.pdf.open.limits import Limits
from tests.pdf.make import add_annotations, annotation, embedded, make_document, make_pdf


def with_files(pdf: pikepdf.Pdf) -> None:
    """A text at the document, a PDF at an annotation, data as an associated file; the first again as associated file."""
    note = embedded(pdf, b"a note", "note.txt", Desc=String("for you"))
    note["/EF"]["/F"]["/Params"] = Dictionary(ModDate=String("D:20200101000000Z"), Size=6, CheckSum=String(hashlib.md5(b"a note").digest()))
    child = embedded(pdf, make_pdf(text="Child"), "../../child.pdf")
    data = embedded(pdf, b'{"a": 1}', "data.json", AFRelationship=Name.Data)
    pdf.Root["/Names"] = Dictionary(EmbeddedFiles=Dictionary(Names=Array([String("note"), note])))
    pdf.Root["/AF"] = Array([note, data])
    add_annotations(pdf, annotation("FileAttachment", FS=child))


def test_every_place_once_and_in_order() -> None:
    assets, warnings = read_attachments(make_document(with_files))
    assert warnings == []
    assert [(each.row["name"], each.row["attached_to"], each.row["page"], each.pdf_position) for each in assets] == [
        ("note.txt", "document", None, None),
        ("../../child.pdf", "annotation", 1, 1),
        ("data.json", "associated", None, None),
    ]


def test_what_is_stated_of_a_file() -> None:
    row = read_attachments(make_document(with_files))[0][0].row
    assert row["sha256"] == hashlib.sha256(b"a note").hexdigest()
    assert (row["byte_size"], row["stated_size"], row["mime_type"], row["description"]) == (6, 6, "text/plain", "for you")
    assert row["modified"] == datetime(2020, 1, 1, tzinfo=UTC)
    assert row["stated_md5"] == hashlib.md5(b"a note").hexdigest()


def test_attached_pdf_by_its_position() -> None:
    document = make_document(with_files)
    assert attachment_bytes(document, 1).startswith(b"%PDF-")
    assert attachment_bytes(document, 0) == b"a note"
    with pytest.raises(DocumentError, match="no attachment 4"):
        attachment_bytes(document, 3)


def test_bytes_are_kept_only_when_wanted() -> None:
    assets, _ = read_attachments(make_document(with_files), with_data=False)
    assert [each.data for each in assets] == [None, None, None]
    assert assets[0].row["byte_size"] == 6


def test_too_large_is_a_warning_and_the_rest_stays() -> None:
    def edit(pdf: pikepdf.Pdf) -> None:
        files = [embedded(pdf, bytes(50_000), "big"), embedded(pdf, b"small", "small")]
        pdf.Root["/Names"] = Dictionary(EmbeddedFiles=Dictionary(Names=Array([String("a"), files[0], String("b"), files[1]])))

    document = make_document(edit)
    document.limits = Limits(max_stream=10_000)
    assets, warnings = read_attachments(document)
    assert [each.row["name"] for each in assets] == ["small"]
    assert [each.code for each in warnings] == ["attachment_unreadable"]


def test_a_reference_to_a_file_outside_is_no_attachment() -> None:
    def edit(pdf: pikepdf.Pdf) -> None:
        pdf.Root["/Names"] = Dictionary(EmbeddedFiles=Dictionary(Names=Array([String("a"), Dictionary(F=String("/etc/passwd"))])))

    assert read_attachments(make_document(edit)) == ([], [])


def test_portfolio_values() -> None:
    def edit(pdf: pikepdf.Pdf) -> None:
        member = embedded(
            pdf, b"x", "x.txt", CI=Dictionary(size=5, who=String("Ann"), sent=Dictionary(P=String("on "), D=String("D:2020")))
        )
        pdf.Root["/Names"] = Dictionary(EmbeddedFiles=Dictionary(Names=Array([String("x"), member])))

    values = read_attachments(make_document(edit))[0][0].row["collection_values"]
    assert values == [{"name": "sent", "value": "on 2020-01-01T00:00:00"}, {"name": "size", "value": "5"}, {"name": "who", "value": "Ann"}]


def names_of(edit: Callable[[pikepdf.Pdf], None]) -> list[tuple[object, object]]:
    assets, warnings = read_attachments(make_document(edit))
    assert warnings == []
    return [(each.row["name"], each.row["attached_to"]) for each in assets]


def test_a_file_has_the_name_it_is_listed_by_and_may_have_several() -> None:
    def edit(pdf: pikepdf.Pdf) -> None:
        stream = pdf.make_stream(b"same")
        first, second = (Dictionary(F=String(name), EF=Dictionary(F=stream)) for name in ("one.txt", "two.txt"))
        nameless = Dictionary(EF=Dictionary(F=pdf.make_stream(b"other")))
        pdf.Root["/Names"] = Dictionary(
            EmbeddedFiles=Dictionary(Names=Array([String("a"), first, String("b"), second, String("key.txt"), nameless]))
        )
        add_annotations(pdf, annotation("FileAttachment", FS=first))

    assert names_of(edit) == [("one.txt", "document"), ("two.txt", "document"), ("key.txt", "document")]


def test_the_clip_of_a_media_rendition() -> None:
    def edit(pdf: pikepdf.Pdf) -> None:
        clip = Dictionary(S=Name.MCD, D=embedded(pdf, b"film", "film.mp4"))
        add_annotations(pdf, annotation("Screen", A=Dictionary(S=Name.Rendition, R=Dictionary(S=Name.MR, C=clip))))

    assert names_of(edit) == [("film.mp4", "rich_media")]


_CRYPT = b"/Filter [/Crypt] /DecodeParms [<</Name /StdCF>>]"


def with_locked_file() -> bytes:
    """A document that anyone may read, whose attachment is encrypted with a password by a crypt filter (ISO 32000-2 §7.6.6)."""
    sink = io.BytesIO()
    plain = make_pdf()
    with pikepdf.Pdf.open(io.BytesIO(plain)) as pdf:
        pdf.save(sink, encryption=pikepdf.Encryption(user="open", owner="own", R=6))
    with pikepdf.Pdf.open(sink, password="open") as locked:
        key, stated = locked.encryption.encryption_key, locked.trailer.Encrypt
        entries = {entry: bytes(stated[entry]).hex() for entry in ("/O", "/U", "/OE", "/UE", "/Perms")}
    data, start = b"a secret note", bytes(16)
    padding = 16 - len(data) % 16
    engine = Cipher(algorithms.AES(key), modes.CBC(start)).encryptor()
    secret = start + engine.update(data + bytes([padding]) * padding) + engine.finalize()
    with pikepdf.Pdf.open(io.BytesIO(plain)) as pdf:
        file = embedded(pdf, secret, "note.txt")
        file["/EF"]["/F"]["/Room"] = Name("/" + (len(_CRYPT) - len("/Room /")) * "x")  # the library would not write what goes there
        pdf.Root["/Names"] = Dictionary(EmbeddedFiles=Dictionary(Names=Array([String("n"), file])))
        sink = io.BytesIO()
        pdf.save(
            sink,
            compress_streams=False,
            stream_decode_level=pikepdf.StreamDecodeLevel.none,
            object_stream_mode=pikepdf.ObjectStreamMode.disable,
            static_id=True,
        )
    strings = " ".join(f"{entry}<{digits}>" for entry, digits in entries.items())
    lock = "/Encrypt<</Filter/Standard/V 5/R 6/Length 256/P -4 "
    lock += f"/CF<</StdCF<</CFM/AESV3/AuthEvent/EFOpen/Length 32>>>>/StmF/Identity/StrF/Identity/EFF/StdCF {strings}>>"
    return re.sub(rb"/Room /x+", _CRYPT, sink.getvalue()).replace(b"trailer <<", b"trailer <<" + lock.encode())


def test_an_attachment_with_a_password_of_its_own() -> None:
    data = with_locked_file()
    document = open_document(data, name="x")
    assets, warnings = read_attachments(document)
    assert (document.page_count, document.opened_with) == (1, "empty")
    assert [(each.row["name"], each.row["byte_size"], each.data) for each in assets] == [("note.txt", None, None)]
    assert [(each.code, "password" in each.message) for each in warnings] == [("attachment_unreadable", True)]
    assets, warnings = read_attachments(open_document(data, name="x", passwords=["wrong", "open"]))
    assert ([each.data for each in assets], warnings) == ([b"a secret note"], [])
