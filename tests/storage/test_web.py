"""Objects over http, from the standard library's server and from one that misbehaves as told."""

from __future__ import annotations

import gzip
from datetime import UTC, datetime
from pathlib import Path

import pytest
from msgspec.structs import replace

from pdfmill.transforms.storage import web
from pdfmill.transforms.storage.addresses import found
from pdfmill.transforms.storage.errors import SourceError
from pdfmill.transforms.storage.objects import read_bytes
from pdfmill.transforms.storage.sessions import forget_clients
from pdfmill.transforms.storage.sources import list_source
from tests.servers import Answer, FaultyHttp, free_port

pytestmark = pytest.mark.servers
WHOLE = b"%PDF-1.7 whole"


@pytest.fixture(autouse=True)
def _hasty(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(web, "SETTINGS", replace(web.SETTINGS, first_wait_s=0.01))
    monkeypatch.setattr("pdfmill.transforms.storage.settings.time.sleep", lambda _seconds: None)
    forget_clients()


def failure(url: str) -> tuple[str, str]:
    (ref,) = list_source(url)
    assert ref.failure is not None
    assert ref.uri == url
    return ref.failure.code, ref.failure.message


def code_of(url: str, *, etag: str | None = None, size: int | None = None, limit: int | None = None) -> str:
    with pytest.raises(SourceError) as error:
        read_bytes(found(url, etag=etag, size=size), max_bytes=limit)
    assert url in error.value.message
    return error.value.code


def test_a_message_names_its_address_once_and_no_class(faulty_http: FaultyHttp) -> None:
    faulty_http.usual = Answer(403)
    refused, away = f"{faulty_http.endpoint}/a.pdf", f"http://127.0.0.1:{free_port()}/a.pdf"
    assert failure(refused)[1] == f"{refused}: HTTP 403 Forbidden"
    code, message = failure(away)
    assert (code, message.partition(": ")[2]) == ("store_error", "Failed to establish a new connection: [Errno 111] Connection refused")


def test_an_object_on_a_plain_server(http_server: tuple[str, Path]) -> None:
    endpoint, folder = http_server
    (folder / "a b.pdf").write_bytes(WHOLE)
    (ref,) = list_source(f"{endpoint}/a b.pdf#page=2")
    assert (ref.uri, ref.size, ref.etag) == (f"{endpoint}/a b.pdf", len(WHOLE), None)
    assert ref.modified is not None
    assert ref.modified.tzinfo is not None
    assert read_bytes(ref) == WHOLE
    assert read_bytes(next(iter(list_source(f"{endpoint}/a%20b.pdf")))) == WHOLE
    (folder / "a b.pdf").write_bytes(WHOLE + b"r")
    assert code_of(ref.uri, size=ref.size) == "changed"


@pytest.mark.parametrize(
    ("status", "code"),
    [
        (404, "not_found"),
        (410, "not_found"),
        (401, "permission_denied"),
        (403, "permission_denied"),
        (412, "changed"),
        (500, "store_error"),
    ],
)
def test_refusals_are_told(faulty_http: FaultyHttp, status: int, code: str) -> None:
    faulty_http.usual = Answer(status)
    url = faulty_http.endpoint + "/a.pdf"
    listed, message = failure(url)
    assert listed == code
    assert url in message
    assert code_of(url) == code


def test_missing_and_forbidden_are_asked_for_once(faulty_http: FaultyHttp) -> None:
    faulty_http.usual = Answer(403)
    code_of(faulty_http.endpoint + "/a.pdf")
    assert len(faulty_http.seen) == 1


def test_nobody_there() -> None:
    url = f"http://127.0.0.1:{free_port()}/a.pdf"
    assert failure(url)[0] == "store_error"
    assert code_of(url) == "store_error"


def test_throttling_is_waited_out(faulty_http: FaultyHttp) -> None:
    faulty_http.script.extend([Answer(429, headers={"Retry-After": "0"}), Answer(503)])
    (ref,) = list_source(faulty_http.endpoint + "/a.pdf")
    faulty_http.script.extend([Answer(429), Answer(502), Answer(504)])
    assert read_bytes(ref) == WHOLE


def test_busy_without_end_is_bounded(faulty_http: FaultyHttp) -> None:
    faulty_http.usual = Answer(503)
    assert code_of(faulty_http.endpoint + "/a.pdf") == "store_error"
    assert len(faulty_http.seen) == web.SETTINGS.attempts


def test_an_answer_that_breaks_off_is_asked_for_again(faulty_http: FaultyHttp) -> None:
    faulty_http.script.extend([replace(faulty_http.usual, cut=5), replace(faulty_http.usual, cut=0)])
    assert read_bytes(found(faulty_http.endpoint + "/a.pdf")) == WHOLE
    faulty_http.usual = replace(faulty_http.usual, cut=5)
    assert code_of(faulty_http.endpoint + "/a.pdf") == "store_error"


def test_a_server_without_head(faulty_http: FaultyHttp) -> None:
    faulty_http.script.append(Answer(405))
    (ref,) = list_source(faulty_http.endpoint + "/a.pdf")
    assert (ref.etag, ref.size) == ('"one"', len(WHOLE))
    assert [method for method, _, _ in faulty_http.seen] == ["HEAD", "GET"]


def test_a_changed_etag_is_seen_also_where_if_match_is_ignored(faulty_http: FaultyHttp) -> None:
    (ref,) = list_source(faulty_http.endpoint + "/a.pdf")
    faulty_http.usual = replace(faulty_http.usual, headers={"ETag": '"two"'})
    assert code_of(ref.uri, etag=ref.etag) == "changed"
    assert faulty_http.seen[-1][2]["If-Match"] == '"one"'
    faulty_http.usual = replace(faulty_http.usual, headers={"ETag": 'W/"three"'})
    assert read_bytes(found(ref.uri, etag='W/"three"')) == WHOLE
    assert "If-Match" not in faulty_http.seen[-1][2]


def test_limits(faulty_http: FaultyHttp) -> None:
    url = faulty_http.endpoint + "/a.pdf"
    assert code_of(url, limit=len(WHOLE) - 1) == "too_large"
    assert read_bytes(found(url), max_bytes=len(WHOLE)) == WHOLE


def test_odd_headers_are_unknown_facts(faulty_http: FaultyHttp) -> None:
    faulty_http.script.append(Answer(200, WHOLE, {"Last-Modified": "yesterday", "Content-Encoding": "gzip"}))
    faulty_http.script.append(Answer(200, WHOLE, {"Last-Modified": "Sat, 21 Nov 2026 08:00:00 GMT"}))
    (odd,), (plain,) = (list(list_source(faulty_http.endpoint + "/a.pdf")) for _ in range(2))
    assert (odd.size, odd.modified, odd.etag) == (None, None, None)
    assert plain.modified == datetime(2026, 11, 21, 8, tzinfo=UTC)


def test_an_answer_that_is_compressed_unasked(faulty_http: FaultyHttp) -> None:
    faulty_http.usual = Answer(200, gzip.compress(WHOLE), {"Content-Encoding": "gzip"})
    (ref,) = list_source(faulty_http.endpoint + "/a.pdf")
    assert (ref.size, read_bytes(ref)) == (None, WHOLE)
    assert faulty_http.seen[-1][2]["Accept-Encoding"] == "identity"
    faulty_http.usual = replace(faulty_http.usual, body=gzip.compress(bytes(1_000_000)))
    assert code_of(ref.uri, limit=10_000) == "too_large"


def test_a_login_in_a_url_is_refused_and_not_repeated() -> None:
    (ref,) = list_source("https://user:se@cret@host/a@b.pdf")
    assert ref.uri == "https://host/a@b.pdf"
    assert ref.failure is not None
    assert ref.failure.code == "bad_source"
    assert "cret" not in ref.failure.message
