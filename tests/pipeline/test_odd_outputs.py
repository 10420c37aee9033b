"""Outputs and sources that are not what they seem: links, memory as a disk, zip archives, a clock that is set."""

from __future__ import annotations

import zipfile
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from pdfmill.pipeline.cli.main import run
from pdfmill.pipeline.run.local import run_batch
from pdfmill.transforms.storage.errors import SourceError
from pdfmill.transforms.storage.scratch import scratch_folder
from pdfmill.transforms.tables.lock import locked
from tests.crawl.help import configure, one_table, snapshot_tables
from tests.crawl.test_keep import clock
from tests.invariants import assert_same_tables, check_invariants, read_tables
from tests.pipeline.test_good_tables import letters as letters
from tests.pipeline.test_index import letter

MEMORY = Path("/dev/shm")


def test_an_output_that_is_a_link_is_the_folder_that_it_leads_to(letters: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Also for who asks whether another run writes there; the link stays a link."""
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")
    for _ in range(2):
        assert run(["index", str(letters), "--output", str(tmp_path / "link")]) == 0
    assert (tmp_path / "link").is_symlink()
    assert read_tables(str(tmp_path / "real"))["documents"].num_rows == 4
    with locked(str(tmp_path / "real")):
        assert run(["index", str(letters), "--output", str(tmp_path / "link")]) == 2
    assert "another run writes into" in capsys.readouterr().err


@pytest.mark.skipif(not MEMORY.is_dir(), reason="no file system in memory here")
def test_an_output_in_memory_has_the_same_tables(letters: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert run(["index", str(letters), "--output", str(tmp_path / "out")]) == 0
    monkeypatch.setattr("tempfile.tempdir", str(MEMORY))
    with scratch_folder() as folder:
        monkeypatch.setattr("tempfile.tempdir", None)
        assert Path(folder).is_relative_to(MEMORY)
        for _ in range(2):
            assert run(["index", str(letters), "--output", f"{folder}/out"]) == 0
        assert_same_tables(read_tables(str(tmp_path / "out")), read_tables(f"{folder}/out"))


@pytest.mark.parametrize("whole", [0, 1])
def test_a_full_disk_leaves_whole_batches_alone(
    letters: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    caplog: pytest.LogCaptureFixture,
    whole: int,
) -> None:
    """Parts of a batch that was not written to its end are of no use, and need space."""
    batches: list[int] = []

    def filling(documents: Any, settings: Any, **more: Any) -> Any:
        written = run_batch(documents, settings, **more)
        batches.append(len(documents))
        if len(batches) > whole:
            raise SourceError("store_error", "No space left on device")
        return written

    flags = ["index", str(letters), "--output", str(tmp_path / "all ö%20"), "--batch_documents", "2"]
    with monkeypatch.context() as patched:
        patched.setattr("pdfmill.pipeline.jobs.index_job.run_batch", filling)
        assert run(flags) == 2
    told = capsys.readouterr().err
    assert ("an interrupted run has left 2 documents, 2 pages; the same command continues with them" in told) == bool(whole)
    assert "0 documents" not in told
    left = {path.name for path in tmp_path.joinpath("all ö%20").rglob("*.parquet")}
    assert len(left) == whole, "one name in all tables"
    with caplog.at_level("INFO", "pdfmill"):
        assert run(flags) == 0
    assert ("continuing an interrupted run" in caplog.text) == bool(whole)


def test_a_zip_archive_is_no_source(letters: Path, tmp_path: Path) -> None:
    """In a folder it is passed over; named, it has a row that says what it is, though the first PDF is in it as it was."""
    with zipfile.ZipFile(letters / "all.zip", "w") as archive:
        for name in ("0.pdf", "1.pdf"):
            archive.write(letters / name, name)
    assert run(["index", str(letters), "--output", str(tmp_path / "folder")]) == 0
    assert run(["index", str(letters / "all.zip"), str(letters / "0.pdf"), "--output", str(tmp_path / "named")]) == 1
    rows = {row["source_uri"].rpartition("/")[2]: row for row in read_tables(str(tmp_path / "named"))["documents"].to_pylist()}
    assert {name: row["status"] for name, row in rows.items()} == {"all.zip": "not_pdf", "0.pdf": "ok"}
    assert rows["all.zip"]["error_message"].endswith("format seems to be: zip")


def test_a_clock_that_goes_back_loses_nothing(letters: Path, tmp_path: Path) -> None:
    """Of a crawl: what changed by a clock that was a month ahead, and after it was set right, is in the tables and in the feed in order."""
    crawl = configure(tmp_path, str(letters), str(tmp_path / "out"), crawl="keep_days = 1")
    now = datetime.now(UTC)
    for number, moment in enumerate((now + timedelta(30), now, now - timedelta(2), now)):
        (letters / "0.pdf").write_bytes(letter(1, note=f"turn {number}"))
        with clock(moment):
            assert crawl.report()["plan"] == ({"changed": 1, "unchanged": 3} if number else {"new": 4})
        assert run(["crawl", str(crawl.path), "--vacuum"]) == 0
        tables = snapshot_tables(crawl.output)
        check_invariants(tables, inputs=4)
        assert any(f"turn {number}" in text for text in tables["pages"]["text"].to_pylist())
    assert sorted(set(one_table(crawl.output, "changes")["snapshot"].to_pylist())) == [0, 1, 2, 3]
