"""An output searched: the right page first, its words marked, the index following the tables, and clear ends."""

from __future__ import annotations

import fcntl
import io
import json
import shutil
import sqlite3
from datetime import date
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from pdfmill.pipeline.cli import main
from pdfmill.pipeline.search.answers import Filters, SearchError
from pdfmill.pipeline.search.search_index import open_index
from pdfmill.pipeline.serve.library import Library
from tests.search.conftest import LETTERS, SHIPS, index, write_pdf


@pytest.fixture(scope="module")
def opened(tables):
    with open_index(tables) as found:
        yield found


def places(results) -> list[tuple[str, int]]:
    return [(hit.source_uri.rpartition("/")[2], hit.page) for hit in results.hits]


@pytest.mark.parametrize(
    ("query", "first"),
    [
        ("plans", ("letters.pdf", 2)),  # the heading before the text
        ("reading order", ("letters.pdf", 1)),  # close together before apart
        ('"order follows reading"', ("letters.pdf", 2)),
        ("register harbour unheardof", ("ships.pdf", 1)),
        ("CAFE", ("letters.pdf", 2)),
        ("chron*", ("ships.pdf", 2)),
        ("flood NOT bridge", ("ships.pdf", 2)),
        ("heading:storms", ("ships.pdf", 2)),
        ("path:bridges stone", ("letters.pdf", 3)),
    ],
)
def test_the_page_that_is_meant_comes_first(opened, query, first) -> None:
    assert places(opened.search(query))[0] == first


@pytest.mark.parametrize("query", ['"reading follows"', "heading:harbour", "unheardof", "flood AND harbour"])
def test_what_stands_nowhere_is_not_found(opened, query) -> None:
    results = opened.search(query)
    assert (results.hits, results.total, results.documents) == ([], 0, 0)


def test_a_hit_says_where_its_words_stand(opened, tables) -> None:
    (hit,) = opened.search("grey stone").hits
    pages = pq.read_table(Path(tables) / "pages").to_pylist()
    (page,) = [row for row in pages if (row["doc_id"], row["page"]) == (hit.doc_id, hit.page)]
    marked = [word for word in page["words"] if page["text"][word["start"] : word["end"]].strip(",") in ("grey", "stone")]
    assert [(box.x0, box.top) for box in hit.boxes] == [(word["x0"], word["top"]) for word in marked]
    assert hit.boxes[1].x1 == marked[1]["x1"]  # with the comma, so that the mark does not end within a letter
    assert [text for text, is_marked in hit.snippet if is_marked] == ["grey", "stone"]
    assert hit.heading_path[-1] == "3 Bridges"
    sections = pq.read_table(Path(tables) / "sections").to_pylist()
    assert [row["heading_path"] for row in sections if row["id"] == hit.section_id] == [hit.heading_path]


def test_filters_leave_out(opened, source) -> None:
    def found(**filters) -> list[tuple[str, int]]:
        return sorted(places(opened.search("the", filters=Filters(**filters))))

    every = found()
    assert len(every) == 5
    assert found(page=3) == [("letters.pdf", 3)]
    assert {name for name, _ in found(source=f"file://{source}/ships")} == {"ships.pdf"}
    assert {name for name, _ in found(source="*letters.pdf")} == {"letters.pdf"}
    assert found(language="de") == []
    assert found(kind="text") == every
    assert found(kind="table") == []
    assert found(date_to=date(2000, 1, 1)) == []
    assert found(date_from=date(2000, 1, 1)) == every
    with pytest.raises(SearchError, match="kind 'rhyme'"):
        Filters(kind="rhyme")


def test_pages_of_results_follow_one_another(opened) -> None:
    whole = places(opened.search("the"))
    assert [places(opened.search("the", limit=2, offset=at)) for at in (0, 2, 4)] == [whole[:2], whole[2:4], whole[4:]]


def entries(database: Path) -> list[tuple[str, ...]]:
    """What FTS5 and the documents' rows hold, whatever the numbers of the pages."""
    with sqlite3.connect(database) as found:
        terms = found.execute("SELECT term, doc FROM vocabulary ORDER BY term").fetchall()
        pages = found.execute("SELECT d.doc_id, p.page FROM pages p JOIN docs d ON d.id = p.doc ORDER BY 1, 2").fetchall()
        return [*terms, *pages]


def test_the_index_follows_the_tables_and_reads_only_what_changed(tmp_path, source, monkeypatch) -> None:
    folder = tmp_path / "in"
    shutil.copytree(source, folder)
    output = index(folder, tmp_path / "out")
    open_index(output).close()
    (folder / "ships.pdf").unlink()
    write_pdf(folder / "letters.pdf", LETTERS)  # as it was
    write_pdf(folder / "storms.pdf", [*SHIPS, ("3 Calm", "Nothing moves but the gulls.")])
    index(folder, output)
    read = []
    from pdfmill.pipeline.search import search_index

    documents = search_index.read_documents
    monkeypatch.setattr(search_index, "read_documents", lambda *given: (read.append(each.source_uri) or each for each in documents(*given)))
    with open_index(output) as found:
        assert places(found.search("gulls")) == [("storms.pdf", 3)]
        assert {name for name, _ in places(found.search("harbour"))} == {"storms.pdf"}
        assert found.search("letter").hits[0].boxes
        path = found.path
    assert sum(uri.endswith("storms.pdf") for uri in read) == 1
    updated = entries(path)
    open_index(output, build=True).close()
    assert updated == entries(path)


def test_parts_that_go_on_in_further_files_are_read_whole(tables, tmp_path) -> None:
    """As `pdfmill.transforms.tables.parts` writes them when they grow large; here each page and each block has a file of its own."""
    output = Path(shutil.copytree(tables, tmp_path / "out", ignore=shutil.ignore_patterns("_pdfmill")))
    for table in ("pages", "blocks", "sections"):
        for part in sorted((output / table).glob("*.parquet")):
            rows = pq.read_table(part)
            part.unlink()
            for place in range(len(rows)):
                pq.write_table(rows.slice(place, 1), part.with_name(part.name if not place else f"{part.stem}.{place + 1}.parquet"))
    with open_index(str(output)) as cut, open_index(tables) as whole:
        assert entries(cut.path) == entries(whole.path)
        for query in ("the", "grey stone", "heading:storms"):
            assert places(cut.search(query)) == places(whole.search(query))
            assert [hit.boxes[:] for hit in cut.search(query).hits] == [hit.boxes[:] for hit in whole.search(query).hits]
        (hit,) = cut.search("grey stone").hits
        assert [row["page"] for row in Library(str(output)).rows("pages", hit.doc_id, ["page"])] == [1, 2, 3]


def test_an_index_of_another_version_is_built_anew(tmp_path, source) -> None:
    output = index(source, tmp_path / "out")
    with open_index(output) as found:
        path = found.path
    with sqlite3.connect(path) as database:
        database.execute("UPDATE meta SET value = 'older' WHERE key = 'version'")
    with open_index(output) as found:
        assert found.search("gulls OR harbour").total == 1
    path.write_bytes(b"no database")
    with open_index(output) as found:
        assert found.search("harbour").total == 1


def test_ends_are_told(tmp_path, source) -> None:
    with pytest.raises(SearchError, match="no output of pdfmill"):
        open_index(str(tmp_path))
    output = Path(index(source, tmp_path / "out"))
    shutil.rmtree(output / "sections")
    (output / "_pdfmill" / "manifest.json").unlink()
    with pytest.raises(SearchError, match="no sections table"):
        open_index(str(output))
    again = index(source, tmp_path / "again")
    lock = Path(again) / "_pdfmill" / "search.lock"
    with open(lock, "w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        with pytest.raises(SearchError, match="another process builds"):
            open_index(again)


def test_the_command_answers_a_query_and_a_file_of_them(tables, tmp_path, capsys) -> None:
    assert main.run(["search", tables, "grey stone"]) == 0
    assert "built of [grey] [stone]" in capsys.readouterr().out
    queries = tmp_path / "queries.txt"
    queries.write_text("grey stone\nunheardof\nOR OR\n")
    assert main.run(["search", tables, "--queries", str(queries), "--limit", "1"]) == 1
    said = capsys.readouterr()
    lines = [json.loads(line) for line in said.out.splitlines()]
    assert [(line["query"], len(line["hits"])) for line in lines] == [("grey stone", 1), ("unheardof", 0), ("OR OR", 0)]
    assert set(lines[0]["hits"][0]) == {"source_uri", "page", "score", "snippet", "heading_path", "boxes"}
    assert lines[0]["hits"][0]["boxes"][0]["page"] == 3
    assert "OR needs words" in said.err


def test_the_command_says_why_not(tmp_path, tables, capsys, monkeypatch) -> None:
    for words in ([str(tmp_path), "x"], [tables], [tables, "NOT x"], [tables, "--queries", str(tmp_path / "none")]):
        assert main.run(["search", *words]) == 2
        assert capsys.readouterr().err.startswith("pdfmill search: ")
    assert main.run(["search", tables, "unheardof"]) == 1
    monkeypatch.setattr("sys.stdin", io.StringIO("harbour\n"))
    assert main.run(["search", tables, "--queries", "-"]) == 0
