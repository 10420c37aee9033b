"""Refuse page contents that are compressed many times over, which cost minutes inside PDFium (ISO 32000-2 §7.4.1, filter chains)."""

from __future__ import annotations

import re
from typing import Final

import pikepdf
from msgspec.structs import replace

from pdfmill.transforms.pdf.open.document import PdfDocument, once_per_document
from pdfmill.transforms.pdf.open.errors import PageError
from pdfmill.transforms.pdf.open.objects import OBJECT_ERRORS, get, items, stream_bytes

#: Ordinary producers pack once, or once more in ASCII.
_PACKED_OFTEN: Final = re.compile(rb"/Filter\s*\[(?:\s*/[A-Za-z0-9]+){3}")
#: Bytes of content on one page; the longest of ordinary pages (maps, drawings) have some 20 MB.
_MAX_CONTENT: Final = 64 << 20


def refuse_bomb(document: PdfDocument, number: int) -> None:
    """Refuse a page whose content is compressed three times or more, and is too large when decompressed.

    Raises:
        PageError: too_large.
    """
    if not _is_packed_often(document):  # nearly all documents: the object tree need not be opened for this
        return
    limits = replace(document.limits, max_stream=_MAX_CONTENT)
    try:
        pages = document.tree.pages
        for stream in items(get(pages[number - 1], "/Contents")) if number <= len(pages) else ():
            if isinstance(stream, pikepdf.Stream) and len(items(get(stream, "/Filter"))) > 2:
                stream_bytes(stream, limits)
    except ValueError as error:
        raise PageError("too_large", f"page {number}: content packed many times over: {error}") from error
    except OBJECT_ERRORS:
        return  # what qpdf cannot read is for PDFium to try


@once_per_document
def _is_packed_often(document: PdfDocument) -> bool:
    return _PACKED_OFTEN.search(document.data) is not None
