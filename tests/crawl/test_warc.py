"""PDFs in web archives, written by the writer of a WARC library: whole, cut and broken."""

from __future__ import annotations

import gzip
import io
import json
from pathlib import Path

import pytest
from msgspec.structs import replace
from warcio.archiveiterator import ArchiveIterator
from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter

from pdfmill.schemas.records import DocumentRef, Failure
from pdfmill.transforms.road.document_rows import archived
from pdfmill.transforms.storage.addresses import parse_record_uri
from pdfmill.transforms.storage.errors import SourceError
from pdfmill.transforms.storage.objects import read_bytes
from pdfmill.transforms.storage.sources import list_source
from tests.crawl.conftest import LoggingServer
from tests.crawl.help import configure, snapshot_tables, tiny
from tests.invariants import check_invariants


def archive(records, *, compress=True) -> bytes:
    """A WARC file of (url, content type, payload, further WARC headers), with the requests and a warcinfo between them."""
    sink = io.BytesIO()
    writer = WARCWriter(sink, gzip=compress)
    writer.write_record(writer.create_warcinfo_record("test.warc.gz", {"software": "test"}))
    for url, kind, payload, headers in records:
        http = StatusAndHeaders("200 OK", [("Content-Type", kind), ("Content-Length", str(len(payload)))], protocol="HTTP/1.1")
        request = StatusAndHeaders("GET / HTTP/1.1", [("Host", "example.org")], is_http_request=True)
        writer.write_record(writer.create_warc_record(url, "request", http_headers=request))
        more = {"WARC-Date": "2026-11-01T10:20:30Z", **headers}
        writer.write_record(
            writer.create_warc_record(url, "response", io.BytesIO(payload), len(payload), warc_headers_dict=more, http_headers=http)
        )
    return sink.getvalue()


WHOLE = tiny("in an archive", 2)
RECORDS = [
    ("http://example.org/a.pdf", "application/pdf", WHOLE, {}),
    ("http://example.org/page.html", "text/html", b"<p>no PDF</p>", {}),
    ("http://example.org/cut.pdf", "application/pdf; charset=binary", WHOLE[:-300], {"WARC-Truncated": "length"}),
    ("http://example.org/b.pdf?x=1&y=#z", "application/pdf", tiny("another"), {}),
]


@pytest.mark.parametrize("name", ["a.warc.gz", "a.warc"])
def test_records_are_listed_and_read_by_their_ranges(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    path.write_bytes(archive(RECORDS, compress=name.endswith(".gz")))
    refs = list(list_source(str(path)))
    assert [ref.failure for ref in refs] == [None] * 3
    assert [archived(ref)["url"] for ref in refs] == [RECORDS[0][0], RECORDS[2][0], RECORDS[3][0]]
    assert [archived(ref)["truncated"] for ref in refs] == [None, "length", None]
    assert {archived(ref)["date"] for ref in refs} == {"2026-11-01T10:20:30Z"}
    assert refs[0].etag.startswith("sha1:")
    assert [read_bytes(ref) for ref in refs] == [WHOLE, WHOLE[:-300], RECORDS[3][2]]


@pytest.mark.parametrize("compress", [True, False])
def test_records_lie_where_a_warc_library_says(tmp_path: Path, compress: bool) -> None:
    """Their places are in the documents' addresses, and so in their ids."""
    path = tmp_path / ("a.warc.gz" if compress else "a.warc")
    path.write_bytes(archive(RECORDS, compress=compress))
    places = []
    with path.open("rb") as file:
        records = ArchiveIterator(file)
        for record in records:
            if record.rec_type == "response" and "pdf" in record.http_headers.get_header("Content-Type"):
                places.append((records.get_record_offset(), records.get_record_length()))
    assert [parse_record_uri(ref.uri)[1:3] for ref in list_source(str(path))] == places


def test_headers_as_the_world_writes_them(tmp_path: Path) -> None:
    """A folded field, an address in brackets with a blank, other letters, one line end too few in the middle of a file."""
    answer = b"HTTP/1.1 200 OK\ncontent-TYPE: application/pdf\n\n%PDF"
    head = (
        b"WARC/1.0\r\nwarc-type: response\r\nWARC-Target-URI: <http://example.org/a b\xe9.pdf>\r\nX: 1\r\n 2\r\nContent-length:%d\r\n\r\n"
    )
    record = head % len(answer) + answer
    (tmp_path / "a.warc").write_bytes(record + b"\r\n" + record + b"\r\n\r\n")
    assert [archived(ref)["url"] for ref in list_source(str(tmp_path / "a.warc"))] == ["http://example.org/a%20b\xe9.pdf"] * 2


def cdxj(path: Path) -> str:
    lines = []
    for ref in list_source(str(path)):
        told = dict(archived(ref))
        place = dict(pair.split("=") for pair in ref.uri.rpartition("#")[2].split("&")[:2])
        entry = {"url": told["url"], "mime": "application/pdf", "filename": path.name, "digest": told["digest"] or "", **place}
        lines.append(f"org,example)/ 20261101102030 {json.dumps(entry)}")
    return "\n".join(
        [*lines, 'org,example)/x 20261101102030 {"mime": "text/html", "filename": "x", "offset": "1", "length": "2"}', "nonsense", ""]
    )


@pytest.mark.parametrize("form", ["cdxj", "cdxj.gz", "list"])
def test_an_index_fans_out(tmp_path: Path, form: str) -> None:
    path = tmp_path / "a.warc.gz"
    path.write_bytes(archive(RECORDS))
    text = cdxj(path)
    if form == "list":
        places = [dict(pair.split("=") for pair in ref.uri.rpartition("#")[2].split("&")[:2]) for ref in list_source(str(path))]
        text = "".join(f"a.warc.gz {place['offset']} {place['length']}\n" for place in places) + "nonsense\n"
    index = tmp_path / ("a.cdx" if form == "list" else f"a.{form}")
    index.write_bytes(gzip.compress(text.encode()) if form.endswith(".gz") else text.encode())
    refs = list(list_source(str(index)))
    assert [read_bytes(ref) for ref in refs[:3]] == [WHOLE, WHOLE[:-300], RECORDS[3][2]]
    assert [ref.failure.code for ref in refs[3:]] == ["bad_source"]


def test_an_archive_that_breaks_off_gives_what_comes_before(tmp_path: Path) -> None:
    data = archive(RECORDS)
    (tmp_path / "cut.warc.gz").write_bytes(data[:-200])
    refs = list(list_source(str(tmp_path / "cut.warc.gz")))
    good = [ref for ref in refs if ref.failure is None]
    assert [read_bytes(ref) for ref in good[:2]] == [WHOLE, WHOLE[:-300]]
    (tmp_path / "noise.warc.gz").write_bytes(b"no archive at all")
    assert [ref.failure.code for ref in list_source(str(tmp_path / "noise.warc.gz"))] == ["damaged"]


@pytest.mark.parametrize(("offset", "length"), [(10**6, 100), (3, 50), (0, 10)])
def test_a_range_without_a_record_is_a_failure_of_that_record(tmp_path: Path, offset: int, length: int) -> None:
    (tmp_path / "a.warc.gz").write_bytes(archive(RECORDS))
    (tmp_path / "a.cdx").write_text(f"a.warc.gz {offset} {length}\n")
    (ref,) = list_source(str(tmp_path / "a.cdx"))
    with pytest.raises(SourceError) as told:
        read_bytes(ref)
    assert told.value.code == "damaged"


@pytest.mark.servers
@pytest.mark.slow
def test_a_crawl_over_archives_on_s3(crawl_server: LoggingServer, tmp_path: Path) -> None:
    source = crawl_server.make_bucket({"crawl/one.warc.gz": archive(RECORDS)})
    crawl = configure(tmp_path, f"s3://{source}/crawl/*.warc.gz", str(tmp_path / "out"))
    assert crawl.report()["plan"] == {"new": 3}
    tables = snapshot_tables(crawl.output)
    check_invariants(tables, inputs=3)
    rows = {row["web"]["url"]: row for row in tables["documents"].to_pylist()}
    assert {url: row["web"]["truncated"] for url, row in rows.items()} == {
        RECORDS[0][0]: None,
        RECORDS[2][0]: "length",
        RECORDS[3][0]: None,
    }
    assert rows[RECORDS[0][0]]["page_count"] == 2
    crawl_server.put(source, "crawl/two.warc.gz", archive([("http://example.org/c.pdf", "application/pdf", tiny("third"), {})]))
    assert crawl.report()["plan"] == {"new": 1, "unchanged": 3}


@pytest.mark.corpus
def test_corpus_files_through_an_archive(corpus: Path, tmp_path: Path) -> None:
    files = sorted(path for path in corpus.rglob("*.pdf") if path.stat().st_size < 500_000)[:40]
    path = tmp_path / "corpus.warc.gz"
    path.write_bytes(
        archive([(f"http://example.org/{number}.pdf", "application/pdf", file.read_bytes(), {}) for number, file in enumerate(files)])
    )
    assert [read_bytes(ref) for ref in list_source(str(path))] == [file.read_bytes() for file in files]


def test_only_records_have_what_an_archive_says() -> None:
    assert archived(DocumentRef.of_uri("file:///a.pdf")) is None
    failed = DocumentRef.of_uri("warc+file:///a.warc#offset=0&length=1&url=u")
    assert archived(failed) is not None
    assert archived(replace(failed, failure=Failure("not_found", "gone"))) is None
