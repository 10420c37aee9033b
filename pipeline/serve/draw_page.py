"""Draw a page as a PNG in a guarded process, since a hostile file may crash PDFium."""

from __future__ import annotations

import io
from typing import Final

from PIL import Image

from pdfmill.schemas.records import DocumentRef, Failure
from pdfmill.transforms.pdf.draw.render import fit_page
from pdfmill.transforms.pdf.open.errors import DocumentError, PageError
from pdfmill.transforms.road.job_settings import ReadSettings
from pdfmill.transforms.road.open_documents import NATIVE_LOCK, get_document
from pdfmill.transforms.storage.errors import SourceError

#: zlib's level: drawn pages become hardly smaller by more, and take three times as long at the default.
_PNG_LEVEL: Final = 1


def draw(ref: DocumentRef, settings: ReadSettings, page: int, width: int, height: int) -> bytes | Failure:
    """Draw the page (from 1) as large as fits into `width` x `height` pixels. Returns the picture, or why there is none."""
    try:
        with NATIVE_LOCK:
            pixels = fit_page(get_document(ref, settings, machine_fonts=True).pdfium, page, width, height)
    except (SourceError, DocumentError, PageError) as error:
        return Failure(error.code, str(error))
    sink = io.BytesIO()
    Image.fromarray(pixels).save(sink, format="PNG", compress_level=_PNG_LEVEL)
    return sink.getvalue()


def ready() -> None:
    """Do nothing. The answer shows that the process has imported what drawing needs."""
