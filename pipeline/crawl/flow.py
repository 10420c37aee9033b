"""The operations on collections of (key, value) pairs of which the plan of a crawl consists, so that it can run in one process or on an
engine.

There are two implementations: `pdfmill.pipeline.crawl.flow_on_disk` in one process, whose memory does not grow with the number of pairs,
and `pdfmill.pipeline.crawl.flow_on_beam` on the workers of any Beam runner.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Protocol, TypeVar

#: (tag, key, value): an output of a step. The outputs with one tag form one collection of pairs.
Out = tuple[str, str, Any]
#: A function from (key, value), or in `group` from (key, {side: values}), to outputs; with `seen`, its value is the last argument.
Step = Callable[..., Iterable[Out]]
#: The values that each side of a join has for one key.
Sides = Mapping[str, Iterable[Any]]

C = TypeVar("C")


class Flow(Protocol[C]):
    """Collections of (key, value) pairs, and operations on them.

    Only one step may read a collection, except those made by `one`, which any number of steps may use. tags: names of a step's outputs. of:
    the side (input of a join) whose keys count; keys that only other sides have are skipped. seen: a collection made by `one`, passed as
    the step's last argument. at_once: number of calls that may wait for a store in parallel, if one process does all.
    """

    def given(self, name: str, pairs: Iterable[tuple[str, Any]]) -> C:
        """Make a collection of a few pairs."""

    def each(self, name: str, items: C, step: Step, tags: tuple[str, ...], seen: C | None = None, at_once: int = 1) -> Mapping[str, C]:
        """Apply the step to every pair."""

    def group(
        self, name: str, sides: Mapping[str, C], step: Step, tags: tuple[str, ...], seen: C | None = None, at_once: int = 1, of: str = ""
    ) -> Mapping[str, C]:
        """Apply the step to every key, with the values that each side has under it."""

    def spread(self, name: str, items: C) -> C:
        """Return the same pairs, distributed by key over all workers."""

    def merge(self, name: str, *items: C) -> C:
        """Return the pairs of several collections as one."""

    def total(self, name: str, numbers: C) -> C:
        """Return one pair for each key, with the sum of its numbers."""

    def one(self, name: str, make: Callable[..., Any], *items: C, seen: C | None = None) -> C:
        """Compute one value from whole collections, which are passed as lists of pairs; only for small ones."""
