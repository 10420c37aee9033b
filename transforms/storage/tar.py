"""PDFs in tar archives (POSIX.1-2001 pax, ustar, GNU): listing reads the headers; a document is a range of bytes.
So little more than the documents is fetched. Compressed archives are not supported. Addresses: `transforms.storage.addresses`."""

from __future__ import annotations

import io
import tarfile
from collections import Counter
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from typing import Any, BinaryIO, Final, cast

from msgspec.structs import replace

from pdfmill.schemas.records import DocumentRef
from pdfmill.transforms.storage.addresses import parse_record_uri, reference
from pdfmill.transforms.storage.errors import STRANGE_ANSWERS, SourceError
from pdfmill.transforms.storage.settings import SUFFIXES
from pdfmill.transforms.storage.streams import changed

TAR: Final = ".tar"
#: Bytes that are fetched for a header; in archives of short documents they contain several headers.
_AT_ONCE: Final = 16 * 1024
#: The longest header of names that is accepted, in bytes.
_HEADER_BYTES: Final = 1 << 20
_END: Final = bytes(tarfile.BLOCKSIZE)


def archive_members(archive: DocumentRef, file: BinaryIO) -> Iterator[DocumentRef]:
    """Yield the documents in an archive, selected by their names; after a cut or damage a last reference with the `failure`.
    This takes a kilobyte of memory per member."""
    times = Counter[str]()
    try:
        buffered = _Headers(io.BufferedReader(file, _AT_ONCE) if isinstance(file, io.RawIOBase) else file)
        end = -1
        with tarfile.open(fileobj=cast(BinaryIO, buffered), mode="r:", encoding="utf-8", errors="replace") as tar:
            while (member := tar.next()) is not None:
                if member.size < 0 or tar.offset <= end:
                    raise tarfile.ReadError(f"a member of {member.size} bytes")
                end = tar.offset
                if member.isreg() and not member.issparse() and member.name.lower().endswith(SUFFIXES):
                    times[member.name] += 1
                    yield _reference(archive, member, times[member.name])
            buffered.seek(tar.offset)
            if buffered.read(tarfile.BLOCKSIZE) != _END:
                raise tarfile.ReadError(f"no header and no end of an archive at byte {tar.offset}")
    except (tarfile.TarError, EOFError, *STRANGE_ANSWERS) as error:
        broken = SourceError("damaged", f"{archive.uri}: the archive is cut off or damaged: {' '.join(str(error).split())}")
        yield replace(archive, failure=broken.failure)


class _Headers:
    """A file from which tar headers are read. It limits their size, because a malicious header may claim any length."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self.seek, self.tell = file.seek, file.tell

    def read(self, size: int) -> bytes:
        """Read up to `size` bytes. Raises tarfile.ReadError for a size that no header has."""
        if not 0 <= size <= _HEADER_BYTES:
            raise tarfile.ReadError(f"a header of {size} bytes")
        return self._file.read(size)


def _reference(archive: DocumentRef, member: tarfile.TarInfo, time: int) -> DocumentRef:
    """Make the reference to a member. time: number of earlier members with the same name, which updating an archive keeps."""
    facts = {"name": member.name, "date": _date(member.mtime), "again": str(time) if time > 1 else ""}
    return replace(reference(archive.address, member.offset_data, member.size, facts), size=member.size)


def _date(mtime: float) -> str:
    """Return a Unix time in ISO 8601 in UTC, as web archives state times; "" for a time that no table can hold."""
    try:
        return datetime.fromtimestamp(int(mtime), UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    except (OverflowError, OSError, ValueError):
        return ""


def read_member(ref: DocumentRef, read_range: Callable[[str, int, int], bytes]) -> bytes:
    """Return the bytes of a member of a tar archive. read_range: takes (address, offset, length) and returns bytes of the archive.
    Raises SourceError: changed if the member is no longer there, or the errors of `read_range`."""
    archive, offset, length, facts = parse_record_uri(ref.address)
    data = read_range(archive, offset - tarfile.BLOCKSIZE, tarfile.BLOCKSIZE + length)
    try:
        header: Any = tarfile.TarInfo.frombuf(data[: tarfile.BLOCKSIZE], "utf-8", "replace")
    except tarfile.HeaderError:
        header = None
    if header is None or header.size != length or len(data) != tarfile.BLOCKSIZE + length:
        raise changed(ref.uri, f"{length} bytes of {facts.get('name')}", "another member is there now")
    return data[tarfile.BLOCKSIZE :]
