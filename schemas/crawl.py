"""Scheduled crawls: the records that flow while a run is planned, and the tables that it adds to the five.

All tables of a crawl's output are one table to its readers, told apart by the column `table_name`, so that one commit shows them all
at once; `SNAPSHOT` is its schema.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final

import pyarrow as pa

from schemas.records import DocId, DocumentRef
from schemas.tables import ASSETS, TABLES

#: What a plan may say of an object; each with its sentence.
KINDS: Final[dict[str, str]] = {
    "new": "Not in the last snapshot.",
    "changed": "Its etag, generation, size or time differs from the last snapshot's.",
    "retry": "Its last reading failed in a way that may pass, long enough ago.",
    "redo": "Read by another version of pdfmill or with other settings that matter.",
    "adopted": "Read already by a run that did not come to its end.",
    "gone": "No longer listed.",
    "unchanged": "As it was; it is not read.",
}

#: Kinds that are read.
READ_KINDS: Final = frozenset({"new", "changed", "retry", "redo"})


@dataclass(frozen=True, slots=True)
class SourceState:
    """A row of `sources`: what the last snapshot, or a run that died, knows of a document.

    root_doc_id: of the object in storage that it is, or is embedded in. part: the stem of the parts that hold its rows.
    staged: the part was written, but no snapshot shows it.
    """

    doc_id: DocId
    root_doc_id: DocId
    uri: str
    etag: str | None
    size: int | None
    modified: datetime | None
    content_sha256: str | None
    status: str
    error_code: str | None
    page_count: int
    signature: str
    attempts: int
    first_seen: datetime | None
    read_at: datetime | None
    deleted_at: datetime | None
    duplicate_of: DocId | None
    part: str = ""
    staged: bool = False
    checksum: str | None = None


#: (document, how many pages it has).
Member = tuple[DocId, int]


@dataclass(frozen=True, slots=True)
class PlanEntry:
    """What is to be done about one object. kind: of `KINDS`, or "" when only rows of dead runs are to be left out.

    ref: what to read, for `READ_KINDS`. before: the object's documents in the last snapshot. adopted: its documents in parts of a
    run that died, which are taken as they are. adopted_parts: these parts' stems. drops: (part, document) whose rows go.
    content_sha256: of the last reading, where only the content can tell whether the object changed.
    """

    kind: str
    doc_id: DocId
    uri: str
    ref: DocumentRef | None = None
    before: tuple[Member, ...] = ()
    adopted: tuple[Member, ...] = ()
    adopted_parts: tuple[str, ...] = ()
    drops: tuple[tuple[str, DocId], ...] = ()
    first_seen: datetime | None = None
    attempts: int = 0
    size: int | None = None

    @property
    def place(self) -> str:
        """See `DocumentRef.place`."""
        return self.ref.place if self.ref is not None else self.doc_id

    def without_delete(self, committed: frozenset[str]) -> PlanEntry:
        """The entry of a gone object that is kept all the same; committed: the stems that the last snapshot shows."""
        kept = tuple((part, doc_id) for part, doc_id in self.drops if part not in committed)
        return replace(self, kind="", before=(), drops=kept)


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
        _field("minhash", pa.list_(pa.int64()), "MinHash signature of the text's five-word shingles: equal places count the likeness."),
    ],
    metadata={"table": "sources", "key": "doc_id"},
)

CHANGES: Final = pa.schema(
    [
        _field("snapshot", pa.int64(), "The version of the table in which the change shows first.", nullable=False),
        _field("change", _TEXT, "added, replaced or removed.", nullable=False),
        _field("changed_table", _TEXT, "documents or pages; blocks, sections and assets follow their document.", nullable=False),
        _field("doc_id", _TEXT, "The document.", nullable=False),
        _field("source_uri", _TEXT, "Its address."),
        _field("page", pa.int32(), "The page; null for the document itself."),
    ],
    metadata={"table": "changes", "key": "snapshot,doc_id,page"},
)


def _as_one_table() -> dict[str, pa.Schema]:
    """The tables with types that agree where names do: sizes are points in `pages`, pixels in `assets`, and both are floats here."""
    float_sizes = ASSETS
    for name in ("width", "height"):
        place = float_sizes.get_field_index(name)
        float_sizes = float_sizes.set(place, float_sizes.field(place).with_type(pa.float32()))
    return {**TABLES, "assets": float_sizes, "sources": SOURCES, "changes": CHANGES}


#: Every table of a crawl's output, as its parts are written.
CRAWL_TABLES: Final[dict[str, pa.Schema]] = _as_one_table()


def _union() -> pa.Schema:
    fields: dict[str, pa.Field] = {}
    for schema in CRAWL_TABLES.values():
        for each in schema:
            known = fields.setdefault(each.name, each.with_nullable(True))
            assert known.type.equals(each.type), f"{each.name} has two types"
    return pa.schema(
        [
            pa.field("table_name", _TEXT, metadata={"doc": "documents, pages, blocks, sections, assets, sources or changes."}),
            *fields.values(),
        ]
    )


#: The one table that readers open.
SNAPSHOT: Final = _union()
