"""The index of an output folder: opened, built or brought up to date, and asked."""

from __future__ import annotations

import fcntl
import hashlib
import os
import shutil
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache, partial
from pathlib import Path
from typing import Any, Final

import tantivy
from msgspec import Struct
from msgspec.structs import replace

from pdfmill.pipeline.search.answers import COUNTED, NO_FILTERS, Filters, Hit, LazyBoxes, Results, SearchError
from pdfmill.pipeline.search.index_file import (
    VERSION,
    StoredDocument,
    StoredPage,
    Writer,
    count_of,
    create,
    documents_of,
    meta,
    open_folder,
    stored_document,
    stored_pages,
)
from pdfmill.pipeline.search.matching import Counted, Matcher
from pdfmill.pipeline.search.query import Leaf, Query, parse_query
from pdfmill.pipeline.search.rank import DEFAULT_RANK, Passage, Ranker, RankSettings, weigh
from pdfmill.pipeline.search.read_tables import digests, document_ids, read_documents, shown_tables
from pdfmill.pipeline.search.word_marks import WordBoxes, snippet_of
from pdfmill.schemas.records import document_id
from pdfmill.transforms.storage.errors import SourceError
from pdfmill.transforms.storage.sources import absolute_source
from pdfmill.transforms.tables.table_reader import HeldTables, changed_documents, first_told

#: Where the index lies in a local output folder; readers of the tables leave out names that begin with _.
_PLACE: Final = "_pdfmill/search"
#: Of the index before it was a folder.
_FORMER: Final = ".sqlite"
#: Documents whose sections are kept.
_KEPT_DOCUMENTS: Final = 1024


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
    except (ValueError, OSError) as error:
        raise SearchError(f"the index of {folder}, {path}, cannot be used: {error}") from error
    except SourceError as error:
        raise SearchError(f"{folder} cannot be read: {error}") from error


def _place(output: str) -> Path:
    """The folder of the index: in the output where that is a local folder that can be written, else in the user's cache."""
    if "://" not in output:
        local = Path(output) / _PLACE
        if os.access(local if local.exists() else local.parent if local.parent.exists() else local.parent.parent, os.W_OK):
            return local
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return cache / "pdfmill" / f"search-{hashlib.sha256(output.encode()).hexdigest()[:16]}"


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


def _bring_up_to_date(path: Path, shown: HeldTables, build: bool) -> None:
    index = None if build else _current(path)
    if index is not None:
        _update(index, shown)
        return
    fresh, former = path.with_suffix(".new"), path.with_suffix(".old")
    for each in (fresh, former):
        shutil.rmtree(each, ignore_errors=True)
    fresh.mkdir(parents=True)
    writer = Writer(create(fresh), is_build=True)
    for stem in shown.stems("documents"):
        said = digests(shown, stem)
        for document in read_documents(shown, stem, said.keys()):
            writer.add(document, stem, _digest(said[document.doc_id]))
    writer.end(**_said(shown))
    if path.exists():
        os.replace(path, former)
    os.replace(fresh, path)
    shutil.rmtree(former, ignore_errors=True)
    path.with_suffix(_FORMER).unlink(missing_ok=True)


def _current(path: Path) -> tantivy.Index | None:
    """The index where it is whole and of this version."""
    try:
        index = open_folder(path)
        return index if meta(index.searcher()).get("version") == VERSION else None
    except (ValueError, OSError):
        return None


def _said(shown: HeldTables) -> dict[str, Any]:
    """What the index says of the tables that it was made of."""
    return {"parts": sorted(shown.stems("documents")), "snapshot": shown.snapshot}


def _digest(said: str) -> str:
    return hashlib.sha256(said.encode("utf-8", "surrogatepass")).hexdigest()[:32]


def _update(index: tantivy.Index, shown: HeldTables) -> None:
    """Take in what the tables show now: only parts that came are opened, and of them only documents that changed are read."""
    searcher = index.searcher()
    known = meta(searcher)
    had, here = set(known["parts"]), set(shown.stems("documents"))
    came, went = here - had, had - here
    if not came and not went:
        return
    since = -1 if known["snapshot"] is None else int(known["snapshot"])
    is_told = shown.has_changes and since >= first_told(shown)
    changed = frozenset(changed_documents(shown, since)) if is_told else None
    taken = [_Taken.of(searcher, shown, stem, changed) for stem in sorted(came)]
    gone = set(documents_of(searcher, sorted(went))).difference(*(each.held for each in taken))
    writer = Writer(index)
    for doc_id in sorted(gone):
        writer.remove(doc_id)
    for each in taken:
        for doc_id, document in each.held.items():
            if doc_id not in each.wanted and document is not None and document.part != each.stem:
                writer.put(replace(document, part=each.stem))
        for found in read_documents(shown, each.stem, each.held, each.wanted) if each.wanted else ():
            if found.doc_id in each.wanted:
                writer.remove(found.doc_id)
                writer.add(found, each.stem, each.digests.get(found.doc_id, ""))
    writer.end(**_said(shown))


class _Taken(Struct, frozen=True):
    """A part that came. held: its documents, as the index has them. wanted: those that are to be read. digests: where they were made, by
    document."""

    stem: str
    held: dict[str, StoredDocument | None]
    wanted: set[str]
    digests: dict[str, str]

    @staticmethod
    def of(searcher: tantivy.Searcher, shown: HeldTables, stem: str, changed: Collection[str] | None) -> _Taken:
        """changed: by the change feed; without one that goes back so far checksums are compared."""
        if changed is None:
            said = {doc_id: _digest(each) for doc_id, each in digests(shown, stem).items()}
            held = {doc_id: stored_document(searcher, doc_id) for doc_id in said}
            return _Taken(stem, held, {doc_id for doc_id, each in held.items() if each is None or each.digest != said[doc_id]}, said)
        held = {doc_id: stored_document(searcher, doc_id) for doc_id in document_ids(shown, stem)}
        return _Taken(stem, held, {doc_id for doc_id, each in held.items() if each is None or doc_id in changed}, {})


class SearchIndex:
    """An index that is open. Several threads may ask at a time."""

    def __init__(self, path: Path, shown: HeldTables, settings: RankSettings = DEFAULT_RANK) -> None:
        self.path = path
        self._settings = settings
        self._searcher = open_folder(path).searcher()
        self._boxes = WordBoxes(shown)
        self._document = lru_cache(_KEPT_DOCUMENTS)(partial(stored_document, self._searcher))

    def close(self) -> None:
        """Let go of the files: nothing can be asked any more."""
        self._document.cache_clear()

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
        except (ValueError, OSError) as error:
            raise SearchError(f"the index {self.path} cannot be asked: {error}") from error
        except SourceError as error:
            raise SearchError(f"the tables cannot be read: {error}") from error

    def _search(self, typed: Query, filters: Filters, limit: int, offset: int) -> Results:
        matcher = Matcher(self._searcher, filters.kind)
        query = matcher.resolve(typed)
        counted = [Counted(leaf, matcher.pages_with(leaf)) for leaf in query.leaves]
        whole, complete = matcher.whole(query, counted, filters)
        total, by_document, facets = self._counts(whole)
        found = Results([], total, len(by_document), facets, None if complete is None else matcher.count(complete))
        found.understood, found.notes, found.suggestion = query.understood(), list(query.notes), matcher.suggestion(query, counted)
        ranker = Ranker(query.leaves, weigh(counted, self._searcher.num_docs), self._settings)
        judged = self._judged(whole, ranker, filters, limit, offset)
        marked = matcher.marked(query, counted)
        found.hits = [self._hit(page, passage, document, marked, by_document) for passage, page, document in judged]
        return found

    def _judged(
        self, whole: tantivy.Query, ranker: Ranker, filters: Filters, limit: int, offset: int
    ) -> list[tuple[Passage, StoredPage, StoredDocument]]:
        """The hits wanted. Pages are ranked among so many that follow one another by BM25, so that their order depends on no limit."""
        size = self._settings.candidates
        first = offset - offset % size
        last = -(-(offset + limit) // size) * size
        hits = self._searcher.search(whole, last - first, count=False, offset=first).hits
        judged: list[tuple[Passage, StoredPage, StoredDocument]] = []
        for start in range(0, len(hits), size):
            block = []
            for page in stored_pages(self._searcher, [address for _, address in hits[start : start + size]]):
                document = self._document(page.doc_id)
                assert document is not None, f"{page.doc_id} has pages, yet is not in the index"
                places = None
                if filters.kind is not None:
                    places = [(begin, end) for section, begin, end in page.places if document.kind(section) == filters.kind]
                block.append((ranker.judge(page, document.title, places), page, document))
            judged += sorted(block, key=lambda each: (-each[0].score, each[2].source_uri, each[1].page, each[1].doc_id))
        return judged[offset - first : offset - first + limit]

    def _counts(self, whole: tantivy.Query) -> tuple[int, dict[str, int], dict[str, dict[str, int]]]:
        """Pages that match, by document, by the values of facets."""
        total = count_of(self._searcher, whole)
        if not total:
            return 0, {}, {"language": {}, "source": {}, "kind": {}}
        fields = {"language": "language", "source": "folder", "kind": "kind", "document": "doc_id"}
        found = self._searcher.aggregate(whole, {name: {"terms": {"field": field, "size": COUNTED}} for name, field in fields.items()})
        counts = {
            name: dict(sorted(((each["key"], each["doc_count"]) for each in found[name]["buckets"]), key=lambda each: (-each[1], each[0])))
            for name in fields
        }
        return total, counts.pop("document"), counts

    def _hit(
        self, page: StoredPage, passage: Passage, document: StoredDocument, leaves: Sequence[Leaf], by_document: dict[str, int]
    ) -> Hit:
        snippet, start = snippet_of(page.text, leaves, passage.at)
        section = next((section for section, first, end in page.places if first <= start < end), None)
        return Hit(
            page.doc_id, document.source_uri, document.title, page.page, round(passage.score, 6), snippet,
            list(document.path(section)) if section else [],
            LazyBoxes(partial(self._boxes.of, page.doc_id, document.part, page.page, page.text, leaves)),
            document_id(f"{page.doc_id}/section/{section}") if section else None,
            by_document.get(page.doc_id, 1),
        )  # fmt: skip
