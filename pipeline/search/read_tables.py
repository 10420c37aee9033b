"""The tables of an output folder, of `index` or of a crawl, as the index takes them: which parts there are, and documents out of parts."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from itertools import groupby
from operator import itemgetter
from typing import Any, Final

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from pipeline.search.answers import SearchError
from pipeline.summary import published_parts
from transforms.snapshots.delta_log import load_snapshot
from transforms.snapshots.vectors import shown_rows
from transforms.storage.errors import SourceError
from transforms.storage.objects import join_uri, look_up, open_file

#: Tables that are searched, and the columns that are read of them.
_COLUMNS: Final = {
    "documents": ["doc_id", "source_uri", "source_modified", "title", "language"],
    "pages": ["doc_id", "page", "text", "language"],
    "blocks": ["doc_id", "page", "role", "text_start", "text_end"],
    "sections": ["doc_id", "section", "kind", "heading_path", "places"],
}
#: Rows that are made objects of at a time.
_BATCH_ROWS: Final = 2000
#: Ends the stem of a further file of a part (`transforms.tables.names`).
_FURTHER: Final = re.compile(r"-of-\d+\.\d+$")


@dataclass(frozen=True, slots=True)
class Shown:
    """What the tables of a folder consist of now. parts: address by table and stem. version: of a crawl's snapshot, else None.
    vectors: rows that a crawl does not show any more, by address."""

    parts: dict[tuple[str, str], str]
    version: int | None = None
    vectors: dict[str, str] = field(default_factory=dict)

    @property
    def stems(self) -> frozenset[str]:
        """Names of the parts with documents."""
        return frozenset(stem for table, stem in self.parts if table == "documents")


@dataclass(slots=True)
class Section:
    """A section of a document. places: (page, start, end), offsets into that page's text."""

    number: int
    kind: str
    heading_path: list[str]
    places: list[tuple[int, int, int]]


@dataclass(slots=True)
class Page:
    """A page with text. headings: (start, end) of its title and headings."""

    page: int
    text: str
    language: str | None
    headings: list[tuple[int, int]] = field(default_factory=list)


@dataclass(slots=True)
class Document:
    """A document with its pages and sections in order."""

    doc_id: str
    source_uri: str
    modified: datetime | None
    title: str
    language: str | None
    pages: list[Page]
    sections: list[Section]


def shown_parts(output: str) -> Shown:
    """The parts that the folder shows now.

    Raises:
        SearchError: it holds no tables of pdfmill, or tables without sections.
    """
    try:
        snapshot = load_snapshot(output)
        if snapshot.version >= 0:
            uris, names = {file.path: join_uri(output, file.path) for file in snapshot.files.values()}, snapshot.names()
            parts = {(file.table, names[file.stem]): uris[file.path] for file in snapshot.files.values()}
            vectors = {uris[file.path]: file.vector for file in snapshot.files.values() if file.vector}
            shown = Shown(parts, snapshot.version, vectors)
        else:
            shown = Shown({(table, _stem(uri)): uri for table, uri in published_parts(output)})
    except SourceError as error:
        raise SearchError(f"{output} cannot be read: {error}") from error
    if any(_FURTHER.search(stem) for _, stem in shown.parts):  # its pages would be missed in silence
        raise SearchError(f"{output} has parts of several files, which search does not read yet: give `pdfmill index` more --shards")
    if not shown.stems:
        raise SearchError(f"{output} is no output of pdfmill: it holds no documents table")
    if not any(table == "sections" for table, _ in shown.parts) and any(table == "pages" for table, _ in shown.parts):
        raise SearchError(f"{output} holds no sections table: an older pdfmill made it, run `pdfmill index` again")
    return shown


def _stem(uri: str) -> str:
    return uri.rpartition("/")[2].removesuffix(".parquet")


def changed_documents(shown: Shown, since: int) -> frozenset[str] | None:
    """Documents that a crawl has added, replaced or removed after a snapshot, by its change feed; None where there is no feed."""
    if shown.version is None:
        return None
    changed: set[str] = set()
    for (table, _), uri in shown.parts.items():
        if table == "changes":
            rows = shown_rows(uri, ["snapshot", "changed_table", "doc_id"])
            later = pc.and_(pc.greater(rows["snapshot"], since), pc.equal(rows["changed_table"], "documents"))
            changed.update(rows.filter(later)["doc_id"].to_pylist())
    return frozenset(changed)


def _read(shown: Shown, table: str, stem: str, columns: list[str]) -> pa.Table:
    uri = shown.parts[table, stem]
    return shown_rows(uri, columns, shown.vectors.get(uri))


def document_ids(shown: Shown, stem: str) -> list[str]:
    """The documents of a part."""
    ids: list[str] = _read(shown, "documents", stem, ["doc_id"])["doc_id"].to_pylist()
    return ids


def digests(shown: Shown, stem: str) -> dict[str, str]:
    """For each document of a part what tells whether its pages' text or sections differ from another reading: its bytes' and its sections'
    checksums with their headings, without reading a text."""
    found: dict[str, list[object]] = {}
    documents = _read(shown, "documents", stem, ["doc_id", "content_sha256", "extractor_version", "title", "language", "source_modified"])
    for row in documents.to_pylist():
        found[row["doc_id"]] = [row[name] for name in documents.column_names if name != "doc_id"]
    if ("sections", stem) in shown.parts:
        rows = _read(shown, "sections", stem, ["doc_id", "text_sha256", "kind", "heading_path"])
        for doc_id, checksum, kind, path in zip(*(rows[name].to_pylist() for name in rows.column_names), strict=True):
            found[doc_id].append((checksum, kind, path))
    return {doc_id: repr(said) for doc_id, said in found.items()}


def read_documents(shown: Shown, stem: str, wanted: Collection[str] | None = None) -> Iterator[Document]:
    """The documents of a part, all or those wanted; of the row groups only those that hold one of them are read."""
    parts = {table: _Rows(shown.parts.get((table, stem)), columns, wanted) for table, columns in _COLUMNS.items()}
    here = set(document_ids(shown, stem))  # by these its other rows are asked for, so that marked ones are passed over
    for row in (each for each in parts["documents"] if each["doc_id"] in here):
        doc_id = row["doc_id"]
        pages = [Page(each["page"], each["text"], each["language"]) for each in parts["pages"].of(doc_id)]
        by_number = {page.page: page for page in pages}
        for each in parts["blocks"].of(doc_id):
            if each["role"] in ("title", "heading") and each["text_start"] is not None:
                by_number[each["page"]].headings.append((each["text_start"], each["text_end"]))
        sections = [_section(each) for each in parts["sections"].of(doc_id)]
        yield Document(doc_id, row["source_uri"], row["source_modified"], row["title"] or "", row["language"], pages, sections)


def _section(row: dict[str, Any]) -> Section:
    places = [(place["page"], place["start"], place["end"]) for place in row["places"]]
    return Section(row["section"], row["kind"], row["heading_path"], places)


class _Rows:
    """The rows of a part in the order of their documents, each read once."""

    def __init__(self, uri: str | None, columns: list[str], wanted: Collection[str] | None) -> None:
        rows = _rows(uri, columns, wanted) if uri is not None else iter(())
        self._groups = groupby(rows, itemgetter("doc_id"))
        self._waiting: tuple[str, list[dict[str, Any]]] | None = None

    def __iter__(self) -> Iterator[dict[str, Any]]:
        for _, rows in self._groups:
            yield from rows

    def of(self, doc_id: str) -> list[dict[str, Any]]:
        """A document's rows; documents are asked for in ascending order."""
        while self._waiting is None or self._waiting[0] < doc_id:
            try:
                key, rows = next(self._groups)
            except StopIteration:
                return []
            self._waiting = key, list(rows)
        return self._waiting[1] if self._waiting[0] == doc_id else []


def _rows(uri: str, columns: list[str], wanted: Collection[str] | None) -> Iterator[dict[str, Any]]:
    part = OpenPart(uri)
    if wanted is None:
        groups, values = None, None
    else:
        groups, values = sorted({at for doc_id in wanted for at in part.groups_with(doc_id)}), pa.array(sorted(wanted), pa.string())
    for batch in part.batches(groups, columns):
        yield from (batch if values is None else batch.filter(pc.is_in(batch.column("doc_id"), value_set=values))).to_pylist()


class OpenPart:
    """A part whose footer has been read, in the order of its documents."""

    def __init__(self, uri: str) -> None:
        self._part = pq.ParquetFile(open_file(look_up(uri)))
        self._ranges = [_Range.of(self._part.metadata.row_group(at)) for at in range(self._part.num_row_groups)]

    def groups_with(self, doc_id: str, page: int | None = None) -> list[int]:
        """The row groups that may hold rows of a document, or of a page of it, by their statistics."""
        return [at for at, each in enumerate(self._ranges) if each is None or each.may_hold(doc_id, page)]

    def read(self, group: int, columns: list[str]) -> pa.Table:
        """A row group."""
        return self._part.read_row_group(group, columns=columns)

    def batches(self, groups: Sequence[int] | None, columns: list[str]) -> Iterator[pa.RecordBatch]:
        """Rows of some row groups, of all where None."""
        yield from self._part.iter_batches(_BATCH_ROWS, row_groups=groups, columns=columns)


@dataclass(frozen=True, slots=True)
class _Range:
    """What the statistics of a row group say: first and last document; first and last page, where there are pages."""

    first: str
    last: str
    first_page: int | None
    last_page: int | None

    @staticmethod
    def of(group: pq.RowGroupMetaData) -> _Range | None:
        """None where there are no statistics."""
        found: dict[str, Any] = {}
        for at in range(group.num_columns):
            column = group.column(at)
            if column.path_in_schema in ("doc_id", "page"):
                found[column.path_in_schema] = column.statistics
        documents, pages = found["doc_id"], found.get("page")
        if documents is None or not documents.has_min_max:
            return None
        if pages is None or not pages.has_min_max:
            return _Range(documents.min, documents.max, None, None)
        return _Range(documents.min, documents.max, pages.min, pages.max)

    def may_hold(self, doc_id: str, page: int | None) -> bool:
        if not self.first <= doc_id <= self.last:
            return False
        if page is None or self.first != self.last or self.first_page is None or self.last_page is None:
            return True
        return self.first_page <= page <= self.last_page
