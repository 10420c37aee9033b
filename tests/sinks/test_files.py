"""Files of lines, files to be fed to engines, SQLite: equal to the tables over three snapshots, whole or not at all."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from pdfmill.pipeline.cli.main import run
from pdfmill.transforms.tables.sinks.sink import SinkError, parse_target
from tests.crawl.help import Crawl, open_table, tiny
from tests.sinks.help import crawled, expected, lines


@pytest.fixture
def crawl(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Crawl:
    monkeypatch.chdir(tmp_path)
    return crawled(tmp_path, 5)


def second(crawl: Crawl) -> None:
    """A snapshot with a document that shrank, one that grew, one that is gone, and a new one."""
    source = Path(crawl.source)
    (source / "2.pdf").write_bytes(tiny("document 2, shrunk", 1))
    (source / "0.pdf").write_bytes(tiny("document 0, grown", 4))
    (source / "1.pdf").unlink()
    (source / "new.pdf").write_bytes(tiny("document seven", 2))
    assert crawl.report()["version"] == 1


def third(crawl: Crawl) -> None:
    """Another one, after another tool has put the files of each table together."""
    assert open_table(crawl.output).optimize.compact()["numFilesRemoved"] > 0
    (Path(crawl.source) / "new.pdf").unlink()
    (Path(crawl.source) / "2.pdf").write_bytes(tiny("document 2, as it was", 3))
    assert crawl.report()["version"] == 3


def from_sqlite(path: str) -> dict[str, dict[str, Any]]:
    base = sqlite3.connect(path)
    base.row_factory = sqlite3.Row
    found = {row["id"]: dict(row) for row in base.execute("SELECT * FROM pages")}
    base.close()
    return found


def by_id(name: str, text: str, beside: str | None) -> Callable[[str], dict[str, dict[str, Any]]]:
    def read(path: str) -> dict[str, dict[str, Any]]:
        return {line[name]: {"text": line[text], **(line[beside] if beside else line)} for line in lines(path)}

    return read


def from_parquet(path: str) -> dict[str, dict[str, Any]]:
    return {row["id"]: row for row in pq.read_table(path).to_pylist()}


READERS = {
    "sqlite": from_sqlite,
    "parquet": from_parquet,
    "ndjson": by_id("id", "text", None),
    "langchain": by_id("id", "page_content", "metadata"),
    "llamaindex": by_id("id_", "text", "metadata"),
    "haystack": by_id("id", "content", "meta"),
}


@pytest.mark.parametrize("name", READERS)
def test_a_crawl_is_followed_over_three_snapshots(crawl, name):
    def check() -> None:
        held, tables = READERS[name]("target"), expected(crawl.output, "pages")
        assert {key: (row["doc_id"], row["page"], row["text"]) for key, row in held.items()} == {
            key: (row["doc_id"], row["page"], row["text"]) for key, row in tables.items()
        }

    command = ["export", crawl.output, "--to", f"{name}:target", "--table", "pages", "--follow"]
    assert run(command) == 0
    check()
    second(crawl)
    assert run(command) == 0
    check()
    assert run(command) == 0
    check()
    third(crawl)
    assert run(command) == 0
    check()


def fed_bulk(paths: list[Path]) -> dict[str, str]:
    """What an engine holds after it was fed."""
    held: dict[str, str] = {}
    for path in paths:
        told = iter(list(lines(path)))
        for action in told:
            if "delete" in action:
                held.pop(action["delete"]["_id"], None)
            else:
                held[action["index"]["_id"]] = next(told)["text"]
    return held


def fed_vespa(paths: list[Path]) -> dict[str, str]:
    held: dict[str, str] = {}
    for line in (line for path in paths for line in lines(path)):
        if "remove" in line:
            held.pop(line["remove"].rpartition(":")[2], None)
        else:
            assert line["put"].startswith("id:pdfmill:pages::")
            assert {"text", "page"} <= line["fields"].keys()
            assert None not in line["fields"].values()
            held[line["put"].rpartition(":")[2]] = line["fields"]["text"]
    return held


def fed_solr(paths: list[Path]) -> dict[str, str]:
    held: dict[str, str] = {}
    for path in paths:
        commands = json.loads(path.read_text(), object_pairs_hook=list)  # keys are repeated
        for name, value in commands:
            told = dict(value)
            if name == "delete":
                held.pop(told["id"], None)
            elif name == "add":
                document = dict(told["doc"])
                held[document["id"]] = document["text_txt"]
        assert commands[-1][0] == "commit"
    return held


@pytest.mark.parametrize(("name", "feed"), [("bulk", fed_bulk), ("vespa", fed_vespa), ("solr", fed_solr)])
def test_a_feed_and_its_changes_come_to_the_tables(crawl, name, feed):
    command = ["export", crawl.output, "--to", f"{name}:feed.json", "--table", "pages", "--follow"]
    assert run(command) == 0
    second(crawl)
    assert (run(command), run(command)) == (0, 0)
    third(crawl)
    assert run(command) == 0
    paths = [Path("feed.json"), Path("feed.1.json"), Path("feed.3.json")]
    assert feed(paths) == {key: row["text"] for key, row in expected(crawl.output, "pages").items()}
    assert len(feed(paths[:1])) == 9


def test_changes_of_a_snapshot_that_is_gone_need_a_whole_export(crawl, capsys):
    command = ["export", crawl.output, "--to", "vespa:feed.json", "--table", "pages", "--follow"]
    assert run(command) == 0
    second(crawl)
    for part in Path(crawl.output).glob("table_name=pages/*.parquet"):
        if "cut" not in part.name and "20" in part.name and part.stat().st_size:
            part.rename(part.with_suffix(".away"))
    assert run(command) == 2
    assert "export without --follow" in capsys.readouterr().err


def test_an_export_that_breaks_off_leaves_what_was_there(crawl, monkeypatch, capsys):
    for name in ("ndjson", "sqlite", "bulk", "parquet"):
        assert run(["export", crawl.output, "--to", f"{name}:{name}", "--table", "pages"]) == 0
    before = {name: Path(name).read_bytes() for name in ("ndjson", "bulk", "parquet")} | {"sqlite": from_sqlite("sqlite")}
    second(crawl)

    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    for module in ("line_files.LineFile", "parquet_file.ParquetFile", "feeds._Feed", "sqlite_table.SqliteTable"):
        monkeypatch.setattr(f"pdfmill.transforms.tables.sinks.{module}.commit", interrupted)
    for name in before:
        assert run(["export", crawl.output, "--to", f"{name}:{name}", "--table", "pages"]) == 130
    assert "run the same command again to continue" in capsys.readouterr().err
    assert {name: Path(name).read_bytes() for name in ("ndjson", "bulk", "parquet")} | {"sqlite": from_sqlite("sqlite")} == before
    monkeypatch.undo()
    assert not list(Path(crawl.output).parent.glob("*.unfinished"))


def test_what_is_not_ours_is_left_alone(crawl, capsys):
    Path("notes.txt").write_text("mine")
    base = sqlite3.connect("mine.sqlite")
    base.execute("CREATE TABLE pages (mine TEXT)")
    base.commit()
    base.close()
    for target in ("ndjson:notes.txt", "bulk:notes.txt", "sqlite:mine.sqlite"):
        assert run(["export", crawl.output, "--to", target, "--table", "pages"]) == 2
        assert "not written by pdfmill" in capsys.readouterr().err
    assert Path("notes.txt").read_text() == "mine"
    assert run(["export", crawl.output, "--to", "sqlite:notes.txt", "--table", "pages"]) == 2
    assert "SQLite says" in capsys.readouterr().err
    assert run(["export", crawl.output, "--to", "sqlite:mine.sqlite", "--table", "documents"]) == 0


@pytest.mark.parametrize("name", ["ndjson", "sqlite", "vespa", "parquet"])
def test_a_disk_that_takes_nothing(crawl, name, capsys):
    assert run(["export", crawl.output, "--to", f"{name}:/nowhere/at/all", "--table", "pages"]) == 2
    assert "/nowhere/at/all" in capsys.readouterr().err


def test_a_folder_that_is_no_output(tmp_path, capsys):
    assert run(["export", str(tmp_path), "--to", "ndjson:x"]) == 2
    assert "is no output of pdfmill: it has no table documents" in capsys.readouterr().err


def test_tables_of_index_have_no_changes(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    Path("a.pdf").write_bytes(tiny("one"))
    assert run(["index", "a.pdf", "--output", "out", "--no_isolation"]) == 0
    assert run(["export", "out", "--to", "ndjson:x", "--follow"]) == 2
    assert "was not written by a crawl" in capsys.readouterr().err
    assert run(["export", "out", "--to", "ndjson:x"]) == 0
    (row,) = lines("x")
    assert row["text"].startswith("one, page 1 of 1")
    assert row["source_uri"] == (tmp_path / "a.pdf").as_uri()


@pytest.mark.servers
def test_tables_in_a_store(tmp_path, monkeypatch, s3_server):
    monkeypatch.chdir(tmp_path)
    Path("a.pdf").write_bytes(tiny("one", 2))
    output = f"s3://{s3_server.make_bucket()}/tables"
    assert run(["index", "a.pdf", "--output", output, "--no_isolation"]) == 0
    assert run(["export", output, "--to", "ndjson:x", "--table", "pages"]) == 0
    assert [row["page"] for row in lines("x")] == [1, 2]


def test_tables_that_are_replaced_while_they_are_read(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    Path("a.pdf").write_bytes(tiny("one"))
    assert run(["index", "a.pdf", "--output", "out", "--no_isolation"]) == 0
    next(Path("out/sections").glob("*.parquet")).unlink()  # the manifest still names it
    assert run(["export", "out", "--to", "ndjson:x"]) == 2
    assert "the tables were probably replaced while they were read: export again" in capsys.readouterr().err
    assert not Path("x").exists()


@pytest.mark.parametrize(
    ("target", "says"),
    [
        ("tantivy:x", "unknown target 'tantivy'; give one of opensearch"),
        ("ndjson", "is a file on this machine"),
        ("ndjson:s3://bucket/x", "is a file on this machine"),
        ("opensearch:9200", "write opensearch as opensearch+https://"),
        ("opensearch+https://host:9200", "write opensearch as opensearch+https://"),
        ("opensearch+https://me:hush@host:9200/pages", "PDFMILL_EXPORT_PASSWORD"),
        ("opensearch+https://me:hush@@host:9200/pages/", ""),
    ],
)
def test_targets_that_are_none(target, says):
    with pytest.raises(SinkError) as told:
        parse_target(target)
    assert says in str(told.value)
    assert "hush" not in str(told.value)


def test_a_target_is_shown_without_its_user():
    target = parse_target("opensearch+https://feeder@search:9200/reports/")
    assert (target.place, target.user) == ("https://search:9200/reports", "feeder")
    assert target.shown == "opensearch+https://search:9200/reports"
