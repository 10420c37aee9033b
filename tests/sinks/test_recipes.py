"""Every recipe of docs/recipes.md does what its heading says."""

from __future__ import annotations

import json
import os
import re
import sqlite3
from pathlib import Path
from typing import Any

import duckdb
import pikepdf
import pytest
from pikepdf import Array, Dictionary, Name

from pdfmill.pipeline.cli.main import run
from tests.sinks.help import ask

TEXT = (Path(__file__).resolve().parents[2] / "docs" / "recipes.md").read_text(encoding="utf-8")
RECIPES = {(tool, name): code for tool, name, code in re.findall(r"<!-- recipe (\w+): (\w+) -->\n```\w+\n(.*?)```", TEXT, re.DOTALL)}


def test_every_block_of_code_is_a_recipe():
    """Those for a shell are run by tests/test_docs_blocks.py."""
    assert len(RECIPES) == len(re.findall(r"^```(?!sh$)\w+$", TEXT, re.MULTILINE)) == 18


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


@pytest.fixture(scope="module")
def archive(tables: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with `out`, the tables of a report and its copy, of one with a link and an attachment, and of a file that is no PDF."""
    folder = tmp_path_factory.mktemp("archive")
    (folder / "in").mkdir()
    for name in ("first", "copy"):
        (folder / "in" / f"{name}.pdf").write_bytes((tables.parent / "first.pdf").read_bytes())
    with pikepdf.open(tables.parent / "second.pdf") as pdf:
        action = Dictionary(S=Name.URI, URI="https://example.org/ferry")
        pdf.pages[0].Annots = Array([Dictionary(Type=Name.Annot, Subtype=Name.Link, Rect=[72, 72, 172, 90], A=action)])
        pdf.attachments["figures.pdf"] = (tables.parent / "scan.pdf").read_bytes()
        pdf.docinfo["/CreationDate"] = "D:20240701120000Z"
        pdf.save(folder / "in" / "R\u00e9sum\u00e9 1.pdf")
    (folder / "in" / "page.pdf").write_bytes(b"<html>no</html>")
    assert run(["index", str(folder / "in"), "--output", str(folder / "out"), "--no_isolation"]) == 1
    return folder


def test_pages_that_need_ocr(here):
    assert sql("ocr") == [("scan.pdf", [1])]
    assert [row[1:] for row in python("polars", "ocr").rows()] == [("scan.pdf", [1])]


def test_tables_with_a_column_head(here):
    assert [(name, heads) for name, _, heads in sql("heads")] == [(name, ["Month", "Tonnage"]) for name in ("first.pdf", "second.pdf")]
    tables = python("pandas", "heads")
    assert [list(table["Month"]) for table in tables] == [["June", "July", "August"]] * 2


def test_text_under_a_heading(here):
    found = sql("under")
    assert [(name, page) for name, page, _, _ in found] == [("first.pdf", 1), ("second.pdf", 1)]
    assert all(headings.endswith("Bridges") and "the ferry carries" in text for _, _, headings, text in found)


def test_boxes_of_a_word(here):
    found = sql("words")
    assert {(name, page) for name, page, *_ in found} == {("first.pdf", 1), ("second.pdf", 1)}
    assert len(found) == 8
    assert all(70 < x0 < x1 < 545 and 0 < top < bottom < 20 + top for _, _, x0, top, x1, bottom in found)


def test_questions_about_an_archive(archive, monkeypatch):
    monkeypatch.chdir(archive)
    ((status, code, count, message),) = sql("failed")
    assert (status, code, count) == ("not_pdf", "not_pdf", 1)
    assert "html" in message
    assert sql("years")[1:] == [(2000, "anonymous", 1, 1), (2024, "The Town Council", 1, 1)]
    assert {(name, year) for year, heading, name, _ in sql("headings") if heading == "Bridges"} == {
        ("R\u00e9sum\u00e9 1.pdf", 2024), ("copy.pdf", 2000), ("first.pdf", 2000)
    }  # fmt: skip
    assert sql("languages")[0] == ("en", 3, 3)
    assert sql("duplicates") == [(["copy.pdf", "first.pdf"],)]
    sizes = [size for _, size, _ in sql("largest")]
    assert sizes == sorted(sizes, reverse=True)
    assert len(sizes) == 4
    assert sql("links") == [("R\u00e9sum\u00e9 1.pdf", 1, "https://example.org/ferry")]
    ((name, attachment, _, size, was_read),) = sql("attached")
    assert (name, attachment, was_read) == ("R\u00e9sum\u00e9 1.pdf", "figures.pdf", True)
    assert size > 100


def test_sqlite(here, tmp_path):
    path = tmp_path / "reports.sqlite"
    assert run(["export", "out", "--to", f"sqlite:{path}"]) == 0
    base = sqlite3.connect(path)
    *steps, query = [each for each in RECIPES["sqlite", "search"].split(";") if each.strip()]
    for step in steps:
        base.execute(step)
    found = base.execute(query).fetchall()
    assert [name for name, _, _ in found] == ["first.pdf", "second.pdf"]
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
