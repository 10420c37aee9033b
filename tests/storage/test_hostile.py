"""Names, servers and urls that mean harm: each a row with its reason, or a fact left out, and the job goes on."""

from __future__ import annotations

import os
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import pytest
import urllib3
from msgspec.structs import replace

from pdfmill.pipeline.cli.main import run
from pdfmill.schemas.records import DocumentRef, Failure, document_id
from pdfmill.transforms.storage import sources, web
from pdfmill.transforms.storage.access import Reach
from pdfmill.transforms.storage.addresses import found
from pdfmill.transforms.storage.errors import SourceError
from pdfmill.transforms.storage.objects import read_bytes
from pdfmill.transforms.storage.sessions import forget_clients
from pdfmill.transforms.storage.settings import SETTINGS
from pdfmill.transforms.storage.sources import list_source, list_sources
from tests.invariants import check_invariants, read_tables
from tests.pdf.make import make_pdf
from tests.servers import Answer, AzureServer, FaultyHttp, GcsServer, S3Server, environment_of

PDF = make_pdf(text="Letter")


@pytest.fixture(autouse=True)
def _hasty(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(web, "SETTINGS", replace(web.SETTINGS, first_wait_s=0.01))
    monkeypatch.setattr("pdfmill.transforms.storage.settings.time.sleep", lambda _seconds: None)
    forget_clients()
    yield
    forget_clients()


def index(tmp_path: Path, *sources: str) -> dict[str, tuple[str, str | None]]:
    """Status and code of each document by the end of its address; the tables lie in `out`."""
    run(["index", *sources, "--output", str(tmp_path / "out")])
    tables = read_tables((tmp_path / "out").as_uri())
    check_invariants(tables)
    return {row["source_uri"].rpartition("/")[2]: (row["status"], row["error_code"]) for row in tables["documents"].to_pylist()}


# names


def test_names_that_are_no_utf8_are_rows(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    os.symlink(b"nowhere", os.fsencode(folder) + b"/old\xe9.pdf")
    os.mkfifo(os.fsencode(folder) + b"/fifo\xe9.pdf")
    os.symlink(b"nowhere", os.fsencode(folder) + b"/\x1b[2J.pdf")
    (folder / "good.pdf").write_bytes(PDF)
    assert index(tmp_path, str(folder)) == {
        "old%E9.pdf": ("failed", "not_found"),
        "fifo%E9.pdf": ("failed", "bad_source"),
        "%1B%5B2J.pdf": ("failed", "not_found"),
        "good.pdf": ("ok", None),
    }
    told = capsys.readouterr()
    assert "\x1b[2J" not in told.out + told.err
    messages = read_tables((tmp_path / "out").as_uri())["documents"].column("error_message").to_pylist()
    assert any("\\x1b[2J.pdf" in message for message in messages if message)
    assert any("old\\udce9.pdf" in message for message in messages if message)


def test_a_bucket_or_key_that_is_no_utf8_is_a_row(tmp_path: Path) -> None:
    (tmp_path / "good.pdf").write_bytes(PDF)
    spec = os.fsdecode(b"s3://bucket/old\xe9.pdf")
    assert index(tmp_path, spec, str(tmp_path / "good.pdf")) == {"old\\udce9.pdf": ("failed", "bad_source"), "good.pdf": ("ok", None)}


@pytest.mark.parametrize("text", ["a\x1b[31m", "a\udce9", "a\u202e", "a\r\nb", "a\x00", "a\x9b"])
def test_every_message_is_printable(text: str) -> None:
    for message in (SourceError("not_found", text).message, str(SourceError("not_found", text)), Failure("not_found", text).message):
        assert message.isprintable()
        message.encode()
    assert Failure("not_found", "é 文 \U0001f600").message == "é 文 \U0001f600"


# facts


@pytest.mark.parametrize(("told", "kept"), [(2**63 - 1, 2**63 - 1), (2**63, None), (10**30, None), (-1, None)])
def test_a_size_that_no_table_holds_is_unknown(told: int, kept: int | None) -> None:
    assert found("s3://b/a", size=told).size == kept


def test_a_time_that_no_table_holds_is_unknown() -> None:
    west = datetime.max.replace(tzinfo=timezone(-timedelta(hours=5)))
    assert found("s3://b/a", modified=west).modified is None
    assert found("s3://b/a", modified=datetime(2026, 1, 1, tzinfo=UTC)).modified == datetime(2026, 1, 1, tzinfo=UTC)


@pytest.mark.servers
@pytest.mark.parametrize("length", ["9" * 23, "9" * 5000, "-1", "abc"])
def test_a_length_of_the_web_that_cannot_be(faulty_http: FaultyHttp, length: str) -> None:
    faulty_http.usual = replace(faulty_http.usual, headers={"Content-Length": length})
    (ref,) = list_source(f"{faulty_http.endpoint}/a.pdf")
    assert ref.size is None


@pytest.mark.servers
def test_a_hostile_length_has_its_row(faulty_http: FaultyHttp, tmp_path: Path) -> None:
    faulty_http.usual = replace(faulty_http.usual, headers={"Content-Length": "9" * 23}, cut=10)
    (tmp_path / "good.pdf").write_bytes(PDF)
    seen = index(tmp_path, f"{faulty_http.endpoint}/a.pdf", str(tmp_path / "good.pdf"))
    assert seen == {"a.pdf": ("failed", "store_error"), "good.pdf": ("ok", None)}


LISTED = (
    "<ListBucketResult><Name>bucket</Name><IsTruncated>false</IsTruncated><Contents><Key>a/b.pdf</Key>"
    "<LastModified>{modified}</LastModified><ETag>&quot;e&quot;</ETag><Size>{size}</Size></Contents></ListBucketResult>"
)


def s3_listing(size: str = "3", modified: str = "2026-11-21T08:00:00Z") -> Answer:
    return Answer(200, LISTED.format(size=size, modified=modified).encode(), {"Content-Type": "application/xml"})


@pytest.fixture
def faulty_s3(faulty_http: FaultyHttp, monkeypatch: pytest.MonkeyPatch) -> Iterator[FaultyHttp]:
    with environment_of(S3Server(faulty_http.endpoint).environment, monkeypatch):
        yield faulty_http


@pytest.mark.servers
def test_a_size_of_s3_that_no_table_holds(faulty_s3: FaultyHttp) -> None:
    faulty_s3.usual = s3_listing(size="1" + "0" * 30)
    (ref,) = list_source("s3://bucket/a/")
    assert (ref.uri, ref.size, ref.failure) == ("s3://bucket/a/b.pdf", None, None)


@pytest.mark.servers
@pytest.mark.parametrize(
    "answer", [s3_listing(size="abc"), s3_listing(modified="99999-01-01T00:00:00Z"), s3_listing(modified="0000-01-01T00:00:00Z")]
)
def test_answers_of_s3_that_cannot_be(faulty_s3: FaultyHttp, answer: Answer, tmp_path: Path) -> None:
    faulty_s3.usual = answer
    (tmp_path / "good.pdf").write_bytes(PDF)
    assert index(tmp_path, "s3://bucket/a/", str(tmp_path / "good.pdf")) == {"": ("failed", "store_error"), "good.pdf": ("ok", None)}


@pytest.mark.servers
def test_a_listing_of_s3_without_end(faulty_s3: FaultyHttp) -> None:
    again = LISTED.replace("false</IsTruncated>", "true</IsTruncated><NextContinuationToken>t</NextContinuationToken>")
    faulty_s3.usual = Answer(200, again.format(size="3", modified="2026-11-21T08:00:00Z").encode(), {"Content-Type": "application/xml"})
    *_, last = list_source("s3://bucket/a/")
    assert last.failure is not None
    assert "does not say where" in last.failure.message


@pytest.mark.servers
@pytest.mark.parametrize(("server", "scheme"), [(S3Server, "s3"), (GcsServer, "gs"), (AzureServer, "az")])
def test_redirections_without_end(faulty_http: FaultyHttp, monkeypatch: pytest.MonkeyPatch, server: type, scheme: str) -> None:
    faulty_http.usual = Answer(307, b"", {"Location": f"{faulty_http.endpoint}/again"})
    with environment_of(server(faulty_http.endpoint).environment, monkeypatch):
        for spec in (f"{scheme}://bucket/a.pdf", f"{scheme}://bucket/a/"):
            (ref,) = list_source(spec)
            assert ref.failure is not None
            assert ref.failure.code == "store_error"
        with pytest.raises(SourceError) as told:
            read_bytes(found(f"{scheme}://bucket/a.pdf"))
        assert told.value.code == "store_error"


@pytest.mark.servers
def test_redirections_of_the_web_without_end(faulty_http: FaultyHttp) -> None:
    faulty_http.usual = Answer(307, b"", {"Location": f"{faulty_http.endpoint}/again"})
    (ref,) = list_source(f"{faulty_http.endpoint}/a.pdf")
    assert ref.failure is not None
    assert ref.failure.code == "store_error"


# where a stranger may not send us: redirections, and addresses in lists


@pytest.fixture
def outside(faulty_http: FaultyHttp, monkeypatch: pytest.MonkeyPatch) -> str:
    """The address of a server that counts as public: all of this machine but this one name are private."""
    monkeypatch.setattr(web, "is_private", lambda host: host != "localhost")
    return faulty_http.endpoint.replace("127.0.0.1", "localhost")


@pytest.mark.servers
@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_a_public_host_does_not_send_us_to_a_private_one(faulty_http: FaultyHttp, outside: str, status: int) -> None:
    faulty_http.usual = Answer(status, b"", {"Location": f"{faulty_http.endpoint}/secret.pdf"})
    (ref,) = list_source(f"{outside}/a.pdf")
    assert ref.failure is not None
    assert (ref.failure.code, "private host 127.0.0.1" in ref.failure.message) == ("permission_denied", True)
    with pytest.raises(SourceError, match="private host"):
        read_bytes(found(f"{outside}/a.pdf"))
    assert {path for _, path, _ in faulty_http.seen} == {"/a.pdf"}


@pytest.mark.servers
@pytest.mark.parametrize(
    ("redirects", "source", "target", "followed"),
    [
        ("public", "localhost", "localhost", True),
        ("public", "127.0.0.1", "127.0.0.1", True),
        ("public", "localhost", "127.0.0.1", False),
        ("same-host", "localhost", "localhost", True),
        ("same-host", "127.0.0.1", "localhost", False),
        ("any", "localhost", "127.0.0.1", True),
    ],
)
@pytest.mark.usefixtures("outside")
def test_which_redirections_are_followed(faulty_http: FaultyHttp, redirects: str, source: str, target: str, followed: bool) -> None:
    here, there = (faulty_http.endpoint.replace("127.0.0.1", host) for host in (source, target))
    faulty_http.script.append(Answer(302, b"", {"Location": f"{there}/b.pdf"}))
    if not followed:
        faulty_http.script *= 2  # a refusal to HEAD may be one to GET too
    (ref,) = list_source(f"{here}/a.pdf", bound=Reach(redirects))
    assert (ref.uri, ref.failure is None) == (f"{here}/a.pdf", followed), "the row keeps its address"
    assert ref.failure is None or ref.failure.code == "permission_denied"


@pytest.mark.servers
def test_a_private_host_is_asked_where_it_is_a_source_and_not_where_a_list_names_it(faulty_http: FaultyHttp, tmp_path: Path) -> None:
    faulty_http.usual = Answer(200, PDF, {"Content-Type": "application/pdf"})
    url = f"{faulty_http.endpoint}/a.pdf"
    (tmp_path / "list.txt").write_text(f"{url}\n")
    (tmp_path / "index.cdxj").write_text(
        'org,example)/ 20260101000000 {"url": "http://example.org/", "mime": "application/pdf", '
        f'"filename": "{faulty_http.endpoint}/a.warc.gz", "offset": "0", "length": "9"}}\n'
    )
    (tmp_path / "good.pdf").write_bytes(PDF)
    lists = [f"@{tmp_path / 'list.txt'}", str(tmp_path / "index.cdxj"), str(tmp_path / "good.pdf")]
    refused = index(tmp_path, *lists)
    assert sorted(refused.values(), key=str) == [("failed", "permission_denied")] * 2 + [("ok", None)]
    assert faulty_http.seen == []
    told = read_tables((tmp_path / "out").as_uri())["documents"].column("error_message").to_pylist()
    assert sum("private host 127.0.0.1" in message and "--redirects any" in message for message in told if message) == 2
    assert index(tmp_path, *lists[::2], f"{faulty_http.endpoint}/b.pdf")["a.pdf"] == ("ok", None), "its host is a source"
    assert index(tmp_path, *lists[::2], "--redirects", "any")["a.pdf"] == ("ok", None)


@pytest.mark.servers
def test_a_list_on_the_web_names_nothing_of_this_machine_and_is_not_quoted(faulty_http: FaultyHttp, tmp_path: Path) -> None:
    """Each line is a row by its number; what a file of this machine holds, and what the list says instead of a source, are in no table."""
    hush = tmp_path / "hush.txt"
    hush.write_text("root:x:0:0:secret\n")
    (tmp_path / "a.pdf").write_bytes(PDF)
    good = f"{faulty_http.endpoint}/good.pdf"
    lines = [
        f"@{hush}",
        f"{tmp_path}/a.pdf",
        f"file://{tmp_path}/a.pdf",
        f"inventory+{hush}",
        "ftp://quoted/x",
        "# remark",
        "<b>quoted</b>",
        good,
    ]
    faulty_http.usual = Answer(200, "\n".join(lines).encode(), {})
    refs = list(list_source(f"@{faulty_http.endpoint}/list", bound=Reach.of_sources("public", [f"@{faulty_http.endpoint}/list"])))
    assert [ref.uri.partition("#")[2] for ref in refs] == ["line=1", "line=2", "line=3", "line=4", "line=5", "line=7", ""]
    assert {ref.failure.code for ref in refs[:-1] if ref.failure} == {"bad_source"}
    assert refs[-1].uri == good
    assert not any(word in repr(refs) for word in ("secret", "quoted", str(tmp_path)))
    allowed = list(list_source(f"@{faulty_http.endpoint}/list", bound=Reach("any")))
    assert f"file://{tmp_path}/a.pdf" in [ref.uri for ref in allowed]


def test_a_dead_host_is_waited_for_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Urls of a few hosts that nobody listens at: those of each host fail together, and no host is asked again for each of its urls."""
    asked: list[str] = []

    def refused(connection: urllib3.connection.HTTPConnection) -> None:
        asked.append(f"{connection.host}:{connection.port}")
        raise urllib3.exceptions.NewConnectionError(connection, "refused")

    monkeypatch.setattr(web._Connection, "connect", refused)
    monkeypatch.setattr(web, "_DEAD", {})
    hosts = [f"http://127.0.0.1:{port}" for port in (9, 10, 11)]
    urls = [f"{host}/{number}.pdf" for host in hosts for number in range(40)]
    refs = list(list_sources(urls, Reach("any")))
    assert [ref.uri for ref in refs] == urls, "in their order"
    assert {ref.failure.code for ref in refs if ref.failure} == {"store_error"}
    assert all(ref.failure for ref in refs)
    tries = 2 * SETTINGS.attempts  # HEAD is followed by nothing where no answer came
    assert len(asked) <= 3 * sources._URLS_AT_ONCE * tries
    asked.clear()
    assert [ref.failure is None for ref in list_sources(urls[:3], Reach("any"))] == [False] * 3
    assert asked == []


@pytest.mark.servers
def test_a_name_that_leads_elsewhere_the_second_time_is_seen_through(faulty_http: FaultyHttp, outside: str) -> None:
    """DNS rebinding: the name was public when it was looked at, and the connection arrives at this machine."""
    bound = Reach.of_sources("public", ["@list.txt"])
    (ref,) = list_source(f"{outside}/a.pdf", bound=bound)
    assert ref.failure is not None
    assert (ref.failure.code, "private host localhost" in ref.failure.message) == ("permission_denied", True)
    with pytest.raises(SourceError, match="private host"):
        read_bytes(found(f"{outside}/a.pdf"), bound=bound)
    assert faulty_http.seen == []


@pytest.mark.servers
def test_a_crawl_s_list_does_not_send_us_to_a_private_host(faulty_http: FaultyHttp, tmp_path: Path) -> None:
    (tmp_path / "feed.txt").write_text(f"{faulty_http.endpoint}/a.pdf\n")
    config = tmp_path / "crawl.toml"
    config.write_text(f'sources = ["@{tmp_path}/feed.txt"]\noutput = "{tmp_path}/out"\n')
    report = tmp_path / "report.json"
    assert run(["crawl", str(config), "--report", str(report)]) == 2
    assert "private host 127.0.0.1" in report.read_text()
    assert faulty_http.seen == []
    config.write_text(config.read_text() + '[options]\nredirects = "any"\n')
    run(["crawl", str(config), "--report", str(report)])
    assert "private host" not in report.read_text()
    assert faulty_http.seen


@pytest.mark.parametrize(
    ("host", "private"),
    [
        ("127.0.0.1", True),
        ("10.1.2.3", True),
        ("169.254.169.254", True),
        ("100.64.0.1", True),
        ("0.0.0.0", True),
        ("::1", True),
        ("fe80::1", True),
        ("fd00::1", True),
        ("::ffff:10.0.0.1", True),
        ("::ffff:8.8.8.8", False),
        ("64:ff9b::7f00:1", True),
        ("64:ff9b::8.8.8.8", False),
        ("64:ff9b:1::8.8.8.8", True),
        ("2002:7f00:1::1", True),
        ("2002:808:808::1", False),
        ("::10.0.0.1", True),
        ("::ffff:0:169.254.169.254", True),
        ("fec0::1", True),
        ("168.63.129.16", True),
        ("64:ff9b::168.63.129.16", True),
        ("192.0.0.192", True),
        ("localhost", True),
        ("8.8.8.8", False),
        ("2001:4860:4860::8888", False),
        ("no-such-host.invalid", False),
        ("", False),
    ],
)
def test_what_is_private(host: str, private: bool) -> None:
    assert web.is_private(host) is private


# secrets in urls

SECRETS = [
    "X-Amz-Signature",
    "X-Amz-Security-Token",
    "X-Goog-Signature",
    "sig",
    "Signature",
    "token",
    "access_token",
    "api_key",
    "password",
]


@pytest.mark.parametrize("name", SECRETS)
def test_secrets_of_a_url_are_read_by_and_not_shown(name: str) -> None:
    url = f"https://host/a.pdf?page=2&{name}=hush&x=1"
    ref = found(url)
    assert ref.address == url
    assert "hush" not in ref.uri + repr(ref) + ref.name() + SourceError("not_found", f"{url}: gone").message
    assert ref.uri.startswith(f"https://host/a.pdf?page=2&{name}=redacted")
    assert ref.uri.endswith("&x=1")
    assert ref.doc_id == document_id(ref.uri)
    assert DocumentRef.of_uri(ref.uri).uri == ref.uri, "what is redacted stays as it is"


def test_a_signature_does_not_change_the_id_and_a_token_does() -> None:
    def ids(name: str) -> int:
        return len({found(f"https://host/a.pdf?{name}={value}").doc_id for value in ("one", "two")})

    assert (ids("X-Amz-Signature"), ids("token"), ids("page")) == (1, 2, 2)


@pytest.mark.parametrize(
    "uri", ["s3://b/a?sig=x.pdf", "gs://b/http://host/a?token=1", "file:///a%3Fsig=1.pdf", "https://host/a.pdf?design=1&tokens=2"]
)
def test_other_addresses_are_as_they_are(uri: str) -> None:
    assert (found(uri).uri, found(uri).secret_uri) == (uri, None)


@pytest.mark.servers
def test_no_secret_stands_in_what_a_run_writes(http_server: tuple[str, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    endpoint, folder = http_server
    (folder / "a.pdf").write_bytes(PDF)
    login = endpoint.replace("http://", "http://me:hush@")
    sources = [f"{endpoint}/a.pdf?sig=hush", f"{endpoint}/missing.pdf?token=hush", f"{login}/a.pdf", f"{login}/b.pdf?x-amz-signature=hush"]
    seen = index(tmp_path, *sources)
    assert [seen["a.pdf?sig=redacted"], seen["a.pdf"]] == [("ok", None), ("failed", "bad_source")]
    told = capsys.readouterr()
    assert "hush" not in told.out + told.err
    written = [path for path in (tmp_path / "out").rglob("*") if path.is_file()]
    assert any(path.name == "run.json" for path in written)
    assert all(b"hush" not in path.read_bytes() for path in written)
    columns = read_tables((tmp_path / "out").as_uri())["documents"]
    assert "hush" not in str(columns.to_pylist())


def test_a_source_named_twice_with_two_signatures_is_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(web, "_headers", lambda url: {"Content-Length": "3"})
    assert len(list(list_sources(["https://host/a.pdf?sig=1", "https://host/a.pdf?sig=2"]))) == 1
