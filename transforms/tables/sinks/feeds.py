"""Files of commands that the user sends to an engine: `_bulk`, Solr's /update, `vespa feed`. An export of all rows writes `NAME.json`, one
of changes `NAME.SNAPSHOT.json`, to be sent after it. Tested with OpenSearch and Solr 9.10.1; those for Vespa follow its manual.

    curl -H 'Content-Type: application/x-ndjson' --data-binary @feed.ndjson http://host:9200/index/_bulk
    curl -H 'Content-Type: application/json' --data-binary @feed.json 'http://host:8983/solr/core/update?commit=true'
    vespa feed feed.jsonl"""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence
from pathlib import Path

from pdfmill.schemas.records import Row
from pdfmill.transforms.tables.sinks.line_files import json_line
from pdfmill.transforms.tables.sinks.mapping import engine_document
from pdfmill.transforms.tables.sinks.shapes import solr, vespa
from pdfmill.transforms.tables.sinks.sink import Changes, Cursor, Refusal
from pdfmill.transforms.tables.sinks.whole_files import FileSink


class _Feed(FileSink):
    """A sink that is a file of commands for an engine; see `pdfmill.transforms.tables.sinks.sink.Sink`."""

    opening = b""
    closing = b""

    def add(self, row: Row, cursor: Cursor) -> bytes:
        raise NotImplementedError

    def delete(self, row_id: str, cursor: Cursor) -> bytes:
        """Return the command that deletes the row with this id. cursor: its snapshot is the version, for engines that keep versions."""
        raise NotImplementedError

    def begin(self, cursor: Cursor, changes: Changes | None = None) -> Collection[str]:
        """Begin writing; for an export of changes, first commands that delete old rows. Return (), because no rows were written before."""
        file = self._start(cursor, self._path if changes is None else changes_file(self._path, cursor.snapshot))
        file.write(self.opening)
        for row_id in changes.ids_before() if changes is not None else ():
            file.write(self.delete(row_id, cursor))
        return ()

    def put(self, rows: Sequence[Row]) -> list[Refusal]:
        """Write a command for each row. Return [], because a file refuses no row."""
        file, cursor = self._begun()
        file.write(b"".join(self.add(row, cursor) for row in rows))
        return []

    def commit(self) -> None:
        """Give the file its final name, then write the cursor."""
        self._begun()[0].write(self.closing)
        super().commit()


def changes_file(path: Path, snapshot: int) -> Path:
    """Return the path of the file with the changes up to a snapshot, beside the file with all rows.

    >>> changes_file(Path("feed.json"), 7).name
    'feed.7.json'
    """
    return path.with_name(f"{path.stem}.{snapshot}{path.suffix}")


class Bulk(_Feed):
    """A file for `POST /INDEX/_bulk` of OpenSearch and Elasticsearch: a line with the action, and for indexing a line with the document."""

    def add(self, row: Row, cursor: Cursor) -> bytes:
        return json_line({"index": {"_id": row["id"]}}) + json_line(engine_document(row, cursor.snapshot))

    def delete(self, row_id: str, cursor: Cursor) -> bytes:
        return json_line({"delete": {"_id": row_id}})


class Solr(_Feed):
    """A file for Solr's /update: a JSON object with one command per line, whose keys may be repeated ("Indexing with update handlers")."""

    opening = b"{\n"
    closing = b'"commit": {}\n}\n'

    def add(self, row: Row, cursor: Cursor) -> bytes:
        return b'"add": ' + json.dumps({"doc": solr(row)}, ensure_ascii=False).encode() + b",\n"

    def delete(self, row_id: str, cursor: Cursor) -> bytes:
        return b'"delete": ' + json.dumps({"id": row_id}).encode() + b",\n"


class Vespa(_Feed):
    """A file for `vespa feed`: operations in Vespa's document JSON format, one per line. The document type is the table's name."""

    def add(self, row: Row, cursor: Cursor) -> bytes:
        return json_line({"put": _vespa_id(row["id"], cursor), "fields": vespa(row)})

    def delete(self, row_id: str, cursor: Cursor) -> bytes:
        return json_line({"remove": _vespa_id(row_id, cursor)})


def _vespa_id(row_id: object, cursor: Cursor) -> str:
    return f"id:pdfmill:{cursor.table}::{row_id}"
