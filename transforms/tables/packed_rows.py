"""Pack the rows of one document, or of a range of its pages, in all tables into one message, compressed by zstd and called a parcel.
Ascending integers, such as offsets, are stored as differences, grouped by byte."""

from __future__ import annotations

import pickle
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from typing import Final

import numpy as np
import pyarrow as pa

from pdfmill.schemas.records import TABLE_NAMES, Parcel, RowsOfPart
from pdfmill.schemas.tables import TABLES
from pdfmill.transforms.storage.scratch import scratch_folder
from pdfmill.transforms.tables.output_layout import WriteSettings
from pdfmill.transforms.tables.parts import write_spooled_part
from pdfmill.transforms.tables.spool import Spool, compress, decompress
from pdfmill.transforms.tables.write_summary import Written, joined

#: Compression level of zstd: the fastest that finds the text of one table in the next. Its results are a fifth smaller than those of level
#: 1, in twice the time; level 6 saves 2 % more.
_LEVEL: Final = 3
#: A column's integers are stored as differences if they have at least this many bytes; in short documents most columns have fewer.
_WORTH_IT: Final = 256


def parcel(rows: Sequence[RowsOfPart]) -> Parcel:
    """Join packed rows of one document in several tables into one compressed message, and return it with the document's id.
    Raises ValueError if there are none."""
    if not rows:
        raise ValueError("there are no rows to pack")
    told, messages = [], []
    for (table, _), (order, data) in rows:
        message = decompress(data)
        told.append((table, order, len(message)))
        messages.append(_differences(message, TABLES[table]))
    head = pickle.dumps(told, protocol=pickle.HIGHEST_PROTOCOL)
    data = compress(b"".join([head, *messages]), _LEVEL)
    return str(told[0][1][0]), len(head).to_bytes(4, "little") + data


def unparcel(shard: int, data: bytes) -> Iterator[RowsOfPart]:
    """Unpack a compressed message with the rows of one document. Yield for each table the key (table, shard) and the packed rows."""
    plain = decompress(data[4:])
    at = int.from_bytes(data[:4], "little")
    for table, order, size in pickle.loads(plain[:at]):
        yield (table, shard), (order, compress(_sums(plain[at : at + size], TABLES[table])))
        at += size


def write_shard(shard: int, parcels: Iterable[Parcel], settings: WriteSettings, *, every_table: bool = True) -> Written:
    """Write the rows of several documents to one Parquet file per table, after collecting them in a local file. shard: number of the files.
    parcels: compressed messages, each with the packed rows of one document. every_table: write files without rows, too.

    Raises:
        pdfmill.transforms.storage.errors.SourceError: the output store or the local disk failed.
    """
    with scratch_folder() as folder, Spool(folder) as spool:
        for _, data in parcels:
            for rows in unparcel(shard, data):
                spool.put_rows(rows)
        keys = sorted({*spool.parts, *((table, shard) for table in TABLE_NAMES if every_table)})
        return joined(write_spooled_part(spool.path, key, spool.parts[key], settings) for key in keys)


def _differences(message: pa.Buffer, schema: pa.Schema) -> bytes:
    """Return an Arrow message that compresses better: integers become differences, whose bytes are reordered, all lowest bytes first."""
    changed = np.frombuffer(message, np.uint8).copy()
    for part, width in _whole_numbers(pa.py_buffer(changed), schema):
        numbers = changed[part].view(f"u{width}")
        steps = np.diff(numbers, prepend=numbers.dtype.type(0))
        changed[part] = steps.view(np.uint8).reshape(-1, width).T.ravel()
    return changed.tobytes()


def _sums(message: pa.Buffer, schema: pa.Schema) -> pa.Buffer:
    """Undo `_differences`: restore the integers of an Arrow message from their differences."""
    changed = np.frombuffer(message, np.uint8).copy()
    for part, width in _whole_numbers(pa.py_buffer(changed), schema):
        steps = changed[part].reshape(width, -1).T.ravel().view(f"u{width}")
        changed[part] = np.cumsum(steps, dtype=steps.dtype).view(np.uint8)
    return pa.py_buffer(changed)


def _whole_numbers(message: pa.Buffer, schema: pa.Schema) -> Iterator[tuple[slice, int]]:
    """Yield for each buffer of integers in a message its range of bytes, and the number of bytes of each integer.
    The result is the same before and after `_differences`, which does not change the message's header."""
    for column in pa.ipc.read_record_batch(message, schema).columns:
        for buffer, width in zip(column.buffers(), _widths(column.type), strict=True):
            if buffer is not None and width and buffer.size >= _WORTH_IT:
                begin = buffer.address - message.address
                yield slice(begin, begin + buffer.size // width * width), width


@cache
def _widths(kind: pa.DataType) -> tuple[int, ...]:
    """Return for each buffer of an Arrow array, in the order of the columnar format ("Buffer listing for each layout"), the size in bytes
    of its integers; 0 for other buffers."""
    if pa.types.is_list(kind):
        return 0, 4, *_widths(kind.value_type)
    if pa.types.is_struct(kind):
        return 0, *(width for field in kind for width in _widths(field.type))
    if pa.types.is_string(kind):
        return 0, 4, 0
    whole = pa.types.is_integer(kind) or pa.types.is_timestamp(kind)
    return 0, kind.bit_width // 8 if whole else 0
