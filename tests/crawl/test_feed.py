"""The change feed says what really changed, and a consumer with a cursor keeps up with it."""

from __future__ import annotations

import io
import runpy
import sqlite3
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from reportlab.pdfgen.canvas import Canvas

from pdfmill.pipeline.cli.main import run
from pdfmill.pipeline.crawl.config import load_config
from pdfmill.pipeline.crawl.upkeep import shed_old
from tests.crawl.help import Crawl, configure, one_table, snapshot_tables, tiny
from tests.crawl.test_keep import store_away

EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "follow_changes.py"


def paged(*pages: list[str]) -> bytes:
    """A PDF of paragraphs, far apart."""
    sink = io.BytesIO()
    canvas = Canvas(sink, invariant=1)
    for paragraphs in pages:
        for number, text in enumerate(paragraphs):
            canvas.drawString(72, 700 - 90 * number, text)
        canvas.showPage()
    canvas.save()
    return sink.getvalue()


ONE = "The archive keeps every letter that was ever sent to it."
TWO = "Nobody has counted them, and nobody will before the spring."
THREE = "A second building is to be opened in the old harbour."


@pytest.fixture
def crawl(tmp_path: Path) -> Crawl:
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "a.pdf").write_bytes(paged([ONE, TWO], [THREE], [ONE]))
    (tmp_path / "in" / "b.pdf").write_bytes(tiny("another document"))
    return configure(tmp_path, str(tmp_path / "in"), str(tmp_path / "out"), crawl="retry_after_hours = 0")


def changes(crawl: Crawl, snapshot: int) -> dict[tuple[str, int | None], dict[str, Any]]:
    rows = one_table(crawl.output, "changes").to_pylist()
    return {(row["source_uri"].rpartition("/")[2], row["page"]): row for row in rows if row["snapshot"] == snapshot}


def test_what_really_changed(crawl: Crawl, tmp_path: Path) -> None:
    crawl.report()
    assert {row["text_changed"] for row in changes(crawl, 0).values()} == {True}
    (tmp_path / "in" / "a.pdf").write_bytes(paged([ONE, TWO.upper()], [THREE], [ONE], [TWO]))
    crawl.report()
    told = changes(crawl, 1)
    pages = {page: (row["change"], row["text_changed"], row["changed_blocks"]) for (_, page), row in told.items()}
    blocks = snapshot_tables(crawl.output)["blocks"].to_pylist()
    (number,) = [row["block"] for row in blocks if row["text"] == TWO.upper()]
    assert pages == {
        None: ("replaced", True, None),
        1: ("replaced", True, [number]),
        2: ("replaced", False, None),
        3: ("replaced", False, None),
        4: ("added", True, None),
    }
    sections = snapshot_tables(crawl.output)["sections"].to_pylist()
    (document,) = [row for (_, page), row in told.items() if page is None]
    texts = {row["section"]: row["text"] for row in sections if row["doc_id"] == document["doc_id"]}
    changed = [number for number, text in texts.items() if TWO.upper() in text or TWO in text]
    assert changed
    assert document["changed_sections"] == changed
    (tmp_path / "in" / "a.pdf").write_bytes(paged([ONE, TWO.upper()], [THREE], [ONE], [TWO]) + b"\n% saved again")
    crawl.report()
    assert [row["changed_sections"] for row in changes(crawl, 2).values() if row["page"] is None] == [[]]
    assert {page: row["text_changed"] for (_, page), row in changes(crawl, 2).items()} == dict.fromkeys([None, 1, 2, 3, 4], False)


def test_after_an_upgrade_that_changes_no_text(crawl: Crawl) -> None:
    crawl.report()
    crawl.path.write_text(crawl.path.read_text() + 'hyphens = "off"\n')
    crawl.report()
    assert {(row["change"], row["text_changed"]) for row in changes(crawl, 1).values()} == {("replaced", False)}


def test_copies_are_named(crawl: Crawl, tmp_path: Path) -> None:
    crawl.report()
    (tmp_path / "in" / "copy.pdf").write_bytes((tmp_path / "in" / "b.pdf").read_bytes())
    crawl.report()
    ((name, row),) = changes(crawl, 1).items()
    ids = {each["source_uri"].rpartition("/")[2]: each["doc_id"] for each in snapshot_tables(crawl.output)["documents"].to_pylist()}
    assert (name, row["change"], row["duplicate_of"]) == (("copy.pdf", None), "added", ids["b.pdf"])


def test_a_consumer_with_a_cursor(crawl: Crawl, tmp_path: Path) -> None:
    """Whichever snapshots it skips, and if it dies on the way."""
    follow = runpy.run_path(str(EXAMPLE))["follow"]
    source = tmp_path / "in"
    with sqlite3.connect(tmp_path / "index.sqlite") as index:
        crawl.report()
        assert follow(crawl.output, index) == 4
        for turn in range(4):
            (source / "a.pdf").write_bytes(paged([ONE] * (1 + turn % 2), *[[f"{TWO} {turn}"]] * (3 - turn)))
            (source / f"new {turn}.pdf").write_bytes(tiny(f"new {turn}", 1 + turn))
            (source / f"new {turn - 2}.pdf").unlink(missing_ok=True)
            with store_away("b.pdf"):
                (source / "b.pdf").write_bytes(tiny(f"changed {turn}"))
                crawl.report()
            if turn % 2:
                follow(crawl.output, index)
                held = sorted(index.execute("SELECT doc_id, page, text FROM pages"))
                rows = snapshot_tables(crawl.output)["pages"].select(["doc_id", "page", "text"]).to_pylist()
                assert held == sorted((row["doc_id"], row["page"], row["text"]) for row in rows)
        assert follow(crawl.output, index) == 0
        assert index.execute("SELECT source_uri FROM pages WHERE pages MATCH '\"new 3\"'").fetchone()[0].endswith("new%203.pdf")

        crawl.report()
        held = sorted(index.execute("SELECT doc_id, page, text FROM pages"))

        class Dies(sqlite3.Connection):
            def execute(self, *given: Any) -> sqlite3.Cursor:
                if given[0].startswith("INSERT INTO cursor"):
                    raise KeyboardInterrupt
                return super().execute(*given)

        with sqlite3.connect(tmp_path / "index.sqlite", factory=Dies) as dying, pytest.raises(KeyboardInterrupt):
            follow(crawl.output, dying)
        assert sorted(index.execute("SELECT doc_id, page, text FROM pages")) == held
        assert follow(crawl.output, index) > 0


def test_a_feed_goes_back_so_far_and_who_comes_later_begins_anew(crawl: Crawl, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Old changes and tombstones go; consumers whose cursor lies before what is left are told by the feed itself."""
    follow = runpy.run_path(str(EXAMPLE))["follow"]
    source, lines = tmp_path / "in", tmp_path / "pages.jsonl"
    crawl.path.write_text(crawl.path.read_text().replace("[crawl]", "[crawl]\nkeep_changes_days = 5\nkeep_deleted_days = 9\n"))
    crawl.report()
    with sqlite3.connect(tmp_path / "late.sqlite") as late, sqlite3.connect(tmp_path / "index.sqlite") as index:
        follow(crawl.output, late)
        assert run(["export", crawl.output, "--to", f"ndjson:{lines}"]) == 0
        (source / "b.pdf").unlink()
        (source / "c.pdf").write_bytes(tiny("later"))
        first = crawl.report()
        follow(crawl.output, index)
        (source / "a.pdf").write_bytes(paged([ONE]))
        second = crawl.report()
        config, now = load_config(str(crawl.path)), datetime.now(UTC)
        days = [(now - timedelta(days=6), first["version"]), (now, second["version"])]
        assert shed_old(config, days, now)
        assert len(one_table(crawl.output, "sources")) == 3, "the tombstone is young"
        assert shed_old(config, [], now + timedelta(days=10))
        assert len(one_table(crawl.output, "sources")) == 2
        told = {row["snapshot"] for row in one_table(crawl.output, "changes").to_pylist() if row["change"] != "dropped"}
        assert told == {second["version"]}
        for cursor in (late, index):
            assert follow(crawl.output, cursor) > 0
            held = sorted(cursor.execute("SELECT doc_id, page, text FROM pages"))
            rows = snapshot_tables(crawl.output)["pages"].select(["doc_id", "page", "text"]).to_pylist()
            assert held == sorted((row["doc_id"], row["page"], row["text"]) for row in rows)
            assert follow(crawl.output, cursor) == 0
    capsys.readouterr()
    assert run(["export", crawl.output, "--to", f"ndjson:{lines}", "--follow"]) == 0
    assert "the table of changes does not go back that far: all rows are exported" in capsys.readouterr().out
    assert len(lines.read_text().splitlines()) == snapshot_tables(crawl.output)["sections"].num_rows
    assert crawl.report()["outcome"] == "unchanged"
