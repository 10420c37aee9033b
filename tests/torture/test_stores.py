"""The main job over stores that fail: tables as from a sound store where retries help, a row or a clear end where they do not."""

from __future__ import annotations

import os
import resource
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from tests.invariants import assert_same_tables, check_invariants, read_tables
from tests.pdf.make import make_pdf
from tests.servers import STORE_SERVERS, AzureServer, GcsServer, S3Server
from tests.torture.faults import Faults, faulty_proxy

pytestmark = pytest.mark.servers
Server = S3Server | GcsServer | AzureServer

DOCUMENTS = {f"in/{number:02d}.pdf": make_pdf(pages=1 + number % 3, text=f"Letter {number}") for number in range(16)}


def index(*argv: str, server: Server | None = None, before: Callable[[], None] | None = None) -> tuple[int, str]:
    """Exit code and all output. server: where the store is, if not where the environment says."""
    environment = {**os.environ, **(server.environment if server else {})}
    done = subprocess.run(
        [sys.executable, "-m", "pdfmill", "index", *argv],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        preexec_fn=before,
        timeout=300,
    )
    return done.returncode, done.stdout + done.stderr


@pytest.mark.parametrize("name", ["s3_server", "strict_gcs_server", "azure_server"])
def test_throttling_broken_connections_and_slow_answers_change_nothing(name: str, request: pytest.FixtureRequest) -> None:
    server, scheme = request.getfixturevalue(name), STORE_SERVERS[name]
    source, out = f"{scheme}://{server.make_bucket(DOCUMENTS)}/in/", f"{scheme}://{server.make_bucket()}"
    assert index(source, "--output", f"{out}/sound")[0] == 0
    faults = Faults(throttle=0.2, cut=0.2, delay_s=0.02)
    with faulty_proxy(server.endpoint, faults) as endpoint:
        code, told = index(source, "--output", f"{out}/faulty", server=replace(server, endpoint=endpoint))
    assert code == 0, told
    assert faults.seen["throttled"] > 3
    assert faults.seen["cut"] > 1
    assert_same_tables(read_tables(f"{out}/sound"), read_tables(f"{out}/faulty"))


def test_a_store_that_refuses_to_take_more_ends_the_job_clearly(s3_server: S3Server) -> None:
    source, out = f"s3://{s3_server.make_bucket(DOCUMENTS)}/in/", f"s3://{s3_server.make_bucket()}/out"
    with faulty_proxy(s3_server.endpoint, Faults(refuse_puts_from=2)) as endpoint:
        code, told = index(source, "--output", out, server=S3Server(endpoint))
    assert code == 2, told
    assert "Traceback" not in told
    assert "permission_denied" in told
    assert out.removeprefix("s3://") in told
    code, told = index(source, "--output", out)
    assert code == 0, told
    check_invariants(read_tables(out), inputs=len(DOCUMENTS))


def test_objects_that_change_or_vanish_after_the_listing(s3_server: S3Server, tmp_path: Path) -> None:
    bucket = s3_server.make_bucket(DOCUMENTS)
    changed, gone = "in/07.pdf", "in/11.pdf"
    faults = Faults(delay_s=0.3)

    def change() -> None:
        time.sleep(0.1)
        while not faults.seen["listed"]:
            time.sleep(0.02)
        s3_server.put(bucket, changed, make_pdf(text="another"))
        s3_server.client().delete_object(Bucket=bucket, Key=gone)

    with listing_proxy(s3_server.endpoint, faults) as endpoint:
        thread = threading.Thread(target=change)
        thread.start()
        code, told = index(f"s3://{bucket}/in/", "--output", str(tmp_path / "out"), server=S3Server(endpoint))
        thread.join()
    assert code == 1, told
    tables = read_tables((tmp_path / "out").as_uri())
    check_invariants(tables, inputs=len(DOCUMENTS))
    bad = {
        row["source_uri"].partition("/in/")[2]: (row["status"], row["error_code"])
        for row in tables["documents"].to_pylist()
        if row["status"] != "ok"
    }
    assert bad == {"07.pdf": ("failed", "changed"), "11.pdf": ("failed", "not_found")}


def listing_proxy(endpoint: str, faults: Faults):  # type: ignore[no-untyped-def]
    """As `faulty_proxy`, and `seen` tells when a listing was answered: what is read waits until it was."""
    return faulty_proxy(endpoint, faults)


def small_files_only() -> None:
    """What a full disk does to a file: it takes the first bytes and no more."""
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (6000, 6000))


def test_a_full_disk_ends_the_job_clearly_and_leaves_no_half_file(tmp_path: Path) -> None:
    source, out = tmp_path / "in", tmp_path / "out"
    source.mkdir()
    for name, data in DOCUMENTS.items():
        (source / Path(name).name).write_bytes(data)
    code, told = index(str(source), "--output", str(out), before=small_files_only)
    assert code == 2, told
    assert "Traceback" not in told
    assert "store_error" in told
    assert [path for path in out.rglob("*") if path.is_file() and path.suffix != ".parquet"] == []
    assert index(str(source), "--output", str(out))[0] == 0
    check_invariants(read_tables(out.as_uri()), inputs=len(DOCUMENTS))
