from __future__ import annotations

import re

import pikepdf
import pytest
from pikepdf import Array, Dictionary, Name

from pdfmill.schemas.codes import DocumentError
from pdfmill.transforms.pdf.facts.facts import failed_facts, read_facts
from pdfmill.transforms.pdf.open.document import open_document, saslprep
from pdfmill.transforms.pdf.open.limits import Limits
from tests.pdf.make import make_pdf


def refusal(data: bytes, *passwords: str, limits: Limits | None = None) -> DocumentError:
    with pytest.raises(DocumentError) as caught:
        open_document(data, name="store/x.pdf", passwords=passwords, limits=limits or Limits())
    assert "store/x.pdf" in caught.value.message
    return caught.value


def codes(data: bytes) -> list[str]:
    return [each.code for each in open_document(data, name="x").warnings]


def test_a_sound_file_opens_without_warnings() -> None:
    document = open_document(make_pdf(pages=3), name="x")
    assert (document.kind, document.page_count, document.warnings, document.opened_with) == ("pdf", 3, [], None)
    document.close()
    document.close()


@pytest.mark.parametrize(
    ("data", "code", "word"),
    [(b"", "empty", "is empty"), (b"\x89PNG\r\n\x1a\n", "not_pdf", "png"), (b"%PDF-1.4\nnothing here", "damaged", "the file is damaged")],
)
def test_what_does_not_open_says_why(data: bytes, code: str, word: str) -> None:
    error = refusal(data)
    assert error.code == code
    assert word in error.message
    assert error.__cause__ is not error, "such a circle keeps the document's bytes"


def test_limits() -> None:
    assert refusal(make_pdf(), limits=Limits(max_bytes=10)).code == "too_large"
    assert refusal(make_pdf(pages=3), limits=Limits(max_pages=2)).code == "too_large"


def test_junk_before_the_header() -> None:
    assert codes(bytes(128) + make_pdf()) == ["header_offset"]
    document = open_document(b"x" * 5000 + make_pdf(pages=2), name="x")
    assert document.page_count == 2


def test_lost_header() -> None:
    data = make_pdf(object_stream_mode=pikepdf.ObjectStreamMode.disable)
    document = open_document(data[9:], name="x")
    assert document.page_count == 1
    assert "header_missing" in [each.code for each in document.warnings]


def test_lost_cross_reference_table() -> None:
    data = make_pdf(pages=2, object_stream_mode=pikepdf.ObjectStreamMode.disable)
    data = re.sub(rb"startxref\s+\d+", b"startxref\n99999999", data)
    document = open_document(data, name="x")
    facts = read_facts(document, data)
    assert document.page_count == 2
    assert "repaired_object" in [each.code for each in facts.warnings]


def test_truncated_file() -> None:
    data = make_pdf(pages=2, object_stream_mode=pikepdf.ObjectStreamMode.disable)
    document = open_document(data[: data.rindex(b"xref") - 20], name="x")
    assert document.page_count == 2


@pytest.mark.parametrize("broken", [b"/Type /Catalog", b"/Kids"])
def test_lost_catalog_or_page_tree(broken: bytes) -> None:
    data = make_pdf(pages=2, object_stream_mode=pikepdf.ObjectStreamMode.disable)
    assert broken in data
    document = open_document(data.replace(broken, broken.replace(b"a", b"x").replace(b"i", b"y")), name="x")
    assert document.page_count == 2


def test_a_document_without_pages_is_no_error() -> None:
    def empty(pdf: pikepdf.Pdf) -> None:
        pdf.Root["/Pages"] = pdf.make_indirect(Dictionary(Type=Name.Pages, Count=0, Kids=Array()))

    document = open_document(make_pdf(empty), name="x")
    assert document.page_count == 0
    assert [each.code for each in document.warnings] == ["no_pages"]


@pytest.mark.parametrize(("revision", "method", "bits"), [(2, "RC4", 40), (3, "RC4", 128), (4, "AESV2", 128), (6, "AESV3", 256)])
def test_encryption_with_the_empty_and_with_a_candidate_password(revision: int, method: str, bits: int) -> None:
    aes = revision >= 4
    rules = pikepdf.Permissions(extract=False)
    for user, opened_with in (("", "empty"), ("geheim", "candidate")):
        data = make_pdf(encryption=pikepdf.Encryption(owner="o", user=user, R=revision, aes=aes, metadata=aes, allow=rules))
        document = open_document(data, name="x", passwords=("wrong", "geheim"))
        facts = read_facts(document, data).row["encryption"]
        assert document.page_count == 1
        assert isinstance(facts, dict)
        assert {key: facts[key] for key in ("handler", "method", "revision", "key_bits", "opened_with")} == {
            "handler": "Standard", "method": method, "revision": revision, "key_bits": bits, "opened_with": opened_with,
        }  # fmt: skip
        assert "extract" not in facts["permissions"]


def test_no_password_fits_and_none_is_told() -> None:
    data = make_pdf(encryption=pikepdf.Encryption(owner="o", user="geheim", R=6))
    error = refusal(data, "wrong-candidate")
    assert error.code == "password_needed"
    assert "wrong-candidate" not in error.message
    facts = failed_facts(data)["encryption"]
    assert isinstance(facts, dict)
    assert (facts["method"], facts["key_bits"], facts["opened_with"]) == ("AESV3", 256, None)


def test_public_key_security_is_flagged() -> None:
    data = make_pdf(encryption=pikepdf.Encryption(owner="o", user="", R=4))
    data = data.replace(b"/Filter /Standard", b"/Filter /Adobe.PubSec")
    assert refusal(data).code == "unsupported_security"
    facts = failed_facts(data)["encryption"]
    assert isinstance(facts, dict)
    assert facts["handler"] == "Adobe.PubSec"


def test_saslprep() -> None:
    assert saslprep("I\u00adX") == "IX"
    assert saslprep("\u00aa") == "a"
    assert saslprep("a\u00a0b") == "a b"


def test_what_qpdf_cannot_read_is_read_from_pdfiums_copy() -> None:
    data = make_pdf(object_stream_mode=pikepdf.ObjectStreamMode.disable)
    document = open_document(data.replace(b"/Type /Catalog", b"/Type /Cxtxlyg"), name="x")
    assert len(document.tree.pages) == document.page_count == 1


def test_what_was_opened_before_does_not_tell() -> None:
    """PDFium keeps the reason of its last failure: it stood in the rows of documents without pages, as if a password were missing."""

    def lose_pages(pdf: pikepdf.Pdf) -> None:
        del pdf.Root["/Pages"]

    def told() -> str:
        return refusal(make_pdf(lose_pages)).message

    before = told()
    assert refusal(b"%PDF-1.4\nnothing here").code == "damaged"
    after_damage = told()
    assert refusal(make_pdf(encryption=pikepdf.Encryption(user="u", owner="o"))).code == "password_needed"
    assert before == after_damage == told()
    assert "PDFium: Success" in before
