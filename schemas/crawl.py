"""Scheduled crawls: the records passed on while a run is planned, and the tables that a crawl writes besides the five tables of `index`.

Readers see all tables of a crawl as one Delta table with the schema `SNAPSHOT`, so that one commit publishes them all at once. The
column `table_name` says which table a row belongs to.
"""

from __future__ import annotations

from datetime import datetime
from typing import Final, NamedTuple

import pyarrow as pa
from msgspec import Struct
from msgspec.structs import replace

from pdfmill.schemas.records import DocId, DocumentRef
from pdfmill.schemas.tables import ASSETS, TABLES

#: The actions that a plan may contain for an object, each with an explanation.
KINDS: Final[dict[str, str]] = {
    "new": "Not in the last snapshot.",
    "changed": "Its etag, generation, size or time differs from the last snapshot's.",
    "retry": "Its last reading failed in a way that may pass, long enough ago.",
    "redo": "Read by another version of pdfmill or with other settings that matter.",
    "adopted": "Read already by a run that did not come to its end.",
    "gone": "No longer listed.",
    "moved": "At another address than before: where the bytes are equal, the rows go along and nothing is read.",
    "unchanged": "As it was; it is not read.",
}

#: A value of `changes.change`: entries were removed from the table `changes`, so changes up to that snapshot may be missing from it.
DROPPED: Final = "dropped"

#: The keys of `KINDS` for objects that the run reads.
READ_KINDS: Final = frozenset({"new", "changed", "retry", "redo"})


class SourceState(Struct, frozen=True):
    """A row of `sources`: the state of an object in the last snapshot, or in an interrupted run. Fields without a comment are columns of
    `SOURCES`, explained there."""

    doc_id: DocId
    root_doc_id: DocId  # id of the object in storage; for an embedded PDF that of the object that contains it
    uri: str
    etag: str | None
    size: int | None
    modified: datetime | None
    content_sha256: str | None
    status: str
    error_code: str | None
    page_count: int
    signature: str  # digest of pdfmill's version and of the settings that change what is read
    attempts: int  # number of consecutive readings that failed temporarily
    first_seen: datetime | None
    read_at: datetime | None
    deleted_at: datetime | None  # start of the run that no longer found the object; None while it exists
    duplicate_of: DocId | None  # the document with the same bytes that was read instead
    part: str = ""  # stem (file name without suffix) of the Parquet files that hold its rows
    staged: bool = False  # the files were written, but no snapshot contains them yet
    checksum: str | None = None
    source: str = ""  # name of the crawl's source that listed it
    failed_since: datetime | None = None  # start of the first run that gave it its present status; None if it is ok


class StaleState(Struct, frozen=True):
    """A row of `stale`: the last reading of an object failed temporarily, so snapshots still contain the rows of an earlier reading."""

    doc_id: DocId
    uri: str
    etag: str | None  # of the version that could not be read, as are size, modified and signature
    size: int | None
    modified: datetime | None
    error_code: str
    error_message: str
    signature: str  # digest of pdfmill's version and of the settings that change what is read
    attempts: int  # number of consecutive readings that failed
    failed_since: datetime  # start of the run whose reading failed first
    read_at: datetime  # start of the run whose reading failed last
    part: str  # stem of the Parquet files that hold this row


class Failing(NamedTuple):
    """A document of the last snapshot whose status is not ok."""

    doc_id: DocId
    status: str
    error_code: str | None
    since: datetime | None  # start of the run that first gave it such a status


#: A document id and the number of the document's pages.
Member = tuple[DocId, int]


class PlanEntry(Struct, frozen=True):
    """The planned action for one object. In its fields, "part" means the stem (file name without suffix) of the Parquet files that hold
    some rows."""

    kind: str  # a key of `KINDS`, or "" if the run only drops rows of interrupted runs
    doc_id: DocId
    uri: str
    ref: DocumentRef | None = None  # the object to read, if kind is one of `READ_KINDS`
    before: tuple[Member, ...] = ()  # the object's documents in the last snapshot
    adopted: tuple[Member, ...] = ()  # its documents that an interrupted run wrote and this run uses as they are
    adopted_parts: tuple[str, ...] = ()  # stems of the Parquet files of the adopted documents
    drops: tuple[tuple[str, DocId], ...] = ()  # (part, document) of the rows to remove
    first_seen: datetime | None = None  # start of the run that found the object first
    attempts: int = 0  # number of consecutive readings that failed temporarily
    size: int | None = None  # bytes
    replaces: tuple[tuple[str, DocId], ...] = ()  # (part, document) of the old rows that the new ones replace
    keeps: bool = False  # if the reading fails temporarily, the old rows stay, marked as stale
    stale_since: datetime | None = None  # time since which the old rows are stale
    failing: tuple[Failing, ...] = ()  # documents of the object that were not ok before
    source: str = ""  # name of the source that lists the object, or listed it last
    why: str = ""  # the reason, for people
    may_wait: bool = False  # a later run may read it instead without harm

    @property
    def place(self) -> str:
        """The sort key by which objects are read, see `DocumentRef.place`."""
        return self.ref.place if self.ref is not None else self.doc_id

    def without_delete(self) -> PlanEntry:
        """Return this entry without the removal of rows, for an object that has disappeared but keeps its rows."""
        return replace(self, kind="", before=(), replaces=())


def _field(name: str, kind: pa.DataType, doc: str, *, nullable: bool = True) -> pa.Field:
    return pa.field(name, kind, nullable=nullable, metadata={"doc": doc})


_TEXT: Final = pa.string()
_TIME: Final = pa.timestamp("us", tz="UTC")

SOURCES: Final = pa.schema(
    [
        _field("doc_id", _TEXT, "As in `documents`.", nullable=False),
        _field(
            "root_doc_id",
            _TEXT,
            "The document that is the object in storage; of an embedded PDF the outermost one it lies in.",
            nullable=False,
        ),
        _field("source_uri", _TEXT, "Address of the object in storage.", nullable=False),
        _field("source_etag", _TEXT, "As in `documents`."),
        _field("source_size", pa.int64(), "As in `documents`."),
        _field("source_modified", _TIME, "As in `documents`."),
        _field("source_checksum", _TEXT, "What the store says of the content: an MD5, an etag, an archive's digest."),
        _field("content_sha256", _TEXT, "As in `documents`."),
        _field("status", _TEXT, "As in `documents`; deleted for a tombstone.", nullable=False),
        _field("error_code", _TEXT, "As in `documents`."),
        _field("page_count", pa.int32(), "As in `documents`; 0 for a tombstone.", nullable=False),
        _field("config_signature", _TEXT, "Of pdfmill's version and the settings that change what is read.", nullable=False),
        _field("attempts", pa.int32(), "Readings in a row that failed in a way that may pass.", nullable=False),
        _field("first_seen", _TIME, "Start of the run that found the object first."),
        _field("read_at", _TIME, "Start of the run that read it last."),
        _field("deleted_at", _TIME, "Of a tombstone: start of the run that did not find the object any more."),
        _field("duplicate_of", _TEXT, "The document with the same bytes that was read in this one's place."),
        _field("source", _TEXT, "Name of the crawl's source that listed it."),
        _field("failed_since", _TIME, "Start of the run that found it as it is now, where it is not ok."),
        _field("minhash", pa.list_(pa.int64()), "MinHash signature of the text's five-word shingles: equal places count the likeness."),
    ],
    metadata={"table": "sources", "key": "doc_id"},
)

CHANGES: Final = pa.schema(
    [
        _field("snapshot", pa.int64(), "The version of the table in which the change shows first.", nullable=False),
        _field("change", _TEXT, "added, replaced or removed; dropped: changes up to this snapshot may be missing.", nullable=False),
        _field(
            "changed_table",
            _TEXT,
            "documents or pages; blocks, sections and assets follow their document. changes: of a row that says what was dropped.",
            nullable=False,
        ),
        _field("doc_id", _TEXT, "The document; empty where the row is of none.", nullable=False),
        _field("source_uri", _TEXT, "Its address."),
        _field("page", pa.int32(), "The page; null for the document itself."),
        _field("text_changed", pa.bool_(), "Whether its text is another than before; null where that is not known."),
        _field("changed_blocks", pa.list_(pa.int32()), "Of a replaced page: numbers of its blocks whose text was not on it before."),
        _field("changed_sections", pa.list_(pa.int32()), "Of a replaced document: numbers of its sections whose text was in none before."),
        _field("duplicate_of", _TEXT, "Of a document: the one with the same bytes that was read in its place."),
        _field("moved_from", _TEXT, "Of an added document: the id that it had at the address from which it has moved."),
    ],
    metadata={"table": "changes", "key": "snapshot,doc_id,page"},
)


STALE: Final = pa.schema(
    [
        _field("doc_id", _TEXT, "The document whose rows are older than what its source holds.", nullable=False),
        _field("source_uri", _TEXT, "Its address.", nullable=False),
        _field("source_etag", _TEXT, "Of the object that could not be read."),
        _field("source_size", pa.int64(), "Of the object that could not be read."),
        _field("source_modified", _TIME, "Of the object that could not be read."),
        _field("error_code", _TEXT, "Why it could not be read.", nullable=False),
        _field("error_message", _TEXT, "The same for a person."),
        _field("config_signature", _TEXT, "Of the version and settings it was to be read with.", nullable=False),
        _field("attempts", pa.int32(), "Readings in a row that failed.", nullable=False),
        _field("failed_since", _TIME, "Start of the run whose reading failed first.", nullable=False),
        _field("read_at", _TIME, "Start of the run whose reading failed last.", nullable=False),
    ],
    metadata={"table": "stale", "key": "doc_id"},
)


def _as_one_table() -> dict[str, pa.Schema]:
    """Return the schemas of all tables, with equal types for columns of equal name. Widths and heights are floats in `pages` (points) and
    integers in `assets` (pixels), so both become floats."""
    float_sizes = ASSETS
    for name in ("width", "height"):
        place = float_sizes.get_field_index(name)
        float_sizes = float_sizes.set(place, float_sizes.field(place).with_type(pa.float32()))
    return {**TABLES, "assets": float_sizes, "sources": SOURCES, "changes": CHANGES, "stale": STALE}


#: The schema of each table of a crawl's output, as its Parquet files are written.
CRAWL_TABLES: Final[dict[str, pa.Schema]] = _as_one_table()


def _union() -> pa.Schema:
    fields: dict[str, pa.Field] = {}
    for schema in CRAWL_TABLES.values():
        for each in schema:
            known = fields.setdefault(each.name, each.with_nullable(True))
            assert known.type.equals(each.type), f"{each.name} has two types"
    return pa.schema(
        [
            pa.field("table_name", _TEXT, metadata={"doc": "documents, pages, blocks, sections, assets, sources, changes or stale."}),
            *fields.values(),
        ]
    )


#: The schema of the one Delta table that readers open: the columns of all tables, and `table_name`.
SNAPSHOT: Final = _union()


def tables_with(column: str) -> list[str]:
    """Return the names of the tables that have this column."""
    return [table for table, schema in CRAWL_TABLES.items() if column in schema.names]
