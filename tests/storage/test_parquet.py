"""PDFs in a column of Parquet files."""

from __future__ import annotations

import io
import os
from collections.abc import Mapping, Sequence
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from msgspec.structs import replace

from pdfmill.pipeline.cli.main import run
from pdfmill.transforms.road.document_rows import archived
from pdfmill.transforms.steps.redistribute import _values
from pdfmill.transforms.storage import objects, parquet
from pdfmill.transforms.storage.addresses import found
from pdfmill.transforms.storage.errors import SourceError
from pdfmill.transforms.storage.objects import read_bytes
from pdfmill.transforms.storage.sources import list_source
from pdfmill.transforms.storage.streams import file_of_ranges
from tests.crawl.help import configure, snapshot_tables, tiny
from tests.invariants import assert_same_tables, check_invariants, read_tables
from tests.servers import GcsServer, S3Server

PDFS = [tiny(f"row {number}", 1 + number % 3) for number in range(7)]
URLS = [f"http://example.org/{number}.pdf" for number in range(7)]


def file(columns: Mapping[str, Sequence[object]] | None = None, rows: int = 3) -> bytes:
    """A Parquet file, `rows` to a row group."""
    sink = io.BytesIO()
    pq.write_table(pa.table(columns or {"url": URLS, "contents": PDFS, "size": [len(each) for each in PDFS]}), sink, row_group_size=rows)
    return sink.getvalue()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    (tmp_path / "a.parquet").write_bytes(file())
    return tmp_path / "a.parquet"


def failure(refs) -> tuple[str, str]:
    (ref,) = refs
    return ref.failure.code, ref.failure.message


def test_every_row_is_an_object_with_a_stable_address(path):
    refs = list(list_source(str(path)))
    assert [read_bytes(ref) for ref in refs] == PDFS
    assert [archived(ref)["url"] for ref in refs] == URLS
    assert [ref.doc_id for ref in list_source(str(path))] == [ref.doc_id for ref in refs]
    assert refs[3].uri == f"parquet+{path.as_uri()}#group=000001&row=000000003&payload=contents&url=http%3A%2F%2Fexample.org%2F3.pdf"
    assert [ref.uri for ref in refs] == sorted(ref.uri for ref in refs)


def test_rows_of_a_group_are_read_forward_once(path, monkeypatch):
    opened = []
    monkeypatch.setattr(parquet, "_Group", lambda *given, make=parquet._Group: opened.append(given[1]) or make(*given))
    parquet.row_reader.cache_clear()
    refs = list(list_source(str(path)))
    assert [read_bytes(ref) for ref in refs] == PDFS
    assert opened == [0, 1, 2]
    assert read_bytes(refs[1]) == PDFS[1]
    assert opened == [0, 1, 2, 0], "a step back begins its group again"


def test_what_one_worker_reads_in_order(path):
    refs = list(list_source(str(path)))
    assert len({ref.place for ref in refs}) == 3
    assert _values((refs[0].place, refs[2::-1]), lambda ref: ref.uri) == refs[:3]


def test_columns_of_structs_and_columns_by_name(tmp_path):
    columns: dict[str, Sequence[object]] = {
        "pdf": [{"bytes": each, "path": "x.pdf"} for each in PDFS],
        "preview": [b"x"] * 7,
        "source": URLS,
    }
    (tmp_path / "b.parquet").write_bytes(file(columns))
    code, message = failure(list_source(str(tmp_path / "b.parquet")))
    assert (code, "pdf.bytes, preview" in message, "b.parquet#payload=COLUMN" in message) == ("bad_source", True, True)
    refs = list(list_source(f"{tmp_path}/*.parquet#payload=pdf.bytes&address=source"))
    assert [read_bytes(ref) for ref in refs] == PDFS
    assert [archived(ref)["url"] for ref in refs] == URLS


@pytest.mark.parametrize(
    ("named", "words"),
    [
        ("payload=none", "has no column none; its columns: url, contents, size"),
        ("payload=url", "the column url is not binary"),
        ("address=size", "the column size is not text"),
        ("page=1", "payload=COLUMN and address=COLUMN"),
    ],
)
def test_a_wrong_column_is_named(path, named, words):
    code, message = failure(list_source(f"{path}#{named}"))
    assert code == "bad_source"
    assert words in message


def test_without_an_address_column(tmp_path):
    (tmp_path / "c.parquet").write_bytes(file({"contents": PDFS}))
    refs = list(list_source(str(tmp_path / "c.parquet")))
    assert [archived(ref) for ref in refs] == [None] * 7
    assert read_bytes(refs[6]) == PDFS[6]


def test_errors_name_file_and_row(path, tmp_path):
    refs = list(list_source(str(path)))
    with pytest.raises(SourceError, match=r"a\.parquet, row 99: the row group ends before it"):
        read_bytes(replace(refs[0], uri=refs[0].uri.replace("row=000000000", "row=000000099")))
    (tmp_path / "n.parquet").write_bytes(file({"contents": [None, b"x"]}))
    with pytest.raises(SourceError, match=r"n\.parquet, row 0: contents is null"):
        read_bytes(next(list_source(str(tmp_path / "n.parquet"))))
    whole = path.read_bytes()
    (tmp_path / "cut.parquet").write_bytes(whole[:-50])
    assert failure(list_source(str(tmp_path / "cut.parquet")))[0] == "damaged"
    page = pq.read_metadata(path).row_group(0).column(1).data_page_offset
    path.write_bytes(whole[:page] + bytes(40) + whole[page + 40 :])
    (ref, *_) = list_source(str(path))
    assert ref.failure is None
    with pytest.raises(SourceError) as told:
        read_bytes(ref)
    assert told.value.code == "damaged"
    assert "a.parquet, row 0: " in str(told.value)


def test_a_file_that_changed_since_it_was_listed(path):
    refs = list(list_source(str(path)))
    path.write_bytes(file({"contents": PDFS[::-1]}))
    parquet.row_reader.cache_clear()
    with pytest.raises(SourceError) as told:
        read_bytes(refs[0])
    assert told.value.code == "changed"


def test_a_store_that_fails_while_a_row_is_read_is_no_broken_file(path, monkeypatch):
    (ref, *_) = list_source(str(path))

    def fail(offset, length):
        raise SourceError("store_error", "down")

    parquet.row_reader.cache_clear()
    monkeypatch.setattr(objects, "_listed_file", lambda ref, uri: file_of_ranges(fail, None, found(uri, size=path.stat().st_size)))
    with pytest.raises(SourceError) as told:
        read_bytes(ref)
    assert told.value.code == "store_error"


def test_too_large(path):
    (ref, *_) = list_source(str(path))
    with pytest.raises(SourceError) as told:
        read_bytes(ref, max_bytes=100)
    assert told.value.code == "too_large"


def test_rows_through_the_main_job_and_a_crawl(path, tmp_path):
    assert run(["index", str(path), "--output", str(tmp_path / "tables"), "--workers", "2"]) == 0
    tables = read_tables((tmp_path / "tables").as_uri())
    check_invariants(tables, inputs=7)
    assert sorted(row["web"]["url"] for row in tables["documents"].to_pylist()) == URLS
    crawl = configure(tmp_path, f"{tmp_path}/*.parquet", str(tmp_path / "out"), options="batch_documents = 2")
    assert crawl.report()["plan"] == {"new": 7}
    assert_same_tables(snapshot_tables(crawl.output), tables)
    (tmp_path / "b.parquet").write_bytes(file({"contents": PDFS[:2]}))
    assert crawl.report()["plan"] == {"new": 2, "unchanged": 7}
    path.unlink()
    assert crawl.report()["plan"] == {"gone": 7, "unchanged": 2}


def test_from_s3(s3_server: S3Server):
    bucket = s3_server.make_bucket({"in/a.parquet": file()})
    refs = list(list_source(f"s3://{bucket}/in/*.parquet"))
    assert [read_bytes(ref) for ref in refs] == PDFS
    s3_server.put(bucket, "in/a.parquet", file({"contents": PDFS}))
    parquet.row_reader.cache_clear()
    with pytest.raises(SourceError) as told:
        read_bytes(refs[0])
    assert told.value.code == "changed"


def test_from_gcs(gcs_server: GcsServer):
    bucket = gcs_server.make_bucket({"in/a.parquet": file()})
    assert [read_bytes(ref) for ref in list_source(f"gs://{bucket}/in/a.parquet")] == PDFS


def test_rows_that_tell_a_url_keep_their_ids_wherever_they_stand(tmp_path):
    urls = [URLS[0], *URLS[:3]]
    (tmp_path / "a.parquet").write_bytes(file({"url": urls, "contents": PDFS[:4]}))
    first = list(list_source(str(tmp_path / "*.parquet")))
    assert len({ref.doc_id for ref in first}) == 4, "two rows with one URL are two documents"
    (tmp_path / "a.parquet").unlink()
    (tmp_path / "b.parquet").write_bytes(file({"url": urls[2:], "contents": PDFS[2:4]}, rows=1))
    (tmp_path / "c.parquet").write_bytes(file({"url": urls[:2], "contents": PDFS[:2]}))
    again = list(list_source(str(tmp_path / "*.parquet")))
    assert {ref.doc_id for ref in again} == {ref.doc_id for ref in first}
    assert {ref.uri for ref in again}.isdisjoint(ref.uri for ref in first)
    (tmp_path / "named.parquet").write_bytes(file({"filename": ["a.pdf"] * 2, "contents": PDFS[:2]}))
    (tmp_path / "others.parquet").write_bytes(file({"filename": ["a.pdf"] * 2, "contents": PDFS[2:4]}))
    assert len({ref.doc_id for ref in list_source(str(tmp_path / "*.parquet"))}) == 8, "a name is no address"


@pytest.mark.parametrize(
    ("rows", "max_bytes", "code"), [([bytes(20 << 20)] * 3, None, "too_large"), ([os.urandom(9 << 20)] * 2, 1 << 20, "too_large")]
)
def test_a_column_that_is_a_bomb_is_not_read(tmp_path, monkeypatch, rows, max_bytes, code):
    path = tmp_path / "bomb.parquet"
    pq.write_table(pa.table({"contents": rows}), path, compression="zstd", use_dictionary=False)
    refs = list(list_source(str(path)))
    assert len(refs) == len(rows)
    monkeypatch.setattr(pq.ParquetFile, "iter_batches", lambda *given, **named: pytest.fail("its pages were read"))
    for ref in refs:
        with pytest.raises(SourceError) as raised:
            read_bytes(ref, max_bytes=max_bytes)
        assert (raised.value.code, "compressed" in raised.value.message) == (code, True)


def test_columns_of_equal_documents_and_of_large_ones_are_read(tmp_path):
    path = tmp_path / "good.parquet"
    pq.write_table(pa.table({"contents": [PDFS[0]] * 5000 + [os.urandom(17 << 20)]}), path, compression="zstd")
    refs = list(list_source(str(path)))
    assert (read_bytes(refs[0]), len(read_bytes(refs[-1]))) == (PDFS[0], 17 << 20)


def test_which_groups_may_hold_a_document():
    def group(columns: dict[str, list[str]], statistics: bool = True) -> pq.RowGroupMetaData:
        sink = io.BytesIO()
        pq.write_table(pa.table(columns), sink, write_statistics=statistics)
        return pq.ParquetFile(io.BytesIO(sink.getvalue())).metadata.row_group(0)

    known = group({"page": ["1", "2"], "doc_id": ["d", "m"]})
    within = {
        ("d", "d"): True,
        ("m", "m"): True,
        ("a", "d"): True,
        ("m", "z"): True,
        ("e", "f"): True,
        ("a", "c"): False,
        ("n", "z"): False,
    }
    assert {span: parquet.may_hold(known, *span) for span in within} == within
    assert parquet.may_hold(group({"doc_id": ["d"]}, statistics=False), "x", "z"), "without statistics it has to be read"
    assert not parquet.may_hold(group({"page": ["1"]}), "a", "z")
