"""A crawl by two pipelines, as engines run it, makes the snapshots that a crawl in this process makes."""

from __future__ import annotations

from contextlib import nullcontext, suppress
from pathlib import Path

import pytest
from msgspec.structs import replace

from pdfmill.pipeline.cli import crawl as command
from pdfmill.pipeline.cli import submit
from pdfmill.pipeline.cli.main import run
from pdfmill.pipeline.crawl import local_run as runs_of
from pdfmill.pipeline.crawl import on_engine
from pdfmill.pipeline.crawl.crawl_parts import whole_parts
from pdfmill.pipeline.crawl.decide import Policy
from pdfmill.pipeline.crawl.plan import PlanSummary
from pdfmill.pipeline.crawl.report import RunReport, history
from pdfmill.pipeline.crawl.runs import CrawlRun
from pdfmill.pipeline.run.errors import EXIT_JOB_ENDED
from pdfmill.schemas.records import document_id
from pdfmill.transforms.delta.delta_log import load_snapshot
from tests.crawl.help import configure, one_table, open_table, snapshot_tables, tiny
from tests.crawl.test_keep import stale, store_away
from tests.invariants import assert_same_tables, check_invariants
from tests.pipeline.test_index import with_attachment

pytestmark = pytest.mark.slow


def states(source: Path) -> None:
    (source / "000.pdf").write_bytes(tiny("changed"))
    (source / "001.pdf").unlink(missing_ok=True)
    (source / "cover.pdf").write_bytes(tiny("no attachment any more"))
    (source / "new.pdf").write_bytes(tiny("new"))
    (source / "late copy.pdf").write_bytes((source / "003.pdf").read_bytes())
    for name in ("005.pdf", "006.pdf"):
        with suppress(FileNotFoundError):
            (source / name).rename(source / f"elsewhere {name}")
    by_id = sorted(("004.pdf", "copy 1.pdf", "copy 2.pdf"), key=lambda name: document_id((source / name).as_uri()))
    (source / by_id[0]).unlink(missing_ok=True)  # which the others point at


def without_times(output: str) -> list[tuple[object, ...]]:
    rows = one_table(output, "sources").to_pylist()
    return sorted((row["source_uri"], row["doc_id"], row["status"], row["page_count"], row["deleted_at"] is None) for row in rows)


def changes(output: str) -> list[tuple[object, ...]]:
    rows = one_table(output, "changes").to_pylist()
    names = (
        "snapshot",
        "doc_id",
        "changed_table",
        "page",
        "change",
        "text_changed",
        "changed_blocks",
        "changed_sections",
        "duplicate_of",
        "moved_from",
    )
    return sorted(tuple(str(row[name]) for name in names) for row in rows)


@pytest.mark.parametrize("moment", ["pdfmill.pipeline.crawl.report.RunReport.save", "pdfmill.pipeline.crawl.on_engine.forget_records"])
def test_a_commit_that_is_tried_again_says_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, moment: str) -> None:
    """An engine repeats a step whose worker died, whatever the step has done already."""
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "a.pdf").write_bytes(tiny("a", 2))
    crawl = configure(tmp_path, str(tmp_path / "in"), str(tmp_path / "out"), options="shards = 2")
    crawl.path.write_text(crawl.path.read_text() + '[beam]\nrunner = "FnApiRunner"\n')
    runs: list[tuple[CrawlRun, RunReport]] = []
    begin = runs_of.begin
    monkeypatch.setattr(command, "begin", lambda config, documents: runs.append(begin(config, documents=documents)) or runs[-1])

    def die(*_: object) -> None:
        raise RuntimeError("the worker died")

    with monkeypatch.context() as dying:
        dying.setattr(moment, die)
        dying.setattr(on_engine, "run_here", lambda *_, **__: None)  # as where this machine cannot list a source: one job does it all
        with suppress(RuntimeError):  # of the report that the launcher saves
            assert run(["crawl", str(crawl.path)]) == EXIT_JOB_ENDED
    assert open_table(crawl.output).version() == 0
    run_itself, report = runs[0]
    Path(crawl.output, "_pdfmill", "reports", f"{run_itself.run}.json").unlink(missing_ok=True)  # the launcher's
    policy = Policy(run_itself.signature, run_itself.started)
    on_engine._commit_job([], [], PlanSummary(1, 0, {"new": 1}), run_itself, policy, replace(report))
    told = history(crawl.output)[-1]
    assert (told["outcome"], told["version"], told["statuses"], told["pages"]) == ("committed", 0, {"ok": 1}, 2)
    assert whole_parts(crawl.output) == {}
    done_today = Path(crawl.output, "_pdfmill", "vacuumed.json")
    assert not done_today.exists()
    template = [f"--sources={crawl.source}", f"--output={crawl.output}", "--runner=FnApiRunner", "--no_isolation=true"]
    assert submit.run_crawl(template) == 0
    assert done_today.exists(), "nobody waits for a template's job: it does its own upkeep"
    assert (history(crawl.output)[-1]["outcome"], open_table(crawl.output).version()) == ("unchanged", 0)


def test_the_same_snapshots(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = tmp_path / "in"
    source.mkdir()
    for number in range(8):
        (source / f"{number:03d}.pdf").write_bytes(tiny(f"document {number}", 1 + number % 3))
    (source / "cover.pdf").write_bytes(with_attachment(tiny("inner", 2)))
    for name in ("copy 1.pdf", "copy 2.pdf"):
        (source / name).write_bytes((source / "004.pdf").read_bytes())
    crawls = []
    for name in ("here", "engine", "job"):
        (tmp_path / name).mkdir()
        crawls.append(
            configure(tmp_path / name, str(source), str(tmp_path / name / "out"), options="shards = 40")
        )  # some of them stay empty
    here, engine, job = crawls
    for turn in range(3):
        assert run(["crawl", str(here.path)]) == 0
        engine.path.write_text(engine.path.read_text().partition("[beam]")[0] + '[beam]\nrunner = "FnApiRunner"\n')
        assert run(["crawl", str(engine.path)]) == 0
        job.path.write_text(engine.path.read_text().replace(engine.output, job.output))
        with monkeypatch.context() as elsewhere:
            elsewhere.setattr(on_engine, "run_here", lambda *_, **__: None)  # this machine cannot list a source: one job plans and reads
            assert run(["crawl", str(job.path)]) == 0
        reports = [history(each.output)[-1] for each in crawls]
        for other, report in zip((engine, job), reports[1:], strict=True):
            tables = snapshot_tables(other.output)
            check_invariants(tables)
            assert_same_tables(tables, snapshot_tables(here.output))
            assert without_times(other.output) == without_times(here.output)
            assert changes(other.output) == changes(here.output)
            for key in ("plan", "listed", "known", "statuses", "pages", "duplicates", "version", "outcome"):
                assert reports[0][key] == report[key], (turn, key)
            assert whole_parts(other.output) == {}, "shards without documents leave no record behind"
        assert reports[0]["duplicates"] == (2, 2, 0)[turn]
        if turn == 0:
            states(source)
    monkeypatch.setattr(on_engine, "run_to_end", lambda pipeline: pytest.fail("a night without anything to read has no job"))
    engine.path.write_text(engine.path.read_text().replace("[crawl]", "[crawl]\nkeep_days = 0"))
    before = snapshot_tables(engine.output)
    for flag in ("--plan", "--compact", "--vacuum"):
        assert run(["crawl", str(engine.path), flag]) == 0
    assert_same_tables(snapshot_tables(engine.output), before)
    files = {path.name for path in Path(engine.output).rglob("*.parquet")}
    assert files == {uri.rpartition("/")[2] for uri in open_table(engine.output).file_uris()}
    assert run(["crawl", str(engine.path)]) == 0
    assert history(engine.output)[-1]["outcome"] == "unchanged"
    (source / "elsewhere 006.pdf").unlink()
    assert run(["crawl", str(engine.path)]) == 0
    assert history(engine.output)[-1]["plan"]["gone"] == 1


def test_what_cannot_be_read_is_kept_by_both(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """And an engine makes as many parts as what is to be read comes to."""
    monkeypatch.setattr("pdfmill.transforms.tables.shards.SHARD_BYTES", 500)
    source = tmp_path / "in"
    source.mkdir()
    for number in range(4):
        (source / f"{number:03d}.pdf").write_bytes(tiny(f"document {number}", 1 + number % 3))
    crawls = []
    for name in ("here", "engine"):
        (tmp_path / name).mkdir()
        crawls.append(configure(tmp_path / name, str(source), str(tmp_path / name / "out"), crawl="retry_after_hours = 0", options=""))
    crawls[1].path.write_text(crawls[1].path.read_text() + '[beam]\nrunner = "FnApiRunner"\n')
    for turn in range(3):
        with store_away("000.pdf", "002.pdf", "new.pdf") if turn == 1 else nullcontext():
            reports = [each.report() for each in crawls]
        counts = {file.stem.rpartition("-of-")[2] for file in load_snapshot(crawls[1].output).of("documents")}
        assert turn > 0 or ["00001"] < [*counts] < ["00032"], "four documents of some 1,500 bytes"
        assert_same_tables(*(snapshot_tables(each.output) for each in crawls))
        assert without_times(crawls[0].output) == without_times(crawls[1].output)
        assert changes(crawls[0].output) == changes(crawls[1].output)
        assert stale(crawls[0]).keys() == stale(crawls[1]).keys() == ({"000.pdf", "002.pdf"} if turn == 1 else set())
        for key in ("plan", "statuses", "pages", "stale", "failed_new", "failed_again", "failed_left", "exit_code", "version"):
            assert reports[0][key] == reports[1][key], (turn, key)
        for name in ("000", "001", "new") if turn == 0 else ():
            (source / f"{name}.pdf").write_bytes(tiny(f"{name} changed", 2))
        (source / "002.pdf").write_bytes((source / "000.pdf").read_bytes())
