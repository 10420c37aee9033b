"""What a crawl must never do, and what it does instead."""

from __future__ import annotations

import os
import re
import secrets
import subprocess
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import duckdb
import polars as pl
import pyarrow as pa
import pyarrow.dataset as ds
import pytest
from deltalake.exceptions import DeltaProtocolError

from pdfmill.pipeline.cli.main import run
from pdfmill.pipeline.crawl import local_run as here
from pdfmill.pipeline.crawl.config import SETTINGS, load_config
from pdfmill.pipeline.crawl.report import history_picture
from pdfmill.pipeline.crawl.upkeep import compact
from pdfmill.schemas.crawl import CRAWL_TABLES
from pdfmill.transforms.delta.delta_log import commit, load_snapshot
from pdfmill.transforms.tables.lock import locked
from tests.crawl.help import Crawl, configure, one_table, open_table, snapshot_tables, tiny
from tests.crawl.test_keep import store_away
from tests.invariants import check_invariants

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"


@pytest.fixture
def source(tmp_path: Path) -> Path:
    folder = tmp_path / "in"
    folder.mkdir()
    for number in range(20):
        (folder / f"{number:03d}.pdf").write_bytes(tiny(f"document {number}", 1 + number % 3))
    return folder


@pytest.fixture
def crawl(source: Path, tmp_path: Path) -> Crawl:
    return configure(tmp_path, str(source), str(tmp_path / "out"))


def names(output: str) -> set[str]:
    return {row["source_uri"].rpartition("/")[2] for row in snapshot_tables(output)["documents"].to_pylist()}


def test_deletes_wait_for_a_word_when_they_are_many(crawl, source):
    assert crawl.report()["exit_code"] == 0
    for number in range(12):
        (source / f"{number:03d}.pdf").unlink()
    withheld = crawl.report()
    assert (withheld["exit_code"], withheld["outcome"], withheld["plan"]["gone"]) == (4, "unchanged", 12)
    assert "12 of 20 objects" in withheld["deletes_withheld"]
    assert len(names(crawl.output)) == 20
    done = crawl.report("--allow-mass-delete")
    assert (done["exit_code"], done["version"]) == (0, 1)
    tables = snapshot_tables(crawl.output)
    check_invariants(tables, inputs=8)
    tombs = [row for row in one_table(crawl.output, "sources").to_pylist() if row["deleted_at"]]
    assert len(tombs) == 12
    (source / "000.pdf").write_bytes(tiny("back"))
    assert crawl.report()["plan"] == {"new": 1, "unchanged": 8}
    assert len([row for row in one_table(crawl.output, "sources").to_pylist() if row["deleted_at"]]) == 11


def test_a_source_that_fails_or_is_empty_is_no_delete(crawl, source, tmp_path):
    crawl.report()
    source.rename(tmp_path / "away")
    lost = crawl.report()
    assert (lost["exit_code"], lost["outcome"]) == (1, "unchanged"), "the only source is away for a night"
    assert lost["unlisted_sources"][0]["error_code"] == "not_found"
    source.mkdir()
    assert crawl.report()["outcome"] == "unchanged"
    assert len(names(crawl.output)) == 20


def test_a_failing_source_beside_a_good_one_keeps_its_documents(crawl, source, tmp_path):
    more = tmp_path / "more"
    more.mkdir()
    (more / "other.pdf").write_bytes(tiny("other"))
    crawl.path.write_text(crawl.path.read_text().replace("sources = [", f'sources = ["{more}", '))
    assert crawl.report()["listed"] == 21
    (more / "other.pdf").unlink()
    (source / "000.pdf").write_bytes(tiny("changed"))
    report = crawl.report()
    assert (report["exit_code"], report["plan"]["gone"], report["plan"]["changed"]) == (1, 1, 1), (
        "nobody is to delete by hand what is away for a night"
    )
    assert "other.pdf" in names(crawl.output)


def test_a_dead_source_blocks_only_its_own_deletes(crawl, source, tmp_path):
    more = tmp_path / "more"
    more.mkdir()
    for name in ("one.pdf", "two.pdf"):
        (more / name).write_bytes(tiny(name))
    crawl.path.write_text(crawl.path.read_text().replace("sources = [", f'sources = ["{more}", '))
    crawl.report()
    more.rename(tmp_path / "away")
    (source / "000.pdf").unlink()
    report = crawl.report()
    assert (report["exit_code"], report["outcome"], report["plan"]["gone"]) == (1, "committed", 3)
    assert "2 objects" in report["deletes_withheld"]
    assert {"one.pdf", "two.pdf"} <= names(crawl.output)
    assert "000.pdf" not in names(crawl.output)
    assert crawl.report("--allow-mass-delete")["plan"]["gone"] == 2
    assert len(names(crawl.output)) == 19


def test_nearly_all_of_a_small_set_is_no_small_delete(crawl, source):
    for number in range(10, 20):
        (source / f"{number:03d}.pdf").unlink()
    crawl.report()
    for number in range(9):
        (source / f"{number:03d}.pdf").unlink()
    report = crawl.report()
    assert (report["exit_code"], report["outcome"]) == (4, "unchanged")
    assert "9 of 10 objects would be deleted, more than 50%" in report["deletes_withheld"]


def test_a_shrunk_document_leaves_no_stale_pages(crawl, source):
    (source / "000.pdf").write_bytes(tiny("long", 9))
    crawl.report()
    (source / "000.pdf").write_bytes(tiny("short", 2))
    assert crawl.report()["plan"] == {"changed": 1, "unchanged": 19}
    check_invariants(snapshot_tables(crawl.output), inputs=20)
    changes = duckdb.sql(
        "SELECT change, changed_table, count(*) n FROM t WHERE snapshot = 1 GROUP BY ALL ORDER BY ALL", connection=_over(crawl, "changes")
    )
    assert changes.fetchall() == [("removed", "pages", 7), ("replaced", "documents", 1), ("replaced", "pages", 2)]


def _over(crawl, table):
    connection = duckdb.connect()
    connection.register("t", one_table(crawl.output, table))
    return connection


def test_other_settings_read_everything_again(crawl):
    crawl.report()
    crawl.path.write_text(crawl.path.read_text() + 'hyphens = "off"\n')
    assert crawl.report()["plan"] == {"redo": 20}


def test_two_crawls_at_once(crawl, source):
    """One of them; both give up where they see each other take the lock."""
    first, second = (subprocess.Popen(crawl.command(), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) for _ in range(2))
    told = [process.communicate()[0] for process in (first, second)]
    codes = sorted(process.returncode for process in (first, second))
    assert codes in ([0, 6], [6, 6], [0, 0]), told
    assert crawl.report()["outcome"] == ("committed" if codes == [6, 6] else "unchanged")
    assert open_table(crawl.output).version() == 0
    check_invariants(snapshot_tables(crawl.output), inputs=20)


def test_who_comes_while_another_run_goes_on_says_so(crawl, capsys):
    with locked(crawl.output):
        for flag in ([], ["--compact"], ["--vacuum"]):
            assert run(["crawl", str(crawl.path), *flag]) == 6
            assert "another run writes into" in capsys.readouterr().err
    assert crawl.report()["exit_code"] == 0


def meanwhile(monkeypatch: pytest.MonkeyPatch, others: list[Callable[[], object]]) -> None:
    """Another one commits after what a run has read, and before the run commits; as often as there are others."""
    carry_out = here.carry_out

    def late(*given: Any, **more: Any) -> object:
        done = carry_out(*given, **more)
        if others:
            others.pop()()
        return done

    monkeypatch.setattr(here, "carry_out", late)


def test_a_run_that_upkeep_came_before_goes_on_over_it(crawl, source, monkeypatch):
    crawl.path.write_text(crawl.path.read_text().replace("batch_documents = 20", "batch_documents = 4"))
    crawl.report()
    (source / "003.pdf").write_bytes(tiny("changed"))
    (source / "004.pdf").unlink()
    meanwhile(monkeypatch, [lambda: compact(load_config(str(crawl.path)))])
    report = crawl.report()
    assert (report["exit_code"], report["version"]) == (0, 2)
    assert report["plan"] == {"adopted": 1, "gone": 1, "unchanged": 18}, "what was read is not read again"
    tables = snapshot_tables(crawl.output)
    check_invariants(tables, inputs=19)
    assert any(text.startswith("changed") for text in tables["pages"]["text"].to_pylist())
    assert "004.pdf" not in names(crawl.output)


def test_who_is_second_again_and_again_says_so_and_loses_nothing(crawl, source, monkeypatch, capsys):
    def other():
        commit(crawl.output, load_snapshot(crawl.output), [], [], {"run": secrets.token_hex(8)})

    meanwhile(monkeypatch, [other] * 3)
    report = crawl.report()
    assert (report["exit_code"], report["outcome"]) == (5, "conflict")
    assert "another run committed version 2 first; the next run uses what was read" in capsys.readouterr().err
    assert crawl.report()["plan"] == {"adopted": 20}
    check_invariants(snapshot_tables(crawl.output), inputs=20)


def test_compact_and_vacuum(crawl, source, tmp_path):
    crawl.path.write_text(
        crawl.path.read_text().replace("batch_documents = 20", "batch_documents = 4").replace("[crawl]", "[crawl]\nkeep_days = 0")
    )
    crawl.report()
    (source / "003.pdf").unlink()
    crawl.report()
    before = snapshot_tables(crawl.output)
    assert run(["crawl", str(crawl.path), "--compact"]) == 0
    assert all(before[name].equals(table) for name, table in snapshot_tables(crawl.output).items())
    assert len(open_table(crawl.output).file_uris()) == len({"documents", "pages", "blocks", "sections", "sources", "changes"})
    assert run(["crawl", str(crawl.path), "--vacuum"]) == 0
    parts = {str(path) for path in Path(crawl.output).rglob("*.parquet")}
    assert len(parts) == 6
    assert all(before[name].equals(table) for name, table in snapshot_tables(crawl.output).items())
    assert crawl.report()["outcome"] == "unchanged"


def test_vacuum_takes_what_a_killed_process_had_begun_to_write(crawl):
    crawl.report()
    old, young = (Path(crawl.output, folder, ".writing-x") for folder in ("_delta_log", "table_name=pages"))
    for path in (old, young):
        path.write_bytes(b"half")
    os.utime(old, (0, 0))
    assert run(["crawl", str(crawl.path), "--vacuum"]) == 0
    assert (old.exists(), young.exists()) == (False, True)


def test_vacuum_leaves_young_files(crawl):
    crawl.report()
    before = set(Path(crawl.output).rglob("*.parquet"))
    assert run(["crawl", str(crawl.path), "--vacuum"]) == 0
    assert set(Path(crawl.output).rglob("*.parquet")) == before


def test_readers_without_our_code(crawl, source):
    crawl.report()
    (source / "000.pdf").unlink()
    crawl.report()
    lazy = pl.scan_delta(crawl.output)
    assert lazy.filter(pl.col("table_name") == "documents").collect().height == 19
    assert pl.scan_delta(crawl.output, version=0).filter(pl.col("table_name") == "documents").collect().height == 20
    whole = open_table(crawl.output)
    connection = duckdb.connect()
    connection.register("out", pa.table(whole.scan()))
    connection.execute((EXAMPLES / "views.sql").read_text())
    for name, schema in CRAWL_TABLES.items():
        own = [each.name for each in whole.schema().fields if name in each.metadata["tables"].split()]
        assert set(own) == set(schema.names)
        assert [column[0] for column in connection.execute(f"SELECT * FROM {name}").description or ()] == schema.names
        assert lazy.filter(table_name=name).select(own).collect().height == one_table(crawl.output, name).num_rows
    pages = sum(1 + number % 3 for number in range(1, 20))
    for version, rows in ((0, pages + 1), (1, pages)):
        connection.register("snapshot", open_table(crawl.output, version).scan())
        assert connection.execute("SELECT count(*) FROM snapshot WHERE table_name = 'pages' AND width > 500").fetchall() == [(rows,)]
        assert one_table(crawl.output, "pages", version).num_rows == rows
    with pytest.raises(DeltaProtocolError, match="deletionVectors"):  # refused, not misread
        open_table(crawl.output).to_pyarrow_dataset()


def test_readers_that_know_no_deletion_vectors(crawl, source):
    crawl.path.write_text(crawl.path.read_text().replace("[crawl]", "[crawl]\nmark_deletes = false"))
    crawl.report()
    (source / "000.pdf").unlink()
    crawl.report()
    pages = sum(1 + number % 3 for number in range(1, 20))
    for version, rows in ((0, pages + 1), (1, pages)):
        table = open_table(crawl.output, version)
        assert table.to_pyarrow_dataset().count_rows(filter=ds.field("table_name") == "pages") == rows
        files = table.file_uris()  # for readers of Parquet that know no Delta
        parquet = f"SELECT count(*) FROM read_parquet({files!r}, union_by_name=true, hive_partitioning=true) WHERE table_name = 'pages'"
        assert duckdb.execute(parquet).fetchall() == [(rows,)]


def test_a_table_of_an_older_pdfmill_gets_the_new_columns(crawl, source, monkeypatch):
    import pdfmill.transforms.delta.delta_log as log

    whole = log.SNAPSHOT
    monkeypatch.setattr(log, "SNAPSHOT", whole.remove(whole.get_field_index("source_checksum")))
    crawl.report()
    assert "source_checksum" not in open_table(crawl.output).schema().to_arrow().names
    monkeypatch.undo()
    (source / "000.pdf").write_bytes(tiny("changed"))
    before = open_table(crawl.output).metadata().id
    crawl.report()
    assert "source_checksum" in open_table(crawl.output).schema().to_arrow().names
    assert open_table(crawl.output).metadata().id == before
    assert one_table(crawl.output, "sources").num_rows == 20
    (source / "000.pdf").write_bytes(tiny("again"))
    crawl.report()
    assert "metaData" not in Path(crawl.output, "_delta_log", f"{2:020d}.json").read_text()


def test_the_plan_does_nothing(crawl, source, capsys):
    assert run(["crawl", str(crawl.path), "--plan"]) == 0
    assert "new               20" in capsys.readouterr().out
    assert not os.path.exists(crawl.output)


def test_the_plan_says_why(crawl, source, capsys):
    crawl.report()
    (source / "000.pdf").write_bytes(tiny("changed and longer", 4))
    (source / "001.pdf").unlink()
    (source / "new.pdf").write_bytes(tiny("new"))
    with store_away("002.pdf"):
        (source / "002.pdf").write_bytes(tiny("away", 2))
        crawl.path.write_text(crawl.path.read_text().replace("[crawl]", "[crawl]\nretry_after_hours = 0"))
        crawl.report()
    (source / "003.pdf").unlink()
    (source / "000.pdf").write_bytes(tiny("changed again", 1))
    (source / "001.pdf").write_bytes(tiny("back"))
    crawl.path.write_text(crawl.path.read_text() + 'hyphens = "off"\n')
    capsys.readouterr()
    assert run(["crawl", str(crawl.path), "--plan"]) == 0
    told = capsys.readouterr().out
    for name, why in (
        ("000.pdf", r"\(size \d+ -> \d+\)"),
        ("001.pdf", r"\(deleted on .*, listed again\)"),
        ("002.pdf", r"\(size \d+ -> \d+\)"),
        ("003.pdf", r"\(listed by .*/in before\)"),
        ("004.pdf", r"\(read with version and settings \w+, now \w+\)"),
    ):
        assert re.search(f"{name}  {why}", told), (name, told)


def test_a_first_configuration(tmp_path, source, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert run(["crawl", "conf.toml", "--init", "in/", "s3://b/c/", "--output", "out"]) == 0
    config = load_config("conf.toml")
    assert (config.sources, config.output) == ((f"{tmp_path}/in/", "s3://b/c/"), f"{tmp_path}/out")
    text = Path("conf.toml").read_text()
    whole = tomllib.loads(text.replace("# ", "", 1).replace("\n# ", "\n").replace("pdfmill crawl conf.toml\n", ""))
    assert whole["crawl"] == {name: setting.default for name, setting in SETTINGS.items()}
    assert run(["crawl", "conf.toml", "--init", "in/", "--output", "out"]) == 2
    assert "exists already" in capsys.readouterr().err
    with pytest.raises(SystemExit):
        run(["crawl", "conf.toml", "--init", "in/"])


def test_a_bad_configuration_ends_with_2(tmp_path, capsys):
    (tmp_path / "c.toml").write_text('sources = ["x"]\n')
    assert run(["crawl", str(tmp_path / "c.toml")]) == 2
    assert "c.toml:1: output" in capsys.readouterr().err


def test_an_embedded_document_goes_with_its_parent(crawl, source):
    from tests.pipeline.test_index import with_attachment

    (source / "cover.pdf").write_bytes(with_attachment(tiny("inner", 3)))
    crawl.report()
    assert snapshot_tables(crawl.output)["documents"].num_rows == 22
    (source / "cover.pdf").write_bytes(tiny("no attachment any more"))
    crawl.report()
    tables = snapshot_tables(crawl.output)
    assert tables["documents"].num_rows == 21
    check_invariants(tables, inputs=21)


def test_the_same_bytes_are_read_once_and_pointed_at(crawl, source):
    for name in ("copy-1.pdf", "copy-2.pdf"):
        (source / name).write_bytes((source / "004.pdf").read_bytes())
    first = crawl.report()
    assert (first["plan"], first["duplicates"], first["statuses"]) == ({"new": 22}, 2, {"ok": 20})
    tables = snapshot_tables(crawl.output)
    check_invariants(tables, inputs=22)
    rows = {row["source_uri"].rpartition("/")[2]: row for row in tables["documents"].to_pylist()}
    same = [rows[name] for name in ("004.pdf", "copy-1.pdf", "copy-2.pdf")]
    (original,) = [row for row in same if row["duplicate_of"] is None]
    assert [row["duplicate_of"] for row in same if row is not original] == [original["doc_id"]] * 2
    assert len({row["content_sha256"] for row in same}) == 1
    assert crawl.report()["outcome"] == "unchanged"

    (source / "late.pdf").write_bytes((source / "004.pdf").read_bytes())
    late = crawl.report()
    assert (late["plan"], late["duplicates"], late["statuses"]) == ({"new": 1, "unchanged": 22}, 1, {})

    Path(original["source_uri"].removeprefix("file://")).unlink()
    after = crawl.report()
    assert (after["plan"], after["duplicates"], after["statuses"]) == ({"redo": 3, "gone": 1, "unchanged": 19}, 2, {"ok": 1})
    check_invariants(snapshot_tables(crawl.output), inputs=22)


def test_the_history_and_its_picture(crawl, source, tmp_path, capsys):
    crawl.report()
    (source / "000.pdf").unlink()
    crawl.report()
    picture = tmp_path / "runs.svg"
    assert run(["report", crawl.output, "--picture", str(picture)]) == 0
    out = capsys.readouterr().out
    assert len([line for line in out.splitlines() if "committed" in line]) >= 2
    svg = ElementTree.fromstring(picture.read_text())
    titles = [each.text for each in svg.iter("{http://www.w3.org/2000/svg}title")]
    assert [("20 new" in titles[0]), ("1 gone" in titles[1])] == [True, True]
    bars = [[each for each in group if each.tag.endswith("rect")] for group in svg.iter("{http://www.w3.org/2000/svg}g")]
    assert [float(bars[0][0].get("height", 0)), float(bars[0][0].get("y", 0))] == [160.0, 10.0], "the most objects of a run fill the height"
    (gone,) = bars[1][-1:]
    assert float(gone.get("height", 0)) == pytest.approx(160 / 20)
    assert float(gone.get("x", 0)) - float(bars[0][0].get("x", 0)) == float(gone.get("width", 0)) + 4, "runs stand side by side"


def test_a_run_that_failed_is_marked_in_the_picture():
    report = {"started": "2026-11-01", "version": 3, "outcome": "committed", "plan": {"new": 4}, "statuses": {"ok": 3, "failed": 1}}
    picture = history_picture([report, {**report, "statuses": {"ok": 4}}])
    assert ("4 new; 1 failed" in picture, "4 new; 0 failed" in picture, picture.count('stroke="#e45756"')) == (True, True, 1)
