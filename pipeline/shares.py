"""Beam's embedded runner, with the work dealt out piece by piece.

Beam's own cuts the input of a stage into one part for each worker, by the number of elements, and waits for the slowest. Here a worker
that is free takes the next piece. Pieces shrink towards the end, so that workers end a stage together and few pieces do it: guided
self-scheduling (Polychronopoulos and Kuck 1987).
"""

from __future__ import annotations

from collections import Counter, defaultdict, deque
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain, zip_longest
from typing import Any, Final, TypeVar

from apache_beam.metrics.monitoring_infos import consolidate
from apache_beam.portability.api import beam_fn_api_pb2
from apache_beam.runners.portability.fn_api_runner.execution import GroupingBuffer
from apache_beam.runners.portability.fn_api_runner.fn_runner import BundleManager, FnApiRunner, ParallelBundleManager
from apache_beam.runners.worker.bundle_processor import DATA_INPUT_URN, DATA_OUTPUT_URN
from apache_beam.utils.thread_pool_executor import shared_unbounded_instance

#: Slices that keys are dealt out to, for each worker: the last piece of a stage is one of them.
_SLICES: Final = 64
#: A piece is this share of what every worker would get of the rest; less than all of it, as elements are not equal (Hummel et al. 1992).
_SHARE: Final = 0.5

K = TypeVar("K")

#: What one bundle is made from: encoded elements by the name of the stage's input.
Piece = dict[str, list[bytes]]


class SharingRunner(FnApiRunner):
    """`FnApiRunner` for several workers. What it needs of Beam beyond its public face is held by `tests/pipeline/test_shares.py`."""

    def create_stages(self, pipeline_proto: Any) -> tuple[Any, list[Any]]:
        """Beam's stages without those that copy."""
        context, stages = super().create_stages(pipeline_proto)
        return context, without_copies(stages, context.data_channel_coders)

    def _get_bundle_manager(self, bundle_context_manager: Any) -> Any:
        manager = super()._get_bundle_manager(bundle_context_manager)
        return _Sharing(manager) if isinstance(manager, ParallelBundleManager) else manager


def without_copies(stages: Sequence[Any], coders: Mapping[str, str]) -> list[Any]:
    """Stages less those that only carry on what several wrote, for it to be grouped: the several write to the group. coders: by collection."""
    reads = Counter(each.spec.payload for stage in stages for each in stage.transforms if each.spec.urn == DATA_INPUT_URN)
    aside = frozenset[str]().union(*(stage.side_inputs() for stage in stages))
    groups: dict[bytes, Any] = {}
    for stage in stages:
        if [each.spec.urn for each in stage.transforms] == [DATA_INPUT_URN, DATA_OUTPUT_URN]:
            read, write = stage.transforms
            if write.spec.payload.startswith(b"group:") and reads[read.spec.payload] == 1 and aside.isdisjoint(read.outputs.values()):
                groups[read.spec.payload] = write
    writes = [each for stage in stages for each in stage.transforms if each.spec.urn == DATA_OUTPUT_URN and each.spec.payload in groups]
    for write in writes:
        if _coder(write, coders) != _coder(groups[write.spec.payload], coders):
            return list(stages)
    for write in writes:
        write.spec.payload = groups[write.spec.payload].spec.payload
    return [stage for stage in stages if stage.transforms[0].spec.payload not in groups]


def _coder(write: Any, coders: Mapping[str, str]) -> str:
    (written,) = write.inputs.values()
    return coders[written]


class _OneWorker:
    """What Beam knows of a stage, with one of its workers."""

    def __init__(self, context: Any, worker: Any) -> None:
        self._context = context
        self.worker_handlers = [worker]

    def __getattr__(self, name: str) -> Any:
        return getattr(self._context, name)


class _Sharing:
    """Runs a stage. Stages with state or timers are not cut, Beam gives them to one worker."""

    def __init__(self, manager: ParallelBundleManager) -> None:
        self._manager = manager

    def process_bundle(self, inputs: Mapping[str, Any], outputs: Any, timers: Any, output_timers: Any, dry_run: bool = False) -> Any:
        """The merged answer of all pieces, and how they were split. Raises what the first worker that failed raised; the others stop."""
        assert not timers
        context = self._manager.bundle_context_manager
        workers = context.worker_handlers
        waiting = deque(pieces(inputs, len(workers)))

        def work(worker: Any) -> list[Any]:
            bundles = BundleManager(_OneWorker(context, worker), self._manager._progress_frequency, self._manager._cache_token_generator)
            done = []
            try:
                while (piece := _next(waiting)) is not None:
                    done.append(bundles.process_bundle(piece, outputs, timers, output_timers, dry_run))
            except BaseException:
                waiting.clear()
                raise
            return done

        done = [each for of_worker in shared_unbounded_instance().map(work, workers) for each in of_worker]
        return _merged([answer.process_bundle for answer, _ in done]), [split for _, splits in done for split in splits]


def _next(waiting: deque[Piece]) -> Piece | None:
    try:
        return waiting.popleft()
    except IndexError:
        return None


def _merged(answers: Sequence[Any]) -> Any:
    """One answer for the stage; its counts are sums."""
    infos = consolidate(chain.from_iterable(each.monitoring_infos for each in answers))
    residuals = chain.from_iterable(each.residual_roots for each in answers)
    return beam_fn_api_pb2.InstructionResponse(process_bundle=beam_fn_api_pb2.ProcessBundleResponse(monitoring_infos=infos, residual_roots=residuals))


def pieces(inputs: Mapping[str, Any], workers: int) -> Iterator[Piece]:
    """The input of a stage in pieces, in the order in which they are to be taken; one without elements when there are none."""
    parts = [[(name, part) for part in _slices(buffer, workers)] for name, buffer in inputs.items()]
    slices = [dict(each for each in row if each is not None) for row in zip_longest(*parts)]
    full = sorted((each for each in slices if _size(each)), key=_size, reverse=True)
    for some in guided([_size(each) for each in full], workers) if full else [slice(0)]:
        yield {name: [chunk for each in full[some] for chunk in each.get(name, ())] for name in inputs}


def _slices(buffer: Any, workers: int) -> list[list[bytes]]:
    """What was grouped is cut fine; what was not is only copied on by its stage, and cut as Beam cuts it."""
    count = workers
    if isinstance(buffer, GroupingBuffer):
        count *= _SLICES
        table = buffer._table
        buffer._table = defaultdict(list, ((key, table[key]) for key in dealt(sorted(table), count)))
    slices: list[list[bytes]] = buffer.partition(count)
    return slices


def dealt(keys: Sequence[K], slices: int) -> list[K]:
    """The keys in an order in which dealing them out one by one, as Beam does, gives each slice neighbours: ranges of one document have keys
    next to each other, and whoever has opened it and knows its words reads on.

    >>> dealt("abcdefgh", 3)
    ['a', 'd', 'g', 'b', 'e', 'h', 'c', 'f']
    """
    length, longer = divmod(len(keys), slices)
    starts = [number * length + min(number, longer) for number in range(slices)]
    return [keys[start + row] for row in range(length + 1) for number, start in enumerate(starts) if row < length + (number < longer)]


def _size(piece: Piece) -> int:
    return sum(len(chunk) for chunks in piece.values() for chunk in chunks)


def guided(sizes: Sequence[int], workers: int) -> Iterator[slice]:
    """Runs of slices, each at most `_SHARE` of what a worker would get of the rest, at least one slice.

    >>> [each.stop - each.start for each in guided([1] * 32, 2)]
    [8, 6, 4, 3, 2, 2, 1, 1, 1, 1, 1, 1, 1]
    """
    first, rest = 0, sum(sizes)
    while first < len(sizes):
        most = _SHARE * rest / workers
        last, taken = first + 1, sizes[first]
        while last < len(sizes) and taken + sizes[last] <= most:
            taken += sizes[last]
            last += 1
        yield slice(first, last)
        first, rest = last, rest - taken
