"""Distribute elements over the workers by a key that is computed from the element."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Generic, TypeVar

import apache_beam as beam

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
