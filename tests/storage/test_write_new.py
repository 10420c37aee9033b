"""Create-only puts: of several writers one succeeds, in every store."""

import pytest

from transforms.storage.errors import AlreadyExistsError
from transforms.storage.objects import join_uri, read_file, write_new


@pytest.mark.parametrize("store", ["local", pytest.param("s3_server", marks=pytest.mark.servers), pytest.param("strict_s3_server", marks=pytest.mark.servers), pytest.param("strict_gcs_server", marks=pytest.mark.servers)])
def test_the_second_writer_is_refused(store, request, tmp_path):
    scheme = "gs" if "gcs" in store else "s3"
    folder = tmp_path.as_uri() if store == "local" else f"{scheme}://{request.getfixturevalue(store).make_bucket()}/log"
    uri = join_uri(folder, "0.json")
    write_new(uri, b"first")
    with pytest.raises(AlreadyExistsError, match="already"):
        write_new(uri, b"second")
    assert read_file(uri) == b"first"
