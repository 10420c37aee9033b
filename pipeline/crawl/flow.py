"""The operations that the plan of a crawl needs, over collections of (key, value) pairs, so that it runs in one process or on an engine.

Two backings: `pdfmill.pipeline.crawl.flow_on_disk` in one process, whose memory does not grow with the number of pairs, and
`pdfmill.pipeline.crawl.flow_on_beam` on the workers of any Beam runner.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Protocol, TypeVar

#: (tag, key, value): what a step gives; the pairs of one tag are one collection.
Out = tuple[str, str, Any]
#: (key, value[, what `seen` holds]) or, of `group`, (key, {side: its values}[, ...]) to what comes of it.
Step = Callable[..., Iterable[Out]]
#: Brought together by key: the values of each side.
Sides = Mapping[str, Iterable[Any]]

C = TypeVar("C")


class Flow(Protocol[C]):
    """Collections of (key, value) pairs, and operations on them.

    Only one step may read a collection, except one made by `one`, which any number of steps may see. tags: names of a step's outputs. of:
    the side (input of a join) whose keys count; keys only on other sides are skipped. seen: a collection made by `one`, passed as the
    step's last argument. at_once: number of calls that may wait for a store at the same time, if one process does all.
    """

    def given(self, name: str, pairs: Iterable[tuple[str, Any]]) -> C:
        """Return a collection of a few pairs."""

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
        """Return a pair for each key, with the sum of its numbers."""

    def one(self, name: str, make: Callable[..., Any], *items: C, seen: C | None = None) -> C:
        """Return one value computed from whole collections, each a list of pairs; only for small ones."""
