import io
from dataclasses import replace

import pyarrow.parquet as pq
import pytest

from pipeline.run.local import batches
from schemas.records import DocId, DocumentRef, document_id
from schemas.tables import TABLES, RowMismatchError
from transforms.settings import WriteSettings
from transforms.storage.objects import read_file
from transforms.tables.names import part_names, shard_of
from transforms.tables.parts import empty_parts, pack_rows, write_part


def asset(doc_id, number):
    return {"doc_id": doc_id, "asset": number, "kind": "attachment", "name": f"{doc_id}-{number}"}


def packed(*rows_of_documents):
    return [item for rows in rows_of_documents for _, item in pack_rows("assets", rows[0]["doc_id"], rows, 1)]


def read(uri):
    return pq.read_table(io.BytesIO(read_file(uri)))


def test_parts_do_not_depend_on_the_order_of_arrival(tmp_path):
    one, two = [asset("a", 1), asset("a", 2)], [asset("b", 1)]
    settings = [WriteSettings((tmp_path / name).as_uri()) for name in ("x", "y")]
    first = write_part(("assets", 0), packed(one, two), settings[0])
    second = write_part(("assets", 0), packed(two, one), settings[1])
    assert read_file(first) == read_file(second)
    assert read(first).column("name").to_pylist() == ["a-1", "a-2", "b-1"]


def test_a_retried_part_takes_the_place_of_the_first(tmp_path):
    settings = WriteSettings(tmp_path.as_uri())
    uris = {write_part(("assets", 0), packed([asset("a", 1)]), settings) for _ in range(2)}
    assert len(uris) == 1
    assert [path.name for path in (tmp_path / "assets").iterdir()] == ["part-00000-of-00001.parquet"]


def test_tables_without_rows_exist(tmp_path):
    settings = WriteSettings(tmp_path.as_uri(), shards=2)
    written = {write_part(key, [rows], settings) for key, rows in empty_parts(settings)}
    assert written == set(part_names(settings))
    assert len(written) == 2 * len(TABLES)
    assert all(read(uri).num_rows == 0 for uri in written)


def test_rows_of_one_document_stay_in_one_part():
    keys = {key for number in range(50) for key, _ in pack_rows("assets", DocId("doc"), [asset("doc", number)], 8)}
    assert len(keys) == 1


def test_rows_are_held_against_their_schema():
    with pytest.raises(RowMismatchError):
        list(pack_rows("assets", DocId("a"), [{"doc_id": "a", "asset": 1, "kind": 7}], 1))


@pytest.mark.parametrize("documents", [0, 1, 50_000])
def test_files_are_as_many_as_shards_whatever_the_input_and_alike_in_size(documents):
    settings = WriteSettings("file:///tables", shards=32)
    taken = [shard_of(document_id(f"s3://archive/{number}.pdf"), settings.shards) for number in range(documents)]
    assert len(set(part_names(settings))) == settings.shards * len(TABLES)
    assert set(taken) <= set(range(settings.shards)), "every row is in a part that is named beforehand"
    if documents > 1:
        mean = documents / settings.shards
        assert all(0.9 * mean < taken.count(shard) < 1.1 * mean for shard in range(settings.shards))


def test_the_local_run_writes_a_part_for_so_many_documents_or_bytes():
    many = [replace(DocumentRef.of_uri(f"s3://archive/{number}.pdf"), size=1000) for number in range(2500)]
    assert [len(batch) for batch in batches(many, 1000, 1 << 30)] == [1000, 1000, 500]
    large = [replace(ref, size=400 << 20) for ref in many[:5]]
    assert [len(batch) for batch in batches(large, 1000, 1 << 30)] == [2, 2, 1]
