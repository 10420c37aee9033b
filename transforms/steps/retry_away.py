"""Try reads that failed because of a store error again, after the rest of the bundle is done. So a short outage costs time but no rows."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from typing import Any, Generic, TypeVar

import apache_beam as beam
from apache_beam.transforms.window import GlobalWindows

from pdfmill.transforms.steps.metrics import StepMetrics
from pdfmill.transforms.tables.worker_progress import settle_notes

T = TypeVar("T")


class AgainLater(Generic[T]):
    """The elements of one bundle that wait for another attempt. waits: seconds before each further attempt."""

    def __init__(self, waits: Sequence[float]) -> None:
        self._waits = tuple(waits)
        self._waiting: list[T] = []

    def begin(self) -> None:
        """Begin a bundle: forget the elements that were kept for an earlier bundle, which failed."""
        self._waiting = []

    def takes(self, element: T, tries: int) -> bool:
        """Keep an element for another attempt, and return True; return False if no attempt is left. tries: number of attempts so far,
        without the first."""
        if tries >= len(self._waits):
            return False
        self._waiting.append(element)
        return True

    def again(self) -> Iterator[tuple[T, int]]:
        """Wait, and then yield (element, number of the attempt after the first) for the elements that were kept."""
        for tries, seconds in enumerate(self._waits, start=1):
            if not self._waiting:
                return
            time.sleep(seconds)
            elements, self._waiting = self._waiting, []
            yield from ((element, tries) for element in elements)


class TriesAgain(beam.DoFn, Generic[T]):
    """A Beam step that reads elements, and at the end of a bundle once more those that failed because of a store error. again_s: seconds to
    wait before each further attempt. notes_uri: folder to which workers write counts for the progress, or None."""

    def __init__(self, name: str, again_s: Sequence[float], notes_uri: str | None) -> None:
        self._metrics = StepMetrics(name)
        self._later: AgainLater[T] = AgainLater(again_s)
        self._notes_uri = notes_uri

    def read(self, element: T, tries: int = 0) -> Iterator[Any]:
        """Yield the results of an element; nothing if reading failed and is tried again later. tries: number of further attempts so far."""
        raise NotImplementedError

    def start_bundle(self) -> None:
        self._later.begin()

    def finish_bundle(self) -> Iterator[Any]:
        for element, tries in self._later.again():
            yield from map(_at_end_of_bundle, self._metrics.measure(self.read(element, tries), taken=0))
        settle_notes(self._notes_uri)


def _at_end_of_bundle(result: Any) -> Any:
    """Return a result, tagged or not, as the windowed value that `finish_bundle` must return."""
    if isinstance(result, beam.pvalue.TaggedOutput):
        return beam.pvalue.TaggedOutput(result.tag, GlobalWindows.windowed_value(result.value))
    return GlobalWindows.windowed_value(result)
