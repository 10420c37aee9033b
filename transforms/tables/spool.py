"""A file that keeps packed rows until their part is written. Memory holds only the positions of a batch's rows.

Python's standard library alone: the process that collects rows loads neither Arrow nor the parsers.
"""

from __future__ import annotations

import os
import pickle
import struct
import tempfile
from collections import defaultdict
from functools import cache
from types import TracebackType
from typing import TYPE_CHECKING, BinaryIO, Final, NamedTuple, TypeVar

from pdfmill.schemas.records import PartKey, RowsOfPart
from pdfmill.transforms.storage.errors import SourceError

if TYPE_CHECKING:
    import pyarrow as pa

# Compress records for a shuffle.
#
# Pickle names every field of every line anew, which compresses to a quarter at 0.4 ms a page; an engine writes shuffled bytes to disk and
# sends them over the network.


T = TypeVar("T")

#: zstd's fastest level that compresses well: smaller than zlib's and five times as fast.
_LEVEL: Final = 1
_SIZE: Final = struct.Struct("<Q")


@cache
def _codec(level: int) -> pa.Codec:
    import pyarrow as pa  # slow to import, and what shows one document packs nothing

    return pa.Codec("zstd", level)


def compress(plain: bytes | pa.Buffer, level: int = _LEVEL) -> bytes:
    """Compress the bytes, with their size in front; for workers of one job only. level: zstd's."""
    packed: bytes = _codec(level).compress(plain, asbytes=True)
    return _SIZE.pack(len(plain)) + packed


def decompress(data: bytes) -> pa.Buffer:
    """Invert `compress`."""
    (size,) = _SIZE.unpack_from(data)
    return _codec(_LEVEL).decompress(memoryview(data)[_SIZE.size :], size)


def pack(value: object) -> bytes:
    """Return the value as compressed bytes, for workers of one job only."""
    return compress(pickle.dumps(value, protocol=pickle.HIGHEST_PROTOCOL))


def unpack(kind: type[T], data: bytes) -> T:
    """Invert `pack` for a value of this class."""
    return as_kind(kind, pickle.loads(decompress(data)))


def as_kind(kind: type[T], value: object) -> T:
    """Return the value after checking that it is of this class."""
    assert isinstance(value, kind)
    return value


class Place(NamedTuple):
    """A range of the file: offset in bytes, number of bytes."""

    offset: int
    length: int


class Spool:
    """A temporary file in a folder. One thread may put, any may get."""

    def __init__(self, folder: str) -> None:
        handle, self.path = tempfile.mkstemp(dir=folder, prefix="rows-")
        self._file: BinaryIO = os.fdopen(handle, "w+b", buffering=0)
        self._end = 0
        #: by part: the sort key and the place of each batch of rows
        self.parts: dict[PartKey, list[tuple[tuple[object, ...], Place]]] = defaultdict(list)

    def put(self, data: bytes) -> Place:
        """Append some bytes. Raises SourceError(store_error) if the disk refuses them."""
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
        """Append the rows of a part."""
        key, (order, data) = rows
        place = self.put(data)
        self.parts[key].append((order, place))
        return place

    def get(self, place: Place) -> bytes:
        """Return the bytes of a range."""
        return read_place(self._file.fileno(), place)

    def __enter__(self) -> Spool:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._file.close()
        os.unlink(self.path)


def read_place(handle: int, place: Place) -> bytes:
    """Read the bytes of a range of an open file. Raises EOFError if the file ends before."""
    chunks = []
    offset, end = place.offset, place.offset + place.length
    while offset < end:
        chunk = os.pread(handle, end - offset, offset)
        if not chunk:
            raise EOFError(f"the file of rows ends at {offset}, before {end}")
        chunks.append(chunk)
        offset += len(chunk)
    return b"".join(chunks)
