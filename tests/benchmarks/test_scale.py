"""The arithmetic of the model; what it is fed is measured, not asserted."""

import re
from dataclasses import replace

import pytest

from benchmarks.speed.scale import BUSY, ENGINES, LIMITS, PAGES_OF_A_PART, Engine, Sample, lines, measure, predict
from tests.pipeline.test_index import letter

#: 10 documents of 20 pages; 50 ms for a document's facts, 30 ms for a page.
SAMPLE = Sample(10, 200, {"walk_documents": 2.1, "read_ranges": 0.4}, 10 * 0.05 + 200 * 0.03, 10 * 0.05, 3.6, 200 * 20_000, 200 * 5_000)


def test_a_document_and_a_page_are_told_apart():
    assert pytest.approx(0.05) == SAMPLE.a_document
    assert pytest.approx(0.03) == SAMPLE.a_page


def test_a_job_is_the_sample_many_times():
    job = predict(SAMPLE, 1_000_000, 10_000_000, 100, 0.01, Engine("", 2.0, 3.6, True, 1, 0.5, 0.1, 4))
    assert job.vcpu_hours == pytest.approx((1e6 * 0.06 + 1e7 * 0.03 * 2) / BUSY / 3600)
    assert job.hours == pytest.approx(job.vcpu_hours / 100 + 0.002)
    assert (job.shuffled_gb, job.table_gb, job.shards) == (pytest.approx(200), pytest.approx(50), 10_000_000 // PAGES_OF_A_PART)
    assert job.dollars == pytest.approx(job.vcpu_hours * 3 + 20)


def test_the_report_tells_the_spread_each_engine_and_what_gives_way():
    slower = replace(SAMPLE, run_seconds=2 * SAMPLE.run_seconds)
    told = "\n".join(lines([SAMPLE, slower, SAMPLE], 1_000_000, 10_000_000, 100, 0.0))
    assert re.search(r"a page +30\.0 +30\.0 +62\.5 ms", told)
    assert all(engine.name in told for engine in ENGINES)
    assert all(limit.told in told for limit in LIMITS)


def test_a_sample_is_measured(tmp_path):
    (tmp_path / "book.pdf").write_bytes(letter(40))
    sample = measure([str(tmp_path)])
    assert (sample.documents, sample.pages) == (1, 40)
    assert sample.facts_seconds > 0
    assert sample.start_seconds > 0
    assert all(sample.step_seconds[step] > 0 for step in ("read_ranges", "structure_books", "write_books"))
    assert sample.table_bytes > 0
    assert sample.shuffled_bytes > 0
