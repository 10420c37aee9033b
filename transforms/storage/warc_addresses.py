"""Addresses of records in archives: `warc+` or `tar+`, the archive's address, and after `#` the record's offset, length and other facts.

The facts are offset, length, url, date and digest; truncated, if the record was cut; revisit, if its bytes are those of another record.
For a member of a tar archive they include its name and, if several members have that name, `again`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Final
from urllib.parse import urlencode

from msgspec.structs import replace

from pdfmill.schemas.records import TAR_PREFIX, DocumentRef
from pdfmill.transforms.storage.addresses import WARC_PREFIX, found, record_of
from pdfmill.transforms.storage.errors import SourceError

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

    Raises SourceError(bad_source) if the address has no offset and length.
    """
    archive = uri.partition("+")[2].rpartition("#")[0]
    facts = record_of(uri)
    try:
        return archive, int(facts.pop("offset")), int(facts.pop("length")), facts
    except (KeyError, ValueError) as error:
        raise SourceError("bad_source", f"{uri}: an address in an archive needs #offset=...&length=...") from error


def reference(archive_uri: str, offset: int, length: int, facts: Mapping[str, str]) -> DocumentRef:
    """Make the reference to a record. facts: as in `record_uri`; empty ones are left out of the address."""
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
