"""A Parquet file of exported rows: one wide table, with fields of the document and the embedding in each row.
An export of changes rewrites the file."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from pdfmill.schemas.records import Row
from pdfmill.transforms.tables.sinks.fields import exported_fields
from pdfmill.transforms.tables.sinks.sink import Changes, Cursor, Refusal, SinkError, Target
from pdfmill.transforms.tables.sinks.whole_files import FileSink, sink_errors


class ParquetFile(FileSink):
    """A sink (target of an export) that is one Parquet file; see `pdfmill.transforms.tables.sinks.sink.Sink`."""

    def __init__(self, target: Target) -> None:
        super().__init__(target)
        self._writer: pq.ParquetWriter | None = None
        self._schema = pa.schema([])

    def begin(self, cursor: Cursor, changes: Changes | None = None) -> Collection[str]:
        """Begin the file; for an export of changes, first copy the rows of unchanged documents. Return (), because no other rows are in it
        yet."""
        more = [pa.field("embedding", pa.list_(pa.float32()))] if cursor.dimensions else []
        self._schema = pa.schema([*(each.with_nullable(True) for each in exported_fields(cursor.table)), *more])
        file = self._start(cursor, self._path)
        with sink_errors(self._path):
            self._writer = pq.ParquetWriter(file.stream, self._schema, compression="zstd")
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

    def commit(self) -> None:
        assert self._writer is not None
        with sink_errors(self._path):
            self._writer.close()
        super().commit()
