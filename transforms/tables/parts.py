"""Write rows to Parquet files ("parts") whose names and contents depend on the rows alone.
A document's id determines its shard, the number of its file; within a file, rows are sorted by key. So a bundle that Beam repeats gives the
same bytes at the same address."""

from __future__ import annotations

import math
import os
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import Final

import pyarrow as pa
import pyarrow.parquet as pq

from pdfmill.schemas.records import DocId, PackedRows, PartKey, Row, RowsOfPart
from pdfmill.schemas.tables import TABLES, key_of, to_batch
from pdfmill.transforms.storage.errors import SourceError
from pdfmill.transforms.storage.objects import write_bytes
from pdfmill.transforms.storage.scratch import scratch_folder
from pdfmill.transforms.tables.output_layout import WriteSettings, part_keys, part_name, shard_of
from pdfmill.transforms.tables.spool import Place, Spool, compress, decompress, read_place
from pdfmill.transforms.tables.write_summary import Written, joined, written_part

#: Size of row groups before compression, in bytes: readers can skip and prefetch such groups well.
ROW_GROUP_BYTES: Final = 32 << 20
#: Size of row groups of `pages`, in bytes: some 150 pages. A search then reads the words of a page, to mark hits, in 4 ms instead of 65.
PAGE_GROUP_BYTES: Final = 2 << 20

#: Size in bytes up to which a file is built in memory.
IN_MEMORY_BYTES: Final = 32 << 20

#: The columns by which each table is sorted.
_ORDER: Final = {table: key_of(table) for table in TABLES}


def pack_rows(table: str, doc_id: DocId, rows: Sequence[Row], shards: int) -> Iterator[RowsOfPart]:
    """Check the rows of one document against the table's schema, and yield them packed, with the key (table, shard) of their Parquet file.

    Raises:
        pdfmill.schemas.tables.RowMismatchError: a row does not have the table's columns.
    """
    for _, packed in pack_documents(table, [(doc_id, rows)], shards):
        yield packed


def pack_documents(table: str, documents: Sequence[tuple[DocId, Sequence[Row]]], shards: int) -> Iterator[tuple[int, RowsOfPart]]:
    """Check the rows of several documents against the table's schema. Yield (index of the document, packed rows) for those with rows.
    All rows are made into one Arrow batch: for small documents, making a batch costs as much as everything else."""
    if not any(rows for _, rows in documents):
        return
    batch = to_batch(table, [row for _, rows in documents for row in rows])
    first = 0
    for place, (doc_id, rows) in enumerate(documents):
        if rows:
            order = tuple(rows[0][column] for column in _ORDER[table])
            yield place, ((table, shard_of(doc_id, shards)), (order, _to_ipc(batch.slice(first, len(rows)))))
            first += len(rows)


def _to_ipc(batch: pa.RecordBatch) -> bytes:
    """Return the batch as compressed bytes of Arrow IPC without its schema, which is larger than a short document's rows."""
    return compress(batch.serialize())


def empty_parts(settings: WriteSettings) -> Iterator[RowsOfPart]:
    """Yield a batch without rows for every Parquet file of a job, so that each table exists whatever the input was."""
    for table, shard in part_keys(settings):
        yield (table, shard), _no_rows(table)


def _no_rows(table: str) -> PackedRows:
    return (), _to_ipc(to_batch(table, []))


def _batches(table: str, ordered: Iterable[PackedRows]) -> Iterator[pa.RecordBatch]:
    for _, data in ordered:
        yield pa.ipc.read_record_batch(decompress(data), TABLES[table])


def read_rows(table: str, packed: Iterable[bytes]) -> Iterator[Row]:
    """Yield the rows in packed batches of a table as dictionaries, in order."""
    for batch in _batches(table, (((), data) for data in packed)):
        yield from batch.to_pylist()


def write_part(key: PartKey, packed: Iterable[PackedRows], settings: WriteSettings) -> Written:
    """Write the rows of one Parquet file, and return its record. key: (table, shard). Memory holds only the sort keys.

    Raises:
        pdfmill.transforms.storage.errors.SourceError: the output store or the local disk failed.
    """
    with scratch_folder() as folder, Spool(folder) as spool:
        places = [(order, spool.put(data)) for order, data in packed]
        return write_spooled_part(spool.path, key, places, settings)


def write_spooled_part(path: str, key: PartKey, places: Sequence[tuple[tuple[object, ...], Place]], settings: WriteSettings) -> Written:
    """Write the rows of one Parquet file, which are in the local file `path`, and return its record. key: (table, shard).
    places: (sort key, range of bytes in `path`) of each batch of rows."""
    table, shard = key
    handle = os.open(path, os.O_RDONLY)
    cuts = _Cuts(sum(place.length for _, place in places), settings.max_part_bytes)
    try:
        kept = ((order, cuts.taken(read_place(handle, place))) for order, place in sorted(places))
        groups = _row_groups(_batches(table, chain([_no_rows(table)], kept)), group_bytes(table))
        return joined(
            _write_file(table, part_name(table, shard, settings, piece), pieces) for piece, pieces in enumerate(cuts.files(groups), 1)
        )
    finally:
        os.close(handle)


class _Cuts:
    """Splits the rows of a shard into Parquet files of about equal size, at ends of row groups. packed: bytes of all packed rows. most:
    bytes of packed rows per file; None for one file."""

    def __init__(self, packed: int, most: int | None) -> None:
        self._share = packed / max(1, math.ceil(packed / most)) if most else math.inf
        self._taken = 0

    def taken(self, data: bytes) -> bytes:
        self._taken += len(data)
        return data

    def files(self, groups: Iterator[pa.Table]) -> Iterator[Iterator[pa.Table]]:
        """Yield for each file an iterator over its row groups, which must be consumed to its end before the next file."""
        waiting = next(groups, None)
        full = self._share

        def file() -> Iterator[pa.Table]:
            nonlocal waiting
            while waiting is not None:
                taken, (group, waiting) = self._taken, (waiting, next(groups, None))
                yield group
                if taken >= full:
                    return

        while waiting is not None:
            yield file()
            full += self._share


def _write_file(table: str, uri: str, groups: Iterable[pa.Table]) -> Written:
    """Write one Parquet file. A large one is built on the local disk, so that memory holds its bytes once (for the upload), not twice."""
    with tempfile.SpooledTemporaryFile(IN_MEMORY_BYTES) as sink:
        try:
            with pq.ParquetWriter(sink, TABLES[table], compression="zstd", use_dictionary=text_columns(TABLES[table])) as writer:
                for group in groups:
                    writer.write_table(group)
            sink.seek(0)
            data = sink.read()
        except OSError as error:
            raise SourceError("store_error", f"{uri}: the temporary file for it cannot be written: {error.strerror or error}") from error
    write_bytes(uri, data)
    return written_part(table, uri, data)


def text_columns(schema: pa.Schema) -> list[str]:
    """Return the dotted paths of the columns and struct fields that hold text. Only these are dictionary-encoded, which would make offsets
    and boxes larger.

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
    """Return the size of a row group of this table, in bytes before compression."""
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
