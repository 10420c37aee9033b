"""PDFs in a column of Parquet files: every row is a document.

    s3://bucket/crawl/*.parquet                              the only binary column, and the address column if there is one
    s3://bucket/crawl/*.parquet#payload=pdf&address=source   columns by name; `pdf.bytes` is the field of a struct

The address of a row is `parquet+` and the file's address, then `#` with row group and row (from 0), the binary column, and the value of the
address column. If that is a URL, the row's id depends on it and the folder only, so that rows keep their ids when files are rewritten. One
worker reads the rows of a row group, in order, because they have the same sort key (`DocumentRef.place`)."""

from __future__ import annotations

import math
import threading
from collections import Counter, OrderedDict
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any, BinaryIO, Final
from urllib.parse import urlencode

import pyarrow as pa
import pyarrow.parquet as pq
from msgspec.structs import replace

from pdfmill.schemas.records import PARQUET_PREFIX, DocumentRef
from pdfmill.transforms.storage.addresses import found, record_of
from pdfmill.transforms.storage.errors import SourceError
from pdfmill.transforms.storage.settings import SETTINGS

#: Names of address columns in Common Crawl's index, data-prep-kit and the Hugging Face hub; the first one that exists is used.
_ADDRESSES: Final = ("url", "uri", "source_uri", "source_url", "source_filename", "filename", "file_name", "file_path", "path", "name")
#: Row groups that a process keeps open for reading; threads that need more wait for each other.
_OPEN_GROUPS: Final = 4

_BROKEN: Final = (pa.ArrowException, OSError, ValueError)


def table_file(uri: str, source: BinaryIO, metadata: pq.FileMetaData | None = None) -> pq.ParquetFile:
    """Open a Parquet file. metadata: its footer, if it has been read before.

    `pyarrow.parquet.read_table` must not be used with Python file objects: its threads free buffers after it has returned, and a process
    that ends meanwhile is aborted (apache/arrow#33975, #34314). `ParquetFile.read` waits for its threads.

    Raises:
        SourceError: with the code damaged, if the file is truncated or not Parquet.
    """
    try:
        return pq.ParquetFile(source, metadata=metadata, pre_buffer=True)
    except pa.ArrowInvalid as error:
        raise SourceError(
            "damaged", f"{uri}: this Parquet file is cut off or damaged; if it belongs to tables of pdfmill, write them again: {error}"
        ) from error


def may_hold(group: pq.RowGroupMetaData, first: str, last: str) -> bool:
    """Return whether a row group may have rows whose `doc_id` lies between `first` and `last`, both included."""
    for number in range(group.num_columns):
        column = group.column(number)
        if column.path_in_schema == "doc_id":
            known = column.statistics is not None and column.statistics.has_min_max
            return not known or (column.statistics.min <= last and first <= column.statistics.max)
    return False


def file_rows(file: DocumentRef, stream: BinaryIO, named: dict[str, str]) -> Iterator[DocumentRef]:
    """Yield a reference for each row of a Parquet file; for a file that cannot be read, one reference with the `failure`.
    named: names of columns that the source states after `#`, with the keys `payload` and `address`."""
    try:
        with pq.ParquetFile(stream, buffer_size=SETTINGS.chunk_bytes, pre_buffer=False) as parquet:
            payload, address = _columns(file.uri, parquet.schema_arrow, named)
            row, seen = 0, Counter[int]()
            for group in range(parquet.num_row_groups):
                for told in _addresses(parquet, group, address):
                    before = seen[hash(told)] if told else 0
                    seen[hash(told)] += bool(told)
                    uri = row_uri(file.address, group, row, payload, told, before)
                    yield found(uri, etag=file.etag, modified=file.modified)
                    row += 1
    except SourceError as error:
        yield replace(file, failure=error.failure)
    except _BROKEN as error:
        broken = SourceError("damaged", f"{file.uri}: cannot be read as a Parquet file: {_message(error)}")
        yield replace(file, failure=broken.failure)


def row_uri(file_uri: str, group: int, row: int, payload: str, address: str | None, before: int = 0) -> str:
    """Return the address of a row. group, row: from 0. payload: the binary column. before: number of earlier rows with the same `address`.

    >>> row_uri("s3://b/a.parquet", 0, 7, "pdf", "http://x/y.pdf")
    'parquet+s3://b/a.parquet#group=000000&row=000000007&payload=pdf&url=http%3A%2F%2Fx%2Fy.pdf'
    """
    told = {"group": f"{group:06d}", "row": f"{row:09d}", "payload": payload, **({"url": address} if address else {})}
    told |= {"again": str(before)} if before else {}
    return f"{PARQUET_PREFIX}{file_uri}#" + urlencode(told)


def _columns(uri: str, schema: pa.Schema, named: dict[str, str]) -> tuple[str, str | None]:
    """Return the name of the column with the PDFs, and of that with their addresses, or None.
    named: names of columns that the source states after `#`, with the keys `payload` and `address`."""
    leaves = dict(_leaves("", schema))
    if missing := sorted(set(named.values()) - leaves.keys()):
        raise SourceError("bad_source", f"{uri}: has no column {missing[0]}; its columns: {', '.join(leaves)}")
    binary = [path for path, kind in leaves.items() if pa.types.is_binary(kind) or pa.types.is_large_binary(kind)]
    payload = named.get("payload") or (binary[0] if len(binary) == 1 else "")
    if payload not in binary:
        told = (
            f"the column {payload} is not binary"
            if payload
            else f"{len(binary)} columns are binary" + (f" ({', '.join(binary)})" if binary else "")
        )
        raise SourceError("bad_source", f"{uri}: {told}; name the column with the documents: {uri.rpartition('/')[2]}#payload=COLUMN")
    texts = [path for path, kind in leaves.items() if pa.types.is_string(kind) or pa.types.is_large_string(kind)]
    address = named.get("address") or next((path for name in _ADDRESSES for path in texts if path.rpartition(".")[2].lower() == name), None)
    if address and address not in texts:
        raise SourceError("bad_source", f"{uri}: the column {address} is not text")
    return payload, address


def _leaves(above: str, fields: Any) -> Iterator[tuple[str, pa.DataType]]:
    """Yield (dotted path, type) of the columns, including the fields of structs but not the items of lists. above: path of the struct."""
    for each in fields:
        if pa.types.is_struct(each.type):
            yield from _leaves(f"{above}{each.name}.", each.type)
        else:
            yield above + each.name, each.type


def _addresses(parquet: pq.ParquetFile, group: int, column: str | None) -> Iterator[str | None]:
    if column is None:
        yield from [None] * parquet.metadata.row_group(group).num_rows
        return
    for batch in parquet.iter_batches(row_groups=[group], columns=[column], use_threads=False):
        yield from _leaf(batch).to_pylist()


def _leaf(batch: pa.RecordBatch) -> pa.Array:
    array = batch.column(0)
    while pa.types.is_struct(array.type):
        (array,) = array.flatten()
    return array


def _check_size(group: pq.RowGroupMetaData, payload: str, max_bytes: int | None) -> None:
    """Raise SourceError(too_large) if the documents of a row group are larger than `max_bytes`, or compressed more strongly than PDFs can
    be."""
    columns = [group.column(number) for number in range(group.num_columns)]
    for size, stored, rows in (
        (each.total_uncompressed_size, each.total_compressed_size, each.num_values) for each in columns if each.path_in_schema == payload
    ):
        if size > SETTINGS.inflated_bytes and (size > SETTINGS.inflated_times * stored or size > (max_bytes or math.inf) * rows):
            raise SourceError("too_large", f"the {rows:,} rows of its row group have {size:,} bytes, compressed to {stored:,}")


class _Group:
    def __init__(self, stream: BinaryIO, group: int, payload: str, max_bytes: int | None) -> None:
        parquet = pq.ParquetFile(stream, buffer_size=SETTINGS.chunk_bytes, pre_buffer=False)
        _check_size(parquet.metadata.row_group(group), payload, max_bytes)
        self.next = sum(parquet.metadata.row_group(before).num_rows for before in range(group))
        self._rows = parquet.iter_batches(batch_size=1, row_groups=[group], columns=[payload], use_threads=False)

    def take(self) -> pa.Scalar:
        value = _leaf(next(self._rows))[0]
        self.next += 1
        return value


class RowReader:
    """Reads rows of Parquet files by their addresses. It continues after the last row read, so reading in order of addresses is fast."""

    def __init__(self) -> None:
        self._groups: OrderedDict[tuple[object, ...], _Group] = OrderedDict()
        self._lock = threading.Lock()

    def read(self, ref: DocumentRef, open_file: Callable[[], BinaryIO], max_bytes: int | None = None) -> bytes:
        """Return the bytes of the document in a row. open_file: opens the Parquet file, seekable, in the version that was listed.

        Raises SourceError: bad_source for a wrong address, damaged if the file is broken, not_found for a row without bytes, too_large if
        the documents of its row group are larger than max_bytes, or compressed more strongly than PDFs can be."""
        told = record_of(ref.uri)
        try:
            group, row, payload = int(told["group"]), int(told["row"]), told["payload"]
        except (KeyError, ValueError) as error:
            raise SourceError(
                "bad_source", f"{ref.uri}: the address of a row of a Parquet file needs #group=...&row=...&payload=..."
            ) from error
        name = f"{file_of(ref.uri)}, row {row}"
        key = (ref.place, ref.etag, ref.modified, payload)
        with self._lock:
            rows = self._groups.pop(key, None)
            try:
                if rows is None or rows.next > row:
                    rows = _Group(open_file(), group, payload, max_bytes)
                while rows.next < row:
                    rows.take()
                value = rows.take()
            except SourceError as error:
                raise SourceError(error.code, f"{name}: {error.message}") from error
            except StopIteration as error:
                raise SourceError("damaged", f"{name}: the row group ends before it") from error
            except _BROKEN as error:
                raise SourceError("damaged", f"{name}: {_message(error)}") from error
            self._groups[key] = rows
            while len(self._groups) > _OPEN_GROUPS:
                self._groups.popitem(last=False)
        if not value.is_valid:
            raise SourceError("not_found", f"{name}: {payload} is null")
        return bytes(value.as_py())


@cache
def row_reader() -> RowReader:
    """Return the one `RowReader` of this process."""
    return RowReader()


def file_of(uri: str) -> str:
    """Return the address of the Parquet file that contains a row, from the row's address."""
    return uri.removeprefix(PARQUET_PREFIX).rpartition("#")[0]


def _message(error: Exception) -> str:
    return " ".join(str(error).split())
