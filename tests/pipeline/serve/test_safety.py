"""Who may ask, and what every answer says to the browser."""

from __future__ import annotations

import pytest
from starlette.testclient import TestClient

from pdfmill.pipeline.serve.safety import HEADERS
from tests.pipeline.serve.shelf import Shelf


@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:8765", "127.0.0.1.evil.example", "localhost.evil.example", "", "a@127.0.0.1", "["]
)
def test_another_hosts_name_is_refused(client: TestClient, host: str) -> None:
    answer = client.get("/", headers={"host": host})
    assert answer.status_code == 421
    assert "documents" not in answer.text
    assert "--name" in answer.text


@pytest.mark.parametrize("host", ["127.0.0.1:8765", "localhost", "LOCALHOST:80", "[::1]:8765", "10.1.2.3"])
def test_addresses_and_localhost_are_served(client: TestClient, host: str) -> None:
    assert client.get("/", headers={"host": host}).status_code == 200


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "OPTIONS", "TRACE"])
def test_nothing_can_be_changed(client: TestClient, method: str) -> None:
    answer = client.request(method, "/")
    assert answer.status_code == 405
    assert answer.headers["allow"] == "GET, HEAD"


def test_every_answer_has_the_headers(client: TestClient, shelf: Shelf) -> None:
    doc_id = shelf.ids["report.pdf"]
    paths = [
        "/",
        "/?q=archive",
        "/help",
        "/nowhere",
        f"/document/{doc_id}/page/3",
        f"/document/{doc_id}/page/3/900.png",
        "/static/pdfmill.css",
    ]
    for path in paths:
        headers = client.get(path).headers
        assert {name: headers.get(name) for name in HEADERS} == HEADERS, path
    assert client.get("/", headers={"host": "evil.example"}).headers["content-security-policy"] == HEADERS["content-security-policy"]


def test_an_error_inside_has_the_headers_and_tells_no_details(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object, **__: object) -> None:
        raise RuntimeError("a secret detail")

    monkeypatch.setattr("pdfmill.pipeline.serve.library.Library.counts", broken)
    app = TestClient(client.app, base_url="http://127.0.0.1", raise_server_exceptions=False)
    answer = app.get("/")
    assert answer.status_code == 500
    assert "secret detail" not in answer.text
    assert "content-security-policy" in answer.headers


def test_the_policy_allows_nothing_inline() -> None:
    policy = HEADERS["content-security-policy"]
    assert "unsafe" not in policy
    assert "default-src 'none'" in policy
    assert "frame-ancestors 'none'" in policy


def test_another_site_cannot_take_pictures(client: TestClient, shelf: Shelf) -> None:
    path = f"/document/{shelf.ids['report.pdf']}/page/3/900.png"
    assert client.get(path, headers={"sec-fetch-site": "cross-site", "sec-fetch-mode": "no-cors"}).status_code == 403
    assert client.get(path, headers={"sec-fetch-site": "same-origin", "sec-fetch-mode": "no-cors"}).status_code == 200


@pytest.mark.parametrize(
    "path",
    [
        "/document/..%2f..%2fetc%2fpasswd",
        "/document/" + "A" * 32,
        "/document/" + "0" * 31,
        "/document/" + "0" * 32,
        "/static/..%2fapp.py",
        "/static/../app.py",
        "/static/%2e%2e/%2e%2e/main.py",
    ],
)
def test_what_stands_in_no_table_cannot_be_opened(client: TestClient, path: str) -> None:
    assert client.get(path).status_code == 404


def test_long_numbers_are_no_pages(client: TestClient, shelf: Shelf) -> None:
    doc_id = shelf.ids["report.pdf"]
    for number in ("0", "7", "999999999", "9" * 5000, "-1", "1e3", "١"):
        assert client.get(f"/document/{doc_id}/page/{number}").status_code == 404, number
    assert client.get(f"/document/{doc_id}/page/3/901.png").status_code == 404
    assert client.get(f"/document/{doc_id}/page/7/900.png").status_code == 404
    answer = client.get(f"/document/{doc_id}/page?number={'9' * 5000}", follow_redirects=False)
    assert answer.headers["location"] == f"/document/{doc_id}/page/1"
