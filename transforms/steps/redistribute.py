"""Distribute elements over the workers by a key that is computed from the element, and the keys of packed documents."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Generic, TypeVar

import apache_beam as beam

from pdfmill.schemas.records import DocumentRef
from pdfmill.transforms.tables.output_layout import shard_of

T = TypeVar("T")


def _values(keyed: tuple[str, Iterable[T]], order: Callable[[T], str] | None) -> Iterable[T]:
    return keyed[1] if order is None else sorted(keyed[1], key=order)


class Redistribute(beam.PTransform[T, T], Generic[T]):
    """Distribute elements over the workers like `beam.Reshuffle`, except that the element itself determines which worker gets it.
    Reshuffle distributes elements at random, so that a repetition after a lost worker processes some twice and others never (Flink's
    regional failover of blocking exchanges; the same in Spark, SPARK-23207)."""

    def __init__(self, key: Callable[[T], str], order: Callable[[T], str] | None = None) -> None:
        """Make the transform. key: computes an element's key. order: returns the text by which elements with one key are sorted, in
        memory."""
        super().__init__()
        self._key = key
        self._order = order

    def expand(self, elements: beam.PCollection[T]) -> beam.PCollection[T]:
        return elements | "Key" >> beam.WithKeys(self._key) | "Group" >> beam.GroupByKey() | "Ungroup" >> beam.FlatMap(_values, self._order)


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
