"""The record of a job's parts is small, whatever the job."""

from benchmarks.last_steps import record_of, repeated


def test_rows_are_repeated_to_a_size_each_time_of_other_documents():
    rows = list(repeated([(("a", 1), b"x" * 100), (("b", 1), b"y" * 50)], 400))
    assert sum(len(data) for _, data in rows) == 450
    assert len({key for key, _ in rows}) == len(rows)


def test_the_command_reads_less_than_a_megabyte_after_100_million_pages():
    assert record_of({"documents": 2, "pages": 53, "blocks": 14, "sections": 13, "assets": 1}, 32) < 1_000_000
