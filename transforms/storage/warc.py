"""PDFs in web archives: records of WARC files (ISO 28500:2017), named by CDX indexes or found by reading the files.

    s3://bucket/crawl/*.warc.gz       every response or resource record that holds a PDF
    s3://bucket/index/part-0.cdxj     the records that a CDX index or a list names; each is read by its range alone

An index is a `.cdx` or `.cdxj`, plain or `.gz`: CDXJ (key, timestamp, JSON object), CDX with 9 or 11 fields, or a list of
`FILE OFFSET LENGTH` a line. A relative FILE counts from the index' own folder.

The address of a record is `warc+` before the file's, and behind a `#` where it lies and what the archive says of it: offset,
length, url, date, digest, and truncated where the record was cut.
"""

from __future__ import annotations

import contextlib
import gzip
import io
import json
import zlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any, Final
from urllib.parse import urlencode

from warcio.archiveiterator import ArchiveIterator
from warcio.exceptions import ArchiveLoadFailed

from schemas.records import DocumentRef
from transforms.storage.addresses import WARC_PREFIX, found, record_of
from transforms.storage.errors import SourceError
from transforms.storage.settings import SETTINGS

ARCHIVES: Final = (".warc", ".warc.gz")
INDEXES: Final = (".cdx", ".cdxj", ".cdx.gz", ".cdxj.gz")
_PDF: Final = "application/pdf"
#: What a reference says of its record, and the header that has it.
_TOLD: Final = {"url": "warc-target-uri", "date": "warc-date", "digest": "warc-payload-digest", "truncated": "warc-truncated"}
#: How a gzip member begins (RFC 1952, 2.3.1).
_GZIP: Final = b"\x1f\x8b"
#: Line ends behind each record (ISO 28500, 4).
_LINE_ENDS: Final = 2
#: No line of a header is longer, in bytes: what has none up to there is none.
_LINE_BYTES: Final = 1 << 20
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
    return found(
        record_uri(archive_uri, offset, length, told),
        etag=told.get("digest"),
        modified=_time(told.get("date")),
        checksum=told.get("digest"),
    )


def _time(text: str | None) -> datetime | None:
    for form in ("%Y-%m-%dT%H:%M:%SZ", "%Y-%m-%dT%H:%M:%S.%fZ"):
        try:
            return datetime.strptime(text or "", form).replace(tzinfo=UTC)
        except ValueError:
            continue
    return None


def archive_records(archive: DocumentRef, stream: Any) -> Iterator[DocumentRef]:
    """The PDF records of an archive, read as a stream; where it breaks off, the rest is one reference with its failure.

    A cut exactly between two records cannot be told from the bytes; one that the listed size tells is.
    """
    try:
        for record in _records(archive, stream):
            if _holds_pdf(record):
                yield _reference(
                    archive.address, record.offset, record.length, {name: record.headers.get(header, "") for name, header in _TOLD.items()}
                )
    except (EOFError, OSError, ValueError, zlib.error) as error:
        yield _failed(archive, SourceError("damaged", f"{archive.uri}: the archive breaks off: {' '.join(str(error).split())}"))


def _failed(archive: DocumentRef, error: SourceError) -> DocumentRef:
    return replace(archive, failure=error.failure)


def _holds_pdf(record: _Record) -> bool:
    kind = record.headers.get("warc-type")
    if kind == "response":
        return record.status.startswith("2") and _is_pdf(record.http.get("content-type", ""))
    return kind == "resource" and _is_pdf(record.headers.get("content-type", ""))


def _is_pdf(mime: str) -> bool:
    return mime.partition(";")[0].strip().lower() in (_PDF, "application/x-pdf")


class _Forward:
    """Bytes, read forward. more: gives the next of them, none at their end. at: how many are taken."""

    def __init__(self, more: Callable[[], bytes]) -> None:
        self._more = more
        self._buffer = b""
        self._place = 0
        self.at = 0

    def _fill(self) -> bool:
        data = self._more()
        self._buffer, self._place = self._buffer[self._place :] + data, 0
        return bool(data)

    def take(self, count: int) -> bytes:
        """So many bytes; fewer at the end."""
        while len(self._buffer) - self._place < count and self._fill():
            pass
        taken = self._buffer[self._place : self._place + count]
        self._place += len(taken)
        self.at += len(taken)
        return taken

    def some(self) -> bytes:
        """What is at hand, or else what comes next; none at the end."""
        if len(self._buffer) == self._place:
            self._fill()
        return self.take(len(self._buffer) - self._place)

    def give_back(self, data: bytes) -> None:
        """The last bytes that were taken."""
        self._buffer, self._place = data + self._buffer[self._place :], 0
        self.at -= len(data)

    def line(self) -> bytes:
        """A line of a header with its end. Raises EOFError where the bytes end before it, ValueError where none has so long a line."""
        while (end := self._buffer.find(b"\n", self._place)) < 0:
            if len(self._buffer) - self._place > _LINE_BYTES:
                raise ValueError(f"no header of a record at byte {self.at}")
            if not self._fill():
                raise EOFError("it ends within the header of a record")
        return self.take(end + 1 - self._place)

    def skip(self, count: int) -> None:
        """Take so many bytes, which nobody needs. Raises EOFError where they are fewer."""
        while count:
            if not (taken := len(self.take(min(count, SETTINGS.chunk_bytes)))):
                raise EOFError(f"{count} bytes of a record are missing")
            count -= taken

    def line_ends(self) -> int:
        """Take the line ends that come next; how many."""
        number = 0
        while (byte := self.take(1)) in (b"\r", b"\n"):
            number += byte == b"\n"
        self.give_back(byte)
        return number

    @property
    def ended(self) -> bool:
        """Whether all is taken."""
        return len(self._buffer) == self._place and not self._fill()


@dataclass(frozen=True, slots=True)
class _Record:
    """offset, length: where it lies in the file. headers, http: its own, and those of the answer it holds, by name in small letters."""

    offset: int
    length: int
    headers: Mapping[str, str]
    status: str
    http: Mapping[str, str]


def _records(archive: DocumentRef, stream: Any) -> Iterator[_Record]:
    """The records of an archive.

    Read here and not by warcio, which takes the end of the bytes, wherever it comes, for the end of the archive.
    Raises EOFError where the archive breaks off, ValueError or zlib.error where it is none.
    """
    raw = _Forward(lambda: stream.read(SETTINGS.chunk_bytes))
    magic = raw.take(len(_GZIP))
    raw.give_back(magic)
    if raw.ended:
        raise EOFError("it is empty")
    yield from _packed_records(raw) if magic == _GZIP else _plain_records(raw)
    if archive.size is not None and raw.at != archive.size:
        raise EOFError(f"{raw.at} bytes came, {archive.size} are listed")


def _plain_records(raw: _Forward) -> Iterator[_Record]:
    """One after the other, two line ends behind each."""
    while not raw.ended:
        offset = raw.at
        read = _read_record(raw)
        yield _Record(offset, raw.at - offset, *read)
        if raw.line_ends() < _LINE_ENDS and raw.ended:
            raise EOFError("the end of the last record is missing")


def _packed_records(raw: _Forward) -> Iterator[_Record]:
    """Each a gzip member of its own. One that is wrong in a whole member does not hide those behind it."""
    trouble: Exception | None = None
    while not raw.ended:
        offset, member = raw.at, _Forward(_inflated(raw))
        try:
            read = _read_record(member)
            member.line_ends()
            if not member.ended:
                raise ValueError(f"the gzip member at byte {offset} holds more than one record, which no range can name")
            yield _Record(offset, raw.at - offset, *read)
        except (EOFError, ValueError) as error:
            trouble = trouble or error
            while member.some():
                pass
    if trouble:
        raise trouble


def _inflated(raw: _Forward) -> Callable[[], bytes]:
    """The bytes of the gzip member that comes next, piece by piece. Raises EOFError where the file ends first, zlib.error."""
    inflate = zlib.decompressobj(16 + zlib.MAX_WBITS)

    def more() -> bytes:
        data = b""
        while not data and not inflate.eof:
            packed = inflate.unconsumed_tail or raw.some()
            data = inflate.decompress(packed, SETTINGS.chunk_bytes)
            if inflate.eof:
                raw.give_back(inflate.unused_data)
            elif not packed and not data:
                raise EOFError("it ends within a compressed record")
        return data

    return more


def _read_record(source: _Forward) -> tuple[dict[str, str], str, dict[str, str]]:
    """The headers of a record, status and headers of the answer in it; its bytes are taken to their end."""
    first = source.line()
    if not first.startswith(b"WARC/"):
        raise ValueError(f"no record begins with {first[:40]!r}")
    headers = _headers(source)
    length = headers.get("content-length", "")
    if not (length.isascii() and length.isdigit()):
        raise ValueError(f"a record has the Content-Length {length!r}")
    block, uri = int(length), headers.get("warc-target-uri", "").removeprefix("<").removesuffix(">")
    headers["warc-target-uri"] = uri.replace(" ", "%20")
    begin = source.at
    status, http = "", dict[str, str]()
    if headers.get("warc-type") == "response" and block:
        answer = _Forward(lambda: source.take(min(_LINE_BYTES, block - (source.at - begin))))
        with contextlib.suppress(EOFError, ValueError):  # no answer of http, which is no error of the archive
            words = answer.line().split(None, 2)
            status = words[1].decode("latin-1") if len(words) > 1 and words[0].startswith(b"HTTP/") else ""
            http = _headers(answer) if status else {}
    source.skip(block - (source.at - begin))
    return headers, status, http


def _headers(source: _Forward) -> dict[str, str]:
    """Named fields up to an empty line, the first of each name; a line that begins with a blank goes on with the field above it."""
    fields: dict[str, str] = {}
    name = ""
    while line := source.line().rstrip(b"\r\n"):
        text = _decoded(line)
        if text[0] in " \t" and name:
            fields[name] += text
        else:
            name, _, value = text.partition(":")
            name = name.strip().lower()
            fields.setdefault(name, value.strip())
    return fields


def _decoded(line: bytes) -> str:
    try:
        return line.decode("utf-8")
    except UnicodeDecodeError:
        return line.decode("latin-1")


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

    A line that is none is a reference with its failure, named by its number; so is a last line without its end, which may have been cut.
    """
    try:
        text = (gzip.decompress(data) if index.uri.lower().endswith(".gz") else data).decode("utf-8", "replace")
    except (EOFError, OSError, zlib.error) as error:
        yield _failed(index, SourceError("damaged", f"{index.uri}: the index breaks off: {error}"))
        return
    lines = text.splitlines()
    if not text.endswith("\n"):
        told = f"{index.uri}: the index breaks off: " + (f"line {len(lines)} has no end" if lines else "it is empty")
        yield _failed(index, SourceError("damaged", told))
        lines = lines[:-1]
    for number, line in enumerate(lines, 1):
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
