"""The tables of an output folder, of `index` or of a crawl, as the index takes them: which parts there are, and documents out of parts."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from datetime import datetime
from itertools import groupby
from operator import itemgetter
from typing import Any, Final

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from msgspec import Struct, field

from pdfmill.pipeline.search.answers import SearchError
from pdfmill.transforms.delta.deletion_vectors import shown_rows
from pdfmill.transforms.storage.errors import SourceError
from pdfmill.transforms.storage.objects import look_up, open_file
from pdfmill.transforms.storage.parquet import table_file
from pdfmill.transforms.tables.table_reader import HeldTables, held_tables, is_loose

#: Tables that are searched, and the columns that are read of them; of blocks only headings and titles.
_COLUMNS: Final = {
    "documents": ["doc_id", "source_uri", "source_modified", "title", "language"],
    "pages": ["doc_id", "page", "text", "language"],
    "blocks": ["doc_id", "page", "role", "text_start", "text_end"],
    "sections": ["doc_id", "section", "kind", "heading_path", "places"],
}
#: The columns by which their rows are in order; of headings their places stand for the number of the block.
_ORDER: Final = {
    "documents": ["doc_id"],
    "pages": ["doc_id", "page"],
    "blocks": ["doc_id", "page", "text_start"],
    "sections": ["doc_id", "section"],
}
#: Between headings and values that make a checksum; stands in no text.
_BETWEEN: Final = "\x1f"
#: Rows that are made objects of at a time.
_BATCH_ROWS: Final = 2000
#: Documents whose rows are put in order in memory, some 100 MB of text: for each such number files without order are read once.
_SORTED_DOCUMENTS: Final = 4000
#: Rows of a row group of `pages` that is held with its words, some 60 MB; ours have 150.
_HELD_ROWS: Final = 2000
#: What reads the rows of a table out of files, of some documents or of all.
_Read = Callable[[Sequence[str], str, Collection[str] | None], Iterator[dict[str, Any]]]


class Section(Struct):
    """A section of a document. places: (page, start, end), offsets into that page's text."""

    number: int
    kind: str
    heading_path: list[str]
    places: list[tuple[int, int, int]]


class Page(Struct):
    """A page with text. headings: (start, end) of its title and headings."""

    page: int
    text: str
    language: str | None
    headings: list[tuple[int, int]] = field(default_factory=list)


class Document(Struct):
    """A document with its pages and sections in order."""

    doc_id: str
    source_uri: str
    modified: datetime | None
    title: str
    language: str | None
    pages: list[Page]
    sections: list[Section]


def shown_tables(output: str) -> HeldTables:
    """What the folder shows now.

    Raises:
        SearchError: it holds no tables of pdfmill, or tables without sections.
    """
    try:
        shown = held_tables(output)
    except SourceError as error:
        told = str(error)
        raise SearchError(told if told.startswith(output) else f"{output} cannot be read: {told}") from error
    if not shown.stems("documents"):
        raise SearchError(f"{output} is no output of pdfmill: it holds no documents table")
    if not shown.stems("sections") and shown.stems("pages"):
        raise SearchError(f"{output} holds no sections table: an older pdfmill made it, run `pdfmill index` again")
    return shown


def _read(shown: HeldTables, uris: Sequence[str], columns: list[str]) -> pa.Table:
    return pa.concat_tables([shown_rows(uri, columns, shown.vectors.get(uri)) for uri in uris])


def document_ids(shown: HeldTables, stem: str) -> list[str]:
    """The documents of a part."""
    ids: list[str] = _read(shown, shown.uris("documents", stem), ["doc_id"])["doc_id"].to_pylist()
    return ids


def digests(shown: HeldTables, stem: str) -> dict[str, str]:
    """For each document of a part what tells whether its pages' text or sections differ from another reading: its bytes' and its sections'
    checksums with their headings, without reading a text."""
    found: dict[str, list[object]] = {}
    documents = _read(
        shown, shown.uris("documents", stem), ["doc_id", "content_sha256", "extractor_version", "title", "language", "source_modified"]
    )
    for row in documents.to_pylist():
        found[row["doc_id"]] = [row[name] for name in documents.column_names if name != "doc_id"]
    if uris := shown.uris("sections", stem):
        rows = _read(shown, uris, ["doc_id", "text_sha256", "kind", "heading_path"])
        path = pc.binary_join(rows["heading_path"], _BETWEEN)
        told = pc.binary_join_element_wise(rows["text_sha256"], rows["kind"], path, _BETWEEN, null_handling="replace")
        for doc_id, section in zip(rows["doc_id"].to_pylist(), told.to_pylist(), strict=True):
            found[doc_id].append(section)
    return {doc_id: repr(said) for doc_id, said in found.items()}


def read_documents(shown: HeldTables, stem: str, ids: Collection[str], wanted: Collection[str] | None = None) -> Iterator[Document]:
    """The documents of a part in order, all or those wanted; of the row groups only those that hold one of them are read. ids: of all
    that the part holds."""
    here = frozenset(ids)
    if not is_loose(stem):
        yield from _documents(shown, stem, here, wanted, _rows)
        return
    ordered = sorted(here if wanted is None else here.intersection(wanted))
    for start in range(0, len(ordered), _SORTED_DOCUMENTS):
        yield from _documents(shown, stem, here, ordered[start : start + _SORTED_DOCUMENTS], _sorted_rows)


def _documents(shown: HeldTables, stem: str, here: frozenset[str], wanted: Collection[str] | None, read: _Read) -> Iterator[Document]:
    """here: those that the part shows: by these its other rows are asked for, so that those that are not shown are passed over."""
    parts = {table: _Rows(read(shown.uris(table, stem), table, wanted)) for table in _COLUMNS}
    for row in (each for each in parts["documents"] if each["doc_id"] in here):
        doc_id = row["doc_id"]
        pages = [Page(each["page"], each["text"], each["language"]) for each in parts["pages"].of(doc_id)]
        by_number = {page.page: page for page in pages}
        for each in parts["blocks"].of(doc_id):
            by_number[each["page"]].headings.append((each["text_start"], each["text_end"]))
        sections = [_section(each) for each in parts["sections"].of(doc_id)]
        yield Document(doc_id, row["source_uri"], row["source_modified"], row["title"] or "", row["language"], pages, sections)


def _section(row: dict[str, Any]) -> Section:
    places = [(place["page"], place["start"], place["end"]) for place in row["places"]]
    return Section(row["section"], row["kind"], row["heading_path"], places)


class _Rows:
    """The rows of a part in the order of their documents, each read once."""

    def __init__(self, rows: Iterator[dict[str, Any]]) -> None:
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


def _rows(uris: Sequence[str], table: str, wanted: Collection[str] | None) -> Iterator[dict[str, Any]]:
    """Rows as they stand in the files of a part."""
    for batch in _batches(uris, table, wanted):
        yield from batch.to_pylist()


def _sorted_rows(uris: Sequence[str], table: str, wanted: Collection[str] | None) -> Iterator[dict[str, Any]]:
    """Rows put in the order of their documents, wherever in the files they stand."""
    if batches := list(_batches(uris, table, wanted)):
        rows = pa.Table.from_batches(batches).sort_by([(name, "ascending") for name in _ORDER[table]])
        for batch in rows.to_batches(_BATCH_ROWS):
            yield from batch.to_pylist()


def _batches(uris: Sequence[str], table: str, wanted: Collection[str] | None) -> Iterator[pa.RecordBatch]:
    values = None if wanted is None else pa.array(sorted(wanted), pa.string())
    for uri in uris:
        part = OpenPart(uri)
        groups = None if wanted is None else sorted({at for doc_id in wanted for at in part.groups_with(doc_id)})
        for batch in part.batches(groups, _COLUMNS[table]):
            kept = batch if values is None else batch.filter(pc.is_in(batch.column("doc_id"), value_set=values))
            yield kept if table != "blocks" else kept.filter(_is_heading(kept))


def _is_heading(blocks: pa.RecordBatch) -> pa.Array:
    return pc.and_(pc.is_in(blocks.column("role"), value_set=pa.array(["title", "heading"])), pc.is_valid(blocks.column("text_start")))


class OpenPart:
    """A file of a part whose footer has been read."""

    def __init__(self, uri: str) -> None:
        self._part = table_file(uri, open_file(look_up(uri)))
        self._ranges = [_Range.of(self._part.metadata.row_group(at)) for at in range(self._part.num_row_groups)]

    def groups_with(self, doc_id: str, page: int | None = None) -> list[int]:
        """The row groups that may hold rows of a document, or of a page of it, by their statistics."""
        return [at for at, each in enumerate(self._ranges) if each is None or each.may_hold(doc_id, page)]

    def read(self, group: int, columns: list[str]) -> pa.Table | None:
        """A row group; None for one that is too large to be held whole, as other tools write them."""
        if self._part.metadata.row_group(group).num_rows > _HELD_ROWS:
            return None
        return self._part.read_row_group(group, columns=columns)

    def batches(self, groups: Sequence[int] | None, columns: list[str]) -> Iterator[pa.RecordBatch]:
        """Rows of some row groups, of all where None."""
        yield from self._part.iter_batches(_BATCH_ROWS, row_groups=groups, columns=columns)


class _Range(Struct, frozen=True):
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
