"""After maintenance by other tools the next run is right, or refuses in one sentence."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pdfmill.pipeline.cli.main import run
from tests.crawl.help import Crawl, configure, open_table, snapshot_tables, tiny
from tests.crawl.test_keep import feed, stale, store_away, texts
from tests.pipeline.test_index import with_attachment

DOCUMENTS = 8


@pytest.fixture
def source(tmp_path: Path) -> Path:
    folder = tmp_path / "in"
    folder.mkdir()
    for number in range(DOCUMENTS):
        (folder / f"{number}.pdf").write_bytes(tiny(f"document {number}", 1 + number % 2))
    (folder / "cover.pdf").write_bytes(with_attachment(tiny("inner", 2)))
    return folder


@pytest.fixture
def crawl(source: Path, tmp_path: Path) -> Crawl:
    return configure(tmp_path, str(source), str(tmp_path / "out"), crawl="retry_after_hours = 0", options="batch_documents = 3")


def optimize(crawl: Crawl) -> None:
    """As an operator's nightly job has it; everything that the log does not name goes at once."""
    table = open_table(crawl.output)
    assert table.optimize.compact()["numFilesRemoved"] > 0
    open_table(crawl.output).vacuum(retention_hours=0, enforce_retention_duration=False, dry_run=False, full=True)


def living_assets(crawl: Crawl) -> list[bool]:
    return [Path(row["uri"].removeprefix("file://")).exists() for row in snapshot_tables(crawl.output)["assets"].to_pylist() if row["uri"]]


def test_optimize_and_vacuum_by_another_tool(crawl: Crawl, source: Path) -> None:
    crawl.report()
    (source / "0.pdf").write_bytes(tiny("late", 1))
    with store_away():
        crawl.report()
    before = texts(crawl)
    optimize(crawl)
    assert texts(crawl) == before
    assert all(living_assets(crawl))
    assert living_assets(crawl)
    assert crawl.report()["plan"] == {"retry": 1, "unchanged": DOCUMENTS}
    assert (stale(crawl), [text.partition(",")[0] for text in texts(crawl)["0.pdf"]]) == ({}, ["late"])
    (source / "1.pdf").write_bytes(tiny("changed", 3))
    (source / "2.pdf").unlink()
    (source / "copy.pdf").write_bytes((source / "3.pdf").read_bytes())
    report = crawl.report()
    assert (report["plan"], report["duplicates"]) == ({"new": 1, "changed": 1, "gone": 1, "unchanged": DOCUMENTS - 1}, 1)
    now = texts(crawl)
    assert len(now) == len(before)
    assert ([len(now["1.pdf"]), "2.pdf" in now, now["3.pdf"]]) == [3, False, before["3.pdf"]]
    assert feed(crawl, report["version"]) >= {("1.pdf", "pages", "added"), ("2.pdf", "documents", "removed")}
    optimize(crawl)
    (source / "4.pdf").unlink()
    assert crawl.report()["plan"]["gone"] == 1
    after = snapshot_tables(crawl.output)
    for flag in ("--compact", "--vacuum"):
        assert run(["crawl", str(crawl.path), flag]) == 0
        assert all(after[name].equals(table) for name, table in snapshot_tables(crawl.output).items())
    assert crawl.report()["outcome"] == "unchanged"


def test_a_checkpoint_of_another_tool(crawl: Crawl, source: Path) -> None:
    crawl.report()
    for number in range(3):
        (source / "0.pdf").write_bytes(tiny(f"changed {number}", 1))
        crawl.report()
    optimize(crawl)
    table = open_table(crawl.output)
    table.create_checkpoint()
    for path in Path(crawl.output, "_delta_log").glob("0000000000000000000[0-3].json"):
        path.unlink()
    (source / "1.pdf").unlink()
    assert crawl.report()["plan"] == {"gone": 1, "unchanged": DOCUMENTS}
    assert "1.pdf" not in texts(crawl)


def test_parts_of_a_dead_run_that_a_vacuum_took_are_read_again(crawl: Crawl, source: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    crawl.report()
    (source / "new.pdf").write_bytes(tiny("new"))
    with monkeypatch.context() as dying:
        dying.setattr("pdfmill.pipeline.crawl.local_run.commit", None)
        assert run(["crawl", str(crawl.path)]) == 2
    optimize(crawl)
    assert crawl.report()["plan"] == {"new": 1, "unchanged": DOCUMENTS + 1}
    assert len(texts(crawl)["new.pdf"]) == 1


def test_a_table_that_needs_more_than_files_is_refused_in_one_sentence(crawl: Crawl, capsys: pytest.CaptureFixture[str]) -> None:
    crawl.report()
    told = {"protocol": {"minReaderVersion": 3, "minWriterVersion": 7, "readerFeatures": ["columnMapping"], "writerFeatures": []}}
    Path(crawl.output, "_delta_log", f"{1:020d}.json").write_text(json.dumps(told) + "\n")
    assert run(["crawl", str(crawl.path)]) == 2
    (line,) = [line for line in capsys.readouterr().err.splitlines() if line.startswith("pdfmill crawl:")]
    assert "raised the table's protocol to columnMapping" in line
