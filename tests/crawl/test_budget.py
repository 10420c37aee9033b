"""A crawl's budget: what one snapshot and one command read, in which order, and that nothing is lost or doubled by it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pdfmill.pipeline.cli import crawl as command
from pdfmill.pipeline.crawl.config import SETTINGS
from pdfmill.pipeline.crawl.decide import Budget
from pdfmill.schemas.crawl import PlanEntry
from pdfmill.schemas.records import DocumentRef, document_id
from tests.crawl.help import Crawl, configure, one_table, snapshot_tables, tiny
from tests.invariants import assert_same_tables

DOCUMENTS = 24


@pytest.fixture
def source(tmp_path: Path) -> Path:
    folder = tmp_path / "in"
    folder.mkdir()
    for number in range(DOCUMENTS):
        (folder / f"{number:02d}.pdf").write_bytes(tiny(f"document {number}"))
    return folder


def crawl_of(source: Path, tmp_path: Path, budget: str) -> Crawl:
    return configure(tmp_path, str(source), str(tmp_path / "out"), crawl=f"upkeep = false\n{budget}")


def reports(crawl: Crawl) -> list[dict]:
    return [json.loads(path.read_text()) for path in sorted(Path(crawl.output, "_pdfmill/reports").glob("*.json"))]


def uris(crawl: Crawl) -> list[str]:
    """Names of the documents that readers see, each as often as it has rows."""
    return sorted(uri.rpartition("/")[2] for uri in one_table(crawl.output, "documents").column("source_uri").to_pylist())


def names(source: Path) -> list[str]:
    return sorted(path.name for path in source.iterdir())


def test_a_first_crawl_shows_snapshot_after_snapshot(source: Path, tmp_path: Path) -> None:
    crawl = crawl_of(source, tmp_path, "snapshot_documents = 6")
    told = crawl.report()
    nights = reports(crawl)
    assert len(nights) > 2
    assert (told["exit_code"], told["statuses"], told["waiting"]) == (0, {"ok": DOCUMENTS}, 0)
    assert [each["version"] for each in nights if each["outcome"] == "committed"] == [*range(told["version"] + 1)]
    assert all(each["waiting"] for each in nights[:-1])
    assert uris(crawl) == names(source)
    (tmp_path / "whole").mkdir()
    whole = configure(tmp_path / "whole", str(source), str(tmp_path / "whole/out"))
    assert whole.report()["version"] == 0
    assert_same_tables(snapshot_tables(crawl.output), snapshot_tables(whole.output), but=("assets.uri",))


def test_an_upgrade_trickles_behind_what_is_new_and_changed(source: Path, tmp_path: Path) -> None:
    """Night after night a document is new and one is changed; both are read that night, and what is only to be read again when there is
    room. At no time is a document missing or double."""
    crawl = crawl_of(source, tmp_path, "")
    assert crawl.report()["waiting"] == 0
    text = crawl.path.read_text().replace("upkeep = false", "upkeep = false\nmax_documents = 6\nredo_share = 0.5")
    crawl.path.write_text(text + 'hyphens = "off"\n')
    nights = []
    for night in range(40):
        (source / f"new-{night:02d}.pdf").write_bytes(tiny(f"new in night {night}"))
        (source / "00.pdf").write_bytes(tiny(f"changed in night {night}"))
        nights.append(crawl.report())
        assert uris(crawl) == names(source)
        assert nights[-1]["exit_code"] == 0
        assert nights[-1]["statuses"].get("ok", 0) >= nights[-1]["plan"]["new"] + nights[-1]["plan"]["changed"] == 2
        if not nights[-1]["waiting"]:
            break
    assert 3 < len(nights) < 40
    left = [each["waiting"] for each in nights]
    assert left == sorted(left, reverse=True)
    signatures = one_table(crawl.output, "sources").column("config_signature").to_pylist()
    assert len(set(signatures)) == 1, "all were read anew in the end"
    assert one_table(crawl.output, "documents").num_rows == DOCUMENTS + len(nights)


def test_failed_documents_keep_their_rows_while_they_wait(source: Path, tmp_path: Path) -> None:
    (source / "broken.pdf").write_bytes(b"%PDF-1.7 broken")
    crawl = crawl_of(source, tmp_path, "")
    crawl.report()
    text = crawl.path.read_text().replace("upkeep = false", "upkeep = false\nmax_documents = 1")
    crawl.path.write_text(text + 'hyphens = "off"\n')
    for _ in range(5):
        crawl.report()
        assert uris(crawl) == names(source)


def test_objects_with_the_same_bytes_are_right_while_some_wait(source: Path, tmp_path: Path) -> None:
    for number in range(8):
        (source / f"copy-{number}.pdf").write_bytes(tiny("document 3"))
    crawl = crawl_of(source, tmp_path, "")
    crawl.report()
    crawl.path.write_text(crawl.path.read_text().replace("upkeep = false", "upkeep = false\nmax_documents = 4") + 'hyphens = "off"\n')
    (source / "03.pdf").write_bytes(tiny("other bytes than its copies"))
    for _ in range(4):
        crawl.report()
        assert uris(crawl) == names(source)
    rows = one_table(crawl.output, "documents").to_pylist()
    by_id = {row["doc_id"]: row for row in rows}
    assert all(row["content_sha256"] == by_id[row["duplicate_of"]]["content_sha256"] for row in rows if row["duplicate_of"])


def test_which_documents_wait_is_drawn_by_the_run() -> None:
    def waiting(run: str, budget: int) -> set[str]:
        entries = [
            PlanEntry("redo", document_id(uri := f"s3://b/{number}.pdf"), uri, DocumentRef.of_uri(uri), may_wait=True)
            for number in range(2000)
        ]
        return {entry.uri for entry in entries if Budget(budget, 0.1, run).waits(entry, {"redo": 2000})}

    one, other = waiting("one", 500), waiting("other", 500)
    assert 1400 < len(one) < 1600
    assert 1000 < len(one & other) < 1250, "three quarters of three quarters"
    assert waiting("one", 0) == waiting("one", 2000) == set()
    assert Budget(500, 0.1, "one").left({"redo": 2000}) == 1500


def test_hours_bound_the_next_snapshot(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [0.0]
    monkeypatch.setattr(command.time, "monotonic", lambda: now[0])
    spent = command._Spent({name: setting.default for name, setting in SETTINGS.items()} | {"max_hours": 2.0, "max_documents": 50_000})
    assert spent.next_documents() == 1000
    now[0], spent.documents = 1800.0, 1000
    assert spent.next_documents() == 3000, "what the hour and a half that is left allows"
    now[0], spent.documents = 3600.0, 49_000
    assert spent.next_documents() == 1000
    now[0], spent.documents = 7200.0, 49_500
    assert spent.next_documents() == 0
