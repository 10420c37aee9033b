"""The Arrow schemas of the five Parquet tables, made from `pdfmill.schemas.rows`, and the conversion of rows to Arrow.
Metadata have the sentence of a column under `doc`, and the key columns of a table under `key`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from typing import Any, Final

import numpy as np
import pyarrow as pa
from msgspec import Struct

from pdfmill.schemas.declare import Column, Row, StructColumns, columns, is_long, is_struct
from pdfmill.schemas.rows import AssetRow, Block, DocumentRow, PageRow, SectionRow


class RowMismatchError(ValueError):
    """A row does not fit the schema of its table; the message names the table, the column, and the expected and the given value."""


_ARROW: Final = {
    str: pa.string(),
    int: pa.int32(),
    float: pa.float32(),
    bool: pa.bool_(),
    datetime: pa.timestamp("us", tz="UTC"),
}


def arrow_type(kind: Any) -> pa.DataType:
    """Return the Arrow type of a column. kind: its declared Python type, one of those that `pdfmill.schemas.declare` lists."""
    if is_long(kind):
        return pa.int64()
    if is_struct(kind):
        return pa.struct([pa.field(each.name, _arrow_of(each)) for each in columns(kind)])
    return _ARROW[kind]


def _arrow_of(declared: Column) -> pa.DataType:
    return pa.list_(arrow_type(declared.element)) if declared.element is not None else arrow_type(declared.kind)


def arrow_schema(table: str, rows: type[Struct], key: Sequence[str]) -> pa.Schema:
    """Return the schema of a table. rows: the class of its rows. key: its key columns."""
    found = [pa.field(each.name, _arrow_of(each), nullable=each.nullable, metadata={"doc": each.doc}) for each in columns(rows)]
    return pa.schema(found, metadata={"table": table, "key": ",".join(key)})


DOCUMENTS: Final = arrow_schema("documents", DocumentRow, ["doc_id"])
PAGES: Final = arrow_schema("pages", PageRow, ["doc_id", "page"])
BLOCKS: Final = arrow_schema("blocks", Block, ["doc_id", "page", "block"])
SECTIONS: Final = arrow_schema("sections", SectionRow, ["doc_id", "section"])
ASSETS: Final = arrow_schema("assets", AssetRow, ["doc_id", "asset"])

TABLES: Final[dict[str, pa.Schema]] = {"documents": DOCUMENTS, "pages": PAGES, "blocks": BLOCKS, "sections": SECTIONS, "assets": ASSETS}
#: The rows of each table as an Arrow struct type. Converting rows to one array of structs takes half the time of an array per column.
_STRUCTS: Final = {table: pa.struct(list(schema)) for table, schema in TABLES.items()}
#: The names of the columns of each table, and of those columns that hold lists.
_COLUMNS: Final = {table: frozenset(schema.names) for table, schema in TABLES.items()}
_LISTS: Final = {table: [spec.name for spec in schema if pa.types.is_list(spec.type)] for table, schema in TABLES.items()}


def key_of(table: str) -> tuple[str, ...]:
    """Return the key columns of a table.

    >>> key_of("pages")
    ('doc_id', 'page')
    """
    return tuple(TABLES[table].metadata[b"key"].decode().split(","))


def to_batch(table: str, rows: Sequence[Row]) -> pa.RecordBatch:
    """Convert rows of a table to one record batch of its schema; missing columns become null.

    Raises:
        RowMismatchError: a row has a column the table lacks, a value of another type, or null where none may be.
    """
    schema = TABLES[table]
    known = _COLUMNS[table]
    for row in rows:
        if not row.keys() <= known:
            unknown = sorted(row.keys() - known)
            raise RowMismatchError(f"{table}: the rows have the unknown columns {unknown}; the table has {sorted(known)}")
    packed = [name for name in _LISTS[table] if any(isinstance(row.get(name), StructColumns) for row in rows)]
    try:
        plain = pa.array([row | dict.fromkeys(packed) for row in rows] if packed else rows, _STRUCTS[table])
        batch = pa.RecordBatch.from_struct_array(plain).replace_schema_metadata(schema.metadata)
        for name in packed:
            place = schema.get_field_index(name)
            batch = batch.set_column(
                place, schema.field(place), _list_of_structs(schema.field(place).type, [row.get(name) for row in rows])
            )
    except (pa.ArrowInvalid, pa.ArrowTypeError, TypeError, OverflowError) as error:
        raise RowMismatchError(f"{table}: {_first_misfit(schema, rows)}: {error}") from error
    for column, spec in zip(batch.columns, schema, strict=True):
        if not spec.nullable and column.null_count:
            raise RowMismatchError(
                f"{table}.{spec.name}: {column.null_count} of {len(rows)} rows are null, but the column must have a value"
            )
    return batch


def _list_of_structs(kind: pa.DataType, values: Sequence[object]) -> pa.ListArray:
    """Convert the values of a column to one Arrow array. values: for each row its `StructColumns`, or None for a null."""
    present = [value for value in values if isinstance(value, StructColumns)]
    fields = [pa.array(np.concatenate([value.fields[field.name] for value in present]), field.type) for field in kind.value_type]
    ends = np.cumsum([0, *(len(value) if isinstance(value, StructColumns) else 0 for value in values)])
    offsets = pa.array(ends, pa.int32(), mask=np.array([*(not isinstance(value, StructColumns) for value in values), False]))
    return pa.ListArray.from_arrays(offsets, pa.StructArray.from_arrays(fields, fields=list(kind.value_type)), type=kind)


def _first_misfit(schema: pa.Schema, rows: Iterable[Row]) -> str:
    for row, spec in ((row, spec) for row in rows for spec in schema):
        try:
            pa.array([row.get(spec.name)], type=spec.type)
        except (pa.ArrowInvalid, pa.ArrowTypeError, TypeError, OverflowError):
            return f"{spec.name}={row.get(spec.name)!r} is not of the type {spec.type}"
    return "no single column"


def column_docs(table: str) -> Iterator[tuple[str, str, str]]:
    """Yield (name, Arrow type, description) of each column, for the docs and `--help`."""
    for spec in TABLES[table]:
        yield spec.name, str(spec.type), spec.metadata[b"doc"].decode()
