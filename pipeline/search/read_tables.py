"""Read the tables of `index` or of a crawl from an output folder for the search index: the list of parts, and documents part by part."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from datetime import datetime
from typing import Any, Final

import pyarrow as pa
import pyarrow.compute as pc
from msgspec import Struct, field

from pdfmill.pipeline.search.answers import SearchError
from pdfmill.transforms.delta.deletion_vectors import shown_rows
from pdfmill.transforms.storage.errors import SourceError
from pdfmill.transforms.storage.objects import look_up, open_file
from pdfmill.transforms.storage.parquet import may_hold, table_file
from pdfmill.transforms.tables.table_reader import HeldTables, held_tables

#: The columns that are read of each table; of blocks only headings and titles are used.
_COLUMNS: Final = {
    "documents": ["doc_id", "source_uri", "source_modified", "title", "language"],
    "pages": ["doc_id", "page", "text", "language"],
    "blocks": ["doc_id", "page", "role", "text_start", "text_end"],
    "sections": ["doc_id", "section", "kind", "heading_path", "places"],
}
#: The columns by which the rows of each table are sorted; blocks by the beginning of their text.
_ORDER: Final = {
    "documents": ["doc_id"],
    "pages": ["doc_id", "page"],
    "blocks": ["doc_id", "page", "text_start"],
    "sections": ["doc_id", "section"],
}
_HEADINGS: Final = pa.array(["title", "heading"])
#: Separates headings and other values in the input of a checksum; it occurs in no text.
_BETWEEN: Final = "\x1f"
#: The last bytes of a Parquet file.
_END: Final = b"PAR1"
#: Rows that are read at once, and documents whose rows are in memory at once, some 25 MB of text.
_BATCH_ROWS: Final = 2000
_DOCUMENTS: Final = 1000


class Section(Struct):
    """A section of a document. places: (page, start, end), offsets into that page's text."""

    number: int
    kind: str
    heading_path: list[str]
    places: list[tuple[int, int, int]]


class Page(Struct):
    """A page with text. headings: (start, end) of its title and headings, as offsets into the text."""

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
    """Open the current tables of the folder.

    Raises:
        SearchError: there are no tables of pdfmill, or they have no sections.
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


def check_whole(shown: HeldTables) -> None:
    """Check that local files of the tables are complete; stores have only complete objects.

    Raises:
        SourceError: a file is truncated.
    """
    uris = (uri for tables in shown.parts.values() for table in _COLUMNS for uri in tables.get(table, ()))
    for ref in (look_up(uri) for uri in uris if uri.startswith("file:")):
        with open_file(ref) as file:
            file.seek(max(0, (ref.size or 0) - len(_END)))
            if file.read() != _END:
                table_file(ref.uri, file)  # says what is wrong


def _read(shown: HeldTables, uris: Sequence[str], columns: list[str]) -> pa.Table:
    return pa.concat_tables([shown_rows(uri, columns, shown.vectors.get(uri)) for uri in uris])


def document_ids(shown: HeldTables, stem: str) -> list[str]:
    """Return the ids of the documents in a part."""
    ids: list[str] = _read(shown, shown.uris("documents", stem), ["doc_id"])["doc_id"].to_pylist()
    return ids


def digests(shown: HeldTables, stem: str) -> dict[str, str]:
    """Return for each document of a part a digest that changes with its pages' text or sections. It is made of checksums and headings,
    without reading the text."""
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


def read_documents(shown: HeldTables, stem: str, ids: Collection[str]) -> Iterator[Document]:
    """Yield these documents of a part in order; only row groups that contain one of them are read."""
    ordered = sorted(ids)
    for start in range(0, len(ordered), _DOCUMENTS):
        some = ordered[start : start + _DOCUMENTS]
        rows = {table: _rows(shown, stem, table, some) for table in _COLUMNS}
        for doc_id in some:
            (row,) = rows["documents"][doc_id]
            pages = {each["page"]: Page(each["page"], each["text"], each["language"]) for each in rows["pages"].get(doc_id, ())}
            for each in rows["blocks"].get(doc_id, ()):
                pages[each["page"]].headings.append((each["text_start"], each["text_end"]))
            sections = [
                Section(
                    each["section"], each["kind"], each["heading_path"], [(at["page"], at["start"], at["end"]) for at in each["places"]]
                )
                for each in rows["sections"].get(doc_id, ())
            ]
            title = row["title"] or ""
            yield Document(doc_id, row["source_uri"], row["source_modified"], title, row["language"], [*pages.values()], sections)


def _rows(shown: HeldTables, stem: str, table: str, ids: Sequence[str]) -> dict[str, list[dict[str, Any]]]:
    """Return the rows of a table by document, sorted, from all files of the part."""
    batches: list[pa.RecordBatch] = []
    for uri in shown.uris(table, stem):
        if vector := shown.vectors.get(uri):  # some of its rows are not shown
            read: Iterable[pa.RecordBatch] = shown_rows(uri, _COLUMNS[table], vector).to_batches()
        else:
            read = PartFile(uri).batches(_COLUMNS[table], ids[0], ids[-1])
        batches += (batch.filter(_is_wanted(batch, ids)) for batch in read)
    found: dict[str, list[dict[str, Any]]] = {}
    if batches:
        for row in pa.Table.from_batches(batches).sort_by([(name, "ascending") for name in _ORDER[table]]).to_pylist():
            found.setdefault(row["doc_id"], []).append(row)
    return found


def _is_wanted(batch: pa.RecordBatch, ids: Sequence[str]) -> pa.Array:
    """Return boolean[rows]: whether a row is of one of the documents and, if it is a block, a heading or title with text."""
    wanted = pc.is_in(batch["doc_id"], pa.array(ids, batch["doc_id"].type))
    if "role" in batch.schema.names:
        wanted = pc.and_(wanted, pc.and_(pc.is_in(batch["role"], _HEADINGS), pc.is_valid(batch["text_start"])))
    return wanted


class PartFile:
    """A file of a part, opened for reading. Raises SourceError if it is truncated.

    It is read without a dataset: threads of a dataset may still release what they read when the program ends, which aborts it.
    """

    def __init__(self, uri: str) -> None:
        self._file = table_file(uri, open_file(look_up(uri)))

    def batches(self, columns: Sequence[str], first: str, last: str) -> Iterator[pa.RecordBatch]:
        """Yield the rows, in order, of the row groups that may hold documents between two ids, both included."""
        metadata = self._file.metadata
        groups = [number for number in range(metadata.num_row_groups) if may_hold(metadata.row_group(number), first, last)]
        yield from self._file.iter_batches(_BATCH_ROWS, row_groups=groups, columns=list(columns), use_threads=False)
