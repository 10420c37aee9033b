"""Each step of a run tells what came in, what went out, what failed, and its milliseconds."""

from __future__ import annotations

from apache_beam.metrics import MetricsFilter

from pdfmill.pipeline.engine.engine import build_pipeline
from pdfmill.pipeline.options.options import INDEX_OPTIONS, parse_index
from pdfmill.pipeline.run.staging import Stage
from pdfmill.transforms.steps.metrics import StepMetrics
from tests.pipeline.test_index import letter

#: What came in and went out of a book of 20 pages and an empty file, both listed from one folder, and the elements timed.
COUNTED = {
    "find_documents": (1, 2, 1),
    # a parcel of each
    "walk_documents": (2, 2, 2),
    # what was written of the empty file; the book's two ranges
    "write_documents": (2, 1 + 2, 2),
    # pages
    "read_ranges": (20, 2, 2),
    # a parcel of each range
    "structure_books": (1, 2, 1),
    "write_books": (1, 1, 1),
}


def test_every_step_tells_the_same_four_things_under_its_name(tmp_path):
    (tmp_path / "book.pdf").write_bytes(letter(20))
    (tmp_path / "empty.pdf").write_bytes(b"")
    flags, _ = parse_index([str(tmp_path), "--output", str(tmp_path / "out"), "--shards=1", "--pages_per_range=16"], INDEX_OPTIONS)
    metrics = build_pipeline(flags, ["--runner=FnApiRunner"], Stage.of_job(flags.output)).run().metrics()
    for step, (taken, given, timed) in COUNTED.items():
        found = metrics.query(MetricsFilter().with_namespace(step))
        counters = dict.fromkeys((each.key.metric.name for each in found["counters"]), 0)
        for each in found["counters"]:
            counters[each.key.metric.name] += each.result
        assert counters == {"in": taken, "out": given, "failed": int(step == "walk_documents")}, step
        assert {each.key.metric.name for each in found["distributions"]} == {"msec"}, step
        assert sum(each.result.count for each in found["distributions"]) == timed, step
        assert all(each.key.step for each in (*found["counters"], *found["distributions"])), "the engine's page lists them at a step"
    ours = {each.key.metric.namespace for each in metrics.query()["counters"]}
    assert ours == set(COUNTED), "no step counts under a name that is not told here"


def test_times_below_a_millisecond_add_up(monkeypatch):
    clock = iter(range(0, 10_000_000_000, 400_000))
    monkeypatch.setattr("pdfmill.transforms.steps.metrics.time.perf_counter_ns", lambda: next(clock))
    metrics = StepMetrics("step")
    told: list[int] = []
    monkeypatch.setattr(metrics, "_msec", type("Told", (), {"update": lambda self, value: told.append(value)})())
    for _ in range(100):  # each takes 0.4 ms for its result and 0.4 ms to its end
        assert list(metrics.measure("a")) == ["a"]
    assert len(told) == 100
    assert sum(told) == 80


def test_time_in_later_steps_does_not_count(monkeypatch):
    clock = iter([0, 5_000_000, 100_000_000, 107_000_000, 200_000_000, 200_000_000])
    monkeypatch.setattr("pdfmill.transforms.steps.metrics.time.perf_counter_ns", lambda: next(clock))
    metrics = StepMetrics("step")
    told: list[int] = []
    monkeypatch.setattr(metrics, "_msec", type("Told", (), {"update": lambda self, value: told.append(value)})())
    assert list(metrics.measure("ab")) == ["a", "b"]
    assert told == [12]
