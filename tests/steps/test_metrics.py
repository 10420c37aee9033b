"""Each step of a run tells what came in, what went out, what failed, and its milliseconds."""

from __future__ import annotations

import apache_beam as beam
from apache_beam.options.pipeline_options import PipelineOptions

from pipeline.graph import index_documents
from pipeline.options import job_settings, parse_index
from schemas.records import DocumentRef
from tests.pipeline.test_index import letter
from transforms.metrics import StepMetrics

STEPS = ("read_documents", "read_pages", "measure_fonts", "describe_documents", "structure_pages", "write_tables")


def test_every_step_counts_under_its_name(tmp_path):
    (tmp_path / "book.pdf").write_bytes(letter(20))
    (tmp_path / "empty.pdf").write_bytes(b"")
    flags, _ = parse_index([str(tmp_path), "--output", str(tmp_path / "out")])
    pipeline = beam.Pipeline(options=PipelineOptions(["--runner=FnApiRunner"]))
    documents = [DocumentRef.of_uri((tmp_path / name).as_uri()) for name in ("book.pdf", "empty.pdf")]
    index_documents(pipeline | beam.Create(documents), job_settings(flags, "part", 1))
    found = pipeline.run().metrics().query()
    counters = {(each.key.metric.namespace, each.key.metric.name): each.result for each in found["counters"]}
    times = {each.key.metric.namespace: each.result for each in found["distributions"] if each.key.metric.name == "msec"}
    assert {step: counters[step, "in"] for step in STEPS} == {
        "read_documents": 2, "read_pages": 1, "measure_fonts": 20, "describe_documents": 2, "structure_pages": 2, "write_tables": 4,
    }  # fmt: skip
    assert {step: counters[step, "out"] for step in STEPS} == {
        "read_documents": 2 + 16 + 1, "read_pages": 4, "measure_fonts": 20, "describe_documents": 2 + 2, "structure_pages": 2 * 2, "write_tables": 4,
    }  # fmt: skip
    assert counters["read_documents", "failed"] == 1
    assert all(times[step].count == counters[step, "in"] for step in STEPS)


def test_time_in_later_steps_does_not_count(monkeypatch):
    clock = iter([0, 5_000_000, 100_000_000, 107_000_000, 200_000_000, 200_000_000])
    monkeypatch.setattr("transforms.metrics.time.perf_counter_ns", lambda: next(clock))
    metrics = StepMetrics("step")
    told: list[int] = []
    monkeypatch.setattr(metrics, "_msec", type("Told", (), {"update": lambda self, value: told.append(value)})())
    assert list(metrics.measure("ab")) == ["a", "b"]
    assert told == [12]
