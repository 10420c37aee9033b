"""A table in an SQLite file, which may contain other tables: one column per field, lists as JSON, and an index by document.
An export is one transaction: readers see the old rows until all new ones are written."""

from __future__ import annotations

import contextlib
import json
import sqlite3
from array import array
from collections.abc import Collection, Iterator, Sequence
from typing import Any, Final

import pyarrow as pa
from msgspec.structs import asdict

from pdfmill.schemas.records import Row
from pdfmill.transforms.tables.sinks.fields import exported_fields
from pdfmill.transforms.tables.sinks.sink import Changes, Cursor, Refusal, SinkError, Target

#: The name of the table with the cursor of each table that pdfmill wrote.
_CURSORS: Final = "pdfmill_cursors"
_EMBEDDING: Final = "embedding"
#: Seconds to wait for another writer of the file.
_PATIENCE_S: Final = 30.0


class SqliteTable:
    """A sink that is a table of an SQLite file, with the name of the exported table; see `transforms.tables.sinks.sink.Sink`."""

    def __init__(self, target: Target) -> None:
        self._path = target.place
        with self._database_errors():
            self._base = sqlite3.connect(self._path, timeout=_PATIENCE_S, isolation_level=None)
            self._base.execute("SELECT count(*) FROM sqlite_master").fetchone()
        self._cursor: Cursor | None = None
        self._insert = ""
        self._names: list[str] = []

    @contextlib.contextmanager
    def _database_errors(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error as error:
            raise SinkError(f"{self._path}: SQLite says: {error}") from error

    def _has(self, table: str) -> bool:
        return self._base.execute("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?", [table]).fetchone() is not None

    def cursor(self, table: str) -> Cursor | None:
        """Return the cursor stored in the file; None if there is no such table. Raises SinkError if pdfmill did not write that table."""
        with self._database_errors():
            found = None
            if self._has(_CURSORS):
                found = self._base.execute(f"SELECT cursor FROM {_CURSORS} WHERE table_name = ?", [table]).fetchone()
            if found is None and self._has(table):
                raise SinkError(f"{self._path}: has a table {table}, which was not written by pdfmill; name another file")
        return Cursor.of(json.loads(found[0])) if found else None

    def begin(self, cursor: Cursor, changes: Changes | None = None) -> Collection[str]:
        """Begin a transaction, and delete old rows; for an export of changes only those of changed documents. Return (), because no new
        rows are written yet."""
        self.cursor(cursor.table)
        self._cursor, table = cursor, cursor.table
        columns = [(each.name, _type(each.type)) for each in exported_fields(table)]
        columns += [(_EMBEDDING, "BLOB")] if cursor.dimensions else []
        self._names = [name for name, _ in columns]
        with self._database_errors():
            self._base.execute("BEGIN IMMEDIATE")
            self._base.execute(f"CREATE TABLE IF NOT EXISTS {_CURSORS} (table_name TEXT PRIMARY KEY, cursor TEXT NOT NULL)")
            if changes is None:
                self._base.execute(f"DROP TABLE IF EXISTS {table}")
                definitions = ", ".join(f"{name} {kind}{' PRIMARY KEY' if name == 'id' else ''}" for name, kind in columns)
                self._base.execute(f"CREATE TABLE {table} ({definitions})")
                if "doc_id" in self._names:
                    self._base.execute(f"CREATE INDEX {table}_by_document ON {table} (doc_id)")
            else:
                self._base.executemany(f"DELETE FROM {table} WHERE doc_id = ?", ((each,) for each in changes.documents))
        marks = ", ".join("?" for _ in columns)
        self._insert = f"INSERT OR REPLACE INTO {table} ({', '.join(self._names)}) VALUES ({marks})"
        return ()

    def put(self, rows: Sequence[Row]) -> list[Refusal]:
        """Insert rows in the open transaction. Return [], because the file refuses no row."""
        with self._database_errors():
            self._base.executemany(self._insert, ([_value(name, row.get(name)) for name in self._names] for row in rows))
        return []

    def done(self, part: str) -> None:
        """Do nothing: all rows are written in one transaction."""

    def commit(self) -> None:
        """Commit rows and cursor together."""
        assert self._cursor is not None
        values = [self._cursor.table, json.dumps(asdict(self._cursor))]
        with self._database_errors():
            self._base.execute(f"INSERT OR REPLACE INTO {_CURSORS} VALUES (?, ?)", values)
            self._base.execute("COMMIT")

    def close(self) -> None:
        """Roll back uncommitted changes."""
        self._base.close()


def _type(kind: pa.DataType) -> str:
    if pa.types.is_integer(kind) or pa.types.is_boolean(kind):
        return "INTEGER"
    return "REAL" if pa.types.is_floating(kind) else "TEXT"


def _value(name: str, value: Any) -> Any:
    """Convert a value for SQLite: an embedding becomes bytes of consecutive 32-bit floats, other lists become JSON."""
    if name == _EMBEDDING and value is not None:
        return array("f", value).tobytes()
    return json.dumps(value, ensure_ascii=False) if isinstance(value, list | dict) else value
