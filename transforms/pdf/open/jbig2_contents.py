"""Page contents that a filter of pictures holds: operators as the samples of a JPEG (ISO 32000-2 §7.4.8; §7.8.2 excludes no filter).
PDFium shows such a page empty, other viewers show it."""

from __future__ import annotations

import io
from typing import Final

import pikepdf

from pdfmill.transforms.pdf.open.document import PdfDocument
from pdfmill.transforms.pdf.open.objects import OBJECT_ERRORS, get, items, name

#: Bytes of such content; a page of text has some thousands.
_MAX_SAMPLES: Final = 4 << 20


def decoded_page(document: PdfDocument, number: int) -> bytes | None:
    """A document of page `number` alone, with its content as operators; None where its content is in no picture, or cannot be decoded."""
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
    """The samples of a JPEG, row by row.

    Raises:
        OSError: it is none. ValueError: it has too many.
    """
    from PIL import Image  # hardly a page needs it

    with Image.open(io.BytesIO(part.read_raw_bytes())) as picture:
        if picture.width * picture.height * len(picture.getbands()) > _MAX_SAMPLES:
            raise ValueError(f"a picture of {picture.width} x {picture.height} is no content")
        return picture.tobytes()
