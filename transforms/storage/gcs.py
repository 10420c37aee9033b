"""Google Cloud Storage: listings through google-cloud-storage, bytes through smart_open.
Credentials come from GOOGLE_APPLICATION_CREDENTIALS, from the login of the command gcloud, or from the machine's account. Without any
credentials, and with an emulator (STORAGE_EMULATOR_HOST), requests are unsigned, which public buckets accept."""

from __future__ import annotations

import io
from collections.abc import Iterator
from contextlib import AbstractContextManager, suppress
from functools import partial
from typing import Any, BinaryIO, Final

import google.auth
import requests
import smart_open.gcs
from google.api_core.exceptions import GoogleAPIError, NotFound, PreconditionFailed, RetryError
from google.auth.credentials import AnonymousCredentials
from google.auth.exceptions import DefaultCredentialsError, GoogleAuthError
from google.cloud import storage
from google.cloud.storage.exceptions import DataCorruption, InvalidResponse
from google.cloud.storage.retry import DEFAULT_RETRY

from pdfmill.schemas.records import DocumentRef
from pdfmill.transforms.storage.access import Access, access_of
from pdfmill.transforms.storage.addresses import Address, VersionedAddress
from pdfmill.transforms.storage.errors import STRANGE_ANSWERS, SourceError
from pdfmill.transforms.storage.sessions import per_process
from pdfmill.transforms.storage.settings import SETTINGS
from pdfmill.transforms.storage.store import EVERY_KEY, KeyRange, Listed, cut_by, listed_by, within
from pdfmill.transforms.storage.streams import check_same, guarded, ranged_by, read_all, source_errors

_SCOPES: Final = ["https://www.googleapis.com/auth/devstorage.read_write"]
_RETRY: Final = DEFAULT_RETRY.with_delay(SETTINGS.first_wait_s, SETTINGS.longest_wait_s, 2.0).with_timeout(SETTINGS.retry_deadline_s)
_TIMEOUT: Final = (SETTINGS.connect_timeout_s, SETTINGS.read_timeout_s)
_FIELDS: Final = "items(name,generation,size,updated,md5Hash,crc32c),nextPageToken"
_ERRORS: Final = (GoogleAPIError, GoogleAuthError, InvalidResponse, DataCorruption, requests.RequestException, OSError, *STRANGE_ANSWERS)


@per_process
def client(access: Access) -> Any:
    """Return the GCS client of this process. Raises SourceError(bad_source) if the credentials cannot be read."""
    if endpoint := access.endpoint or access.variable("STORAGE_EMULATOR_HOST"):
        return storage.Client("none", AnonymousCredentials(), client_options={"api_endpoint": endpoint})
    try:
        named = access.variable("GOOGLE_APPLICATION_CREDENTIALS") if access.variables else None
        found = google.auth.load_credentials_from_file(named, _SCOPES) if named else google.auth.default(_SCOPES)
    except DefaultCredentialsError as error:
        if access.variables:
            raise SourceError("bad_source", f"{access.at}: {error}") from error
        return storage.Client.create_anonymous_client()
    credentials, project = found
    return storage.Client(credentials=credentials, project=project or "none")


def _bucket_of(at: Address) -> Any:
    """Return the client's object for a bucket, with the project to which requests are billed. Nothing is requested."""
    access = access_of(at)
    return client(access).bucket(at.bucket, user_project=access.billed_project)


def _generation(at: Address) -> int | None:
    """Return the generation (version number) in an address, or None. Raises SourceError(bad_source) if it is no number."""
    version = at.version if isinstance(at, VersionedAddress) else ""
    if version and not version.isdecimal():
        raise SourceError("bad_source", f"{at.uri}: the version must be a generation number of GCS")
    return int(version) if version else None


def read(at: Address, ref: DocumentRef, max_bytes: int | None) -> bytes:
    """Return the bytes of the version listed as `ref`. Raises SourceError: changed, too_large (over `max_bytes`), or the store failed."""
    with _errors_of(at, missing="not_found"):
        blob = _bucket_of(at).get_blob(at.key, generation=_generation(at), retry=_RETRY, timeout=_TIMEOUT)
        if blob is None:
            raise _missing(at)
        check_same(ref, ref.etag, str(blob.generation))
        pinned = {"if_generation_match": blob.generation, "retry": _RETRY, "timeout": _TIMEOUT}
        with smart_open.gcs.open(
            at.bucket, at.key, "rb", client=_Opened(_blob(at) if _generation(at) else blob), blob_open_kwargs=pinned
        ) as stream:
            return read_all(stream, ref, max_bytes, trusted=ref.etag is not None)


def open_stream(at: Address, offset: int, length: int) -> BinaryIO:
    """Open `length` bytes of the object from `offset` on (-1: to its end) as a stream. Raises SourceError."""
    with _errors_of(at, missing="not_found"):
        blob = _blob(at)
        if length < 0:
            stream = blob.open("rb", retry=_RETRY, timeout=_TIMEOUT)
            stream.seek(offset)
            return guarded(stream, _ERRORS, partial(_as_source_error, at.uri, missing="not_found"))
        return io.BytesIO(blob.download_as_bytes(start=offset, end=offset + length - 1, retry=_RETRY, timeout=_TIMEOUT))


def write(at: Address, data: bytes, *, new: bool) -> None:
    """Upload the object, a large one in parts, each with its own retries. Readers see it when it is complete. Raises SourceError.
    new: raise AlreadyExistsError if there is an object of that name (generation 0)."""
    only_new = {"if_generation_match": 0} if new else {}
    with _errors_of(at, new=new):
        blob = _blob(at)
        blob.chunk_size = SETTINGS.part_bytes
        blob.upload_from_string(data, "application/octet-stream", retry=_RETRY, timeout=_TIMEOUT, **only_new)


def move(at: Address, to: Address) -> None:
    """Copy the object within GCS ("rewrite", by as many calls as it needs), then delete the source. Raises SourceError."""
    token = None
    with _errors_of(at, missing="not_found"):
        while True:
            token, _, _ = _blob(to).rewrite(_blob(at), token=token, retry=_RETRY, timeout=_TIMEOUT)
            if token is None:
                break
    delete(at)


def delete(at: Address) -> None:
    """Delete the object; a missing one is no error. Raises SourceError."""
    with _errors_of(at), suppress(NotFound):
        _blob(at).delete(retry=_RETRY, timeout=_TIMEOUT)


def head(at: Address) -> DocumentRef | None:
    """Return the reference to the object of exactly this name; None if there is none or we may not see it. Raises SourceError."""
    try:
        blob = _bucket_of(at).get_blob(at.key, generation=_generation(at), retry=_RETRY, timeout=_TIMEOUT)
    except _ERRORS as error:
        refusal = _as_source_error(at.uri, error)
        if refusal.code == "permission_denied":
            return None
        raise refusal from error
    return None if blob is None else _listed(blob).reference(at)


class _Opened:
    """A stand-in for the client and the bucket that smart_open asks for a blob: it gives the blob whose generation was checked."""

    def __init__(self, blob: Any) -> None:
        self._blob = blob

    def bucket(self, _name: str) -> _Opened:
        return self

    def get_blob(self, _name: str) -> Any:
        return self._blob


def _blob(at: Address) -> Any:
    return _bucket_of(at).blob(at.key, generation=_generation(at))


def _listed(blob: Any) -> Listed:
    return Listed(str(blob.name), str(blob.generation), blob.size, blob.updated, checksum=blob.md5_hash or blob.crc32c)


def _missing(at: Address) -> SourceError:
    """Return the error for an object that was not found, after a request that shows whether the bucket is missing too."""
    try:
        next(iter(_bucket_of(at).list_blobs(prefix=at.key, max_results=1, retry=_RETRY, timeout=_TIMEOUT)), None)
    except _ERRORS as error:
        return _as_source_error(at.uri, error)
    return SourceError("not_found", f"{at.uri}: the bucket has no such object")


def _listing(at: Address, flat: bool = False, keys: KeyRange = EVERY_KEY, at_once: int | None = None) -> Iterator[Listed]:
    """Yield the bucket's objects under a prefix. flat: leave out objects in deeper folders. at_once: objects per request."""
    asked = {"prefix": at.key, "delimiter": "/" if flat else None, "page_size": at_once or SETTINGS.page_size, "start_offset": keys.after}
    with _errors_of(at):
        blobs = _bucket_of(at).list_blobs(**asked, fields=_FIELDS, retry=_RETRY, timeout=_TIMEOUT)
        yield from within((_listed(blob) for blob in blobs), keys)


def _errors_of(at: Address, *, new: bool = False, missing: str = "no_such_bucket") -> AbstractContextManager[None]:
    """Return a context that converts the client's exceptions to SourceError. missing: error code for HTTP status 404. new: if the object
    exists already, raise AlreadyExistsError."""
    return source_errors(at.uri, _ERRORS, partial(_as_source_error, missing=missing), new=new)


def _as_source_error(uri: str, error: Exception, *, missing: str = "no_such_bucket") -> SourceError:
    """Convert a client's error to a SourceError. missing: error code for HTTP status 404: `not_found` if it means that the object is
    missing, `no_such_bucket` if the bucket is."""
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


# The other functions of `Store`, made of those above.
list_objects, names = listed_by(head, _listing)
list_keys, keys_after = cut_by(_listing)
open_file = ranged_by(open_stream, read)
