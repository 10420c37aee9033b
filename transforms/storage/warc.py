"""PDFs in web archives: records of WARC files (ISO 28500:2017), named by CDX indexes or found by reading the files.

    s3://bucket/crawl/*.warc.gz       every response or resource record that holds a PDF
    s3://bucket/index/part-0.cdxj     the records that a CDX index or a list names; each is read by its range alone

An index is a `.cdx` or `.cdxj`, plain or `.gz`: CDXJ (key, timestamp, JSON object), CDX with 9 or 11 fields, or a list of
`FILE OFFSET LENGTH` a line. A relative FILE counts from the index' own folder.

The address of a record is `warc+` before the file's, and behind a `#` where it lies and what the archive says of it: offset,
length, url, date, digest, and truncated where the record was cut.
"""

from __future__ import annotations

import gzip
import io
import json
from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any, Final
from urllib.parse import urlencode

from warcio.archiveiterator import ArchiveIterator
from warcio.exceptions import ArchiveLoadFailed

from schemas.records import DocumentRef
from transforms.storage.addresses import WARC_PREFIX, found, record_of
from transforms.storage.errors import SourceError

ARCHIVES: Final = (".warc", ".warc.gz")
INDEXES: Final = (".cdx", ".cdxj", ".cdx.gz", ".cdxj.gz")
_PDF: Final = "application/pdf"
#: Fields of the CDX formats with 9 and 11 columns: where the MIME type, digest, offset and file name stand, and the length if any.
_COLUMNS: Final[Mapping[int, dict[str, int]]] = {
    9: {"timestamp": 1, "url": 2, "mime": 3, "digest": 5, "offset": 7, "filename": 8},
    11: {"timestamp": 1, "url": 2, "mime": 3, "digest": 5, "length": 8, "offset": 9, "filename": 10},
}


def record_uri(archive_uri: str, offset: int, length: int, told: Mapping[str, str]) -> str:
    """The address of a record.

    >>> record_uri("s3://b/a.warc.gz", 7, 9, {"url": "http://x/y.pdf"})
    'warc+s3://b/a.warc.gz#offset=7&length=9&url=http%3A%2F%2Fx%2Fy.pdf'
    """
    return f"{WARC_PREFIX}{archive_uri}#" + urlencode({"offset": offset, "length": length, **told})


def parse_record_uri(uri: str) -> tuple[str, int, int, dict[str, str]]:
    """The archive's address, offset, length, and what the archive says of the record.

    Raises SourceError(bad_source) when it is no such address.
    """
    archive = uri.removeprefix(WARC_PREFIX).rpartition("#")[0]
    told = record_of(uri)
    try:
        return archive, int(told.pop("offset")), int(told.pop("length")), told
    except (KeyError, ValueError) as error:
        raise SourceError("bad_source", f"{uri}: an address in an archive needs #offset=...&length=...") from error


def _reference(archive_uri: str, offset: int, length: int, told: Mapping[str, str]) -> DocumentRef:
    told = {name: value for name, value in told.items() if value}
    return found(record_uri(archive_uri, offset, length, told), etag=told.get("digest"), modified=_time(told.get("date")), checksum=told.get("digest"))


def _time(text: str | None) -> datetime | None:
    for form in ("%Y-%m-%dT%H:%M:%SZ", "%Y-%m-%dT%H:%M:%S.%fZ"):
        try:
            return datetime.strptime(text or "", form).replace(tzinfo=UTC)
        except ValueError:
            continue
    return None


def archive_records(archive: DocumentRef, stream: Any) -> Iterator[DocumentRef]:
    """The PDF records of an archive, read as a stream; where it breaks off, the rest is one reference with its failure."""
    records = ArchiveIterator(stream)
    try:
        for record in records:
            told = _told(record) if _holds_pdf(record) else None
            offset = records.get_record_offset()
            length = records.get_record_length()  # reads to the record's end
            if told is not None:
                yield _reference(archive.address, offset, length, told)
    except (ArchiveLoadFailed, EOFError, OSError, ValueError) as error:
        broken = SourceError("damaged", f"{archive.uri}: the archive breaks off: {' '.join(str(error).split())}")
        yield _failed(archive, broken)


def _failed(archive: DocumentRef, error: SourceError) -> DocumentRef:
    return replace(archive, failure=error.failure)


def _holds_pdf(record: Any) -> bool:
    if record.rec_type == "response" and record.http_headers is not None:
        kind = record.http_headers.get_header("Content-Type") or ""
        return str(record.http_headers.get_statuscode()).startswith("2") and _is_pdf(kind)
    return record.rec_type == "resource" and _is_pdf(record.content_type or "")


def _is_pdf(mime: str) -> bool:
    return mime.partition(";")[0].strip().lower() in (_PDF, "application/x-pdf")


def _told(record: Any) -> dict[str, str]:
    names = {"url": "WARC-Target-URI", "date": "WARC-Date", "digest": "WARC-Payload-Digest", "truncated": "WARC-Truncated"}
    return {name: record.rec_headers.get_header(header) or "" for name, header in names.items()}


def record_payload(uri: str, data: bytes) -> bytes:
    """The payload of the one record that `data` is, with its transfer and content encodings undone.

    Raises SourceError(damaged) when there is no record in it.
    """
    try:
        record = next(iter(ArchiveIterator(io.BytesIO(data))), None)
        if record is None:
            raise SourceError("damaged", f"{uri}: no record begins there")
        return bytes(record.content_stream().read())
    except (ArchiveLoadFailed, EOFError, OSError, ValueError) as error:
        raise SourceError("damaged", f"{uri}: the record cannot be read: {' '.join(str(error).split())}") from error


def index_records(index: DocumentRef, data: bytes, base_uri: str) -> Iterator[DocumentRef]:
    """The PDF records that an index names. base_uri: folder from which relative file names count, with its slash.

    A line that is none is a reference with its failure, named by its number.
    """
    text = (gzip.decompress(data) if index.uri.endswith(".gz") else data).decode("utf-8", "replace")
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip() or line.lstrip().startswith(("CDX ", "#")):
            continue
        try:
            entry = _entry(line)
            if "mime" not in entry or _is_pdf(entry["mime"]) or _is_pdf(entry.get("mime-detected", "")):
                yield _of_entry(entry, base_uri)
        except (ValueError, KeyError, IndexError) as error:
            refusal = SourceError("bad_source", f"{index.uri}, line {number}: names no record ({type(error).__name__}: {error})")
            yield _failed(found(f"{index.uri}#line={number}"), refusal)


def _entry(line: str) -> dict[str, str]:
    before, brace, rest = line.partition("{")
    if brace:
        words = before.split()
        return {"timestamp": words[1] if len(words) > 1 else "", **{name: str(value) for name, value in json.loads(brace + rest).items()}}
    words = line.split()
    if len(words) == 3:
        return dict(zip(("filename", "offset", "length"), words, strict=True))
    return {name: words[place] for name, place in _COLUMNS[len(words)].items()}


def _of_entry(entry: Mapping[str, str], base_uri: str) -> DocumentRef:
    name = entry["filename"]
    archive = name if "://" in name else base_uri + name
    stamp = entry.get("timestamp", "")
    date = f"{stamp[:4]}-{stamp[4:6]}-{stamp[6:8]}T{stamp[8:10]}:{stamp[10:12]}:{stamp[12:14]}Z" if len(stamp) == 14 else ""
    told = {"url": entry.get("url", ""), "date": date, "digest": entry.get("digest", ""), "truncated": entry.get("truncated", "")}
    return _reference(archive, int(entry["offset"]), int(entry["length"]), told)
