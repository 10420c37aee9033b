"""Read streams of bytes within limits of size, and wrap the streams of stores."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any, BinaryIO, Protocol, cast

from pdfmill.schemas.records import DocumentRef
from pdfmill.transforms.storage.addresses import Address
from pdfmill.transforms.storage.errors import AlreadyExistsError, SourceError
from pdfmill.transforms.storage.settings import SETTINGS, with_retries


class Readable(Protocol):
    """A stream of bytes: the one method that `read_all` needs."""

    def read(self, size: int = -1, /) -> bytes: ...


def read_all(stream: Readable, ref: DocumentRef, max_bytes: int | None, *, trusted: bool = False) -> bytes:
    """Read the stream to its end, and check it against the listed size and the limit (None for no limit).
    trusted: the store itself guarantees the listed version; otherwise nothing beyond one byte over the expected size is read.
    Raises SourceError: changed if the size is not the listed one, too_large above max_bytes."""
    if trusted and ref.size is not None:
        data = stream.read()
    else:
        expected = ref.size if ref.size is not None else max_bytes
        data = stream.read() if expected is None else _read_up_to(stream, expected + 1)
    if ref.size is not None and len(data) != ref.size:
        told = "more" if len(data) > ref.size else f"{len(data)} bytes"
        raise changed(ref.uri, f"{ref.size} bytes", told)
    if max_bytes is not None and len(data) > max_bytes:
        raise too_large(ref.uri, None, max_bytes)
    return data


def check_limit(ref: DocumentRef, size: int | None, max_bytes: int | None) -> None:
    """Raise SourceError(too_large) if the size in bytes exceeds the limit; a size of None is unknown and passes. ref: for the message."""
    if max_bytes is not None and size is not None and size > max_bytes:
        raise too_large(ref.uri, size, max_bytes)


def check_same(ref: DocumentRef, listed: object, there: object) -> None:
    """Raise SourceError(changed) if a property of an object is not what it was in the listing; None is unknown."""
    if listed is not None and there is not None and listed != there:
        raise changed(ref.uri, listed, there)


def changed(uri: str, listed: object, there: object) -> SourceError:
    """Return the error for an object that has changed since it was listed. listed, there: the property's value in the listing, and now."""
    return SourceError("changed", f"{uri}: changed since it was listed (listed: {listed}, now: {there})")


def too_large(uri: str, size: int | None, max_bytes: int) -> SourceError:
    """Return the error for an object larger than `max_bytes`. size: in bytes, None if it is not known."""
    told = f"{size} bytes" if size is not None else "more"
    return SourceError("too_large", f"{uri}: {told}, the limit is {max_bytes} bytes")


def _read_up_to(stream: Readable, count: int) -> bytes:
    pieces: list[bytes] = []
    while count > 0:
        piece = stream.read(min(count, SETTINGS.chunk_bytes))
        if not piece:
            break
        pieces.append(piece)
        count -= len(piece)
    return b"".join(pieces)


@contextmanager
def source_errors(
    uri: str, broken: tuple[type[Exception], ...], as_error: Callable[[str, Exception], SourceError], *, new: bool
) -> Iterator[None]:
    """Return a context that converts exceptions of a client (`broken`) to SourceError by `as_error`.
    new: the block may only create an object; AlreadyExistsError is raised if `as_error` gives the code "changed"."""
    try:
        yield
    except broken as error:
        failure = as_error(uri, error)
        raise (AlreadyExistsError(uri) if new and failure.code == "changed" else failure) from error


def guarded(stream: Readable, broken: tuple[type[Exception], ...], as_error: Callable[[Exception], SourceError]) -> BinaryIO:
    """Wrap a client's stream so that its errors in reading (`broken`) become SourceError, by `as_error`."""
    return cast(BinaryIO, _Guarded(stream, broken, as_error))


class _Guarded(io.RawIOBase):
    def __init__(self, stream: Readable, broken: tuple[type[Exception], ...], as_error: Callable[[Exception], SourceError]) -> None:
        self._stream = stream
        self._broken = broken
        self._as_error = as_error

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1, /) -> bytes:
        try:
            return self._stream.read(size)
        except self._broken as error:
            raise self._as_error(error) from error


def file_of_ranges(
    open_range: Callable[[int, int], BinaryIO], read_whole: Callable[[DocumentRef, int | None], bytes], ref: DocumentRef
) -> BinaryIO:
    """Open an object of a store as a seekable file that is fetched in ranges, or as a whole if its size is unknown.
    open_range: takes (offset, length) and returns a stream of these bytes. read_whole: takes (ref, max_bytes) and returns all bytes."""
    if ref.size is None:
        return io.BytesIO(read_whole(ref, None))
    return cast(BinaryIO, _Ranges(open_range, ref.size))


def ranged_by(
    open_stream: Callable[[Address, int, int], BinaryIO], read: Callable[[Address, DocumentRef, int | None], bytes]
) -> Callable[[Address, DocumentRef], BinaryIO]:
    """Return the function `open_file` of a store whose objects are fetched in ranges, made of its `open_stream` and `read`."""

    def open_file(at: Address, ref: DocumentRef) -> BinaryIO:
        return file_of_ranges(partial(open_stream, at), partial(read, at), ref)

    return open_file


class _Ranges(io.RawIOBase):
    def __init__(self, open_range: Callable[[int, int], BinaryIO], size: int) -> None:
        self._open = open_range
        self._size = size
        self._at = 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._at

    def seek(self, offset: int, whence: int = io.SEEK_SET, /) -> int:
        self._at = offset + {io.SEEK_SET: 0, io.SEEK_CUR: self._at, io.SEEK_END: self._size}[whence]
        return self._at

    def readinto(self, buffer: Any, /) -> int:
        data = self.read(len(buffer))
        buffer[: len(data)] = data
        return len(data)

    def read(self, size: int = -1, /) -> bytes:
        end = self._size if size < 0 else min(self._size, self._at + size)
        data = self._take(end - self._at) if end > self._at else b""
        self._at += len(data)
        return data

    def _take(self, count: int) -> bytes:
        def once() -> bytes:
            with self._open(self._at, count) as stream:
                data = stream.read(count)
            if len(data) < count:
                raise SourceError("store_error", f"a response broke off after {len(data)} of {count} bytes, which begin at byte {self._at}")
            return data

        return with_retries(once, lambda error: isinstance(error, SourceError) and error.code == "store_error")
