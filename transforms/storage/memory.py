"""The store of documents in the memory of this process: documents read from standard input, or passed to `pdfmill.read`.
Their address is `memory://DIGEST/NAME`. DIGEST is the first 16 hex digits of the bytes' SHA-256, so that equal bytes have equal ids."""

from __future__ import annotations

import io
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha256
from typing import BinaryIO, Final

from pdfmill.schemas.records import DocumentRef
from pdfmill.transforms.storage.addresses import Address, found
from pdfmill.transforms.storage.errors import SourceError
from pdfmill.transforms.storage.streams import check_limit

#: The stored bytes by address, as many times as `hold` was called and not undone.
_held: Final[dict[str, list[bytes]]] = {}


def hold(data: bytes, name: str) -> str:
    """Store the bytes, and return an address from which this process can read them. name: shown in messages."""
    uri = Address("memory", sha256(data).hexdigest()[:16], name).uri
    _held.setdefault(uri, []).append(data)
    return uri


@contextmanager
def held(data: bytes, name: str) -> Iterator[str]:
    """Store the bytes while the block runs, and return an address from which this process can read them. name: shown in messages."""
    uri = hold(data, name)
    try:
        yield uri
    finally:
        _held[uri].pop()
        if not _held[uri]:
            del _held[uri]


def list_objects(at: Address) -> Iterator[DocumentRef]:
    """Yield the reference to the bytes at this address. Raises SourceError(not_found) if there are none."""
    ref = head(at)
    if ref is None:
        raise _missing(at)
    yield ref


def head(at: Address) -> DocumentRef | None:
    """Return the reference to the bytes at this address; None if there are none."""
    return found(at.uri, size=len(_held[at.uri][0])) if at.uri in _held else None


def read(at: Address, ref: DocumentRef, max_bytes: int | None) -> bytes:
    """Return the bytes at this address. Raises SourceError: not_found, too_large above `max_bytes`. ref: for the message."""
    data = _bytes(at)
    check_limit(ref, len(data), max_bytes)
    return data


def open_stream(at: Address, offset: int, length: int) -> BinaryIO:
    """Return a stream of `length` bytes from `offset` on; -1 means to the end. Raises SourceError(not_found)."""
    data = _bytes(at)
    return io.BytesIO(data[offset:] if length < 0 else data[offset : offset + length])


def open_file(at: Address, ref: DocumentRef) -> BinaryIO:
    """Open the bytes as a file. Raises SourceError(not_found)."""
    return io.BytesIO(_bytes(at))


def _bytes(at: Address) -> bytes:
    if at.uri not in _held:
        raise _missing(at)
    return _held[at.uri][0]


def _missing(at: Address) -> SourceError:
    return SourceError("not_found", f"{at.uri}: this process has no bytes with that name")
