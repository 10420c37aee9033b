"""Elements spread over the workers by a key of their own."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Generic, TypeVar

import apache_beam as beam

T = TypeVar("T")


def _values(keyed: tuple[str, Iterable[T]]) -> Iterable[T]:
    return keyed[1]


class Redistribute(beam.PTransform[T, T], Generic[T]):
    """What `beam.Reshuffle` is for, with the place of an element decided by the element.

    Reshuffle deals elements out in turn or at random. When an engine loses a worker and repeats only the part of a step whose
    output is gone, the same elements are dealt out differently: some come twice and others never (Flink's regional failover of
    blocking exchanges; the same in Spark, SPARK-23207). By key, a repetition gives each place what it had.
    """

    def __init__(self, key: Callable[[T], str]) -> None:
        super().__init__()
        self._key = key

    def expand(self, elements: beam.PCollection[T]) -> beam.PCollection[T]:
        """Group by the key and let the groups go."""
        return elements | "Key" >> beam.WithKeys(self._key) | "Group" >> beam.GroupByKey() | "Ungroup" >> beam.FlatMap(_values)
