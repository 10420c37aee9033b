"""The keys under which parcels of finished documents and of books are grouped."""

from __future__ import annotations

from pdfmill.schemas.records import DocumentRef
from pdfmill.transforms.tables.output_layout import shard_of

#: ("", shard) is that of finished documents, and of books when they are; (document, 0) that of one book whose pages are to be read.
ParcelKey = tuple[str, int]


def shard_of_key(key: ParcelKey) -> int | None:
    """Return the shard whose documents have this key; None for the key of a single book."""
    name, shard = key
    return None if name else shard


def shard_of_book(ref: DocumentRef, shards: int) -> int:
    """Return the shard of the book's rows. shards: from the settings; the listing may have overruled them.

    >>> shard_of_book(DocumentRef.of_uri("s3://bucket/a.pdf"), 7) == shard_of(DocumentRef.of_uri("s3://bucket/a.pdf").doc_id, 7)
    True
    """
    shard = shard_of(ref.doc_id, shards)
    return shard % ref.shards if ref.shards else shard


def alone(ref: DocumentRef) -> ParcelKey:
    """Key each book by itself."""
    return ref.doc_id, 0
