"""What the index keeps of pages and documents, and takes out again."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import tantivy

from pdfmill.pipeline.search.index_file import (
    SCHEMA,
    StoredDocument,
    StoredPage,
    Writer,
    count_of,
    entries,
    meta,
    open_folder,
    stored,
    stored_document,
)
from pdfmill.pipeline.search.read_tables import Document, Page, Section


def document(name: str, texts: list[str]) -> Document:
    pages = [Page(number, each, "en", [(0, 7)]) for number, each in enumerate(texts, start=1)]
    places = [(number, 0, len(each)) for number, each in enumerate(texts, start=1)]
    return Document(
        name, f"file:///{name}.pdf", datetime(2026, 1, 31, tzinfo=UTC), name, "en", pages, [Section(1, "text", ["Chapter"], places)]
    )


def test_documents_come_back_as_they_were_and_go(tmp_path: Path) -> None:
    index = open_folder(tmp_path, is_new=True)
    writer = Writer(index)
    writer.add(document("a", ["Größe 東京 of the", "great sea"]), "part", "sum")
    writer.add(document("b", ["harbours"]), "part", "sum")
    writer.end(["part"])
    index.reload()
    searcher = index.searcher()
    assert meta(searcher).parts == ["part"]
    assert {each.doc_id for each in entries(searcher, "part", "part", StoredDocument)} == {"a", "b"}
    found = stored_document(searcher, "a")
    assert found is not None
    assert (found.source_uri, found.digest, found.paths[0]) == ("file:///a.pdf", "sum", ["Chapter"])
    hits = searcher.search(tantivy.Query.term_query(SCHEMA, "text", "grosse"), 5).hits
    page = stored(searcher, hits[0][1], StoredPage)
    assert (page.text, page.page, page.headings, page.places) == ("Größe 東京 of the", 1, [(0, 7)], [(1, "text", 0, 15)])
    assert (page.of_kind("text"), page.of_kind("table"), page.of_kind(None)) == (page.text, "", page.text)
    assert count_of(searcher, tantivy.Query.phrase_query(SCHEMA, "turn", ["the", "great"])) == 1, "a phrase over the turn of a page"
    writer = Writer(index)
    writer.remove("a")
    writer.end([])
    index.reload()
    assert stored_document(index.searcher(), "a") is None
    assert count_of(index.searcher(), tantivy.Query.term_query(SCHEMA, "doc_id", "a")) == 0
    assert count_of(index.searcher(), tantivy.Query.term_query(SCHEMA, "doc_id", "b")) == 1


def test_what_is_not_of_a_kind_is_blank_and_offsets_stay() -> None:
    text = "one two three four five"
    places = [(1, "text", 0, 3), (2, "table", 4, 7), (3, "text", 14, 18), (4, "text", 8, 16)]
    page = StoredPage("a", "file:///a.pdf", 1, text, [], places)
    assert page.of_kind("text") == "one     three four"
    assert page.of_kind("table") == "    two"
