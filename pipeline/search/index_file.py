"""The index: one SQLite file with an FTS5 table, the texts compressed beside it, and what is known of documents and pages.

The unit is a page. What FTS5 holds of it are terms (`pipeline.search.terms`), which is why its own tokenizer only parts them: those of its
text, and with a character before them those of its headings, of the headings above, of its document's title, and those that stand often
in it. Neither their places nor the text are in it: it says which pages can be hits, a third of the size; the text of those tells the rest.
"""

from __future__ import annotations

import json
import sqlite3
from array import array
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC
from itertools import chain
from typing import Any, Final

import zstandard

from pdfmill.pipeline.search.query import HEADING, OFTEN, PATH, TITLE
from pdfmill.pipeline.search.read_tables import Document, Page
from pdfmill.pipeline.search.terms import TERMS_VERSION, terms_of
from pdfmill.schemas.codes import SECTION_KINDS

#: Version of the tables below; an index of another one is built anew.
VERSION: Final = f"6.{TERMS_VERSION}"
#: Times that a term stands on a page from which it counts as often there; a page of 400 words has some 15 such terms.
OFTEN_COUNT: Final = 4
#: Level 6 takes 6 % less room in three times the time, Brotli more of both, and is slower to read.
_LEVEL: Final = 3
#: Bytes of the dictionary with which pages are compressed: each for itself takes the room then that four together take without, and who
#: looks at one unpacks no other. Half of it costs 1 % more room.
_DICTIONARY_BYTES: Final = 65_536
#: Pages and characters out of which it is made: of fewer pages none is, which would not repay its own room.
SAMPLED_PAGES: Final = range(400, 2_000)
_SAMPLED_CHARS: Final = 8_000
#: Share of the pages from which a term's number of pages is noted: FTS5 reads through all of them to count them.
_COUNTED_SHARE: Final = 0.002
#: Share of the pages that may have come since those were counted.
_UNCOUNTED_SHARE: Final = 0.05
#: Bytes of terms that FTS5 holds before it writes them as a segment of its own, which then is merged with others: while an index is built.
_HELD_BYTES: Final = 256 << 20
#: How numbers are stored beside texts: unsigned, of four bytes, as `array` names them.
_NUMBER: Final = "I"
_NUMBER_BYTES: Final = array(_NUMBER).itemsize
KINDS: Final = tuple(SECTION_KINDS)

_SCHEMA: Final = """
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT);
CREATE TABLE parts (stem TEXT PRIMARY KEY);
CREATE TABLE docs (id INTEGER PRIMARY KEY, doc_id TEXT UNIQUE, source_uri TEXT, folder TEXT, title TEXT, language TEXT, modified TEXT,
    stem TEXT, digest TEXT, sections BLOB,
    first INTEGER, last INTEGER);
CREATE TABLE dictionary (data BLOB);
CREATE TABLE pages (id INTEGER PRIMARY KEY, doc INTEGER, page INTEGER, language TEXT, kinds INTEGER);
CREATE TABLE texts (id INTEGER PRIMARY KEY, data BLOB);
CREATE VIRTUAL TABLE body USING fts5(terms, content='', detail=none, columnsize=0, tokenize='ascii');
CREATE VIRTUAL TABLE vocabulary USING fts5vocab(body, row);
CREATE TABLE common (term TEXT PRIMARY KEY, pages INTEGER) WITHOUT ROWID;
"""


@dataclass(slots=True)
class StoredPage:
    """A page as the index holds it. headings: (start, end). places: (section, start, end)."""

    text: str
    headings: list[tuple[int, int]]
    places: list[tuple[int, int, int]]


@dataclass(slots=True)
class StoredSections:
    """Of a document. kinds: places in `KINDS`, paths: places in `known`, both by section number from 1. known: heading paths."""

    kinds: list[int]
    paths: list[int]
    known: list[list[str]]

    def kind(self, section: int) -> str:
        """The kind of a section."""
        return KINDS[self.kinds[section - 1]]

    def path(self, section: int) -> list[str]:
        """The heading path of a section."""
        return self.known[self.paths[section - 1]]


def create(database: sqlite3.Connection) -> None:
    """Make the tables in an empty file."""
    database.executescript(_SCHEMA)
    database.execute("INSERT INTO meta VALUES ('version', ?)", (VERSION,))


def hold_terms(database: sqlite3.Connection) -> None:
    """Make FTS5 write few large segments: for a build, after which it is told to make them one."""
    database.execute("INSERT INTO body (body, rank) VALUES ('hashsize', ?)", (_HELD_BYTES,))
    database.execute("INSERT INTO body (body, rank) VALUES ('automerge', 0)")


def meta(database: sqlite3.Connection) -> dict[str, str]:
    """What the index says of itself."""
    return dict(database.execute("SELECT key, value FROM meta"))


def set_meta(database: sqlite3.Connection, **values: str) -> None:
    """Note something about the index."""
    database.executemany("INSERT OR REPLACE INTO meta VALUES (?, ?)", values.items())


def count_common(database: sqlite3.Connection) -> None:
    """Note how many pages have the terms that many have, unless few pages have come since that was done."""
    pages, last = database.execute("SELECT count(*), coalesce(max(id), -1) FROM pages").fetchone()
    if last - int(meta(database).get("counted", "-1")) <= _UNCOUNTED_SHARE * pages:
        return
    database.execute("DELETE FROM common")
    database.execute("INSERT INTO common SELECT term, doc FROM vocabulary WHERE doc >= ?", (max(2.0, _COUNTED_SHARE * pages),))
    set_meta(database, counted=str(last))


class Codec:
    """Compresses texts, with the dictionary of an index where it has one."""

    def __init__(self, database: sqlite3.Connection) -> None:
        data = database.execute("SELECT data FROM dictionary").fetchone()
        known = zstandard.ZstdCompressionDict(data[0]) if data else None
        self._packer = zstandard.ZstdCompressor(_LEVEL, dict_data=known, write_dict_id=False)
        self._unpacker = zstandard.ZstdDecompressor(dict_data=known)

    def deflate(self, plain: bytes) -> bytes:
        """Bytes, compressed."""
        return self._packer.compress(plain)

    def inflate(self, data: bytes) -> bytes:
        """What `deflate` was given."""
        return self._unpacker.decompress(data)

    def pack(self, value: object) -> bytes:
        """JSON, compressed."""
        return self.deflate(json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "surrogatepass"))

    def unpack(self, data: bytes) -> Any:
        """What `pack` was given."""
        return json.loads(self.inflate(data).decode("utf-8", "surrogatepass"))


def set_dictionary(database: sqlite3.Connection, texts: Sequence[str]) -> None:
    """Make the dictionary of an index in which nothing is yet out of texts of its pages, if there are enough."""
    if len(texts) >= SAMPLED_PAGES.start:
        samples: list[bytes | bytearray | memoryview] = [text[:_SAMPLED_CHARS].encode("utf-8", "surrogatepass") for text in texts]
        database.execute("INSERT INTO dictionary VALUES (?)", (zstandard.train_dictionary(_DICTIONARY_BYTES, samples).as_bytes(),))


def page_terms(page: Page, title: str, paths: Iterable[str]) -> str:
    """What FTS5 gets of a page."""
    counts = Counter(terms_of(page.text))
    found = [*counts, *[OFTEN + term for term, count in counts.items() if count >= OFTEN_COUNT]]
    headings = " ".join(page.text[start:end] for start, end in page.headings)
    for sign, text in ((HEADING, headings), (TITLE, title), (PATH, " ".join(paths))):
        found += (sign + term for term in dict.fromkeys(terms_of(text)))
    return " ".join(found)


class Writer:
    """Puts documents into an index and takes them out."""

    def __init__(self, database: sqlite3.Connection) -> None:
        self._database = database
        self._codec = Codec(database)
        (self._doc,) = database.execute("SELECT coalesce(max(id), 0) + 1 FROM docs").fetchone()
        (self._page,) = database.execute("SELECT coalesce(max(id), -1) + 1 FROM pages").fetchone()

    def add(self, document: Document, stem: str, digest: str) -> None:
        """Put a document in."""
        paths: list[list[str]] = []
        known: dict[tuple[str, ...], int] = {}
        of_section = [known.setdefault(tuple(each.heading_path), len(known)) for each in document.sections]
        paths = [list(path) for path in known]
        modified = document.modified.astimezone(UTC).isoformat() if document.modified else None
        self._database.execute(
            "INSERT INTO docs VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (
                self._doc, document.doc_id, document.source_uri, document.source_uri.rpartition("/")[0], document.title, document.language,
                modified, stem, digest, self._codec.pack([[KINDS.index(each.kind) for each in document.sections], of_section, paths]),
                self._page, self._page + sum(bool(page.text) for page in document.pages) - 1,
            ),
        )  # fmt: skip
        places: dict[int, list[tuple[int, int, int]]] = {}
        for section in document.sections:
            for page, start, end in section.places:
                places.setdefault(page, []).append((section.number, start, end))
        self._add_pages(document, [page for page in document.pages if page.text], places)
        self._doc += 1

    def _add_pages(self, document: Document, pages: Sequence[Page], places: dict[int, list[tuple[int, int, int]]]) -> None:
        texts, rows, terms = [], [], []
        for number, page in enumerate(pages, start=self._page):
            found = places.get(page.page, [])
            sections = [document.sections[section - 1] for section, _, _ in found]
            kinds = sum({1 << KINDS.index(section.kind) for section in sections})
            texts.append((number, self._codec.deflate(_stored(StoredPage(page.text, page.headings, found)))))
            rows.append((number, self._doc, page.page, page.language or document.language, kinds))
            terms.append(
                (number, page_terms(page, document.title, dict.fromkeys(name for section in sections for name in section.heading_path)))
            )
        self._database.executemany("INSERT INTO texts VALUES (?, ?)", texts)
        self._database.executemany("INSERT INTO pages VALUES (?, ?, ?, ?, ?)", rows)
        self._database.executemany("INSERT INTO body (rowid, terms) VALUES (?, ?)", terms)
        self._page += len(pages)

    def remove(self, doc_id: str) -> None:
        """Take a document out, if it is there: FTS5 must be given the terms that it got."""
        row = self._database.execute("SELECT id, title, sections, first, last FROM docs WHERE doc_id = ?", (doc_id,)).fetchone()
        if row is None:
            return
        doc, title, sections, first, last = row[0], row[1], stored_sections(self._codec, row[2]), row[3], row[4]
        terms = []
        for number, page in stored_pages(self._database, self._codec, range(first, last + 1)):
            paths = dict.fromkeys(name for section, _, _ in page.places for name in sections.path(section))
            terms.append((number, page_terms(Page(0, page.text, None, page.headings), title, paths)))
        self._database.executemany("INSERT INTO body (body, rowid, terms) VALUES ('delete', ?, ?)", terms)
        self._database.execute("DELETE FROM texts WHERE id BETWEEN ? AND ?", (first, last))
        self._database.execute("DELETE FROM pages WHERE id BETWEEN ? AND ?", (first, last))
        self._database.execute("DELETE FROM docs WHERE id = ?", (doc,))


def _stored(page: StoredPage) -> bytes:
    """A page as bytes: how many headings and places it has, and they, as numbers of four bytes; its text."""
    numbers = array(_NUMBER, (len(page.headings), len(page.places), *chain(*page.headings, *page.places)))
    return numbers.tobytes() + page.text.encode("utf-8", "surrogatepass")


def _page_of(plain: bytes) -> StoredPage:
    """What `_stored` was given."""
    headings, places = memoryview(plain)[: 2 * _NUMBER_BYTES].cast(_NUMBER)
    end = _NUMBER_BYTES * (2 + 2 * headings + 3 * places)
    numbers = memoryview(plain)[2 * _NUMBER_BYTES : end].cast(_NUMBER).tolist()
    return StoredPage(
        plain[end:].decode("utf-8", "surrogatepass"),
        list(zip(numbers[: 2 * headings : 2], numbers[1 : 2 * headings : 2], strict=True)),
        list(zip(numbers[2 * headings :: 3], numbers[2 * headings + 1 :: 3], numbers[2 * headings + 2 :: 3], strict=True)),
    )


def stored_sections(codec: Codec, data: bytes) -> StoredSections:
    """The sections of a document."""
    return StoredSections(*codec.unpack(data))


def stored_pages(database: sqlite3.Connection, codec: Codec, numbers: Iterable[int]) -> Iterator[tuple[int, StoredPage]]:
    """Pages by their numbers."""
    for number in numbers:
        (data,) = database.execute("SELECT data FROM texts WHERE id = ?", (number,)).fetchone()
        yield number, _page_of(codec.inflate(data))
