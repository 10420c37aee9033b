"""Read and write the bytes of objects in any store: reads check the listed version, and writes are complete or have no effect."""

from __future__ import annotations

from typing import BinaryIO

from pdfmill.schemas.records import PARQUET_PREFIX, TAR_PREFIX, DocumentRef
from pdfmill.transforms.storage.access import Reach, reaching
from pdfmill.transforms.storage.addresses import WARC_PREFIX, found, parse_record_uri
from pdfmill.transforms.storage.errors import SourceError
from pdfmill.transforms.storage.store import parse, source_of, store_of
from pdfmill.transforms.storage.streams import check_limit, check_same


def read_bytes(ref: DocumentRef, *, max_bytes: int | None = None, bound: Reach | None = None) -> bytes:
    """Return the bytes of the object that a reference names, if it is still the version that was listed; for an embedded PDF those of the
    object that contains it. max_bytes: largest size. bound: which addresses on the web may be requested.

    Raises SourceError: not_found, no_such_bucket, permission_denied, archived, changed, too_large (over max_bytes), store_error,
    bad_source."""
    check_limit(ref, ref.size, max_bytes)
    if ref.archived:
        raise SourceError("archived", f"{ref.uri}: is in an archive storage class; restore it before reading it")
    with reaching(bound):
        return _read(ref, max_bytes)


def _read(ref: DocumentRef, max_bytes: int | None) -> bytes:
    if ref.address.startswith(WARC_PREFIX):
        return _read_record(ref, max_bytes)
    if ref.address.startswith(TAR_PREFIX):
        from pdfmill.transforms.storage import tar

        return tar.read_member(ref, read_range)
    if ref.address.startswith(PARQUET_PREFIX):
        return _read_row(ref, max_bytes)
    at = parse(ref.address)
    return source_of(at).read(at, ref, max_bytes)


def _read_record(ref: DocumentRef, max_bytes: int | None) -> bytes:
    from pdfmill.transforms.storage import warc

    archive, offset, length, _ = parse_record_uri(ref.address)
    check_limit(ref, length, max_bytes)
    data = warc.record_payload(ref.uri, read_range(archive, offset, length))
    check_limit(ref, len(data), max_bytes)
    return data


def _read_row(ref: DocumentRef, max_bytes: int | None) -> bytes:
    from pdfmill.transforms.storage import parquet

    data = parquet.row_reader().read(ref, lambda: _listed_file(ref, parquet.file_of(ref.address)), max_bytes)
    check_limit(ref, len(data), max_bytes)
    return data


def _listed_file(row: DocumentRef, uri: str) -> BinaryIO:
    """Open the Parquet file at `uri`, after checking that it is still the version that was listed. row: reference to a row of the file."""
    file = look_up(uri)
    check_same(row, row.etag, file.etag)
    check_same(row, row.modified, file.modified)
    return open_file(file)


def look_up(uri: str) -> DocumentRef:
    """Return a reference to the current version of the object at an address. Raises SourceError, also if there is none."""
    at = parse(uri)
    ref = source_of(at).head(at)
    if ref is None:
        raise SourceError("not_found", f"{uri}: there is no such object, or access to it is denied")
    return ref


def look_up_if_there(uri: str) -> DocumentRef | None:
    """Return a reference to the object at an address; None if there is none. Raises SourceError if that cannot be found out."""
    try:
        return look_up(uri)
    except SourceError as error:
        if error.code != "not_found":
            raise
        return None


def exists(uri: str) -> bool:
    """Return whether there is an object of exactly this name. Raises SourceError if that cannot be found out."""
    return look_up_if_there(uri) is not None


def open_file(ref: DocumentRef) -> BinaryIO:
    """Open an object as a seekable file; an object in a store is fetched in ranges. Opening and reading raise SourceError."""
    at = parse(ref.address)
    return source_of(at).open_file(at, ref)


def read_range(uri: str, offset: int, length: int) -> bytes:
    """Return `length` bytes of an object from `offset` on; fewer if the object ends before. Raises SourceError if it cannot be read."""
    with open_stream(uri, offset, length) as stream:
        return stream.read(length)


def open_stream(uri: str, offset: int = 0, length: int = -1) -> BinaryIO:
    """Open an object as a stream of `length` bytes from `offset` on; -1 means to its end. Opening and reading raise SourceError."""
    at = parse(uri)
    return source_of(at).open_stream(at, offset, length)


def read_file(uri: str) -> bytes:
    """Return the bytes of the object at an address, whatever its version. Raises SourceError if it cannot be read."""
    return read_bytes(found(parse(uri).uri))


def read_if_there(uri: str) -> bytes | None:
    """Return the bytes of the object at an address; None if there is no object, or no such bucket. Raises SourceError if the store failed,
    or denied access."""
    try:
        return read_file(uri)
    except SourceError as error:
        if error.code not in ("not_found", "no_such_bucket"):
            raise
        return None


def write_bytes(uri: str, data: bytes) -> None:
    """Write an object, replacing an older one of that name. Readers see it complete or not at all. Local folders are created.

    Raises SourceError: no_such_bucket, permission_denied, store_error, bad_source (http cannot be written).
    """
    at = parse(uri)
    store_of(at).write(at, data, new=False)


def write_new(uri: str, data: bytes) -> None:
    """Write an object if there is none of that name; if several processes try, one succeeds. Readers see it complete or not at all.

    Raises AlreadyExistsError if there is one, SourceError if it cannot be written.
    """
    at = parse(uri)
    store_of(at).write(at, data, new=True)


def move_file(source_uri: str, target_uri: str) -> None:
    """Rename an object within its store, replacing an object of the new name; its bytes do not pass through this machine.
    In a store it is a copy and then a deletion, so that an interruption may leave both. Readers never see an incomplete object.

    Raises SourceError: not_found, bad_source (another store), no_such_bucket, permission_denied, store_error."""
    at, to = parse(source_uri), parse(target_uri)
    if at.scheme != to.scheme:
        raise SourceError("bad_source", f"{source_uri}: cannot be moved to another store ({target_uri})")
    store_of(at).move(at, to)


def list_files(dir_uri: str, suffix: str) -> list[str]:
    """Return the canonical URIs of all files below a folder whose names end with `suffix`, sorted; [] if there is no such folder.

    Raises SourceError: no_such_bucket, permission_denied, store_error, bad_source.
    """
    at = parse(dir_uri)
    return sorted(store_of(at).names(at, suffix))


def join_uri(dir_uri: str, name: str) -> str:
    """Return the canonical URI of `name` (with slashes for folders) below a folder.

    >>> join_uri("s3://bucket/out/", "pages/a.parquet")
    's3://bucket/out/pages/a.parquet'
    """
    return parse(dir_uri).below(name).uri


def delete_file(uri: str) -> None:
    """Delete an object; a missing one is no error.

    Raises SourceError: no_such_bucket, permission_denied, store_error, bad_source.
    """
    at = parse(uri)
    store_of(at).delete(at)


def check_writable(dir_uri: str) -> None:
    """Write a small object into the folder and delete it again, so that a run fails at its start if the folder cannot be written.

    Raises SourceError if it cannot.
    """
    probe = join_uri(dir_uri, ".pdfmill-probe")
    write_bytes(probe, b"")
    delete_file(probe)
