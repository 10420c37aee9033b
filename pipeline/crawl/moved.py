"""Find moved objects: a new object with the bytes of a missing one takes over the rows of the missing one, and is not read.
Candidates share the store's checksum, else size and time of last change; the SHA-256 of the bytes decides."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import reduce
from typing import TypeAlias

import pyarrow as pa
import pyarrow.compute as pc
from msgspec import Struct

from pdfmill.pipeline.crawl.crawl_parts import in_shape, rows_of, write_table_part
from pdfmill.pipeline.crawl.duplicates import Duplicate, content_key
from pdfmill.schemas.crawl import CRAWL_TABLES, PlanEntry, SourceState
from pdfmill.schemas.records import TABLE_NAMES, DocId, DocumentRef, Row, section_id
from pdfmill.transforms.delta.delta_log import PartFile
from pdfmill.transforms.pdf.open.limits import DEFAULT_LIMITS
from pdfmill.transforms.road.document_rows import source_row

#: The reference to a document at its new address, and the plan entry of the object that contains it.
_Place: TypeAlias = tuple[DocumentRef, PlanEntry]


class Leaving(Struct, frozen=True):
    """An object that is missing at its address, so that it may have moved. entry: its plan entry: a deletion or, if it keeps its document
    id because of `id_base`, a reading. state: its row of `sources`."""

    entry: PlanEntry
    state: SourceState

    @property
    def part(self) -> str:
        """The stem (name without suffix) of the files that contain the object's rows; "" if it is a duplicate of another document."""
        return "" if self.state.duplicate_of else self.state.part

    @property
    def replaced(self) -> str:
        """The kind (a key of `KINDS`) of the object at its new address in the plan, before it is known to have moved."""
        return "new" if self.entry.kind == "gone" else self.entry.kind

    def looks_like(self, ref: DocumentRef) -> bool:
        """Return whether a listed object with the same content key may be this object at a new address."""
        return ref.checksum is not None or (ref.modified is not None and ref.modified == self.state.modified)


def leaving(entry: PlanEntry, state: SourceState | None) -> tuple[str, Leaving] | None:
    """Return the content key (checksum and size, or size) of a missing object, and a record of it; None if no other can take over its
    rows."""
    if state is None or state.status not in ("ok", "partial") or state.content_sha256 is None:
        return None
    key = content_key(state.checksum, state.size)
    inside = {doc_id for doc_id, _ in entry.before} - {entry.doc_id}
    parts = {part for part, doc_id in entry.replaces if doc_id in inside | {entry.doc_id}}
    whole = parts == {state.part} and len(_inside(DocumentRef(entry.doc_id, entry.uri), inside)) == len(inside)
    return (key, Leaving(entry, state)) if key is not None and whole else None


def _inside(ref: DocumentRef, ids: set[DocId]) -> dict[DocId, tuple[int, ...]]:
    """Return the attachment path (see `DocumentRef`) of each document embedded in an object, by id. ids: of the wanted documents; if empty,
    all."""
    found: dict[DocId, tuple[int, ...]] = {}
    level = [ref] if ids else []
    while level and len(found) < len(ids):
        children = (parent.child(position) for parent in level for position in range(DEFAULT_LIMITS.max_assets))
        level = [child for child in children if child.doc_id in ids]
        found |= {child.doc_id: child.attachment_path for child in level}
    return found


def pair(gone: Iterable[Leaving], entries: Iterable[PlanEntry]) -> list[Leaving]:
    """Choose the missing objects that may have moved, before `moved_to` gives their rows to others: first those that keep their document id
    at the new address, then at most as many of the rest as there are new objects.
    gone: missing objects with one content key (checksum and size, or size). entries: plan entries of the objects to read with this key."""
    refs = [(entry.kind, entry.ref) for entry in entries if entry.ref is not None]
    new = [ref for kind, ref in refs if kind == "new"]
    own = {ref.doc_id: ref for _, ref in refs}
    ordered = sorted(gone, key=lambda each: each.entry.doc_id)
    stay = [each for each in ordered if each.entry.kind != "gone" and each.entry.doc_id in own and each.looks_like(own[each.entry.doc_id])]
    fitting = [each for each in ordered if each.entry.kind == "gone" and any(each.looks_like(ref) for ref in new)]
    return stay + fitting[: len(new)]


def moved_to(gone: Sequence[Leaving], entries: Iterable[PlanEntry]) -> list[Duplicate]:
    """Return a `Duplicate` for each of the `entries`, objects with the bytes of the missing objects `gone`; [] if there are no rows to take
    over. The first takes over the rows of a missing object, the others become its duplicates."""
    own = next((each for each in gone if each.part), None)
    if own is None:
        return []
    keeps = own.entry.doc_id if own.replaced == "changed" else None
    ordered = sorted(entries, key=lambda each: (each.doc_id != keeps, each.kind != own.replaced, each.doc_id))
    if not ordered or ordered[0].kind != own.replaced:
        return []
    target = ordered[0].doc_id
    return [Duplicate(entry, target, own.part, was=own.entry.doc_id) for entry in ordered]


def move_rows(output: str, stem: str, moved: Sequence[Duplicate], files_of: Mapping[str, Sequence[PartFile]]) -> list[PartFile]:
    """Write the rows of moved objects under their new ids and addresses, and return the files. stem: of the new files. files_of: the old
    files by stem (name without suffix)."""
    tables: dict[str, list[pa.Table]] = {}
    for part in sorted({copy.part for copy in moved}):
        files = [file for file in files_of[part] if file.table in (*TABLE_NAMES, "sources")]
        there = {file.table: in_shape(file.table, rows_of(output, file)) for file in files}
        members = there["sources"].select(["doc_id", "root_doc_id"]).to_pylist()
        places = {old: place for copy in moved if copy.part == part for old, place in _places(copy, members).items()}
        for table, rows in there.items():
            tables.setdefault(table, []).append(_moved(table, rows, places))
    return [file for table, some in tables.items() for file in write_table_part(output, table, stem, pa.concat_tables(some))]


def _places(copy: Duplicate, members: Iterable[Mapping[str, DocId]]) -> dict[DocId, _Place]:
    """Return the new reference and plan entry of a moved object and of the documents in it, by their old ids. members: rows of
    `sources`."""
    ref, was = copy.entry.ref, copy.was
    assert ref is not None
    assert was is not None
    inside = {row["doc_id"] for row in members if row["root_doc_id"] == was} - {was}
    paths = {was: ()} | _inside(DocumentRef(was, ""), inside)
    return {old: (reduce(DocumentRef.child, path, ref), copy.entry) for old, path in paths.items()}


def _moved(table: str, rows: pa.Table, places: Mapping[DocId, _Place]) -> pa.Table:
    """Return a table's rows of moved documents with their new ids and addresses. places: new reference and plan entry by old id."""
    ids = [each for each in rows.column("doc_id").cast(pa.string()).to_pylist() if each in places]
    rows = rows.filter(pc.is_in(rows.column("doc_id").cast(pa.string()), value_set=pa.array(list(places), pa.string())))
    if table in ("documents", "sources"):
        told = [row | _of_place(table, *places[old]) for old, row in zip(ids, rows.to_pylist(), strict=True)]
        return pa.Table.from_pylist(told, schema=rows.schema)
    new = [places[each][0].doc_id for each in ids]
    rows = _with_column(rows, "doc_id", new)
    if table == "sections":
        rows = _with_column(rows, "id", list(map(section_id, new, rows.column("section").to_pylist())))
    if table == "assets":
        children = rows.column("child_doc_id").to_pylist()
        rows = _with_column(rows, "child_doc_id", [places[each][0].doc_id if each in places else None for each in children])
    return rows


def _of_place(table: str, ref: DocumentRef, entry: PlanEntry) -> Row:
    told = source_row(ref) | {"root_doc_id": entry.doc_id, "source_checksum": ref.checksum, "source": entry.source}
    told.pop("page_count")
    return {name: value for name, value in told.items() if name in CRAWL_TABLES[table].names}


def _with_column(rows: pa.Table, name: str, values: Sequence[object]) -> pa.Table:
    place = rows.schema.get_field_index(name)
    return rows.set_column(place, rows.schema.field(place), pa.array(values, rows.schema.field(place).type))
