"""Deletion vectors: sets of rows that a snapshot hides in a Parquet file, so that the file need not be rewritten to delete them.
Delta Transaction Log Protocol, "Deletion Vector Format" and "Deletion Vector Descriptor Schema": stored in the log (type `i`), as Z85
(ZeroMQ RFC 32) of a magic number and a 64-bit Roaring bitmap in its portable format."""

from __future__ import annotations

import base64
import struct
from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from types import TracebackType
from typing import Any, BinaryIO, Final

import numpy as np
import pyarrow as pa
from pyroaring import BitMap64

from pdfmill.transforms.storage.objects import look_up, open_file
from pdfmill.transforms.storage.parquet import may_hold, table_file

#: The magic number at the beginning of a vector; a portable bitmap follows.
_MAGIC: Final = struct.pack("<i", 1681511377)
#: Z85 encodes four bytes at a time.
_WORD: Final = 4
#: The digits of base 85 as `base64.b85encode` uses them; `_Z85` has the digits of Z85 in the same order.
_B85: Final = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%&()*+-;<=>?@^_`{|}~"
_Z85: Final = b"0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.-:+=^!/*?&<>()[]{}@%$#"


def with_deleted(vector: str | None, rows: Iterable[int]) -> str:
    """Return a deletion vector with these rows (from 0) added. vector: the one before, None if no row is deleted.

    >>> sorted(deleted_rows(with_deleted(with_deleted(None, [7]), [2, 3])))
    [2, 3, 7]
    """
    bitmap = deleted_rows(vector) | BitMap64(rows)
    bitmap.run_optimize()
    data = _MAGIC + bitmap.serialize()
    padded = data + bytes(-len(data) % _WORD)
    return base64.b85encode(padded).translate(bytes.maketrans(_B85, _Z85)).decode("ascii")


def deleted_rows(vector: str | None) -> BitMap64:
    """Return the numbers of the deleted rows, from 0. vector: the deletion vector, None if no row is deleted."""
    return BitMap64.deserialize(_bytes(vector)[len(_MAGIC) :]) if vector else BitMap64()


def _bytes(vector: str) -> bytes:
    return base64.b85decode(vector.encode("ascii").translate(bytes.maketrans(_Z85, _B85)))


def descriptor(vector: str) -> dict[str, Any]:
    """Return the JSON with which the log describes a file's deletion vector."""
    bitmap = deleted_rows(vector)
    return {
        "storageType": "i",
        "pathOrInlineDv": vector,
        "sizeInBytes": len(_MAGIC) + len(bitmap.serialize()),
        "cardinality": len(bitmap),
    }


def kept_rows(gone: BitMap64, first: int, rows: int) -> pa.Array:
    """Return boolean[rows]: whether each of `rows` consecutive rows from number `first` on is kept. gone: numbers of the deleted rows."""
    mask = np.ones(rows, bool)
    mask[np.fromiter((row - first for row in gone & BitMap64(range(first, first + rows))), np.int64)] = False
    return pa.array(mask)


class ShownRows(AbstractContextManager["ShownRows"]):
    """Reads a Parquet file without its deleted rows. From a store, only the requested columns are fetched. vector: the file's deletion
    vector, or None."""

    def __init__(self, uri: str, vector: str | None = None) -> None:
        self._source: BinaryIO = open_file(look_up(uri))
        self.file = table_file(uri, self._source)
        self._gone = deleted_rows(vector)

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._source.close()

    def batches(
        self, columns: Sequence[str] | None = None, rows: int = 65_536, ids: tuple[str, str] | None = None
    ) -> Iterator[pa.RecordBatch]:
        """Yield the rows that are not deleted, in order, in batches of at most `rows`. Columns that the file lacks are left out.
        ids: first and last document id. Row groups without documents in that range are skipped; the others are yielded whole."""
        there = set(self.file.schema_arrow.names)
        names = None if columns is None else [name for name in columns if name in there]
        for groups, first in self._groups_with(ids) if ids else [(None, 0)]:
            for batch in self.file.iter_batches(rows, row_groups=groups, columns=names, use_threads=False):
                yield batch.filter(kept_rows(self._gone, first, len(batch))) if self._gone else batch
                first += len(batch)

    def _groups_with(self, ids: tuple[str, str]) -> Iterator[tuple[list[int], int]]:
        """Yield ([number of the row group], number of its first row), from 0, for each row group that may hold an id from the first to the
        last."""
        first = 0
        for number in range(self.file.metadata.num_row_groups):
            group = self.file.metadata.row_group(number)
            if may_hold(group, *ids):
                yield [number], first
            first += group.num_rows

    def table(self, columns: Sequence[str] | None = None) -> pa.Table:
        """Return all rows that are not deleted as one table. columns: their names; None for all."""
        there = set(self.file.schema_arrow.names)
        table = self.file.read(None if columns is None else [name for name in columns if name in there])
        return table.filter(kept_rows(self._gone, 0, len(table))) if self._gone else table


def shown_rows(uri: str, columns: Sequence[str] | None = None, vector: str | None = None) -> pa.Table:
    """Return the rows of a Parquet file that are not deleted. columns: their names; None for all. vector: the file's deletion vector."""
    with ShownRows(uri, vector) as part:
        return part.table(columns)
