"""Work is dealt out to whoever is free, and a book among letters is read by all workers."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import apache_beam as beam
import pytest
from apache_beam.metrics import Metrics
from apache_beam.options.pipeline_options import PipelineOptions
from apache_beam.runners.portability.fn_api_runner.execution import ListBuffer
from apache_beam.testing.util import assert_that, equal_to

from benchmarks.made_documents import book, letters
from benchmarks.processes import Cost
from benchmarks.workers import AT_ONCE, measure, ratios
from pipeline.embedded import embedded_options
from pipeline.shares import SharingRunner, dealt, guided, pieces
from transforms.redistribute import Redistribute

ELEMENTS = 400
PATIENCE_S = 30.0


def test_two_workers_share_a_book(tmp_path):
    letters(tmp_path, 10)
    book(tmp_path / "book.pdf", 320)
    code = f"from pathlib import Path; from benchmarks.workers import shares; print(shares(Path({str(tmp_path)!r})))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=300)
    read = json.loads(done.stdout)
    assert sum(read) == 330
    assert len(read) == 2
    assert max(read) <= 0.6 * sum(read)


def test_the_benchmark_tells_what_the_machine_gives(tmp_path):
    letters(tmp_path, 3)
    found = measure({"1 workers": ["--workers", "1"]}, tmp_path, 1, at_once=2)
    assert list(found) == ["1 workers", AT_ONCE]
    assert found[AT_ONCE][0].cpu > 1.5 * found["1 workers"][0].cpu, "both did all the work"
    with pytest.raises(RuntimeError, match="failed"):
        measure({}, Path("--no_such_flag"), 1, at_once=2)


def test_ratios_are_told_by_the_least_and_by_rounds():
    one, two = ([Cost(seconds, cpu, 0.0, 0) for seconds, cpu in costs] for costs in ([(30, 30), (40, 41)], [(20, 32), (20, 40)]))
    assert ratios(one, two) == "1.50 in wall time, 0.94 in CPU by the least of each; rounds 1.50, 2.00"
    assert ratios(one, two, 2).startswith("3.00 in wall time, 1.88 in CPU")


def test_several_workers_are_run_by_our_runner():
    assert embedded_options([], 2).get_all_options()["runner"] == "pipeline.shares.SharingRunner"
    assert embedded_options([], 1).get_all_options()["runner"] == "FnApiRunner"


@pytest.mark.parametrize("workers", [2, 3])
@pytest.mark.parametrize("sizes", [[1] * 200, [500, *[1] * 200], [7], list(range(100, 0, -1))])
def test_pieces_hold_every_slice_once_and_shrink(sizes, workers):
    runs = list(guided(sizes, workers))
    assert [i for run in runs for i in range(run.start, run.stop)] == list(range(len(sizes)))
    for run in runs:
        rest = sum(sizes[run.start :])
        assert run.stop - run.start == 1 or sum(sizes[run]) <= rest / workers / 2
    assert runs[-1].stop - runs[-1].start == 1


@pytest.mark.parametrize(("keys", "slices"), [(0, 4), (3, 4), (4, 4), (9, 4), (11, 4), (1000, 64)])
def test_keys_dealt_out_one_by_one_are_neighbours_in_their_slice(keys, slices):
    order = dealt(range(keys), slices)
    by_slice = [order[number::slices] for number in range(slices)]
    assert [key for each in by_slice for key in each] == list(range(keys))
    assert max(map(len, by_slice)) - min(map(len, by_slice)) <= 1


class _Ranges(beam.DoFn):
    """Notes which documents' ranges come in one bundle."""

    bundles: list[list[str]]

    def start_bundle(self) -> None:
        self._seen: list[str] = []

    def process(self, element: str) -> None:
        self._seen.append(element)

    def finish_bundle(self) -> None:
        self.bundles.append(self._seen)


def test_ranges_of_one_document_come_to_one_worker():
    _Ranges.bundles = []
    options = PipelineOptions(["--direct_num_workers=2", "--direct_running_mode=multi_threading"])
    with beam.Pipeline(runner=SharingRunner(), options=options) as pipeline:
        ranges = [f"{document:03}/{first:03}" for first in range(8) for document in range(64)]
        pipeline | beam.Create(ranges, reshuffle=False) | Redistribute(str) | beam.ParDo(_Ranges())
    assert sorted(each for bundle in _Ranges.bundles for each in bundle) == sorted(ranges)
    places: dict[str, set[int]] = {}
    for number, bundle in enumerate(_Ranges.bundles):
        for each in bundle:
            places.setdefault(each[:3], set()).add(number)
    assert sum(len(each) == 1 for each in places.values()) > 48, "slices of four ranges: most documents are whole in one bundle"


def test_a_stage_without_elements_is_run_once():
    assert list(pieces({"a": ListBuffer(None), "b": ListBuffer(None)}, 2)) == [{"a": [], "b": []}]


class _Wait(beam.DoFn):
    """Waits at its first element until the other worker has done most of the others; in one process, two workers are two threads."""

    seen: list[int]
    most_seen = threading.Event()

    def start_bundle(self) -> None:
        Metrics.counter("wait", "bundles").inc()

    def process(self, element: int) -> Iterator[int]:
        Metrics.counter("wait", "elements").inc()
        if element == 0:
            assert self.most_seen.wait(PATIENCE_S), f"only {len(self.seen)} of {ELEMENTS} elements were taken by the other worker"
        self.seen.append(element)
        if len(self.seen) > 0.7 * ELEMENTS:
            self.most_seen.set()
        yield element


def _run(*steps: beam.DoFn) -> beam.runners.runner.PipelineResult:
    options = PipelineOptions(["--direct_num_workers=2", "--direct_running_mode=multi_threading"])
    pipeline = beam.Pipeline(runner=SharingRunner(), options=options)
    elements = pipeline | beam.Create(range(ELEMENTS), reshuffle=False) | "Spread" >> Redistribute(str)
    for step in steps:
        elements = elements | type(step).__name__ >> beam.ParDo(step)
    return pipeline.run()


def test_a_free_worker_takes_what_a_busy_one_would_have_got():
    _Wait.seen = []
    found = _run(_Wait()).metrics().query()["counters"]
    assert sorted(_Wait.seen) == list(range(ELEMENTS))
    counted = {each.key.metric.name: each.result for each in found if each.key.metric.namespace == "wait"}
    assert counted["elements"] == ELEMENTS, "counts of all pieces are added up"
    assert 4 < counted["bundles"] < 40


@pytest.mark.parametrize("listed", [False, True])
def test_what_is_only_carried_on_to_be_grouped_is_written_to_the_group(listed):
    """With `listed`, another step wants what was flattened, too."""
    runner = SharingRunner()
    options = PipelineOptions(["--direct_num_workers=2", "--direct_running_mode=multi_threading"])
    with beam.Pipeline(runner=runner, options=options) as pipeline:
        some, others = (pipeline | name >> beam.Create([(i, name) for i in range(9)], reshuffle=False) for name in ("some", "others"))
        both = (some, others) | beam.Flatten()
        sums = both | beam.GroupByKey() | beam.MapTuple(lambda key, names: (key, sorted(names)))
        assert_that(sums, equal_to([(i, ["others", "some"]) for i in range(9)]))
        if listed:
            seen = pipeline | "One" >> beam.Create([1]) | "See" >> beam.FlatMap(lambda _, each: each, beam.pvalue.AsList(both))
            assert_that(seen, equal_to([(i, name) for i in range(9) for name in ("some", "others")]), "Seen")
    names = [stage.name for stage in runner.create_stages(pipeline.to_runner_api())[1]]
    assert any("Flatten/Read" in name and "assert" not in name for name in names) == listed


class _Fail(beam.DoFn):
    seen: list[int]

    def process(self, element: int) -> None:
        self.seen.append(element)
        raise ValueError("no such element")


def test_a_mistake_in_one_piece_ends_the_stage():
    _Fail.seen = []
    with pytest.raises(RuntimeError, match="no such element"):
        _run(_Fail())
    assert len(_Fail.seen) <= 2, "no piece is begun after it"
