"""Open, build, update and search the index of an output folder."""

from __future__ import annotations

import fcntl
import hashlib
import os
import shutil
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from functools import lru_cache, partial
from pathlib import Path
from typing import Any, Final

import tantivy
from msgspec import DecodeError
from msgspec.structs import replace

from pdfmill.pipeline.search.answers import COUNTED, NO_FILTERS, Filters, Hit, Results, SearchError
from pdfmill.pipeline.search.index_file import (
    SCHEMA,
    VERSION,
    StoredDocument,
    StoredPage,
    Writer,
    entries,
    meta,
    open_folder,
    stored,
    stored_document,
)
from pdfmill.pipeline.search.matching import Matcher
from pdfmill.pipeline.search.query import parse_query
from pdfmill.pipeline.search.rank import Ranker
from pdfmill.pipeline.search.read_tables import check_whole, digests, read_documents, shown_tables
from pdfmill.pipeline.search.word_marks import boxes_of, marks_of, page_words, snippet_of
from pdfmill.schemas.records import section_id
from pdfmill.transforms.storage.errors import SourceError
from pdfmill.transforms.storage.sources import absolute_source
from pdfmill.transforms.tables.table_reader import HeldTables

#: Folder of the index in a local output folder; readers of the tables ignore names that begin with an underscore.
_PLACE: Final = "_pdfmill/search"
#: Fields of the index by whose values pages are counted, by the name of the facet.
_FACETS: Final = {"language": "language", "source": "folder", "kind": "kind"}
#: Estimated number of documents, relative to `COUNTED`, from which there are surely more; estimates are off by some two hundredths.
_SURELY_MANY: Final = 1.2
#: Number of pages on which there are probably more than `COUNTED` documents.
_MANY_PAGES: Final = 100_000
_DOCUMENTS: Final = {"documents": {"terms": {"field": "doc_id", "size": COUNTED}}}
#: Number of pages, the best by BM25, whose text is scored at once.
_BLOCK: Final = 150
#: Number of documents whose sections are cached, and of pages whose words are.
_KEPT_DOCUMENTS, _KEPT_PAGES = 1024, 50


def open_index(folder: str, *, build: bool = False) -> SearchIndex:
    """Open the search index of an output folder of `index` or of a crawl, in any store. It is built if missing, and updated if the tables
    have changed. build: build it again in any case.

    Raises:
        SearchError: the folder is no output, or its index cannot be built.
    """
    output = absolute_source(folder)
    shown = shown_tables(output)
    path = _place(output)
    try:
        check_whole(shown)
        with _locked(path) as free:
            if free:
                _bring_up_to_date(path, shown, build)
            elif not path.exists():
                raise SearchError(f"{folder}: another process is building its index; search again when it has finished")
        return SearchIndex(path, shown)
    except (ValueError, OSError) as error:
        raise SearchError(f"the index of {folder}, {path}, cannot be used: {error}") from error
    except SourceError as error:
        raise SearchError(f"{folder} cannot be read: {error}") from error


def _place(output: str) -> Path:
    """Return the folder of the index: inside the output if that is a writable local folder, else in the user's cache."""
    if "://" not in output:
        local = Path(output) / _PLACE
        if os.access(local if local.exists() else local.parent if local.parent.exists() else local.parent.parent, os.W_OK):
            return local
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return cache / "pdfmill" / f"search-{hashlib.sha256(output.encode()).hexdigest()[:16]}"


@contextmanager
def _locked(path: Path) -> Iterator[bool]:
    """Lock the index for writing; yield False if another process holds the lock. The system releases it when a process ends."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with open(path.with_suffix(".lock"), "w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            yield False
            return
        yield True


def _bring_up_to_date(path: Path, shown: HeldTables, build: bool) -> None:
    if not build and (index := _current(path)):
        _update(index, shown)
        return
    fresh, former = path.with_suffix(".new"), path.with_suffix(".old")
    for each in (fresh, former):
        shutil.rmtree(each, ignore_errors=True)
    fresh.mkdir(parents=True)
    _update(open_folder(fresh, is_new=True), shown)
    if path.exists():
        os.replace(path, former)
    os.replace(fresh, path)
    shutil.rmtree(former, ignore_errors=True)


def _current(path: Path) -> tantivy.Index | None:
    """Return the index if it is complete and of the current version, else None."""
    try:
        index = open_folder(path)
        return index if meta(index.searcher()).version == VERSION else None
    except (ValueError, OSError, DecodeError):
        return None


def _update(index: tantivy.Index, shown: HeldTables) -> None:
    """Update the index to the current tables. Only new Parquet files are opened. From these files, only the documents are read whose digest
    has changed."""
    searcher = index.searcher()
    had, here = set(meta(searcher).parts), set(shown.stems("documents"))
    if had == here:
        return
    writer = Writer(index)
    gone = {document.doc_id for part in had - here for document in entries(searcher, "part", part, StoredDocument)}
    for stem in sorted(here - had):
        digest = digests(shown, stem)
        held = {doc_id: stored_document(searcher, doc_id) for doc_id in digest}
        for document in held.values():
            if document and document.digest == digest[document.doc_id] and document.part != stem:
                writer.put(replace(document, part=stem))
        for read in read_documents(shown, stem, [doc_id for doc_id, each in held.items() if not each or each.digest != digest[doc_id]]):
            writer.remove(read.doc_id)
            writer.add(read, stem, digest[read.doc_id])
        gone -= digest.keys()
    for doc_id in sorted(gone):
        writer.remove(doc_id)
    writer.end(sorted(here))


class SearchIndex(AbstractContextManager["SearchIndex"]):
    """An open index. Several threads may search at once."""

    def __init__(self, path: Path, shown: HeldTables) -> None:
        self.path = path
        self._searcher = open_folder(path).searcher()
        self._words = lru_cache(_KEPT_PAGES)(partial(page_words, shown))
        self._document = lru_cache(_KEPT_DOCUMENTS)(partial(stored_document, self._searcher))

    def close(self) -> None:
        """Release the files; the object cannot be used afterwards."""
        self._document.cache_clear()

    def __exit__(self, *_: object) -> None:
        self.close()

    def search(self, query: str, *, filters: Filters = NO_FILTERS, limit: int = 10, offset: int = 0, boxes: bool = True) -> Results:
        """Return the pages that match, best first. limit: number of hits. offset: hits to skip. boxes: include the boxes of the matched
        words.

        Raises:
            SearchError: the query cannot be parsed, or the tables were removed meanwhile.
        """
        try:
            return self._search(query, filters, limit, offset, boxes)
        except (ValueError, OSError) as error:
            raise SearchError(f"the index {self.path} cannot be searched: {error}") from error
        except SourceError as error:
            raise SearchError(f"the tables cannot be read: {error}") from error

    def _search(self, typed: str, filters: Filters, limit: int, offset: int, boxes: bool) -> Results:
        matcher = Matcher(self._searcher, filters.kind)
        query = parse_query(typed, matcher.resolve)
        whole, complete = matcher.whole(query, filters)
        total, documents, facets = self._counts(whole, max((leaf.pages for leaf in query.leaves), default=0))
        found = Results([], total, documents, facets, None if complete is None else matcher.count(complete))
        found.understood, found.notes, found.suggestion = query.understood(), list(query.notes), matcher.suggestion(query)
        judged = self._judged(whole, Ranker(query.leaves, self._searcher.num_docs), filters.kind, limit, offset)
        shown = tantivy.Query.term_set_query(SCHEMA, "doc_id", [*{page.doc_id for *_, page in judged}])
        by_document, marked = self._by_document(whole.and_must_match(shown)), matcher.marked(query)
        for score, passage, page in judged:
            document, text = self._document(page.doc_id), page.of_kind(filters.kind)
            assert document is not None, f"{page.doc_id} has pages in the index, but no entry of its own"
            marks, passage = marks_of(text, marked, passage)
            snippet, passage = snippet_of(text, marks, passage)
            section = next((section for section, _, start, end in page.places if start <= passage < end), None)
            found.hits.append(Hit(
                page.doc_id, document.source_uri, document.title, page.page, round(score, 6), snippet,
                document.paths[section - 1] if section else [],
                boxes_of(self._words(document.part, page.doc_id, page.page), page.page, text, marks) if boxes and marks else [],
                section_id(page.doc_id, section) if section else None,
                by_document[page.doc_id],
            ))  # fmt: skip
        return found

    def _judged(
        self, whole: tantivy.Query, ranker: Ranker, kind: str | None, limit: int, offset: int
    ) -> list[tuple[float, int, StoredPage]]:
        """Return (score, offset of the best passage in the normalised text, page) of the requested hits.
        Tantivy sorts roughly; the text decides within blocks of a fixed size, so that the order does not depend on `limit`.
        whole: Tantivy's query for the matching pages. kind: only text in sections of this kind counts; None for all."""
        first = offset - offset % _BLOCK
        last = -(-(offset + limit) // _BLOCK) * _BLOCK
        hits = self._searcher.search(whole, last - first, count=False, offset=first).hits
        judged: list[tuple[float, int, StoredPage]] = []
        for start in range(0, len(hits), _BLOCK):
            pages = [stored(self._searcher, address, StoredPage) for _, address in hits[start : start + _BLOCK]]
            found = [(*scored, page) for scored, page in zip(ranker.judge(pages, kind), pages, strict=True)]
            judged += sorted(found, key=lambda each: (-each[0], each[2].source_uri, each[2].page, each[2].doc_id))
        return judged[offset - first : offset - first + limit]

    def _counts(self, whole: tantivy.Query, about: int) -> tuple[int, int, dict[str, dict[str, int]]]:
        """Return the number of matching pages; of their documents, at most `COUNTED`; and for each facet the number of pages by value.
        about: rough number of matching pages. If it is high, documents are first estimated, which is cheaper than to list them."""
        asked = {name: {"terms": {"field": field, "size": COUNTED}} for name, field in _FACETS.items()}
        documents = _DOCUMENTS if about < _MANY_PAGES else {"documents": {"cardinality": {"field": "doc_id"}}}
        found = self._searcher.aggregate(whole, {**asked, **documents, "pages": {"value_count": {"field": "page"}}})
        facets = {name: dict(sorted(_buckets(found, name).items(), key=lambda pair: (-pair[1], pair[0]))) for name in asked}
        if found["documents"].get("value", 0) > _SURELY_MANY * COUNTED:
            count = COUNTED
        else:
            count = len(_buckets(found, "documents") if documents is _DOCUMENTS else self._by_document(whole))
        return int(found["pages"]["value"]), count, facets

    def _by_document(self, whole: tantivy.Query) -> dict[str, int]:
        return _buckets(self._searcher.aggregate(whole, _DOCUMENTS), "documents")


def _buckets(found: dict[str, Any], name: str) -> dict[str, int]:
    return {each["key"]: each["doc_count"] for each in found[name]["buckets"]}
