"""The record of a job's parts is small, whatever the job."""

from benchmarks.last_steps import in_parquet, record_of, repeated, rows_of
from benchmarks.made_documents import letters
from pdfmill.schemas.records import TABLE_NAMES


def test_parcels_are_repeated_to_a_size():
    parcels = list(repeated([("a", b"x" * 100), ("b", b"y" * 50)], 400))
    assert sum(len(data) for _, data in parcels) == 450
    assert len({id(data) for _, data in parcels}) == len(parcels)


def test_the_command_reads_less_than_a_megabyte_after_100_million_pages():
    assert 100_000 < record_of(dict.fromkeys(TABLE_NAMES, 1), 5000) < 1_000_000


def test_parts_of_100_million_pages_are_between_64_and_512_mb(tmp_path):
    """The shards by the listing and its sample, as a job finds them; what writing one takes is held by tests/steps/test_write_tables.py."""
    letters(tmp_path, 3)
    rows = rows_of([str(tmp_path)])
    shards = rows.shards(100_000_000)
    part = rows.bytes_a_page("pages") * 100_000_000 / shards
    assert 64e6 < in_parquet(rows.packed["pages"], "pages") * part < 512e6
