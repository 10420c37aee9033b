"""Objects with the same bytes: read once, and pointed at from wherever else they lie.

What the store says of the content (an MD5, an etag, an archive's digest), else the size, tells which objects are worth a comparison;
that they are the same is proved by the SHA-256 of their bytes. Where a store says neither (http without a length, rows of Parquet
files), nothing is known without reading, and every object is read for itself.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from hashlib import sha256

from msgspec import Struct

from pdfmill.pipeline.crawl.decide import read_again
from pdfmill.schemas.crawl import PlanEntry, SourceState, StaleState
from pdfmill.schemas.records import DocId, DocumentRef, Failure
from pdfmill.transforms.storage.errors import SourceError
from pdfmill.transforms.storage.objects import read_bytes
from pdfmill.transforms.storage.reach import Reach


class Known(Struct, frozen=True):
    """A document that has been read and stays as it is. key: see `content_key`. part: where its rows are."""

    key: str
    doc_id: DocId
    part: str
    content_sha256: str | None


class Pointer(Struct, frozen=True):
    """An object that points at another document. if_lost: what is to be done when that one does not stay."""

    target: DocId
    if_lost: PlanEntry


class Leaves(Struct, frozen=True):
    """A document that is read again, or goes."""

    doc_id: DocId


class Twin(Struct, frozen=True):
    """An entry whose bytes are those of another document. part: where that one's rows are, "" while this run still reads it.
    failure: why it could not be read, where it has no rows of this run."""

    entry: PlanEntry
    same_as: DocId
    part: str = ""
    failure: Failure | None = None


def content_key(checksum: str | None, size: int | None) -> str | None:
    """What objects share that are worth a comparison; None where the store says nothing.

    >>> content_key("d41d8cd98f00b204e9800998ecf8427e", 7), content_key(None, 7), content_key(None, None)
    ('d41d8cd98f00b204e9800998ecf8427e/7', 'size/7', None)
    """
    if checksum:
        return f"{checksum}/{size}"
    return f"size/{size}" if size else None


def key_of(entry: PlanEntry) -> str | None:
    """The content key of an entry; None where nothing is read, or nothing known of its content."""
    return content_key(entry.ref.checksum, entry.ref.size) if entry.ref is not None else None


def digest(ref: DocumentRef, max_bytes: int | None, bound: Reach | None = None) -> str | None:
    """SHA-256 of an object's bytes; None when they cannot be had: its own reading will tell, in its row. bound: how far requests may go."""
    try:
        return sha256(read_bytes(ref, max_bytes=max_bytes, bound=bound)).hexdigest()
    except SourceError:
        return None


def roles(
    doc_id: DocId, entry: PlanEntry | None, refs: Sequence[DocumentRef], states: Iterable[SourceState], stale: StaleState | None = None
) -> Iterator[Known | Pointer | Leaves]:
    """Whether an object and what a crawl knows of it stays, goes, or points at another one. entry: what is to be done about it."""
    kind = entry.kind if entry else ""
    parts = entry.adopted_parts if entry else ()
    if kind:
        yield Leaves(doc_id)
    for state in states:
        if state.doc_id != doc_id or state.deleted_at is not None:
            continue
        stays = (kind == "adopted" and state.staged and state.part in parts) or (not kind and not state.staged and bool(refs))
        if stays and state.duplicate_of is not None:
            yield Pointer(state.duplicate_of, read_again(doc_id, refs, [each for each in states if not each.staged], stale))
        elif stays and state.status in ("ok", "partial") and (key := content_key(state.checksum, state.size)):
            yield Known(key, state.doc_id, state.part, state.content_sha256)


def same_content(known: Iterable[Known], entries: Iterable[PlanEntry]) -> Iterator[PlanEntry | Twin]:
    """Of objects with the same bytes: one is read unless one is known, all others are twins of it."""
    read = sorted(entries, key=lambda each: each.doc_id)
    first = min(known, key=lambda each: each.doc_id, default=None)
    if first is not None:
        yield from (Twin(entry, first.doc_id, first.part) for entry in read)
    elif read:
        yield read[0]
        yield from (Twin(entry, read[0].doc_id) for entry in read[1:])
