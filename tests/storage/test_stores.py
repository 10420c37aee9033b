"""S3, GCS and Azure against real servers on loopback: the same questions to all stores."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterator
from typing import Any

import pytest
from msgspec.structs import replace

from pdfmill.schemas.records import DocumentRef
from pdfmill.transforms.storage import s3
from pdfmill.transforms.storage.addresses import found
from pdfmill.transforms.storage.errors import SourceError
from pdfmill.transforms.storage.objects import check_writable, delete_file, join_uri, list_files, read_bytes, read_file, write_bytes
from pdfmill.transforms.storage.sources import list_source
from tests.servers import STORE_SERVERS, Answer, AzureServer, FaultyHttp, GcsServer, S3Server, environment_of, free_port

pytestmark = pytest.mark.servers

ODD_KEYS = [
    "a b.pdf",
    "50%.pdf",
    "50%25.pdf",
    "a#b.pdf",
    "a?b.pdf",
    "a+b&c=d.pdf",
    "é.pdf",
    "文書.PDF",
    "x@y.pdf",
    "q'\"<>.pdf",
    "a[1].pdf",
    "*.pdf",
]


class Store:
    """A running server and the scheme of its addresses."""

    def __init__(self, server: Any, scheme: str, *, quotes_badly: bool = False) -> None:
        self.server, self.scheme, self.quotes_badly = server, scheme, quotes_badly

    def bucket(self, objects: dict[str, bytes] | None = None) -> str:
        """The address of a new bucket with these objects."""
        return f"{self.scheme}://{self.server.make_bucket(objects)}"

    def put(self, uri: str, data: bytes) -> None:
        """Put an object, not through the code under test."""
        bucket, _, key = uri.removeprefix(f"{self.scheme}://").partition("/")
        self.server.put(bucket, key, data)


@pytest.fixture(params=list(STORE_SERVERS))
def store(request: pytest.FixtureRequest) -> Store:
    # gcp-storage-emulator 2026.7.19 does not percent-encode the key in the mediaLink it gives; the other servers and GCS do
    return Store(request.getfixturevalue(request.param), STORE_SERVERS[request.param], quotes_badly=request.param == "gcs_server")


def keys(spec: str) -> list[str]:
    """The keys found, each read and holding its own name."""
    refs = list(list_source(spec))
    assert [ref.failure for ref in refs] == [None] * len(refs)
    contents = [read_bytes(ref).decode() for ref in refs]
    assert [ref.uri.split("/", 3)[3] for ref in refs] == contents
    return contents


def named(*names: str) -> dict[str, bytes]:
    return {name: name.encode() for name in names}


def failure(spec: str) -> tuple[str, str]:
    (ref,) = list_source(spec)
    assert ref.failure is not None
    assert ref.uri == spec
    return ref.failure.code, ref.failure.message


def code_of(ref: DocumentRef, **limits: int) -> str:
    with pytest.raises(SourceError) as error:
        read_bytes(ref, **limits)  # type: ignore[arg-type]
    assert ref.uri in error.value.message
    return error.value.code


def test_prefixes_objects_and_globs(store: Store) -> None:
    bucket = store.bucket(named("a/1.pdf", "a/2.PDF", "a/b/3.pdf", "a/b/note.txt", "ab.pdf", "c.fdf", "d"))
    assert keys(bucket) == ["a/1.pdf", "a/2.PDF", "a/b/3.pdf", "ab.pdf", "c.fdf"]
    assert keys(f"{bucket}/a/") == ["a/1.pdf", "a/2.PDF", "a/b/3.pdf"]
    assert keys(f"{bucket}/a") == ["a/1.pdf", "a/2.PDF", "a/b/3.pdf", "ab.pdf"]
    assert keys(f"{bucket}/d") == ["d"]
    assert keys(f"{bucket}/a/b/note.txt") == ["a/b/note.txt"]
    assert keys(f"{bucket}/a/*") == ["a/1.pdf", "a/2.PDF"]
    assert keys(f"{bucket}/**/*.pdf") == ["a/1.pdf", "a/b/3.pdf", "ab.pdf"]
    assert keys(f"{bucket}/*/b/*") == ["a/b/3.pdf", "a/b/note.txt"]


def test_what_a_listing_tells(store: Store) -> None:
    uri = store.bucket({"a.pdf": b"12345"}) + "/a.pdf"
    (named_ref,) = list_source(uri)
    (listed,) = list_source(uri.removesuffix(".pdf"))
    assert (listed.uri, listed.size, listed.failure) == (uri, 5, None)
    assert listed.etag
    assert '"' not in listed.etag
    assert listed.modified is not None
    assert listed.modified.tzinfo is not None
    assert abs(listed.modified.timestamp() - time.time()) < 60
    assert (named_ref.doc_id, named_ref.etag, named_ref.size) == (listed.doc_id, listed.etag, listed.size)


def test_odd_keys(store: Store) -> None:
    odd = [key for key in ODD_KEYS if not (store.quotes_badly and set(key) & set("#?%"))]
    bucket = store.bucket(named(*odd))
    assert sorted(keys(bucket)) == sorted(odd)
    for key in odd:
        if not set(key) & set("*?["):
            assert keys(f"{bucket}/{key}") == [key]
    assert "a[1].pdf" in keys(f"{bucket}/a[1].pdf")


def test_a_list_in_the_store(store: Store) -> None:
    bucket = store.bucket(named("a.pdf", "b.pdf"))
    store.put(f"{bucket}/list.txt", f"# today\n{bucket}/a.pdf\n{bucket}/missing.pdf\n".encode())
    shown = [(ref.uri, ref.failure and ref.failure.code) for ref in list_source(f"@{bucket}/list.txt")]
    assert shown == [(f"{bucket}/a.pdf", None), (f"{bucket}/missing.pdf", "not_found")]


def test_what_is_missing_is_named(store: Store) -> None:
    bucket = store.bucket(named("a.txt"))
    for spec in (bucket + "/missing.pdf", bucket + "/missing/", bucket + "/*.pdf"):
        code, message = failure(spec)
        assert code == "not_found"
        assert spec in message
    nowhere = f"{store.scheme}://no-such-bucket-{os.getpid()}"
    for spec in (nowhere + "/a.pdf", nowhere + "/a/", nowhere + "/*"):
        code, message = failure(spec)
        assert code == "no_such_bucket", message
        assert nowhere in message
    assert code_of(found(bucket + "/missing.pdf")) == "not_found"
    assert code_of(found(nowhere + "/a.pdf")) == "no_such_bucket"


def test_a_changed_object_is_not_read(store: Store) -> None:
    uri = store.bucket({"a.pdf": b"first"}) + "/a.pdf"
    (ref,) = list_source(uri)
    assert read_bytes(ref) == b"first"
    store.put(uri, b"other")
    assert code_of(ref) == "changed"
    assert read_bytes(found(uri)) == b"other"


def test_a_removed_object_is_not_found(store: Store) -> None:
    uri = store.bucket({"a.pdf": b"first"}) + "/a.pdf"
    (ref,) = list_source(uri)
    delete_file(uri)
    delete_file(uri)
    assert code_of(ref) == "not_found"


def test_limits_and_emptiness(store: Store) -> None:
    bucket = store.bucket({"a.pdf": b"12345", "empty.pdf": b""})
    refs = {ref.uri.rpartition("/")[2]: ref for ref in list_source(bucket)}
    assert read_bytes(refs["empty.pdf"]) == b""
    assert read_bytes(replace(refs["empty.pdf"], etag=None, size=None)) == b""
    assert read_bytes(refs["a.pdf"], max_bytes=5) == b"12345"
    assert code_of(refs["a.pdf"], max_bytes=4) == "too_large"
    assert code_of(replace(refs["a.pdf"], etag=None, size=None), max_bytes=4) == "too_large"


def test_a_large_object_comes_whole(store: Store) -> None:
    data = os.urandom(1024) * 9_000
    uri = store.bucket() + "/large.pdf"
    write_bytes(uri, data)
    (ref,) = list_source(uri)
    assert read_bytes(ref) == data
    assert read_bytes(found(uri), max_bytes=len(data)) == data


def test_outputs(store: Store) -> None:
    out = store.bucket() + "/out"
    check_writable(out)
    assert list_files(out, "") == []
    pages = join_uri(out, "pages/a b.parquet")
    write_bytes(pages, b"one")
    write_bytes(pages, b"two")
    write_bytes(join_uri(out, "pages/x.txt"), b"")
    write_bytes(join_uri(out + "-other", "y.parquet"), b"")
    assert list_files(out, ".parquet") == [pages]
    assert read_file(pages) == b"two"
    with pytest.raises(SourceError) as nowhere:
        check_writable(f"{store.scheme}://no-such-bucket-{os.getpid()}/out")
    assert nowhere.value.code == "no_such_bucket"


def test_listings_of_many_pages(s3_server: S3Server) -> None:
    wanted = [f"{number:05}.pdf" for number in range(1, 1_203)]
    bucket = s3_server.make_bucket(dict.fromkeys(wanted, b""))
    listing = list_source(f"s3://{bucket}/")
    assert next(listing).uri.endswith("00001.pdf")
    assert [ref.uri.rpartition("/")[2] for ref in listing] == wanted[1:]


def test_listings_of_many_pages_gcs(gcs_server: GcsServer, monkeypatch: pytest.MonkeyPatch) -> None:
    from pdfmill.transforms.storage import gcs

    wanted = [f"{number:05}.pdf" for number in range(1, 24)]
    bucket = gcs_server.make_bucket(dict.fromkeys(wanted, b""))
    monkeypatch.setattr(gcs, "SETTINGS", replace(gcs.SETTINGS, page_size=10))
    assert [ref.uri.rpartition("/")[2] for ref in list_source(f"gs://{bucket}/")] == wanted


@pytest.mark.parametrize(
    "change", [{"AWS_SECRET_ACCESS_KEY": "wrong"}, {"AWS_ACCESS_KEY_ID": "nobody"}, {"AWS_ACCESS_KEY_ID": "", "AWS_SECRET_ACCESS_KEY": ""}]
)
def test_wrong_keys_are_told_as_no_permission(strict_s3_server: S3Server, monkeypatch: pytest.MonkeyPatch, change: dict[str, str]) -> None:
    bucket = strict_s3_server.make_bucket(named("a.pdf"))
    environment = {name: value for name, value in {**strict_s3_server.environment, **change}.items() if value}
    with environment_of(environment, monkeypatch):
        for spec in (f"s3://{bucket}/a.pdf", f"s3://{bucket}/"):
            code, message = failure(spec)
            assert code == "permission_denied", message
            assert bucket in message
        assert code_of(found(f"s3://{bucket}/a.pdf")) == "permission_denied"
        with pytest.raises(SourceError) as refused:
            check_writable(f"s3://{bucket}/out")
    assert refused.value.code == "permission_denied"


def test_a_public_bucket_needs_no_keys(strict_s3_server: S3Server, monkeypatch: pytest.MonkeyPatch) -> None:
    bucket = strict_s3_server.make_bucket(named("a.pdf"))
    allow = {"Effect": "Allow", "Principal": "*", "Action": ["s3:GetObject", "s3:ListBucket"]}
    policy = {"Version": "2012-10-17", "Statement": [{**allow, "Resource": [f"arn:aws:s3:::{bucket}", f"arn:aws:s3:::{bucket}/*"]}]}
    strict_s3_server.client().put_bucket_policy(Bucket=bucket, Policy=json.dumps(policy))
    unsigned = {name: value for name, value in strict_s3_server.environment.items() if "KEY" not in name}
    with environment_of(unsigned, monkeypatch):
        assert keys(f"s3://{bucket}/") == ["a.pdf"]


def test_a_bad_bucket_name(s3_server: S3Server) -> None:
    code, message = failure("s3://no good/a.pdf")
    assert code == "bad_source"
    assert "no good" in message


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Clients that give up soon."""
    from pdfmill.transforms.storage import gcs

    monkeypatch.setattr(s3, "SETTINGS", replace(s3.SETTINGS, attempts=2, connect_timeout_s=1.0))
    monkeypatch.setattr(gcs, "_RETRY", gcs._RETRY.with_timeout(1.0))


@pytest.mark.usefixtures("impatient")
@pytest.mark.parametrize("scheme", ["s3", "gs", "az"])
def test_a_store_that_is_not_there(scheme: str, monkeypatch: pytest.MonkeyPatch) -> None:
    endpoint = f"http://127.0.0.1:{free_port()}"
    environment = {"s3": S3Server, "gs": GcsServer, "az": AzureServer}[scheme](endpoint).environment
    with environment_of(environment, monkeypatch):
        code, message = failure(f"{scheme}://bucket/a.pdf")
        assert code == "store_error"
        assert "127.0.0.1" in message
        assert code_of(found(f"{scheme}://bucket/a.pdf")) == "store_error"


S3_SLOW = Answer(
    503, b"<Error><Code>SlowDown</Code><Message>Please reduce your request rate.</Message></Error>", {"Content-Type": "application/xml"}
)
S3_HEADERS = {"ETag": '"e1"', "Last-Modified": "Sat, 21 Nov 2026 08:00:00 GMT"}


@pytest.fixture
def faulty_s3(faulty_http: FaultyHttp, monkeypatch: pytest.MonkeyPatch) -> Iterator[FaultyHttp]:
    faulty_http.usual = Answer(200, b"%PDF-1.7 whole", S3_HEADERS)
    with environment_of(S3Server(faulty_http.endpoint).environment, monkeypatch):
        yield faulty_http


def test_s3_throttling_is_waited_out(faulty_s3: FaultyHttp) -> None:
    faulty_s3.script.extend([replace(S3_SLOW, body=b""), S3_SLOW])
    (ref,) = list_source("s3://bucket/a.pdf")
    assert (ref.etag, ref.size) == ("e1", 14)
    faulty_s3.script.extend([S3_SLOW, S3_SLOW])
    assert read_bytes(ref) == b"%PDF-1.7 whole"
    assert [headers["If-Match"] for method, _, headers in faulty_s3.seen if method == "GET"] == ['"e1"'] * 3


@pytest.mark.parametrize("status", [429, 500, 503])
def test_passing_errors_of_s3_are_waited_out_in_every_question(faulty_s3: FaultyHttp, status: int) -> None:
    slow, page = (
        replace(S3_SLOW, status=status),
        "<ListBucketResult><IsTruncated>{}</IsTruncated>{}<Contents><Key>{}</Key><Size>1</Size></Contents></ListBucketResult>",
    )
    first = Answer(
        200,
        page.format("true", "<NextContinuationToken>t</NextContinuationToken>", "a/1.pdf").encode(),
        {"Content-Type": "application/xml"},
    )
    last = Answer(200, page.format("false", "", "a/2.pdf").encode(), {"Content-Type": "application/xml"})
    faulty_s3.script.extend([slow, first, slow, slow, last])
    assert [ref.uri for ref in list_source("s3://bucket/a/")] == ["s3://bucket/a/1.pdf", "s3://bucket/a/2.pdf"]
    faulty_s3.script.extend([replace(slow, body=b""), faulty_s3.usual, slow])
    (ref,) = list_source("s3://bucket/a.pdf")
    assert read_bytes(ref) == b"%PDF-1.7 whole"
    assert not faulty_s3.script


def test_s3_throttling_without_end_is_an_error(faulty_s3: FaultyHttp, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(s3, "SETTINGS", replace(s3.SETTINGS, attempts=3))
    faulty_s3.usual = S3_SLOW
    assert code_of(found("s3://bucket/a.pdf")) == "store_error"
    assert len(faulty_s3.seen) == 3


def test_s3_refusals_are_not_tried_again(faulty_s3: FaultyHttp) -> None:
    faulty_s3.usual = Answer(403, b"<Error><Code>AccessDenied</Code><Message>no</Message></Error>")
    assert code_of(found("s3://bucket/a.pdf")) == "permission_denied"
    assert len(faulty_s3.seen) == 1


def test_s3_answer_that_breaks_off_is_asked_for_again(faulty_s3: FaultyHttp) -> None:
    faulty_s3.script.append(replace(faulty_s3.usual, cut=5))
    assert read_bytes(found("s3://bucket/a.pdf")) == b"%PDF-1.7 whole"


def test_gcs_refusals(faulty_http: FaultyHttp, monkeypatch: pytest.MonkeyPatch) -> None:
    faulty_http.usual = Answer(403, b'{"error": {"code": 403, "message": "no access"}}', {"Content-Type": "application/json"})
    with environment_of(GcsServer(faulty_http.endpoint).environment, monkeypatch):
        code, message = failure("gs://bucket/a.pdf")
        assert code == "permission_denied"
        assert "no access" in message
        assert code_of(found("gs://bucket/a.pdf")) == "permission_denied"
    asked = [path for _, path, _ in faulty_http.seen if "/o" in path]  # the client also asks for the bucket, once, on its own
    assert len(asked) == 3


def test_gcs_throttling_is_waited_out(faulty_http: FaultyHttp, monkeypatch: pytest.MonkeyPatch) -> None:
    kind = {"Content-Type": "application/json"}
    faulty_http.usual = Answer(200, b'{"name": "a.pdf", "generation": "7", "size": "14", "updated": "2026-11-21T08:00:00Z"}', kind)
    faulty_http.script.extend([Answer(429, b'{"error": {"message": "slow"}}', kind), Answer(503, b'{"error": {"message": "busy"}}', kind)])
    with environment_of(GcsServer(faulty_http.endpoint).environment, monkeypatch):
        (ref,) = list_source("gs://bucket/a.pdf")
    assert (ref.etag, ref.size) == ("7", 14)
    assert not faulty_http.script
