"""A page as pixels, by PDFium."""

from __future__ import annotations

from typing import Final

import numpy as np
import pypdfium2
from numpy.typing import NDArray

from transforms.pdf.errors import PageError

#: Pixels of the largest picture; 3 bytes each, and as much again while PDFium draws.
MAX_PIXELS: Final = 100_000_000


def render_page(pdf: pypdfium2.PdfDocument, number: int, scale: float = 1.0) -> NDArray[np.uint8]:
    """Page `number` (from 1), rotated and cropped as displayed, annotations drawn: uint8[height, width, 3], RGB.

    scale: pixels per point of the page (PDFium does not count UserUnit).

    Raises:
        PageError: page_unreadable when PDFium cannot load it; too_large beyond `MAX_PIXELS`.
    """
    try:
        page = pdf[number - 1]
    except (pypdfium2.PdfiumError, IndexError) as error:
        raise PageError("page_unreadable", f"page {number}: PDFium cannot load it") from error
    try:
        width, height = page.get_size()
        if width * height * scale * scale > MAX_PIXELS:
            raise PageError("too_large", f"page {number}: {width * scale:.0f} x {height * scale:.0f} pixels; at most {MAX_PIXELS} in all")
        bitmap = page.render(scale=scale, rev_byteorder=True)
        try:
            return np.array(bitmap.to_numpy()[:, :, :3], dtype=np.uint8)
        finally:
            bitmap.close()
    finally:
        page.close()


def fit_page(pdf: pypdfium2.PdfDocument, number: int, width: int, height: int) -> NDArray[np.uint8]:
    """As `render_page`, as large as fits into `width` x `height` pixels.

    Raises:
        PageError: see `render_page`.
    """
    try:
        page = pdf[number - 1]
    except (pypdfium2.PdfiumError, IndexError) as error:
        raise PageError("page_unreadable", f"page {number}: PDFium cannot load it") from error
    points = page.get_size()
    page.close()
    return render_page(pdf, number, min(pixels / max(1.0, length) for pixels, length in zip((width, height), points, strict=True)))
