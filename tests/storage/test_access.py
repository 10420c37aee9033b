"""What real buckets ask for: who pays, keys of encryption, versions, classes, and other accounts and endpoints for each bucket."""

from __future__ import annotations

import base64
import os
import pickle
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from msgspec.structs import replace

from pdfmill.transforms.storage import access, s3
from pdfmill.transforms.storage.access import Access, Reach, Stores, carrying, load_stores
from pdfmill.transforms.storage.addresses import found
from pdfmill.transforms.storage.errors import SourceError
from pdfmill.transforms.storage.objects import list_files, look_up, move_file, open_file, read_bytes, read_file, write_bytes, write_new
from pdfmill.transforms.storage.sessions import forget_clients
from pdfmill.transforms.storage.sources import list_source
from pdfmill.transforms.storage.store import parse
from tests.crawl.help import tiny
from tests.servers import Answer, AzureServer, GcsServer, S3Server, free_port, gate_before, versitygw

REFUSED = Answer(403, b"<Error><Code>AccessDenied</Code><Message>Access Denied</Message></Error>", {"Content-Type": "application/xml"})


@pytest.fixture(autouse=True)
def nothing_said() -> Iterator[None]:
    """Each test begins and ends without stores."""
    forget_clients()
    yield
    forget_clients()


def stores_file(tmp_path: Path, text: str) -> str:
    path = tmp_path / "stores.toml"
    path.write_text(text)
    return str(path)


@pytest.fixture
def second_server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[S3Server]:
    """Another strict server, with other keys, which stand in the environment behind OTHER_."""
    server = S3Server(f"http://127.0.0.1:{free_port()}", "otherkey", "othersecret12")
    (tmp_path / "second").mkdir()
    with versitygw(server, tmp_path / "second"):
        for name, value in server.environment.items():
            monkeypatch.setenv(f"OTHER_{name}", value)
        yield server


@pytest.mark.servers
def test_source_and_output_with_different_accounts_in_one_job(
    strict_s3_server: S3Server, second_server: S3Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bucket = strict_s3_server.make_bucket({"a.pdf": tiny("text")})
    out = second_server.make_bucket()
    assert second_server.secret_key != strict_s3_server.secret_key
    stores = stores_file(tmp_path, f'[[store]]\nat = "s3://{out}/"\nvariables = "OTHER_"\n')
    command = [sys.executable, "-m", "pdfmill", "index", f"s3://{bucket}/", "--output", f"s3://{out}/tables", "--stores", stores]
    done = subprocess.run([*command, "--workers=2"], capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert [ref["Key"] for ref in strict_s3_server.client().list_objects_v2(Bucket=bucket)["Contents"]] == ["a.pdf"]
    monkeypatch.setenv(access.VARIABLE, stores)
    forget_clients()
    (part,) = [file for file in list_files(f"s3://{out}/tables", ".parquet") if "/documents/" in file]
    assert pq.read_table(open_file(look_up(part))).column("status").to_pylist() == ["ok"]
    report = subprocess.run([sys.executable, "-m", "pdfmill", "report", f"s3://{out}/tables"], capture_output=True, text=True)
    assert report.returncode == 0, report.stderr


@pytest.mark.servers
def test_a_profile_names_the_keys(
    strict_s3_server: S3Server, second_server: S3Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bucket = second_server.make_bucket({"a.pdf": b"there"})
    (tmp_path / "credentials").write_text("[partner]\naws_access_key_id = otherkey\naws_secret_access_key = othersecret12\n")
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", str(tmp_path / "credentials"))
    told = f'[[store]]\nat = "s3://{bucket}/"\nprofile = "partner"\nregion = "us-east-1"\nendpoint = "{second_server.endpoint}"\n'
    load_stores(stores_file(tmp_path, told))
    assert read_file(f"s3://{bucket}/a.pdf") == b"there"
    load_stores(stores_file(tmp_path, told.replace("partner", "nobody")))
    with pytest.raises(SourceError, match="nobody") as refused:
        read_file(f"s3://{bucket}/a.pdf")
    assert refused.value.code == "bad_source"


@pytest.mark.servers
def test_requester_pays(strict_s3_server: S3Server) -> None:
    """No server for tests bills anybody: what stands before a real one refuses, as S3 does, whatever does not offer to pay."""
    bucket = strict_s3_server.make_bucket({"a/1.pdf": b"one", "a/2.pdf": b"two"})
    with gate_before(strict_s3_server.endpoint) as gate:
        gate.stops = lambda method, path, headers: None if headers.get("x-amz-request-payer") == "requester" else REFUSED
        Stores((Access(f"s3://{bucket}/", endpoint=gate.endpoint),))
        (refused,) = list_source(f"s3://{bucket}/a/")
        assert refused.failure is not None
        assert refused.failure.code == "permission_denied"
        assert not gate.seen
        Stores((Access(f"s3://{bucket}/", endpoint=gate.endpoint, requester_pays=True),))
        assert [read_bytes(ref) for ref in list_source(f"s3://{bucket}/a/")] == [b"one", b"two"]
        assert open_file(look_up(f"s3://{bucket}/a/1.pdf")).read() == b"one"
        write_bytes(f"s3://{bucket}/b", b"new")
        move_file(f"s3://{bucket}/b", f"s3://{bucket}/c")
        assert read_file(f"s3://{bucket}/c") == b"new"
    assert {method for method, _ in gate.seen} == {"GET", "HEAD", "PUT", "DELETE"}


@pytest.mark.servers
@pytest.mark.parametrize("kms_key", ["archive-key", ""])
def test_keys_of_the_service(encrypting_s3_server: S3Server, kms_key: str) -> None:
    bucket, client = encrypting_s3_server.make_bucket(), encrypting_s3_server.client()
    Stores((Access(f"s3://{bucket}/", kms_key=kms_key),))
    write_bytes(f"s3://{bucket}/a", b"sealed")
    write_bytes(f"s3://{bucket}/large", bytes(s3.SETTINGS.part_bytes + 1))
    write_new(f"s3://{bucket}/b", b"new")
    move_file(f"s3://{bucket}/a", f"s3://{bucket}/c")
    for key in ("large", "b", "c"):
        told = client.head_object(Bucket=bucket, Key=key)
        assert told["ServerSideEncryption"] == "aws:kms"
        assert told["SSEKMSKeyId"].endswith("archive-key")
    assert read_file(f"s3://{bucket}/c") == b"sealed"
    Stores((Access(f"s3://{bucket}/", kms_key="no-such-key"),))
    with pytest.raises(SourceError):
        write_bytes(f"s3://{bucket}/d", b"")


@pytest.mark.servers
def test_keys_of_the_customer(encrypting_s3_server: S3Server, monkeypatch: pytest.MonkeyPatch) -> None:
    bucket, key = encrypting_s3_server.make_bucket(), bytes(range(1, 33))
    monkeypatch.setenv("MY_KEY", base64.b64encode(key).decode())
    sealed = {"SSECustomerAlgorithm": "AES256", "SSECustomerKey": key}
    encrypting_s3_server.client().put_object(Bucket=bucket, Key="in/a.pdf", Body=b"sealed", **sealed)
    (refused,) = list_source(f"s3://{bucket}/in/")
    with pytest.raises(SourceError):
        read_bytes(refused)
    Stores((Access(f"s3://{bucket}/", customer_key="MY_KEY"),))
    (ref,) = list_source(f"s3://{bucket}/in/")
    assert read_bytes(ref) == b"sealed"
    assert open_file(look_up(ref.uri)).read() == b"sealed"
    write_bytes(f"s3://{bucket}/large", bytes(s3.SETTINGS.part_bytes + 1))
    write_new(f"s3://{bucket}/b", b"new")
    move_file(f"s3://{bucket}/b", f"s3://{bucket}/c")
    assert read_file(f"s3://{bucket}/c") == b"new"
    assert len(read_file(f"s3://{bucket}/large")) == s3.SETTINGS.part_bytes + 1
    Stores((Access(f"s3://{bucket}/"),))
    with pytest.raises(SourceError):
        read_file(f"s3://{bucket}/c")


@pytest.mark.servers
def test_a_large_object_goes_in_parts_and_a_lost_part_again_by_itself(strict_s3_server: S3Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(s3, "SETTINGS", replace(s3.SETTINGS, part_bytes=5 << 20))
    bucket, data = strict_s3_server.make_bucket(), os.urandom(1 << 20) * 12
    lost: list[str] = []

    def stops(method: str, path: str, _: object) -> Answer | None:
        if method == "PUT" and "partNumber=2" in path and len(lost) < 2:
            lost.append(path)
            return Answer(503, b"")
        return None

    with gate_before(strict_s3_server.endpoint) as gate:
        gate.stops = stops
        Stores((Access(f"s3://{bucket}/", endpoint=gate.endpoint),))
        write_bytes(f"s3://{bucket}/large", data)
        put = sorted(path.partition("partNumber=")[2].partition("&")[0] for method, path in gate.seen if method == "PUT")
    assert (len(lost), put) == (2, ["1", "2", "3"])
    assert strict_s3_server.client().get_object(Bucket=bucket, Key="large")["Body"].read() == data


@pytest.mark.servers
def test_versions_of_s3(strict_s3_server: S3Server) -> None:
    bucket, client = strict_s3_server.make_bucket(), strict_s3_server.client()
    client.put_bucket_versioning(Bucket=bucket, VersioningConfiguration={"Status": "Enabled"})
    first = client.put_object(Bucket=bucket, Key="a.pdf", Body=b"first")["VersionId"]
    client.put_object(Bucket=bucket, Key="a.pdf", Body=b"second one")
    plain = f"s3://{bucket}/a.pdf"
    _check_versions(plain, first)
    client.delete_object(Bucket=bucket, Key="a.pdf")
    assert read_file(f"{plain}?versionId={first}") == b"first"
    (missing,) = list_source(plain)
    assert missing.failure is not None


@pytest.mark.servers
def test_generations_of_gcs(strict_gcs_server: GcsServer) -> None:
    client = strict_gcs_server.client()
    bucket = client.bucket(f"versions-{os.getpid()}")
    bucket.versioning_enabled = True
    bucket = client.create_bucket(bucket)
    bucket.blob("a.pdf").upload_from_string(b"first")
    first = bucket.get_blob("a.pdf").generation
    bucket.blob("a.pdf").upload_from_string(b"second one")
    _check_versions(f"gs://{bucket.name}/a.pdf", str(first))
    (wrong,) = list_source(f"gs://{bucket.name}/a.pdf?versionId=first")
    assert wrong.failure is not None
    assert wrong.failure.code == "bad_source"


def _check_versions(plain: str, first: str) -> None:
    (old,), (new,) = list_source(f"{plain}?versionId={first}"), list_source(plain)
    assert (old.uri, new.uri) == (f"{plain}?versionId={first}", plain)
    assert (read_bytes(old), read_bytes(new)) == (b"first", b"second one")
    assert read_bytes(replace(old, etag=None, size=None)) == b"first"
    assert open_file(look_up(old.uri)).read() == b"first"
    assert old.doc_id != new.doc_id


def test_a_version_stays_with_its_object_and_names_no_folder() -> None:
    at = parse("s3://b/x/a.pdf?versionId=7")
    assert (at.uri, at.name, at.beside("x/b").uri, at.below("c").uri) == (
        "s3://b/x/a.pdf?versionId=7", "a.pdf", "s3://b/x/b", "s3://b/x/a.pdf/c",
    )  # fmt: skip
    assert parse("s3://b/?versionId=7/a").uri == "s3://b/?versionId=7/a"


@pytest.mark.servers
def test_what_is_archived_is_told_from_the_listing_and_not_asked_for(s3_server: S3Server) -> None:
    bucket, client = s3_server.make_bucket(), s3_server.client()
    for key, kind in (("a.pdf", "STANDARD"), ("b.pdf", "GLACIER"), ("c.pdf", "DEEP_ARCHIVE"), ("d.pdf", "GLACIER_IR")):
        client.put_object(Bucket=bucket, Key=key, Body=b"cold", StorageClass=kind)
    with gate_before(s3_server.endpoint) as gate:
        Stores((Access(f"s3://{bucket}/", endpoint=gate.endpoint),))
        refs = list(list_source(f"s3://{bucket}/"))
        assert [ref.archived for ref in refs] == [False, True, True, False]
        gate.seen.clear()
        for ref in refs[1:3]:
            with pytest.raises(SourceError, match="archive storage class") as cold:
                read_bytes(ref)
            assert cold.value.code == "archived"
        assert not gate.seen
        assert [read_bytes(ref) for ref in (refs[0], refs[3])] == [b"cold", b"cold"]
        with pytest.raises(SourceError) as unlisted:  # as in Intelligent-Tiering, whose tier no listing tells
            read_bytes(replace(refs[1], archived=False))
        assert unlisted.value.code == "archived"
        assert look_up(refs[1].uri).archived
    client.restore_object(Bucket=bucket, Key="b.pdf", RestoreRequest={"Days": 1})
    assert not look_up(f"s3://{bucket}/b.pdf").archived
    assert read_bytes(look_up(f"s3://{bucket}/b.pdf")) == b"cold"


def test_what_a_listing_says_of_a_restored_copy() -> None:
    """moto 5.2 lists no RestoreStatus; these are answers as S3's reference has them."""
    cold = {"Key": "a", "StorageClass": "GLACIER"}
    assert s3._is_archived(cold)
    assert s3._is_archived({**cold, "RestoreStatus": {"IsRestoreInProgress": True}})
    assert not s3._is_archived({**cold, "RestoreStatus": {"IsRestoreInProgress": False, "RestoreExpiryDate": "2026-12-01"}})
    assert s3._is_archived({**cold, "Restore": 'ongoing-request="true"'})


@pytest.mark.servers
def test_archived_blobs_of_azure(azure_server: AzureServer) -> None:
    container = azure_server.make_bucket({"a.pdf": b"cold", "b.pdf": b"warm"})
    azure_server.client().get_blob_client(container, "a.pdf").set_standard_blob_tier("Archive")
    cold, warm = list_source(f"az://{container}/")
    assert (cold.archived, warm.archived, read_bytes(warm)) == (True, False, b"warm")
    with pytest.raises(SourceError) as refused:
        read_bytes(replace(cold, archived=False))
    assert refused.value.code == "archived"
    azure_server.client().get_blob_client(container, "a.pdf").set_standard_blob_tier("Hot")
    assert read_bytes(look_up(cold.uri)) == b"cold"


@pytest.mark.servers
def test_two_endpoints_of_gcs(strict_gcs_server: GcsServer, gcs_emulator_process: GcsServer) -> None:
    here, there = strict_gcs_server.make_bucket({"a.pdf": b"here"}), gcs_emulator_process.make_bucket({"a.pdf": b"there"})
    Stores((Access(f"gs://{there}/", endpoint=gcs_emulator_process.endpoint),))
    assert (read_file(f"gs://{here}/a.pdf"), read_file(f"gs://{there}/a.pdf")) == (b"here", b"there")


@pytest.mark.servers
def test_gcs_is_told_which_project_pays(strict_gcs_server: GcsServer) -> None:
    """fake-gcs-server bills nobody: what stands before it refuses, as GCS does, whatever names no project."""
    bucket = strict_gcs_server.make_bucket({"a/1.pdf": b"one"})
    refused = Answer(400, b'{"error": {"code": 400, "message": "no user project"}}', {"Content-Type": "application/json"})
    with gate_before(strict_gcs_server.endpoint) as gate:
        gate.stops = lambda method, path, headers: None if "userProject=mine" in path else refused
        Stores((Access(f"gs://{bucket}/", endpoint=gate.endpoint, billed_project="mine"),))
        assert [read_bytes(ref) for ref in list_source(f"gs://{bucket}/a/")] == [b"one"]
        write_new(f"gs://{bucket}/b", b"new")
        assert open_file(look_up(f"gs://{bucket}/b")).read() == b"new"
    assert gate.seen


@pytest.mark.servers
def test_two_accounts_of_azure(azure_server: AzureServer, monkeypatch: pytest.MonkeyPatch) -> None:
    container = azure_server.make_bucket({"a.pdf": b"mine"})
    for name, value in azure_server.environment.items():
        monkeypatch.setenv(f"OTHER_{name}", value)
    monkeypatch.setenv("AZURE_STORAGE_KEY", base64.b64encode(b"another").decode())
    monkeypatch.delenv("AZURE_STORAGE_SERVICE_ENDPOINT")
    monkeypatch.setenv("AZURE_STORAGE_ACCOUNT", "nobody")
    Stores((Access(f"az://{container}/", variables="OTHER_"),))
    assert read_file(f"az://{container}/a.pdf") == b"mine"


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ('[[store]]\nat = "s3://b/"\nregoin = "x"', "regoin"),
        ('[[store]]\nat = "file:///x"', "must begin with s3://"),
        ('[[store]]\nat = "gs://b/"\nkms_key = "k"', "kms_key: has no effect on gs://"),
        ('[[store]]\nat = "az://b/"\nrequester_pays = true', "requester_pays: has no effect"),
        ('[[store]]\nat = "s3://b/"\nrequester_pays = "yes"', "bool"),
        ('[[store]]\nat = "s3://b/"\nkms_key = "k"\ncustomer_key = "K"', "exclude each other"),
        ('[stores]\nat = "s3://b/"', "may only contain [[store]] tables"),
        ("[[store]", "is not a valid file"),
    ],
)
def test_what_a_file_of_stores_must_not_say(tmp_path: Path, text: str, why: str) -> None:
    with pytest.raises(SourceError) as refused:
        load_stores(stores_file(tmp_path, text))
    assert refused.value.code == "bad_source"
    assert why in refused.value.message


def test_a_key_of_a_customer_that_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SHORT", base64.b64encode(b"short").decode())
    Stores((Access("s3://b/", customer_key="SHORT"),))
    with pytest.raises(SourceError, match="SHORT must contain a key of 32 bytes"):
        read_bytes(found("s3://b/a.pdf"))


def test_the_longest_beginning_counts() -> None:
    told = Stores((Access("s3://b/", region="one"), Access("s3://b/x/", region="two")))
    assert [told.of(parse(uri)).region for uri in ("s3://b/y", "s3://b/x/y", "s3://c/x")] == ["one", "two", None]


def test_workers_elsewhere_are_told(tmp_path: Path) -> None:
    """Another process that unpickles a step of a job asks stores as the command does."""
    Stores((Access("s3://b/", region="two"),))
    (tmp_path / "step").write_bytes(pickle.dumps(carrying(len)))
    code = (
        "import pickle, sys; from pdfmill.transforms.storage.access import stores\n"
        "step = pickle.load(open(sys.argv[1], 'rb')); print(step('abc'), stores().known[0].region)"
    )
    done = subprocess.run([sys.executable, "-c", code, str(tmp_path / "step")], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["3", "two"]


def test_which_hosts_may_have_private_addresses() -> None:
    named = Reach.of_sources("public", ["@https://Intranet/list.txt", "s3://b/", "https://other/a.pdf"])
    assert (named.redirects, named.hosts) == ("public", ("intranet", "other"))
    assert [named.may_be_private(host) for host in ("intranet", "INTRANET", "localhost")] == [True, True, False]
    assert Reach("any", ("intranet",)).may_be_private("localhost"), "any address may be asked"
    assert Reach().may_be_private("localhost"), "without sources a request names its own host"
    bound = Reach().from_url("https://Host/a.pdf")
    assert (bound.hosts, bound.may_be_private("host"), bound.may_be_private("localhost")) == (("host",), True, False)
    assert named.from_url("https://localhost/") is named
