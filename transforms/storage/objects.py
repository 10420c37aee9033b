"""Bytes of objects in any store: read whole and pinned, written whole or not at all."""

from __future__ import annotations

import io
from typing import BinaryIO, cast

from schemas.records import PARQUET_PREFIX, DocumentRef
from transforms.storage import local
from transforms.storage.addresses import WARC_PREFIX, Address, found, parse
from transforms.storage.errors import SourceError
from transforms.storage.streams import check_limit, check_same


def read_bytes(ref: DocumentRef, *, max_bytes: int | None = None) -> bytes:
    """The bytes of the object a reference names; of an embedded PDF, those of the object it is embedded in.

    Pinned: what is read is what was listed (etag, generation, size; local files: size and time), where the reference says so.
    Raises SourceError: not_found, no_such_bucket, permission_denied, changed, too_large (over max_bytes), store_error, bad_source.
    """
    check_limit(ref, ref.size, max_bytes)
    if ref.uri.startswith(WARC_PREFIX):
        return _read_record(ref, max_bytes)
    if ref.uri.startswith(PARQUET_PREFIX):
        return _read_row(ref, max_bytes)
    address = parse(ref.uri)
    if address.scheme == "file":
        return local.read(address.key, ref, max_bytes)
    if address.scheme == "s3":
        from transforms.storage import s3

        return s3.read(address.bucket, address.key, ref, max_bytes)
    if address.scheme == "gs":
        from transforms.storage import gcs

        return gcs.read(address.bucket, address.key, ref, max_bytes)
    from transforms.storage import web

    return web.read(address.key, ref, max_bytes)


def _read_record(ref: DocumentRef, max_bytes: int | None) -> bytes:
    from transforms.storage import warc

    archive, offset, length, _ = warc.parse_record_uri(ref.uri)
    check_limit(ref, length, max_bytes)
    data = warc.record_payload(ref.uri, read_range(archive, offset, length))
    check_limit(ref, len(data), max_bytes)
    return data


def _read_row(ref: DocumentRef, max_bytes: int | None) -> bytes:
    from transforms.storage import parquet

    data = parquet.row_reader().read(ref, lambda: _listed_file(ref, parquet.file_of(ref.uri)))
    check_limit(ref, len(data), max_bytes)
    return data


def _listed_file(row: DocumentRef, uri: str) -> BinaryIO:
    """The file that a row lies in, if it is still the one that was listed."""
    file = look_up(uri)
    check_same(row, row.etag, file.etag)
    check_same(row, row.modified, file.modified)
    return open_file(file)


def look_up(uri: str) -> DocumentRef:
    """The object of exactly this name, as its store knows it now. Raises SourceError as `read_bytes` does."""
    address = parse(uri)
    if address.scheme == "file":
        return local.look_up(address.key)
    if address.scheme == "s3":
        from transforms.storage import s3

        ref = s3.head(address.bucket, address.key)
    elif address.scheme == "gs":
        from transforms.storage import gcs

        ref = gcs.head(address.bucket, address.key)
    else:
        from transforms.storage import web

        ref = next(web.list_objects(address.key))
    if ref is None:
        raise SourceError("not_found", f"{uri}: no such object, or none that may be read")
    return ref


def exists(uri: str) -> bool:
    """Whether there is an object of exactly this name. Raises SourceError as `read_bytes` does, but not for a missing object."""
    try:
        look_up(uri)
    except SourceError as error:
        if error.code != "not_found":
            raise
        return False
    return True


def open_file(ref: DocumentRef) -> BinaryIO:
    """An object as a file with a place to read from; of stores, what is read comes in ranges. Raises SourceError, also while it is read."""
    address = parse(ref.uri)
    if address.scheme == "file":
        return local.open_stream(address.key, 0)
    if ref.size is None or address.scheme in ("http", "https"):
        return io.BytesIO(read_bytes(ref))
    return cast(BinaryIO, _Ranges(ref.uri, ref.size))


class _Ranges(io.RawIOBase):
    """An object of a store, read range by range."""

    def __init__(self, uri: str, size: int) -> None:
        self._uri = uri
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

    def read(self, size: int = -1, /) -> bytes:
        end = self._size if size < 0 else min(self._size, self._at + size)
        data = read_range(self._uri, self._at, end - self._at) if end > self._at else b""
        self._at += len(data)
        return data


def read_range(uri: str, offset: int, length: int) -> bytes:
    """`length` bytes from `offset` on; fewer where the object ends. Raises SourceError as `read_bytes` does."""
    with open_stream(uri, offset, length) as stream:
        return stream.read(length)


def open_stream(uri: str, offset: int = 0, length: int = -1) -> BinaryIO:
    """The object as a stream from `offset` on, of `length` bytes or (-1) to its end. Raises SourceError as `read_bytes` does."""
    address = parse(uri)
    if address.scheme == "file":
        return local.open_stream(address.key, offset)
    if address.scheme == "s3":
        from transforms.storage import s3

        return s3.open_stream(address.bucket, address.key, offset, length)
    if address.scheme == "gs":
        from transforms.storage import gcs

        return gcs.open_stream(address.bucket, address.key, offset, length)
    return io.BytesIO(read_bytes(found(address.uri))[offset : None if length < 0 else offset + length])


def read_file(uri: str) -> bytes:
    """The bytes at an address, unpinned; raises as `read_bytes` does."""
    return read_bytes(found(parse(uri).uri))


def write_bytes(uri: str, data: bytes) -> None:
    """Put an object, in place of one of that name; readers see it whole or not at all. Local folders are made.

    Raises SourceError: no_such_bucket, permission_denied, store_error, bad_source (http cannot be written).
    """
    address = _writable(uri)
    if address.scheme == "file":
        local.write(address.key, data)
    elif address.scheme == "s3":
        from transforms.storage import s3

        s3.write(address.bucket, address.key, data)
    else:
        from transforms.storage import gcs

        gcs.write(address.bucket, address.key, data)


def write_new(uri: str, data: bytes) -> None:
    """Put an object where there is none; of several writers one succeeds. Whole or not at all, as `write_bytes`.

    Raises AlreadyExistsError when there is one, else SourceError as `write_bytes` does.
    """
    address = _writable(uri)
    if address.scheme == "file":
        local.write(address.key, data, new=True)
    elif address.scheme == "s3":
        from transforms.storage import s3

        s3.write(address.bucket, address.key, data, new=True)
    else:
        from transforms.storage import gcs

        gcs.write(address.bucket, address.key, data, new=True)


def list_files(dir_uri: str, suffix: str) -> list[str]:
    """Canonical uris of all files below a folder whose names end with `suffix`, sorted; empty when there is no such folder.

    Raises SourceError: no_such_bucket, permission_denied, store_error, bad_source.
    """
    address = _writable(dir_uri)
    folder = address.key.rstrip("/") + "/" if address.key.strip("/") else ""
    if address.scheme == "file":
        return sorted(local.names(address.key, suffix))
    if address.scheme == "s3":
        from transforms.storage import s3

        return sorted(s3.names(address.bucket, folder, suffix))
    from transforms.storage import gcs

    return sorted(gcs.names(address.bucket, folder, suffix))


def join_uri(dir_uri: str, name: str) -> str:
    """The canonical uri of `name` (with slashes for folders) below a folder.

    >>> join_uri("s3://bucket/out/", "pages/a.parquet")
    's3://bucket/out/pages/a.parquet'
    """
    address = parse(dir_uri)
    key = address.key.rstrip("/")
    return Address(address.scheme, address.bucket, f"{key}/{name}" if key or address.scheme == "file" else name).uri


def delete_file(uri: str) -> None:
    """Delete an object; one that is not there is no error.

    Raises SourceError: no_such_bucket, permission_denied, store_error, bad_source.
    """
    address = _writable(uri)
    if address.scheme == "file":
        local.delete(address.key)
    elif address.scheme == "s3":
        from transforms.storage import s3

        s3.delete(address.bucket, address.key)
    else:
        from transforms.storage import gcs

        gcs.delete(address.bucket, address.key)


def check_writable(dir_uri: str) -> None:
    """Put a small object into the folder and take it away again: a full run is not the place to learn that it cannot be written.

    Raises SourceError as `write_bytes` does.
    """
    probe = join_uri(dir_uri, ".pdfmill-probe")
    write_bytes(probe, b"")
    delete_file(probe)


def _writable(uri: str) -> Address:
    address = parse(uri)
    if address.scheme in ("http", "https"):
        raise SourceError("bad_source", f"{uri}: cannot be written or listed; outputs go to a local path, s3:// or gs://")
    return address
