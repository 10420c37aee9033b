"""Addresses of objects: the canonical uri, the ids made of it, and what a source specification names.

Canonical uris: `file:///abs/path` with everything but unreserved characters percent-encoded (RFC 8089); `s3://bucket/key` and
`gs://bucket/key` with the key as the store has it, as the stores' own tools write them; `http(s)://` without its fragment.
"""

from __future__ import annotations

import hashlib
import os
from dataclasses import dataclass
from datetime import datetime
from typing import Final
from urllib.parse import parse_qsl, quote_from_bytes, unquote_to_bytes, urlsplit

from schemas.records import DocId, DocumentRef
from transforms.storage.errors import SourceError

STORES: Final = ("s3", "gs")
WEB: Final = ("http", "https")
#: Begins the address of a record in a web archive, see `transforms.storage.warc`.
WARC_PREFIX: Final = "warc+"


@dataclass(frozen=True, slots=True)
class Address:
    """A parsed address. scheme: file, s3, gs, http or https. bucket: "" unless s3 or gs. key: the key, the path or the whole url."""

    scheme: str
    bucket: str
    key: str

    @property
    def uri(self) -> str:
        """The canonical uri."""
        if self.scheme == "file":
            return local_uri(self.key)
        return self.key if self.scheme in WEB else f"{self.scheme}://{self.bucket}/{self.key}"


def doc_id(uri: str) -> DocId:
    """The id of the document at a canonical uri: 32 hex digits of its SHA-256."""
    return DocId(hashlib.sha256(uri.encode("utf-8", "surrogateescape")).hexdigest()[:32])


def child_id(parent_id: DocId, position: int) -> DocId:
    """The id of the PDF that is attachment `position` (from 0) of its parent."""
    return doc_id(f"{parent_id}/{position}")


def record_of(uri: str) -> dict[str, str]:
    """What the address of a record in a web archive says of it: offset, length, url, date, digest, truncated.

    >>> record_of("warc+s3://b/a.warc.gz#offset=7&length=9&url=http%3A%2F%2Fx%2Fy.pdf")["url"]
    'http://x/y.pdf'
    """
    return dict(parse_qsl(uri.rpartition("#")[2]))


def found(
    uri: str,
    *,
    etag: str | None = None,
    size: int | None = None,
    modified: datetime | None = None,
    checksum: str | None = None,
) -> DocumentRef:
    """The reference to an object as its store listed it."""
    return DocumentRef(doc_id(uri), uri, etag=etag, size=size, modified=modified, checksum=checksum)


def failed(uri: str, error: SourceError) -> DocumentRef:
    """The reference that stands for a source which could not be listed."""
    return DocumentRef(doc_id(uri), uri, failure=error.failure)


def without_login(spec: str) -> str:
    """A url with its user name and password left out."""
    scheme, mark, rest = spec.partition("://")
    host, slash, path = rest.partition("/")
    return f"{scheme}{mark}{host.rpartition('@')[2]}{slash}{path}"


def local_uri(path: str) -> str:
    """The canonical uri of a local path; a relative one counts from the working directory.

    >>> local_uri("/a b/50%.pdf")
    'file:///a%20b/50%25.pdf'
    """
    return "file://" + quote_from_bytes(os.fsencode(os.path.abspath(path)))


def parse(spec: str) -> Address:
    """What an address of any known scheme names; without a scheme it is a local path.

    Raises SourceError(bad_source) for an unknown scheme, a missing bucket or host, and what no file system takes.
    """
    scheme, mark, rest = spec.partition("://")
    if not spec.strip() or "\0" in spec:
        raise SourceError("bad_source", f"{spec!r}: an empty address, or one with a null character")
    if not mark or not scheme.isalnum():
        return Address("file", "", os.path.abspath(spec))
    scheme = scheme.lower()
    if scheme == "file":
        return Address("file", "", _path_of_uri(spec, rest))
    if scheme in STORES:
        return _in_store(spec, scheme, rest)
    if scheme in WEB:
        return _on_web(spec)
    raise SourceError("bad_source", f"{spec}: unknown scheme {scheme!r}; known are local paths, file, s3, gs, https and http")


def _path_of_uri(spec: str, rest: str) -> str:
    host, slash, path = rest.partition("/")
    if host not in ("", "localhost") or not slash:
        raise SourceError("bad_source", f"{spec}: a file uri needs an absolute path and no host, as in file:///a/b.pdf")
    decoded = unquote_to_bytes("/" + path)
    if b"\0" in decoded:
        raise SourceError("bad_source", f"{spec}: a path with a null character")
    return os.path.abspath(os.fsdecode(decoded))


def _in_store(spec: str, scheme: str, rest: str) -> Address:
    bucket, _, key = rest.partition("/")
    if not bucket:
        raise SourceError("bad_source", f"{spec}: no bucket; expected {scheme}://bucket/prefix")
    return Address(scheme, bucket, key)


def _on_web(spec: str) -> Address:
    try:
        parts = urlsplit(spec)
    except ValueError as error:  # an unclosed [ of an IPv6 host
        raise SourceError("bad_source", f"{spec}: not a url ({error})") from error
    if not parts.hostname:
        raise SourceError("bad_source", f"{spec}: no host in the url")
    if "@" in parts.netloc:
        raise SourceError("bad_source", f"{without_login(spec)}: a login in a url would stand in the tables; put it into ~/.netrc")
    return Address(spec.partition("://")[0].lower(), "", spec.partition("#")[0])
