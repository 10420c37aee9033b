"""Create-only writing and moving, on a disk and in every store: the same questions to all."""

from __future__ import annotations

import pytest

from pdfmill.transforms.storage.errors import AlreadyExistsError, SourceError
from pdfmill.transforms.storage.objects import exists, join_uri, list_files, move_file, read_file, write_bytes, write_new
from tests.servers import STORE_SERVERS

EVERYWHERE = ["local", *(pytest.param(name, marks=pytest.mark.servers) for name in STORE_SERVERS)]
#: gcp-storage-emulator 2026.7.19 takes a create-only write for any write.
CREATE_ONLY = [store for store in EVERYWHERE if "gcs_server" not in getattr(store, "values", ())]


@pytest.fixture
def folder(request, tmp_path):
    name = request.param
    return f"{tmp_path.as_uri()}/log" if name == "local" else f"{STORE_SERVERS[name]}://{request.getfixturevalue(name).make_bucket()}/log"


@pytest.mark.parametrize("folder", CREATE_ONLY, indirect=True)
def test_the_second_writer_is_refused(folder):
    uri = join_uri(folder, "0.json")
    write_new(uri, b"first")
    with pytest.raises(AlreadyExistsError, match="already"):
        write_new(uri, b"second")
    assert read_file(uri) == b"first"


@pytest.mark.parametrize("folder", EVERYWHERE, indirect=True)
def test_an_object_is_moved_whole(folder):
    staged, public = join_uri(folder, "staged/a b.parquet"), join_uri(folder, "pages/deep/a b.parquet")
    data = bytes(range(256)) * 40_000  # over the 8 MB from which S3's client copies in parts
    write_bytes(staged, data)
    move_file(staged, public)
    assert read_file(public) == data
    assert list_files(folder, "") == [public]


@pytest.mark.parametrize("folder", EVERYWHERE, indirect=True)
def test_a_move_takes_the_place_of_what_was_there(folder):
    staged, public = join_uri(folder, "staged.txt"), join_uri(folder, "public.txt")
    write_bytes(public, b"old")
    write_bytes(staged, b"new")
    move_file(staged, public)
    assert (read_file(public), exists(staged)) == (b"new", False)


@pytest.mark.parametrize("folder", EVERYWHERE, indirect=True)
def test_what_is_not_there_cannot_be_moved(folder):
    public = join_uri(folder, "public.txt")
    write_bytes(public, b"old")
    with pytest.raises(SourceError) as refused:
        move_file(join_uri(folder, "missing.txt"), public)
    assert (refused.value.code, read_file(public)) == ("not_found", b"old")


def test_nothing_is_moved_from_store_to_store(tmp_path):
    write_bytes(f"{tmp_path}/a", b"a")
    with pytest.raises(SourceError, match="another store"):
        move_file(f"{tmp_path}/a", "s3://bucket/a")
