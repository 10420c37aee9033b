"""Render pages as pixels with PDFium. UserUnit is ignored: "point" here means a unit of user space."""

from __future__ import annotations

from typing import Final

import numpy as np
import pypdfium2
import pypdfium2.raw as pdfium_c
from numpy.typing import NDArray

from pdfmill.schemas.codes import PageError
from pdfmill.transforms.pdf.open.pdfium_api import FACES

#: Pixels of the largest rendered page, which take 3 bytes each, and twice that while PDFium draws.
MAX_PIXELS: Final = 100_000_000
POINTS: Final = 72
#: Levels of nested form XObjects in which images are searched.
FORM_DEPTH: Final = 4
#: Share of the page that an image must cover to be considered for the resolution (scanners store strips), and the share that all of them
#: must cover together.
LEAST_PICTURE, MOST_OF_PAGE = 0.02, 0.5


def render_page(pdf: pypdfium2.PdfDocument, number: int, scale: float = 1.0, *, text: bool = True) -> NDArray[np.uint8]:
    """Render page `number`, from 1, rotated and cropped as displayed, with annotations. Return uint8[height, width, 3], RGB.

    scale: pixels per point. text: draw the text of the page itself too; text of forms and annotations is always drawn.

    Raises:
        PageError: page_unreadable if PDFium cannot load the page; too_large beyond `MAX_PIXELS`.
    """
    return np.ascontiguousarray(_render(pdf, number, scale, grey=False, text=text)[:, :, :3])


def render_grey(pdf: pypdfium2.PdfDocument, number: int, scale: float = 1.0) -> NDArray[np.uint8]:
    """Render a page in grey, as `render_page` does. Return uint8[height, width], 255 for white. scale: pixels per point."""
    return _render(pdf, number, scale, grey=True)


def _render(pdf: pypdfium2.PdfDocument, number: int, scale: float, *, grey: bool, text: bool = True) -> NDArray[np.uint8]:
    page = _load(pdf, number)
    try:
        width, height = page.get_size()
        if width * height * scale * scale > MAX_PIXELS:
            raise PageError(
                "too_large",
                f"page {number}: drawn with {width * scale:.0f} x {height * scale:.0f} pixels it exceeds the limit of {MAX_PIXELS} pixels",
            )
        if not text:  # this changes the loaded page only, not the document
            for each in page.get_objects(filter=[pdfium_c.FPDF_PAGEOBJ_TEXT], max_depth=1):
                pdfium_c.FPDFTextObj_SetTextRenderMode(each.raw, pdfium_c.FPDF_TEXTRENDERMODE_INVISIBLE)
        FACES.note_drawn()
        # The bitmap alone is made grey: with the renderer's own option a scan takes twice the time, and no pixel differs.
        bitmap = (
            page.render(scale=scale, force_bitmap_format=pdfium_c.FPDFBitmap_Gray) if grey else page.render(scale=scale, rev_byteorder=True)
        )
        try:
            pixels = np.array(bitmap.to_numpy(), dtype=np.uint8)
            return pixels.reshape(pixels.shape[:2]) if grey else pixels
        finally:
            bitmap.close()
    finally:
        page.close()


def fit_page(pdf: pypdfium2.PdfDocument, number: int, width: int, height: int) -> NDArray[np.uint8]:
    """Render page `number`, from 1, as `render_page` does, at the largest scale at which it fits into `width` x `height` pixels.

    Raises:
        PageError: PDFium cannot load the page, or the image would be too large.
    """
    page = _load(pdf, number)
    points = page.get_size()
    page.close()
    return render_page(pdf, number, min(pixels / max(1.0, length) for pixels, length in zip((width, height), points, strict=True)))


def _load(pdf: pypdfium2.PdfDocument, number: int) -> pypdfium2.PdfPage:
    try:
        return pdf[number - 1]
    except (pypdfium2.PdfiumError, IndexError) as error:
        raise PageError("page_unreadable", f"page {number}: PDFium cannot load it") from error


def picture_resolution(pdf: pypdfium2.PdfDocument, number: int) -> float | None:
    """Return the highest resolution, in dots per inch, of the large images on a page; None if images do not cover most of the page.

    Raises:
        PageError: page_unreadable if PDFium cannot load the page.
    """
    page = _load(pdf, number)
    try:
        covered, finest = 0.0, 0.0
        for each in page.get_objects(filter=[pdfium_c.FPDF_PAGEOBJ_IMAGE], max_depth=FORM_DEPTH):
            left, bottom, right, top = each.get_bounds()
            area = (right - left) * (top - bottom)
            across, down = each.get_px_size()
            if area > 0:
                covered += area
                finest = (
                    max(finest, (across * down / area) ** 0.5 * POINTS)
                    if area >= LEAST_PICTURE * page.get_width() * page.get_height()
                    else finest
                )
        return finest if finest and covered >= MOST_OF_PAGE * page.get_width() * page.get_height() else None
    finally:
        page.close()
