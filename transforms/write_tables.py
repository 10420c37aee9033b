"""Rows to Parquet parts whose names and contents depend on the rows alone.

A part's name comes from its shard, its order from its keys. A retried bundle therefore writes the same bytes to the same
place, and as every store puts an object whole, readers never see half a part or a row twice.
"""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from typing import Final
from zlib import crc32

import apache_beam as beam
import pyarrow as pa
import pyarrow.parquet as pq

from schemas.records import DocId, Row
from schemas.tables import TABLES, to_batch
from transforms.display import ShowsSettings
from transforms.metrics import Measured
from transforms.packing import compress, decompress
from transforms.settings import WriteSettings
from transforms.storage.objects import join_uri, write_bytes

#: Row groups this large are what readers can skip and prefetch well.
ROW_GROUP_BYTES: Final = 32 << 20

#: (table, shard): where a batch of rows goes.
PartKey = tuple[str, int]
#: (sort key, a record batch as a compressed Arrow IPC message).
PackedRows = tuple[tuple[object, ...], bytes]

_ORDER: Final = {"documents": ("doc_id",), "pages": ("doc_id", "page"), "blocks": ("doc_id", "page", "block"), "assets": ("doc_id", "asset")}


def shard_of(doc_id: DocId, shards: int) -> int:
    """The shard of a document's rows, from 0: shards get about as many documents each."""
    return crc32(doc_id.encode()) % shards


def pack_rows(table: str, doc_id: DocId, rows: Sequence[Row], shards: int) -> Iterator[tuple[PartKey, PackedRows]]:
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


def empty_parts(settings: WriteSettings) -> Iterator[tuple[PartKey, PackedRows]]:
    """No rows for every part, so that each table exists, whatever the input held."""
    for table in TABLES:
        for shard in range(settings.shards):
            yield (table, shard), ((), _to_ipc(to_batch(table, [])))


def unpack_rows(table: str, packed: Iterable[PackedRows]) -> Iterator[pa.RecordBatch]:
    """The batches in the order of their keys."""
    for _, data in sorted(packed, key=lambda each: each[0]):
        yield pa.ipc.read_record_batch(decompress(data), TABLES[table])


def part_name(table: str, shard: int, settings: WriteSettings) -> str:
    """Address of a part; with the settings known, all names are."""
    return join_uri(join_uri(settings.output_uri, settings.table_folder.format(table=table)), f"{settings.part_prefix}-{shard:05d}-of-{settings.shards:05d}.parquet")


def part_names(settings: WriteSettings) -> Iterator[str]:
    """The addresses of all parts that a run with these settings writes; a shard without rows is an empty part."""
    for table in TABLES:
        for shard in range(settings.shards):
            yield part_name(table, shard, settings)


def write_part(key: PartKey, packed: Iterable[PackedRows], settings: WriteSettings) -> str:
    """Write one part and return its address.

    Raises:
        transforms.storage.errors.SourceError: the output store does not take it.
    """
    table, shard = key
    sink = io.BytesIO()
    with pq.ParquetWriter(sink, TABLES[table], compression="zstd", use_dictionary=text_columns(TABLES[table])) as writer:
        for group in _row_groups(unpack_rows(table, packed)):
            writer.write_table(group)
    uri = part_name(table, shard, settings)
    write_bytes(uri, sink.getvalue())
    return uri


def _write(keyed: tuple[PartKey, Iterable[PackedRows]], settings: WriteSettings) -> Iterator[str]:
    yield write_part(*keyed, settings)


def text_columns(schema: pa.Schema) -> list[str]:
    """Paths of the leaves that hold text: only there a dictionary pays; offsets and boxes are a quarter smaller without.

    >>> text_columns(pa.schema([("a", pa.string()), ("b", pa.int32()), ("c", pa.list_(pa.struct([("d", pa.string()), ("e", pa.int32())])))]))
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


def _row_groups(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.Table]:
    waiting: list[pa.RecordBatch] = []
    size = 0
    for batch in batches:
        waiting.append(batch)
        size += batch.nbytes
        if size >= ROW_GROUP_BYTES:
            yield pa.Table.from_batches(waiting).combine_chunks()
            waiting, size = [], 0
    if waiting:
        yield pa.Table.from_batches(waiting).combine_chunks()


class _Write(ShowsSettings, Measured[tuple[PartKey, Iterable[PackedRows]], str]):
    def __init__(self, settings: WriteSettings) -> None:
        super().__init__("write_tables", partial(_write, settings=settings))
        self._settings = settings


class WriteTables(beam.PTransform[object, str]):
    """(doc_id, rows) for each table to the addresses of the parts written."""

    def __init__(self, settings: WriteSettings) -> None:
        super().__init__()
        self._settings = settings

    def expand(self, tables: dict[str, beam.PCollection[tuple[DocId, list[Row]]]]) -> beam.PCollection[str]:
        """Pack, bring each part together, write it."""
        empty = tables["documents"].pipeline | "Empty parts" >> beam.Create(list(empty_parts(self._settings)), reshuffle=False)
        packed = [
            rows | f"Pack {table}" >> beam.FlatMapTuple(partial(pack_rows, table, shards=self._settings.shards)) for table, rows in tables.items()
        ]
        return [empty, *packed] | beam.Flatten() | "Gather" >> beam.GroupByKey() | "Write" >> beam.ParDo(_Write(self._settings))
