"""Parts of a crawl: what stands beside a part, parts without some documents, parts put together."""

from __future__ import annotations

import io
import json
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from datetime import datetime
from typing import Any, Final

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from schemas.crawl import CRAWL_TABLES, Member, PlanEntry, SourceState
from schemas.records import TABLE_NAMES, DocId, Row, document_id
from transforms.documents import source_row
from transforms.snapshots.decide import DELETED, MAY_PASS
from transforms.snapshots.delta_log import PartFile, part_path
from transforms.snapshots.duplicates import Twin
from transforms.snapshots.signature import text_signature
from transforms.storage.errors import SourceError
from transforms.storage.objects import join_uri, list_files, read_file, write_bytes
from transforms.tables.parts import group_bytes

#: Folder of what runs write for themselves; a name that begins with _ is left alone by every tool that cleans Delta tables.
OWN: Final = "_pdfmill"
#: Folder of the records of whole parts, whose documents a later run need not read again.
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
}
_STATE_COLUMNS: Final = [name for name in CRAWL_TABLES["sources"].names if name != "minhash"]
_DOCUMENT_COLUMNS: Final = [
    "doc_id", "parent_doc_id", "source_uri", "source_etag", "source_size", "source_modified", "content_sha256", "status",
    "error_code", "page_count",
]  # fmt: skip


def part_uri(output: str, table: str, stem: str) -> str:
    """Address of a table's part."""
    return join_uri(output, part_path(table, stem))


def write_table_part(output: str, table: str, stem: str, rows: pa.Table) -> list[PartFile]:
    """Write a part, in the order of its key; no rows make no part."""
    if not rows.num_rows:
        return []
    sink = io.BytesIO()
    ordered = rows.cast(CRAWL_TABLES[table]).sort_by([(key, "ascending") for key in _KEYS[table]])
    rows_of_group = max(1, group_bytes(table) * ordered.num_rows // max(1, ordered.nbytes))
    pq.write_table(ordered, sink, row_group_size=rows_of_group, compression="zstd")
    write_bytes(part_uri(output, table, stem), sink.getvalue())
    return [PartFile.of(table, stem, sink.tell(), rows.num_rows)]


def finish_part(output: str, stem: str, notes: Mapping[DocId, PlanEntry], signature: str, started: datetime) -> list[Row]:
    """Write the `sources` rows of a part's documents, then the record that the part is whole; returns the rows. A part without documents
    gets neither.

    notes: the plan's entries of the objects in the part, by id.
    """
    data = {table: read_file(part_uri(output, table, stem)) for table in _DATA}
    documents = pq.read_table(io.BytesIO(data["documents"]), columns=_DOCUMENT_COLUMNS).to_pylist()
    if not documents:  # a shard that no document fell into
        return []
    signatures = _signatures(data["pages"])
    rows = [_source_row(row, notes, signature, started) | {"minhash": signatures.get(row["doc_id"])} for row in documents]
    files = [PartFile.of(table, stem, len(each), pq.read_metadata(io.BytesIO(each)).num_rows) for table, each in data.items()]
    files = [file for file in files if file.table != "assets"]
    files += write_table_part(output, "assets", stem, pq.read_table(io.BytesIO(data["assets"])))  # with the types of `CRAWL_TABLES`
    files += write_table_part(output, "sources", stem, pa.Table.from_pylist(rows, schema=CRAWL_TABLES["sources"]))
    record = [asdict(file) for file in files if file.rows]
    write_bytes(part_record_uri(output, stem), json.dumps(record).encode())
    return rows


def _source_row(row: Mapping[str, Any], notes: Mapping[DocId, PlanEntry], signature: str, started: datetime) -> Row:
    root = document_id(row["source_uri"])
    note = notes.get(root)
    copied = {name: row[name] for name in _DOCUMENT_COLUMNS if name != "parent_doc_id"}
    may_pass = row["status"] == "failed" and row["error_code"] in MAY_PASS
    return copied | {
        "root_doc_id": root,
        "source_checksum": note.ref.checksum if note and note.ref else None,
        "config_signature": signature,
        "attempts": (note.attempts if note else 0) + 1 if may_pass else 0,
        "first_seen": (note.first_seen if note else None) or started,
        "read_at": started,
    }


def _signatures(pages: bytes) -> dict[DocId, list[int]]:
    """Of each document's text, page after page."""
    texts: dict[DocId, list[str]] = {}
    for batch in pq.ParquetFile(io.BytesIO(pages)).iter_batches(columns=["doc_id", "text"]):
        for doc_id, text in zip(batch.column(0).to_pylist(), batch.column(1).to_pylist(), strict=True):
            texts.setdefault(doc_id, []).append(text or "")
    found = {doc_id: text_signature(parts) for doc_id, parts in texts.items()}
    return {doc_id: signature for doc_id, signature in found.items() if signature}


def point_at(
    output: str, stem: str, twins: Sequence[Twin], originals: Mapping[DocId, Mapping[str, Any]], signature: str, started: datetime
) -> list[PartFile]:
    """Write the rows of objects whose bytes were read elsewhere: the original's row of `documents` with the object's own address.

    originals: rows of `documents` by id, of every document that the twins are the same as.
    """
    rows, sources = [], []
    for twin in twins:
        ref = twin.entry.ref
        assert ref is not None
        own = source_row(ref) | {"duplicate_of": twin.same_as, "page_count": 0}
        rows.append({**originals[twin.same_as], **own})
        notes = {twin.entry.doc_id: twin.entry}
        sources.append(_source_row(rows[-1], notes, signature, started) | {"duplicate_of": twin.same_as})
    files = write_table_part(output, "documents", stem, pa.Table.from_pylist(rows, schema=CRAWL_TABLES["documents"]))
    return files + write_table_part(output, "sources", stem, pa.Table.from_pylist(sources, schema=CRAWL_TABLES["sources"]))


def document_rows(output: str, stem: str, wanted: Collection[DocId]) -> Iterator[Row]:
    """Rows of `documents` of a part, of these documents."""
    table = pq.read_table(io.BytesIO(read_file(part_uri(output, "documents", stem))))
    yield from table.filter(pc.is_in(table.column("doc_id"), value_set=pa.array(sorted(wanted), pa.string()))).to_pylist()


def tombstones(entries: Iterable[PlanEntry], signature: str, started: datetime) -> pa.Table:
    """Rows of `sources` for objects that are gone."""
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


def read_states(output: str, stem: str, *, staged: bool = False) -> Iterator[SourceState]:
    """The `sources` rows of a part."""
    file = pq.ParquetFile(io.BytesIO(read_file(part_uri(output, "sources", stem))))
    for batch in file.iter_batches(columns=_STATE_COLUMNS):
        for row in batch.to_pylist():
            yield SourceState(
                row["doc_id"], row["root_doc_id"], row["source_uri"], row["source_etag"], row["source_size"], row["source_modified"],
                row["content_sha256"], row["status"], row["error_code"], row["page_count"], row["config_signature"], row["attempts"],
                row["first_seen"], row["read_at"], row["deleted_at"], row["duplicate_of"], stem, staged, row.get("source_checksum"),
            )  # fmt: skip


def whole_parts(output: str, run: str = "") -> dict[str, list[PartFile]]:
    """The parts that runs (or one run) have recorded as whole, by stem, whether a snapshot shows them or not."""
    names = (uri.rpartition("/")[2].removesuffix(".json") for uri in list_files(join_uri(output, WHOLE), ".json"))
    recorded = ((stem, recorded_part(output, stem)) for stem in names if stem.startswith(run))
    return {stem: files for stem, files in recorded if files is not None}


def recorded_part(output: str, stem: str) -> list[PartFile] | None:
    """The files of a part that was recorded as whole; None where another run has cleaned its record up."""
    try:
        return [PartFile(**file) for file in json.loads(read_file(part_record_uri(output, stem)))]
    except SourceError as error:
        if error.code != "not_found":
            raise
        return None


def part_record_uri(output: str, stem: str) -> str:
    """Address of a part's record."""
    return join_uri(output, f"{WHOLE}/{stem}.json")


def rewrite_part(output: str, files: Sequence[PartFile], gone: Iterable[DocId], new_stem: str) -> list[PartFile]:
    """Write a part's files again without some documents; what is left stands under the new stem."""
    without = pa.array(sorted(set(gone)), pa.string())
    written: list[PartFile] = []
    for file in files:
        table = pq.read_table(io.BytesIO(read_file(join_uri(output, file.path))))
        if file.table != "changes":
            table = table.filter(pc.invert(pc.is_in(table.column("doc_id"), value_set=without)))
        written += write_table_part(output, file.table, new_stem, table)
    return written


def merge_parts(output: str, groups: Sequence[Sequence[PartFile]], new_stem: str) -> list[PartFile]:
    """Write several parts as one."""
    by_table: dict[str, list[pa.Table]] = {}
    for file in (file for files in groups for file in files):
        by_table.setdefault(file.table, []).append(pq.read_table(io.BytesIO(read_file(join_uri(output, file.path)))))
    return [file for table, tables in by_table.items() for file in write_table_part(output, table, new_stem, pa.concat_tables(tables))]


def members_of(rows: Iterable[Mapping[str, Any]]) -> tuple[Member, ...]:
    """Rows of `sources` as members."""
    return tuple(sorted((row["doc_id"], row["page_count"]) for row in rows))
