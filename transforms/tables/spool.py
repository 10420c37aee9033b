"""Packed rows kept in a file until their part is written: a batch of documents takes no memory but for where its rows lie.

Python's standard library alone: the process that collects rows loads neither Arrow nor the parsers.
"""

from __future__ import annotations

import os
import tempfile
from collections import defaultdict
from types import TracebackType
from typing import BinaryIO, NamedTuple

from pdfmill.schemas.records import PartKey, RowsOfPart
from pdfmill.transforms.storage.errors import SourceError


class Place(NamedTuple):
    """Where some bytes lie in the file: bytes from its start, number of bytes."""

    offset: int
    length: int


class Spool:
    """A file of its own in a folder. Only one thread puts; any may get."""

    def __init__(self, folder: str) -> None:
        handle, self.path = tempfile.mkstemp(dir=folder, prefix="rows-")
        self._file: BinaryIO = os.fdopen(handle, "w+b", buffering=0)
        self._end = 0
        #: by part: the sort key and the place of each batch of rows
        self.parts: dict[PartKey, list[tuple[tuple[object, ...], Place]]] = defaultdict(list)

    def put(self, data: bytes) -> Place:
        """Keep some bytes. Raises SourceError(store_error): the disk does not take them."""
        place = Place(self._end, len(data))
        written = 0
        try:
            while written < len(data):
                written += self._file.write(memoryview(data)[written:])
        except OSError as error:
            raise SourceError("store_error", f"{self.path}: cannot be written: {error.strerror or error}") from error
        self._end += len(data)
        return place

    def put_rows(self, rows: RowsOfPart) -> Place:
        """Keep rows for their part."""
        key, (order, data) = rows
        place = self.put(data)
        self.parts[key].append((order, place))
        return place

    def get(self, place: Place) -> bytes:
        """What was put there."""
        return read_place(self._file.fileno(), place)

    def __enter__(self) -> Spool:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._file.close()
        os.unlink(self.path)


def read_place(handle: int, place: Place) -> bytes:
    """The bytes at a place of an open file. Raises EOFError where the file ends before."""
    chunks = []
    offset, end = place.offset, place.offset + place.length
    while offset < end:
        chunk = os.pread(handle, end - offset, offset)
        if not chunk:
            raise EOFError(f"the file of rows ends at {offset}, before {end}")
        chunks.append(chunk)
        offset += len(chunk)
    return b"".join(chunks)
