"""Read the tables of `pdfmill index` or of a crawl from an output folder, file by file, for exports and other readers."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Final

import pyarrow as pa
import pyarrow.compute as pc
from msgspec import Struct, field

from pdfmill.schemas.crawl import DROPPED
from pdfmill.schemas.records import DocId, Row
from pdfmill.schemas.tables import TABLES, key_of
from pdfmill.transforms.delta.deletion_vectors import ShownRows
from pdfmill.transforms.delta.delta_log import LOOSE, PartFile, load_snapshot, stem_of
from pdfmill.transforms.storage.errors import SourceError
from pdfmill.transforms.storage.objects import join_uri, look_up
from pdfmill.transforms.tables.output_layout import Manifest, published_parts
from pdfmill.transforms.tables.sinks.fields import DOCUMENT_COLUMNS, exported_rows, own_columns, row_id

#: Number of rows in memory at once; a row of `pages` has a few kB.
BATCH_ROWS: Final = 500
#: Number of hex digits of the id of tables that no crawl wrote.
_DIGITS: Final = 32
#: Prefix of the part names of files into which other tools have merged parts.
_LOOSE: Final = f"{LOOSE}-"
#: Suffix in the names of the second and further files of a large part.
_FURTHER: Final = re.compile(r"\.\d+$")


class HeldTables(Struct, frozen=True):
    """The tables in an output folder. source: id of a crawl's tables, or a digest of the files of tables by `index`. snapshot: version of a
    crawl's tables, else -1. parts: addresses of the Parquet files, by name without suffix, then by table. vectors: by address, the file's
    Delta deletion vector, or None."""

    output: str
    source: str  # see `transforms.tables.sinks.sink.Cursor`
    snapshot: int  # version of a crawl's tables; -1 for tables of `pdfmill index`
    #: Addresses by part name, then table. Files with the same documents share a part name; a large part has several files per table.
    parts: dict[str, dict[str, list[str]]]
    #: By address, the Delta deletion vector, which marks deleted rows; None without one.
    vectors: dict[str, str | None] = field(default_factory=dict)

    @property
    def has_changes(self) -> bool:
        """Return whether a crawl wrote the tables, so that `changed_documents` can tell which documents changed."""
        return self.snapshot >= 0

    def stems(self, table: str) -> list[str]:
        """Return the names, without suffix, of a table's Parquet files. In all tables, files with the same documents share a name."""
        return sorted(stem for stem, uris in self.parts.items() if table in uris)

    def uris(self, table: str, stem: str) -> list[str]:
        """Return the addresses of a table's Parquet files with this name (stem), in order; [] if there are none."""
        return self.parts.get(stem, {}).get(table, [])


def is_loose(stem: str) -> bool:
    """Return whether other tools have merged the files with this name, so that a document's rows may be in any of them, in any order."""
    return stem.startswith(_LOOSE)


def held_tables(output: str, snapshot: int | None = None) -> HeldTables:
    """Find the tables in a folder. snapshot: version of a crawl's tables; None for the last one.

    Raises:
        pdfmill.transforms.storage.errors.SourceError: there are no tables, or they cannot be listed.
    """
    held = load_snapshot(output, snapshot)
    if held.version >= 0:
        parts: dict[str, dict[str, list[str]]] = {}
        names = held.names()
        for stem, files in held.stems().items():
            for file in sorted(files, key=lambda each: each.path):
                name = _loose_name(files) if stem == LOOSE else names[stem]
                parts.setdefault(name, {}).setdefault(file.table, []).append(join_uri(output, file.path))
        vectors = {join_uri(output, file.path): file.vector for file in held.files.values()}
        return HeldTables(output, held.table_id, held.version, parts, vectors)
    found: dict[str, dict[str, list[str]]] = {}
    for table, uri in sorted(published_parts(output), key=_place_in_part):
        stem = _FURTHER.sub("", _name(uri))
        found.setdefault(stem, {}).setdefault(table, []).append(uri)
    if not any("documents" in uris for uris in found.values()):
        raise SourceError("bad_source", f"{output} is no output of pdfmill: it has no table documents")
    return HeldTables(output, _digest(output, found), -1, found)


def _name(uri: str) -> str:
    return uri.rpartition("/")[2].removesuffix(".parquet")


def _place_in_part(part: tuple[str, str]) -> tuple[str, int]:
    """Return a sort key for a Parquet file given as (table, address): the table, and its number if the rows of one file are split."""
    further = _FURTHER.search(_name(part[1]))
    return part[0], int(further[0][1:]) if further else 1


def _loose_name(files: Iterable[PartFile]) -> str:
    told = sorted((file.path, file.vector or "") for file in files)
    return f"{_LOOSE}{hashlib.sha256(repr(told).encode()).hexdigest()[:_DIGITS]}"


def _digest(output: str, parts: dict[str, dict[str, list[str]]]) -> str:
    """Return a digest of the names and sizes of the files in the manifest or, without a manifest, of the listed files."""
    manifest = Manifest.load(output)
    told = (
        sorted(manifest.files.items())
        if manifest
        else _listed(uri for tables in parts.values() for uris in tables.values() for uri in uris)
    )
    return hashlib.sha256(repr(told).encode("utf-8", "surrogatepass")).hexdigest()[:_DIGITS]


def _listed(uris: Iterable[str]) -> list[tuple[object, ...]]:
    refs = [look_up(uri) for uri in sorted(uris)]
    return [(ref.uri, ref.size, ref.etag, str(ref.modified)) for ref in refs]


def read_rows(
    held: HeldTables, name: str, table: str, columns: Sequence[str], documents: Collection[DocId] | None = None
) -> Iterator[list[Row]]:
    """Yield the rows of a table's Parquet files with this name, in order and in batches; columns that older files lack are left out.
    documents: ids; None for all.

    Raises:
        pdfmill.transforms.storage.errors.SourceError: a file cannot be read.
    """
    for batch in read_batches(held, name, table, columns, documents):
        yield batch.to_pylist()


def read_batches(
    held: HeldTables, name: str, table: str, columns: Sequence[str], documents: Collection[str] | None = None, rows: int = BATCH_ROWS
) -> Iterator[pa.RecordBatch]:
    """Yield what `read_rows` yields as Arrow batches of at most `rows` rows; nothing if no file of this name has rows of the table."""
    wanted = None if documents is None else pa.array(sorted(documents), pa.string())
    ids = (min(documents), max(documents)) if documents else None
    for uri in held.uris(table, name):
        with ShownRows(uri, held.vectors.get(uri)) as part:
            for batch in part.batches(columns, rows, ids):
                kept = batch if wanted is None else batch.filter(pc.is_in(batch.column("doc_id"), value_set=wanted))
                if kept.num_rows:
                    yield kept


def last_dropped_snapshot(held: HeldTables) -> int:
    """Return the last snapshot whose changes may be missing from `changes`; -1 if there is none. Raises SourceError if it cannot be
    read."""
    found = (
        row["snapshot"]
        for stem in held.stems("changes")
        for rows in read_rows(held, stem, "changes", ["snapshot", "change", "doc_id"], [DocId("")])
        for row in rows
        if row["change"] == DROPPED
    )
    return max((number for number in found if isinstance(number, int)), default=-1)


def changed_documents(held: HeldTables, since: int) -> list[DocId]:
    """Return the ids of the documents that were added, replaced or removed after the snapshot `since`, sorted. Raises SourceError."""
    found: set[DocId] = set()
    for stem in held.stems("changes"):
        for rows in read_rows(held, stem, "changes", ["snapshot", "changed_table", "doc_id"]):
            found.update(
                DocId(str(row["doc_id"]))
                for row in rows
                if row["changed_table"] == "documents" and isinstance(row["snapshot"], int) and row["snapshot"] > since
            )
    return sorted(found)


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
