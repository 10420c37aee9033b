"""Operations on collections of (key, value) pairs, of which the plan of a crawl consists.
`pdfmill.pipeline.crawl.flow_on_disk` runs them in one process, `pdfmill.pipeline.crawl.on_engine` on the workers of any Beam runner."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Protocol, TypeVar

#: (tag, key, value): an output of a step. The outputs with one tag form one collection of pairs.
Out = tuple[str, str, Any]
#: A function from (key, value), or for `group` from (key, {side: values}), to outputs; the value of `seen`, if given, is its last argument.
Step = Callable[..., Iterable[Out]]
#: The values of one key by side (name of an input of a join).
Sides = Mapping[str, Iterable[Any]]

C = TypeVar("C")


class Flow(Protocol[C]):
    """Operations on collections of (key, value) pairs. C is the type of a collection, which one operation may read, or any number if `one`
    made it.
    name: of the step. tags: names of its outputs. sides: collections to join, by name. of: the side whose keys are used; "" for all. seen:
    a collection made by `one`, whose value is the step's last argument. at_once: calls that may wait for a store in parallel, in one
    process."""

    def given(self, name: str, pairs: Iterable[tuple[str, Any]]) -> C:
        """Make a collection of a few pairs."""

    def each(self, name: str, items: C, step: Step, tags: tuple[str, ...], seen: C | None = None, at_once: int = 1) -> Mapping[str, C]:
        """Apply the step to every pair, and return its output collections by tag."""

    def group(
        self, name: str, sides: Mapping[str, C], step: Step, tags: tuple[str, ...], seen: C | None = None, at_once: int = 1, of: str = ""
    ) -> Mapping[str, C]:
        """Join the sides by key, apply the step to every key with its values from each side, and return its output collections by tag."""

    def spread(self, name: str, items: C) -> C:
        """Return the same pairs, distributed by key over all workers."""

    def merge(self, name: str, *items: C) -> C:
        """Return the pairs of several collections as one."""

    def total(self, name: str, numbers: C) -> C:
        """Return one pair for each key, with the sum of its numbers."""

    def one(self, name: str, make: Callable[..., Any], *items: C, seen: C | None = None) -> C:
        """Compute one value from whole collections, which `make` gets as lists of pairs; only for small collections."""
