"""Files that are written whole or not at all, and the cursor that is kept beside one."""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO, Final

from msgspec.structs import asdict

from pdfmill.transforms.tables.sinks.sink import Cursor, SinkError

_CURSOR: Final = ".cursor.json"
#: Ends the name of a file that is being written.
_UNFINISHED: Final = ".unfinished"


@contextlib.contextmanager
def told_errors(path: Path) -> Iterator[None]:
    """What a disk says, as SinkError."""
    try:
        yield
    except OSError as error:
        raise SinkError(f"{path}: cannot be written: {error.strerror or error}") from error


def cursor_file(path: Path) -> Path:
    """Where the cursor of a file is."""
    return path.with_name(path.name + _CURSOR)


def read_cursor(path: Path) -> Cursor | None:
    """The cursor beside a file; None where there is no file.

    Raises:
        SinkError: there is a file without a cursor: somebody else's.
    """
    if not path.exists():
        return None
    try:
        return Cursor.of(json.loads(cursor_file(path).read_bytes()))
    except FileNotFoundError as error:
        raise SinkError(f"{path}: there is a file, which was not written by pdfmill; name another one, or delete it") from error
    except ValueError as error:
        raise SinkError(f"{cursor_file(path)}: is no cursor of pdfmill: {error}") from error
    except OSError as error:
        raise SinkError(f"{cursor_file(path)}: cannot be read: {error.strerror or error}") from error


def write_cursor(path: Path, cursor: Cursor) -> None:
    """Keep it beside the file. Raises SinkError."""
    with told_errors(path):
        unfinished = cursor_file(path).with_name(cursor_file(path).name + _UNFINISHED)
        unfinished.write_text(json.dumps(asdict(cursor)) + "\n", encoding="utf-8")
        os.replace(unfinished, cursor_file(path))


class WholeFile:
    """A file that takes its place when it is whole. Raises SinkError for what the disk says. stream: to write to, under `told_errors`."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._unfinished = path.with_name(path.name + _UNFINISHED)
        with told_errors(path):
            self.stream: BinaryIO = self._unfinished.open("wb")

    def write(self, data: bytes) -> None:
        """More of it."""
        with told_errors(self._path):
            self.stream.write(data)

    def finish(self) -> None:
        """Put it in its place."""
        with told_errors(self._path):
            self.stream.flush()
            os.fsync(self.stream.fileno())
            self.stream.close()
            os.replace(self._unfinished, self._path)

    def drop(self) -> None:
        """Forget it, unless it is finished."""
        with contextlib.suppress(OSError):  # a full disk takes not even what waits to be written
            self.stream.close()
        with told_errors(self._path):
            self._unfinished.unlink(missing_ok=True)
