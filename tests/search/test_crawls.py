"""The index of a crawl follows its tables: equal to one built anew, and only documents that changed are read."""

from __future__ import annotations

import os

import pytest

from pdfmill.pipeline.search import search_index
from pdfmill.pipeline.search.search_index import open_index
from pdfmill.pipeline.serve.library import Library
from tests.crawl.help import configure, open_table, tiny
from tests.search.test_search_index import entries, places


@pytest.fixture
def crawled(tmp_path):
    source = tmp_path / "in"
    source.mkdir()
    for name in ("letters", "ships", "storms", "maps"):
        (source / f"{name}.pdf").write_bytes(tiny(f"About {name}", 2))
    crawl = configure(tmp_path, str(source), str(tmp_path / "out"), crawl="retry_after_hours = 0")
    assert crawl.report()["exit_code"] == 0
    return crawl, source


def test_the_index_follows_three_snapshots(crawled, monkeypatch) -> None:
    crawl, source = crawled
    with open_index(crawl.output) as found:
        assert places(found.search("maps"))[0][0] == "maps.pdf"
    read: list[str] = []
    documents = search_index.read_documents

    def counted(*given):
        for each in documents(*given):
            read.append(each.source_uri.rpartition("/")[2])
            yield each

    monkeypatch.setattr(search_index, "read_documents", counted)
    (source / "ships.pdf").write_bytes(tiny("About gulls", 3))
    os.utime(source / "ships.pdf", (1, 1))
    (source / "maps.pdf").unlink()
    assert crawl.report("--allow-mass-delete")["exit_code"] == 0
    with open_index(crawl.output) as found:
        assert read == ["ships.pdf"]
        assert {name for name, _ in places(found.search("gulls"))} == {"ships.pdf"}
        assert found.search("maps").hits == []
        assert found.search("storms").hits[0].boxes
    table = open_table(crawl.output)
    assert table.optimize.compact()["numFilesRemoved"] > 0, "by another tool: each table by itself, whatever is beside it"
    with open_index(crawl.output) as found:
        assert read == ["ships.pdf"], "no document is another"
        assert {name for name, _ in places(found.search("gulls"))} == {"ships.pdf"}
        (hit,) = [hit for hit in found.search("gulls").hits if hit.page == 3]
        assert hit.boxes
        pages = Library(crawl.output).rows("pages", hit.doc_id, ["page", "text"])
        assert [row["page"] for row in pages] == [1, 2, 3]
        assert "gulls" in str(pages[2]["text"])
    (source / "keys.pdf").write_bytes(tiny("About keys"))
    assert crawl.report()["exit_code"] == 0
    with open_index(crawl.output) as found:
        assert read == ["ships.pdf", "keys.pdf"]
        assert places(found.search("keys")) == [("keys.pdf", 1)]
        followed = entries(found.path)
    with open_index(crawl.output, build=True) as found:
        assert followed == entries(found.path)
