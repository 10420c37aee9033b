"""The metrics that every step has in Beam, in the step's namespace: counters `in`, `out` and `failed`, and the distribution `msec`."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from typing import Generic, TypeVar

import apache_beam as beam
from apache_beam.metrics import Metrics

In = TypeVar("In")
Out = TypeVar("Out")


class StepMetrics:
    """The metrics of one step, all from its first element on.
    in: number of input elements; a range counts as its pages. out: number of output elements. failed: documents or pages that could not be
    read. msec: whole milliseconds per input element, without later steps in the same call; the remainder is added to the next one."""

    def __init__(self, step: str) -> None:
        self._in = Metrics.counter(step, "in")
        self._out = Metrics.counter(step, "out")
        self._failed = Metrics.counter(step, "failed")
        self._msec = Metrics.distribution(step, "msec")
        self._rest_ns = 0

    def failed(self, count: int) -> None:
        """Count documents or pages that could not be read."""
        self._failed.inc(count)

    def measure(self, work: Iterable[Out], taken: int = 1) -> Iterator[Out]:
        """Yield the results of an input element, and count and time them. taken: number by which the counter `in` grows."""
        self._in.inc(taken)
        self._failed.inc(0)
        results = iter(work)
        spent = self._rest_ns
        while True:
            started = time.perf_counter_ns()
            try:
                result = next(results)
            except StopIteration:
                break
            finally:
                spent += time.perf_counter_ns() - started
            self._out.inc()
            yield result
        msec, self._rest_ns = divmod(spent, 1_000_000)
        self._msec.update(msec)


class Measured(beam.DoFn, Generic[In, Out]):
    """A step that applies one function to each element, with metrics."""

    def __init__(self, step: str, function: Callable[[In], Iterable[Out]]) -> None:
        self._metrics = StepMetrics(step)
        self._function = function

    def process(self, element: In) -> Iterator[Out]:
        return self._metrics.measure(self._function(element))
