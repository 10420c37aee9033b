"""Read rows of stored tables for an export: all rows, the rows of changed documents, and the ids of the rows that these had before."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from pdfmill.schemas.records import DocId, Row
from pdfmill.schemas.tables import TABLES, key_of
from pdfmill.transforms.delta.delta_log import stem_of
from pdfmill.transforms.storage.errors import SourceError
from pdfmill.transforms.tables.sinks.fields import DOCUMENT_COLUMNS, exported_rows, own_columns, row_id
from pdfmill.transforms.tables.table_reader import HeldTables, held_tables, read_rows


def rows_of_part(held: HeldTables, table: str, stem: str, documents: Collection[DocId] | None = None) -> Iterator[list[Row]]:
    """Yield batches of a table's rows in the form in which they are exported. stem: name of the Parquet files. documents: ids; None for
    all.

    Raises:
        pdfmill.transforms.storage.errors.SourceError: a file cannot be read.
    """
    parts = held.parts[stem]
    columns = own_columns(table)
    if table == "documents":
        for rows in read_rows(held, stem, table, columns, documents):
            yield list(exported_rows(table, rows, {}))
        return
    if "documents" not in parts:
        raise SourceError(
            "bad_source", f"{parts[table][0]}: there is no file of documents with that name, so pdfmill may not have written it"
        )
    of = {str(row["doc_id"]): row for rows in read_rows(held, stem, "documents", DOCUMENT_COLUMNS, documents) for row in rows}
    if of:
        for rows in read_rows(held, stem, table, columns, documents):
            yield list(exported_rows(table, rows, of))


def new_stems(held: HeldTables, table: str, since: int) -> list[str]:
    """Return the names of a table's Parquet files that were written after the snapshot `since`, which contain all rows of changed
    documents."""
    try:
        before = {stem_of(name) for name in held_tables(held.output, since).parts}
    except FileNotFoundError:  # the log no longer has that snapshot
        before = set()
    return [stem for stem in held.stems(table) if stem_of(stem) not in before]  # a part from which rows were only deleted has no new ones


def ids_at(held: HeldTables, table: str, snapshot: int, documents: Collection[DocId]) -> Iterator[str]:
    """Yield the ids that the rows of these documents had in a table at an older snapshot, since which they have changed.

    Raises:
        pdfmill.transforms.storage.errors.SourceError: that snapshot, or a file of it, no longer exists.
    """
    columns = [name for name in ("id", *key_of(table)) if name in TABLES[table].names]
    try:
        before = held_tables(held.output, snapshot)
        for stem in before.stems(table):
            if stem not in held.parts:
                for rows in read_rows(before, stem, table, columns, documents):
                    yield from (str(row.get("id") or row_id(table, row)) for row in rows)
    except (FileNotFoundError, SourceError) as error:
        text = f"{held.output}: snapshot {snapshot}, which the target has, can no longer be read: {error}; export without --follow"
        raise SourceError("not_found", text) from error
