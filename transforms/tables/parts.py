"""Rows to Parquet parts whose names and contents depend on the rows alone.

A part's name comes from its shard, its order from its keys. A retried bundle therefore writes the same bytes to the same
place, and as every store puts an object whole, readers never see half a part or a row twice.
"""

from __future__ import annotations

import io
import os
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, count
from typing import Final

import pyarrow as pa
import pyarrow.parquet as pq

from schemas.records import DocId, PackedRows, PartKey, Row, RowsOfPart
from schemas.tables import TABLES, key_of, to_batch
from transforms.isolation import all_memory
from transforms.packing import compress, decompress
from transforms.settings import WriteSettings
from transforms.storage.objects import write_bytes
from transforms.tables.names import part_keys, part_name, shard_of
from transforms.tables.spool import Place, Spool, read_place

#: Row groups this large are what readers can skip and prefetch well.
ROW_GROUP_BYTES: Final = 32 << 20
#: The same of `pages`, some 150 pages: the words of one are read in 4 ms instead of 65, which is what marks in search results cost; the
#: table is 1 % larger.
PAGE_GROUP_BYTES: Final = 2 << 20

#: The columns by which each table is in order.
_ORDER: Final = {table: key_of(table) for table in TABLES}


def pack_rows(table: str, doc_id: DocId, rows: Sequence[Row], shards: int) -> Iterator[RowsOfPart]:
    """Rows of one document, checked against their schema and packed for the shuffle.

    Raises:
        schemas.tables.RowMismatchError: a row does not have the table's shape.
    """
    if not rows:
        return
    order = tuple(rows[0][column] for column in _ORDER[table])
    yield (table, shard_of(doc_id, shards)), (order, _to_ipc(to_batch(table, rows)))


def _to_ipc(batch: pa.RecordBatch) -> bytes:
    """The batch without its schema, which every reader knows: of a letter's rows it would be the larger part."""
    return compress(batch.serialize())


def empty_parts(settings: WriteSettings) -> Iterator[RowsOfPart]:
    """No rows for every part, so that each table exists, whatever the input held."""
    for table, shard in part_keys(settings):
        yield (table, shard), _no_rows(table)


def _no_rows(table: str) -> PackedRows:
    return (), _to_ipc(to_batch(table, []))


def _batches(table: str, ordered: Iterable[PackedRows]) -> Iterator[pa.RecordBatch]:
    for _, data in ordered:
        yield pa.ipc.read_record_batch(decompress(data), TABLES[table])


def read_rows(table: str, packed: Iterable[bytes]) -> Iterator[Row]:
    """The rows of packed batches, batch after batch."""
    for batch in _batches(table, (((), data) for data in packed)):
        yield from batch.to_pylist()


def write_part(key: PartKey, packed: Iterable[PackedRows], settings: WriteSettings) -> list[str]:
    """Write one part and return the addresses of its files. The rows wait in a file of this machine until all are there, so that memory
    only holds their keys.

    Raises:
        transforms.storage.errors.SourceError: the output store does not take it, or the machine's disk.
    """
    with Spool(tempfile.gettempdir()) as spool:
        places = [(order, spool.put(data)) for order, data in packed]
        return write_spooled_part(spool.path, key, places, settings)


def write_spooled_part(path: str, key: PartKey, places: Sequence[tuple[tuple[object, ...], Place]], settings: WriteSettings) -> list[str]:
    """As `write_part` for rows that lie in a file (`transforms.tables.spool`), whatever limit of memory the process has for documents."""
    handle = os.open(path, os.O_RDONLY)
    try:
        with all_memory():
            kept = ((order, read_place(handle, place)) for order, place in sorted(places))
            return list(_write_files(key, _row_groups(_batches(key[0], chain([_no_rows(key[0])], kept)), group_bytes(key[0])), settings))
    finally:
        os.close(handle)


def _write_files(key: PartKey, groups: Iterator[pa.Table], settings: WriteSettings) -> Iterator[str]:
    """Row groups to as many files as they need; the addresses."""
    table, shard = key
    most = settings.max_part_bytes
    group = next(groups, None)
    for piece in count(1):
        if group is None:
            return
        sink = io.BytesIO()
        with pq.ParquetWriter(sink, TABLES[table], compression="zstd", use_dictionary=text_columns(TABLES[table])) as writer:
            while group is not None and (most is None or sink.tell() < most):
                writer.write_table(group)
                group = next(groups, None)
        uri = part_name(table, shard, settings, piece)
        write_bytes(uri, sink.getvalue())
        yield uri


def text_columns(schema: pa.Schema) -> list[str]:
    """Paths of the leaves that hold text: only there a dictionary pays; offsets and boxes are a quarter smaller without.

    >>> words = pa.struct([("d", pa.string()), ("e", pa.int32())])
    >>> text_columns(pa.schema([("a", pa.string()), ("b", pa.int32()), ("c", pa.list_(words))]))
    ['a', 'c.list.element.d']
    """
    return [path for spec in schema for path in _text_leaves(spec.name, spec.type)]


def _text_leaves(path: str, kind: pa.DataType) -> Iterator[str]:
    if pa.types.is_string(kind):
        yield path
    elif pa.types.is_list(kind):
        yield from _text_leaves(f"{path}.list.element", kind.value_type)
    elif pa.types.is_struct(kind):
        for child in kind:
            yield from _text_leaves(f"{path}.{child.name}", child.type)


def group_bytes(table: str) -> int:
    """How large a table's row groups are, before compression."""
    return PAGE_GROUP_BYTES if table == "pages" else ROW_GROUP_BYTES


def _row_groups(batches: Iterable[pa.RecordBatch], most: int) -> Iterator[pa.Table]:
    waiting: list[pa.RecordBatch] = []
    size = 0
    for batch in batches:
        waiting.append(batch)
        size += batch.nbytes
        if size >= most:
            yield pa.Table.from_batches(waiting).combine_chunks()
            waiting, size = [], 0
    if waiting:
        yield pa.Table.from_batches(waiting).combine_chunks()
