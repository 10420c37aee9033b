"""Google Cloud Storage: listings through google-cloud-storage, bytes through smart_open.

Credentials come from GOOGLE_APPLICATION_CREDENTIALS, gcloud's own, or the machine's account; without any, and with an emulator
(STORAGE_EMULATOR_HOST), requests go unsigned, which public buckets take.
"""

from __future__ import annotations

import io
import os
from collections.abc import Iterator
from typing import Any, BinaryIO, Final, cast

import google.auth
import requests
import smart_open.gcs
from google.api_core.exceptions import GoogleAPIError, NotFound, PreconditionFailed, RetryError
from google.auth.exceptions import DefaultCredentialsError, GoogleAuthError
from google.cloud import storage
from google.cloud.storage.exceptions import DataCorruption, InvalidResponse
from google.cloud.storage.retry import DEFAULT_RETRY

from schemas.records import DocumentRef
from transforms.storage.addresses import found
from transforms.storage.clients import per_process
from transforms.storage.errors import AlreadyExistsError, SourceError
from transforms.storage.globs import fixed_prefix, glob_regex, has_glob, is_flat
from transforms.storage.settings import SETTINGS, SUFFIXES
from transforms.storage.streams import check_same, read_all

_RETRY: Final = DEFAULT_RETRY.with_delay(SETTINGS.first_wait_s, SETTINGS.longest_wait_s, 2.0).with_timeout(SETTINGS.retry_deadline_s)
_TIMEOUT: Final = (SETTINGS.connect_timeout_s, SETTINGS.read_timeout_s)
_FIELDS: Final = "items(name,generation,size,updated,md5Hash,crc32c),nextPageToken"
_ERRORS: Final = (GoogleAPIError, GoogleAuthError, InvalidResponse, DataCorruption, requests.RequestException, OSError, ValueError)


@per_process
def client() -> Any:
    """The GCS client of this process."""
    if os.environ.get("STORAGE_EMULATOR_HOST"):
        return storage.Client.create_anonymous_client()
    try:
        credentials, project = google.auth.default(scopes=["https://www.googleapis.com/auth/devstorage.read_write"])
    except DefaultCredentialsError:
        return storage.Client.create_anonymous_client()
    return storage.Client(credentials=credentials, project=project or "none")


def list_objects(bucket: str, key: str) -> Iterator[DocumentRef]:
    """The object of this name, else the documents under it as a prefix, or what the glob matches; in the store's order (by name).

    Raises SourceError.
    """
    glob = has_glob(key)
    if not glob and key and not key.endswith("/"):
        named = head(bucket, key)
        if named is not None:
            yield named
            return
    regex = glob_regex(key) if glob else None
    empty = True
    for blob in _listing(bucket, fixed_prefix(key), flat=glob and is_flat(key)):
        name = str(blob.name)
        if not name.endswith("/") and (name == key or regex.fullmatch(name) if regex else name.lower().endswith(SUFFIXES)):
            empty = False
            yield _reference(bucket, blob)
    if empty:
        wanted = "" if glob else f" is or begins a name ending in {', '.join(SUFFIXES)}"
        raise SourceError("not_found", f"{_uri(bucket, key)}: the bucket has no object that matches{wanted}")


def read(bucket: str, key: str, ref: DocumentRef, max_bytes: int | None) -> bytes:
    """The object's bytes, of the listed generation. Raises SourceError."""
    uri = _uri(bucket, key)
    try:
        blob = client().bucket(bucket).get_blob(key, retry=_RETRY, timeout=_TIMEOUT)
        if blob is None:
            raise _missing(bucket, key)
        check_same(ref, ref.etag, str(blob.generation))
        pinned = {"if_generation_match": blob.generation, "retry": _RETRY, "timeout": _TIMEOUT}
        with smart_open.gcs.open(bucket, key, "rb", client=_Opened(blob), blob_open_kwargs=pinned) as stream:
            return read_all(stream, ref, max_bytes, trusted=ref.etag is not None)
    except _ERRORS as error:
        raise _as_source_error(uri, error, missing="not_found") from error


def open_stream(bucket: str, key: str, offset: int, length: int) -> BinaryIO:
    """A range of the object as a stream. Raises SourceError."""
    try:
        blob = client().bucket(bucket).blob(key)
        if length < 0:
            stream = blob.open("rb", retry=_RETRY, timeout=_TIMEOUT)
            stream.seek(offset)
            return cast(BinaryIO, stream)
        return io.BytesIO(blob.download_as_bytes(start=offset, end=offset + length - 1, retry=_RETRY, timeout=_TIMEOUT))
    except _ERRORS as error:
        raise _as_source_error(_uri(bucket, key), error, missing="not_found") from error


def write(bucket: str, key: str, data: bytes, *, new: bool = False) -> None:
    """Upload the object; GCS shows it when it is whole. Raises SourceError.

    new: only where there is none (generation 0), else AlreadyExistsError.
    """
    only_new = {"if_generation_match": 0} if new else {}
    try:
        blob = client().bucket(bucket).blob(key)
        blob.upload_from_string(data, "application/octet-stream", retry=_RETRY, timeout=_TIMEOUT, **only_new)
    except _ERRORS as error:
        if new and isinstance(error, PreconditionFailed):
            raise AlreadyExistsError(_uri(bucket, key)) from error
        raise _as_source_error(_uri(bucket, key), error) from error


def delete(bucket: str, key: str) -> None:
    """Delete the object; one that is not there is no error. Raises SourceError."""
    try:
        client().bucket(bucket).blob(key).delete(retry=_RETRY, timeout=_TIMEOUT)
    except NotFound:
        return
    except _ERRORS as error:
        raise _as_source_error(_uri(bucket, key), error) from error


def names(bucket: str, prefix: str, suffix: str) -> Iterator[str]:
    """Uris of the objects under a prefix whose names end with `suffix`. Raises SourceError."""
    return (_uri(bucket, blob.name) for blob in _listing(bucket, prefix) if blob.name.endswith(suffix))


class _Opened:
    """A client to smart_open that has one blob, already looked up: saves the second look, and opens the very generation we checked."""

    def __init__(self, blob: Any) -> None:
        self._blob = blob

    def bucket(self, _name: str) -> _Opened:
        """The bucket is this too."""
        return self

    def get_blob(self, _name: str) -> Any:
        """The blob."""
        return self._blob


def _uri(bucket: str, key: str) -> str:
    return f"gs://{bucket}/{key}"


def _reference(bucket: str, blob: Any) -> DocumentRef:
    return found(_uri(bucket, blob.name), etag=str(blob.generation), size=blob.size, modified=blob.updated, checksum=blob.md5_hash or blob.crc32c)


def _blob(bucket: str, key: str) -> Any | None:
    """The object of exactly this name; None when there is none, or none that may be seen (then the listing tells)."""
    try:
        return client().bucket(bucket).get_blob(key, retry=_RETRY, timeout=_TIMEOUT)
    except _ERRORS as error:
        refusal = _as_source_error(_uri(bucket, key), error)
        if refusal.code == "permission_denied":
            return None
        raise refusal from error


def head(bucket: str, key: str) -> DocumentRef | None:
    """The object of exactly this name; None when there is none, or none that may be seen. Raises SourceError."""
    blob = _blob(bucket, key)
    return None if blob is None else _reference(bucket, blob)


def _missing(bucket: str, key: str) -> SourceError:
    """get_blob says None for a missing bucket as for a missing object; the listing knows."""
    try:
        next(iter(client().list_blobs(bucket, prefix=key, max_results=1, retry=_RETRY, timeout=_TIMEOUT)), None)
    except _ERRORS as error:
        return _as_source_error(_uri(bucket, key), error)
    return SourceError("not_found", f"{_uri(bucket, key)}: the bucket has no such object")


def _listing(bucket: str, prefix: str, *, flat: bool = False) -> Iterator[Any]:
    """The listing's blobs, one call a page. flat: leave out what lies in folders further down."""
    try:
        yield from client().list_blobs(
            bucket,
            prefix=prefix,
            delimiter="/" if flat else None,
            page_size=SETTINGS.page_size,
            fields=_FIELDS,
            retry=_RETRY,
            timeout=_TIMEOUT,
        )
    except _ERRORS as error:
        raise _as_source_error(_uri(bucket, prefix), error) from error


def _as_source_error(uri: str, error: Exception, *, missing: str = "no_such_bucket") -> SourceError:
    """missing: what a 404 means; get_blob tells a missing object without one, so that for all but a download it is the bucket's."""
    cause: BaseException = error
    if isinstance(error, RetryError) and error.cause is not None:
        cause = error.cause
    if isinstance(cause, NotFound):
        code = missing
    elif isinstance(cause, PreconditionFailed):
        code = "changed"
    elif isinstance(cause, GoogleAuthError) or getattr(cause, "code", None) in (401, 403):
        code = "permission_denied"
    elif isinstance(cause, ValueError):
        code = "bad_source"
    else:
        code = "store_error"
    return SourceError(code, f"{uri}: {' '.join(str(cause).split())}")
