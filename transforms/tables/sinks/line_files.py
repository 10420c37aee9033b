"""Files with one row as JSON on each line, in pdfmill's own form or in that of another tool (`shapes.LINES`)."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Sequence

from pdfmill.schemas.records import Row
from pdfmill.transforms.tables.sinks.shapes import LINES
from pdfmill.transforms.tables.sinks.sink import Changes, Cursor, Refusal, SinkError, Target
from pdfmill.transforms.tables.sinks.whole_files import FileSink


class LineFile(FileSink):
    """A sink (target of an export) that is a file of JSON lines; see `pdfmill.transforms.tables.sinks.sink.Sink`."""

    def __init__(self, target: Target) -> None:
        super().__init__(target)
        self._name = target.name
        self._shape = LINES[target.name]

    def begin(self, cursor: Cursor, changes: Changes | None = None) -> Collection[str]:
        """Begin the file; for an export of changes, first copy the lines of unchanged documents. Return (), because no other rows are in it
        yet."""
        file = self._start(cursor, self._path)
        if changes is not None:
            for line in self._other_lines(frozenset(changes.documents)):
                file.write(line)
        return ()

    def _other_lines(self, documents: frozenset[str]) -> Iterator[bytes]:
        try:
            with self._path.open("rb") as lines:
                for line in lines:
                    if document_of(self._name, json.loads(line)) not in documents:
                        yield line
        except OSError as error:
            raise SinkError(f"{self._path}: cannot be read: {error.strerror or error}") from error
        except (ValueError, KeyError, TypeError) as error:
            raise SinkError(
                f"{self._path}: a line in it was not written by pdfmill; export without --follow to write the file again"
            ) from error

    def put(self, rows: Sequence[Row]) -> list[Refusal]:
        """Write a line for each row. Return [], because a file refuses no row."""
        self._begun()[0].write(b"".join(json_line(self._shape(row)) for row in rows))
        return []


def json_line(value: Row) -> bytes:
    """Return a value as JSON on one line."""
    return json.dumps(value, ensure_ascii=False).encode() + b"\n"


def document_of(name: str, line: Row) -> object:
    """Return the `doc_id` of an exported line, whose position depends on the sink `name`. Raises KeyError or TypeError without it."""
    beside = {"langchain": "metadata", "llamaindex": "metadata", "haystack": "meta"}.get(name)
    held = line if beside is None else line[beside]
    return held["doc_id"]  # type: ignore[index]
