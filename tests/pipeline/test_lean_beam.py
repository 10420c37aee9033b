"""What is done once for a graph gives what Beam gives when it does it each time."""

from __future__ import annotations

import inspect
import subprocess
import sys

import apache_beam as beam
import pytest
from apache_beam.coders import VarIntCoder
from apache_beam.options.pipeline_options import DirectOptions, StandardOptions
from apache_beam.runners.worker import bundle_processor, statesampler
from apache_beam.transforms import userstate
from apache_beam.transforms.userstate import BagStateSpec

from pipeline.embedded import ForkedWorker, embedded_options
from pipeline.lean_beam import LeanOptions, sample_often, specs_asked_once

BAG = BagStateSpec("bag", VarIntCoder())


class _Stateful(beam.DoFn):
    def process(self, element: tuple[str, int], bag: object = beam.DoFn.StateParam(BAG)) -> None:
        del element, bag


class _Plain(beam.DoFn):
    def process(self, element: int) -> None:
        del element


def test_a_view_is_made_once_and_shares_its_values():
    options = embedded_options(["--job_name=one"], 3)
    assert isinstance(options, LeanOptions)
    direct = options.view_as(DirectOptions)
    assert direct is options.view_as(DirectOptions)
    assert direct is not options.view_as(StandardOptions)
    assert direct.direct_num_workers == 3
    direct.direct_num_workers = 2
    assert options.get_all_options()["direct_num_workers"] == 2
    assert options.get_all_options()["job_name"] == "one"
    assert embedded_options([], 1).view_as(DirectOptions).direct_num_workers == 1, "views are of one object's"


def test_specs_are_read_once_for_each_dofn_of_a_graph(monkeypatch):
    read = []
    beams = userstate.get_dofn_specs
    monkeypatch.setattr(userstate, "get_dofn_specs", lambda dofn: (read.append(dofn), beams(dofn))[1])
    counting = userstate.get_dofn_specs
    stateful, plain = _Stateful(), _Plain()
    with specs_asked_once():
        for _ in range(3):
            assert userstate.is_stateful_dofn(stateful)
            assert not userstate.is_stateful_dofn(plain)
        assert userstate.get_dofn_specs(stateful) == beams(stateful) == ({BAG}, set())
    assert read == [stateful, plain]
    assert userstate.get_dofn_specs is counting
    with pytest.raises(ZeroDivisionError), specs_asked_once():
        raise ZeroDivisionError
    assert userstate.get_dofn_specs is counting, "also after a mistake"


def test_every_bundle_is_sampled_often(monkeypatch):
    """The end of a bundle waits for the sampler, which Beam has asleep for up to 200 ms."""
    monkeypatch.setattr(statesampler, "StateSampler", statesampler.StateSampler)  # put back at the end
    sample_often()
    made = []
    clock = statesampler.StateSampler
    monkeypatch.setattr(statesampler, "StateSampler", lambda *arguments: made.append(clock(*arguments)) or made[-1])
    with beam.Pipeline(options=embedded_options([], 1)) as pipeline:
        pipeline | beam.Create([1, 2], reshuffle=False) | beam.Map(str)
    assert made
    assert {each.sampling_period_ms for each in made} == {5}
    assert "statesampler.StateSampler(" in inspect.getsource(bundle_processor.BundleProcessor), "where Beam makes it"


TWO_WORKERS = """
import sys
from pipeline import embedded
from transforms.isolation import fork_from_here
import apache_beam as beam
from apache_beam.runners.worker import statesampler

def period(_):
    return statesampler.StateSampler("", None).sampling_period_ms

def run():
    with beam.Pipeline(options=embedded.embedded_options([], 2)) as pipeline:
        pipeline | beam.Create([1, 2]) | beam.Map(period) | beam.Map(lambda each: sys.stderr.write(f"period {each}\\n"))

fork_from_here()
embedded.run_to_end(run, 2)
print("left", len(embedded.ForkedWorker.running))
"""


def test_workers_sample_often_and_are_waited_for():
    done = subprocess.run([sys.executable, "-c", TWO_WORKERS], capture_output=True, text=True, check=True, timeout=120)
    assert [line for line in done.stderr.splitlines() if line.startswith("period")] == ["period 5"] * 2
    assert done.stdout == "left 0\n"
    assert not ForkedWorker.running
