"""S3 and what speaks its protocol: listings through boto3, bytes through smart_open.

Credentials, region and endpoint come from the usual places: AWS_ACCESS_KEY_ID and its kin, ~/.aws, the machine's role, AWS_REGION,
AWS_ENDPOINT_URL_S3, AWS_ENDPOINT_URL. Without any credentials requests go unsigned, which public buckets take.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from typing import Any, BinaryIO, Final, cast

import boto3
import smart_open.s3
from botocore import UNSIGNED
from botocore.client import Config
from botocore.exceptions import BotoCoreError, ClientError, NoCredentialsError, ParamValidationError, PartialCredentialsError

from schemas.records import DocumentRef
from transforms.storage.addresses import found
from transforms.storage.clients import per_process
from transforms.storage.errors import AlreadyExistsError, SourceError
from transforms.storage.globs import fixed_prefix, glob_regex, has_glob, is_flat
from transforms.storage.retries import with_retries
from transforms.storage.settings import SETTINGS, SUFFIXES
from transforms.storage.streams import read_all

#: Error codes of the S3 API (Amazon S3 API Reference, "Error responses") and the word we use; a bare HEAD answer has only a status.
_CODES: Final[Mapping[str, str]] = {
    "NoSuchKey": "not_found",
    "NoSuchVersion": "not_found",
    "404": "not_found",
    "NotFound": "not_found",
    "NoSuchBucket": "no_such_bucket",
    "InvalidBucketName": "bad_source",
    "KeyTooLongError": "bad_source",
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


@per_process
def client() -> Any:
    """The S3 client of this process; safe to share between threads."""
    session = boto3.session.Session()
    unsigned = {} if session.get_credentials() else {"signature_version": UNSIGNED}
    config = Config(
        retries={"mode": "standard", "total_max_attempts": SETTINGS.attempts},
        connect_timeout=SETTINGS.connect_timeout_s,
        read_timeout=SETTINGS.read_timeout_s,
        **unsigned,
    )
    # boto3 reads AWS_DEFAULT_REGION only; every other AWS client reads AWS_REGION first
    region = os.environ.get("AWS_REGION") or session.region_name or "us-east-1"
    return session.client("s3", config=config, region_name=region)


def list_objects(bucket: str, key: str) -> Iterator[DocumentRef]:
    """The object of this key, else the documents under it as a prefix, or what the glob matches; in the store's order (by key).

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
    for item in _listing(bucket, fixed_prefix(key), flat=glob and is_flat(key)):
        name = str(item["Key"])
        if not name.endswith("/") and (name == key or regex.fullmatch(name) if regex else name.lower().endswith(SUFFIXES)):
            empty = False
            yield _reference(bucket, name, item, "Size")
    if empty:
        wanted = "" if glob else f" is or begins a name ending in {', '.join(SUFFIXES)}"
        raise SourceError("not_found", f"{_uri(bucket, key)}: the bucket has no object that matches{wanted}")


def read(bucket: str, key: str, ref: DocumentRef, max_bytes: int | None) -> bytes:
    """The object's bytes, of the listed version (If-Match). Raises SourceError."""
    match = {"S3.Client.get_object": {"IfMatch": f'"{ref.etag}"'}} if ref.etag else {}
    try:
        with smart_open.s3.open(
            bucket, key, "rb", client=client(), client_kwargs=match, buffer_size=SETTINGS.chunk_bytes, defer_seek=True
        ) as stream:
            return read_all(stream, ref, max_bytes, trusted=ref.etag is not None)
    except (OSError, ClientError, BotoCoreError) as error:
        raise _as_source_error(_uri(bucket, key), error) from error


def open_stream(bucket: str, key: str, offset: int, length: int) -> BinaryIO:
    """A range of the object in one request, as a stream. Raises SourceError."""
    end = offset + length - 1 if length >= 0 else ""
    try:
        answer = client().get_object(Bucket=bucket, Key=key, Range=f"bytes={offset}-{end}")
    except (ClientError, BotoCoreError) as error:
        raise _as_source_error(_uri(bucket, key), error) from error
    return cast(BinaryIO, answer["Body"])


def write(bucket: str, key: str, data: bytes, *, new: bool = False) -> None:
    """Put the object in one request, which S3 makes whole or nothing. Raises SourceError.

    new: only where there is none (If-None-Match), else AlreadyExistsError.
    """
    only_new = {"IfNoneMatch": "*"} if new else {}
    try:
        with_retries(lambda: client().put_object(Bucket=bucket, Key=key, Body=data, **only_new), _is_race)
    except (ClientError, BotoCoreError) as error:
        if new and _as_source_error(_uri(bucket, key), error).code == "changed":
            raise AlreadyExistsError(_uri(bucket, key)) from error
        raise _as_source_error(_uri(bucket, key), error) from error


def _is_race(error: Exception) -> bool:
    """S3 answers 409 while another conditional put of the same key is under way; who asks again learns how it ended."""
    return isinstance(error, ClientError) and error.response.get("Error", {}).get("Code") == "ConditionalRequestConflict"


def delete(bucket: str, key: str) -> None:
    """Delete the object; one that is not there is no error. Raises SourceError."""
    try:
        client().delete_object(Bucket=bucket, Key=key)
    except (ClientError, BotoCoreError) as error:
        raise _as_source_error(_uri(bucket, key), error) from error


def names(bucket: str, prefix: str, suffix: str) -> Iterator[str]:
    """Uris of the objects under a prefix whose keys end with `suffix`. Raises SourceError."""
    return (_uri(bucket, item["Key"]) for item in _listing(bucket, prefix) if item["Key"].endswith(suffix))


def _uri(bucket: str, key: str) -> str:
    return f"s3://{bucket}/{key}"


def head(bucket: str, key: str) -> DocumentRef | None:
    """The object of exactly this key; None when there is none, or none that may be seen (then the listing tells).

    Asked for first, because it needs no right to list the bucket.
    """
    try:
        head = client().head_object(Bucket=bucket, Key=key)
    except ClientError as error:
        if error.response["ResponseMetadata"].get("HTTPStatusCode") in (403, 404):
            return None
        raise _as_source_error(_uri(bucket, key), error) from error
    except BotoCoreError as error:
        raise _as_source_error(_uri(bucket, key), error) from error
    return _reference(bucket, key, head, "ContentLength")


def _reference(bucket: str, key: str, told: Mapping[str, Any], size: str) -> DocumentRef:
    """The reference to an object, whose etag is in most buckets made of the content alone; stores that speak the protocol in part leave some out."""
    etag = str(told.get("ETag") or "").strip('"')
    return found(_uri(bucket, key), etag=etag or None, size=told.get(size), modified=told.get("LastModified"), checksum=etag or None)


def _listing(bucket: str, prefix: str, *, flat: bool = False) -> Iterator[Mapping[str, Any]]:
    """The listing's entries, one call a page. flat: leave out what lies in folders further down."""
    pages = client().get_paginator("list_objects_v2")
    folder = {"Delimiter": "/"} if flat else {}
    try:
        for page in pages.paginate(Bucket=bucket, Prefix=prefix, PaginationConfig={"PageSize": SETTINGS.page_size}, **folder):
            yield from page.get("Contents", ())
    except (ClientError, BotoCoreError) as error:
        raise _as_source_error(_uri(bucket, prefix), error) from error


def _as_source_error(uri: str, error: Exception) -> SourceError:
    """smart_open hides the client's error in an OSError, as `backend_error`."""
    cause = getattr(error, "backend_error", None) or error
    if isinstance(cause, ClientError):
        return _of_answer(uri, cause)
    if isinstance(cause, ParamValidationError):
        return SourceError("bad_source", f"{uri}: {' '.join(str(cause).split())}")
    if isinstance(cause, NoCredentialsError | PartialCredentialsError):
        return SourceError("permission_denied", f"{uri}: {cause}")
    return SourceError("store_error", f"{uri}: {cause}")


def _of_answer(uri: str, error: ClientError) -> SourceError:
    answer = error.response.get("Error", {})
    name = str(answer.get("Code", ""))
    status = str(error.response.get("ResponseMetadata", {}).get("HTTPStatusCode", ""))
    code = _CODES.get(name) or ("store_error" if status == "404" else _CODES.get(status, "store_error"))
    return SourceError(code, f"{uri}: {name}: {answer.get('Message', '')} (HTTP {status})")
