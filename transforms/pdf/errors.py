"""What this room raises, named for what the caller does next.

    PdfError
    ├── DocumentError   the document has no pages to read: write its row with this code, go on with the next document
    └── PageError       this page cannot be read: write its row with this code, go on with the next page

`code` is a key of `schemas.codes.ERROR_CODES`.
"""

from __future__ import annotations

from schemas.codes import ERROR_CODES
from schemas.records import Failure


class PdfError(Exception):
    """Something of a PDF could not be had; `message` names the object and the reason."""

    def __init__(self, code: str, message: str) -> None:
        if code not in ERROR_CODES:
            raise ValueError(f"{code!r} is not one of the error codes {sorted(ERROR_CODES)}")
        super().__init__(code, message)
        self.code = code
        self.message = message

    def __str__(self) -> str:
        return self.message

    @property
    def failure(self) -> Failure:
        """The same as a record that crosses worker boundaries."""
        return Failure(self.code, self.message)


class DocumentError(PdfError):
    """The document cannot be opened."""


class PageError(PdfError):
    """The page cannot be loaded or read."""
