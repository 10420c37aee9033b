"""A book among letters is read by all processes, and the benchmark of workers tells what it measures."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.speed.made_documents import book, letters
from benchmarks.speed.processes import Cost
from benchmarks.speed.workers import AT_ONCE, measure, ratios, shares


def test_two_processes_share_a_book(tmp_path):
    letters(tmp_path, 10)
    book(tmp_path / "book.pdf", 320)
    read = shares(tmp_path)
    assert sum(read) == 330
    assert len(read) == 2
    assert max(read) <= 0.7 * sum(read), "other work on this machine may hold one up"


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
