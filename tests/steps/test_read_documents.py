import pytest

from pdfmill.schemas.records import DocumentRef, Failure, page_ranges
from pdfmill.transforms.road.document_road import read_document
from pdfmill.transforms.road.document_rows import failed_reading
from pdfmill.transforms.road.guarded_road import unguarded
from pdfmill.transforms.road.job_settings import ReadSettings
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
