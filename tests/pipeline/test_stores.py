"""The main job from real stores to real stores: what is there is read, what is not is a row, and everything else goes on."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from samples.typeset import SAMPLES
from tests.invariants import assert_same_tables, check_invariants, read_tables
from tests.servers import AzureServer, GcsServer, S3Server

pytestmark = pytest.mark.servers


@pytest.fixture
def objects(samples: Path) -> dict[str, bytes]:
    """The samples as a bucket has them."""
    return {f"in/{path.name}": path.read_bytes() for path in samples.iterdir()}


def index(*argv: str) -> tuple[int, str]:
    """Exit code and all output of a run in a process of its own: the guarded readers keep the environment they were started in."""
    done = subprocess.run([sys.executable, "-m", "pdfmill", "index", *argv], env=os.environ, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout + done.stderr


EXPECTED = {
    "paper.pdf": ("ok", None),
    "report.pdf": ("ok", None),
    "letter.pdf": ("ok", None),
    "scan.pdf": ("ok", None),
    "encrypted.pdf": ("encrypted", "password_needed"),
    "web-page.pdf": ("not_pdf", "not_pdf"),
    "empty.pdf": ("failed", "empty"),
    "missing.pdf": ("failed", "not_found"),
    "nowhere.pdf": ("failed", "no_such_bucket"),
}


def outcomes(output: str, source: str) -> dict[str, tuple[str, str | None]]:
    """Status and reason of each document of one source, by name, after a look at the invariants."""
    tables = read_tables(output)
    check_invariants(tables)
    rows = [row for row in tables["documents"].to_pylist() if row["source_uri"].startswith(source)]
    return {row["source_uri"].rpartition("/")[2]: (row["status"], row["error_code"]) for row in rows}


def test_from_s3_gcs_and_http_into_s3(
    strict_s3_server: S3Server,
    strict_gcs_server: GcsServer,
    http_server: tuple[str, Path],
    objects: dict[str, bytes],
) -> None:
    s3, gs = f"s3://{strict_s3_server.make_bucket(objects)}", f"gs://{strict_gcs_server.make_bucket(objects)}"
    web, folder = http_server
    (folder / "letter.pdf").write_bytes(objects["in/letter.pdf"])
    output = f"s3://{strict_s3_server.make_bucket()}/tables"
    sources = [f"{s3}/in/", f"{gs}/in/*.pdf", f"{web}/letter.pdf"]
    missing = [
        f"{s3}/missing.pdf",
        f"{gs}/missing.pdf",
        f"{web}/missing.pdf",
        "s3://no-such-bucket-here/nowhere.pdf",
        "gs://no-such-bucket/nowhere.pdf",
    ]
    code, told = index(*sources, *missing, "--output", output)
    assert code == 1, told
    assert all(address in told for address in missing)
    for store in ("s3://", "gs://"):
        seen = outcomes(output, store)
        assert seen.pop("damaged.pdf") == ("partial", "content_incomplete")
        assert seen == EXPECTED
    assert outcomes(output, web) == {"letter.pdf": ("ok", None), "missing.pdf": ("failed", "not_found")}
    etags = {row["source_uri"]: row["source_etag"] for row in read_tables(output)["documents"].to_pylist()}
    assert all(etags[f"{s3}/in/{name}"] and etags[f"{gs}/in/{name}"] for name in SAMPLES)


def test_gcs_to_gcs_gives_the_same_tables_with_one_and_two_workers(gcs_server: GcsServer, objects: dict[str, bytes]) -> None:
    source, out = gcs_server.make_bucket(objects), gcs_server.make_bucket()
    for output, extra in ((f"gs://{out}/one", []), (f"gs://{out}/two", ["--workers", "2"])):
        code, told = index(f"gs://{source}/in/", "--output", output, *extra)
        assert code == 1, told
    assert_same_tables(read_tables(f"gs://{out}/one"), read_tables(f"gs://{out}/two"))


def test_azure_to_azure(azure_server: AzureServer, objects: dict[str, bytes]) -> None:
    source, output = f"az://{azure_server.make_bucket(objects)}", f"az://{azure_server.make_bucket()}/tables"
    missing = [f"{source}/missing.pdf", "az://no-such-container/nowhere.pdf"]
    for _ in range(2):
        code, told = index(f"{source}/in/", *missing, "--output", output)
        assert code == 1, told
    seen = outcomes(output, "az://")
    assert seen.pop("damaged.pdf") == ("partial", "content_incomplete")
    assert seen == EXPECTED


def test_wrong_keys_and_no_place_to_write_are_told(
    strict_s3_server: S3Server, objects: dict[str, bytes], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bucket = strict_s3_server.make_bucket(objects)
    code, told = index(f"s3://{bucket}/in/letter.pdf", "--output", "s3://no-such-bucket-here/out")
    assert code == 2
    assert "no-such-bucket-here" in told
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "wrong")
    code, told = index(f"s3://{bucket}/in/", "--output", str(tmp_path / "out"))
    assert code == 2
    assert "permission_denied" in told
    assert outcomes(str(tmp_path / "out"), "s3://") == {"": ("failed", "permission_denied")}
