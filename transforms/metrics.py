"""What every step counts, under one naming: `in`, `out`, `failed`, and the distribution `msec`, in the step's namespace.

Flink shows them as `read_pages.in`, Dataflow as `in` of the step.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from typing import Generic, TypeVar

import apache_beam as beam
from apache_beam.metrics import Metrics

In = TypeVar("In")
Out = TypeVar("Out")


class StepMetrics:
    """The metrics of one step.

    in: elements taken. out: elements given, of all outputs together. failed: documents or pages that could not be read.
    msec: own time per element taken, whole milliseconds; time in later steps fused to this one does not count.
    """

    def __init__(self, step: str) -> None:
        self._in = Metrics.counter(step, "in")
        self._out = Metrics.counter(step, "out")
        self._failed = Metrics.counter(step, "failed")
        self._msec = Metrics.distribution(step, "msec")

    def failed(self, count: int) -> None:
        """Count what could not be read."""
        self._failed.inc(count)

    def measure(self, work: Iterable[Out]) -> Iterator[Out]:
        """What comes of one element, counted and timed on its way through."""
        self._in.inc()
        results = iter(work)
        spent = 0
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
        self._msec.update(spent // 1_000_000)


class Measured(beam.DoFn, Generic[In, Out]):
    """A step that is one function from an element to what comes of it."""

    def __init__(self, step: str, function: Callable[[In], Iterable[Out]]) -> None:
        self._metrics = StepMetrics(step)
        self._function = function

    def process(self, element: In) -> Iterator[Out]:
        """The function's results, measured."""
        return self._metrics.measure(self._function(element))
