"""Objects that one writer puts: it knows its own, also where the store's answer got lost."""

from __future__ import annotations

import contextlib

import pytest

from pdfmill.transforms.storage.errors import AlreadyExistsError
from pdfmill.transforms.storage.sessions import forget_clients
from pdfmill.transforms.tables.output_layout import claim
from tests.servers import Answer, FaultyHttp, S3Server

TAKEN = Answer(412, b"<Error><Code>PreconditionFailed</Code></Error>")


@pytest.fixture
def store(faulty_http: FaultyHttp, monkeypatch: pytest.MonkeyPatch) -> FaultyHttp:
    for name, value in S3Server(faulty_http.endpoint).environment.items():
        monkeypatch.setenv(name, value)
    forget_clients()
    return faulty_http


@pytest.mark.parametrize(("there", "refused"), [(b"mine", False), (b"another's", True)])
def test_a_put_whose_answer_got_lost_knows_its_own_object(there, refused, store):
    store.script.extend([Answer(500, b""), TAKEN])
    store.usual = Answer(200, there, {"ETag": '"one"'})
    with pytest.raises(AlreadyExistsError) if refused else contextlib.nullcontext():
        claim("s3://bucket/0.json", b"mine")
    assert [method for method, _, _ in store.seen][:2] == ["PUT", "PUT"]
    assert not store.script


def test_an_object_that_went_meanwhile_was_another_ones(store):
    store.script.extend([TAKEN])
    store.usual = Answer(404, b"<Error><Code>NoSuchKey</Code></Error>")
    with pytest.raises(AlreadyExistsError):
        claim("s3://bucket/0.json", b"mine")
