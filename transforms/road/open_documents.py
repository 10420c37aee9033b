"""A cache of open documents in this process: each is fetched and opened once, however many of its pages are read.
PDFium is not thread-safe, so code that uses an open document must hold `NATIVE_LOCK`."""

from __future__ import annotations

import atexit
import threading
from collections import OrderedDict
from datetime import datetime
from functools import cache
from typing import Final

from pdfmill.schemas.records import DocumentRef
from pdfmill.transforms.pdf.facts.attachments import attachment_bytes
from pdfmill.transforms.pdf.open.document import PdfDocument, open_document
from pdfmill.transforms.pdf.open.pdfium_api import FACES
from pdfmill.transforms.road.job_settings import ReadSettings
from pdfmill.transforms.storage.objects import read_bytes

NATIVE_LOCK: Final = threading.RLock()

#: The key of an open document: address, etag, size, modification time, attachment path (indexes). A changed local file thus has another
#: key.
_Key = tuple[str, str | None, int | None, datetime | None, tuple[int, ...]]


class OpenDocuments:
    """A cache of open documents, limited in number and bytes. The least recently used one is closed first."""

    def __init__(self, max_documents: int, max_bytes: int) -> None:
        self._open: OrderedDict[_Key, PdfDocument] = OrderedDict()
        self._max_documents = max_documents
        self._max_bytes = max_bytes

    def get(self, key: _Key) -> PdfDocument | None:
        """Return the open document with this key and mark it as most recently used; None if it is not open."""
        found = self._open.get(key)
        if found is not None:
            self._open.move_to_end(key)
        return found

    def put(self, key: _Key, document: PdfDocument) -> None:
        """Add a document, and close others, the least recently used first, until the limits hold again."""
        self._open[key] = document
        while len(self._open) > 1 and (len(self._open) > self._max_documents or self._bytes() > self._max_bytes):
            self._open.popitem(last=False)[1].close()

    def clear(self) -> None:
        while self._open:
            self._open.popitem()[1].close()

    def _bytes(self) -> int:
        return sum(len(document.data) for document in self._open.values())


@cache
def _documents(max_documents: int, max_bytes: int) -> OpenDocuments:
    documents = OpenDocuments(max_documents, max_bytes)
    _all_documents.append(documents)
    return documents


_all_documents: Final[list[OpenDocuments]] = []


def close_documents() -> None:
    """Close every document that this process holds open, to free memory."""
    with NATIVE_LOCK:
        for documents in _all_documents:
            documents.clear()


# pypdfium2 warns of documents that are open at the program's end, unless their finalizers run before its own last step: they do not where
# the program has used `weakref.finalize` before, as PyTorch does.
atexit.register(close_documents)


@cache
def passwords(uri: str | None) -> tuple[str, ...]:
    """Return the candidate passwords in the file at this address, one on each line, without empty lines; none if `uri` is None.

    Raises:
        pdfmill.transforms.storage.errors.SourceError: the file cannot be read.
    """
    if uri is None:
        return ()
    text = read_bytes(DocumentRef.of_uri(uri), max_bytes=1 << 20).decode("utf-8")
    return tuple(line for line in text.splitlines() if line)


def fetch_bytes(ref: DocumentRef, settings: ReadSettings, *, machine_fonts: bool = False) -> bytes:
    """Return the document's bytes: from its store, or for an embedded PDF from its open parent. machine_fonts: fonts of the parent.

    Raises:
        pdfmill.transforms.storage.errors.SourceError: the store failed, or the object has changed.
        pdfmill.schemas.codes.DocumentError: a parent cannot be opened, or has no such attachment.
    """
    if not ref.attachment_path:
        return read_bytes(ref, max_bytes=settings.max_bytes, bound=settings.reach)
    parent = get_document(ref.parent(), settings, machine_fonts=machine_fonts)
    return attachment_bytes(parent, ref.attachment_path[-1])


def get_document(ref: DocumentRef, settings: ReadSettings, data: bytes | None = None, *, machine_fonts: bool = False) -> PdfDocument:
    """Return the open document, from the cache or opened now. The caller must hold `NATIVE_LOCK`. Earlier results become invalid when pages
    are drawn, or a document is opened with other fonts (see `pdfmill.transforms.pdf.open.pdfium_api`).

    data: the document's bytes if they were read before. machine_fonts: replace fonts that are not embedded by those of the machine; for
    pictures, never for text.

    Raises:
        transforms.storage.errors.SourceError: the store failed, or the object has changed.
        schemas.codes.DocumentError: the document or one that contains it cannot be opened, or the attachment does not exist.
    """
    documents = _documents(settings.cache_documents, settings.cache_bytes)
    key = (ref.uri, ref.etag, ref.size, ref.modified, ref.attachment_path)
    found = documents.get(key)
    before = None
    if FACES.want(machine_fonts=machine_fonts):
        before, data = (found, found.data) if found is not None else (None, data)
        close_documents()
        found = None
    if found is None:
        data = fetch_bytes(ref, settings, machine_fonts=machine_fonts) if data is None else data
        found = open_document(data, name=ref.name(), passwords=passwords(settings.passwords_uri), limits=settings.limits)
        if before is not None:
            found.pictured = before.pictured
        documents.put(key, found)
    return found
