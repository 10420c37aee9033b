"""The keys by which Beam steps group packed rows of finished documents, and long documents that are still to be read."""

from __future__ import annotations

from pdfmill.schemas.records import DocumentRef
from pdfmill.transforms.tables.output_layout import shard_of

#: ("", shard) for the rows of finished documents and books; (document id, 0) for a single book whose pages are still to be read.
ParcelKey = tuple[str, int]


def shard_of_key(key: ParcelKey) -> int | None:
    """Return the shard (number of the Parquet file) in a key; None if it is the key of a single long document."""
    name, shard = key
    return None if name else shard


def shard_of_book(ref: DocumentRef, shards: int) -> int:
    """Return the shard (number of the Parquet file) for the rows of a long document, of `ref.shards` or, if that is 0, of `shards`.

    >>> shard_of_book(DocumentRef.of_uri("s3://bucket/a.pdf"), 7) == shard_of(DocumentRef.of_uri("s3://bucket/a.pdf").doc_id, 7)
    True
    """
    shard = shard_of(ref.doc_id, shards)
    return shard % ref.shards if ref.shards else shard


def alone(ref: DocumentRef) -> ParcelKey:
    """Return a key that only this long document has, so that it is grouped with no other."""
    return ref.doc_id, 0
