"""Identify a file from its bytes: PDF signature, header version, and the likely format of other files (ISO 32000-2 §7.5.2, Annex I)."""

from __future__ import annotations

import re
from typing import Final

from msgspec import Struct

#: `%PDF-1.7`, `%FDF-1.2`, and the PostScript form `%!PS-Adobe-3.0 PDF-1.4`, which Acrobat also accepts.
_HEADER: Final = re.compile(rb"%(PDF|FDF)-\s?(\d\.\d+)|%!PS-Adobe-\d\.\d+ (PDF)-(\d\.\d+)|%(PDF|FDF)(?=[-\s])")
_XFDF: Final = re.compile(rb"<(?:\w+:)?xfdf[\s>/]")

#: Bytes searched for the signature. Acrobat searches 1,024, but print-job headers and e-mail headers before a PDF are longer.
HEADER_WINDOW: Final = 1 << 16

#: Versions that Adobe and ISO have published.
PDF_VERSIONS: Final = frozenset({*(f"1.{minor}" for minor in range(8)), "2.0"})

#: Words that only PDF syntax has, to recognise a file whose header is missing.
_PDF_WORDS: Final = (b"startxref", b"endobj", b"endstream", b"trailer", b"/Root", b"/Kids", b"/Catalog")

_MAGIC: Final[tuple[tuple[int, bytes, str], ...]] = (
    (0, b"\x89PNG\r\n\x1a\n", "png"),
    (0, b"\xff\xd8\xff", "jpeg"),
    (0, b"GIF8", "gif"),
    (0, b"II*\x00", "tiff"),
    (0, b"MM\x00*", "tiff"),
    (0, b"BM", "bmp"),
    (0, b"\x00\x00\x00\x0cjP  ", "jpeg2000"),
    (0, b"\x97JB2\r\n\x1a\n", "jbig2"),
    (8, b"WEBP", "webp"),
    (0, b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "ole"),
    (0, b"{\\rtf", "rtf"),
    (0, b"%!", "postscript"),
    (0, b"\xc5\xd0\xd3\xc6", "postscript"),
    (0, b"AT&TFORM", "djvu"),
    (60, b"BOOKMOBI", "mobi"),
    (0, b"\x1f\x8b", "gzip"),
    (0, b"BZh", "bzip2"),
    (0, b"\xfd7zXZ\x00", "xz"),
    (0, b"7z\xbc\xaf\x27\x1c", "7z"),
    (0, b"Rar!\x1a\x07", "rar"),
    (257, b"ustar", "tar"),
    (0, b"\x28\xb5\x2f\xfd", "zstd"),
    (4, b"ftyp", "mp4"),
    (0, b"ID3", "mp3"),
    (0, b"OggS", "ogg"),
    (0, b"RIFF", "riff"),
    (0, b"\x7fELF", "elf"),
    (0, b"MZ", "exe"),
    (0, b"SQLite format 3\x00", "sqlite"),
    (0, b"PAR1", "parquet"),
    (0, b"From ", "mbox"),
)
ZIP_MAGIC: Final = b"PK\x03\x04"
_ZIP_MEMBERS: Final[tuple[tuple[bytes, str], ...]] = (
    (b"word/", "docx"),
    (b"xl/", "xlsx"),
    (b"ppt/", "pptx"),
    (b"application/epub+zip", "epub"),
    (b"application/vnd.oasis.opendocument.text", "odt"),
    (b"application/vnd.oasis.opendocument.spreadsheet", "ods"),
    (b"application/vnd.oasis.opendocument.presentation", "odp"),
    (b"META-INF/MANIFEST.MF", "jar"),
)


class Signature(Struct, frozen=True):
    """The header `%PDF-`, `%FDF-` or `<xfdf` that was found in the bytes: its kind, its offset, and the version that it states."""

    kind: str  # pdf, fdf or xfdf
    offset: int  # number of bytes before it
    version: str | None  # as written (`1.7`), None if unreadable


def find_signature(data: bytes) -> Signature | None:
    """Return the first PDF, FDF or XFDF signature; None if there is none. Other bytes may precede it, such as a MacBinary header or a byte
    order mark.

    >>> find_signature(b"junk%PDF-1.4")
    Signature(kind='pdf', offset=4, version='1.4')
    """
    if (match := _HEADER.search(data, 0, HEADER_WINDOW)) is not None:
        word = next(group for group in (match[1], match[3], match[5]) if group)
        version = match[2] or match[4]
        return Signature(word.decode().lower(), match.start(), version.decode() if version else None)
    head = data[:HEADER_WINDOW]
    if head.startswith((b"\xff\xfe", b"\xfe\xff")):
        head = head.decode("utf-16", "ignore").encode()
    if (match := _XFDF.search(head)) is not None and head.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"<"):
        return Signature("xfdf", 0, None)
    return None


def looks_like_pdf(data: bytes) -> bool:
    """Return whether bytes without a signature contain at least two words of PDF syntax."""
    return sum(word in data for word in _PDF_WORDS) >= 2


def guess_format(data: bytes) -> str:
    """Return a short name for the likely format of a file: `png`, `docx`, `html`, `text`, ... or `unknown`.

    >>> guess_format(b"GIF89a...")
    'gif'
    """
    if data.startswith(ZIP_MAGIC):
        return next((word for member, word in _ZIP_MEMBERS if member in data[:8192] or member in data[-8192:]), "zip")
    for offset, magic, word in _MAGIC:
        if data[offset : offset + len(magic)] == magic:
            return word
    return _guess_text(data[:4096])


def _guess_text(head: bytes) -> str:
    start = head.lstrip(b"\xef\xbb\xbf \t\r\n").lower()
    if not start:
        return "blank" if head else "empty"
    if start.startswith((b"<!doctype html", b"<html", b"<head", b"<body")):
        return "html"
    if start.startswith(b"<?xml"):
        return "html" if b"<html" in start else "svg" if b"<svg" in start else "xml"
    if start.startswith(b"<svg"):
        return "svg"
    if start.startswith((b'{"', b"{\n", b"[{")):
        return "json"
    if head.startswith((b"\xff\xfe", b"\xfe\xff")):
        return "text"
    return "unknown" if _is_binary(head) else "text"


def _is_binary(head: bytes) -> bool:
    controls = sum(byte < 9 or 13 < byte < 32 for byte in head)
    return b"\x00" in head or controls * 20 > len(head)
