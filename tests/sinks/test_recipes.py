"""Every recipe of docs/recipes.md does what its heading says."""

from __future__ import annotations

import json
import os
import re
import sqlite3
from pathlib import Path
from typing import Any

import duckdb
import pytest

from pdfmill.pipeline.cli.main import run
from tests.sinks.help import ask

TEXT = (Path(__file__).resolve().parents[2] / "docs" / "recipes.md").read_text(encoding="utf-8")
RECIPES = {(tool, name): code for tool, name, code in re.findall(r"<!-- recipe (\w+): (\w+) -->\n```\w+\n(.*?)```", TEXT, re.DOTALL)}


def test_every_block_of_code_is_a_recipe():
    """Those for a shell are run by tests/test_docs_blocks.py."""
    assert len(RECIPES) == len(re.findall(r"^```(?!sh$)\w+$", TEXT, re.MULTILINE)) == 10


@pytest.fixture
def here(tables: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder in which `out` is."""
    monkeypatch.chdir(tables.parent)
    return tables.parent


def sql(name: str) -> list[tuple[Any, ...]]:
    return duckdb.connect().execute(RECIPES["duckdb", name]).fetchall()


def python(tool: str, name: str) -> Any:
    made: dict[str, Any] = {}
    exec(RECIPES[tool, name], made)
    return made["found"]


def test_pages_that_need_ocr(here):
    scan = (here / "scan.pdf").as_uri()
    assert sql("ocr") == [(scan, [1])]
    assert python("polars", "ocr").rows() == [(scan, [1])]


def test_tables_with_a_column_head(here):
    found = sql("heads")
    assert [(uri.rpartition("/")[2], heads) for uri, _, heads in found] == [
        (f"{name}.pdf", ["Month", "Tonnage"]) for name in ("first", "second")
    ]
    tables = python("pandas", "heads")
    assert [list(table["Month"]) for table in tables] == [["June", "July", "August"]] * 2


def test_what_stands_under_a_heading(here):
    found = sql("under")
    assert [(uri.rpartition("/")[2], page) for uri, page, _, _ in found] == [("first.pdf", 1), ("second.pdf", 1)]
    assert all(headings.endswith("Bridges") and "the ferry carries" in text for _, _, headings, text in found)


def test_what_failed(here, tmp_path, monkeypatch):
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "page.pdf").write_bytes(b"<html>no</html>")
    (tmp_path / "in" / "good.pdf").write_bytes((here / "first.pdf").read_bytes())
    monkeypatch.chdir(tmp_path)
    assert run(["index", "in", "--output", "out", "--no_isolation"]) == 1
    ((uri, code, message),) = python("polars", "failed").rows()
    assert (uri.rpartition("/")[2], code) == ("page.pdf", "not_pdf")
    assert "html" in message


def test_sqlite(here, tmp_path):
    path = tmp_path / "reports.sqlite"
    assert run(["export", "out", "--to", f"sqlite:{path}"]) == 0
    base = sqlite3.connect(path)
    *steps, query = [each for each in RECIPES["sqlite", "search"].split(";") if each.strip()]
    for step in steps:
        base.execute(step)
    found = base.execute(query).fetchall()
    assert [uri.rpartition("/")[2] for uri, _, _ in found] == ["first.pdf", "second.pdf"]
    assert all("[bridges]" in passage or "[ferry]" in passage for _, _, passage in found)
    headings = dict(base.execute(RECIPES["sqlite", "headings"]).fetchall())
    base.close()
    assert headings["Bridges"] >= 2


@pytest.mark.servers
def test_opensearch(here, opensearch):
    index = f"recipes-{os.getpid()}"
    assert run(["export", "out", "--to", f"opensearch+{opensearch}/{index}"]) == 0
    found = ask(opensearch, f"{index}/_search", json.loads(RECIPES["opensearch", "marked"]))["hits"]["hits"]
    assert sorted(hit["_source"]["source_uri"].rpartition("/")[2] for hit in found) == ["first.pdf", "second.pdf"]
    for hit in found:
        assert hit["_source"]["heading_path"][-1] == "Bridges"
        assert hit["_source"]["boxes"][0]["page"] == 1
        marked = [word for texts in hit["highlight"].values() for text in texts for word in re.findall("<em>(.*?)</em>", text)]
        assert {word.lower() for word in marked} == {"bridges", "closed"}
        assert hit["inner_hits"]["more"]["hits"]["total"]["value"] >= 1
    counted = ask(opensearch, f"{index}/_search", json.loads(RECIPES["opensearch", "facets"]))["aggregations"]["headings"]["buckets"]
    assert {bucket["key"]: bucket["doc_count"] for bucket in counted}["Bridges"] == 2
    ask(opensearch, f"{index}-*", method="DELETE")
