"""The index of an output folder: opened, built or brought up to date, and asked."""

from __future__ import annotations

import fcntl
import hashlib
import heapq
import json
import os
import sqlite3
from collections import Counter, deque
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache, partial
from pathlib import Path
from typing import Final

from pdfmill.pipeline.search.answers import NO_FILTERS, Filters, Hit, LazyBoxes, Results, SearchError
from pdfmill.pipeline.search.index_file import (
    KINDS,
    SAMPLED_PAGES,
    VERSION,
    Codec,
    StoredPage,
    StoredSections,
    Writer,
    count_common,
    create,
    hold_terms,
    meta,
    set_dictionary,
    set_meta,
    stored_pages,
    stored_sections,
)
from pdfmill.pipeline.search.query import Query, parse_query
from pdfmill.pipeline.search.rank import DEFAULT_RANK, Passage, Ranker, RankSettings, found_pages, weigh
from pdfmill.pipeline.search.read_tables import Document, digests, document_ids, read_documents, shown_tables
from pdfmill.pipeline.search.word_marks import WordBoxes, snippet_of
from pdfmill.schemas.records import document_id
from pdfmill.transforms.storage.errors import SourceError
from pdfmill.transforms.storage.sources import absolute_source
from pdfmill.transforms.tables.table_reader import HeldTables, changed_documents, first_told

#: Where the index lies in a local output folder; readers of the tables leave out names that begin with _.
_PLACE: Final = "_pdfmill/search.sqlite"
#: Memory that SQLite may take for pages of the file, KiB.
_CACHE_KIB: Final = 65_536
#: Of the file that who only reads has mapped into memory, where SQLite need not copy pages of it.
_MAPPED_BYTES: Final = 1 << 31
#: Documents whose sections are kept.
_KEPT_SECTIONS: Final = 256
#: Of a page of the file: groups of texts of some 5 kB fill smaller ones badly.
_PAGE_BYTES: Final = 65_536


def open_index(folder: str, *, build: bool = False) -> SearchIndex:
    """The index of an output of `index` or of a crawl, in any store. Built where there is none, and brought up to date where the tables
    have changed. build: make it anew.

    Raises:
        SearchError: the folder is no output, or its index cannot be made.
    """
    output = absolute_source(folder)
    shown = shown_tables(output)
    path = _place(output)
    try:
        with _locked(path) as free:
            if free:
                _bring_up_to_date(path, shown, build)
            elif not path.exists():
                raise SearchError(f"{folder}: another process builds its index; search again when that is done")
        return SearchIndex(path, shown)
    except (sqlite3.Error, OSError) as error:
        raise SearchError(f"the index of {folder}, {path}, cannot be used: {error}") from error
    except SourceError as error:
        raise SearchError(f"{folder} cannot be read: {error}") from error


def _place(output: str) -> Path:
    """The file of the index: in the output where that is a local folder that can be written, else in the user's cache."""
    if "://" not in output:
        local = Path(output) / _PLACE
        if os.access(local if local.exists() else local.parent if local.parent.exists() else local.parent.parent, os.W_OK):
            return local
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return cache / "pdfmill" / f"search-{hashlib.sha256(output.encode()).hexdigest()[:16]}.sqlite"


@contextmanager
def _locked(path: Path) -> Iterator[bool]:
    """Whether this process may write the index while it holds this; the system lets go of it when the process ends."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with open(path.with_suffix(".lock"), "w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            yield False
            return
        yield True


def _connect(path: Path, *, write: bool = False) -> sqlite3.Connection:
    database = sqlite3.connect(path if write else f"file:{path}?mode=ro", uri=not write, isolation_level=None, check_same_thread=False)
    database.execute(f"PRAGMA cache_size = -{_CACHE_KIB}")
    if not write:
        database.execute(f"PRAGMA mmap_size = {_MAPPED_BYTES}")
    return database


def _bring_up_to_date(path: Path, shown: HeldTables, build: bool) -> None:
    if not build and _version(path) == VERSION:
        database = _connect(path, write=True)
        try:
            _update(database, shown)
        finally:
            database.close()
        return
    fresh = path.with_suffix(".new")
    fresh.unlink(missing_ok=True)
    database = _connect(fresh, write=True)
    try:
        database.execute(f"PRAGMA page_size = {_PAGE_BYTES}")
        database.execute("PRAGMA journal_mode = OFF")  # a file that is not whole is thrown away
        database.execute("PRAGMA synchronous = OFF")
        create(database)
        database.execute("BEGIN")
        _build(database, shown)
        database.execute("COMMIT")
        database.execute("VACUUM")  # what FTS5 freed when it merged its parts
    finally:
        database.close()
    os.replace(fresh, path)


def _version(path: Path) -> str | None:
    """The version of a whole index; None where there is none that can be read."""
    if not path.exists():
        return None
    try:
        database = _connect(path)
        try:
            return meta(database).get("version")
        finally:
            database.close()
    except sqlite3.Error:
        return None


def _build(database: sqlite3.Connection, shown: HeldTables) -> None:
    hold_terms(database)
    documents = _all_documents(shown)
    first: deque[tuple[Document, str, str]] = deque()
    texts: list[str] = []
    while len(texts) < SAMPLED_PAGES.stop and (found := next(documents, None)):
        first.append(found)
        texts += (page.text for page in found[0].pages if page.text)
    set_dictionary(database, texts[: SAMPLED_PAGES.stop])
    del texts
    writer = Writer(database)
    while first:
        writer.add(*first.popleft())  # what is written need not stay in memory
    for each in documents:
        writer.add(*each)
    database.execute("INSERT INTO body (body) VALUES ('optimize')")
    _note(database, shown)


def _all_documents(shown: HeldTables) -> Iterator[tuple[Document, str, str]]:
    """Each document with its part and its checksum."""
    for stem in shown.stems("documents"):
        said = digests(shown, stem)
        for document in read_documents(shown, stem, said.keys()):
            yield document, stem, _digest(said[document.doc_id])


def _note(database: sqlite3.Connection, shown: HeldTables) -> None:
    database.execute("DELETE FROM parts")
    database.executemany("INSERT INTO parts VALUES (?)", [(stem,) for stem in shown.stems("documents")])
    set_meta(database, snapshot=str(shown.snapshot))
    count_common(database)


def _digest(said: str) -> str:
    return hashlib.sha256(said.encode("utf-8", "surrogatepass")).hexdigest()[:32]


def _update(database: sqlite3.Connection, shown: HeldTables) -> None:
    """Take in what the tables show now: only parts that came are opened, and of them only documents that changed are read."""
    had = {stem for (stem,) in database.execute("SELECT stem FROM parts")}
    here = set(shown.stems("documents"))
    came, went = here - had, had - here
    if not came and not went:
        return
    since = int(meta(database).get("snapshot", "-1"))
    is_told = shown.has_changes and since >= first_told(shown)
    changed = frozenset(changed_documents(shown, since)) if is_told else None
    database.execute("PRAGMA journal_mode = WAL")  # who searches meanwhile sees the index as it was
    database.execute("BEGIN IMMEDIATE")
    writer = Writer(database)
    docs = database.execute("SELECT doc_id, digest, first, stem FROM docs").fetchall()
    known = {doc_id: digest for doc_id, digest, _, _ in docs}
    first = {doc_id: page for doc_id, _, page, _ in docs}
    gone = {doc_id for doc_id, _, _, stem in docs if stem in went}
    taken = [_Taken.of(database, shown, stem, changed, known) for stem in sorted(came)]
    for each in taken:
        gone.difference_update(each.here)
    gone.update(*(each.wanted for each in taken))
    # in the order of their pages, before any comes: whenever a page's number is not higher than the last, FTS5 writes what it holds
    for doc_id in sorted(gone.intersection(known), key=lambda each: first[each]):
        writer.remove(doc_id)
    for each in taken:
        for document in read_documents(shown, each.stem, each.here, each.wanted) if each.wanted else ():
            if document.doc_id in each.wanted:
                writer.remove(document.doc_id)  # where another part had it too
                writer.add(document, each.stem, each.digests.get(document.doc_id, ""))
    _note(database, shown)
    database.execute("COMMIT")
    database.execute("PRAGMA wal_checkpoint(TRUNCATE)")


@dataclass(frozen=True, slots=True)
class _Taken:
    """A part that came. here: its documents. wanted: those that are to be read. digests: where they were made, by document."""

    stem: str
    here: Collection[str]
    wanted: set[str]
    digests: dict[str, str]

    @staticmethod
    def of(database: sqlite3.Connection, shown: HeldTables, stem: str, changed: frozenset[str] | None, known: dict[str, str]) -> _Taken:
        """changed: by the change feed; without one that goes back so far checksums are compared. known: checksums by document."""
        if changed is None:
            said = {doc_id: _digest(each) for doc_id, each in digests(shown, stem).items()}
            taken = _Taken(stem, said.keys(), {doc_id for doc_id, digest in said.items() if known.get(doc_id) != digest}, said)
        else:
            here = document_ids(shown, stem)
            taken = _Taken(stem, here, {doc_id for doc_id in here if doc_id in changed or doc_id not in known}, {})
        database.executemany("UPDATE docs SET stem = ? WHERE doc_id = ?", [(stem, doc_id) for doc_id in taken.here])
        return taken


class SearchIndex:
    """An index that is open. One thread asks at a time."""

    def __init__(self, path: Path, shown: HeldTables, settings: RankSettings = DEFAULT_RANK) -> None:
        self.path = path
        self._settings = settings
        self._database = _connect(path)
        self._shown = shown
        self._boxes = WordBoxes(shown)
        self._codec = Codec(self._database)
        (self._pages,) = self._database.execute("SELECT count(*) FROM pages").fetchone()
        self._length = 2500.0
        self._sections = lru_cache(_KEPT_SECTIONS)(self._read_sections)

    def close(self) -> None:
        """Let go of the file."""
        self._database.close()

    def __enter__(self) -> SearchIndex:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def search(self, query: str, *, filters: Filters = NO_FILTERS, limit: int = 10, offset: int = 0) -> Results:
        """The pages that answer, best first.

        Raises:
            SearchError: the query cannot be understood, or the tables went away meanwhile.
        """
        try:
            return self._search(parse_query(query), filters, limit, offset)
        except sqlite3.Error as error:
            raise SearchError(f"the index {self.path} cannot be asked: {error}") from error
        except SourceError as error:
            raise SearchError(f"the tables cannot be read: {error}") from error

    def _search(self, query: Query, filters: Filters, limit: int, offset: int) -> Results:
        settings = self._settings
        weighed = weigh(self._database, query.leaves, self._pages)
        where, values = _conditions(filters)
        source = "body JOIN pages p ON p.id = body.rowid JOIN docs d ON d.id = p.doc" if where else "body"

        def ask(match: str, most: int) -> list[int]:
            found = self._database.execute(f"SELECT body.rowid FROM {source} WHERE body MATCH ?{where} LIMIT ?", (match, *values, most))
            return [number for (number,) in found]

        wanted = max(settings.candidates, 2 * (offset + limit))
        found = found_pages(ask, query, weighed, self._pages, wanted, settings)
        numbers = found.numbers
        ranker = Ranker(query, weighed, self._length, settings)
        about = self._about(numbers)
        judged: list[tuple[float, int, Passage]] = []
        best: list[float] = []  # scores of those that would be shown, the least first
        pages = dict(stored_pages(self._database, self._codec, numbers))
        for number, page in pages.items():
            doc = about[number]
            places = None
            if filters.kind is not None:
                places = [(start, end) for section, start, end in page.places if doc.sections.kind(section) == filters.kind]
            passage = ranker.judge(page, doc.title, partial(doc.path_of, page), places, best[0] if len(best) == offset + limit else 0.0)
            if passage is not None and passage.score > 0:
                judged.append((-passage.score, number, passage))
                (heapq.heappushpop if len(best) == offset + limit else heapq.heappush)(best, passage.score)
        judged.sort(key=lambda each: each[:2])
        counts = Counter(about[number].doc for _, number, _ in judged)
        hits = [
            self._hit(pages[number], passage, about[number], query, counts[about[number].doc])
            for _, number, passage in judged[offset : offset + limit]
        ]
        total, documents = len(judged), len(counts)
        if found.more is not None:
            joined = source if where else "body JOIN pages p ON p.id = body.rowid"
            counted = f"SELECT count(*), count(DISTINCT p.doc) FROM {joined} WHERE body MATCH ?{where}"
            total, documents = self._database.execute(counted, (found.more, *values)).fetchone()
        return Results(hits, total, documents, _facets(judged, about))

    def _about(self, numbers: Sequence[int]) -> dict[int, _About]:
        rows = self._database.execute(
            "SELECT p.id, p.doc, p.page, p.language, p.kinds, d.doc_id, d.source_uri, d.folder, d.title, d.stem "
            "FROM json_each(?) n JOIN pages p ON p.id = n.value JOIN docs d ON d.id = p.doc",
            (json.dumps(numbers),),
        )
        return {number: _About(partial(self._sections, about[0]), *about) for number, *about in rows}

    def _read_sections(self, doc: int) -> StoredSections:
        (packed,) = self._database.execute("SELECT sections FROM docs WHERE id = ?", (doc,)).fetchone()
        return stored_sections(self._codec, packed)

    def _hit(self, page: StoredPage, passage: Passage, about: _About, query: Query, hits_in_document: int) -> Hit:
        snippet, start = snippet_of(page.text, query.leaves, passage.at)
        section = next((section for section, first, end in page.places if first <= start < end), None)
        return Hit(
            about.doc_id, about.source_uri, about.title, about.page, round(passage.score, 6), snippet,
            list(about.sections.path(section)) if section else [],
            LazyBoxes(partial(self._boxes.of, about.doc_id, about.stem, about.page, page.text, query.leaves)),
            document_id(f"{about.doc_id}/section/{section}") if section else None,
            hits_in_document,
        )  # fmt: skip


@dataclass(slots=True)
class _About:
    """What is known of a page beside its text. sections_of: reads the sections of its document."""

    sections_of: Callable[[], StoredSections]
    doc: int
    page: int
    language: str | None
    kinds: int
    doc_id: str
    source_uri: str
    folder: str
    title: str
    stem: str

    @property
    def sections(self) -> StoredSections:
        """The sections of the document."""
        return self.sections_of()

    def path_of(self, page: StoredPage) -> str:
        """The headings above the text of a page."""
        return "\n".join(dict.fromkeys(name for section, _, _ in page.places for name in self.sections.path(section)))


def _facets(judged: Sequence[tuple[float, int, Passage]], about: dict[int, _About]) -> dict[str, dict[str, int]]:
    facets: dict[str, dict[str, int]] = {"language": {}, "source": {}, "kind": {}}
    for _, number, _ in judged:
        of = about[number]
        values = [
            ("language", of.language or ""),
            ("source", of.folder),
            *(("kind", kind) for place, kind in enumerate(KINDS) if of.kinds >> place & 1),
        ]
        for name, value in values:
            facets[name][value] = facets[name].get(value, 0) + 1
    return {name: dict(sorted(counts.items(), key=lambda each: (-each[1], each[0]))) for name, counts in facets.items()}


def _conditions(filters: Filters) -> tuple[str, list[object]]:
    """The filters as SQL over pages p and docs d."""
    found: list[tuple[str, object]] = []
    if filters.language is not None:
        found.append(("p.language = ?", filters.language))
    if filters.source is not None:
        glob = any(sign in filters.source for sign in "*?[")
        found.append(
            (
                "d.source_uri GLOB ?",
                filters.source if glob else "".join(f"[{each}]" if each in "*?[" else each for each in filters.source) + "*",
            )
        )
    if filters.date_from is not None:
        found.append(("d.modified >= ?", filters.date_from.isoformat()))
    if filters.date_to is not None:
        found.append(("substr(d.modified, 1, 10) <= ?", filters.date_to.isoformat()))
    if filters.kind is not None:
        found.append((f"p.kinds & {1 << KINDS.index(filters.kind)} = ?", 1 << KINDS.index(filters.kind)))
    if filters.page is not None:
        found.append(("p.page = ?", filters.page))
    if filters.doc_id is not None:
        found.append(("d.doc_id = ?", filters.doc_id))
    return "".join(f" AND {each}" for each, _ in found), [value for _, value in found]
