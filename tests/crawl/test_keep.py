"""A document that was read keeps its rows while reading it again fails in a way that may pass."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

import pdfmill.pipeline.crawl.duplicates
import pdfmill.transforms.road.open_documents
from pdfmill.pipeline.crawl import local_run as runs
from pdfmill.schemas.records import DocumentRef
from pdfmill.transforms.storage.errors import SourceError
from tests.crawl.help import Crawl, configure, one_table, snapshot_tables, tiny
from tests.invariants import check_invariants

DOCUMENTS = 6


@pytest.fixture
def source(tmp_path: Path) -> Path:
    folder = tmp_path / "in"
    folder.mkdir()
    for number in range(DOCUMENTS):
        (folder / f"{number}.pdf").write_bytes(tiny(f"document {number}", 1 + number % 2))
    return folder


@pytest.fixture
def crawl(source: Path, tmp_path: Path) -> Crawl:
    return configure(tmp_path, str(source), str(tmp_path / "out"), crawl="retry_after_hours = 0\nkeep_days = 0")


@contextmanager
def store_away(*names: str) -> Iterator[None]:
    """Objects of these names are listed and cannot be read; all of them where none is named."""
    with pytest.MonkeyPatch.context() as patched:
        for module in (pdfmill.transforms.road.open_documents, pdfmill.pipeline.crawl.duplicates):
            read = module.read_bytes

            def fail(ref: DocumentRef, *given: object, read: object = read, **more: object) -> bytes:
                if not names or ref.uri.rpartition("/")[2] in names:
                    raise SourceError("store_error", f"{ref.uri}: 503")
                return read(ref, *given, **more)  # type: ignore[operator]

            patched.setattr(module, "read_bytes", fail)
        yield


@contextmanager
def clock(moment: datetime) -> Iterator[None]:
    begin = runs.begin
    with pytest.MonkeyPatch.context() as patched:
        for place in ("pdfmill.pipeline.crawl.local_run.begin", "pdfmill.pipeline.cli.crawl.begin"):
            patched.setattr(place, lambda config, documents=None: begin(config, moment, documents))
        yield


def texts(crawl: Crawl) -> dict[str, list[str]]:
    tables = snapshot_tables(crawl.output)
    check_invariants(tables)
    names = {row["doc_id"]: row["source_uri"].rpartition("/")[2] for row in tables["documents"].to_pylist()}
    told: dict[str, list[str]] = {name: [] for name in names.values()}
    for row in tables["pages"].to_pylist():
        told[names[row["doc_id"]]].append(row["text"])
    return told


def stale(crawl: Crawl) -> dict[str, dict]:
    return {row["source_uri"].rpartition("/")[2]: row for row in one_table(crawl.output, "stale").to_pylist()}


def feed(crawl: Crawl, snapshot: int) -> set[tuple[str, str, str]]:
    rows = one_table(crawl.output, "changes").to_pylist()
    return {(row["source_uri"].rpartition("/")[2], row["changed_table"], row["change"]) for row in rows if row["snapshot"] == snapshot}


def test_a_store_that_fails_for_a_day_costs_no_page_and_all_come_back(crawl: Crawl, source: Path) -> None:
    crawl.report()
    before = texts(crawl)
    for number in (0, 1):
        (source / f"{number}.pdf").write_bytes(tiny(f"changed {number}", 3))
    (source / "new.pdf").write_bytes(tiny("new"))
    begin = datetime.now(UTC)
    with store_away():
        for hour in range(24):
            with clock(begin + timedelta(hours=hour)):
                report = crawl.report()
            assert (report["stale"], report["statuses"]) == (2, {"failed": 1}), hour
            assert {name: text for name, text in texts(crawl).items() if name != "new.pdf"} == before
    marked = stale(crawl)
    assert marked.keys() == {"0.pdf", "1.pdf"}
    for row in marked.values():
        assert (row["error_code"], row["attempts"], row["failed_since"]) == ("store_error", 24, begin)
        assert "503" in row["error_message"]
    assert not {row for row in feed(crawl, 3) if row[0] != "new.pdf"}, "nothing of them has changed"
    with clock(begin + timedelta(hours=25)):
        report = crawl.report()
    assert (report["plan"], report["statuses"], report["stale"]) == ({"retry": 3, "unchanged": 4}, {"ok": 3}, 0)
    assert [text.partition(",")[0] for text in texts(crawl)["0.pdf"]] == ["changed 0"] * 3
    assert len(texts(crawl)) == DOCUMENTS + 1
    assert stale(crawl) == {}
    with clock(begin + timedelta(hours=26)):
        assert crawl.report()["outcome"] == "unchanged"


def test_after_so_long_the_failure_takes_their_place(crawl: Crawl, source: Path) -> None:
    crawl.path.write_text(crawl.path.read_text().replace("[crawl]", "[crawl]\nstale_attempts = 3"))
    crawl.report()
    (source / "0.pdf").write_bytes(tiny("changed", 2))
    with store_away():
        assert [crawl.report()["stale"] for _ in range(3)] == [1, 1, 0]
    assert texts(crawl)["0.pdf"] == []
    assert stale(crawl) == {}
    assert feed(crawl, 3) == {("0.pdf", "documents", "replaced"), ("0.pdf", "pages", "removed")}
    assert crawl.report()["plan"]["retry"] == 1
    assert len(texts(crawl)["0.pdf"]) == 2


def test_an_upgrade_while_the_store_is_away(crawl: Crawl) -> None:
    crawl.report()
    before = texts(crawl)
    crawl.path.write_text(crawl.path.read_text() + 'hyphens = "off"\n')
    with store_away("1.pdf", "3.pdf"):
        report = crawl.report()
    assert (report["plan"], report["stale"], report["statuses"]) == ({"redo": DOCUMENTS}, 2, {"ok": DOCUMENTS - 2})
    assert texts(crawl) == before
    report = crawl.report()
    assert (report["plan"], report["statuses"], stale(crawl)) == ({"retry": 2, "unchanged": DOCUMENTS - 2}, {"ok": 2}, {})
    assert {row["config_signature"] for row in one_table(crawl.output, "sources").to_pylist()} == {
        one_table(crawl.output, "sources").to_pylist()[0]["config_signature"]
    }


def test_what_fails_for_good_replaces_and_is_said(crawl: Crawl, source: Path) -> None:
    crawl.report()
    (source / "1.pdf").write_bytes(b"<html>moved</html>")
    assert crawl.report()["statuses"] == {"not_pdf": 1}
    assert texts(crawl)["1.pdf"] == []
    assert feed(crawl, 1) == {("1.pdf", "documents", "replaced"), ("1.pdf", "pages", "removed")}


def test_copies_of_what_cannot_be_read_keep_their_rows_too(crawl: Crawl, source: Path) -> None:
    crawl.report()
    before = texts(crawl)
    same = tiny("the same in two places", 2)
    for name in ("0.pdf", "1.pdf", "new.pdf"):
        (source / name).write_bytes(same)
    with pytest.MonkeyPatch.context() as patched:  # it goes away between the comparison and the reading
        patched.setattr(pdfmill.transforms.road.open_documents, "read_bytes", _away)
        report = crawl.report()
    now = texts(crawl)
    assert report["stale"] == 2
    assert now.pop("new.pdf") == []
    assert now == before
    assert all(row["duplicate_of"] is None for row in snapshot_tables(crawl.output)["documents"].to_pylist())
    report = crawl.report()
    assert (report["plan"]["retry"], report["stale"], report["duplicates"]) == (3, 0, 2)
    assert sorted(map(len, (texts(crawl)[name] for name in ("0.pdf", "1.pdf", "new.pdf")))) == [0, 0, 2]


def _away(ref: DocumentRef, *_: object, **__: object) -> bytes:
    raise SourceError("store_error", f"{ref.uri}: 503")


def test_marks_are_put_together_with_marks_only(crawl: Crawl, source: Path) -> None:
    crawl.report()
    before = texts(crawl)
    for number in (0, 1):
        (source / f"{number}.pdf").write_bytes(tiny(f"changed {number}", 3))
        with store_away():
            crawl.report()
    from pdfmill.pipeline.cli.main import run

    assert run(["crawl", str(crawl.path), "--compact"]) == 0
    assert run(["crawl", str(crawl.path), "--vacuum"]) == 0
    assert texts(crawl) == before
    assert len(stale(crawl)) == 2
    (source / "0.pdf").write_bytes(tiny("document 0", 1))
    report = crawl.report()
    assert (report["plan"]["retry"], stale(crawl)) == (1, {})
    assert [len(texts(crawl)[name]) for name in ("0.pdf", "1.pdf")] == [1, 3]
