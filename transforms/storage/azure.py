"""Azure Blob Storage: `az://container/name`, as adlfs and object_store write addresses too.
The account is named by the environment variables of Azure's command line: AZURE_STORAGE_CONNECTION_STRING; or AZURE_STORAGE_ACCOUNT with
AZURE_STORAGE_KEY or AZURE_STORAGE_SAS_TOKEN, and AZURE_STORAGE_SERVICE_ENDPOINT outside of the public cloud. With only the account, the
machine's identity is used if azure-identity is installed; otherwise requests are unsigned (for public containers)."""

from __future__ import annotations

import io
import time
from base64 import b64encode
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager
from functools import partial
from typing import Any, BinaryIO, Final

from azure.core import MatchConditions
from azure.core.exceptions import (
    AzureError,
    ClientAuthenticationError,
    HttpResponseError,
    IncompleteReadError,
    ServiceRequestError,
    ServiceResponseError,
)
from azure.storage.blob import BlobPrefix, BlobServiceClient

from pdfmill.schemas.records import DocumentRef
from pdfmill.transforms.storage.access import Access, access_of
from pdfmill.transforms.storage.addresses import Address
from pdfmill.transforms.storage.errors import STRANGE_ANSWERS, SourceError
from pdfmill.transforms.storage.secrets import fill_environment
from pdfmill.transforms.storage.sessions import per_process
from pdfmill.transforms.storage.settings import BUSY, SETTINGS, with_retries
from pdfmill.transforms.storage.store import Listed, listed_by
from pdfmill.transforms.storage.streams import guarded, ranged_by, read_all, source_errors

#: Our error codes for error codes of the service (Azure, "Blob service error codes") that are more specific than the HTTP status.
_CODES: Final[Mapping[str, str]] = {
    "ContainerNotFound": "no_such_bucket",
    "ContainerBeingDeleted": "no_such_bucket",
    "InvalidResourceName": "bad_source",
    "OutOfRangeInput": "bad_source",
    "BlobAlreadyExists": "changed",
    "BlobArchived": "archived",
    "BlobBeingRehydrated": "archived",
}
_STATUSES: Final[Mapping[int | None, str]] = {401: "permission_denied", 403: "permission_denied", 404: "not_found", 412: "changed"}
_ERRORS: Final = (AzureError, OSError, *STRANGE_ANSWERS)


@per_process
def client(access: Access) -> Any:
    """Return the Azure client of this process, without its own retries, which ignore status 429. Raises SourceError: bad_source for wrong
    options; permission_denied or store_error if credentials cannot be fetched from Secret Manager."""
    options = {
        "retry_total": 0,
        "connection_timeout": SETTINGS.connect_timeout_s,
        "read_timeout": SETTINGS.read_timeout_s,
    }
    fill_environment()
    told = access.variable
    try:
        if connection := told("AZURE_STORAGE_CONNECTION_STRING"):
            return BlobServiceClient.from_connection_string(connection, **options)
        if account := told("AZURE_STORAGE_ACCOUNT"):
            endpoint = access.endpoint or told("AZURE_STORAGE_SERVICE_ENDPOINT") or f"https://{account}.blob.core.windows.net"
            return BlobServiceClient(endpoint, credential=_credential(access, account), **options)
    except ValueError as error:
        raise SourceError("bad_source", f"az://: the account in the environment variables cannot be used: {error}") from error
    raise SourceError("bad_source", "az:// needs AZURE_STORAGE_CONNECTION_STRING, or AZURE_STORAGE_ACCOUNT, in the environment")


def _credential(access: Access, account: str) -> Any:
    if key := access.variable("AZURE_STORAGE_KEY"):
        return {"account_name": account, "account_key": key}
    if token := access.variable("AZURE_STORAGE_SAS_TOKEN"):
        return token.removeprefix("?")
    try:
        from azure.identity import DefaultAzureCredential
    except ModuleNotFoundError:
        return None
    return DefaultAzureCredential()


def head(at: Address) -> DocumentRef | None:
    """Return the reference to the blob of exactly this name; None if there is none or we may not see it. Raises SourceError."""
    with _errors_of(at):
        try:
            properties = with_retries(_blob(at).get_blob_properties, _is_transient)
        except HttpResponseError as error:
            if error.status_code in (403, 404):
                return None
            raise
    return _listed(properties).reference(at)


def read(at: Address, ref: DocumentRef, max_bytes: int | None) -> bytes:
    """Return the bytes of the version listed as `ref`. Raises SourceError: changed, too_large (over `max_bytes`), or the store failed."""
    pinned = {"etag": f'"{ref.etag}"', "match_condition": MatchConditions.IfNotModified} if ref.etag else {}

    def read_once() -> bytes:
        return read_all(_blob(at).download_blob(decompress=False, **pinned), ref, max_bytes, trusted=ref.etag is not None)

    try:
        return with_retries(read_once, _is_transient)
    except _ERRORS as error:
        refusal = _as_source_error(at.uri, error)
        if refusal.code == "changed" and head(at) is None:  # If-Match fails on a blob that is gone, too
            refusal = SourceError("not_found", f"{at.uri}: the container has no such blob")
        raise refusal from error


def open_stream(at: Address, offset: int, length: int) -> BinaryIO:
    """Open `length` bytes of the blob from `offset` on (-1: to its end) as a stream. Opening and reading raise SourceError."""
    count = length if length >= 0 else None
    with _errors_of(at):
        if count is None:
            stream = with_retries(lambda: _blob(at).download_blob(offset=offset, decompress=False), _is_transient)
            return guarded(stream, _ERRORS, partial(_as_source_error, at.uri))
        return io.BytesIO(
            with_retries(lambda: _blob(at).download_blob(offset=offset, length=count, decompress=False).readall(), _is_transient)
        )


def write(at: Address, data: bytes, *, new: bool) -> None:
    """Upload the blob; readers see it when it is complete. Raises SourceError.
    new: raise AlreadyExistsError if there is a blob of that name (If-None-Match)."""
    with _errors_of(at, new=new):
        with_retries(lambda: _blob(at).upload_blob(data, overwrite=not new, retry_total=SETTINGS.attempts - 1), _is_transient)


def move(at: Address, to: Address) -> None:
    """Copy the blob within the account, then delete the source. Raises SourceError.
    If Azure answers before the copy is finished, readers may see an incomplete blob meanwhile."""
    with _errors_of(at):
        copied = with_retries(lambda: _blob(to).start_copy_from_url(_blob(at).url), _is_transient)
        _wait_for_copy(at, to, copied["copy_status"])
    delete(at)


def _wait_for_copy(at: Address, to: Address, status: str) -> None:
    deadline = time.monotonic() + SETTINGS.copy_deadline_s
    while status == "pending" and time.monotonic() < deadline:
        time.sleep(SETTINGS.first_wait_s)
        status = with_retries(_blob(to).get_blob_properties, _is_transient).copy.status
    if status != "success":
        raise SourceError("store_error", f"{at.uri}: the copy to {to.uri} has the status {status}")


def delete(at: Address) -> None:
    """Delete the blob with its snapshots; a missing one is no error. Raises SourceError."""
    try:
        with_retries(lambda: _blob(at).delete_blob(delete_snapshots="include"), _is_transient)
    except _ERRORS as error:
        refusal = _as_source_error(at.uri, error)
        if refusal.code != "not_found":
            raise refusal from error


def _blob(at: Address) -> Any:
    if not at.key:
        raise SourceError("bad_source", f"{at.uri}: names a container, not a blob")
    return client(access_of(at)).get_blob_client(at.bucket, at.key)


def _listing(at: Address, flat: bool = False) -> Iterator[Listed]:
    """Yield the container's objects under a prefix, with one request per page of the listing. flat: leave out objects in deeper folders."""
    asked = {"name_starts_with": at.key or None, "results_per_page": SETTINGS.page_size, "include": ["metadata"]}
    with _errors_of(at):
        container = client(access_of(at)).get_container_client(at.bucket)
        pages = (container.walk_blobs(delimiter="/", **asked) if flat else container.list_blobs(**asked)).by_page()
        while (page := with_retries(lambda: next(pages, None), _is_transient)) is not None:
            yield from (_listed(item) for item in page if not _is_folder(item))


def _is_folder(item: Any) -> bool:
    return isinstance(item, BlobPrefix) or str((item.metadata or {}).get("hdi_isfolder")).lower() == "true"


def _listed(blob: Any) -> Listed:
    """Make the record of a blob in a listing. It has a checksum (MD5) only if it was uploaded in one request."""
    md5 = blob.content_settings.content_md5
    etag = str(blob.etag or "").strip('"') or None
    checksum = b64encode(md5).decode() if md5 else None
    return Listed(str(blob.name), etag, blob.size, blob.last_modified, checksum=checksum, archived=blob.blob_tier == "Archive")


def _is_transient(error: Exception) -> bool:
    if isinstance(error, HttpResponseError) and error.status_code is not None:
        return error.status_code in BUSY
    return isinstance(error, ServiceRequestError | ServiceResponseError | IncompleteReadError)


def _errors_of(at: Address, *, new: bool = False) -> AbstractContextManager[None]:
    return source_errors(at.uri, _ERRORS, _as_source_error, new=new)


def _as_source_error(uri: str, error: Exception) -> SourceError:
    """Convert a client's error to a SourceError with the first line of its message; the other lines contain ids of the request."""
    status = error.status_code if isinstance(error, HttpResponseError) else None
    named = getattr(error, "error_code", None)
    word = str(getattr(named, "value", named) or type(error).__name__)
    code = "permission_denied" if isinstance(error, ClientAuthenticationError) else _CODES.get(word) or _STATUSES.get(status, "store_error")
    return SourceError(code, f"{uri}: {word}: {str(error).strip().partition(chr(10))[0]}")


# The other functions of `Store`, made of those above.
list_objects, names = listed_by(head, _listing)
open_file = ranged_by(open_stream, read)
