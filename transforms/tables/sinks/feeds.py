"""Files of commands that the user sends to an engine: `_bulk`, Solr's /update, `vespa feed`. An export of all rows writes `NAME.json`, one
of changes `NAME.SNAPSHOT.json`, to be sent after it. Tested with OpenSearch and Solr 9.10.1; those for Vespa follow its manual.

    curl -H 'Content-Type: application/x-ndjson' --data-binary @feed.ndjson http://host:9200/index/_bulk
    curl -H 'Content-Type: application/json' --data-binary @feed.json 'http://host:8983/solr/core/update?commit=true'
    vespa feed feed.jsonl"""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Final

from pdfmill.schemas.records import Row
from pdfmill.transforms.tables.sinks.line_files import json_line
from pdfmill.transforms.tables.sinks.mapping import engine_document
from pdfmill.transforms.tables.sinks.shapes import solr, vespa
from pdfmill.transforms.tables.sinks.sink import Changes, Cursor, Refusal, Sink, Target
from pdfmill.transforms.tables.sinks.whole_files import WholeFile, read_cursor, write_cursor


def open_sink(target: Target) -> Sink:
    """Return the sink (writer of an export) for this target; it writes nothing before `begin`."""
    return _FEEDS[target.name](target)


class _Feed:
    """A sink that is a file of commands for an engine; see `pdfmill.transforms.tables.sinks.sink.Sink`."""

    opening = b""
    closing = b""

    def __init__(self, target: Target) -> None:
        self._path = Path(target.place)
        self._file: WholeFile | None = None
        self._cursor: Cursor | None = None

    def add(self, row: Row, cursor: Cursor) -> bytes:
        raise NotImplementedError

    def delete(self, row_id: str, cursor: Cursor) -> bytes:
        """Return the command that deletes the row with this id. cursor: its snapshot is the version, for engines that keep versions."""
        raise NotImplementedError

    def cursor(self, table: str) -> Cursor | None:
        """Return the cursor (state of the exported table) after the last export, stored beside `NAME.json`; None if there is none."""
        return read_cursor(self._path)

    def begin(self, cursor: Cursor, changes: Changes | None = None) -> Collection[str]:
        """Begin writing; for an export of changes, first commands that delete old rows. Return (), because no rows were written before."""
        read_cursor(self._path)
        path = self._path if changes is None else changes_file(self._path, cursor.snapshot)
        self._cursor, self._file = cursor, WholeFile(path)
        self._file.write(self.opening)
        for row_id in changes.ids_before() if changes is not None else ():
            self._file.write(self.delete(row_id, cursor))
        return ()

    def put(self, rows: Sequence[Row]) -> list[Refusal]:
        """Write a command for each row. Return [], because a file refuses no row."""
        assert self._file is not None
        assert self._cursor is not None
        self._file.write(b"".join(self.add(row, self._cursor) for row in rows))
        return []

    def done(self, part: str) -> None:
        """Do nothing: after an interruption the file is written again from its beginning."""

    def commit(self) -> None:
        """Give the file its final name, then write the cursor."""
        assert self._file is not None
        assert self._cursor is not None
        self._file.write(self.closing)
        self._file.finish()
        write_cursor(self._path, self._cursor)

    def close(self) -> None:
        if self._file is not None:
            self._file.drop()


def changes_file(path: Path, snapshot: int) -> Path:
    """Return the path of the file with the changes up to a snapshot, beside the file with all rows.

    >>> changes_file(Path("feed.json"), 7).name
    'feed.7.json'
    """
    return path.with_name(f"{path.stem}.{snapshot}{path.suffix}")


class _Bulk(_Feed):
    """A file for `POST /INDEX/_bulk` of OpenSearch and Elasticsearch: a line with the action, and for indexing a line with the document."""

    def add(self, row: Row, cursor: Cursor) -> bytes:
        return json_line({"index": {"_id": row["id"]}}) + json_line(engine_document(row, cursor.snapshot))

    def delete(self, row_id: str, cursor: Cursor) -> bytes:
        return json_line({"delete": {"_id": row_id}})


class _Solr(_Feed):
    """A file for Solr's /update: a JSON object with one command per line, whose keys may be repeated ("Indexing with update handlers")."""

    opening = b"{\n"
    closing = b'"commit": {}\n}\n'

    def add(self, row: Row, cursor: Cursor) -> bytes:
        return b'"add": ' + json.dumps({"doc": solr(row)}, ensure_ascii=False).encode() + b",\n"

    def delete(self, row_id: str, cursor: Cursor) -> bytes:
        return b'"delete": ' + json.dumps({"id": row_id}).encode() + b",\n"


class _Vespa(_Feed):
    """A file for `vespa feed`: operations in Vespa's document JSON format, one per line. The document type is the table's name."""

    def add(self, row: Row, cursor: Cursor) -> bytes:
        return json_line({"put": _vespa_id(row["id"], cursor), "fields": vespa(row)})

    def delete(self, row_id: str, cursor: Cursor) -> bytes:
        return json_line({"remove": _vespa_id(row_id, cursor)})


def _vespa_id(row_id: object, cursor: Cursor) -> str:
    return f"id:pdfmill:{cursor.table}::{row_id}"


_FEEDS: Final[dict[str, type[_Feed]]] = {"bulk": _Bulk, "solr": _Solr, "vespa": _Vespa}
