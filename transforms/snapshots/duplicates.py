"""Objects with the same bytes: read once, and pointed at from wherever else they lie.

Whether two objects have the same bytes is known without reading them where a store's etag is a checksum of the content (S3: the MD5
of what was put in one piece; web archives: the payload digest). Local files of the same size are read and compared by SHA-256.
Other stores' generations say nothing about content: there every object is read for itself.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass
from types import TracebackType
from typing import Final

from schemas.crawl import PlanEntry, SourceState
from schemas.records import DocId, DocumentRef
from transforms.snapshots.spill import Spill
from transforms.storage.addresses import WARC_PREFIX

_MD5: Final = re.compile(r"[0-9a-f]{32}")
_SAME_SIZE: Final = "size/"


@dataclass(frozen=True, slots=True)
class Known:
    """A document that has been read and stays as it is. part: where its rows are."""

    doc_id: DocId
    part: str
    content_sha256: str | None


@dataclass(frozen=True, slots=True)
class Twin:
    """An entry whose bytes are those of another document. part: where that one's rows are, "" when this run still reads it."""

    entry: PlanEntry
    same_as: DocId
    part: str = ""


def content_key(uri: str, etag: str | None, size: int | None) -> str | None:
    """What objects with the same bytes share: a checksum, else `size/...` for those worth a comparison; None where nothing helps.

    >>> content_key("s3://b/a.pdf", "d41d8cd98f00b204e9800998ecf8427e", 7)
    'd41d8cd98f00b204e9800998ecf8427e/7'
    >>> content_key("s3://b/a.pdf", "d41d8cd98f00b204e9800998ecf8427e-2", 7)
    """
    if uri.startswith("s3://") and etag and _MD5.fullmatch(etag):
        return f"{etag}/{size}"
    if uri.startswith(WARC_PREFIX) and etag:
        return etag
    return f"{_SAME_SIZE}{size}" if uri.startswith("file://") and size else None


class Duplicates(AbstractContextManager["Duplicates"]):
    """What a run reads and what it leaves as it is, by content."""

    def __init__(self) -> None:
        self._content = Spill()
        self._pointed = Spill()

    def stays(self, state: SourceState) -> None:
        """A document that has been read and stays."""
        key = content_key(state.uri, state.etag, state.size)
        if key is not None and state.duplicate_of is None and state.status in ("ok", "partial"):
            self._content.put(key, (key, Known(state.doc_id, state.part, state.content_sha256)))

    def points(self, state: SourceState, if_lost: PlanEntry) -> None:
        """An object that points at another document; if_lost: what is to be done when that one does not stay."""
        assert state.duplicate_of is not None
        self._pointed.put(state.duplicate_of, (state.duplicate_of, if_lost))

    def leaves(self, doc_id: DocId) -> None:
        """A document that is read again, or goes."""
        self._pointed.put(doc_id, (doc_id, None))

    def lost(self) -> Iterator[PlanEntry]:
        """Entries for the objects that point at what does not stay."""
        for share in self._pointed.shares():
            gone = {doc_id for doc_id, entry in share if entry is None}
            yield from (entry for doc_id, entry in share if entry is not None and doc_id in gone)

    def reads(self, entry: PlanEntry) -> bool:
        """Take an entry that is to be read; False when nothing can be known of its content and it is to be read as it is."""
        assert entry.ref is not None
        key = content_key(entry.uri, entry.ref.etag, entry.size)
        if key is not None:
            self._content.put(key, (key, entry))
        return key is not None

    def resolve(self, digest: Callable[[DocumentRef], str | None]) -> Iterator[PlanEntry | Twin]:
        """Every entry taken: as it is when it is to be read, else as a twin. digest: SHA-256 of an object, None when it cannot be had."""
        for share in self._content.shares():
            groups: dict[str, list[Known | PlanEntry]] = {}
            for key, record in share:
                groups.setdefault(key, []).append(record)
            for key, records in sorted(groups.items()):
                known = sorted((each for each in records if isinstance(each, Known)), key=lambda each: each.doc_id)
                entries = sorted((each for each in records if isinstance(each, PlanEntry)), key=lambda each: each.doc_id)
                if entries:
                    yield from _resolve_same_size(known, entries, digest) if key.startswith(_SAME_SIZE) else _resolve(known, entries)

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        """Delete the files."""
        self._content.__exit__(kind, error, trace)
        self._pointed.__exit__(kind, error, trace)


def _resolve(known: Iterable[Known], entries: list[PlanEntry]) -> Iterator[PlanEntry | Twin]:
    first = next(iter(known), None)
    if first is None:
        yield entries[0]
        yield from (Twin(entry, entries[0].doc_id) for entry in entries[1:])
    else:
        yield from (Twin(entry, first.doc_id, first.part) for entry in entries)


def _resolve_same_size(known: list[Known], entries: list[PlanEntry], digest: Callable[[DocumentRef], str | None]) -> Iterator[PlanEntry | Twin]:
    if len(entries) + len(known) == 1:
        yield from entries
        return
    by_content: dict[str, list[PlanEntry]] = {}
    for entry in entries:
        assert entry.ref is not None
        content = digest(entry.ref)
        if content is None:
            yield entry
        else:
            by_content.setdefault(content, []).append(entry)
    for content, same in sorted(by_content.items()):
        yield from _resolve([each for each in known if each.content_sha256 == content], same)
