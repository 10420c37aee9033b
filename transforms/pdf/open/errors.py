"""Errors of opening and reading PDFs, by the part of the document that is lost.

PdfError ├── DocumentError the document has no readable page: callers write its row with this code, and go on with the next document └──
PageError this page cannot be read: callers write its row with this code, and go on with the next page
"""

from __future__ import annotations

from pdfmill.schemas.errors import CodedError


class PdfError(CodedError):
    """Some part of a PDF could not be read."""


class DocumentError(PdfError):
    """The document cannot be opened."""


class PageError(PdfError):
    """The page cannot be loaded or read."""
