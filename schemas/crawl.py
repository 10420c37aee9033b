"""Scheduled crawls: the records passed on while a run is planned, and the tables that a crawl writes besides the five of `index`.
Readers see all of them as one Delta table with the schema `SNAPSHOT`, whose column `table_name` names the table of a row."""

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
    "new": "The object is not in the last snapshot.",
    "changed": "Its etag, generation, size or time differs from that in the last snapshot.",
    "retry": "Its last reading failed, perhaps only temporarily, and enough time has passed.",
    "redo": "It was read by another version of pdfmill, or with other settings on which rows depend.",
    "adopted": "An interrupted run has read it already.",
    "gone": "It is no longer listed.",
    "moved": "It has another address than before but the same bytes, so it keeps its rows and is not read.",
    "unchanged": "It has not changed, so it is not read.",
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
    """The planned action for one object of a crawl. The comment of each field explains it; "part" means the stem (file name without suffix)
    of the Parquet files that hold some rows."""

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
        """The sort key by which objects are read: objects with equal keys should be read by one worker."""
        return self.ref.place if self.ref is not None else self.doc_id

    def without_delete(self) -> PlanEntry:
        """Return a copy of this entry that keeps the object's rows of the last snapshot, although the object has disappeared."""
        return replace(self, kind="", before=(), replaces=())


def _field(name: str, kind: pa.DataType, doc: str, *, nullable: bool = True) -> pa.Field:
    return pa.field(name, kind, nullable=nullable, metadata={"doc": doc})


_TEXT: Final = pa.string()
_TIME: Final = pa.timestamp("us", tz="UTC")

SOURCES: Final = pa.schema(
    [
        _field("doc_id", _TEXT, "The id of the document, as in `documents`.", nullable=False),
        _field(
            "root_doc_id",
            _TEXT,
            "The id of the object in storage; for an embedded PDF, of the object that contains it.",
            nullable=False,
        ),
        _field("source_uri", _TEXT, "The address of the object in storage.", nullable=False),
        _field("source_etag", _TEXT, "The etag or generation of the object, as in `documents`."),
        _field("source_size", pa.int64(), "The size of the object in bytes, as in `documents`."),
        _field("source_modified", _TIME, "The time of the object's last change, as in `documents`."),
        _field("source_checksum", _TEXT, "The checksum of the content that the store states: an MD5, an etag or an archive's digest."),
        _field("content_sha256", _TEXT, "The SHA-256 of the bytes, as in `documents`."),
        _field("status", _TEXT, "The result of reading, as in `documents`; `deleted` if the object no longer exists.", nullable=False),
        _field("error_code", _TEXT, "The reason why the document is not ok, as in `documents`."),
        _field("page_count", pa.int32(), "The number of pages, as in `documents`; 0 if the object no longer exists.", nullable=False),
        _field("config_signature", _TEXT, "A digest of pdfmill's version and of the settings on which rows depend.", nullable=False),
        _field("attempts", pa.int32(), "The number of consecutive readings that failed temporarily.", nullable=False),
        _field("first_seen", _TIME, "The start of the run that first found the object."),
        _field("read_at", _TIME, "The start of the run that last read the object."),
        _field("deleted_at", _TIME, "The start of the run that no longer found the object; null while it exists."),
        _field("duplicate_of", _TEXT, "The document with the same bytes that was read instead; null for other documents."),
        _field("source", _TEXT, "The name of the crawl's source that listed the object."),
        _field("failed_since", _TIME, "The start of the run that first gave the document its present status; null if that is ok."),
        _field(
            "minhash",
            pa.list_(pa.int64()),
            "The MinHash signature of the text's five-word shingles: texts are as similar as they share numbers.",
        ),
    ],
    metadata={"table": "sources", "key": "doc_id"},
)

CHANGES: Final = pa.schema(
    [
        _field("snapshot", pa.int64(), "The first version of the table that contains the change.", nullable=False),
        _field(
            "change",
            _TEXT,
            "The kind of change: added, replaced or removed; dropped if changes up to this snapshot may be missing.",
            nullable=False,
        ),
        _field(
            "changed_table",
            _TEXT,
            "The table concerned: documents (with their blocks, sections and assets) or pages; changes if `change` is dropped.",
            nullable=False,
        ),
        _field("doc_id", _TEXT, "The id of the document; empty if `change` is dropped.", nullable=False),
        _field("source_uri", _TEXT, "The address of the document's object."),
        _field("page", pa.int32(), "The page number, from 1; null for the document as a whole."),
        _field("text_changed", pa.bool_(), "True if the text has changed; null if that is unknown."),
        _field("changed_blocks", pa.list_(pa.int32()), "For a replaced page, the numbers of its blocks whose text was not on it before."),
        _field(
            "changed_sections",
            pa.list_(pa.int32()),
            "For a replaced document, the numbers of its sections whose text no section had before.",
        ),
        _field("duplicate_of", _TEXT, "The document with the same bytes that was read instead; null for other documents."),
        _field("moved_from", _TEXT, "For a document that was moved, the id that it had at its former address."),
    ],
    metadata={"table": "changes", "key": "snapshot,doc_id,page"},
)


STALE: Final = pa.schema(
    [
        _field("doc_id", _TEXT, "The id of the document whose rows are older than its object.", nullable=False),
        _field("source_uri", _TEXT, "The address of the document's object.", nullable=False),
        _field("source_etag", _TEXT, "The etag or generation of the object that could not be read."),
        _field("source_size", pa.int64(), "The size of the object that could not be read, in bytes."),
        _field("source_modified", _TIME, "The time of the last change of the object that could not be read."),
        _field("error_code", _TEXT, "The reason why the object could not be read, as one word.", nullable=False),
        _field("error_message", _TEXT, "The same reason as a sentence."),
        _field("config_signature", _TEXT, "A digest of pdfmill's version and of the settings with which reading failed.", nullable=False),
        _field("attempts", pa.int32(), "The number of consecutive readings that failed.", nullable=False),
        _field("failed_since", _TIME, "The start of the run whose reading failed first.", nullable=False),
        _field("read_at", _TIME, "The start of the run whose reading failed last.", nullable=False),
    ],
    metadata={"table": "stale", "key": "doc_id"},
)


def _as_one_table() -> dict[str, pa.Schema]:
    """Return the schemas of all tables, with equal types for columns of equal name: widths and heights become floats."""
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
            pa.field(
                "table_name",
                _TEXT,
                metadata={
                    "doc": "The table to which the row belongs: documents, pages, blocks, sections, assets, sources, changes or stale."
                },
            ),
            *fields.values(),
        ]
    )


#: The schema of the one Delta table that readers open: the columns of all tables, and `table_name`.
SNAPSHOT: Final = _union()


def tables_with(column: str) -> list[str]:
    """Return the names of the tables that have this column."""
    return [table for table, schema in CRAWL_TABLES.items() if column in schema.names]
