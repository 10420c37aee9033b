"""Each table as a Delta table of its own, and the way back from marked rows, as readers without our code see them."""

from __future__ import annotations

import json
from pathlib import Path

import deltalake
import duckdb
import polars as pl
import pyarrow as pa
import pytest

from pdfmill.pipeline.cli.main import run
from pdfmill.schemas.crawl import CRAWL_TABLES
from tests.crawl.help import Crawl, configure, scanned, snapshot_tables, tiny


@pytest.fixture
def crawl(tmp_path: Path) -> Crawl:
    """Six documents."""
    (tmp_path / "in").mkdir()
    for number in range(6):
        (tmp_path / "in" / f"{number}.pdf").write_bytes(tiny(f"number {number}", 2))
    return configure(tmp_path, str(tmp_path / "in"), str(tmp_path / "out"), crawl="each_table = true")


def own(crawl: Crawl, table: str) -> deltalake.DeltaTable:
    return deltalake.DeltaTable(f"{crawl.output}/table_name={table}")


def rows(table: pa.Table) -> list[str]:
    return sorted(map(str, table.to_pylist()))


def check(crawl: Crawl) -> None:
    """Each table has its columns, and the rows that the one table has of it."""
    for table, schema in CRAWL_TABLES.items():
        there = own(crawl, table)
        assert [field.name for field in there.schema().fields] == schema.names
        read = pa.RecordBatchReader.from_stream(there.scan()).read_all().select(schema.names)
        assert rows(read) == rows(scanned(crawl.output, table, columns=schema.names)), table


def change(crawl: Crawl) -> None:
    folder = Path(crawl.source)
    (folder / "0.pdf").write_bytes(tiny("changed", 3))
    (folder / "1.pdf").unlink()
    (folder / "new.pdf").write_bytes(tiny("new"))


def test_each_table_shows_what_the_one_table_does(crawl: Crawl) -> None:
    crawl.report()
    check(crawl)
    change(crawl)
    crawl.report()
    check(crawl)
    assert own(crawl, "pages").version() == 1
    assert own(crawl, "stale").version() == 0
    assert run(["crawl", str(crawl.path), "--compact"]) == 0
    assert run(["crawl", str(crawl.path), "--vacuum"]) == 0
    check(crawl)
    assert crawl.report()["outcome"] == "unchanged"
    check(crawl)


def test_other_readers(crawl: Crawl) -> None:
    crawl.report()
    change(crawl)
    crawl.report()
    pages = snapshot_tables(crawl.output)["pages"].num_rows
    assert pl.scan_delta(f"{crawl.output}/table_name=pages").select(pl.len()).collect().item() == pages
    connection = duckdb.connect()
    connection.register("pages", own(crawl, "pages").scan())
    assert connection.execute("select count(*), count(distinct doc_id) from pages").fetchone() == (pages, 6)


def test_what_was_lost_between_commits_is_made_up_for(crawl: Crawl) -> None:
    """A run that died before it showed each table, and a tool that cleaned a folder's log away."""
    crawl.path.write_text(crawl.path.read_text().replace("each_table = true", "each_table = false"))
    crawl.report()
    change(crawl)
    crawl.report()
    assert not Path(crawl.output, "table_name=pages", "_delta_log").exists()
    crawl.path.write_text(crawl.path.read_text().replace("each_table = false", "each_table = true"))
    crawl.report()
    check(crawl)
    for log in Path(crawl.output, "table_name=pages", "_delta_log").iterdir():
        log.unlink()
    crawl.report()
    check(crawl)


def protocol(output: str) -> int:
    return deltalake.DeltaTable(output).protocol().min_reader_version


@pytest.mark.parametrize("flag", [["--compact"], []])
def test_the_way_back_from_marked_rows(crawl: Crawl, flag: list[str]) -> None:
    """Once no row is marked any more, every reader can read the table again."""
    crawl.report()
    change(crawl)
    crawl.report()
    assert protocol(crawl.output) == 3
    with pytest.raises(Exception, match=r"[Dd]eletion"):
        deltalake.DeltaTable(crawl.output).to_pyarrow_dataset()
    crawl.path.write_text(crawl.path.read_text().replace("[crawl]", "[crawl]\nmark_deletes = false"))
    if flag:
        assert run(["crawl", str(crawl.path), *flag]) == 0
    else:
        crawl.report()  # upkeep writes again what has marked rows
    assert protocol(crawl.output) == 1
    assert "delta.enableDeletionVectors" not in json.dumps(deltalake.DeltaTable(crawl.output).metadata().configuration)
    counted = sum(scanned(crawl.output, table, columns=["doc_id"]).num_rows for table in CRAWL_TABLES)
    assert deltalake.DeltaTable(crawl.output).to_pyarrow_dataset().count_rows() == counted
    check(crawl)
    assert deltalake.DeltaTable(f"{crawl.output}/table_name=pages").to_pyarrow_dataset().count_rows() == own(crawl, "pages").count()
    change_again = Path(crawl.source) / "2.pdf"
    change_again.write_bytes(tiny("two, changed"))
    crawl.report()
    assert protocol(crawl.output) == 1
    check(crawl)
