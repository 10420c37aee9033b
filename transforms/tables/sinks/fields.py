"""The fields of exported rows: columns of the exported table, and some columns of the document to which the row belongs."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any, Final

import pyarrow as pa

from pdfmill.schemas.records import Row
from pdfmill.schemas.tables import TABLES, key_of

#: The exported columns of tables of which only some are exported; of other tables all are.
_COLUMNS: Final = {
    "documents": (
        "doc_id", "parent_doc_id", "source_uri", "file_name", "source_size", "source_modified", "content_sha256", "status", "error_code",
        "error_message", "format", "pdf_version", "page_count", "title", "author", "created", "modified", "language", "language_confidence",
    ),
    "pages": (
        "doc_id", "page", "label", "width", "height", "status", "error_code", "text", "language", "language_confidence", "char_count",
        "needs_ocr", "ocr",
    ),
}  # fmt: skip
#: Columns of `documents` that are added to its pages and sections, so that a hit names its source and can be filtered by it.
_OF_DOCUMENT: Final = ("source_uri", "file_name", "source_modified", "title", "author", "created", "page_count")
#: Name of the field for the document's language: that of a page or section may differ, or be unknown because its text is too short.
DOCUMENT_LANGUAGE: Final = "document_language"
#: Tables that can be exported; the first one is the default.
EXPORTED: Final = tuple(table for table in ("sections", "pages", "documents") if table in TABLES)

#: Columns of `documents` that are read for rows of other tables.
DOCUMENT_COLUMNS: Final = ("doc_id", *_OF_DOCUMENT, "language")


def own_columns(table: str) -> list[str]:
    """Return the columns that are read from the exported table itself."""
    return list(_COLUMNS.get(table, TABLES[table].names))


def exported_fields(table: str) -> pa.Schema:
    """Return the schema of an exported row: names and types of its fields, without the embedding."""
    own = [TABLES[table].field(name) for name in own_columns(table)]
    repeated = [TABLES["documents"].field(name) for name in _OF_DOCUMENT] if table != "documents" else []
    repeated += [pa.field(DOCUMENT_LANGUAGE, pa.string())] if table != "documents" else []
    return pa.schema([*([] if any(each.name == "id" for each in own) else [pa.field("id", pa.string())]), *own, *repeated])


def form_of(table: str, more: str = "") -> str:
    """Return a digest of the exported fields of a table, and of `more`; when it changes, all rows are exported again."""
    told = [table, more, *(f"{each.name} {each.type}" for each in exported_fields(table))]
    return hashlib.sha256("\n".join(told).encode()).hexdigest()[:_DIGITS]


#: Number of hex digits of digests in names: 48 bits distinguish some hundred indexes.
_DIGITS: Final = 12


def exported_rows(table: str, rows: Sequence[Row], documents: Mapping[str, Row]) -> Iterator[Row]:
    """Yield rows in the form in which they are exported. rows: with the columns of `own_columns`. documents: rows of `documents` by id."""
    for row in rows:
        of = row if table == "documents" else documents.get(str(row["doc_id"]), {})
        made = {"id": row.get("id") or row_id(table, row), **{name: _plain(row.get(name)) for name in own_columns(table)}}
        if table != "documents":
            made |= {name: _plain(of.get(name)) for name in _OF_DOCUMENT} | {DOCUMENT_LANGUAGE: of.get("language")}
        yield made


def row_id(table: str, row: Row) -> str:
    """Return an id, made of the key columns, for a row of a table without the column `id`.

    >>> row_id("pages", {"doc_id": "d", "page": 3})
    'd-3'
    """
    return "-".join(str(row[name]) for name in key_of(table))


def _plain(value: Any) -> Any:
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, list):
        return [_plain(each) for each in value]
    if isinstance(value, dict):
        return {name: _plain(each) for name, each in value.items()}
    return value
