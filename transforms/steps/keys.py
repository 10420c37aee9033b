"""The keys by which packed rows of finished documents, and books to be read, are grouped."""

from __future__ import annotations

from pdfmill.schemas.records import DocumentRef
from pdfmill.transforms.tables.output_layout import shard_of

#: ("", shard) for the rows of finished documents and books; (document id, 0) for a single book whose pages are still to be read.
ParcelKey = tuple[str, int]


def shard_of_key(key: ParcelKey) -> int | None:
    """Return the shard in a key; None for the key of a single book."""
    name, shard = key
    return None if name else shard


def shard_of_book(ref: DocumentRef, shards: int) -> int:
    """Return the shard for the rows of a book (a document of several page ranges). shards: their number, if `ref` does not state it.

    >>> shard_of_book(DocumentRef.of_uri("s3://bucket/a.pdf"), 7) == shard_of(DocumentRef.of_uri("s3://bucket/a.pdf").doc_id, 7)
    True
    """
    shard = shard_of(ref.doc_id, shards)
    return shard % ref.shards if ref.shards else shard


def alone(ref: DocumentRef) -> ParcelKey:
    """Return the key of a single book, which no other document has."""
    return ref.doc_id, 0
