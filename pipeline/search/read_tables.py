"""Read the tables of `index` or of a crawl from an output folder for the search index, one set of Parquet files after the other."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from typing import Any, Final

import pyarrow as pa
import pyarrow.compute as pc
from msgspec import Struct, field

from pdfmill.pipeline.search.answers import SearchError
from pdfmill.transforms.storage.errors import SourceError
from pdfmill.transforms.storage.objects import look_up, open_file
from pdfmill.transforms.storage.parquet import table_file
from pdfmill.transforms.tables.table_reader import HeldTables, held_tables, read_batches

#: The columns that are read of each table; of blocks only headings and titles are used.
_COLUMNS: Final = {
    "documents": ["doc_id", "source_uri", "source_modified", "title", "language"],
    "pages": ["doc_id", "page", "text", "language"],
    "blocks": ["doc_id", "page", "role", "text_start", "text_end"],
    "sections": ["doc_id", "section", "kind", "heading_path", "places"],
}
#: Columns by which rows are sorted, where a table has them.
_ORDER: Final = ("doc_id", "page", "text_start", "section")
#: Columns of each table from which a document's digest is made.
_DIGESTED: Final = {
    "documents": ["doc_id", "content_sha256", "extractor_version", "title", "language", "source_modified"],
    "sections": ["doc_id", "text_sha256", "kind", "heading_path"],
}
_HEADINGS: Final = pa.array(["title", "heading"])
#: The last bytes of a Parquet file.
_END: Final = b"PAR1"
#: Number of rows read at once, and of documents whose rows are in memory at once (some 25 MB of text).
_BATCH_ROWS: Final = 2000
_DOCUMENTS: Final = 1000


class Section(Struct):
    """A section of a document. number: from 1. kind: one of `SECTION_KINDS`. places: (page, start, end), offsets into that page's text."""

    number: int
    kind: str
    heading_path: list[str]
    places: list[tuple[int, int, int]]


class Page(Struct):
    """A page with its text. headings: (start, end) of its title and headings, as offsets into the text."""

    page: int  # page number, from 1
    text: str
    language: str | None
    headings: list[tuple[int, int]] = field(default_factory=list)


class Document(Struct):
    """A document with its pages and sections in order."""

    doc_id: str
    source_uri: str
    modified: datetime | None  # time of the source's last change
    title: str
    language: str | None
    pages: list[Page]
    sections: list[Section]


def shown_tables(output: str) -> HeldTables:
    """Open the current tables of an output folder.

    Raises:
        SearchError: the folder has no tables of pdfmill, or lacks the table `sections`.
    """
    try:
        shown = held_tables(output)
    except SourceError as error:
        message = str(error)
        raise SearchError(message if message.startswith(output) else f"{output} cannot be read: {message}") from error
    if not shown.stems("documents"):
        raise SearchError(f"{output} is no output of pdfmill: it has no table documents")
    if not shown.stems("sections") and shown.stems("pages"):
        raise SearchError(f"{output} has no table sections, because an older pdfmill wrote it; run `pdfmill index` again")
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


def digests(shown: HeldTables, stem: str) -> dict[str, str]:
    """Return for each document id in the Parquet files named `stem` a digest that changes with the text or sections of its pages, from
    checksums and headings."""
    found: dict[str, list[str]] = {}
    for table, columns in _DIGESTED.items():
        for batch in read_batches(shown, stem, table, columns):
            for row in batch.to_pylist():
                found.setdefault(row["doc_id"], []).append(repr(row))
    return {doc_id: hashlib.sha256("".join(rows).encode("utf-8", "surrogatepass")).hexdigest() for doc_id, rows in found.items()}


def read_documents(shown: HeldTables, stem: str, ids: Iterable[str]) -> Iterator[Document]:
    """Yield the documents with these ids from the Parquet files named `stem`, sorted by id. Other row groups are not read."""
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
                Section(row["section"], row["kind"], row["heading_path"], [(at["page"], at["start"], at["end"]) for at in row["places"]])
                for row in rows["sections"].get(doc_id, ())
            ]
            title = row["title"] or ""
            yield Document(doc_id, row["source_uri"], row["source_modified"], title, row["language"], [*pages.values()], sections)


def _rows(shown: HeldTables, stem: str, table: str, ids: Sequence[str]) -> dict[str, list[dict[str, Any]]]:
    """Return the rows of a table's Parquet file named `stem` by document id, sorted by `_ORDER`; of `blocks` only headings and titles with
    text."""
    batches = list(read_batches(shown, stem, table, _COLUMNS[table], ids, _BATCH_ROWS))
    if table == "blocks":
        batches = [each.filter(pc.and_(pc.is_in(each["role"], _HEADINGS), pc.is_valid(each["text_start"]))) for each in batches]
    found: dict[str, list[dict[str, Any]]] = {}
    if batches:
        keys = [(name, "ascending") for name in _ORDER if name in _COLUMNS[table]]
        for row in pa.Table.from_batches(batches).sort_by(keys).to_pylist():
            found.setdefault(row["doc_id"], []).append(row)
    return found
