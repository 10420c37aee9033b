"""A run that is killed at any moment: readers see the old or the new snapshot whole, and the next run goes on from what was written."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pyarrow as pa
import pytest

from tests.crawl.help import Crawl, configure, open_table, snapshot_tables, tiny
from tests.invariants import assert_same_tables, check_invariants, read_tables

pytestmark = pytest.mark.slow

#: 40 in `make test-crawl`.
KILLS = int(os.environ.get("PDFMILL_CRAWL_KILLS", "3"))
DOCUMENTS = 24


@pytest.fixture
def source(tmp_path: Path) -> Path:
    folder = tmp_path / "in"
    folder.mkdir()
    for number in range(DOCUMENTS):
        (folder / f"{number:03d}.pdf").write_bytes(tiny(f"document {number}", 1 + number % 3))
    return folder


@pytest.fixture
def crawl(source: Path, tmp_path: Path) -> Crawl:
    return configure(tmp_path, str(source), str(tmp_path / "out"), options="batch_documents = 6")


def disturb(source: Path, turn: int) -> None:
    """Another state of the source: some documents change and shrink, one goes, one comes."""
    for number in range(turn % 2, DOCUMENTS, 2):
        (source / f"{number:03d}.pdf").write_bytes(tiny(f"document {number} turn {turn}", 1 + (number + turn) % 3))
    (source / f"new-{turn - 1}.pdf").unlink(missing_ok=True)
    (source / f"new-{turn}.pdf").write_bytes(tiny(f"new in turn {turn}"))


def full_run(crawl: Crawl, output: Path) -> dict[str, pa.Table]:
    """The tables of the main job over the source as it is now."""
    subprocess.run([sys.executable, "-m", "pipeline", "index", crawl.source, "--output", str(output)], check=True, capture_output=True)
    return read_tables(output.as_uri())


def run_and_kill(command: list[str], seconds: float) -> bool:
    """Whether it was killed before its end; its children go with it."""
    process = subprocess.Popen(command, start_new_session=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        process.wait(seconds)
        return False
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        return True


def test_killed_at_random_moments(crawl: Crawl, source: Path, tmp_path: Path) -> None:
    begin = time.monotonic()
    subprocess.run(crawl.command(), check=True, capture_output=True)
    whole_run = time.monotonic() - begin
    old = snapshot_tables(crawl.output)
    turn, rng, killed = 1, random.Random(9), 0
    disturb(source, turn)
    new = full_run(crawl, tmp_path / "full-1")
    version = 0
    while killed < KILLS:
        begin = time.monotonic()
        was_killed = run_and_kill(crawl.command(), rng.uniform(0.3, 1.05) * whole_run)
        killed += was_killed
        if not was_killed:  # the machine is faster now than it was
            whole_run = min(whole_run, time.monotonic() - begin)
        now = open_table(crawl.output).version()
        assert now in (version, version + 1)
        tables = snapshot_tables(crawl.output)
        check_invariants(tables)
        assert_same_tables(tables, new if now > version else old)
        if now > version:
            version, old, turn = now, tables, turn + 1
            disturb(source, turn)
            new = full_run(crawl, tmp_path / f"full-{turn}")
    last = crawl.report()
    assert last["outcome"] == "committed", last
    print(f"{killed} kills over {turn} states; the last run adopted {last['plan'].get('adopted', 0)} documents: {last['plan']}")
    assert_same_tables(snapshot_tables(crawl.output), new)


_KILL_IN_COMMIT = """
import os, signal, sys
import transforms.snapshots.delta_log as log
import transforms.storage.local as local
moment, write_new, link = sys.argv[1], log.write_new, os.link
def die(): os.kill(os.getpid(), signal.SIGKILL)
def before(uri, data): die()
def after(uri, data): write_new(uri, data); die()
def within(one, other): die() if "_delta_log" in other else link(one, other)
if moment == "within": local.os.link = within
else: log.write_new = {"before": before, "after": after}[moment]
from pipeline.main import run
run(["crawl", sys.argv[2]])
"""


@pytest.mark.parametrize("moment", ["before", "within", "after"])
def test_killed_in_the_commit(crawl: Crawl, source: Path, tmp_path: Path, moment: str) -> None:
    assert crawl.report()["outcome"] == "committed"
    old = snapshot_tables(crawl.output)
    disturb(source, 1)
    done = subprocess.run([sys.executable, "-c", _KILL_IN_COMMIT, moment, str(crawl.path)], capture_output=True, text=True, check=False)
    assert done.returncode == -signal.SIGKILL, done.stderr
    new = full_run(crawl, tmp_path / "full")
    assert_same_tables(snapshot_tables(crawl.output), new if moment == "after" else old)
    last = crawl.report()
    assert_same_tables(snapshot_tables(crawl.output), new)
    read = sum(last["plan"].get(kind, 0) for kind in ("new", "changed", "retry", "redo"))
    assert read == 0, "what the dead run read is not read again"
    assert last["outcome"] == ("unchanged" if moment == "after" else "committed")
