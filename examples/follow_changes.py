"""Follow a crawl's change feed into a full-text index: run it after each crawl, or whenever.

    python follow_changes.py OUTPUT INDEX.sqlite

It needs `pip install deltalake pyarrow` and nothing of pdfmill. The cursor is the last snapshot that the index has taken in; it is kept in
the index itself and changes with it in one transaction, so that a run that dies is as if it had not been.
"""

from __future__ import annotations

import sqlite3
import sys
from collections.abc import Iterator

import pyarrow as pa
import pyarrow.dataset as ds
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
    data = table.to_pyarrow_dataset()
    changed = dict(_last_changes(data, cursor))
    written = {key: uri for key, (change, uri) in changed.items() if change != "removed"}
    rows = _pages(data, written)
    with index:
        for key, (change, _) in changed.items():
            index.execute("DELETE FROM pages WHERE doc_id = ? AND page = ?", key)
            if change != "removed":
                index.execute("INSERT INTO pages VALUES (?, ?, ?, ?)", (*key, written[key], rows[key]))
        index.execute("INSERT INTO cursor VALUES (?)", (table.version(),))
    return len(changed)


def _last_changes(data: ds.Dataset, cursor: int) -> Iterator[tuple[Key, tuple[str, str]]]:
    """What became of each page, the last word on it last. A page whose text is as it was is no news for an index of texts."""
    since = (ds.field("table_name") == "changes") & (ds.field("snapshot") > cursor) & (ds.field("changed_table") == "pages")
    feed = data.to_table(["snapshot", "doc_id", "page", "change", "source_uri", "text_changed"], filter=since)
    for row in sorted(feed.to_pylist(), key=lambda row: row["snapshot"]):
        if row["text_changed"] is not False:
            yield (row["doc_id"], row["page"]), (row["change"], row["source_uri"])


def _pages(data: ds.Dataset, wanted: dict[Key, str]) -> dict[Key, str]:
    """Texts of pages as they are now."""
    ids = pa.array(sorted({doc_id for doc_id, _ in wanted}), pa.string())
    rows = data.to_table(["doc_id", "page", "text"], filter=(ds.field("table_name") == "pages") & ds.field("doc_id").isin(ids))
    return {(row["doc_id"], row["page"]): row["text"] for row in rows.to_pylist() if (row["doc_id"], row["page"]) in wanted}


if __name__ == "__main__":
    with sqlite3.connect(sys.argv[2]) as connection:
        print(f"{follow(sys.argv[1], connection):,} pages changed")
