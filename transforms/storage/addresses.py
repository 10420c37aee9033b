"""Addresses of objects: parsing, canonical forms, references.

Canonical URIs: `file:///abs/path` with everything but unreserved characters percent-encoded (RFC 8089); `s3://bucket/key`,
`gs://bucket/key` and `az://container/name` with the key unencoded; `http(s)://` without the fragment.

Records in archives have `warc+` or `tar+`, the archive's address, and after `#` facts such as offset, length, url, date and digest;
truncated, if the record was cut; revisit, if its bytes are those of another record; in tar archives also the name, and `again` if several
members have it."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Final, Self
from urllib.parse import parse_qsl, quote_from_bytes, unquote, unquote_to_bytes, urlencode, urlsplit

from msgspec import Struct
from msgspec.structs import replace

from pdfmill.schemas.records import TAR_PREFIX, DocumentRef
from pdfmill.schemas.records import WARC_PREFIX as WARC_PREFIX
from pdfmill.transforms.storage.errors import SourceError

_VERSION: Final = "?versionId="
#: Prefix of a source that is a listing made earlier.
INVENTORY: Final = "inventory+"
#: The largest signed 64-bit integer, which a column for sizes can hold.
_LARGEST: Final = 2**63 - 1


class Address(Struct, frozen=True):
    """The address of an object or prefix in a bucket, `scheme://bucket/key`. Subclasses have other forms."""

    scheme: str
    bucket: str
    key: str

    @classmethod
    def parse(cls, spec: str, scheme: str, rest: str) -> Self:
        """Parse an address. spec: the whole text, for messages. rest: the text after `://`. Raises SourceError(bad_source)."""
        bucket, _, key = rest.partition("/")
        if not bucket:
            raise SourceError("bad_source", f"{spec}: names no bucket; expected {scheme}://bucket/prefix")
        return cls(scheme, bucket, key)

    @property
    def uri(self) -> str:
        """The canonical URI."""
        return f"{self.scheme}://{self.bucket}/{self.key}"

    @property
    def name(self) -> str:
        """The last part of the key, as shown to people."""
        return self.key.rstrip("/").rpartition("/")[2]

    @property
    def folder(self) -> str:
        """The key with a final slash, so that it is the prefix of all keys in this folder; "" for the whole bucket."""
        return f"{self.key.rstrip('/')}/" if self.key.strip("/") else ""

    def below(self, name: str) -> Self:
        """Return the address of `name` (with slashes for folders) below this folder."""
        return replace(self, key=self.folder + name)

    def beside(self, key: str) -> Self:
        """Return the address of an object with this key in the same bucket."""
        return replace(self, key=key)


class VersionedAddress(Address, frozen=True):
    """The address of an object in a bucket, or of one version of it, named by `?versionId=`; on GCS it is the generation, a number."""

    version: str = ""

    @classmethod
    def parse(cls, spec: str, scheme: str, rest: str) -> Self:
        plain, mark, version = rest.rpartition(_VERSION)
        if not mark or not version or "/" in version:
            return super().parse(spec, scheme, rest)
        return replace(super().parse(spec, scheme, plain), version=version)

    @property
    def uri(self) -> str:
        return super().uri + (_VERSION + self.version if self.version else "")

    def below(self, name: str) -> Self:
        return self.beside(self.folder + name)

    def beside(self, key: str) -> Self:
        return replace(self, key=key, version="")


class PathAddress(Address, frozen=True):
    """The address of a file or folder on this machine. bucket: ""; key: the absolute path."""

    @classmethod
    def parse(cls, spec: str, scheme: str, rest: str) -> Self:
        host, slash, path = rest.partition("/")
        if host not in ("", "localhost") or not slash:
            raise SourceError("bad_source", f"{spec}: a file URI needs an absolute path and no host, as in file:///a/b.pdf")
        decoded = unquote_to_bytes("/" + path)
        if b"\0" in decoded:
            raise SourceError("bad_source", f"{spec}: the path contains a null character")
        return cls(scheme, "", os.path.abspath(os.fsdecode(decoded)))

    @property
    def uri(self) -> str:
        return local_uri(self.key)

    @property
    def folder(self) -> str:
        return f"{self.key.rstrip('/')}/"


class UrlAddress(Address, frozen=True):
    """The address of one object on the web. bucket: ""; key: the whole URL without its fragment."""

    @classmethod
    def parse(cls, spec: str, scheme: str, rest: str) -> Self:
        try:
            parts = urlsplit(spec)
        except ValueError as error:  # an unclosed [ of an IPv6 host
            raise SourceError("bad_source", f"{spec}: is not a valid URL ({error})") from error
        if not parts.hostname:
            raise SourceError("bad_source", f"{spec}: the URL has no host")
        if "@" in parts.netloc:
            raise SourceError("bad_source", f"{spec}: a login in the URL would get into the tables; put it into ~/.netrc")
        return cls(scheme, "", spec.partition("#")[0])

    @property
    def name(self) -> str:
        return unquote(self.key.partition("?")[0].rstrip("/").rpartition("/")[2])

    @property
    def uri(self) -> str:
        return self.key


def is_inventory(spec: str) -> bool:
    """Return whether a source is a listing that was made earlier, such as an inventory report of its store."""
    return spec.startswith(INVENTORY)


def record_of(uri: str) -> dict[str, str]:
    """Return the facts after the `#` of a record's address by name: offset, length, url, date, digest, truncated.

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
    """Return the reference to a listed object. etag, size (bytes), modified, checksum: what its store states; values out of range become
    None."""
    known = size is not None and 0 <= size <= _LARGEST
    return replace(DocumentRef.of_uri(uri), etag=etag, size=size if known else None, modified=_in_utc(modified), checksum=checksum)


def failed(uri: str, error: SourceError) -> DocumentRef:
    """Return a reference that holds an error as its `failure`. It is listed instead of the objects of a source that cannot be listed."""
    return replace(DocumentRef.of_uri(uri), failure=error.failure)


def _in_utc(moment: datetime | None) -> datetime | None:
    """Return the time in UTC; None if its year is outside 1 to 9999."""
    try:
        return moment and moment.astimezone(UTC)
    except OverflowError:
        return None


def local_uri(path: str) -> str:
    """Return the canonical URI of a local path; a relative path is resolved against the working directory.

    >>> local_uri("/a b/50%.pdf")
    'file:///a%20b/50%25.pdf'
    """
    return "file://" + quote_from_bytes(os.fsencode(os.path.abspath(path)))


# Globs over names with slashes, the same for local paths and for keys.
#
# `*` and `?` stay within one name, `[...]` is a set (`[!...]` its opposite), `**` as a whole name stands for any number of folders, none
# included; at the end it stands for everything below. A leading dot is not special.


_SPECIAL = re.compile(r"[*?\[]")


def has_glob(text: str) -> bool:
    """Return whether the text contains a glob character: `*`, `?` or `[`."""
    return _SPECIAL.search(text) is not None


def fixed_prefix(pattern: str) -> str:
    """Return the part of a glob before its first glob character (`*`, `?`, `[`).

    >>> fixed_prefix("reports/20*/**/a?.pdf")
    'reports/20'
    """
    match = _SPECIAL.search(pattern)
    return pattern[: match.start()] if match else pattern


def is_flat(pattern: str) -> bool:
    """Return whether a glob has glob characters only in its last name, so that only one folder must be listed."""
    rest = pattern[len(fixed_prefix(pattern)) :]
    return "/" not in rest and "**" not in rest


def glob_regex(pattern: str) -> re.Pattern[str]:
    """Convert a glob to a regular expression; use it with `fullmatch`."""
    names = pattern.split("/")
    parts: list[str] = []
    for number, name in enumerate(names):
        last = number == len(names) - 1
        if name == "**":
            parts.append(".+" if last else "(?:[^/]+/)*")
        else:
            parts.append(_name_regex(name) + ("" if last else "/"))
    return re.compile("".join(parts), re.DOTALL)


def _name_regex(name: str) -> str:
    out: list[str] = []
    at = 0
    while at < len(name):
        char = name[at]
        end = _set_end(name, at) if char == "[" else -1
        if end > 0:
            out.append(_set_regex(name[at + 1 : end]))
            at = end
        elif char == "*":
            out.append("[^/]*")
        elif char == "?":
            out.append("[^/]")
        else:
            out.append(re.escape(char))
        at += 1
    return "".join(out)


def _set_end(name: str, at: int) -> int:
    """Return the index of the `]` that closes the character set of a glob whose `[` is at index `at`; -1 if there is none.
    A `]` right after the `[` is a member of the set."""
    start = at + 2 if name[at + 1 : at + 2] == "!" else at + 1
    return name.find("]", start + 1)


def _set_regex(members: str) -> str:
    negated = members.startswith("!")
    body = re.sub(r"([\\\[\]^&~|])", r"\\\1", members[1:] if negated else members)
    try:
        re.compile(f"[{body}]")
    except re.error:  # a range from high to low matches nothing
        return "(?!)"
    return f"(?!/)[{'^' if negated else ''}{body}]"


#: A SHA-1 digest in base32.
PLAIN_SHA1: Final = re.compile("[A-Z2-7]{32}")


def record_uri(archive_uri: str, offset: int, length: int, facts: Mapping[str, str]) -> str:
    """Return the address of a record. offset, length: its range of bytes in the archive. facts: other facts for the address, by name.

    >>> record_uri("s3://b/a.warc.gz", 7, 9, {"url": "http://x/y.pdf"})
    'warc+s3://b/a.warc.gz#offset=7&length=9&url=http%3A%2F%2Fx%2Fy.pdf'
    """
    prefix = TAR_PREFIX if "name" in facts else WARC_PREFIX
    return f"{prefix}{archive_uri}#" + urlencode({"offset": offset, "length": length, **facts})


def parse_record_uri(uri: str) -> tuple[str, int, int, dict[str, str]]:
    """Return the archive's address, the offset, the length, and the other facts by name, from a record's address.
    Raises SourceError(bad_source) if the address has no offset and length."""
    archive = uri.partition("+")[2].rpartition("#")[0]
    facts = record_of(uri)
    try:
        return archive, int(facts.pop("offset")), int(facts.pop("length")), facts
    except (KeyError, ValueError) as error:
        raise SourceError("bad_source", f"{uri}: an address in an archive needs #offset=...&length=...") from error


def reference(archive_uri: str, offset: int, length: int, facts: Mapping[str, str]) -> DocumentRef:
    """Make the reference to a record. facts: other facts for the address, by name; empty ones are left out."""
    facts = {name: value for name, value in facts.items() if value}
    digest = facts.get("digest")
    if digest and PLAIN_SHA1.fullmatch(digest):  # as indexes have it
        digest = f"sha1:{digest}"
    return found(
        record_uri(archive_uri, offset, length, facts),
        etag=digest,
        modified=_time(facts.get("date")),
        checksum=digest,
    )


def _time(text: str | None) -> datetime | None:
    for form in ("%Y-%m-%dT%H:%M:%SZ", "%Y-%m-%dT%H:%M:%S.%fZ"):
        try:
            return datetime.strptime(text or "", form).replace(tzinfo=UTC)
        except ValueError:
            continue
    return None


def is_revisit(ref: DocumentRef) -> bool:
    """Return whether a reference is to a WARC revisit record, which has no bytes of its own because they equal those of another record."""
    return ref.uri.startswith(WARC_PREFIX) and "revisit" in record_of(ref.uri)


def resolved(revisit: DocumentRef, original: DocumentRef) -> DocumentRef:
    """Return a reference to the bytes of the original record under the URL and date of the revisit record."""
    archive, offset, length, _ = parse_record_uri(original.address)
    facts = parse_record_uri(revisit.uri)[3]
    facts.pop("revisit")
    return replace(reference(archive, offset, length, facts), source=revisit.source)
