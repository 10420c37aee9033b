"""The main job on a real Flink cluster, S3 in and out; its tables equal the local run's, whatever happens to a TaskManager."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from schemas.tables import TABLES
from tests.invariants import check_invariants, read_tables
from tests.pipeline.test_index import encrypted, letter, with_attachment
from tests.servers import S3Server, free_port
from tests.steps.test_metrics import COUNTED
from transforms.storage.objects import list_files

pytestmark = [pytest.mark.flink, pytest.mark.slow]

BOOK_PAGES = 300
JOB_S = 400.0


@pytest.fixture(scope="module")
def documents() -> dict[str, bytes]:
    """Letters, a book that is shared by all workers, and what cannot be read."""
    letters = {f"in/letter-{number:02d}.pdf": letter(1 + number % 3, note=f"of {number}") for number in range(18)}
    bad = {"in/secret.pdf": encrypted("open sesame"), "in/empty.pdf": b"", "in/notes.pdf": b"no PDF at all\n" * 20}
    return {**letters, **bad, "in/cover.pdf": with_attachment(letter(3, note="inner")), "in/book.pdf": letter(BOOK_PAGES)}


@pytest.fixture(scope="module")
def bucket(moto_process: S3Server, documents: dict[str, bytes]) -> str:
    """Address of a bucket with the documents under `in/`, and the local run's tables of them under `local/`."""
    address = f"s3://{moto_process.make_bucket(documents)}"
    done = index(moto_process, address, "local")
    assert done.returncode == 1, done.stderr
    return address


@pytest.fixture(scope="module")
def corpus_bucket(moto_process: S3Server, corpus: Path) -> str:
    """Address of a bucket with documents for what a PDF can hold, and the local run's tables of them under `local/`: every fourth of the
    corpus, for time; with `PDFMILL_WHOLE_CORPUS` set, all."""
    every = 1 if os.environ.get("PDFMILL_WHOLE_CORPUS") else 4
    files = {f"in/{path.name}": path.read_bytes() for path in sorted((corpus / "features" / "pdf").iterdir())[::every]}
    address = f"s3://{moto_process.make_bucket(files)}"
    done = index(moto_process, address, "local", "--workers", "2")
    assert done.returncode == 1, done.stderr
    return address


def index(server: S3Server, bucket: str, output: str, *flags: str) -> subprocess.CompletedProcess[str]:
    """`pdfmill index` as a user types it."""
    command = [sys.executable, "-m", "pipeline", "index", f"{bucket}/in/", "--output", f"{bucket}/{output}", "--shards", "4", *flags]
    environment = {**os.environ, **server.environment}
    return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=JOB_S, check=False)


def tables_of(bucket: str, output: str) -> dict[str, pa.Table]:
    tables = read_tables(f"{bucket}/{output}")
    return {**tables, "assets": tables["assets"].drop(["uri"])}  # which names the output folder


def assert_equal_tables(bucket: str, one: str, other: str) -> None:
    left, right = tables_of(bucket, one), tables_of(bucket, other)
    assert {name: table.num_rows for name, table in left.items()} == {name: table.num_rows for name, table in right.items()}
    for name, table in left.items():
        assert table.equals(right[name]), [name, *differences(table, right[name])]


def differences(one: pa.Table, other: pa.Table) -> list[tuple[str, int, str, str]]:
    """Column, row, and both values of the first place in each column where two tables differ."""
    found = []
    for column in one.column_names:
        left, right = one[column].to_pylist(), other[column].to_pylist()
        places = (number for number, pair in enumerate(zip(left, right, strict=True)) if pair[0] != pair[1])
        found += [(column, number, repr(left[number])[:200], repr(right[number])[:200]) for number in [*places][:1]]
    return found


def await_value(get: Callable[[], Any], seconds: float = JOB_S) -> Any:
    """The first true value of `get`; Flink's REST page may not be there yet, or lack a field."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        with suppress(OSError, KeyError):
            if value := get():
                return value
        time.sleep(0.1)
    raise AssertionError("waited in vain")


def running_job(flink: Any) -> str | None:
    return next((job["jid"] for job in flink.rest("jobs/overview")["jobs"] if job["state"] == "RUNNING"), None)


def reading_pages(flink: Any, job: str) -> bool:
    """The step that reads the book's further pages is at work."""
    return any("ReadRanges" in vertex["name"] and vertex["status"] == "RUNNING" for vertex in flink.rest(f"jobs/{job}")["vertices"])


def test_the_tables_equal_the_local_runs(flink, s3_server, bucket, documents):
    done = index(s3_server, bucket, "flink", *flink.flags)
    assert done.returncode == 1, done.stderr
    check_invariants(read_tables(f"{bucket}/flink"), inputs=len(documents))
    assert_equal_tables(bucket, "local", "flink")


@pytest.mark.corpus
def test_the_corpus_gives_equal_tables_here_on_beam_and_on_flink(flink, s3_server, corpus_bucket):
    for output, flags in (("direct", ["--runner", "DirectRunner"]), ("flink", flink.flags)):
        done = index(s3_server, corpus_bucket, output, *flags)
        assert done.returncode == 1, done.stderr
        assert_equal_tables(corpus_bucket, "local", output)


def test_workers_of_a_pool_beside_each_task_manager_give_the_same_tables(flink_with_pools, s3_server, bucket):
    done = index(s3_server, bucket, "pools", *flink_with_pools.flags)
    assert done.returncode == 1, done.stderr
    assert_equal_tables(bucket, "local", "pools")
    job = flink_with_pools.rest("jobs/overview")["jobs"][0]["jid"]
    assert metrics_on_the_page(flink_with_pools, job) == {step: {"in", "out", "failed", "msec"} for step in COUNTED}
    for number in (1, 2):
        assert "Starting worker" in flink_with_pools.log(f"pool-{number}").read_text(), f"pool {number} had no work"


def metrics_on_the_page(flink: Any, job: str) -> dict[str, set[str]]:
    """Names of our metrics by step, as Flink's page lists them under a job's accumulators."""
    (container,) = flink.rest(f"jobs/{job}/accumulators")["user-task-accumulators"]
    labels = [each["labels"] for each in json.loads(container["value"])["metrics"]["attempted"]]
    names: dict[str, set[str]] = {}
    for each in labels:
        if "NAMESPACE" in each:
            names.setdefault(each["NAMESPACE"], set()).add(each["NAME"])
    return names


def test_a_killed_task_manager_changes_nothing(flink, s3_server, bucket, documents):
    done: list[subprocess.CompletedProcess[str]] = []
    client = threading.Thread(target=lambda: done.append(index(s3_server, bucket, "killed", *flink.flags)))
    client.start()
    job = await_value(lambda: running_job(flink))
    await_value(lambda: reading_pages(flink, job))
    flink.kill_task_manager(1)
    flink.start_task_manager(1)
    client.join()
    assert done[0].returncode == 1, done[0].stderr
    assert flink.rest(f"jobs/{job}/exceptions")["exceptionHistory"]["entries"], "the job never noticed"
    check_invariants(read_tables(f"{bucket}/killed"), inputs=len(documents))
    assert_equal_tables(bucket, "local", "killed")
    written = [uri for table in TABLES for uri in list_files(f"{bucket}/killed/{table}", "")]
    assert len(written) == 4 * len(TABLES), "each part once and nothing beside them"


def test_a_job_that_the_engine_gives_up_is_told_apart(flink, s3_server, bucket):
    flags = [flag for flag in flink.flags if "job_endpoint" not in flag]
    done = index(s3_server, bucket, "lost", *flags, f"--job_endpoint=127.0.0.1:{free_port()}", "--job_server_timeout=2")
    assert done.returncode == 2
    assert "the job failed" in done.stderr
