"""S3 and services with its protocol: listings through boto3, bytes through smart_open.
Credentials, region and endpoint come from boto3's usual places: AWS_ACCESS_KEY_ID and so on, ~/.aws, the machine's role, AWS_REGION,
AWS_ENDPOINT_URL_S3, AWS_ENDPOINT_URL. Without any credentials requests are unsigned, which public buckets accept.
`pdfmill.transforms.storage.access` has further options for a bucket or prefix."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager
from functools import partial
from typing import Any, BinaryIO, Final, TypeVar

import boto3
import smart_open.s3
from boto3.s3.transfer import TransferConfig
from botocore import UNSIGNED
from botocore.client import Config
from botocore.exceptions import (
    BotoCoreError,
    ClientError,
    HTTPClientError,
    NoCredentialsError,
    ParamValidationError,
    PartialCredentialsError,
    ProfileNotFound,
)

from pdfmill.schemas.records import DocumentRef
from pdfmill.transforms.storage.access import Access, access_of
from pdfmill.transforms.storage.addresses import Address, VersionedAddress
from pdfmill.transforms.storage.errors import STRANGE_ANSWERS, SourceError
from pdfmill.transforms.storage.secrets import fill_environment
from pdfmill.transforms.storage.sessions import per_process
from pdfmill.transforms.storage.settings import SETTINGS, with_retries
from pdfmill.transforms.storage.store import EVERY_KEY, KeyRange, Listed, cut_by, listed_by, within
from pdfmill.transforms.storage.streams import guarded, ranged_by, read_all, source_errors

T = TypeVar("T")

#: Our error codes for error codes of the S3 API (Amazon S3 API Reference, "Error responses"); the response to a HEAD request has only a
#: status.
_CODES: Final[Mapping[str, str]] = {
    "NoSuchKey": "not_found",
    "NoSuchVersion": "not_found",
    "404": "not_found",
    "NotFound": "not_found",
    "NoSuchBucket": "no_such_bucket",
    "InvalidBucketName": "bad_source",
    "KeyTooLongError": "bad_source",
    "InvalidObjectState": "archived",
    "PreconditionFailed": "changed",
    "412": "changed",
    "AccessDenied": "permission_denied",
    "AllAccessDisabled": "permission_denied",
    "AccountProblem": "permission_denied",
    "AuthorizationHeaderMalformed": "permission_denied",
    "ExpiredToken": "permission_denied",
    "InvalidAccessKeyId": "permission_denied",
    "InvalidToken": "permission_denied",
    "SignatureDoesNotMatch": "permission_denied",
    "XAdminUserNotFound": "permission_denied",  # versitygw, for an access key it does not know; with status 404
    "401": "permission_denied",
    "403": "permission_denied",
}
#: Storage classes whose objects must be restored before reading (Amazon S3 user guide, "Understanding S3 Glacier storage classes").
_ARCHIVES: Final = ("GLACIER", "DEEP_ARCHIVE")
_ERRORS: Final = (ClientError, BotoCoreError, HTTPClientError, OSError, *STRANGE_ANSWERS)


@per_process
def client(access: Access) -> Any:
    """Return the S3 client of this process, which threads can share. Raises SourceError: bad_source for a missing profile;
    permission_denied or store_error if credentials cannot be fetched from Secret Manager."""
    fill_environment()
    try:
        session = boto3.session.Session(**(_credentials(access) if access.variables else {}), profile_name=access.profile)
    except ProfileNotFound as error:
        raise SourceError("bad_source", f"{access.at}: {error}") from error
    unsigned = {} if session.get_credentials() else {"signature_version": UNSIGNED}
    config = Config(
        retries={"mode": "standard", "total_max_attempts": SETTINGS.attempts},
        connect_timeout=SETTINGS.connect_timeout_s,
        read_timeout=SETTINGS.read_timeout_s,
        **unsigned,
    )
    # boto3 reads AWS_DEFAULT_REGION only; every other AWS client reads AWS_REGION first
    region = access.region or access.variable("AWS_REGION") or session.region_name or "us-east-1"
    endpoint = access.endpoint or access.variable("AWS_ENDPOINT_URL_S3") or access.variable("AWS_ENDPOINT_URL")
    return session.client("s3", config=config, region_name=region, endpoint_url=endpoint)


def _credentials(access: Access) -> dict[str, str | None]:
    return {name.lower(): access.variable(name) for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN")}


def _client_of(at: Address) -> Any:
    return client(access_of(at))


def _named(at: Address) -> dict[str, Any]:
    version = {"VersionId": at.version} if isinstance(at, VersionedAddress) and at.version else {}
    return {"Bucket": at.bucket, "Key": at.key, **version}


def _paid(at: Address) -> dict[str, Any]:
    return {"RequestPayer": "requester"} if access_of(at).requester_pays else {}


def _opened(at: Address, before: str = "") -> dict[str, Any]:
    """Return the parameters for decryption and billing of a request that reads an object. before: "CopySource" for the source of a copy."""
    key = access_of(at).key_of_customer()
    return _paid(at) | ({f"{before}SSECustomerAlgorithm": "AES256", f"{before}SSECustomerKey": key} if key else {})


def _sealed(at: Address) -> dict[str, Any]:
    kms_key = access_of(at).kms_key
    named = {"SSEKMSKeyId": kms_key} if kms_key else {}
    return _opened(at) | ({"ServerSideEncryption": "aws:kms", **named} if kms_key is not None else {})


def read(at: Address, ref: DocumentRef, max_bytes: int | None) -> bytes:
    """Return the bytes of the version listed as `ref`. Raises SourceError: changed, too_large (over `max_bytes`), or the store failed."""
    match = {"IfMatch": f'"{ref.etag}"'} if ref.etag else {}

    def read_once() -> bytes:
        asked = {"S3.Client.get_object": match | _opened(at)}
        with smart_open.s3.open(
            at.bucket, at.key, "rb", _named(at).get("VersionId"), client=_client_of(at), client_kwargs=asked,
            buffer_size=SETTINGS.chunk_bytes, defer_seek=True,
        ) as stream:  # fmt: skip
            return read_all(stream, ref, max_bytes, trusted=ref.etag is not None)

    with _errors_of(at):
        return _asked(read_once)


def open_stream(at: Address, offset: int, length: int) -> BinaryIO:
    """Open `length` bytes of the object from `offset` on (-1: to its end) as a stream, by one request. Raises SourceError."""
    end = offset + length - 1 if length >= 0 else ""
    with _errors_of(at):
        answer = _asked(lambda: _client_of(at).get_object(**_named(at), **_opened(at), Range=f"bytes={offset}-{end}"))
    return guarded(answer["Body"], _ERRORS, partial(_as_source_error, at.uri))


def write(at: Address, data: bytes, *, new: bool) -> None:
    """Upload the object, a large one in parts, each with its own retries. Readers see it when it is complete. Raises SourceError.
    new: raise AlreadyExistsError if there is an object with that key (If-None-Match, in one request)."""

    def put() -> None:
        if new or len(data) < SETTINGS.part_bytes:
            only_new = {"IfNoneMatch": "*"} if new else {}
            _client_of(at).put_object(**_named(at), **_sealed(at), Body=data, **only_new)
        else:
            parts = TransferConfig(multipart_threshold=SETTINGS.part_bytes, multipart_chunksize=SETTINGS.part_bytes, max_concurrency=2)
            _client_of(at).upload_fileobj(io.BytesIO(data), at.bucket, at.key, ExtraArgs=_sealed(at), Config=parts)

    with _errors_of(at, new=new):
        _asked(put)


def _asked(action: Callable[[], T]) -> T:
    return with_retries(action, _is_transient, SETTINGS)


def _is_transient(error: Exception) -> bool:
    """Return whether to retry a request: after status 429 (throttled), and after 409 (another conditional write of the key is running)."""
    cause = getattr(error, "backend_error", None) or error
    if not isinstance(cause, ClientError):
        return False
    status, code = cause.response.get("ResponseMetadata", {}).get("HTTPStatusCode"), cause.response.get("Error", {}).get("Code")
    return bool(status == 429 or code == "ConditionalRequestConflict")


def move(at: Address, to: Address) -> None:
    """Copy the object within S3, then delete the source. An object above 8 MB is copied in parts. Raises SourceError."""
    with _errors_of(at):
        _asked(lambda: _client_of(at).copy(_named(at), to.bucket, to.key, _sealed(to) | _opened(at, "CopySource")))
    delete(at)


def delete(at: Address) -> None:
    """Delete the object; a missing one is no error. Raises SourceError."""
    with _errors_of(at):
        _asked(lambda: _client_of(at).delete_object(**_named(at), **_paid(at)))


def head(at: Address) -> DocumentRef | None:
    """Return the reference to the object of exactly this name; None if there is none or we may not see it. Raises SourceError."""
    with _errors_of(at):
        try:
            entry = _asked(lambda: _client_of(at).head_object(**_named(at), **_opened(at)))
        except ClientError as error:
            if error.response["ResponseMetadata"].get("HTTPStatusCode") in (403, 404):
                return None
            raise
    return _listed(at.key, entry, "ContentLength").reference(at)


def _listed(key: str, entry: Mapping[str, Any], size: str) -> Listed:
    """Make the record of an object from `entry`, its fields in a listing or a HEAD response. size: name of the field with its bytes.
    In most buckets the etag depends on the content alone."""
    etag = str(entry.get("ETag") or "").strip('"') or None
    return Listed(key, etag, entry.get(size), entry.get("LastModified"), checksum=etag, archived=_is_archived(entry))


def _is_archived(entry: Mapping[str, Any]) -> bool:
    if entry.get("StorageClass") not in _ARCHIVES:
        return False
    copy = entry.get("RestoreStatus", {})
    return not (copy.get("RestoreExpiryDate") or 'ongoing-request="false"' in str(entry.get("Restore", "")))


def _listing(at: Address, flat: bool = False, keys: KeyRange = EVERY_KEY, at_once: int | None = None) -> Iterator[Listed]:
    """Yield the bucket's objects under a prefix. flat: leave out objects in deeper folders. at_once: keys per request."""
    asked = {
        "Bucket": at.bucket,
        "Prefix": at.key,
        "MaxKeys": at_once or SETTINGS.page_size,
        **({"Delimiter": "/"} if flat else {}),
        **_paid(at),
    }
    asked["OptionalObjectAttributes"] = ["RestoreStatus"]
    return within(_pages(at, {**asked, "StartAfter": keys.after} if keys.after else asked), keys)


def _pages(at: Address, asked: dict[str, Any]) -> Iterator[Listed]:
    with _errors_of(at):
        while True:
            page = _asked(lambda: _client_of(at).list_objects_v2(**asked))
            yield from (_listed(str(item["Key"]), item, "Size") for item in page.get("Contents", ()))
            before, asked["ContinuationToken"] = asked.get("ContinuationToken"), page.get("NextContinuationToken")
            if not page.get("IsTruncated"):
                return
            if asked["ContinuationToken"] in (None, before):
                raise SourceError("store_error", f"{at.uri}: the store says that its listing continues, but does not say where")


def _errors_of(at: Address, *, new: bool = False) -> AbstractContextManager[None]:
    return source_errors(at.uri, _ERRORS, _as_source_error, new=new)


def _as_source_error(uri: str, error: Exception) -> SourceError:
    """Convert a client's error to a SourceError; smart_open wraps it in an OSError with the attribute `backend_error`."""
    cause = getattr(error, "backend_error", None) or error
    if isinstance(cause, ClientError):
        return _of_answer(uri, cause)
    if isinstance(cause, ParamValidationError):
        return SourceError("bad_source", f"{uri}: {' '.join(str(cause).split())}")
    if isinstance(cause, NoCredentialsError | PartialCredentialsError):
        return SourceError("permission_denied", f"{uri}: {cause}")
    return SourceError("store_error", f"{uri}: {type(cause).__name__}: {cause}")


def _of_answer(uri: str, error: ClientError) -> SourceError:
    answer = error.response.get("Error", {})
    name = str(answer.get("Code", ""))
    status = str(error.response.get("ResponseMetadata", {}).get("HTTPStatusCode", ""))
    code = _CODES.get(name) or ("store_error" if status == "404" else _CODES.get(status, "store_error"))
    return SourceError(code, f"{uri}: {name}: {answer.get('Message', '')} (HTTP {status})")


# The other functions of `Store`, made of those above.
list_objects, names = listed_by(head, _listing)
list_keys, keys_after = cut_by(_listing)
open_file = ranged_by(open_stream, read)
