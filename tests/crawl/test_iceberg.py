"""`examples/iceberg.py`, run as its first lines say: pyiceberg shows the rows that delta-rs shows, after each run, over the same files."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from deltalake import DeltaTable
from pyiceberg.catalog import Catalog, load_catalog

from pdfmill.schemas.crawl import CRAWL_TABLES
from tests.crawl.help import Crawl, configure, tiny
from tests.crawl.test_each_table import change

EXAMPLE = Path(__file__).parents[2] / "examples" / "iceberg.py"


@pytest.fixture
def crawl(tmp_path: Path) -> Crawl:
    (tmp_path / "in").mkdir()
    for number in range(4):
        (tmp_path / "in" / f"{number}.pdf").write_bytes(tiny(f"number {number}", 2))
    return configure(tmp_path, str(tmp_path / "in"), str(tmp_path / "out"), crawl="each_table = true\nmark_deletes = false")


def follow(crawl: Crawl, tmp_path: Path) -> tuple[Catalog, dict[str, str]]:
    """Run the example; return the catalog, and what it printed of each table."""
    places = (f"sqlite:///{tmp_path}/catalog.db", tmp_path.as_uri())
    command = [sys.executable, str(EXAMPLE), str(crawl.output), "--uri", places[0], "--warehouse", places[1]]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return load_catalog("pdfmill", uri=places[0], warehouse=places[1]), dict(line.split(": ") for line in done.stdout.splitlines())


def same_rows(crawl: Crawl, catalog: Catalog) -> None:
    """Compare texts and whole numbers of all tables; null lists of records are read as empty ones by pyiceberg 0.12.0."""
    for name, schema in CRAWL_TABLES.items():
        plain = [field.name for field in schema if str(field.type) in ("string", "large_string", "int32", "int64", "bool")]
        delta = DeltaTable(f"{crawl.output}/table_name={name}").to_pyarrow_table(columns=plain).to_pylist()
        if catalog.table_exists(("pdfmill", name)):
            iceberg = catalog.load_table(("pdfmill", name)).scan(selected_fields=tuple(plain)).to_arrow().select(plain).to_pylist()
        else:
            iceberg = []
        assert sorted(map(str, iceberg)) == sorted(map(str, delta)), name


def test_iceberg_tables_follow_a_crawl_without_a_copy(crawl: Crawl, tmp_path: Path) -> None:
    crawl.report()
    catalog, first = follow(crawl, tmp_path)
    assert first["documents"] == "1 files added, 0 taken out"
    same_rows(crawl, catalog)
    assert not list(tmp_path.rglob("data/*.parquet")), "rows were copied"

    change(crawl)
    crawl.report()
    catalog, second = follow(crawl, tmp_path)
    assert second["documents"] != "0 files added, 0 taken out"
    same_rows(crawl, catalog)

    _, third = follow(crawl, tmp_path)
    assert set(third.values()) == {"0 files added, 0 taken out"}
