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
from functools import lru_cache
from itertools import chain
from typing import Any, Final

import pyarrow as pa

from pipeline.search.query import HEADING, OFTEN, PATH, TITLE
from pipeline.search.read_tables import Document, Page
from pipeline.search.terms import TERMS_VERSION, terms_of
from schemas.codes import SECTION_KINDS

#: Version of the tables below; an index of another one is built anew.
VERSION: Final = f"5.{TERMS_VERSION}"
#: Pages of a document that are compressed together: twice as many save 50 bytes a page, but who looks at one unpacks all of its group.
GROUP: Final = 4
#: Times that a term stands on a page from which it counts as often there; a page of 400 words has some 15 such terms.
OFTEN_COUNT: Final = 4
#: Level 6 takes 4 % less room in twice the time, Brotli 6 % less in five times the time, and is slower to read.
_CODEC: Final = ("zstd", 3)
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
CREATE TABLE pages (id INTEGER PRIMARY KEY, doc INTEGER, page INTEGER, language TEXT, kinds INTEGER);
CREATE TABLE texts (id INTEGER PRIMARY KEY, data BLOB);
CREATE VIRTUAL TABLE body USING fts5(terms, content='', detail=none, columnsize=0, tokenize='ascii');
CREATE VIRTUAL TABLE vocabulary USING fts5vocab(body, row);
"""


@dataclass(slots=True)
class StoredPage:
    """A page as the index holds it. headings: (start, end). places: (section, start, end)."""

    text: str
    headings: list[tuple[int, int]]
    places: list[tuple[int, int, int]]


@dataclass(slots=True)
class StoredSections:
    """kinds: by section number from 1. paths: heading path of each."""

    kinds: list[str]
    paths: list[list[str]]


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


def pack(value: object) -> bytes:
    """JSON, compressed."""
    return _deflate(json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "surrogatepass"))


def _deflate(plain: bytes) -> bytes:
    return len(plain).to_bytes(4, "little") + bytes(_codec().compress(plain, asbytes=True))


def _inflate(data: bytes) -> bytes:
    return bytes(_codec().decompress(data[4:], int.from_bytes(data[:4], "little"), asbytes=True))


def unpack(data: bytes) -> Any:
    """What `pack` was given."""
    return json.loads(_inflate(data).decode("utf-8", "surrogatepass"))


@lru_cache(1)
def _codec() -> pa.Codec:
    return pa.Codec(*_CODEC)


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
        (self._doc,) = database.execute("SELECT coalesce(max(id), 0) + 1 FROM docs").fetchone()
        (group,) = database.execute("SELECT coalesce(max(id), -1) + 1 FROM texts").fetchone()
        self._page = group * GROUP

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
                modified, stem, digest, pack([[KINDS.index(each.kind) for each in document.sections], of_section, paths]),
                self._page, self._page + sum(bool(page.text) for page in document.pages) - 1,
            ),
        )  # fmt: skip
        places: dict[int, list[tuple[int, int, int]]] = {}
        for section in document.sections:
            for page, start, end in section.places:
                places.setdefault(page, []).append((section.number, start, end))
        full = [page for page in document.pages if page.text]
        for first in range(0, len(full), GROUP):
            self._add_group(document, full[first : first + GROUP], places)
        self._doc += 1

    def _add_group(self, document: Document, pages: Sequence[Page], places: dict[int, list[tuple[int, int, int]]]) -> None:
        stored, about, rows, terms = [], [], [], []
        for number, page in enumerate(pages, start=self._page):
            found = places.get(page.page, [])
            sections = [document.sections[section - 1] for section, _, _ in found]
            kinds = sum({1 << KINDS.index(section.kind) for section in sections})
            text = page.text.encode("utf-8", "surrogatepass")
            stored.append(text)
            about.append((len(text), page.headings, found))
            rows.append((number, self._doc, page.page, page.language or document.language, kinds))
            terms.append(
                (number, page_terms(page, document.title, dict.fromkeys(name for section in sections for name in section.heading_path)))
            )
        self._database.execute("INSERT INTO texts VALUES (?, ?)", (self._page // GROUP, _deflate(_head(about) + b"".join(stored))))
        self._database.executemany("INSERT INTO pages VALUES (?, ?, ?, ?, ?)", rows)
        self._database.executemany("INSERT INTO body (rowid, terms) VALUES (?, ?)", terms)
        self._page += GROUP

    def remove(self, doc_id: str) -> None:
        """Take a document out, if it is there: FTS5 must be given the terms that it got."""
        row = self._database.execute("SELECT id, title, sections, first, last FROM docs WHERE doc_id = ?", (doc_id,)).fetchone()
        if row is None:
            return
        doc, title, sections, first, last = row[0], row[1], stored_sections(row[2]), row[3], row[4]
        groups: set[int] = set()
        for number, page in self._database.execute("SELECT id, page FROM pages WHERE id BETWEEN ? AND ?", (first, last)).fetchall():
            stored = stored_page(self._database, number)
            paths = dict.fromkeys(name for section, _, _ in stored.places for name in sections.paths[section - 1])
            terms = page_terms(Page(page, stored.text, None, stored.headings), title, paths)
            self._database.execute("INSERT INTO body (body, rowid, terms) VALUES ('delete', ?, ?)", (number, terms))
            groups.add(number // GROUP)
        self._database.executemany("DELETE FROM texts WHERE id = ?", [(group,) for group in groups])
        self._database.execute("DELETE FROM pages WHERE id BETWEEN ? AND ?", (first, last))
        self._database.execute("DELETE FROM docs WHERE id = ?", (doc,))


def _head(about: Sequence[tuple[int, Sequence[tuple[int, int]], Sequence[tuple[int, int, int]]]]) -> bytes:
    """Of each page of a group the bytes of its text, its headings and places, as numbers of four bytes: how many pages, for each its
    bytes, headings and places, then those one after the other."""
    numbers = [len(about)]
    for length, headings, places in about:
        numbers += (length, len(headings), len(places))
    for _, headings, places in about:
        numbers += chain(*headings, *places)
    return array(_NUMBER, numbers).tobytes()


def _page_of(plain: bytes, place: int) -> StoredPage:
    """A page of an unpacked group."""
    numbers = memoryview(plain)[: len(plain) // _NUMBER_BYTES * _NUMBER_BYTES].cast(_NUMBER)
    counts = [(numbers[at], numbers[at + 1], numbers[at + 2]) for at in range(1, 3 * numbers[0], 3)]
    at = 1 + 3 * len(counts) + sum(2 * headings + 3 * places for _, headings, places in counts[:place])
    texts = 1 + 3 * len(counts) + sum(2 * headings + 3 * places for _, headings, places in counts)
    start = _NUMBER_BYTES * texts + sum(length for length, _, _ in counts[:place])
    length, headings, places = counts[place]
    own = numbers[at : at + 2 * headings + 3 * places].tolist()
    return StoredPage(
        plain[start : start + length].decode("utf-8", "surrogatepass"),
        list(zip(own[: 2 * headings : 2], own[1 : 2 * headings : 2], strict=True)),
        list(zip(own[2 * headings :: 3], own[2 * headings + 1 :: 3], own[2 * headings + 2 :: 3], strict=True)),
    )


def stored_page(database: sqlite3.Connection, number: int) -> StoredPage:
    """A page by its number in the index."""
    return next(stored_pages(database, [number]))[1]


def stored_sections(data: bytes) -> StoredSections:
    """The sections of a document."""
    kinds, of_section, paths = unpack(data)
    return StoredSections([KINDS[kind] for kind in kinds], [paths[path] for path in of_section])


def stored_pages(database: sqlite3.Connection, numbers: Iterable[int]) -> Iterator[tuple[int, StoredPage]]:
    """Pages by their numbers; a group of them is unpacked once."""
    groups: dict[int, list[int]] = {}
    for number in numbers:
        groups.setdefault(number // GROUP, []).append(number)
    for group, members in groups.items():
        (data,) = database.execute("SELECT data FROM texts WHERE id = ?", (group,)).fetchone()
        plain = _inflate(data)
        for number in members:
            yield number, _page_of(plain, number % GROUP)
