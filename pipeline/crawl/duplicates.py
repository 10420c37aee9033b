"""Find objects with the same bytes: one is read, and the others get copies of its row of `documents`.
Candidates share a checksum given by the store, else their size; they are duplicates if their SHA-256 is equal. Objects for which a store
gives neither (HTTP without a length, rows of Parquet files) are each read."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from hashlib import sha256

from msgspec import Struct

from pdfmill.pipeline.crawl.decide import read_again
from pdfmill.schemas.crawl import PlanEntry, SourceState, StaleState
from pdfmill.schemas.records import DocId, DocumentRef, Failure
from pdfmill.transforms.storage.access import Reach
from pdfmill.transforms.storage.errors import SourceError
from pdfmill.transforms.storage.objects import read_bytes


class Known(Struct, frozen=True):
    """A document whose stored rows this run does not change, so that another object with the same bytes can refer to it. key: its
    `content_key`. part: stem (name without suffix) of its files."""

    key: str
    doc_id: DocId
    part: str
    content_sha256: str | None


class Pointer(Struct, frozen=True):
    """An object that is stored only as a duplicate of another document, `target`. if_lost: plan entry to read the object itself, if that
    document is read again or deleted."""

    target: DocId
    if_lost: PlanEntry


class Replaced(Struct, frozen=True):
    """A document that this run reads again or deletes, so that no object can be a duplicate of it any longer."""

    doc_id: DocId


class Duplicate(Struct, frozen=True):
    """A planned object (`entry`) with the same bytes as another document, `same_as`, so that it need not be read. part: stem of that
    document's files; "" while it is being read. failure: why that document could not be read. was: for a moved object, the id under which
    its rows are stored."""

    entry: PlanEntry
    same_as: DocId
    part: str = ""
    failure: Failure | None = None
    was: DocId | None = None

    @property
    def moves(self) -> bool:
        """Whether this object takes over the stored rows of an object that was moved to its address."""
        return self.was is not None and self.same_as == self.entry.doc_id


def content_key(checksum: str | None, size: int | None) -> str | None:
    """Return the key by which objects are compared: checksum and size, or the size alone; None if the store gives neither.

    >>> content_key("d41d8cd98f00b204e9800998ecf8427e", 7), content_key(None, 7), content_key(None, None)
    ('d41d8cd98f00b204e9800998ecf8427e/7', 'size/7', None)
    """
    if checksum:
        return f"{checksum}/{size}"
    return f"size/{size}" if size else None


def key_of(entry: PlanEntry) -> str | None:
    """Return the `content_key` of a plan entry's object; None if the object is not to be read, or its store gives no such key."""
    return content_key(entry.ref.checksum, entry.ref.size) if entry.ref is not None else None


def digest(ref: DocumentRef, max_bytes: int | None, bound: Reach | None = None) -> str | None:
    """Return the SHA-256 of an object's bytes in hex; None if they cannot be fetched or exceed `max_bytes`."""
    try:
        return sha256(read_bytes(ref, max_bytes=max_bytes, bound=bound)).hexdigest()
    except SourceError:
        return None


def roles(
    doc_id: DocId, entry: PlanEntry | None, refs: Sequence[DocumentRef], states: Iterable[SourceState], stale: StaleState | None = None
) -> Iterator[Known | Pointer | Replaced]:
    """Yield the roles of one object in the search for objects with equal bytes. `Replaced`: it is read again or deleted. `Pointer`: it is
    stored as a duplicate of a document. `Known`: others may be stored as its duplicates.
    entry: its plan entry, None if unchanged. refs: references to it, empty if it is gone. states: rows of `sources` of it and of the PDFs
    embedded in it. stale: its row of `stale`."""
    kind = entry.kind if entry else ""
    parts = entry.adopted_parts if entry else ()
    if kind:
        yield Replaced(doc_id)
    for state in states:
        if state.doc_id != doc_id or state.deleted_at is not None:
            continue
        stays = (kind == "adopted" and state.staged and state.part in parts) or (not kind and not state.staged and bool(refs))
        if stays and state.duplicate_of is not None:
            yield Pointer(state.duplicate_of, read_again(doc_id, refs, [each for each in states if not each.staged], stale))
        elif stays and state.status in ("ok", "partial") and (key := content_key(state.checksum, state.size)):
            yield Known(key, state.doc_id, state.part, state.content_sha256)


def same_content(known: Iterable[Known], entries: Iterable[PlanEntry]) -> Iterator[PlanEntry | Duplicate]:
    """Yield the plan entry of the object to read, of several with the same bytes, and a `Duplicate` for each other.
    No object is read if a stored document (in `known`) has these bytes too."""
    read = sorted(entries, key=lambda each: each.doc_id)
    first = min(known, key=lambda each: each.doc_id, default=None)
    if first is not None:
        yield from (Duplicate(entry, first.doc_id, first.part) for entry in read)
    elif read:
        yield read[0]
        yield from (Duplicate(entry, read[0].doc_id) for entry in read[1:])
