"""The search index: a folder of the library Tantivy with an entry for each page and one for each document.
A page has three kinds of terms: of its text, with positions; of its headings and its document's title; and for parts of words
(`word_forms.inner_terms`). The page's text is stored too, because ranking reads it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from functools import lru_cache
from importlib.metadata import version
from itertools import pairwise
from pathlib import Path
from typing import Final, TypeVar
from zlib import crc32

import tantivy
from msgspec import Struct, msgpack

from pdfmill.pipeline.search.read_tables import Document, Page
from pdfmill.pipeline.search.terms import fold_text
from pdfmill.pipeline.search.word_forms import inner_terms
from pdfmill.schemas.codes import SECTION_KINDS

#: Version of the fields below and of their terms; an index of another version is built again.
VERSION: Final = f"14.{version('tantivy')}"
#: Bytes of terms that Tantivy collects in memory before it writes them to a file.
_MEMORY: Final = 500_000_000
#: Most characters on each side of a page break that are indexed so that phrases across it match.
_TURN_CHARS: Final = 100
#: The field that names an entry that is no page: `_OF_DOCUMENT` and an id for a document, `_META` for the index's metadata.
_ENTRY: Final = "entry"
_META: Final = "meta"
_OF_DOCUMENT: Final = "document "
_TOKENIZER: Final = "spaces"
#: One page in this number is in a sample, from which frequent phrases are counted; the field and value of such pages.
SAMPLE: Final = 16
SAMPLED: Final = ("sample", "1")
T = TypeVar("T")


def _schema() -> tantivy.Schema:
    made = tantivy.SchemaBuilder()
    for name in ("text", "heading", "title", "path", "turn", *(f"text_{kind}" for kind in SECTION_KINDS)):
        made.add_text_field(name, tokenizer_name=_TOKENIZER)
    made.add_text_field("inner", tokenizer_name=_TOKENIZER, index_option="basic")
    for name in ("doc_id", "language", "folder", "kind"):
        made.add_text_field(name, tokenizer_name="raw", index_option="basic", fast=True)
    for name in ("only_kind", "source", "part", SAMPLED[0], _ENTRY):
        made.add_text_field(name, tokenizer_name="raw", index_option="basic")
    for name in ("day", "page"):
        made.add_integer_field(name, fast=True)
    made.add_bytes_field("data", stored=True)
    return made.build()


SCHEMA: Final = _schema()


class StoredPage(Struct, array_like=True):
    """A page as the index stores it. headings: (start, end) of the title and headings on the page, and places: (section number, its kind,
    start, end) of its sections; all as offsets into `text`."""

    doc_id: str
    source_uri: str
    page: int  # page number, from 1
    text: str  # text as in the table `pages`
    headings: list[tuple[int, int]]
    places: list[tuple[int, str, int, int]]

    def of_kind(self, kind: str | None) -> str:
        """Return the text with everything outside sections of this kind replaced by spaces, so that offsets stay valid; None for all."""
        if kind is None:
            return self.text
        parts, done = [], 0
        for start, end in sorted(place[2:] for place in self.places if place[1] == kind):
            parts += [" " * (start - done), self.text[max(start, done) : end]]
            done = max(end, done)
        return "".join(parts)


class StoredDocument(Struct, array_like=True):
    """A document's entry in the index. part: name of its Parquet files. digest: of its rows. paths: heading path of each section."""

    doc_id: str
    source_uri: str
    title: str
    part: str
    digest: str
    paths: list[list[str]]


class Meta(Struct):
    """Metadata of the index. version: `VERSION` when it was built. parts: names of the Parquet files whose documents it contains."""

    version: str = ""
    parts: Sequence[str] = ()


def open_folder(folder: Path, *, is_new: bool = False) -> tantivy.Index:
    """Return the index in a folder. is_new: make an empty index in the folder first. Raises ValueError if the folder has no index."""
    index = tantivy.Index(SCHEMA, path=str(folder), reuse=False) if is_new else tantivy.Index.open(str(folder))
    index.register_tokenizer(_TOKENIZER, tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.whitespace()).build())
    return index


def count_of(searcher: tantivy.Searcher, query: tantivy.Query) -> int:
    """Return the number of pages that match the query. An aggregation counts them, because a search would also compute their scores."""
    return int(searcher.aggregate(query, {"pages": {"value_count": {"field": "page"}}})["pages"]["value"])


def stored(searcher: tantivy.Searcher, address: tantivy.DocAddress, kind: type[T]) -> T:
    """Return the data of the entry at an address in the index, decoded to the type `kind`."""
    data = searcher.doc(address).get_first("data")
    assert isinstance(data, bytes)
    return msgpack.decode(data, type=kind)


def entries(searcher: tantivy.Searcher, field: str, value: str, kind: type[T]) -> list[T]:
    """Return the data of the entries with this value in a field, decoded to the type `kind`."""
    most = max(1, searcher.doc_freq(field, value))  # Tantivy reserves memory for as many results as are asked for
    hits = searcher.search(tantivy.Query.term_query(SCHEMA, field, value), most, count=False).hits
    return [stored(searcher, address, kind) for _, address in hits]


def meta(searcher: tantivy.Searcher) -> Meta:
    """Return the metadata of the index; empty metadata if it has none."""
    return next(iter(entries(searcher, _ENTRY, _META, Meta)), Meta())


def stored_document(searcher: tantivy.Searcher, doc_id: str) -> StoredDocument | None:
    """Return a document's entry; None if it is not in the index."""
    return next(iter(entries(searcher, _ENTRY, _OF_DOCUMENT + doc_id, StoredDocument)), None)


class Writer:
    """Adds documents to an index and removes documents. All changes become visible together when `end` is called. If `end` is not called,
    nothing changes."""

    def __init__(self, index: tantivy.Index) -> None:
        self._writer = index.writer(_MEMORY, 1)

    def add(self, document: Document, part: str, digest: str) -> None:
        """Add a document with its pages. part: name of the Parquet files that contain its rows. digest: of these rows."""
        paths = [section.heading_path for section in document.sections]
        self.put(StoredDocument(document.doc_id, document.source_uri, document.title, part, digest, paths))
        places: dict[int, list[tuple[int, str, int, int]]] = defaultdict(list)
        for section in document.sections:
            for page, start, end in section.places:
                places[page].append((section.number, section.kind, start, end))
        turns = _turns(document)
        for each in document.pages:
            if each.text:
                self._writer.add_document(_page_entry(document, each, places[each.page], turns.get(each.page, "")))

    def put(self, document: StoredDocument) -> None:
        """Store a document's entry, replacing the old one. The entries of its pages stay."""
        self._put(_OF_DOCUMENT + document.doc_id, document, part=document.part)

    def remove(self, doc_id: str) -> None:
        """Remove a document and its pages, if present."""
        self._writer.delete_documents_by_term("doc_id", doc_id)
        self._writer.delete_documents_by_term(_ENTRY, _OF_DOCUMENT + doc_id)

    def end(self, parts: Sequence[str]) -> None:
        """Commit the changes. parts: names of the Parquet files whose documents are now in the index."""
        self._put(_META, Meta(VERSION, parts))
        self._writer.commit()
        self._writer.wait_merging_threads()

    def _put(self, name: str, data: Struct, **fields: str) -> None:
        self._writer.delete_documents_by_term(_ENTRY, name)
        self._writer.add_document(_tantivy_entry(data, {_ENTRY: name, **fields}))


def _tantivy_entry(data: Struct, texts: dict[str, str]) -> tantivy.Document:
    entry = tantivy.Document()
    for name, text in texts.items():
        if text:
            entry.add_text(name, text)
    entry.add_bytes("data", msgpack.encode(data))
    return entry


#: Titles and heading paths are those of many pages that follow one another.
_folded = lru_cache(1000)(fold_text)


def _page_entry(document: Document, page: Page, places: list[tuple[int, str, int, int]], turn: str) -> tantivy.Document:
    language, uri = page.language or document.language or "", document.source_uri
    held = StoredPage(document.doc_id, uri, page.page, page.text, page.headings, places)
    kinds = sorted({kind for _, kind, _, _ in places})
    paths = dict.fromkeys(name for section, *_ in places for name in document.sections[section - 1].heading_path)
    texts = {"text": fold_text(page.text), "title": _folded(document.title), "path": _folded(" ".join(paths)), "turn": fold_text(turn)}
    texts["heading"] = fold_text(" ".join([page.text[start:end] for start, end in page.headings]))
    if len(kinds) > 1:
        texts |= {f"text_{kind}": fold_text(held.of_kind(kind)) for kind in kinds}
    texts |= {"doc_id": document.doc_id, "language": language, "folder": uri.rpartition("/")[0], "source": uri}
    texts |= {"inner": inner_terms(texts["text"], language), "only_kind": kinds[0] if len(kinds) == 1 else ""}
    if not crc32(f"{document.doc_id} {page.page}".encode()) % SAMPLE:
        texts |= [SAMPLED]
    entry = _tantivy_entry(held, texts)
    for kind in kinds:
        entry.add_text("kind", kind)
    entry.add_integer("page", page.page)
    if document.modified:
        entry.add_integer("day", document.modified.date().toordinal())
    return entry


def _turns(document: Document) -> dict[int, str]:
    """Return the text around each page break within a section, by the page before it, in which phrases across the break are found."""
    texts = {page.page: page.text for page in document.pages}
    found: dict[int, str] = {}
    for section in document.sections:
        for (page, start, end), (following, first, last) in pairwise(section.places):
            if following == page + 1:
                before, after = texts[page][max(start, end - _TURN_CHARS) : end], texts[following][first : min(last, first + _TURN_CHARS)]
                found[page] = f"{before} {after}"
    return found
