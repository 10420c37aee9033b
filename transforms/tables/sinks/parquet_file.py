"""A Parquet file of exported rows: one wide table, with fields of the document and the embedding in each row.
An export of changes rewrites the file."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from pdfmill.schemas.records import Row
from pdfmill.transforms.tables.sinks.fields import exported_fields
from pdfmill.transforms.tables.sinks.sink import Changes, Cursor, Refusal, SinkError, Target
from pdfmill.transforms.tables.sinks.whole_files import WholeFile, read_cursor, sink_errors, write_cursor


def open_sink(target: Target) -> ParquetFile:
    """Return the sink (writer of an export) for this target; it writes nothing before `begin`."""
    return ParquetFile(target)


class ParquetFile:
    """A sink (target of an export) that is one Parquet file; see `pdfmill.transforms.tables.sinks.sink.Sink`."""

    def __init__(self, target: Target) -> None:
        self._path = Path(target.place)
        self._file: WholeFile | None = None
        self._writer: pq.ParquetWriter | None = None
        self._cursor: Cursor | None = None
        self._schema = pa.schema([])

    def cursor(self, table: str) -> Cursor | None:
        """Return the cursor (state of the exported table) stored beside the file; None without a file."""
        return read_cursor(self._path)

    def begin(self, cursor: Cursor, changes: Changes | None = None) -> Collection[str]:
        """Begin the file; for an export of changes, first copy the rows of unchanged documents. Return (), because no other rows are in it
        yet."""
        read_cursor(self._path)
        more = [pa.field("embedding", pa.list_(pa.float32()))] if cursor.dimensions else []
        self._schema = pa.schema([*(each.with_nullable(True) for each in exported_fields(cursor.table)), *more])
        self._cursor, self._file = cursor, WholeFile(self._path)
        with sink_errors(self._path):
            self._writer = pq.ParquetWriter(self._file.stream, self._schema, compression="zstd")
            if changes is not None:
                self._take_over(pa.array(changes.documents, pa.string()))
        return ()

    def _take_over(self, changed: pa.Array) -> None:
        assert self._writer is not None
        try:
            with pq.ParquetFile(self._path) as held:
                for batch in held.iter_batches():
                    rest = batch.filter(pc.invert(pc.is_in(batch.column("doc_id"), value_set=changed)))
                    if rest.num_rows:
                        self._writer.write_batch(rest)
        except (pa.ArrowInvalid, KeyError) as error:
            raise SinkError(
                f"{self._path}: was changed after pdfmill wrote it: {error}; export without --follow to write the file again"
            ) from error

    def put(self, rows: Sequence[Row]) -> list[Refusal]:
        """Write the rows as one row group. Return [], because a file refuses no row."""
        assert self._writer is not None
        times = [pa.types.is_timestamp(each.type) for each in self._schema]
        told = pa.schema([each.with_type(pa.string()) if time else each for each, time in zip(self._schema, times, strict=True)])
        with sink_errors(self._path):
            self._writer.write_table(pa.Table.from_pylist(list(rows), schema=told).cast(self._schema))
        return []

    def done(self, part: str) -> None:
        """Do nothing: a file is always written from its beginning."""

    def commit(self) -> None:
        assert self._writer is not None
        assert self._file is not None
        assert self._cursor is not None
        with sink_errors(self._path):
            self._writer.close()
        self._file.finish()
        write_cursor(self._path, self._cursor)

    def close(self) -> None:
        if self._file is not None:
            self._file.drop()
