"""PDFs in web archives: records of WARC files (ISO 28500:2017), listed by CDX indexes or by reading the files.

    s3://bucket/crawl/*.warc.gz       every response or resource record that contains a PDF
    s3://bucket/index/part-0.cdxj     the records in a CDX index or a list; each is read as a range of bytes

An index is a `.cdx` or `.cdxj`, plain or `.gz`: CDXJ (key, timestamp, JSON object), CDX with 9 or 11 fields, or a list with `FILE OFFSET
LENGTH` in each line, FILE relative to the index's folder. A revisit record states that its bytes equal those of another record; it is
returned only to callers that can look up that record by its digest."""

from __future__ import annotations

import base64
import contextlib
import gzip
import hashlib
import io
import json
import re
import zlib
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from msgspec import Struct
from msgspec.structs import replace
from warcio.archiveiterator import ArchiveIterator
from warcio.bufferedreaders import ChunkedDataReader
from warcio.exceptions import ArchiveLoadFailed

from pdfmill.schemas.records import DocumentRef
from pdfmill.transforms.storage.addresses import PLAIN_SHA1, found, record_of, reference
from pdfmill.transforms.storage.errors import SourceError
from pdfmill.transforms.storage.settings import SETTINGS

_PDF: Final = "application/pdf"
#: Fields of a record's address, and the header of the record from which each is taken.
_TOLD: Final = {"url": "warc-target-uri", "date": "warc-date", "digest": "warc-payload-digest", "truncated": "warc-truncated"}
#: The first bytes of a gzip member (RFC 1952, 2.3.1).
_GZIP: Final = b"\x1f\x8b"
#: Digest methods that are checked.
_DIGESTS: Final = frozenset({"md5", "sha1", "sha256", "sha384", "sha512"})
#: Number of line ends after each record (ISO 28500, 4).
_LINE_ENDS: Final = 2
#: Most bytes of a line of a header; without a line end up to there, the bytes are no header.
_LINE_BYTES: Final = 1 << 20
_SIGNATURE: Final = b"%PDF-"
#: Number of bytes in which PDF readers look for the signature (ISO 32000-1, H.3.4.1 of Adobe's implementation notes).
_SIGNATURE_WITHIN: Final = 1024
#: Number of bytes of a body that are examined: enough for the PDF signature within the body's encodings.
_BEGIN_BYTES: Final = 4096
#: MIME types that do not tell whether the content is a PDF.
_UNTYPED: Final = frozenset(
    {"", "application/octet-stream", "binary/octet-stream", "application/download", "application/force-download", "unk"}
)
#: Column of each field in the CDX formats with 9 and 11 columns, from 0.
_COLUMNS: Final[Mapping[int, dict[str, int]]] = {
    9: {"timestamp": 1, "url": 2, "mime": 3, "digest": 5, "offset": 7, "filename": 8},
    11: {"timestamp": 1, "url": 2, "mime": 3, "digest": 5, "length": 8, "offset": 9, "filename": 10},
}


def archive_records(archive: DocumentRef, stream: Any, *, revisits: bool = False) -> Iterator[DocumentRef]:
    """Yield the PDF records of an archive read as a stream and, if `revisits`, its revisit records (which refer to another record's bytes).
    After a cut or damage a last reference with the `failure` follows; a cut exactly between two records is not recognised here."""
    try:
        for record in _records(archive, stream):
            facts = {name: record.headers.get(header, "") for name, header in _TOLD.items()}
            if _holds_pdf(record):
                yield reference(archive.address, record.offset, record.length, facts)
            elif revisits and record.headers.get("warc-type") == "revisit" and facts["digest"] and facts["url"]:
                yield reference(archive.address, record.offset, record.length, {**facts, "revisit": "1"})
    except (EOFError, OSError, ValueError, zlib.error) as error:
        yield _failed(archive, SourceError("damaged", f"{archive.uri}: the archive is cut off or damaged: {' '.join(str(error).split())}"))


def _failed(archive: DocumentRef, error: SourceError) -> DocumentRef:
    return replace(archive, failure=error.failure)


def _holds_pdf(record: _Record) -> bool:
    kind = record.headers.get("warc-type")
    mime = (record.http if kind == "response" else record.headers).get("content-type", "")
    if kind == "response" and not record.status.startswith("2"):
        return False
    return kind in ("response", "resource") and (_is_pdf(mime) or _begins_as_pdf(record.begin, mime))


def _begins_as_pdf(begin: bytes, mime: str) -> bool:
    """Return whether content has the signature of a PDF at its beginning or, without MIME type, anywhere PDF readers look for it.
    A web page about PDF may contain the signature in its text."""
    if mime.partition(";")[0].strip().lower() in _UNTYPED:
        return _SIGNATURE in begin[:_SIGNATURE_WITHIN]
    return begin.lstrip(b"\xef\xbb\xbf\0\t\n\f\r ").startswith(_SIGNATURE)


def _is_pdf(mime: str) -> bool:
    return mime.partition(";")[0].strip().lower() in (_PDF, "application/x-pdf")


class _Forward:
    """A buffer from which bytes are taken in order. more: returns the next bytes of the source, b"" at the end. at: number of bytes
    taken."""

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
        while len(self._buffer) - self._place < count and self._fill():
            pass
        taken = self._buffer[self._place : self._place + count]
        self._place += len(taken)
        self.at += len(taken)
        return taken

    def some(self) -> bytes:
        """Take the bytes in the buffer or, if it is empty, the next bytes of the source; b"" at the end."""
        if len(self._buffer) == self._place:
            self._fill()
        return self.take(len(self._buffer) - self._place)

    def give_back(self, data: bytes) -> None:
        """Put the bytes that were taken last back into the buffer."""
        self._buffer, self._place = data + self._buffer[self._place :], 0
        self.at -= len(data)

    def line(self) -> bytes:
        """Take a header line with its line end. Raises EOFError if the bytes end before it, ValueError if it exceeds `_LINE_BYTES`."""
        while (end := self._buffer.find(b"\n", self._place)) < 0:
            if len(self._buffer) - self._place > _LINE_BYTES:
                raise ValueError(f"no header of a record at byte {self.at}")
            if not self._fill():
                raise EOFError("it ends within the header of a record")
        return self.take(end + 1 - self._place)

    def skip(self, count: int) -> None:
        """Skip this many bytes. Raises EOFError if there are fewer."""
        while count:
            if not (taken := len(self.take(min(count, SETTINGS.chunk_bytes)))):
                raise EOFError(f"{count} bytes of a record are missing")
            count -= taken

    def line_ends(self) -> int:
        """Skip the line ends that come next, and return how many there were."""
        number = 0
        while (byte := self.take(1)) in (b"\r", b"\n"):
            number += byte == b"\n"
        self.give_back(byte)
        return number

    @property
    def ended(self) -> bool:
        return len(self._buffer) == self._place and not self._fill()


class _Record(Struct, frozen=True):
    """A record of a WARC file: its range of bytes, its headers, and the status and headers of the HTTP response in it ("" and {} if there
    is none). Header names are in small letters. begin: the first bytes of the content, decoded."""

    offset: int  # bytes from the start of the file
    length: int  # bytes
    headers: Mapping[str, str]  # the record's own headers, by lower-case name
    status: str
    http: Mapping[str, str]  # headers of the HTTP response in it, by lower-case name
    begin: bytes  # first bytes of the content, decoded


def _records(archive: DocumentRef, stream: Any) -> Iterator[_Record]:
    """Yield the records of an archive. warcio cannot distinguish a cut-off archive from a complete one.
    Raises EOFError if the archive is cut off, ValueError or zlib.error if it is invalid."""
    raw = _Forward(lambda: stream.read(SETTINGS.chunk_bytes))
    magic = raw.take(len(_GZIP))
    raw.give_back(magic)
    if raw.ended:
        raise EOFError("it is empty")
    yield from _packed_records(raw) if magic == _GZIP else _plain_records(raw)
    if archive.size is not None and raw.at != archive.size:
        raise EOFError(f"{raw.at} bytes were read, but {archive.size} are listed")


def _plain_records(raw: _Forward) -> Iterator[_Record]:
    while not raw.ended:
        offset = raw.at
        read = _read_record(raw)
        yield _Record(offset, raw.at - offset, *read)
        if raw.line_ends() < _LINE_ENDS and raw.ended:
            raise EOFError("the end of the last record is missing")


def _packed_records(raw: _Forward) -> Iterator[_Record]:
    """Yield the records of a compressed file, each of which is a gzip member. The error of an invalid record is raised after all others."""
    trouble: Exception | None = None
    while not raw.ended:
        offset, member = raw.at, _Forward(_inflated(raw))
        try:
            read = _read_record(member)
            member.line_ends()
            if not member.ended:
                raise ValueError(f"the gzip member at byte {offset} contains more than one record, so its records have no byte ranges")
            yield _Record(offset, raw.at - offset, *read)
        except (EOFError, ValueError) as error:
            trouble = trouble or error
            while member.some():
                pass
    if trouble:
        raise trouble


def _inflated(raw: _Forward) -> Callable[[], bytes]:
    """Return a function that returns the next bytes of the gzip member at the current position, b"" at its end. It raises EOFError or
    zlib.error."""
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


def _read_record(source: _Forward) -> tuple[dict[str, str], str, dict[str, str], bytes]:
    """Read a record, and return its headers, the HTTP status in it or "", the HTTP headers, and the beginning of its body."""
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
    status, http, body = "", dict[str, str](), b""
    kind = headers.get("warc-type")
    if kind in ("response", "resource") and block:
        answer = _Forward(lambda: source.take(min(_LINE_BYTES, block - (source.at - begin))))
    if kind == "response" and block:
        with contextlib.suppress(EOFError, ValueError):  # no answer of http, which is no error of the archive
            words = answer.line().split(None, 2)
            status = words[1].decode("latin-1") if len(words) > 1 and words[0].startswith(b"HTTP/") else ""
            http = _headers(answer) if status else {}
    if kind in ("response", "resource") and block:
        body = _decoded_begin(answer.take(_BEGIN_BYTES), http)
    source.skip(block - (source.at - begin))
    return headers, status, http, body


def _decoded_begin(body: bytes, http: Mapping[str, str]) -> bytes:
    """Return the beginning of a body after undoing its encodings: gzip, deflate, and chunks, of which only the first is read."""
    if "chunked" in http.get("transfer-encoding", "").lower():
        size, end, rest = body.partition(b"\n")
        body = (
            rest if end and re.fullmatch(rb"[0-9A-Fa-f]{1,16}\s*(;.*)?", size.strip()) else body
        )  # some tools undo it and keep the header
    if http.get("content-encoding", "").strip().lower() in ("gzip", "x-gzip", "deflate"):
        with contextlib.suppress(zlib.error):  # so it is with this one
            return zlib.decompressobj(32 + zlib.MAX_WBITS).decompress(body, _BEGIN_BYTES)
    return body


def _headers(source: _Forward) -> dict[str, str]:
    """Read header fields up to an empty line, by name in small letters; of equal names the first counts. A line that begins with white
    space continues the field before."""
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
    """Return the payload of a record (`data`, from the address `uri`) without its encodings, after checking the digest that the archive
    states.
    Raises SourceError(damaged) if there is no record, or the payload has another digest."""
    try:
        record = next(iter(ArchiveIterator(io.BytesIO(data))), None)
        if record is None:
            raise SourceError("damaged", f"{uri}: there is no record at this offset")
        payload = bytes(record.content_stream().read())
        facts = record_of(uri)
        digest = facts.get("digest") or record.rec_headers.get_header("WARC-Payload-Digest") or ""
        if "truncated" not in facts and not _fits(digest, payload, data):
            raise SourceError("damaged", f"{uri}: the payload does not match the digest {digest} that the archive states")
    except (ArchiveLoadFailed, EOFError, OSError, ValueError) as error:
        raise SourceError("damaged", f"{uri}: the record cannot be read: {' '.join(str(error).split())}") from error
    return payload


def _fits(digest: str, payload: bytes, data: bytes) -> bool:
    """Return whether a digest belongs to a payload in any form over which tools compute it: as sent, with chunks joined, or decoded.
    Unknown methods are accepted. payload: the decoded body. data: the whole record."""
    method, colon, value = digest.rpartition(":")
    method = (method or "sha1").lower().replace("-", "")
    if method not in _DIGESTS or (not colon and not PLAIN_SHA1.fullmatch(value)):
        return True
    if _has(method, value, payload):
        return True
    record = next(iter(ArchiveIterator(io.BytesIO(data))))
    sent = bytes(record.raw_stream.read())
    return _has(method, value, sent) or _has(method, value, bytes(ChunkedDataReader(io.BytesIO(sent)).read(len(sent) + 1)))


def _has(method: str, value: str, data: bytes) -> bool:
    found = hashlib.new(method, data, usedforsecurity=False).digest()
    stated = value.rstrip("=")
    return stated.lower() == found.hex() or stated in {
        base64.b32encode(found).decode().rstrip("="),
        base64.b64encode(found).decode().rstrip("="),
    }


def index_records(index: DocumentRef, data: bytes, base_uri: str) -> Iterator[DocumentRef]:
    """Yield the PDF records that an index names. data: the index. base_uri: folder of relative file names, with a final slash.
    For an invalid line, or a last line without a line end, a reference with a `failure` is yielded."""
    try:
        text = (gzip.decompress(data) if index.uri.lower().endswith(".gz") else data).decode("utf-8", "replace")
    except (EOFError, OSError, zlib.error) as error:
        yield _failed(index, SourceError("damaged", f"{index.uri}: the index is cut off or damaged: {error}"))
        return
    lines = text.splitlines()
    if not text.endswith("\n"):
        message = f"{index.uri}: the index breaks off: " + (f"line {len(lines)} has no line end" if lines else "it is empty")
        yield _failed(index, SourceError("damaged", message))
        lines = lines[:-1]
    for number, line in enumerate(lines, 1):
        if not line.strip() or line.lstrip().startswith(("CDX ", "#")):
            continue
        try:
            entry = _entry(line)
            if "mime" not in entry or _is_pdf(entry["mime"]) or _is_pdf(entry.get("mime-detected", "")):
                yield _of_entry(entry, base_uri)
        except (ValueError, KeyError, IndexError) as error:
            refusal = SourceError(
                "bad_source", f"{index.uri}, line {number}: is not an entry for a record ({type(error).__name__}: {error})"
            )
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
    facts = {"url": entry.get("url", ""), "date": date, "digest": entry.get("digest", ""), "truncated": entry.get("truncated", "")}
    return reference(archive, int(entry["offset"]), int(entry["length"]), facts)
