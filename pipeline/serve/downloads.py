"""Downloads: files that a run exported from a document, and the document itself in the version that was listed."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import BinaryIO, Final
from urllib.parse import quote

from msgspec import Struct

from pdfmill.pipeline.render.rows import text_in, whole_in
from pdfmill.pipeline.serve.library import Library
from pdfmill.schemas.records import PARQUET_PREFIX, TAR_PREFIX, DocumentRef, Row
from pdfmill.transforms.road.job_settings import ReadSettings
from pdfmill.transforms.storage.addresses import WARC_PREFIX
from pdfmill.transforms.storage.errors import SourceError
from pdfmill.transforms.storage.objects import join_uri, look_up, open_stream, read_bytes
from pdfmill.transforms.storage.streams import check_same

#: Folder of exported files in the output; each is named by its checksum.
FILES: Final = "files"
_PIECE_BYTES: Final = 1 << 18
_MAX_NAME: Final = 120
_SHA256: Final = re.compile("[0-9a-f]{64}")
_COLUMNS: Final = [
    "asset", "kind", "name", "page", "mime_type", "byte_size", "sha256", "uri", "width", "height", "description", "relationship",
    "child_doc_id",
]  # fmt: skip


class ListedFile(Struct, frozen=True):
    """A file in a document: an attachment or an image. number, row: its number in the document, and its row of `assets`. uri: address of
    the exported bytes, or None. file_name: a name that is safe on a disk."""

    number: int
    row: Row
    uri: str | None
    file_name: str


class Opened(Struct, frozen=True):
    """The bytes of a file, in pieces."""

    pieces: Iterator[bytes]
    size: int | None  # None if unknown


def listed_files(library: Library, doc_id: str) -> list[ListedFile]:
    """Return the files in a document: attachments and images."""
    return [_listed(library.output, row) for row in library.rows("assets", doc_id, _COLUMNS)]


def _listed(output: str, row: Row) -> ListedFile:
    """Make the record of a file. Its address is made from the checksum alone, so that a row cannot name another file."""
    number, digest = whole_in(row, "asset") or 0, text_in(row, "sha256")
    exported = row.get("uri") is not None and _SHA256.fullmatch(digest)
    uri = join_uri(output, f"{FILES}/{digest[:2]}/{digest}") if exported else None
    return ListedFile(number, row, uri, safe_name(text_in(row, "name"), f"file-{number}"))


def safe_name(name: str, otherwise: str) -> str:
    """Make a safe file name from a name in a document: its last part, without invisible characters; `otherwise` if nothing is left.

    >>> safe_name("../../evil\\u202egpj.exe", "file"), safe_name("..", "file")
    ('evilgpj.exe', 'file')
    """
    last = re.split(r"[/\\]", name)[-1]
    kept = "".join(char for char in last if char.isprintable() and char not in '"<>|:*?').strip(". ")
    return kept[-_MAX_NAME:] or otherwise


def disposition(name: str) -> str:
    """Return the value of the header Content-Disposition that makes a browser save a file instead of showing it (RFC 6266)."""
    plain = "".join(char if char.isascii() and char not in '"\\' else "_" for char in name)
    return f"attachment; filename=\"{plain}\"; filename*=UTF-8''{quote(name, safe='')}"


def open_asset(uri: str) -> Opened:
    """Open the exported bytes of an asset. uri: address of the exported file.

    Raises:
        pdfmill.transforms.storage.errors.SourceError: the file no longer exists.
    """
    return Opened(_pieces(open_stream(uri)), look_up(uri).size)


def open_original(ref: DocumentRef) -> Opened:
    """Open the document itself, if its object is still the version that was listed.

    Raises:
        pdfmill.transforms.storage.errors.SourceError: the object has changed or cannot be fetched, or it is an attached PDF.
    """
    if ref.attachment_path:
        raise SourceError("not_found", f"{ref.name()}: can only be downloaded from the document to which it is attached")
    if ref.address.startswith((WARC_PREFIX, TAR_PREFIX, PARQUET_PREFIX)):
        data = read_bytes(ref, max_bytes=ReadSettings().max_bytes)
        return Opened(iter([data]), len(data))
    there = look_up(ref.address)
    check_same(ref, ref.etag, there.etag)
    check_same(ref, ref.size, there.size)
    check_same(ref, ref.modified, there.modified)
    return Opened(_pieces(open_stream(ref.address)), there.size)


def _pieces(stream: BinaryIO) -> Iterator[bytes]:
    with stream:
        while piece := stream.read(_PIECE_BYTES):
            yield piece
