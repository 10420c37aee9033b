"""The log through years: checkpoints, and a state whose reading stays as cheap as it was."""

from __future__ import annotations

import os
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

import deltalake
import polars as pl
import pyarrow as pa
import pytest

from pdfmill.pipeline.crawl.config import CrawlConfig, load_config
from pdfmill.pipeline.crawl.crawl_parts import mark_part, read_states, write_table_part
from pdfmill.pipeline.crawl.upkeep import after_run
from pdfmill.schemas.crawl import CRAWL_TABLES, DROPPED, SourceState
from pdfmill.schemas.records import DocId
from pdfmill.transforms.delta.deletion_vectors import deleted_rows, with_deleted
from pdfmill.transforms.delta.delta_log import LOG, PartFile, Snapshot, commit, load_snapshot
from pdfmill.transforms.delta.run_ids import new_run_id
from tests.crawl.help import configure, one_table

#: 1,000 in `make test-crawl`.
NIGHTS = int(os.environ.get("PDFMILL_CRAWL_NIGHTS", "30"))
DOCUMENTS = 200
START = datetime(2026, 11, 22, tzinfo=UTC)


def write_night(config: CrawlConfig, night: int, now: datetime) -> int:
    """What a run commits, without reading PDFs: the night's documents in a part of their own, old rows marked, a tombstone, the feed."""
    base, run = load_snapshot(config.output), new_run_id(now)
    changed = range(DOCUMENTS) if night == 0 else [night % DOCUMENTS, (night * 7) % DOCUMENTS]
    ids = sorted({DocId(f"{number:032x}") for number in changed})
    row = {"source_uri": "s3://b/x", "status": "ok", "page_count": 1, "config_signature": "s", "attempts": 0, "read_at": now}
    sources = [{"doc_id": doc_id, "root_doc_id": doc_id, **row} for doc_id in ids]
    if night:
        tomb = f"{DOCUMENTS + night:032x}"
        sources.append({"doc_id": tomb, "root_doc_id": tomb, **row, "status": "deleted", "deleted_at": now})
    feed = [{"snapshot": base.version + 1, "change": "replaced", "changed_table": "documents", "doc_id": doc_id} for doc_id in ids]
    add: list[PartFile] = []
    for table, rows in {"sources": sources, "changes": feed}.items():
        add += write_table_part(config.output, table, f"{run}-0", pa.Table.from_pylist(rows, schema=CRAWL_TABLES[table]))
    marked = [(file, mark_part(config.output, file, ids)) for file in base.of("sources")]
    remove = [file for file, left in marked if left != file]
    add += [left for file, left in marked if left is not None and left != file]
    version = commit(config.output, base, add, remove, {"run": run})
    for path in Path(config.output).rglob("*.*"):  # as old as they would be
        if path.stat().st_mtime > now.timestamp() + 1:
            os.utime(path, (now.timestamp(), now.timestamp()))
    return version


def state_of(output: str) -> tuple[Snapshot, list[SourceState], float]:
    """The last snapshot, what it says of all documents, and the seconds of CPU that both take, printed for `make bench`."""
    times = []
    for _ in range(5 if NIGHTS >= 1000 else 1):
        begin = time.process_time()
        snapshot = load_snapshot(output)
        states = [state for file in snapshot.of("sources") for state in read_states(output, file.stem, file.vector)]
        times.append(time.process_time() - begin)
    return snapshot, states, min(times)


def test_many_nights_later_the_state_is_as_small(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    crawl = configure(
        tmp_path,
        str(tmp_path),
        str(tmp_path / "out"),
        crawl="keep_days = 3\ncompact_parts = 8\nkeep_changes_days = 5\nkeep_deleted_days = 7",
    )
    config = load_config(str(crawl.path))
    entries, seconds, rows, versions = [], [], [], []
    for night in range(NIGHTS):
        now = START + timedelta(days=night)
        monkeypatch.setattr("pdfmill.transforms.delta.delta_log.time.time", now.timestamp)
        versions.append(write_night(config, night, now))
        monkeypatch.setattr("pdfmill.pipeline.crawl.upkeep.new_run_id", lambda _, now=now: new_run_id(now))
        after_run(config, now)
        snapshot, living, each = state_of(crawl.output)
        assert sum(state.deleted_at is None for state in living) == DOCUMENTS
        rows.append((len(living) - DOCUMENTS, sum(file.shown for file in snapshot.of("changes"))))
        entries.append(len(list(Path(crawl.output, LOG).iterdir())) + len(snapshot.files) + len(snapshot.before))
        seconds.append(each)
    half = NIGHTS // 2
    print(f"{NIGHTS} nights: log, files and tombstones {entries[half]}, then {entries[-1]}; reading {seconds[10]:.4f}, {seconds[-1]:.4f} s")
    print(f"tombstones and rows of the feed: at most {max(tombs for tombs, _ in rows)} and {max(told for _, told in rows)}")
    assert max(entries[half:]) < 2 * max(entries[:half])
    assert max(tombs for tombs, _ in rows) < DOCUMENTS // 2, "a quarter of a file at most, beside those of a week"
    assert max(told for _, told in rows[half:]) < DOCUMENTS // 2, "the first night's are over"
    feed = one_table(crawl.output, "changes").to_pylist()
    dropped = max(row["snapshot"] for row in feed if row["change"] == DROPPED)
    assert {row["snapshot"] for row in feed if row["snapshot"] > dropped} == {version for version in versions if version > dropped}
    assert versions[-5] > dropped > versions[-30], "it goes back as far as it should"
    assert not Path(crawl.output, LOG, f"{0:020d}.json").exists()
    table = deltalake.DeltaTable(crawl.output)
    assert pa.table(table.scan(columns=["page_count"])).num_rows == sum(file.shown for file in snapshot.files.values())
    assert table.version() == snapshot.version
    is_living = (pl.col("table_name") == "sources") & (pl.col("status") == "ok")
    shown = pl.scan_delta(crawl.output).filter(is_living).select("doc_id").collect()
    assert sorted(shown["doc_id"]) == [f"{number:032x}" for number in range(DOCUMENTS)]


def test_a_checkpoint_says_what_its_version_says(tmp_path: Path) -> None:
    crawl = configure(tmp_path, str(tmp_path), str(tmp_path / "out"))
    config = load_config(str(crawl.path))
    for night in range(9):
        write_night(config, night, datetime.now(UTC))
    assert not list(Path(crawl.output, LOG).glob("*.parquet"))
    write_night(config, 9, datetime.now(UTC))
    assert after_run(config) == ["checkpoint of snapshot 9"]
    before = load_snapshot(crawl.output)
    for path in Path(crawl.output, LOG).glob("*.json"):
        path.unlink()
    after = load_snapshot(crawl.output)
    assert (after.files, after.before, after.marks) == (before.files, before.before, True)
    assert after.metadata == before.metadata
    write_night(config, 10, datetime.now(UTC))
    assert deltalake.DeltaTable(crawl.output).version() == load_snapshot(crawl.output).version == 10


@pytest.mark.parametrize("rows", [[0], list(range(70_000)), [3, 5, 2**33], list(range(0, 9000, 2))])
def test_vectors_are_kept_whole(rows: list[int]) -> None:
    vector = with_deleted(with_deleted(None, rows[:2]), rows[2:])
    assert list(deleted_rows(vector)) == rows
