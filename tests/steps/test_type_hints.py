"""Every PTransform says what it takes and gives, and Beam refuses anything else while the pipeline is built."""

from __future__ import annotations

import importlib
import pkgutil
from typing import Any, TypeVar, get_args, get_type_hints, is_typeddict

import apache_beam as beam
import pytest
from apache_beam.typehints.decorators import TypeCheckError

import pdfmill.beam
import pdfmill.transforms.steps
from pdfmill.pipeline.options.options import job_settings, parse_index
from pdfmill.schemas.records import BookRange, DocId, DocumentRef, PageRange
from pdfmill.transforms.steps.books import StructureBooks

MODULES = [
    pdfmill.beam,
    *(importlib.import_module(f"pdfmill.transforms.steps.{each.name}") for each in pkgutil.iter_modules(pdfmill.transforms.steps.__path__)),
]
STEPS: set[type[beam.PTransform]] = {
    each
    for module in MODULES
    for each in vars(module).values()
    if isinstance(each, type) and issubclass(each, beam.PTransform) and each.__module__ == module.__name__
}


def taken_and_given(step: type[beam.PTransform]) -> tuple[Any, Any]:
    """What stands in the brackets behind `PTransform`."""
    ((taken, given),) = [get_args(base) for base in vars(step)["__orig_bases__"] if getattr(base, "__origin__", None) is beam.PTransform]
    return taken, given


def elements(hint: Any) -> set[Any]:
    """The type itself; of a dictionary of collections what they hold."""
    if not is_typeddict(hint):
        return {hint}
    sides = get_type_hints(hint).values()
    assert all(getattr(each, "__origin__", None) is beam.PCollection for each in sides)
    return {held for each in sides for held in get_args(each)}


@pytest.mark.parametrize("step", sorted(STEPS, key=str), ids=str)
def test_a_step_says_what_it_takes_and_gives(step: type[beam.PTransform]) -> None:
    taken, given = taken_and_given(step)
    assert not {object, Any} & (elements(taken) | elements(given))
    if taken is beam.pvalue.PBegin or isinstance(taken, TypeVar):
        return
    hints = step.get_type_hints(object.__new__(step)).input_types
    assert hints is not None, "give it @beam.typehints.with_input_types(...)"
    if is_typeddict(taken):
        assert set(hints[1]) == set(get_type_hints(taken)), "the decorator names the inputs of the dictionary"
    else:
        assert len(hints[0]) == 1


def test_all_steps_are_looked_at() -> None:
    assert len(STEPS) > 12


def test_beam_refuses_another_type() -> None:
    flags, _ = parse_index(["-", "--output", "none"])
    pipeline = beam.Pipeline()
    ranges = pipeline | "Ranges" >> beam.Create([(DocId("d"), BookRange(PageRange(DocumentRef.of_uri("file:///a.pdf"), 1, 32)))])
    named = pipeline | "Names" >> beam.Create([(DocId("d"), "a.pdf")])
    job = job_settings(flags, "part", 1)
    assert isinstance(ranges | "Fits" >> StructureBooks(job), beam.PCollection)
    with pytest.raises(TypeCheckError, match="Input type hint violation at Other"):
        _ = named | "Other" >> StructureBooks(job)
