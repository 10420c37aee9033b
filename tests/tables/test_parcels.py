"""Parcels: what goes in comes out, byte for byte, and smaller than its tables one by one."""

from __future__ import annotations

import pyarrow.parquet as pq
import pytest

from pdfmill.schemas.records import DocId, DocumentRef
from pdfmill.transforms.road.guarded_road import unguarded, walk_guarded
from pdfmill.transforms.road.job_settings import ReadSettings
from pdfmill.transforms.tables.output_layout import WriteSettings
from pdfmill.transforms.tables.packed_rows import parcel, unparcel, write_shard
from pdfmill.transforms.tables.parts import pack_rows
from pdfmill.transforms.tables.spool import decompress
from tests.pipeline.test_index import letter
from tests.walked import job_of


@pytest.fixture
def rows(tmp_path):
    """The packed rows of a letter in all tables that have some."""
    path = tmp_path / "letter.pdf"
    path.write_bytes(letter(3))
    (walked,) = walk_guarded(DocumentRef.of_uri(path.as_uri()), job_of(ReadSettings(isolate=False)), unguarded)
    return walked.rows


def plain(rows):
    return [(key, order, bytes(decompress(data))) for key, (order, data) in rows]


def test_rows_come_out_as_they_went_in(rows):
    doc_id, data = parcel(rows)
    assert doc_id == rows[0][1][0][0]
    assert len(rows) > 3
    assert plain(unparcel(0, data)) == plain(rows)
    assert len(data) < 0.8 * sum(len(packed) for _, (_, packed) in rows)


def test_numbers_that_fall_and_are_missing_come_out_as_they_went_in():
    assets = [
        {"doc_id": "a", "asset": number, "kind": "image", "byte_size": size, "width": None if number % 3 else -number}
        for number, size in enumerate([2**40, 3, 0, 2**62, 7] * 100, start=1)
    ]
    rows = list(pack_rows("assets", DocId("a"), assets, 1))
    assert plain(unparcel(0, parcel(rows)[1])) == plain(rows)


def test_a_parcel_is_never_empty():
    with pytest.raises(ValueError, match="no rows to pack"):
        parcel([])


def test_the_parts_of_a_shard_are_those_of_its_rows_whatever_came_first(rows, tmp_path):
    other = [((table, shard), (("b", *order[1:]), data)) for (table, shard), (order, data) in rows]
    written = [
        write_shard(0, parcels, WriteSettings((tmp_path / name).as_uri()))
        for name, parcels in (("x", [parcel(rows), parcel(other)]), ("y", [parcel(other), parcel(rows)]))
    ]
    assert {part.table: part.rows for part in written[0].parts} == {"documents": 2, "pages": 6, "blocks": 30, "sections": 12, "assets": 0}
    assert pq.read_table(tmp_path / "x" / "pages").num_rows == 6
    for path in (tmp_path / "x").rglob("*.parquet"):
        assert path.read_bytes() == (tmp_path / "y" / path.relative_to(tmp_path / "x")).read_bytes()
    assert [part.content for part in written[0].parts] == [part.content for part in written[1].parts]
