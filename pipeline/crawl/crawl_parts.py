"""Write, record and merge the Parquet files of a crawl, and remove documents from them.
A "part" is a set of files, one per table, with the rows of the same documents. Their common name without suffix is the stem."""

from __future__ import annotations

import io
import json
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any, Final

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from msgspec import Struct, to_builtins
from msgspec.structs import replace

from pdfmill.pipeline.crawl.decide import DELETED, MAY_PASS
from pdfmill.pipeline.crawl.duplicates import Duplicate
from pdfmill.pipeline.crawl.texts import TABLES_OF_TEXT, ChangedTexts, Texts, changed_texts, text_signature, texts_of
from pdfmill.schemas.crawl import CRAWL_TABLES, Member, PlanEntry, SourceState, StaleState
from pdfmill.schemas.records import TABLE_NAMES, DocId, Row, object_id
from pdfmill.schemas.version import version
from pdfmill.transforms.delta.deletion_vectors import ShownRows, shown_rows, with_deleted
from pdfmill.transforms.delta.delta_log import PartFile, Snapshot, group_of, part_path
from pdfmill.transforms.road.document_rows import source_row
from pdfmill.transforms.storage.objects import join_uri, list_files, read_file, read_if_there, write_bytes
from pdfmill.transforms.tables.parts import group_bytes

#: Folder for a crawl's own files; tools that clean Delta tables spare names that begin with _.
OWN: Final = "_pdfmill"
#: Folder with a record of each complete part, whose documents a later run need not read again.
WHOLE: Final = f"{OWN}/parts"
_DATA: Final = TABLE_NAMES
_KEYS: Final = {
    "documents": ["doc_id"],
    "pages": ["doc_id", "page"],
    "blocks": ["doc_id", "page", "block"],
    "sections": ["doc_id", "section"],
    "assets": ["doc_id", "asset"],
    "sources": ["doc_id"],
    "changes": ["snapshot", "doc_id", "page"],
    "stale": ["doc_id"],
}
STATE_COLUMNS: Final = [name for name in CRAWL_TABLES["sources"].names if name != "minhash"]
#: The same columns in the order of the fields of `SourceState`.
_STATE_ORDER: Final = [
    "doc_id", "root_doc_id", "source_uri", "source_etag", "source_size", "source_modified", "content_sha256", "status", "error_code",
    "page_count", "config_signature", "attempts", "first_seen", "read_at", "deleted_at", "duplicate_of", "source_checksum", "source",
    "failed_since",
]  # fmt: skip
EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_DOCUMENT_COLUMNS: Final = [
    "doc_id", "parent_doc_id", "source_uri", "source_etag", "source_size", "source_modified", "content_sha256", "status",
    "error_code", "page_count",
]  # fmt: skip
#: Occurs in the stems of parts of the table `stale`, whose rows name the stale rows of other parts. They are merged only with each other,
#: because deleting a row of `stale` must not delete the document's rows.
STALE_STEM: Final = "-stale-"


def part_uri(output: str, table: str, stem: str) -> str:
    """Return the address of a table's Parquet file with this stem (name without suffix)."""
    return join_uri(output, part_path(table, stem))


def write_table_part(output: str, table: str, stem: str, rows: pa.Table) -> list[PartFile]:
    """Write rows of a table, sorted by its key, to a file with this stem (name without suffix). Return its record in a list; [] if there
    are no rows."""
    if not rows.num_rows:
        return []
    sink = io.BytesIO()
    ordered = in_shape(table, rows).sort_by([(key, "ascending") for key in _KEYS[table]])
    rows_of_group = max(1, group_bytes(table) * ordered.num_rows // max(1, ordered.nbytes))
    pq.write_table(ordered, sink, row_group_size=rows_of_group, compression="zstd")
    write_bytes(part_uri(output, table, stem), sink.getvalue())
    return [PartFile.of(table, stem, sink.tell(), rows.num_rows)]


def in_shape(table: str, rows: pa.Table, names: Sequence[str] | None = None) -> pa.Table:
    """Return the rows with exactly the columns of the table `table`, or with those in `names`; missing columns are null.
    Files of other Delta tools have the columns of all tables; files of an older pdfmill may lack some."""
    schema, there = CRAWL_TABLES[table], set(rows.column_names)
    schema = schema if names is None else pa.schema([schema.field(name) for name in names])
    columns = [rows.column(each.name).cast(each.type) if each.name in there else pa.nulls(len(rows), each.type) for each in schema]
    return pa.Table.from_arrays(columns, schema=schema)


class Finished(Struct, frozen=True):
    """The rows that complete a part (files of the same documents). sources: rows of `sources`. stale: rows of `stale`, about objects that
    could not be read and keep their old rows. texts: changed texts of documents that existed before."""

    sources: list[Row]
    stale: list[Row]
    texts: ChangedTexts


def finish_part(output: str, base: Snapshot, stem: str, notes: Mapping[DocId, PlanEntry], signature: str, started: datetime) -> Finished:
    """Complete the files with one stem: remove documents that keep older rows because reading failed temporarily, write rows of `sources`,
    and record the files as complete. If no document remains, nothing is written.
    base: the last snapshot. notes: plan entries of the objects in the files, by id. signature: digest of the settings."""
    data = {table: read_file(part_uri(output, table, stem)) for table in _DATA}
    documents = _opened(data["documents"]).read(columns=[*_DOCUMENT_COLUMNS, "error_message"]).to_pylist()
    if not documents:  # a shard that no document fell into
        return Finished([], [], {})
    ids = {note.uri: note.doc_id for note in notes.values()}
    roots = {DocId(row["doc_id"]): ids.get(row["source_uri"]) or object_id(row["source_uri"]) for row in documents}
    failed = [row for row in documents if _keeps(notes.get(row["doc_id"]), row["error_code"], row["status"])]
    stale = [stale_row(notes[row["doc_id"]], row["error_code"], row["error_message"], signature, started) for row in failed]
    if kept := {row["doc_id"] for row in failed}:
        data = _without(output, stem, data, [doc_id for doc_id, root in roots.items() if root in kept])
    signatures = _signatures(data["pages"])
    rows = [
        _source_row(row, notes.get(roots[row["doc_id"]]), signature, started) | {"minhash": signatures.get(row["doc_id"])}
        for row in documents
        if roots[row["doc_id"]] not in kept
    ]
    files = [PartFile.of(table, stem, len(each), pq.read_metadata(io.BytesIO(each)).num_rows) for table, each in data.items()]
    files = [file for file in files if file.table != "assets"]
    files += write_table_part(output, "assets", stem, _opened(data["assets"]).read())  # with the types of `CRAWL_TABLES`
    files += write_table_part(output, "sources", stem, pa.Table.from_pylist(rows, schema=CRAWL_TABLES["sources"]))
    if rows:
        write_bytes(part_record_uri(output, stem), json.dumps([to_builtins(file) for file in files if file.rows]).encode())
    return Finished(rows, stale, _changed_texts(output, base, data, [note for doc_id, note in notes.items() if doc_id not in kept]))


def _changed_texts(output: str, base: Snapshot, data: Mapping[str, bytes], notes: Iterable[PlanEntry]) -> ChangedTexts:
    """Compare the texts of documents in new files (`data`, by table) with those in the last snapshot. notes: plan entries of the
    objects."""
    before = {doc_id: part for note in notes for part, doc_id in note.replaces}
    if not before:
        return {}
    stems, old, new = base.stems(), Texts(), Texts()
    for part in sorted(set(before.values()) & stems.keys()):
        old.take(texts_of(output, stems[part], {doc_id for doc_id, each in before.items() if each == part}))
    for table in TABLES_OF_TEXT:
        new.add(table, partial(_batches, data[table]), before.keys())
    return changed_texts(old, new, before.keys())


def _opened(data: bytes) -> pq.ParquetFile:
    """Open a Parquet file in memory. Read it by methods of the result; `pyarrow.parquet.read_table` may abort the process (see
    `table_file`)."""
    return pq.ParquetFile(io.BytesIO(data))


def _batches(data: bytes, columns: list[str]) -> Iterator[pa.RecordBatch]:
    yield from _opened(data).iter_batches(columns=columns)


def _keeps(note: PlanEntry | None, code: str | None, status: str) -> bool:
    """Return whether an object keeps its old rows because its new reading (`code`, `status`) failed temporarily."""
    return note is not None and note.keeps and status == "failed" and code in MAY_PASS


def _without(output: str, stem: str, data: Mapping[str, bytes], gone: Iterable[DocId]) -> dict[str, bytes]:
    """Rewrite unpublished files with one stem without the documents in `gone`. Return the new files by table."""
    less = {}
    for table, whole in data.items():
        sink = io.BytesIO()
        pq.write_table(_rows_without(_opened(whole).read(), gone), sink, compression="zstd")
        less[table] = sink.getvalue()
        write_bytes(part_uri(output, table, stem), less[table])
    return less


def _rows_without(table: pa.Table, gone: Iterable[DocId]) -> pa.Table:
    return table.filter(pc.invert(_among(table, gone)))


def _among(table: pa.Table, wanted: Iterable[DocId]) -> pa.ChunkedArray:
    return pc.is_in(table.column("doc_id").cast(pa.string()), value_set=pa.array(sorted(set(wanted)), pa.string()))


def stale_row(note: PlanEntry, code: str, message: str, signature: str, started: datetime) -> Row:
    """Make the row of the table `stale` for an object that could not be read and keeps its old rows. note: its plan entry.
    code, message: of the error. signature: digest of the settings. started: start of the run."""
    ref = note.ref
    assert ref is not None
    return {
        "doc_id": note.doc_id,
        "source_uri": note.uri,
        "source_etag": ref.etag,
        "source_size": ref.size,
        "source_modified": ref.modified,
        "error_code": code,
        "error_message": message,
        "config_signature": signature,
        "attempts": note.attempts + 1,
        "failed_since": note.stale_since or started,
        "read_at": started,
    }


def _source_row(row: Mapping[str, Any], note: PlanEntry | None, signature: str, started: datetime) -> Row:
    copied = {name: row.get(name) for name in _DOCUMENT_COLUMNS if name != "parent_doc_id"}
    may_pass = row["status"] == "failed" and row["error_code"] in MAY_PASS
    return copied | {
        "root_doc_id": note.doc_id if note else object_id(row["source_uri"]),
        "source_checksum": note.ref.checksum if note and note.ref else None,
        "config_signature": signature,
        "attempts": (note.attempts if note else 0) + 1 if may_pass else 0,
        "first_seen": (note.first_seen if note else None) or started,
        "read_at": started,
        "source": note.source if note else "",
        "failed_since": None if row["status"] == "ok" else _failed_since(row, note) or started,
    }


def _failed_since(row: Mapping[str, Any], note: PlanEntry | None) -> datetime | None:
    """Return the start of the first run in which a document had its present failure; None if it is new, or there is none."""
    as_now = (row["doc_id"], row["status"], row["error_code"])
    return next((each.since for each in (note.failing if note else ()) if each[:-1] == as_now), None)


def _signatures(pages: bytes) -> dict[DocId, list[int]]:
    """Return for each document the `text_signature` of all its pages. pages: the Parquet file of `pages`."""
    texts: dict[DocId, list[str]] = {}
    for batch in _opened(pages).iter_batches(columns=["doc_id", "text"]):
        for doc_id, text in zip(batch.column(0).to_pylist(), batch.column(1).to_pylist(), strict=True):
            texts.setdefault(doc_id, []).append(text or "")
    found = {doc_id: text_signature(parts) for doc_id, parts in texts.items()}
    return {doc_id: signature for doc_id, signature in found.items() if signature}


def point_at(
    output: str, stem: str, copies: Sequence[Duplicate], originals: Mapping[DocId, Mapping[str, Any]], signature: str, started: datetime
) -> tuple[list[PartFile], list[Row]]:
    """Write the rows of duplicates, which have the same bytes as another document (the original) and are not read. Return the files, and
    rows of `stale` for duplicates that keep their old rows, because reading the original failed temporarily.
    stem: of the new files. originals: the originals' rows of `documents` by id. signature: digest of the settings."""
    rows, sources, stale = [], [], []
    for copy in copies:
        note, original = copy.entry, originals.get(copy.was or copy.same_as, {})
        ref = note.ref
        assert ref is not None
        code, message = (copy.failure.code, copy.failure.message) if copy.failure else (original["error_code"], original["error_message"])
        failed = code in MAY_PASS and original.get("status", "failed") == "failed"
        if failed and note.keeps:
            stale.append(stale_row(note, code, message, signature, started))
            continue
        lost = {"status": "failed", "error_code": code, "error_message": message, "extractor_version": version()}
        told = lost if failed else {**original, "duplicate_of": copy.same_as}
        rows.append({**told, **source_row(ref), "page_count": 0})
        sources.append(_source_row(rows[-1], note, signature, started) | {"duplicate_of": rows[-1].get("duplicate_of")})
    files = write_table_part(output, "documents", stem, pa.Table.from_pylist(rows, schema=CRAWL_TABLES["documents"]))
    return files + write_table_part(output, "sources", stem, pa.Table.from_pylist(sources, schema=CRAWL_TABLES["sources"])), stale


def rows_of(output: str, file: PartFile, columns: Sequence[str] | None = None) -> pa.Table:
    """Read the rows of a file, without the deleted ones. columns: names of the columns to read; None for all."""
    return shown_rows(join_uri(output, file.path), columns, file.vector)


def document_rows(output: str, files: Iterable[PartFile], wanted: Collection[DocId]) -> Iterator[Row]:
    """Yield the rows of `documents` with the ids in `wanted` from these files."""
    for file in files:
        table = in_shape("documents", rows_of(output, file))
        yield from table.filter(_among(table, wanted)).to_pylist()


def tombstones(entries: Iterable[PlanEntry], signature: str, started: datetime) -> pa.Table:
    """Build the rows of `sources` that mark objects as deleted at `started`. signature: digest of the settings on which rows depend."""
    rows = [
        {
            "doc_id": entry.doc_id,
            "root_doc_id": entry.doc_id,
            "source_uri": entry.uri,
            "source_size": entry.size,
            "status": DELETED,
            "page_count": 0,
            "config_signature": signature,
            "attempts": 0,
            "first_seen": entry.first_seen,
            "deleted_at": started,
        }
        for entry in entries
    ]
    return pa.Table.from_pylist(rows, schema=CRAWL_TABLES["sources"])


def read_states(output: str, stem: str, vector: str | None = None, *, staged: bool = False) -> Iterator[SourceState]:
    """Yield the rows of a file of `sources`. stem: name without suffix. vector: deletion vector, or None. staged: no snapshot contains the
    file."""
    times = dict[int, datetime]()
    with ShownRows(part_uri(output, "sources", stem), vector) as part:
        for batch in part.batches(STATE_COLUMNS):
            yield from states_in(batch, group_of(stem), times, staged=staged)


def states_in(batch: pa.RecordBatch, group: str, times: dict[int, datetime], *, staged: bool = False) -> Iterator[SourceState]:
    """Convert a batch of `sources` rows. group: stem of their files. times: a cache of datetimes by microseconds since 1970, because many
    rows share one time. staged: no snapshot contains the rows."""
    there = set(batch.schema.names)
    columns = {name: _values(batch, name, times) if name in there else [None] * len(batch) for name in STATE_COLUMNS}
    for row in zip(*(columns[name] for name in _STATE_ORDER), strict=True):
        *told, checksum, name, failed_since = row
        yield SourceState(*(*told, group, staged, checksum, name or "", failed_since))


def _values(batch: pa.RecordBatch, name: str, times: dict[int, datetime]) -> list[Any]:
    """Return a column of the batch as Python values. times: cache of datetimes by microseconds since 1970."""
    column = batch.column(name)
    if not pa.types.is_timestamp(column.type):
        return column.to_pylist()  # type: ignore[no-any-return]
    numbers = column.cast(pa.timestamp("us", tz="UTC")).cast(pa.int64()).to_pylist()
    return [None if each is None else times.get(each) or times.setdefault(each, EPOCH + timedelta(microseconds=each)) for each in numbers]


def read_stale(output: str, stem: str, vector: str | None = None) -> Iterator[StaleState]:
    """Yield the rows of a file of the table `stale`. stem: name without suffix. vector: the file's deletion vector, or None."""
    for row in shown_rows(part_uri(output, "stale", stem), CRAWL_TABLES["stale"].names, vector).to_pylist():
        yield StaleState(
            row["doc_id"], row["source_uri"], row["source_etag"], row["source_size"], row["source_modified"], row["error_code"],
            row["error_message"], row["config_signature"], row["attempts"], row["failed_since"], row["read_at"], stem,
        )  # fmt: skip


def whole_parts(output: str, run: str = "") -> dict[str, list[PartFile]]:
    """Return by stem (name without suffix) all files that are recorded as complete, published or not. run: how the stems begin."""
    names = (uri.rpartition("/")[2].removesuffix(".json") for uri in list_files(join_uri(output, WHOLE), ".json"))
    recorded = ((stem, recorded_part(output, stem)) for stem in names if stem.startswith(run))
    return {stem: files for stem, files in recorded if files is not None}


def recorded_part(output: str, stem: str) -> list[PartFile] | None:
    """Return the files with this stem if they are recorded as complete, else None."""
    text = read_if_there(part_record_uri(output, stem))
    return None if text is None else [PartFile(**file) for file in json.loads(text)]


def part_record_uri(output: str, stem: str) -> str:
    """Return the address of the record that the files with this stem (name without suffix) are complete."""
    return join_uri(output, f"{WHOLE}/{stem}.json")


def rewrite_part(output: str, files: Sequence[PartFile], gone: Collection[DocId], new_stem: str) -> list[PartFile]:
    """Rewrite files without the documents in `gone`, with the stem (name without suffix) `new_stem`; return the new files."""
    written: list[PartFile] = []
    for file in files:
        table = rows_of(output, file)
        written += write_table_part(output, file.table, new_stem, table if file.table == "changes" else _rows_without(table, gone))
    return written


def mark_part(output: str, file: PartFile, gone: Collection[DocId]) -> PartFile | None:
    """Return the record of a file in which the rows of the documents in `gone` are marked as deleted; None if no row is left."""
    ids = shown_rows(join_uri(output, file.path), ["doc_id"])
    rows = pc.indices_nonzero(_among(ids, gone)).to_pylist()
    marked = replace(file, vector=with_deleted(file.vector, rows)) if rows else file
    return marked if marked.shown else None


def holds_any(output: str, file: PartFile, wanted: Iterable[DocId]) -> bool:
    """Return whether a file has rows of any of the documents in `wanted`."""
    return bool(pc.any(_among(rows_of(output, file, ["doc_id"]), wanted)).as_py())


def merge_parts(output: str, groups: Sequence[Sequence[PartFile]], new_stem: str) -> list[PartFile]:
    """Merge several parts (sets of files, one per table) into one with the stem `new_stem`; return its files."""
    by_table: dict[str, list[pa.Table]] = {}
    for file in (file for files in groups for file in files):
        rows = rows_of(output, file)
        by_table.setdefault(file.table, []).append(in_shape(file.table, rows))
    return [file for table, tables in by_table.items() for file in write_table_part(output, table, new_stem, pa.concat_tables(tables))]


def members_of(rows: Iterable[Mapping[str, Any]]) -> tuple[Member, ...]:
    """Return (id, number of pages) of the documents in rows of the table `sources`."""
    return tuple(sorted((row["doc_id"], row["page_count"]) for row in rows))
