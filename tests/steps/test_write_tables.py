import io
import subprocess
import sys

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from msgspec.structs import replace

from pdfmill.pipeline.run.local import batches
from pdfmill.schemas.records import DocId, DocumentRef, document_id
from pdfmill.schemas.tables import TABLES, RowMismatchError
from pdfmill.transforms.storage.objects import read_file
from pdfmill.transforms.tables import parts
from pdfmill.transforms.tables.output_layout import WriteSettings, part_keys, part_name, shard_of
from pdfmill.transforms.tables.parts import empty_parts, pack_rows, write_part


def asset(doc_id, number):
    return {"doc_id": doc_id, "asset": number, "kind": "attachment", "name": f"{doc_id}-{number}"}


def packed(*rows_of_documents):
    return [item for rows in rows_of_documents for _, item in pack_rows("assets", rows[0]["doc_id"], rows, 1)]


def uris_of(written):
    return [part.uri for part in written.parts]


def read(uri):
    return pq.read_table(io.BytesIO(read_file(uri)))


def test_parts_do_not_depend_on_the_order_of_arrival(tmp_path):
    one, two = [asset("a", 1), asset("a", 2)], [asset("b", 1)]
    settings = [WriteSettings((tmp_path / name).as_uri()) for name in ("x", "y")]
    (first,) = uris_of(write_part(("assets", 0), packed(one, two), settings[0]))
    (second,) = uris_of(write_part(("assets", 0), packed(two, one), settings[1]))
    assert read_file(first) == read_file(second)
    assert read(first).column("name").to_pylist() == ["a-1", "a-2", "b-1"]


def test_a_retried_part_takes_the_place_of_the_first(tmp_path):
    settings = WriteSettings(tmp_path.as_uri())
    uris = {uri for _ in range(2) for uri in uris_of(write_part(("assets", 0), packed([asset("a", 1)]), settings))}
    assert len(uris) == 1
    assert [path.name for path in (tmp_path / "assets").iterdir()] == ["part-00000-of-00001.parquet"]


def test_tables_without_rows_exist(tmp_path):
    settings = WriteSettings(tmp_path.as_uri(), shards=2)
    written = {uri for key, rows in empty_parts(settings) for uri in uris_of(write_part(key, [rows], settings))}
    assert written == {part_name(*key, settings) for key in part_keys(settings)}
    assert len(written) == 2 * len(TABLES)
    assert all(read(uri).num_rows == 0 for uri in written)


def test_a_large_part_goes_on_in_further_files(tmp_path, monkeypatch):
    monkeypatch.setattr(parts, "ROW_GROUP_BYTES", 2000)
    many = [[asset(f"{number:03d}", row) for row in range(20)] for number in range(40)]
    whole, cut = WriteSettings((tmp_path / "x").as_uri()), WriteSettings((tmp_path / "y").as_uri(), max_part_bytes=5000)
    (one,) = uris_of(write_part(("assets", 0), packed(*many), whole))
    written = write_part(("assets", 0), reversed(packed(*many)), cut)
    files = {uri.rpartition("/")[2]: uri for uri in uris_of(written)}
    names = ["part-00000-of-00001.parquet", *(f"part-00000-of-00001.{number}.parquet" for number in range(2, len(files) + 1))]
    assert len(files) > 2
    assert pa.concat_tables(read(files[name]) for name in names).equals(read(one))
    rows = {part.uri: part.rows for part in written.parts}
    assert sum(rows.values()) == 800
    assert max(rows.values()) < 2 * min(rows.values()), "also the last file has its share"
    assert {part.uri: part.size for part in written.parts} == {uri: len(read_file(uri)) for uri in files.values()}


def test_rows_wait_on_disk_not_in_memory(tmp_path):
    """Memory of a part's writer holds keys, a row group and a file, however many rows there are."""
    code = (
        "import sys; from benchmarks.speed.processes import own_peak_mb\n"
        "from pdfmill.transforms.tables.parts import *; from pdfmill.schemas.records import DocId\n"
        "def rows():\n"
        "    for n in range(int(sys.argv[2])):\n"
        "        row = dict(doc_id=f'{n:06d}', asset=1, kind='attachment', name=os.urandom(20_000).hex())\n"
        "        yield from (item for _, item in pack_rows('assets', DocId(row['doc_id']), [row], 1))\n"
        "settings = WriteSettings(sys.argv[1], max_part_bytes=8 << 20)\n"
        "files = write_part(('assets', 0), rows(), settings)\n"
        "print(len(files.parts), own_peak_mb())"
    )
    told = [
        subprocess.run([sys.executable, "-c", code, tmp_path.as_uri(), str(count)], capture_output=True, text=True, check=True).stdout
        for count in (2_000, 8_000)
    ]
    (few, small), (many, large) = (tuple(map(int, each.split())) for each in told)
    assert many > 3 * few > 3
    assert large < small + 120, "240 MB more of rows; the allocator keeps some of what it was given back"


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
    assert len({part_name(*key, settings) for key in part_keys(settings)}) == settings.shards * len(TABLES)
    assert set(taken) <= set(range(settings.shards)), "every row is in a part that is named beforehand"
    if documents > 1:
        mean = documents / settings.shards
        assert all(0.9 * mean < taken.count(shard) < 1.1 * mean for shard in range(settings.shards))


def test_the_local_run_writes_a_part_for_so_many_documents_or_bytes():
    many = [replace(DocumentRef.of_uri(f"s3://archive/{number}.pdf"), size=1000) for number in range(2500)]
    assert [len(batch) for batch in batches(many, 1000, 1 << 30)] == [1000, 1000, 500]
    large = [replace(ref, size=400 << 20) for ref in many[:5]]
    assert [len(batch) for batch in batches(large, 1000, 1 << 30)] == [2, 2, 1]
