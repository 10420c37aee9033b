"""Implement `Flow`, the operations of a crawl's plan, on the workers of a Beam runner, for over 100 million objects."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, TypeAlias

import apache_beam as beam
from apache_beam.pvalue import AsList, AsSingleton, TaggedOutput

from pdfmill.pipeline.crawl.flow import Step
from pdfmill.transforms.steps.metrics import StepMetrics
from pdfmill.transforms.steps.redistribute import Redistribute
from pdfmill.transforms.storage.access import carrying

#: A PCollection of (key, value).
Pairs: TypeAlias = "beam.PCollection[tuple[str, Any]]"


class _Call(beam.DoFn):
    def __init__(self, name: str, step: Step) -> None:
        self._metrics = StepMetrics(name)
        self._step = carrying(step)

    def process(self, element: tuple[str, Any], seen: Any = None) -> Iterator[TaggedOutput]:
        """Apply the step to one (key, value) pair, and count it in the step's metrics. seen: the value of a side input."""
        given = element if seen is None else (*element, seen)
        return self._metrics.measure(TaggedOutput(tag, (key, value)) for tag, key, value in self._step(*given))


class BeamFlow:
    """The implementation of `pdfmill.pipeline.crawl.flow.Flow` on Beam. A collection is a PCollection of pairs, or of one value."""

    def __init__(self, pipeline: beam.Pipeline) -> None:
        self._pipeline = pipeline

    def given(self, name: str, pairs: Iterable[tuple[str, Any]]) -> Pairs:
        return self._pipeline | name >> beam.Create(list(pairs), reshuffle=False)

    def each(
        self, name: str, items: Pairs, step: Step, tags: tuple[str, ...], seen: Pairs | None = None, at_once: int = 1
    ) -> Mapping[str, Pairs]:
        """Apply the step to every pair, and return the outputs by tag. Beam shows metrics of the step under its name."""
        done = items | name >> beam.ParDo(_Call(name, step), *_beside(seen)).with_outputs(*tags)
        return {tag: done[tag] for tag in tags}

    def group(
        self,
        name: str,
        sides: Mapping[str, Pairs],
        step: Step,
        tags: tuple[str, ...],
        seen: Pairs | None = None,
        at_once: int = 1,
        of: str = "",
    ) -> Mapping[str, Pairs]:
        """Join the sides by key, apply the step to every key with its values from each side, and return the outputs by tag.
        The step is also called for keys that the side `of` lacks, and yields nothing for them."""
        return self.each(name, dict(sides) | f"{name}: join" >> beam.CoGroupByKey(), step, tags, seen)

    def spread(self, name: str, items: Pairs) -> Pairs:
        return items | name >> Redistribute(lambda pair: pair[0])

    def merge(self, name: str, *items: Pairs) -> Pairs:
        return items | name >> beam.Flatten()

    def total(self, name: str, numbers: Pairs) -> Pairs:
        return numbers | name >> beam.CombinePerKey(sum)

    def one(self, name: str, make: Callable[..., Any], *items: Pairs, seen: Pairs | None = None) -> Pairs:
        """Compute one value from small collections, which `make` gets as lists of pairs. Beam's `ToList` would add nine steps for each."""
        begin = self._pipeline | f"{name}: begin" >> beam.Impulse()
        return begin | name >> beam.Map(_made, carrying(make), *map(AsList, items), *_beside(seen))


def _made(_: bytes, make: Callable[..., Any], *given: Any) -> Any:
    return make(*given)


def _beside(seen: Pairs | None) -> list[AsSingleton]:
    return [] if seen is None else [AsSingleton(seen)]
