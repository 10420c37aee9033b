"""Implement `Flow`, the operations of a crawl's plan, in one process. Pairs are stored on disk in shares by key, so that a join needs the
memory of one share."""

from __future__ import annotations

import pickle
import tempfile
import zlib
from array import array
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import AbstractContextManager
from itertools import chain
from types import TracebackType
from typing import Any, Final

import pyarrow as pa

from pdfmill.pipeline.crawl.flow import Out, Step

#: Number of shares into which pairs are divided by key for a join. Of 10,000,000 objects one share has some 20,000, which take 50 MB.
SHARES: Final = 512
#: Pairs of a collection that are written together, some 8 per share. Fewer take more time, more take more memory, a kilobyte each.
_PAIRS_AT_ONCE: Final = 4096

Pair = tuple[str, Any]


class _File:
    """A temporary file of (key, value) pairs, divided into shares by a hash of the key. Pairs with an integer are not stored, but added up
    by key in `sums`. _blocks: offsets in the file of each share's blocks of pairs."""

    def __init__(self) -> None:
        self._file = tempfile.TemporaryFile(prefix="pdfmill-")  # noqa: SIM115 - closed by `close`
        self._blocks: dict[int, array[int]] = {}
        self._waiting: dict[int, list[Pair]] = {}
        self._number_waiting = 0
        self.sums: Counter[str] = Counter()

    def put(self, key: str, value: Any) -> None:
        """Add a pair to the file. An integer value is not stored, but added to the sum of its key."""
        if type(value) is int:
            self.sums[key] += value
            return
        self._waiting.setdefault(_share_of(key), []).append((key, value))
        self._number_waiting += 1
        if self._number_waiting == _PAIRS_AT_ONCE:
            self._write()

    def _write(self) -> None:
        for share, pairs in self._waiting.items():
            begin = self._file.seek(0, 2)
            pickle.dump(pairs, self._file, protocol=pickle.HIGHEST_PROTOCOL)
            self._blocks.setdefault(share, array("q")).append(begin)
        self._waiting, self._number_waiting = {}, 0

    def share(self, number: int) -> Iterator[Pair]:
        """Yield the pairs in one of the `SHARES` shares, in the order in which they were added. number: of the share, from 0."""
        for begin in self._blocks.get(number, ()):
            self._file.seek(begin)
            yield from pickle.load(self._file)
        yield from self._waiting.get(number, ())
        yield from ((key, total) for key, total in self.sums.items() if _share_of(key) == number)

    def close(self) -> None:
        self._file.close()
        self._waiting = {}


def _share_of(key: str) -> int:
    return zlib.crc32(key.encode("utf-8", "surrogatepass")) % SHARES


class DiskItems:
    """A collection of pairs in files, or a single value made by `Flow.one`."""

    def __init__(self, *files: _File, value: Any = None) -> None:
        self.files = files
        self.value = value

    def share(self, number: int) -> Iterator[Pair]:
        """Yield the pairs in one of the `SHARES` shares. number: of the share, from 0."""
        return chain.from_iterable(file.share(number) for file in self.files)

    def shares(self) -> Iterator[list[Pair]]:
        """Yield all pairs, share by share, and delete the files."""
        yield from (list(self.share(number)) for number in range(SHARES))
        self.close()

    def pairs(self) -> Iterator[Pair]:
        """Yield all pairs, and delete the files."""
        return chain.from_iterable(self.shares())

    def close(self) -> None:
        """Delete the files."""
        for file in self.files:
            file.close()


class DiskFlow(AbstractContextManager["DiskFlow"]):
    """The implementation of `pdfmill.pipeline.crawl.flow.Flow` in one process. Each step runs as soon as its method is called.
    As a context manager it makes Arrow use the system's allocator, which keeps some 25 MB less."""

    def __init__(self) -> None:
        self._files: list[_File] = []
        self._pool = pa.default_memory_pool()

    def __enter__(self) -> DiskFlow:
        """Switch Arrow to the system's allocator."""
        pa.set_memory_pool(pa.system_memory_pool())
        return self

    def given(self, name: str, pairs: Iterable[Pair]) -> DiskItems:
        """Make a collection of these pairs, which may be many."""
        return self._kept(("", key, value) for key, value in pairs)[""]

    def each(
        self, name: str, items: DiskItems, step: Step, tags: tuple[str, ...], seen: DiskItems | None = None, at_once: int = 1
    ) -> Mapping[str, DiskItems]:
        return self._kept(_results(step, items.pairs(), seen, at_once), tags)

    def group(
        self,
        name: str,
        sides: Mapping[str, DiskItems],
        step: Step,
        tags: tuple[str, ...],
        seen: DiskItems | None = None,
        at_once: int = 1,
        of: str = "",
    ) -> Mapping[str, DiskItems]:
        """Join collections by key and apply the step to every key, see `Flow.group`; within a share the keys are sorted."""
        return self._kept(_results(step, _groups(sides, of), seen, at_once), tags)

    def spread(self, name: str, items: DiskItems) -> DiskItems:
        """Return the collection unchanged, since there is only one process; see `Flow.spread`."""
        return items

    def merge(self, name: str, *items: DiskItems) -> DiskItems:
        return DiskItems(*(file for each in items for file in each.files))

    def total(self, name: str, numbers: DiskItems) -> DiskItems:
        return self.given(name, chain.from_iterable(file.sums.items() for file in numbers.files))

    def one(self, name: str, make: Callable[..., Any], *items: DiskItems, seen: DiskItems | None = None) -> DiskItems:
        return DiskItems(value=make(*(list(each.pairs()) for each in items), *_beside(seen)))

    def _kept(self, outs: Iterable[Out], tags: tuple[str, ...] = ("",)) -> Mapping[str, DiskItems]:
        files = {tag: _File() for tag in tags}
        self._files += files.values()
        for tag, key, value in outs:
            files[tag].put(key, value)
        return {tag: DiskItems(file) for tag, file in files.items()}

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        """Delete all files."""
        pa.set_memory_pool(self._pool)
        for file in self._files:
            file.close()


def _groups(sides: Mapping[str, DiskItems], of: str) -> Iterator[tuple[str, dict[str, list[Any]]]]:
    ordered = sorted(sides.items(), key=lambda side: side[0] != of)  # that one first, and then only what has its keys
    for number in range(SHARES):
        groups: dict[str, dict[str, list[Any]]] = {}
        for name, items in ordered:
            for key, value in items.share(number):
                group = groups.get(key)
                if group is None:
                    if of and name != of:
                        continue
                    group = groups[key] = {side: [] for side in sides}
                group[name].append(value)
        yield from sorted(groups.items())
    for items in sides.values():
        items.close()


def _results(step: Step, calls: Iterable[tuple[str, Any]], seen: DiskItems | None, at_once: int) -> Iterator[Out]:
    """Call the step for each (key, value), with the value of `seen`, and yield its outputs in order. at_once: calls in parallel."""
    more = _beside(seen)
    if at_once == 1:
        yield from (out for call in calls for out in step(*call, *more))
        return
    waiting: deque[Future[list[Out]]] = deque()
    with ThreadPoolExecutor(at_once) as pool:
        for call in calls:
            waiting.append(pool.submit(lambda *each: list(step(*each)), *call, *more))
            if len(waiting) > at_once:
                yield from waiting.popleft().result()
        for last in waiting:
            yield from last.result()


def _beside(seen: DiskItems | None) -> list[Any]:
    return [] if seen is None else [seen.value]
