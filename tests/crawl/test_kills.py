"""A run that is killed at any moment: readers see the old or the new snapshot whole, and the next run goes on from what was written."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
import zlib
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

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
    """Its upkeep has something to do after each run, and vacuums nothing that a reader may be in."""
    upkeep = "compact_parts = 2"
    return configure(tmp_path, str(source), str(tmp_path / "out"), crawl=upkeep, options="batch_documents = 6")


def disturb(source: Path, turn: int) -> None:
    """Another state of the source: some documents change and shrink, one goes, one comes."""
    for number in range(turn % 2, DOCUMENTS, 2):
        (source / f"{number:03d}.pdf").write_bytes(tiny(f"document {number} turn {turn}", 1 + (number + turn) % 3))
    (source / f"new-{turn - 1}.pdf").unlink(missing_ok=True)
    (source / f"new-{turn}.pdf").write_bytes(tiny(f"new in turn {turn}"))


def full_run(crawl: Crawl, output: Path) -> dict[str, pa.Table]:
    """The tables of the main job over the source as it is now."""
    subprocess.run([sys.executable, "-m", "pdfmill", "index", crawl.source, "--output", str(output)], check=True, capture_output=True)
    return read_tables(output.as_uri())


def history(output: str) -> list[dict[str, Any]]:
    """The first action of each version."""
    paths = sorted(Path(output, "_delta_log").glob("*.json"))
    return [json.loads(path.read_text().splitlines()[0])["commitInfo"] for path in paths]


def upkept(output: str) -> int:
    """How many versions only put files together."""
    return sum(each["operation"] == "OPTIMIZE" for each in history(output))


def data_version(output: str) -> int:
    """How many versions have shown something else."""
    return len(history(output)) - upkept(output)


#: Reads one snapshot again and again until it is ended: version, pages and documents of the join, pages that the documents count, a sum
#: over all texts.
READERS = {
    "duckdb": """
table = DeltaTable(output)
duckdb.register("t", pa.table(table.scan(["table_name", "doc_id", "page", "page_count", "text"])))
joined = "SELECT d.doc_id, d.page_count, p.page, p.text FROM t p JOIN t d USING (doc_id)"
rows = duckdb.sql(f"{joined} WHERE p.table_name = 'pages' AND d.table_name = 'documents'").fetchall()
version = table.version()
""",
    "polars": """
version = DeltaTable(output).version()
out = pl.scan_delta(output, version=version)
pages, documents = (out.filter(pl.col("table_name") == name) for name in ("pages", "documents"))
rows = documents.select("doc_id", "page_count").join(pages.select("doc_id", "page", "text"), on="doc_id").collect().rows()
""",
    "ours": """
snapshot = load_snapshot(output)
version, counts = snapshot.version, {}
for file in snapshot.of("documents"):
    for row in shown_rows(join_uri(output, file.path), ["doc_id", "page_count"], file.vector).to_pylist():
        counts[row["doc_id"]] = row["page_count"]
rows = [
    (row["doc_id"], counts[row["doc_id"]], row["page"], row["text"])
    for file in snapshot.of("pages")
    for row in shown_rows(join_uri(output, file.path), ["doc_id", "page", "text"], file.vector).to_pylist()
]
""",
}
_READ = """
import json, sys, time, zlib
import duckdb, polars as pl, pyarrow as pa
from deltalake import DeltaTable
from pdfmill.transforms.delta.delta_log import load_snapshot
from pdfmill.transforms.delta.deletion_vectors import shown_rows
from pdfmill.transforms.storage.objects import join_uri
output, code = sys.argv[1], compile(sys.argv[2], "reader", "exec")
while True:
    time.sleep(0.1)
    exec(code)
    sums = sum(zlib.crc32(repr((each[0], *each[2:])).encode()) for each in rows)
    print(json.dumps([version, len(rows), sum(dict(each[:2] for each in rows).values()), sums]), flush=True)
"""


def expected(output: str, version: int) -> list[int]:
    """What a reader must have found in a version."""
    tables = snapshot_tables(output, version)
    pages = tables["pages"].select(["doc_id", "page", "text"]).to_pylist()
    sums = sum(zlib.crc32(repr(tuple(each.values())).encode()) for each in pages)
    return [len(pages), sum(tables["documents"]["page_count"].to_pylist()), sums]


@dataclass
class Race:
    """Readers that read while runs are killed. files: what each has told so far."""

    files: dict[str, Path]

    def seen(self) -> dict[str, list[list[int]]]:
        """Each different reading of each."""
        told = {name: {line for line in path.read_text().splitlines() if line.startswith("[")} for name, path in self.files.items()}
        return {name: [json.loads(line) for line in sorted(lines)] for name, lines in told.items() if lines}


@contextmanager
def racing(output: str) -> Iterator[Race]:
    """Every reader in a process of its own; one that fails has torn."""
    race = Race({name: Path(f"{output}-{name}.txt") for name in READERS})
    with ExitStack() as stack:
        files = {name: stack.enter_context(path.open("wb")) for name, path in race.files.items()}
        processes = [
            subprocess.Popen([sys.executable, "-c", _READ, output, code], stdout=files[name], stderr=subprocess.STDOUT)
            for name, code in READERS.items()
        ]
        try:
            yield race
            while len(race.seen()) < len(READERS) and all(process.poll() is None for process in processes):
                time.sleep(0.2)
        finally:
            ended = [process.poll() for process in processes]
            for process in processes:
                process.kill()
                process.wait()
    assert ended == [None] * len(READERS), [path.read_text()[-2000:] for path in race.files.values()]


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
    turn, rng, killed = 1, random.Random(KILLS), 0
    disturb(source, turn)
    new = full_run(crawl, tmp_path / "full-1")
    version = data_version(crawl.output)
    with racing(crawl.output) as race:
        while killed < KILLS:
            begin = time.monotonic()
            was_killed = run_and_kill(crawl.command(), rng.uniform(0.3, 1.2) * whole_run)
            killed += was_killed
            whole_run = 1.1 * whole_run if was_killed else time.monotonic() - begin  # readers take their share of the machine
            now = data_version(crawl.output)
            tables = snapshot_tables(crawl.output)
            check_invariants(tables)
            assert_same_tables(tables, new if now > version else old)
            if now > version:
                version, old, turn = now, tables, turn + 1
                disturb(source, turn)
                new = full_run(crawl, tmp_path / f"full-{turn}")
        last = crawl.report()
    assert last["outcome"] == "committed", last
    seen = race.seen()
    assert set(seen) == set(READERS), "each has read"
    torn = [each for found in seen.values() for each in found if each[1:] != expected(crawl.output, each[0])]
    assert not torn
    told = ", ".join(f"{name} {len(found)} times" for name, found in sorted(seen.items()))
    print(f"read meanwhile by {told}; {open_table(crawl.output).version() + 1} versions, {upkept(crawl.output)} of upkeep")
    print(f"{killed} kills over {turn} states; the last run adopted {last['plan'].get('adopted', 0)} documents: {last['plan']}")
    assert_same_tables(snapshot_tables(crawl.output), new)


_KILL_IN_COMMIT = """
import os, signal, sys
import pdfmill.transforms.delta.delta_log as log
import pdfmill.transforms.storage.local as local
moment, write_new, link = sys.argv[1], log.write_new, os.link
def die(): os.kill(os.getpid(), signal.SIGKILL)
def before(uri, data): die()
def after(uri, data): write_new(uri, data); die()
def within(one, other): die() if "_delta_log" in other else link(one, other)
if moment == "within": local.os.link = within
else: log.write_new = {"before": before, "after": after}[moment]
from pdfmill.pipeline.cli.main import run
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


_KILL_IN_UPKEEP = """
import os, signal, sys
import pdfmill.pipeline.crawl.upkeep as upkeep
import pdfmill.transforms.delta.checkpoints as checkpoints
import pdfmill.pipeline.crawl.crawl_parts as parts
def die(*given, **more): os.kill(os.getpid(), signal.SIGKILL)
def dying(what, calls):
    def wrapped(*given, **more):
        if not calls: die()
        calls.pop()
        return what(*given, **more)
    return wrapped
match sys.argv[1]:
    case "merge":
        merge = upkeep.merge_parts
        def merging(*given):
            parts.write_table_part = dying(parts.write_table_part, [1, 1])
            return merge(*given)
        upkeep.merge_parts = merging
    case "before": upkeep.commit = die
    case "after":
        commit = upkeep.commit
        upkeep.commit = lambda *given, **more: (commit(*given, **more), die())
    case "shed": upkeep.shed = die
    case "vacuum": upkeep.delete_file = dying(upkeep.delete_file, [1])
    case "checkpoint": checkpoints.write_bytes = dying(checkpoints.write_bytes, [1])
    case "trim": checkpoints.delete_file = dying(checkpoints.delete_file, [1])
upkeep._CHECKPOINT_EVERY = 1
from pdfmill.pipeline.cli.main import run
run(["crawl", sys.argv[2]])
"""


def test_killed_in_upkeep(crawl: Crawl, source: Path) -> None:
    """Wherever it is: what is shown stays, and the next run does what was left."""
    crawl.path.write_text(crawl.path.read_text().replace("[crawl]", "[crawl]\nkeep_days = 0"))
    assert crawl.report()["outcome"] == "committed"
    moments = ["merge", "after", "vacuum", "checkpoint", *(["before", "shed", "trim"] if KILLS >= 12 else [])]
    for turn, moment in enumerate(moments):
        (source / f"{turn}.pdf").write_bytes(tiny(f"one more {moment}"))
        Path(crawl.output, "_pdfmill", "vacuumed.json").unlink(missing_ok=True)
        done = subprocess.run([sys.executable, "-c", _KILL_IN_UPKEEP, moment, str(crawl.path)], capture_output=True, text=True, check=False)
        assert done.returncode == -signal.SIGKILL, (moment, done.stdout, done.stderr)
        tables = snapshot_tables(crawl.output)
        check_invariants(tables, inputs=DOCUMENTS + turn + 1)
        assert any(moment in text for text in tables["pages"]["text"].to_pylist())
        assert crawl.report()["outcome"] == "unchanged", moment
        assert_same_tables(snapshot_tables(crawl.output), tables)
