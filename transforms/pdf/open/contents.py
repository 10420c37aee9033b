"""Detect pages whose content is missing, cut off or overwritten in a damaged file, without an error of PDFium or qpdf."""

from __future__ import annotations

import io
import re
from typing import Final

import pikepdf
from msgspec.structs import replace

from pdfmill.schemas.codes import PageError
from pdfmill.schemas.records import Failure, Notice, PageLines
from pdfmill.transforms.pdf.open.document import PdfDocument, once_per_document, shorten
from pdfmill.transforms.pdf.open.objects import OBJECT_ERRORS, Key, get, items, key_of, name, stream_bytes
from pdfmill.transforms.pdf.open.salvage import balanced, read_remains

# Page contents packed as a JPEG: the bytes of the operators are its samples (ISO 32000-2 §7.4.8; §7.8.2 excludes no filter).
# PDFium shows such a page empty, other viewers show it.


#: Bytes of page content decoded from a JPEG; a page of text has some thousands.
_MAX_SAMPLES: Final = 4 << 20


def decoded_page(document: PdfDocument, number: int) -> bytes | None:
    """Decode the content of page `number`, from 1, if it is compressed as JPEG, and return a PDF with this page only; else, or if decoding
    fails, None."""
    try:
        pages = document.tree.pages
        parts = items(get(pages[number - 1], "/Contents")) if number <= len(pages) else []
        if not any(map(_is_picture, parts)):
            return None
        content = b"\n".join(_samples(part) if _is_picture(part) else part.read_bytes() for part in parts)
        with pikepdf.Pdf.new() as target:
            target.pages.append(pikepdf.Page(pages[number - 1]))
            target.pages[0].obj["/Contents"] = target.make_stream(content)
            sink = io.BytesIO()
            target.save(sink, static_id=True)
            return sink.getvalue()
    except (*OBJECT_ERRORS, OSError):
        return None


def _is_picture(part: object) -> bool:
    return isinstance(part, pikepdf.Stream) and [name(each) for each in items(get(part, "/Filter"))] == ["DCTDecode"]


def _samples(part: pikepdf.Stream) -> bytes:
    """Decode a JPEG and return the bytes of its samples, row by row.

    Raises:
        OSError: the stream holds no JPEG.
        ValueError: the JPEG has more than `_MAX_SAMPLES` samples.
    """
    from PIL import Image  # hardly a page needs it

    with Image.open(io.BytesIO(part.read_raw_bytes())) as picture:
        if picture.width * picture.height * len(picture.getbands()) > _MAX_SAMPLES:
            raise ValueError(f"the page's content is packed as a JPEG of {picture.width} x {picture.height} pixels, which is too large")
        return picture.tobytes()


_CONTENTS: Final = re.compile(rb"/Contents\s*(?:\[|\d+\s+\d+\s+R)")


def note_lost_content(document: PdfDocument, page: PageLines) -> None:
    """Report missing page content in `page`: a failure if the page shows nothing because of it, else a warning."""
    if not document.rebuilt:  # nearly all documents
        return
    try:
        parts, lost, cut = _count_parts(document, page.page)
    except OBJECT_ERRORS as error:
        page.warnings.append(
            Notice("page_facts_unreadable", page.page, f"whether content of the page is missing cannot be checked: {shorten(error)}")
        )
        return
    shows = bool(page.lines or page.hidden or len(page.images) or len(page.rules) or len(page.fills))
    loss = "the file ends within its content" if cut else "its content is not in the file"
    if (cut or lost) and not shows:
        page.failure = Failure("content_missing", f"page {page.page}: {loss}")
    elif cut or 0 < lost < parts:  # what shows all the same, PDFium found where qpdf did not
        loss = loss if cut else f"{lost} of the {parts} parts of its content are not in the file"
        page.warnings.append(Notice("content_incomplete", page.page, f"page {page.page}: {loss}"))


def _count_parts(document: PdfDocument, number: int) -> tuple[int, int, bool]:
    """Return the number of content streams of page `number` (from 1), how many are missing, and whether the file ends within one."""
    pages = document.tree.pages
    if number > len(pages):
        return 0, 0, False
    if document.remains is None:
        document.remains = read_remains(document.data)
    contents = get(pages[number - 1], "/Contents")
    if contents is None:
        lost = _states_contents(document, key_of(pages[number - 1]))
        return int(lost), int(lost), False
    parts = items(contents)
    cut = document.remains.cut is not None and document.remains.cut in map(key_of, parts)
    return len(parts), sum(not isinstance(part, pikepdf.Stream) for part in parts), cut


def _states_contents(document: PdfDocument, page: Key | None) -> bool:
    """Return whether the page has an entry Contents in the file's bytes, although qpdf, which drops references to missing objects, shows
    none."""
    assert document.remains is not None
    offset = document.remains.offsets.get(page) if page is not None else None
    return offset is not None and _CONTENTS.search(balanced(document.remains.data, offset)) is not None


# Refuse page contents that are compressed many times over, which cost minutes inside PDFium (ISO 32000-2 §7.4.1, filter chains).


#: A Filter array of three or more filters. Ordinary writers use one, or a second that encodes as ASCII.
_PACKED_OFTEN: Final = re.compile(rb"/Filter\s*\[(?:\s*/[A-Za-z0-9]+){3}")
#: Bytes of decoded content on one page; the longest ordinary pages (maps, drawings) have some 20 MB.
_MAX_CONTENT: Final = 64 << 20


def refuse_bomb(document: PdfDocument, number: int) -> None:
    """Raise an error for a page whose content has three or more filters and is too large when decoded: a decompression bomb.

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
        raise PageError("too_large", f"page {number}: its content is compressed several times over and too large: {error}") from error
    except OBJECT_ERRORS:
        return  # what qpdf cannot read is for PDFium to try


@once_per_document
def _is_packed_often(document: PdfDocument) -> bool:
    return _PACKED_OFTEN.search(document.data) is not None
