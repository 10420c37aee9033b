"""What the tests of sinks share: what a target holds, and what the tables say it should."""

from __future__ import annotations

import json
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa

from pdfmill.schemas.records import Row
from pdfmill.transforms.tables.sinks.sink import Refusal, Target, open_sink, parse_target
from tests.crawl.help import Crawl, configure, snapshot_tables, tiny


def crawled(folder: Path, documents: int) -> Crawl:
    """A crawl of so many small documents, with its first snapshot. folder: for its sources, its configuration and its output."""
    source = folder / "in"
    source.mkdir()
    for number in range(documents):
        (source / f"{number}.pdf").write_bytes(tiny(f"document {number}", 1 + number % 3))
    made = configure(folder, str(source), str(folder / "out"))
    assert made.report()["exit_code"] == 0
    return made


def ask(address: str, path: str, body: object = None, method: str | None = None) -> Any:
    """An engine's answer, asked without our code."""
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(f"{address}/{path}", data, {"Content-Type": "application/json"}, method=method)
    with urllib.request.urlopen(request, timeout=60) as answer:
        return json.loads(answer.read() or b"null")


def held_by(address: str, index: str) -> dict[str, Row]:
    """Every document of an index by its id, without the copies for each language."""
    ask(address, f"{index}/_refresh", method="POST")
    hits = ask(address, f"{index}/_search", {"size": 10000, "_source": {"excludes": ["*_english", "*_german", "*_french"]}})["hits"]
    assert hits["total"]["value"] == len(hits["hits"])
    return {hit["_id"]: hit["_source"] for hit in hits["hits"]}


def expected(output: str, table: str = "sections") -> dict[str, dict[str, Any]]:
    """What a whole snapshot says of each row: the columns of the table itself that are exported, by id."""
    return rows_by_id(snapshot_tables(output), table)


def rows_by_id(tables: dict[str, pa.Table], table: str) -> dict[str, dict[str, Any]]:
    """Rows of a table by the id that they are exported under, with their document's address and title."""
    documents = {row["doc_id"]: row for row in tables["documents"].to_pylist()}
    found = {}
    for row in tables[table].to_pylist():
        key = row.get("id") or f"{row['doc_id']}-{row['page']}"
        of = documents[row["doc_id"]]
        found[key] = {name: value for name, value in row.items() if value is not None} | {"source_uri": of["source_uri"], "id": key}
    return found


def compared(held: dict[str, Row], tables: dict[str, dict[str, Any]]) -> None:
    """What is held is what the tables say, row by row and column by column."""
    assert held.keys() == tables.keys()
    for key, row in tables.items():
        there = held[key]
        names = [
            name
            for name in ("doc_id", "page", "section", "text", "kind", "heading_path", "first_page", "boxes", "source_uri")
            if name in row
        ]
        assert {name: there.get(name) for name in names} == {name: row[name] for name in names}


def put(target: str, rows: list[Row], **cursor: object) -> list[Refusal]:
    """Rows to a target, as a whole export."""
    from pdfmill.transforms.tables.sinks.sink import Cursor

    sink = open_sink(parse_target(target))
    try:
        sink.begin(Cursor(**{"source": "made", "table": "pages", "snapshot": 0, "form": "1", **cursor}))  # type: ignore[arg-type]
        refused = sink.put(rows)
        sink.commit()
    finally:
        sink.close()
    return refused


def of_target(text: str) -> Target:
    """A target."""
    return parse_target(text)


def lines(path: object) -> Iterator[Any]:
    """What stands on the lines of a file."""
    with open(str(path), encoding="utf-8") as file:
        yield from map(json.loads, file)
