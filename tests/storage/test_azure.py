"""Azure Blob Storage: who asks, and what its service says; what all stores have in common stands in `test_stores.py`."""

from __future__ import annotations

import gzip
import sys
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from types import ModuleType

import pytest
from azure.core.exceptions import ServiceRequestError
from azure.storage.blob import AccountSasPermissions, ContentSettings, ResourceTypes, generate_account_sas
from msgspec.structs import replace

from pdfmill.transforms.storage import azure
from pdfmill.transforms.storage.access import USUAL
from pdfmill.transforms.storage.addresses import found
from pdfmill.transforms.storage.errors import SourceError
from pdfmill.transforms.storage.objects import list_files, move_file, open_stream, read_bytes, read_file, write_bytes
from pdfmill.transforms.storage.sessions import forget_clients
from pdfmill.transforms.storage.sources import list_source
from tests.servers import Answer, AzureServer, FaultyHttp, environment_of

pytestmark = pytest.mark.servers
WHOLE = b"%PDF-1.7 whole"


def failure(spec: str) -> tuple[str, str]:
    (ref,) = list_source(spec)
    assert ref.failure is not None
    assert ref.uri == spec
    return ref.failure.code, ref.failure.message


def code_of(uri: str) -> str:
    with pytest.raises(SourceError) as error:
        read_bytes(found(uri))
    return error.value.code


def environments(server: AzureServer) -> dict[str, dict[str, str]]:
    """Every way in which the environment may name an account that can read and write."""
    soon = datetime.now(UTC) + timedelta(hours=1)
    permission = AccountSasPermissions(read=True, write=True, delete=True, list=True, add=True, create=True)
    token = generate_account_sas(server.account, server.key, ResourceTypes(service=True, container=True, object=True), permission, soon)
    place = {"AZURE_STORAGE_ACCOUNT": server.account, "AZURE_STORAGE_SERVICE_ENDPOINT": server.url}
    account = f"DefaultEndpointsProtocol=http;AccountName={server.account};AccountKey={server.key};BlobEndpoint={server.url}"
    return {
        "connection string": {"AZURE_STORAGE_CONNECTION_STRING": account},
        "signature": {**place, "AZURE_STORAGE_SAS_TOKEN": token},
        "signature with its mark": {**place, "AZURE_STORAGE_SAS_TOKEN": "?" + token},
    }


@pytest.mark.parametrize("way", ["connection string", "signature", "signature with its mark"])
def test_ways_to_name_the_account(azure_server: AzureServer, monkeypatch: pytest.MonkeyPatch, way: str) -> None:
    folder = f"az://{azure_server.make_bucket()}/out"
    with environment_of(environments(azure_server)[way], monkeypatch):
        write_bytes(f"{folder}/a.pdf", WHOLE)
        move_file(f"{folder}/a.pdf", f"{folder}/b/a.pdf")
        assert list_files(folder, "") == [f"{folder}/b/a.pdf"]
        assert read_file(f"{folder}/b/a.pdf") == WHOLE


@pytest.mark.parametrize("change", [{"AZURE_STORAGE_KEY": "d3Jvbmc="}, {"AZURE_STORAGE_KEY": ""}])
def test_a_wrong_key_and_none_are_told_as_no_permission(
    azure_server: AzureServer, monkeypatch: pytest.MonkeyPatch, change: dict[str, str]
) -> None:
    bucket = azure_server.make_bucket({"a.pdf": WHOLE})
    environment = {name: value for name, value in {**azure_server.environment, **change}.items() if value}
    with environment_of(environment, monkeypatch):
        for spec in (f"az://{bucket}/a.pdf", f"az://{bucket}/"):
            code, message = failure(spec)
            # who shows no key at all is not told what there is
            assert code in (
                ("permission_denied",) if change["AZURE_STORAGE_KEY"] else ("permission_denied", "no_such_bucket", "not_found")
            ), message
            assert "\n" not in message
        with pytest.raises(SourceError):
            write_bytes(f"az://{bucket}/b", b"")


def test_a_public_container_needs_no_key(azure_server: AzureServer, monkeypatch: pytest.MonkeyPatch) -> None:
    bucket = azure_server.make_bucket({"a.pdf": WHOLE}, public=True)
    unsigned = {name: value for name, value in azure_server.environment.items() if "KEY" not in name}
    with environment_of(unsigned, monkeypatch):
        (ref,) = list_source(f"az://{bucket}/")
        assert read_bytes(ref) == WHOLE


def test_the_identity_of_the_machine_is_asked_where_its_package_is(monkeypatch: pytest.MonkeyPatch) -> None:
    package = ModuleType("azure.identity")
    package.DefaultAzureCredential = lambda: "who I am"  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "azure.identity", package)
    with environment_of({"AZURE_STORAGE_ACCOUNT": "a"}, monkeypatch):
        assert azure._credential(USUAL, "a") == "who I am"


def test_no_account_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    with environment_of({"AZURE_STORAGE_ACCOUNT": ""}, monkeypatch):
        code, message = failure("az://b/a.pdf")
    assert (code, "AZURE_STORAGE_CONNECTION_STRING" in message) == ("bad_source", True)


def test_folders_of_hierarchical_accounts_are_no_documents(azure_server: AzureServer) -> None:
    bucket = azure_server.make_bucket({"a/b.pdf": WHOLE})
    azure_server.client().get_blob_client(bucket, "a.pdf").upload_blob(b"", metadata={"hdi_isfolder": "true"})
    assert [ref.uri for ref in list_source(f"az://{bucket}/")] == [f"az://{bucket}/a/b.pdf"]
    assert [ref.uri for ref in list_source(f"az://{bucket}/**/*.pdf")] == [f"az://{bucket}/a/b.pdf"]


def test_a_container_name_that_cannot_be(azure_server: AzureServer) -> None:
    code, message = failure("az://No_Good/a.pdf")
    assert code == "bad_source", message


def test_a_blob_that_is_stored_compressed_is_read_as_it_is_stored(azure_server: AzureServer) -> None:
    bucket = azure_server.make_bucket()
    settings = ContentSettings(content_encoding="gzip")
    azure_server.client().get_blob_client(bucket, "a.pdf").upload_blob(gzip.compress(WHOLE), content_settings=settings)
    (ref,) = list_source(f"az://{bucket}/a.pdf")
    assert gzip.decompress(read_bytes(ref)) == WHOLE


def test_listings_of_many_pages(azure_server: AzureServer, monkeypatch: pytest.MonkeyPatch) -> None:
    wanted = [f"{number:02}.pdf" for number in range(1, 24)]
    bucket = azure_server.make_bucket(dict.fromkeys(wanted, b""))
    monkeypatch.setattr(azure, "SETTINGS", replace(azure.SETTINGS, page_size=10))
    assert [ref.uri.rpartition("/")[2] for ref in list_source(f"az://{bucket}/")] == wanted
    assert [ref.uri.rpartition("/")[2] for ref in list_source(f"az://{bucket}/*")] == wanted


BUSY = Answer(503, b"", {"x-ms-error-code": "ServerBusy"})
HEADERS = {
    "ETag": '"e1"',
    "Last-Modified": "Sat, 21 Nov 2026 08:00:00 GMT",
    "x-ms-blob-type": "BlockBlob",
    "Content-Range": "bytes 0-13/14",
}


@pytest.fixture
def faulty_azure(faulty_http: FaultyHttp, monkeypatch: pytest.MonkeyPatch) -> Iterator[FaultyHttp]:
    monkeypatch.setattr("pdfmill.transforms.storage.settings.time.sleep", lambda _seconds: None)
    faulty_http.usual = Answer(206, WHOLE, HEADERS)
    with environment_of(AzureServer(faulty_http.endpoint).environment, monkeypatch):
        yield faulty_http


@pytest.mark.parametrize("busy", [BUSY, replace(BUSY, status=429), replace(BUSY, status=500)])
def test_throttling_is_waited_out(faulty_azure: FaultyHttp, busy: Answer) -> None:
    faulty_azure.script.extend([busy, busy, Answer(200, WHOLE, HEADERS)])
    (ref,) = list_source("az://bucket/a.pdf")
    faulty_azure.script.extend([busy, busy, busy])
    assert read_bytes(ref) == WHOLE
    assert [headers["If-Match"] for method, _, headers in faulty_azure.seen if method == "GET"] == ['"e1"'] * 4


def test_throttling_without_end_is_an_error(faulty_azure: FaultyHttp) -> None:
    faulty_azure.usual = BUSY
    assert code_of("az://bucket/a.pdf") == "store_error"
    assert len(faulty_azure.seen) == azure.SETTINGS.attempts


def test_refusals_are_not_tried_again(faulty_azure: FaultyHttp) -> None:
    faulty_azure.usual = Answer(403, b"", {"x-ms-error-code": "AuthorizationPermissionMismatch"})
    assert code_of("az://bucket/a.pdf") == "permission_denied"
    assert len(faulty_azure.seen) == 1


def test_an_answer_that_breaks_off_is_asked_for_again(faulty_azure: FaultyHttp) -> None:
    faulty_azure.script.append(replace(faulty_azure.usual, cut=5))
    assert read_bytes(found("az://bucket/a.pdf")) == WHOLE


def test_a_stream_that_breaks_off_is_our_error(azure_server: AzureServer, monkeypatch: pytest.MonkeyPatch) -> None:
    class Broken:
        def read(self, size: int = -1) -> bytes:
            raise ServiceRequestError("gone")

    class Blob:
        def download_blob(self, **_options: object) -> Broken:
            return Broken()

    monkeypatch.setattr(azure, "_blob", lambda at: Blob())
    with pytest.raises(SourceError, match="gone"), open_stream("az://bucket/a.warc") as stream:
        stream.read(10)


def test_a_copy_that_fails_leaves_the_source(azure_server: AzureServer, monkeypatch: pytest.MonkeyPatch) -> None:
    bucket = azure_server.make_bucket({"a": WHOLE})
    monkeypatch.setattr(azure, "SETTINGS", replace(azure.SETTINGS, copy_deadline_s=0.0))
    blob = azure._blob

    class Slow:
        def __init__(self, at: object) -> None:
            self.url = blob(at).url

        def start_copy_from_url(self, _url: str) -> dict[str, str]:
            return {"copy_status": "pending"}

    monkeypatch.setattr(azure, "_blob", Slow)
    with pytest.raises(SourceError, match="pending"):
        move_file(f"az://{bucket}/a", f"az://{bucket}/b")
    monkeypatch.setattr(azure, "_blob", blob)
    forget_clients()
    assert read_file(f"az://{bucket}/a") == WHOLE
