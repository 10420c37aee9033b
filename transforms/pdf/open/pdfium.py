"""Bytes to a document of PDFium, and PDFium's reason where there is none, whatever it was given before in this process."""

from __future__ import annotations

from typing import Final

import pypdfium2
import pypdfium2.raw as pdfium_c

from pdfmill.transforms.pdf.open.substitute_fonts import FACES

#: A file that is not there.
_NOWHERE: Final = b"\0"


def open_engine(data: bytes, password: str | None = None) -> pypdfium2.PdfDocument:
    """Open a PDF.

    PDFium keeps the reason of its last failure, and sets none where it opens a document without pages, which pypdfium2 refuses: it would
    tell the reason of another file, and take that for a password that is missing. So the last failure is made one that bytes never give.

    Raises:
        pypdfium2.PdfiumError: PDFium does not open it, or finds no page (FPDF_ERR_SUCCESS).
    """
    FACES.begin()
    pdfium_c.FPDF_LoadDocument(_NOWHERE, None)
    try:
        return pypdfium2.PdfDocument(data, password=password)
    except pypdfium2.PdfiumError as error:
        if error.err_code != pdfium_c.FPDF_ERR_FILE:
            raise
        raise pypdfium2.PdfiumError("Failed to load document (PDFium: Success).", err_code=pdfium_c.FPDF_ERR_SUCCESS) from None
