"""The search index: a folder of the library Tantivy with an entry for each page and one for each document.

A page is found by its terms (`pipeline.search.terms`) with their positions, by the terms of its headings, of the headings above and of its
document's title, and by stems and other forms of its words (`pdfmill.pipeline.search.word_forms`). The page's text is stored in its entry,
because ranking reads it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from importlib.metadata import version
from itertools import pairwise
from operator import itemgetter
from pathlib import Path
from typing import Any, Final

import tantivy
from msgspec import Struct, msgpack

from pdfmill.pipeline.search.read_tables import Document, Page
from pdfmill.pipeline.search.terms import TERMS_VERSION, fold_text, indexed
from pdfmill.pipeline.search.word_forms import OF_STEM, Vocabulary, known_language
from pdfmill.schemas.codes import SECTION_KINDS

#: Version of the fields below; an index of another one is built anew.
VERSION: Final = f"11.{TERMS_VERSION}.{version('tantivy')}"
#: Bytes of terms that Tantivy holds before it writes them as a segment, for a build and for an update.
_BUILD_BYTES: Final = 200_000_000
_UPDATE_BYTES: Final = 50_000_000
#: Terms before and after the turn of a page by which a phrase over it is found.
_TURN_TERMS: Final = 12
_TURN_CHARS: Final = 200
#: Words that are kept while documents are taken in, until their forms are put into the index: some 40 MB.
_KEPT_WORDS: Final = 300_000
#: Entries that are handed to Tantivy at a time, some 4 MB.
_HANDED_OVER: Final = 500
#: Titles and headings whose terms are kept.
_KEPT_NAMES: Final = 10_000
KINDS: Final = tuple(SECTION_KINDS)
#: The field in which an entry that is no page has its name: a document's, or that of what the index says of itself.
_ENTRY: Final = "entry"
_META: Final = "meta"
_OF_DOCUMENT: Final = "document "
_TOKENIZER: Final = "spaces"


def _schema() -> tantivy.Schema:
    made = tantivy.SchemaBuilder()
    for name in ("text", "heading", "title", "path", "turn"):
        made.add_text_field(name, tokenizer_name=_TOKENIZER)
    made.add_text_field("form", tokenizer_name=_TOKENIZER, index_option="basic")
    for name in ("doc_id", "language", "folder", "kind"):
        made.add_text_field(name, tokenizer_name="raw", index_option="basic", fast=True)
    for name in ("source", "part", "stemmed", _ENTRY):
        made.add_text_field(name, tokenizer_name="raw", index_option="basic")
    for name in ("day", "page"):
        made.add_integer_field(name, indexed=True, fast=True)
    made.add_bytes_field("data", stored=True)
    return made.build()


SCHEMA: Final = _schema()


class StoredPage(Struct, array_like=True):
    """A page as the index holds it. folded, title (the document's), headings: as they are judged. places: (section, its kind by place in
    `KINDS`, start, end), offsets into the text."""

    doc_id: str
    source_uri: str
    page: int
    text: str
    folded: str
    title: str
    headings: list[str]
    places: list[tuple[int, int, int, int]]

    def of_kind(self, kind: str) -> str:
        """Return the text with spaces in place of everything outside the sections of this kind; offsets stay valid."""
        parts, done = [], 0
        for _, _, start, end in sorted((each for each in self.places if KINDS[each[1]] == kind), key=itemgetter(2)):
            parts += [" " * (start - done), self.text[max(start, done) : end]]
            done = max(end, done)
        return "".join(parts)


class StoredDocument(Struct, array_like=True):
    """A document's entry in the index. part: name of its part of the tables. digest: of the rows that it was made from. paths: for each
    section, from 1, the index of its heading path in `known`."""

    doc_id: str
    source_uri: str
    title: str
    part: str
    digest: str
    paths: list[int]
    known: list[list[str]]

    def path(self, section: int) -> list[str]:
        """Return the heading path of a section."""
        return self.known[self.paths[section - 1]]


class Meta(Struct):
    """Metadata of the index. parts, snapshot: the state of the tables that it was built from."""

    version: str = ""
    parts: list[str] = []
    snapshot: int = -1


def create(folder: Path) -> tantivy.Index:
    """Create an empty index in an existing folder."""
    return _with_tokenizer(tantivy.Index(SCHEMA, path=str(folder), reuse=False))


def open_folder(folder: Path) -> tantivy.Index:
    """Return the index in a folder; ValueError if the folder holds none."""
    return _with_tokenizer(tantivy.Index.open(str(folder)))


def _with_tokenizer(index: tantivy.Index) -> tantivy.Index:
    index.register_tokenizer(_TOKENIZER, tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.whitespace()).build())
    return index


def count_of(searcher: tantivy.Searcher, query: tantivy.Query) -> int:
    """Return the number of entries that match."""
    result: Any = searcher.search(query, 1)
    count: int = result.count
    return count


def _data(searcher: tantivy.Searcher, address: tantivy.DocAddress) -> bytes:
    data = searcher.doc(address).get_first("data")
    assert isinstance(data, bytes)
    return data


def _entry(searcher: tantivy.Searcher, name: str) -> bytes | None:
    """Return the content of an entry that is not a page; None if there is none."""
    hits = searcher.search(tantivy.Query.term_query(SCHEMA, _ENTRY, name), 1, count=False).hits
    return _data(searcher, hits[0][1]) if hits else None


def meta(searcher: tantivy.Searcher) -> Meta:
    """Return the metadata of the index."""
    held = _entry(searcher, _META)
    return msgpack.decode(held, type=Meta) if held else Meta()


def stored_document(searcher: tantivy.Searcher, doc_id: str) -> StoredDocument | None:
    """Return a document's entry; None if it is not in the index."""
    held = _entry(searcher, _OF_DOCUMENT + doc_id)
    return msgpack.decode(held, type=StoredDocument) if held else None


def documents_of(searcher: tantivy.Searcher, parts: Iterable[str]) -> list[str]:
    """Return the ids of the indexed documents from these parts of the tables."""
    found: list[str] = []
    for part in parts:
        query = tantivy.Query.term_query(SCHEMA, "part", part)
        hits = searcher.search(query, max(1, count_of(searcher, query)), count=False).hits
        found += (msgpack.decode(_data(searcher, address), type=StoredDocument).doc_id for _, address in hits)
    return found


def stored_page(searcher: tantivy.Searcher, address: tantivy.DocAddress) -> StoredPage:
    """The stored fields of the page at an address in the index."""
    return msgpack.decode(_data(searcher, address), type=StoredPage)


def languages_of(searcher: tantivy.Searcher) -> tuple[str, ...]:
    """Return the languages whose stemmers were used for this index."""
    return tuple(language for language, _ in searcher.terms_with_prefix("stemmed", ""))


def words_with(searcher: tantivy.Searcher, stem: str) -> set[str]:
    """The words of the index that have a stem, or a part that has it."""
    begin = stem + OF_STEM
    return {term.removeprefix(begin) for term, _ in searcher.terms_with_prefix("form", begin)}


class Writer:
    """Add documents to an index and remove them; all changes become visible together at the end, or none does."""

    def __init__(self, index: tantivy.Index, *, is_build: bool = False) -> None:
        self._writer = index.writer(_BUILD_BYTES if is_build else _UPDATE_BYTES, 1)
        self._words: dict[str, Vocabulary] = {}
        self._waiting: list[tantivy.Document] = []

    def add(self, document: Document, part: str, digest: str) -> None:
        """Add a document with its pages. part: name of its part of the tables. digest: of its rows."""
        known: dict[tuple[str, ...], int] = {}
        paths = [known.setdefault(tuple(each.heading_path), len(known)) for each in document.sections]
        shown = [list(path) for path in known]
        self._store(StoredDocument(document.doc_id, document.source_uri, document.title, part, digest, paths, shown))
        places: dict[int, list[tuple[int, int, int, int]]] = {}
        for section in document.sections:
            for page, start, end in section.places:
                places.setdefault(page, []).append((section.number, KINDS.index(section.kind), start, end))
        turns = _turns(document)
        for each in document.pages:
            if each.text:
                entry = self._page_entry(document, each, places.get(each.page, []), turns.get(each.page, ""))
                self._add(entry)
                if sum(map(len, self._words.values())) > _KEPT_WORDS:
                    self._put_forms()

    def _page_entry(self, document: Document, page: Page, places: list[tuple[int, int, int, int]], turn: str) -> tantivy.Document:
        language, uri = page.language or document.language, document.source_uri
        known = known_language(language)
        if known not in self._words:
            self._words[known] = Vocabulary(known)
        terms = self._words[known].terms
        text = terms(page.text)
        title, headings = fold_text(document.title), [fold_text(page.text[start:end]) for start, end in page.headings]
        folded = text if text.isascii() else fold_text(page.text)
        held = StoredPage(document.doc_id, uri, page.page, page.text, folded, title, headings, places)
        kinds = [KINDS[kind] for kind in sorted({each[1] for each in places})]
        paths = dict.fromkeys(name for section, *_ in places for name in document.sections[section - 1].heading_path)
        fields: dict[str, Any] = {
            "text": text,
            "heading": " ".join([_name_terms(page.text[start:end]) for start, end in page.headings]),
            "title": _name_terms(document.title), "path": " ".join(filter(None, map(_name_terms, paths))), "turn": terms(turn),
            "doc_id": document.doc_id, "language": language or "", "folder": uri.rpartition("/")[0], "source": uri,
            "page": page.page, "kind": kinds, "data": msgpack.encode(held),
        }  # fmt: skip
        if document.modified:
            fields["day"] = document.modified.date().toordinal()
        return tantivy.Document(**{name: value for name, value in fields.items() if value})

    def _put_forms(self) -> None:
        """Put the forms of the words of all documents so far in an entry of their own, which stays when documents go."""
        for language, words in self._words.items():
            if forms := words.forms():
                self._add(tantivy.Document(form=forms, **({"stemmed": language} if language else {})))
        self._words.clear()

    def put(self, document: StoredDocument) -> None:
        """Store a document's entry, replacing the old one; the entries of its pages are unchanged."""
        self._delete(_ENTRY, _OF_DOCUMENT + document.doc_id)
        self._store(document)

    def remove(self, doc_id: str) -> None:
        """Remove a document and its pages, if present."""
        self._delete("doc_id", doc_id)
        self._delete(_ENTRY, _OF_DOCUMENT + doc_id)

    def end(self, parts: Sequence[str], snapshot: int) -> None:
        """Commit the changes. parts, snapshot: the state of the tables that the index now reflects."""
        self._put_forms()
        self._delete(_ENTRY, _META)
        self._add(tantivy.Document(**{_ENTRY: _META, "data": msgpack.encode(Meta(VERSION, list(parts), snapshot))}))
        self._hand_over()
        self._writer.commit()
        self._writer.wait_merging_threads()

    def _store(self, document: StoredDocument) -> None:
        name = _OF_DOCUMENT + document.doc_id
        self._add(tantivy.Document(**{_ENTRY: name, "part": document.part, "data": msgpack.encode(document)}))

    def _delete(self, field: str, value: str) -> None:
        self._hand_over()
        self._writer.delete_documents_by_term(field, value)

    def _add(self, entry: tantivy.Document) -> None:
        """Keep an entry until there are some: Tantivy's thread costs time when it is woken for each."""
        self._waiting.append(entry)
        if len(self._waiting) >= _HANDED_OVER:
            self._hand_over()

    def _hand_over(self) -> None:
        for entry in self._waiting:
            self._writer.add_document(entry)
        self._waiting.clear()


@lru_cache(_KEPT_NAMES)
def _name_terms(name: str) -> str:
    return indexed(name)[0]


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
