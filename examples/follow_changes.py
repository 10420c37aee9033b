"""Follow a crawl's change feed into a full-text index: run it after each crawl, or whenever.

    python follow_changes.py OUTPUT INDEX.sqlite

The feed goes back `keep_changes_days`: an index whose cursor lies before begins anew.

It needs `pip install "deltalake>=1.6" pyarrow` and nothing of pdfmill. The cursor is the last snapshot that the index has taken in; it is
kept in the index itself and changes with it in one transaction, so that a run that dies is as if it had not been.
"""

from __future__ import annotations

import sqlite3
import sys
from collections.abc import Iterator

import pyarrow as pa
import pyarrow.compute as pc
from deltalake import DeltaTable

Key = tuple[str, int]


def follow(output: str, index: sqlite3.Connection) -> int:
    """Take in what has changed since the cursor; how many pages were written or removed."""
    index.executescript(
        "CREATE VIRTUAL TABLE IF NOT EXISTS pages USING fts5(doc_id UNINDEXED, page UNINDEXED, source_uri UNINDEXED, text);"
        "CREATE TABLE IF NOT EXISTS cursor (snapshot INTEGER)"
    )
    (cursor,) = index.execute("SELECT coalesce(max(snapshot), -1) FROM cursor").fetchone()
    table = DeltaTable(output)  # one version for everything below: whoever commits meanwhile is for the next run
    anew = cursor < _dropped(table)
    changed = dict(_all_pages(table) if anew else _last_changes(table, cursor))
    written = {key: uri for key, (change, uri) in changed.items() if change != "removed"}
    rows = _pages(table, written)
    with index:
        index.execute("DELETE FROM pages WHERE ?", (anew,))
        for key, (change, _) in changed.items():
            index.execute("DELETE FROM pages WHERE doc_id = ? AND page = ?", key)
            if change != "removed":
                index.execute("INSERT INTO pages VALUES (?, ?, ?, ?)", (*key, written[key], rows[key]))
        index.execute("INSERT INTO cursor VALUES (?)", (table.version(),))
    return len(changed)


def _dropped(table: DeltaTable) -> int:
    """The last snapshot whose changes may be missing in the feed."""
    told = pa.table(table.scan(["snapshot"], "table_name = 'changes' AND change = 'dropped'"))
    return max(told["snapshot"].to_pylist(), default=-1)


def _all_pages(table: DeltaTable) -> Iterator[tuple[Key, tuple[str, str]]]:
    """Every page as if it had just been added."""
    documents = pa.table(table.scan(["doc_id", "source_uri"], "table_name = 'documents'"))
    uris = dict(zip(documents["doc_id"].to_pylist(), documents["source_uri"].to_pylist(), strict=True))
    for row in pa.table(table.scan(["doc_id", "page"], "table_name = 'pages'")).to_pylist():
        yield (row["doc_id"], row["page"]), ("added", uris[row["doc_id"]])


def _last_changes(table: DeltaTable, cursor: int) -> Iterator[tuple[Key, tuple[str, str]]]:
    """What became of each page, the last word on it last. A page whose text is as it was is no news for an index of texts."""
    since = f"table_name = 'changes' AND snapshot > {cursor} AND changed_table = 'pages'"
    feed = table.scan(["snapshot", "doc_id", "page", "change", "source_uri", "text_changed"], since)
    for row in sorted(pa.table(feed).to_pylist(), key=lambda row: row["snapshot"]):
        if row["text_changed"] is not False:
            yield (row["doc_id"], row["page"]), (row["change"], row["source_uri"])


def _pages(table: DeltaTable, wanted: dict[Key, str]) -> dict[Key, str]:
    """Texts of pages as they are now."""
    shape = pa.schema([("doc_id", pa.string()), ("page", pa.int32()), ("text", pa.string())])
    ids = pa.array(sorted({doc_id for doc_id, _ in wanted}), pa.string())
    found: dict[Key, str] = {}
    for views in pa.RecordBatchReader.from_stream(table.scan(shape.names, "table_name = 'pages'")):
        batch = views.cast(shape)
        for row in batch.filter(pc.is_in(batch["doc_id"], ids)).to_pylist():
            if (row["doc_id"], row["page"]) in wanted:
                found[row["doc_id"], row["page"]] = row["text"]
    return found


if __name__ == "__main__":
    with sqlite3.connect(sys.argv[2]) as connection:
        print(f"{follow(sys.argv[1], connection):,} pages changed")
