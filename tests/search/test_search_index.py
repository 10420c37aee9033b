"""An output searched: the right page first, its words marked, the index following the tables, and clear ends."""

from __future__ import annotations

import fcntl
import io
import json
import shutil
from datetime import date
from pathlib import Path

import pyarrow.parquet as pq
import pytest
import tantivy
from msgspec import msgpack

import pdfmill
from pdfmill.pipeline.cli import main
from pdfmill.pipeline.search.answers import Filters, SearchError
from pdfmill.pipeline.search.index_file import SCHEMA, StoredDocument, Writer, count_of, open_folder
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


@pytest.mark.parametrize("query", ['"reading follows"', "heading:harbour", "unheardof", "flood AND harbour", '"storms in"'])
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


DOCUMENT = len(StoredDocument.__struct_fields__)


def entries(folder: Path) -> list[object]:
    """What the index holds, whatever the order in which it came: terms with their number of pages, pages, documents with their parts."""
    searcher = open_folder(folder).searcher()
    every = searcher.search(tantivy.Query.all_query(), 10_000).hits
    fields = ("text", "heading", "title", "path", "inner")
    terms = {(field, term) for field in fields for term, _ in searcher.terms_with_prefix(field, "")}
    living = [(*each, count_of(searcher, tantivy.Query.term_query(SCHEMA, *each))) for each in sorted(terms)]
    held = [msgpack.decode(searcher.doc(address).get_first("data") or b"") for _, address in every]
    documents = [[*each[:4], *each[5:]] if isinstance(each, list) and len(each) == DOCUMENT else each for each in held]  # less the digest
    return [*[each for each in living if each[-1]], *sorted(map(repr, documents))]


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


def test_an_index_of_another_version_is_built_anew(tmp_path, source, monkeypatch) -> None:
    output = index(source, tmp_path / "out")
    with open_index(output) as found:
        path = found.path
    monkeypatch.setattr("pdfmill.pipeline.search.index_file.VERSION", "older")
    Writer(open_folder(path)).end([])
    monkeypatch.undo()
    with open_index(output) as found:
        assert found.search("gulls OR harbour").total == 1
    for file in path.glob("*"):
        file.write_bytes(b"no index")
    with open_index(output) as found:
        assert found.search("harbour").total == 1


def test_ends_are_told(tmp_path, source) -> None:
    with pytest.raises(SearchError, match="no output of pdfmill"):
        open_index(str(tmp_path))
    output = Path(index(source, tmp_path / "out"))
    shutil.rmtree(output / "sections")
    (output / "_pdfmill" / "manifest.json").unlink()
    with pytest.raises(SearchError, match="no table sections"):
        open_index(str(output))
    again = index(source, tmp_path / "again")
    lock = Path(again) / "_pdfmill" / "search.lock"
    with open(lock, "w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        with pytest.raises(SearchError, match="another process is building"):
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
    assert set(lines[0]) == {"query", "understood", "notes", "suggestion", "total", "complete", "documents", "hits"}
    assert (lines[0]["total"], lines[0]["complete"], lines[0]["understood"]) == (1, 1, "grey stone")
    assert set(lines[0]["hits"][0]) == {"doc_id", "section_id", "title", "source_uri", "page", "score", "snippet", "heading_path", "boxes"}
    assert lines[0]["hits"][0]["boxes"][0]["page"] == 3
    assert "OR needs words" in said.err


def test_the_command_says_why_not(tmp_path, tables, capsys, monkeypatch) -> None:
    for words in ([str(tmp_path), "x"], [tables], [tables, "NOT x"], [tables, "--queries", str(tmp_path / "none")]):
        assert main.run(["search", *words]) == 2
        assert capsys.readouterr().err.startswith("pdfmill search: ")
    assert main.run(["search", tables, "unheardof"]) == 1
    monkeypatch.setattr("sys.stdin", io.StringIO("harbour\n"))
    assert main.run(["search", tables, "--queries", "-"]) == 0


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("ships", {("ships.pdf", 1)}),  # "ship" on the page
        ("describing", {("ships.pdf", 2)}),
        ('"describing"', set()),  # in quotation marks as it is
        ("harbor~", {("ships.pdf", 1)}),
        ("flood -bridge", {("ships.pdf", 2)}),
        ('"in the"', {("letters.pdf", 2), ("ships.pdf", 1)}),
    ],
)
def test_words_are_found_as_they_were_meant(opened, query, found) -> None:
    results = opened.search(query)
    assert set(places(results)) == found
    assert results.total == len(found)


def test_what_was_not_taken_as_typed_is_said(opened) -> None:
    assert "is not a field" in opened.search("author:bridge").notes[0]
    assert "not closed" in opened.search('"grey stone').notes[0]
    for wrong in ("hrabour", "hqrbour", "hrbour", "hxarbour", "harbxur", "hqrbuor"):  # two letters are wrong in the last one
        assert opened.search(wrong).suggestion == "harbour"
    assert opened.search("harbour").suggestion is None
    long = opened.search(" ".join(f"w{number}" for number in range(1000)) + " stone")
    assert "the first 64" in long.notes[0]
    assert long.hits == []


def test_phrases_are_counted_on_all_pages_and_follow_one_another(tmp_path, monkeypatch) -> None:
    """More pages than are judged: what BM25 puts last is found, counted and listed once."""
    folder = tmp_path / "in"
    folder.mkdir()
    write_pdf(
        folder / "long.pdf", [(f"Part {number}", f"of the page {number}" if number % 2 else "the page of all") for number in range(1, 341)]
    )
    with open_index(index(folder, tmp_path / "out")) as found:
        results = found.search('"of the"', limit=500)
        assert (results.total, results.documents, len(results.hits)) == (170, 1, 170)
        assert {hit.page % 2 for hit in results.hits} == {1}
        listed = [hit for at in range(0, 180, 20) for hit in found.search('"of the"', limit=20, offset=at).hits]
        assert [hit.page for hit in listed] == [hit.page for hit in results.hits]
        assert found.search('"page of" AND NOT "of the"').total == 170
        assert sum(results.facets["kind"].values()) == 170
        assert found.search('"the page" all').complete == 170  # the phrase is on enough pages to be weighed by a sample
        monkeypatch.setattr("pdfmill.pipeline.search.search_index._MANY_PAGES", 1)
        assert (found.search('"of the"').total, found.search('"of the"').documents) == (170, 1)


def test_a_program_searches(tables, tmp_path) -> None:
    results = pdfmill.search(tables, "grey stone", filters=Filters(language="en"), limit=1)
    (hit,) = results.hits
    assert (hit.page, results.total, hit.boxes[0].page) == (3, 1, 3)
    with pytest.raises(pdfmill.PdfmillError, match="no word"):
        pdfmill.search(tables, "...")
    with pytest.raises(ValueError, match="they are 0 and 0"):
        pdfmill.search(tables, "stone", limit=0)
    with pytest.raises(pdfmill.PdfmillError, match="no output"):
        pdfmill.search(tmp_path, "stone")


@pytest.mark.parametrize("command", [["search", "stone"], ["report"], ["export", "--to", "ndjson:{}/e"], ["serve", "--port", "0"]])
@pytest.mark.parametrize("table", ["documents", "sections", "pages"])
def test_a_table_that_is_cut_off_is_named(tables, tmp_path, capsys, command, table) -> None:
    """Also where an index stands beside it."""
    if (command[0], table) == ("export", "pages"):
        return  # reads none
    open_index(tables).close()
    output = Path(shutil.copytree(tables, tmp_path / "out"))
    (part,) = (output / table).glob("*.parquet")
    part.write_bytes(part.read_bytes()[:1000])
    assert main.run([command[0], str(output), *(each.format(tmp_path) for each in command[1:])]) == 2
    said = capsys.readouterr().err
    assert "cut off or damaged" in said
    assert part.name in said
