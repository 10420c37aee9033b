"""Addresses of records in archives: `warc+` or `tar+`, the archive's address, and after `#` the record's range of bytes and other facts.

The facts are offset, length, url, date and digest; truncated, if the record was cut; revisit, if its bytes are those of another record. For
a member of a tar archive they include its name, and `again` if several members have that name.
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
    """Return the address of a record. facts: those in it other than offset and length.

    >>> record_uri("s3://b/a.warc.gz", 7, 9, {"url": "http://x/y.pdf"})
    'warc+s3://b/a.warc.gz#offset=7&length=9&url=http%3A%2F%2Fx%2Fy.pdf'
    """
    prefix = TAR_PREFIX if "name" in facts else WARC_PREFIX
    return f"{prefix}{archive_uri}#" + urlencode({"offset": offset, "length": length, **facts})


def parse_record_uri(uri: str) -> tuple[str, int, int, dict[str, str]]:
    """Return the archive's address, offset, length, and the further facts in a record's address.

    Raises SourceError(bad_source) if it is no such address.
    """
    archive = uri.partition("+")[2].rpartition("#")[0]
    facts = record_of(uri)
    try:
        return archive, int(facts.pop("offset")), int(facts.pop("length")), facts
    except (KeyError, ValueError) as error:
        raise SourceError("bad_source", f"{uri}: an address in an archive needs #offset=...&length=...") from error


def reference(archive_uri: str, offset: int, length: int, facts: Mapping[str, str]) -> DocumentRef:
    """Make the reference to a record. facts: those in its address other than offset and length."""
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
    """Return whether a reference is to a revisit record, which has no bytes of its own."""
    return ref.uri.startswith(WARC_PREFIX) and "revisit" in record_of(ref.uri)


def resolved(revisit: DocumentRef, original: DocumentRef) -> DocumentRef:
    """Return the reference to the bytes of the original record, under the revisit record's own URL and date."""
    archive, offset, length, _ = parse_record_uri(original.address)
    facts = parse_record_uri(revisit.uri)[3]
    facts.pop("revisit")
    return replace(reference(archive, offset, length, facts), source=revisit.source)
