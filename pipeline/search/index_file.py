"""The index: a folder of Tantivy, an entry for each page and one for each document.

A page is found by its terms (`pipeline.search.terms`) with their positions, by those of its headings, of the headings above and of its
document's title, and by other forms of its words (`pdfmill.pipeline.search.word_forms`). Its text is stored with it: it decides the rank.
"""

from __future__ import annotations

import json
from array import array
from collections.abc import Iterable, Iterator, Sequence
from datetime import date
from importlib.metadata import version
from itertools import chain, pairwise
from pathlib import Path
from typing import Any, Final

import tantivy
from msgspec import Struct

from pdfmill.pipeline.search.read_tables import Document, Page
from pdfmill.pipeline.search.terms import TERMS_VERSION, terms_of
from pdfmill.pipeline.search.word_forms import known_language, stems_of
from pdfmill.schemas.codes import SECTION_KINDS

#: Version of the fields below; an index of another one is built anew.
VERSION: Final = f"7.{TERMS_VERSION}.{version('tantivy')}"
#: Bytes of terms that Tantivy holds before it writes them as a segment, for a build and for an update.
_BUILD_BYTES: Final = 200_000_000
_UPDATE_BYTES: Final = 50_000_000
#: How numbers are stored beside texts: unsigned, of four bytes, as `array` names them.
_NUMBER: Final = "I"
_NUMBER_BYTES: Final = array(_NUMBER).itemsize
#: Terms before and after the turn of a page by which a phrase over it is found.
_TURN_TERMS: Final = 12
_TURN_CHARS: Final = 200
KINDS: Final = tuple(SECTION_KINDS)
#: The field in which an entry that is no page has its name: a document's, or that of what the index says of itself.
_ENTRY: Final = "entry"
_META: Final = "meta"
_OF_DOCUMENT: Final = "document "
_TOKENIZER: Final = "spaces"


def _schema() -> tantivy.Schema:
    made = tantivy.SchemaBuilder()
    for name in ("text", "heading", "title", "path", "turn", *(f"text_{kind}" for kind in KINDS)):
        made.add_text_field(name, tokenizer_name=_TOKENIZER)
    made.add_text_field("stem", tokenizer_name=_TOKENIZER, index_option="freq")
    for name in ("doc_id", "language", "folder", "kind"):
        made.add_text_field(name, tokenizer_name="raw", index_option="basic", fast=True)
    for name in ("only_kind", "source", "part", "stemmed", _ENTRY):
        made.add_text_field(name, tokenizer_name="raw", index_option="basic")
    for name in ("day", "page"):
        made.add_integer_field(name, indexed=True, fast=True)
    made.add_bytes_field("data", stored=True)
    return made.build()


SCHEMA: Final = _schema()


class StoredPage(Struct):
    """A page as the index holds it. headings: (start, end). places: (section, start, end)."""

    doc_id: str
    page: int
    text: str
    headings: list[tuple[int, int]]
    places: list[tuple[int, int, int]]


class StoredDocument(Struct):
    """A document as the index holds it. part: its part of the tables. digest: of what it was made of. kinds: places in `KINDS`, paths:
    places in `known`, both by section number from 1. known: heading paths."""

    doc_id: str
    source_uri: str
    title: str
    part: str
    digest: str
    kinds: list[int]
    paths: list[int]
    known: list[list[str]]

    def kind(self, section: int) -> str:
        """The kind of a section."""
        return KINDS[self.kinds[section - 1]]

    def path(self, section: int) -> list[str]:
        """The heading path of a section."""
        return self.known[self.paths[section - 1]]


def create(folder: Path) -> tantivy.Index:
    """An empty index in a folder that is there."""
    return _with_tokenizer(tantivy.Index(SCHEMA, path=str(folder), reuse=False))


def open_folder(folder: Path) -> tantivy.Index:
    """The index in a folder; raises ValueError where it is none."""
    return _with_tokenizer(tantivy.Index.open(str(folder)))


def _with_tokenizer(index: tantivy.Index) -> tantivy.Index:
    index.register_tokenizer(_TOKENIZER, tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.whitespace()).build())
    return index


def count_of(searcher: tantivy.Searcher, query: tantivy.Query) -> int:
    """How many entries match."""
    result: Any = searcher.search(query, 1)
    count: int = result.count
    return count


def _entry(searcher: tantivy.Searcher, name: str) -> Any:
    """What an entry that is no page holds; None where there is none."""
    hits = searcher.search(tantivy.Query.term_query(SCHEMA, _ENTRY, name), 1, count=False).hits
    return json.loads(searcher.doc(hits[0][1]).get_first("data") or b"null") if hits else None


def meta(searcher: tantivy.Searcher) -> dict[str, Any]:
    """What the index says of itself: version, snapshot, parts."""
    return _entry(searcher, _META) or {}


def stored_document(searcher: tantivy.Searcher, doc_id: str) -> StoredDocument | None:
    """A document; None where it is not in the index."""
    held = _entry(searcher, _OF_DOCUMENT + doc_id)
    return StoredDocument(**held) if held else None


def documents_of(searcher: tantivy.Searcher, parts: Iterable[str]) -> list[str]:
    """The documents that some parts of the tables hold."""
    found: list[str] = []
    for part in parts:
        query = tantivy.Query.term_query(SCHEMA, "part", part)
        count = count_of(searcher, query)
        hits = searcher.search(query, count, count=False).hits if count else []
        found += (json.loads(searcher.doc(address).get_first("data") or b"{}")["doc_id"] for _, address in hits)
    return found


def stored_page(searcher: tantivy.Searcher, address: tantivy.DocAddress) -> StoredPage:
    """A page that was found."""
    data = searcher.doc(address).get_first("data")
    assert isinstance(data, bytes)
    length, page, headings, places = memoryview(data)[: 4 * _NUMBER_BYTES].cast(_NUMBER)
    end = _NUMBER_BYTES * (4 + 2 * headings + 3 * places)
    numbers = memoryview(data)[4 * _NUMBER_BYTES : end].cast(_NUMBER).tolist()
    return StoredPage(
        data[end : end + length].decode(),
        page,
        data[end + length :].decode("utf-8", "surrogatepass"),
        list(zip(numbers[: 2 * headings : 2], numbers[1 : 2 * headings : 2], strict=True)),
        list(zip(numbers[2 * headings :: 3], numbers[2 * headings + 1 :: 3], numbers[2 * headings + 2 :: 3], strict=True)),
    )


def _packed(page: StoredPage) -> bytes:
    doc_id = page.doc_id.encode()
    head = (len(doc_id), page.page, len(page.headings), len(page.places))
    numbers = array(_NUMBER, (*head, *chain(*page.headings, *page.places)))
    return numbers.tobytes() + doc_id + page.text.encode("utf-8", "surrogatepass")


class Writer:
    """Puts documents into an index and takes them out; what it did is seen when it ends, all at once, or not at all."""

    def __init__(self, index: tantivy.Index, *, is_build: bool = False) -> None:
        self._writer = index.writer(_BUILD_BYTES if is_build else _UPDATE_BYTES, 1)

    def add(self, document: Document, part: str, digest: str) -> None:
        """Put a document in."""
        known: dict[tuple[str, ...], int] = {}
        of_section = [known.setdefault(tuple(each.heading_path), len(known)) for each in document.sections]
        kinds = [KINDS.index(each.kind) for each in document.sections]
        paths = [list(path) for path in known]
        self.put(StoredDocument(document.doc_id, document.source_uri, document.title, part, digest, kinds, of_section, paths))
        places: dict[int, list[tuple[int, int, int]]] = {}
        for section in document.sections:
            for page, start, end in section.places:
                places.setdefault(page, []).append((section.number, start, end))
        turns = _turns(document)
        for each in document.pages:
            if each.text:
                self._writer.add_document(_page_entry(document, each, places.get(each.page, []), turns.get(each.page, "")))

    def put(self, document: StoredDocument) -> None:
        """Put in what is known of a document, in place of what was; its pages stay as they are."""
        name = _OF_DOCUMENT + document.doc_id
        self._writer.delete_documents_by_term(_ENTRY, name)
        entry = tantivy.Document()
        entry.add_text(_ENTRY, name)
        entry.add_text("part", document.part)
        entry.add_bytes("data", json.dumps({key: getattr(document, key) for key in StoredDocument.__struct_fields__}).encode())
        self._writer.add_document(entry)

    def remove(self, doc_id: str) -> None:
        """Take a document out, if it is there."""
        self._writer.delete_documents_by_term("doc_id", doc_id)
        self._writer.delete_documents_by_term(_ENTRY, _OF_DOCUMENT + doc_id)

    def end(self, **said: object) -> None:
        """Show what was done. said: what the index says of itself from now on."""
        self._writer.delete_documents_by_term(_ENTRY, _META)
        entry = tantivy.Document()
        entry.add_text(_ENTRY, _META)
        entry.add_bytes("data", json.dumps({"version": VERSION, **said}).encode())
        self._writer.add_document(entry)
        self._writer.commit()
        self._writer.wait_merging_threads()


def _page_entry(document: Document, page: Page, places: list[tuple[int, int, int]], turn: str) -> tantivy.Document:
    entry = tantivy.Document()
    sections = [document.sections[section - 1] for section, _, _ in places]
    language = page.language or document.language
    paths = dict.fromkeys(name for section in sections for name in section.heading_path)
    texts = {
        "text": page.text,
        "heading": " ".join(page.text[start:end] for start, end in page.headings),
        "title": document.title,
        "path": " ".join(paths),
        "turn": turn,
    }
    kinds = sorted({section.kind for section in sections})
    if len(kinds) == 1:
        entry.add_text("only_kind", kinds[0])
    else:
        for kind in kinds:
            texts[f"text_{kind}"] = "\n".join(
                page.text[start:end] for (_, start, end), section in zip(places, sections, strict=True) if section.kind == kind
            )
    for name, text in texts.items():
        if text:
            entry.add_text(name, " ".join(terms_of(text)))
    entry.add_text("stem", " ".join(stems_of(page.text, language)))
    if known := known_language(language):
        entry.add_text("stemmed", known)
    uri = document.source_uri
    raw = {
        "doc_id": document.doc_id,
        "language": language or "",
        "folder": uri.rpartition("/")[0],
        "source": uri,
    }
    for name, value in raw.items():
        entry.add_text(name, value)
    for kind in kinds:
        entry.add_text("kind", kind)
    entry.add_integer("page", page.page)
    if document.modified:
        entry.add_integer("day", day_number(document.modified.date()))
    entry.add_bytes("data", _packed(StoredPage(document.doc_id, page.page, page.text, page.headings, places)))
    return entry


def day_number(day: date) -> int:
    """A day as it is stored."""
    return day.toordinal()


def _turns(document: Document) -> dict[int, str]:
    """The text around the turn after each page, of sections that go on over it."""
    texts = {page.page: page.text for page in document.pages}
    found: dict[int, str] = {}
    for section in document.sections:
        for (page, start, end), (following, first, last) in pairwise(section.places):
            if following == page + 1:
                before = texts[page][max(start, end - _TURN_CHARS) : end].split()[-_TURN_TERMS:]
                after = texts[following][first : min(last, first + _TURN_CHARS)].split()[:_TURN_TERMS]
                found[page] = " ".join([*before, *after])
    return found


def languages_of(searcher: tantivy.Searcher) -> tuple[str, ...]:
    """The languages by which words of the index are stemmed."""
    return tuple(language for language, _ in searcher.terms_with_prefix("stemmed", ""))


def stored_pages(searcher: tantivy.Searcher, addresses: Sequence[tantivy.DocAddress]) -> Iterator[StoredPage]:
    """Pages that were found, in their order."""
    for address in addresses:
        yield stored_page(searcher, address)
