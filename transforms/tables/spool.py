"""A local file that collects packed rows until their Parquet file is written. Memory holds only the positions of the batches.
Only the standard library is imported: the process that collects rows loads neither Arrow nor the parsers."""

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

#: zstd's fastest level that compresses well: results are smaller than zlib's, in a fifth of the time.
_LEVEL: Final = 1
_SIZE: Final = struct.Struct("<Q")


@cache
def _codec(level: int) -> pa.Codec:
    import pyarrow as pa  # slow to import, and what shows one document packs nothing

    return pa.Codec("zstd", level)


def compress(plain: bytes | pa.Buffer, level: int = _LEVEL) -> bytes:
    """Return the bytes compressed by zstd, with their size before them. Only processes of the same job can read the result."""
    packed: bytes = _codec(level).compress(plain, asbytes=True)
    return _SIZE.pack(len(plain)) + packed


def decompress(data: bytes) -> pa.Buffer:
    """Undo `compress`: return the original bytes."""
    (size,) = _SIZE.unpack_from(data)
    return _codec(_LEVEL).decompress(memoryview(data)[_SIZE.size :], size)


def pack(value: object) -> bytes:
    """Return a value as compressed bytes. Only processes of the same job can read them."""
    return compress(pickle.dumps(value, protocol=pickle.HIGHEST_PROTOCOL))


def unpack(kind: type[T], data: bytes) -> T:
    """Undo `pack`: return the original value. kind: the class that it must have."""
    return as_kind(kind, pickle.loads(decompress(data)))


def as_kind(kind: type[T], value: object) -> T:
    """Return the value, after checking that it is an instance of the class `kind`."""
    assert isinstance(value, kind)
    return value


class Place(NamedTuple):
    """A range of bytes of a file."""

    offset: int  # bytes from the start of the file
    length: int  # bytes


class Spool:
    """A temporary file that keeps encoded rows until their tables are written. Only one thread may append, any may read."""

    def __init__(self, folder: str) -> None:
        handle, self.path = tempfile.mkstemp(dir=folder, prefix="rows-")
        self._file: BinaryIO = os.fdopen(handle, "w+b", buffering=0)
        self._end = 0
        #: for each Parquet file: the sort key and the position of each batch of rows
        self.parts: dict[PartKey, list[tuple[tuple[object, ...], Place]]] = defaultdict(list)

    def put(self, data: bytes) -> Place:
        """Append bytes, and return their position. Raises SourceError(store_error) if the disk fails."""
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
        """Append packed rows, and return their range of bytes in the file. The range is also recorded in `parts`, under the rows' key."""
        key, (order, data) = rows
        place = self.put(data)
        self.parts[key].append((order, place))
        return place

    def get(self, place: Place) -> bytes:
        """Return the bytes at a position that `put` returned."""
        return read_place(self._file.fileno(), place)

    def __enter__(self) -> Spool:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._file.close()
        os.unlink(self.path)


def read_place(handle: int, place: Place) -> bytes:
    """Read the bytes at a position of an open file. handle: file descriptor. Raises EOFError if the file ends within them."""
    chunks = []
    offset, end = place.offset, place.offset + place.length
    while offset < end:
        chunk = os.pread(handle, end - offset, offset)
        if not chunk:
            raise EOFError(f"the temporary file of rows ends at byte {offset}, before byte {end}")
        chunks.append(chunk)
        offset += len(chunk)
    return b"".join(chunks)
