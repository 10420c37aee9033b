import re

import pikepdf
import pytest
from pikepdf import Dictionary, Name

from pdfmill.schemas.records import DocumentRef, Failure, page_ranges
from pdfmill.transforms.road.document_road import read_document
from pdfmill.transforms.road.document_rows import failed_reading, keep_children
from pdfmill.transforms.road.guarded_road import unguarded
from pdfmill.transforms.road.job_settings import ReadSettings
from tests.pdf.make import make_pdf
from tests.walked import job_of, walk_rows

REF = DocumentRef.of_uri("file:///books/a.pdf")


@pytest.mark.parametrize(("pages", "step"), [(0, 16), (1, 16), (16, 16), (17, 16), (5000, 16), (7, 1)])
def test_ranges_cover_every_page_once(pages, step):
    ranges = page_ranges(REF, pages, step)
    assert [number for each in ranges for number in range(each.first, each.last + 1)] == list(range(1, pages + 1))
    assert all(each.last - each.first < step for each in ranges)


@pytest.mark.parametrize(("code", "status"), [("password_needed", "encrypted"), ("not_pdf", "not_pdf"), ("not_found", "failed")])
def test_status_follows_from_the_code(code, status):
    assert failed_reading(REF, Failure(code, "why")).row["status"] == status


def test_a_failed_listing_is_only_a_row():
    ref = DocumentRef(REF.doc_id, REF.uri, failure=Failure("no_such_bucket", "s3://nowhere: no such bucket"))
    rows = walk_rows(ref, job_of(ReadSettings()), unguarded)
    (row,) = rows["documents"]
    assert (row["error_code"], row["page_count"], rows["pages"]) == ("no_such_bucket", 0, [])


def test_a_missing_object_names_itself(tmp_path):
    reading = read_document(DocumentRef.of_uri((tmp_path / "gone.pdf").as_uri()), ReadSettings())
    assert reading.row["error_code"] == "not_found"
    assert "gone.pdf" in str(reading.row["error_message"])


def test_a_document_that_is_read_again_while_it_is_open_has_the_same_row(tmp_path):
    """As those are which were read together with one whose rows cannot be made: qpdf says what it repairs once."""
    data = re.sub(rb"startxref\s+\d+", b"startxref\n99999999", make_pdf(object_stream_mode=pikepdf.ObjectStreamMode.disable))
    (tmp_path / "a.pdf").write_bytes(data)
    first, second = (read_document(DocumentRef.of_uri((tmp_path / "a.pdf").as_uri()), ReadSettings()) for _ in range(2))
    assert "repaired_object" in [each.code for each in first.warnings]
    assert second.warnings == first.warnings


@pytest.mark.parametrize("number", [2**31, -(2**31) - 1, 99_999_999_999])
def test_numbers_that_no_column_holds(tmp_path, number):
    """Of an encryption dictionary, a developer's extensions, a picture and a comment: null, and the rows are whole."""

    def edit(pdf):
        pdf.Root.Extensions = Dictionary(ADBE=Dictionary(BaseVersion=Name("/1.7"), ExtensionLevel=number))
        picture = pdf.make_stream(
            b"\xff\xd8\xff\xd9", Type=Name.XObject, Subtype=Name.Image, Width=number, Height=number, Filter=Name.DCTDecode
        )
        pdf.pages[0].Resources.XObject = Dictionary(I=picture)

    (tmp_path / "a.pdf").write_bytes(make_pdf(edit))
    settings = ReadSettings(export=frozenset({"image"}), assets_uri=tmp_path.as_uri())
    (row,) = walk_rows(DocumentRef.of_uri((tmp_path / "a.pdf").as_uri()), job_of(settings), unguarded)["documents"]
    assert row["status"] == "ok"
    assert row["extension_level"] in (None, 2**31 - 1), "qpdf gives the largest that it has"
    locked = make_pdf(encryption=pikepdf.Encryption(owner="o", user="", R=3, aes=False, metadata=False))
    (tmp_path / "b.pdf").write_bytes(re.sub(rb"/R 3\b", b"/R %d" % number, re.sub(rb"/Length 128\b", b"/Length %d" % number, locked)))
    (row,) = walk_rows(DocumentRef.of_uri((tmp_path / "b.pdf").as_uri()), job_of(ReadSettings()), unguarded)["documents"]
    assert row["status"] in ("encrypted", "failed", "ok")
    assert row["error_code"] != "internal"
    assert row["encryption"]["revision"] is None


@pytest.mark.parametrize(
    ("depth", "holds_itself", "room", "kept", "codes"),
    [
        (0, False, 3, 3, []),  # as many as there is room for
        (0, False, 2, 2, ["too_large"]),
        (0, False, -1, 0, ["too_large"]),
        (2, False, 3, 3, []),  # attached to what is attached to an input: the third level
        (3, False, 3, 0, ["too_large"]),
        (0, True, 3, 0, ["attachment_loop"]),
    ],
)
def test_which_attached_pdfs_are_read(depth, holds_itself, room, kept, codes):
    ref = REF
    for _ in range(depth):
        ref = ref.child(0)
    reading = failed_reading(ref, Failure("not_pdf", "why"))
    reading.children = [ref.child(number) for number in range(3)]
    reading.assets = [{"child_doc_id": each} for each in [*(child.doc_id for child in reading.children), None]]
    names = [child.doc_id for child in reading.children]
    keep_children(reading, holds_itself, ReadSettings(), room)
    assert [child.doc_id for child in reading.children] == names[:kept]
    assert [asset["child_doc_id"] for asset in reading.assets] == [*names[:kept], *[None] * (4 - kept)], "rows of assets name what is read"
    assert [each.code for each in reading.warnings] == codes
