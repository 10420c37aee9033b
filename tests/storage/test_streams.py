"""Bytes of objects within their limits: what is just within is read, what is just beyond is refused, and nobody reads on after that."""

from __future__ import annotations

import io
import os
from typing import Any, BinaryIO, cast

import pytest
from msgspec.structs import replace

from pdfmill.schemas.records import DocumentRef
from pdfmill.transforms.storage.errors import AlreadyExistsError, SourceError
from pdfmill.transforms.storage.settings import SETTINGS
from pdfmill.transforms.storage.streams import check_limit, check_same, file_of_ranges, guarded, read_all, source_errors

REF = DocumentRef.of_uri("s3://b/a.pdf")
TEN = b"0123456789"


class Endless(io.RawIOBase):
    """A stream without end that counts what is taken of it."""

    def __init__(self) -> None:
        self.given = 0

    def read(self, size: int = -1, /) -> bytes:
        assert size > 0, "it would be read for ever"
        self.given += size
        return b"x" * size


def says(raised: pytest.ExceptionInfo[SourceError]) -> tuple[str, str]:
    return raised.value.code, raised.value.message.removeprefix("s3://b/a.pdf: ")


@pytest.mark.parametrize("trusted", [True, False])
@pytest.mark.parametrize(("size", "limit"), [(None, None), (10, None), (None, 10), (10, 10), (None, 11)])
def test_an_object_of_the_listed_size_within_the_limit_is_read(size: int | None, limit: int | None, trusted: bool) -> None:
    assert read_all(io.BytesIO(TEN), replace(REF, size=size), limit, trusted=trusted) == TEN


@pytest.mark.parametrize("trusted", [True, False])
def test_one_byte_beyond_the_limit_is_too_much(trusted: bool) -> None:
    with pytest.raises(SourceError) as raised:
        read_all(io.BytesIO(TEN), REF, 9, trusted=trusted)
    assert says(raised) == ("too_large", "more, the limit is 9 bytes")
    check_limit(REF, 10, 10)
    check_limit(REF, None, 9)
    check_limit(REF, 10, None)
    with pytest.raises(SourceError) as raised:
        check_limit(REF, 10, 9)
    assert says(raised) == ("too_large", "10 bytes, the limit is 9 bytes")


@pytest.mark.parametrize(("size", "now"), [(9, "more"), (11, "10 bytes")])
def test_another_size_than_the_listed_one_is_a_change(size: int, now: str) -> None:
    for trusted in (True, False):
        with pytest.raises(SourceError) as raised:
            read_all(io.BytesIO(TEN), replace(REF, size=size), None, trusted=trusted)
        assert says(raised) == ("changed", f"changed since it was listed (listed: {size} bytes, now: {now})")


def test_a_stream_without_end_is_read_one_byte_too_far() -> None:
    for ref, limit, code in ((REF, 3 * SETTINGS.chunk_bytes, "too_large"), (replace(REF, size=7), None, "changed")):
        stream = Endless()
        with pytest.raises(SourceError) as raised:
            read_all(stream, ref, limit)
        assert (raised.value.code, stream.given) == (code, (limit or 7) + 1)


def test_what_is_not_known_is_no_change() -> None:
    check_same(REF, None, "etag")
    check_same(REF, "etag", None)
    check_same(REF, "etag", "etag")
    with pytest.raises(SourceError) as raised:
        check_same(REF, "etag", "other")
    assert says(raised) == ("changed", "changed since it was listed (listed: etag, now: other)")


def ranged(size: int | None, asked: list[tuple[int, int]]) -> BinaryIO:
    def opened(offset: int, length: int) -> BinaryIO:
        asked.append((offset, length))
        return io.BytesIO(TEN[offset : offset + length])

    return file_of_ranges(opened, lambda ref, limit: TEN, replace(REF, size=size))


def test_a_file_of_ranges_is_read_as_any_file() -> None:
    asked: list[tuple[int, int]] = []
    file = ranged(10, asked)
    assert (file.readable(), file.seekable(), file.tell()) == (True, True, 0)
    assert (file.read(3), file.tell(), file.read(4)) == (b"012", 3, b"3456")
    assert (file.seek(-2, os.SEEK_END), file.read(), file.read(), file.read(1)) == (8, b"89", b"", b"")
    assert (file.seek(2), file.seek(3, os.SEEK_CUR), file.read(99)) == (2, 5, b"56789")
    file.seek(8)
    buffer = bytearray(b"....")
    assert (cast(Any, file).readinto(buffer), bytes(buffer)) == (2, b"89..")
    assert asked == [(0, 3), (3, 4), (8, 2), (5, 5), (8, 2)], "nothing is asked beyond the end"
    assert ranged(None, asked).read() == TEN, "of unknown size it is read whole"
    assert len(asked) == 5


def test_an_answer_that_breaks_off_is_asked_for_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pdfmill.transforms.storage.settings.time.sleep", lambda seconds: None)
    asked: list[tuple[int, int]] = []
    with pytest.raises(SourceError) as raised:
        ranged(12, asked).read()
    assert (raised.value.code, asked) == ("store_error", [(0, 12)] * SETTINGS.attempts)
    assert raised.value.message == "a response broke off after 10 of 12 bytes, which begin at byte 0"


def test_errors_of_clients_become_ours() -> None:
    def convert(uri: str, error: Exception) -> SourceError:
        return SourceError("changed" if isinstance(error, KeyError) else "store_error", f"{uri}: {error}")

    class Broken(io.RawIOBase):
        def read(self, size: int = -1, /) -> bytes:
            raise OSError("reset")

    with pytest.raises(SourceError, match="reset"):
        guarded(Broken(), (OSError,), lambda error: convert("s3://b/a.pdf", error)).read()
    there, away = KeyError("there is one"), OSError("away")
    for error, new, kind in ((there, True, AlreadyExistsError), (there, False, SourceError), (away, True, SourceError)):
        with pytest.raises(SourceError) as raised, source_errors("s3://b/a.pdf", (OSError, KeyError), convert, new=new):
            raise error
        assert type(raised.value) is kind
        assert raised.value.__cause__ is error
    with pytest.raises(ZeroDivisionError), source_errors("s3://b/a.pdf", (OSError,), convert, new=False):
        raise ZeroDivisionError
