"""Files that readers see only when they are complete, each with the cursor (state of the exported table) in a file beside it."""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO, Final

from msgspec.structs import asdict

from pdfmill.transforms.tables.sinks.sink import Cursor, SinkError, Target

_CURSOR: Final = ".cursor.json"
#: Suffix of the name of a file that is being written.
_UNFINISHED: Final = ".unfinished"


@contextlib.contextmanager
def sink_errors(path: Path) -> Iterator[None]:
    """Convert each OSError in the block to a SinkError. path: for the message."""
    try:
        yield
    except OSError as error:
        raise SinkError(f"{path}: cannot be written: {error.strerror or error}") from error


def cursor_file(path: Path) -> Path:
    """Return the path of the file that holds the cursor (state of the exported table) for the exported file at `path`."""
    return path.with_name(path.name + _CURSOR)


def read_cursor(path: Path) -> Cursor | None:
    """Read the cursor of the exported file at `path`; None if there is no such file.

    Raises:
        SinkError: there is a file without a cursor, so pdfmill did not write it.
    """
    if not path.exists():
        return None
    try:
        return Cursor.of(json.loads(cursor_file(path).read_bytes()))
    except FileNotFoundError as error:
        raise SinkError(f"{path}: this file was not written by pdfmill; name another one, or delete it") from error
    except ValueError as error:
        raise SinkError(f"{cursor_file(path)}: is not a cursor file of pdfmill: {error}") from error
    except OSError as error:
        raise SinkError(f"{cursor_file(path)}: cannot be read: {error.strerror or error}") from error


def write_cursor(path: Path, cursor: Cursor) -> None:
    """Write the cursor (state of the exported table) of the exported file at `path`. Raises SinkError if the disk fails."""
    with sink_errors(path):
        unfinished = cursor_file(path).with_name(cursor_file(path).name + _UNFINISHED)
        unfinished.write_text(json.dumps(asdict(cursor)) + "\n", encoding="utf-8")
        os.replace(unfinished, cursor_file(path))


class WholeFile:
    """A file that gets its final name when it is complete. Its methods raise SinkError if the disk fails. stream: the open file, to be used
    within `sink_errors`."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._unfinished = path.with_name(path.name + _UNFINISHED)
        with sink_errors(path):
            self.stream: BinaryIO = self._unfinished.open("wb")

    def write(self, data: bytes) -> None:
        with sink_errors(self._path):
            self.stream.write(data)

    def finish(self) -> None:
        with sink_errors(self._path):
            self.stream.flush()
            os.fsync(self.stream.fileno())
            self.stream.close()
            os.replace(self._unfinished, self._path)

    def drop(self) -> None:
        """Delete the file, unless `finish` was called."""
        with contextlib.suppress(OSError):  # a full disk takes not even what waits to be written
            self.stream.close()
        with sink_errors(self._path):
            self._unfinished.unlink(missing_ok=True)


class FileSink:
    """A sink (target of an export) that is a local file, with its cursor (state of the exported table) in a file beside it. Subclasses
    write the rows, see `pdfmill.transforms.tables.sinks.sink.Sink`."""

    def __init__(self, target: Target) -> None:
        self._path = Path(target.place)
        self._writing: tuple[WholeFile, Cursor] | None = None

    def cursor(self, table: str) -> Cursor | None:
        """Return the cursor stored beside the file; None without a file."""
        return read_cursor(self._path)

    def _start(self, cursor: Cursor, path: Path) -> WholeFile:
        """Begin the file at `path`, and return it. Raises SinkError if pdfmill did not write the present file of the target."""
        read_cursor(self._path)
        self._writing = WholeFile(path), cursor
        return self._writing[0]

    def _begun(self) -> tuple[WholeFile, Cursor]:
        """Return the file that is being written, and the cursor that it will have."""
        assert self._writing is not None
        return self._writing

    def done(self, part: str) -> None:
        """Do nothing: a file is always written from its beginning."""

    def commit(self) -> None:
        """Give the file its final name, then write its cursor. If writing the cursor fails, repeating the export gives the same file."""
        file, cursor = self._begun()
        file.finish()
        write_cursor(self._path, cursor)

    def close(self) -> None:
        """Delete an uncommitted file."""
        if self._writing is not None:
            self._writing[0].drop()
