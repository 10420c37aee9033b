"""What a crawl finds in web archives, and what it need not look at again."""

from __future__ import annotations

import base64
import gzip
import hashlib
import io
from pathlib import Path

import pytest
from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter

from pdfmill.transforms.road.document_rows import archived
from pdfmill.transforms.storage.errors import SourceError
from pdfmill.transforms.storage.objects import read_bytes
from pdfmill.transforms.storage.sources import list_source
from tests.crawl.help import Crawl, configure, one_table, snapshot_tables, tiny
from tests.crawl.test_cuts import Record
from tests.crawl.test_warc import archive, cdxj
from tests.invariants import check_invariants

PDF = tiny("in an archive", 2)


def record(url: str, body: bytes, http: list[tuple[str, str]], **warc: str) -> bytes:
    """A response record with a body as it was sent."""
    sink = io.BytesIO()
    writer = WARCWriter(sink, gzip=True)
    answer = StatusAndHeaders("200 OK", http, protocol="HTTP/1.1")
    headers = {"WARC-Date": "2026-11-01T10:20:30Z", **{name.replace("_", "-"): value for name, value in warc.items()}}
    writer.write_record(
        writer.create_warc_record(url, "response", io.BytesIO(body), len(body), warc_headers_dict=headers, http_headers=answer)
    )
    return sink.getvalue()


def resource(url: str, body: bytes) -> bytes:
    sink = io.BytesIO()
    writer = WARCWriter(sink, gzip=True)
    writer.write_record(writer.create_warc_record(url, "resource", io.BytesIO(body), len(body), warc_content_type=""))
    return sink.getvalue().replace(b"Content-Type: \r\n", b"")


def revisit(url: str, digest: str) -> bytes:
    sink = io.BytesIO()
    writer = WARCWriter(sink, gzip=True)
    answer = StatusAndHeaders("200 OK", [("Content-Type", "application/pdf")], protocol="HTTP/1.1")
    writer.write_record(writer.create_revisit_record(url, digest, "http://example.org/a.pdf", "2026-11-01T10:20:30Z", http_headers=answer))
    return sink.getvalue()


def sha1(data: bytes) -> str:
    return "sha1:" + base64.b32encode(hashlib.sha1(data).digest()).decode()


def chunked(body: bytes) -> bytes:
    return b"".join(b"%x\r\n%s\r\n" % (len(piece), piece) for piece in (body[:900], body[900:])) + b"0\r\n\r\n"


@pytest.mark.parametrize(
    ("body", "http", "found"),
    [
        (PDF, [("Content-Type", "application/octet-stream")], True),
        (b"mail header\n" + PDF, [("Content-Type", "application/octet-stream")], True),
        (PDF, [("Content-Type", "text/html")], True),
        (PDF, [], True),
        (gzip.compress(PDF), [("Content-Type", "binary/octet-stream"), ("Content-Encoding", "gzip")], True),
        (chunked(PDF), [("Content-Type", "application/x-download"), ("Transfer-Encoding", "chunked")], True),
        (chunked(gzip.compress(PDF)), [("Transfer-Encoding", "chunked"), ("Content-Encoding", "gzip")], True),
        (b"<p>A file begins with %PDF-1.7</p>", [("Content-Type", "text/html")], False),
        (b"\x89PNG", [("Content-Type", "image/png")], False),
        (b"", [], False),
    ],
)
def test_pdfs_are_known_by_their_signature(tmp_path: Path, body: bytes, http: list[tuple[str, str]], found: bool) -> None:
    path = tmp_path / "a.warc.gz"
    path.write_bytes(record("http://example.org/a", body, http))
    refs = list(list_source(str(path)))
    assert [ref.failure for ref in refs] == [None] * found
    assert [read_bytes(ref)[-len(PDF) :] for ref in refs] == [PDF] * found


def test_a_resource_without_a_type(tmp_path: Path) -> None:
    (tmp_path / "a.warc.gz").write_bytes(resource("http://example.org/a", PDF) + resource("http://example.org/b", b"text"))
    (ref,) = list_source(str(tmp_path / "a.warc.gz"))
    assert (archived(ref)["url"], read_bytes(ref)) == ("http://example.org/a", PDF)


GZIPPED = gzip.compress(PDF, mtime=0)  # its digest is in names of tests, which processes must agree on
BOTH = [("Content-Type", "application/pdf"), ("Transfer-Encoding", "chunked"), ("Content-Encoding", "gzip")]


@pytest.mark.parametrize(
    ("digest", "good"),
    [
        (sha1(chunked(GZIPPED)), True),
        (sha1(GZIPPED), True),
        (sha1(PDF), True),
        ("sha256:" + hashlib.sha256(PDF).hexdigest(), True),
        ("blake9:what", True),
        (sha1(b"another"), False),
        ("md5:" + hashlib.md5(b"another").hexdigest(), False),
    ],
)
def test_a_payload_is_held_against_its_digest(tmp_path: Path, digest: str, good: bool) -> None:
    path = tmp_path / "a.warc.gz"
    path.write_bytes(record("http://example.org/a", chunked(GZIPPED), BOTH, WARC_Payload_Digest=digest))
    (ref,) = list_source(str(path))
    if good:
        assert read_bytes(ref) == PDF
    else:
        with pytest.raises(SourceError, match=r"does not match the digest .* that the archive states") as told:
            read_bytes(ref)
        assert told.value.code == "damaged"


def test_a_cut_payload_has_the_digest_of_the_whole(tmp_path: Path) -> None:
    path = tmp_path / "a.warc.gz"
    path.write_bytes(record("http://x/a", PDF[:-9], BOTH[:1], WARC_Payload_Digest=sha1(PDF), WARC_Truncated="length"))
    (ref,) = list_source(str(path))
    assert read_bytes(ref) == PDF[:-9]


@pytest.fixture
def crawl(tmp_path: Path) -> Crawl:
    (tmp_path / "in").mkdir()
    return configure(tmp_path, str(tmp_path / "in" / "*.warc*"), str(tmp_path / "out"))


def test_revisits_are_pointers(crawl: Crawl, tmp_path: Path) -> None:
    """Of records in the same file or another one; one whose original nobody lists is none."""
    original = record("http://example.org/a.pdf", PDF, BOTH[:1], WARC_Payload_Digest=sha1(PDF))
    same_url, other_url = revisit("http://example.org/a.pdf", sha1(PDF)), revisit("http://example.org/copy.pdf", sha1(PDF))
    (tmp_path / "in" / "1.warc.gz").write_bytes(original + same_url)
    (tmp_path / "in" / "2.warc.gz").write_bytes(other_url + revisit("http://example.org/lost.pdf", sha1(b"lost")))
    first = crawl.report()
    assert (first["plan"], first["duplicates"], first["exit_code"]) == ({"new": 2}, 1, 0)
    tables = snapshot_tables(crawl.output)
    check_invariants(tables, inputs=2)
    rows = {row["web"]["url"]: row for row in tables["documents"].to_pylist()}
    assert rows.keys() == {"http://example.org/a.pdf", "http://example.org/copy.pdf"}
    assert [row["status"] for row in rows.values()] == ["ok", "ok"]
    assert sum(row["duplicate_of"] is None for row in rows.values()) == 1
    assert crawl.report()["outcome"] == "unchanged"


RECORDS: list[Record] = [(f"http://example.org/{name}.pdf", "application/pdf", tiny(name), {}) for name in "abc"]


def test_an_archive_that_is_written_again_changes_nothing(crawl: Crawl, tmp_path: Path) -> None:
    path = tmp_path / "in" / "a.warc.gz"
    path.write_bytes(archive(RECORDS[:2]))
    assert crawl.report()["plan"] == {"new": 2}
    before = snapshot_tables(crawl.output)
    path.write_bytes(archive(RECORDS[::-1]))
    assert crawl.report()["plan"] == {"new": 1, "unchanged": 2}
    path.unlink()
    (tmp_path / "in" / "b.warc").write_bytes(archive(RECORDS[1:], compress=False))
    assert crawl.report()["plan"] == {"gone": 1, "unchanged": 2}
    ids = set(snapshot_tables(crawl.output)["documents"].column("doc_id").to_pylist())
    assert len(ids & set(before["documents"].column("doc_id").to_pylist())) == 1
    (tmp_path / "in" / "b.warc").rename(tmp_path / "b.warc")
    (tmp_path / "b.cdxj").write_text(cdxj(tmp_path / "b.warc").replace("sha1:", "").replace("nonsense\n", ""))
    crawl.path.write_text(crawl.path.read_text().replace(crawl.source, str(tmp_path / "b.cdxj")))
    assert crawl.report()["plan"] == {"unchanged": 2}, "an index names the same records"


def test_an_archive_that_has_not_changed_is_not_read_to_be_listed(crawl: Crawl, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from pdfmill.transforms.storage import sources

    for name in "ab":
        (tmp_path / "in" / f"{name}.warc.gz").write_bytes(archive([each for each in RECORDS if each[0].endswith(f"{name}.pdf")]))
    opened: list[str] = []
    stream = sources.open_stream
    monkeypatch.setattr(sources, "open_stream", lambda uri: opened.append(uri.rpartition("/")[2]) or stream(uri))
    assert crawl.report()["plan"] == {"new": 2}
    assert opened == ["a.warc.gz", "b.warc.gz"]
    (tmp_path / "in" / "b.warc.gz").write_bytes(archive(RECORDS[1:]))
    assert crawl.report()["plan"] == {"new": 1, "unchanged": 2}
    assert opened[2:] == ["b.warc.gz"]
    (tmp_path / "in" / "b.warc.gz").write_bytes(archive(RECORDS[1:])[:-30])
    for turn in range(2):
        report = crawl.report()
        assert report["unlisted_sources"][0]["error_code"] == "damaged"
        assert opened[3:] == ["b.warc.gz"] * (turn + 1), "a listing that broke off is not kept"
    assert {row["deleted_at"] for row in one_table(crawl.output, "sources").to_pylist()} == {None}
