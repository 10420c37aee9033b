"""The errors of pdfmill that have a code.

`CodedError` has the subclass `PdfError`, and this has two: `DocumentError` for a document without a readable page, `PageError` for one
page. Callers write the row of the document or page with the code, and go on with the next one.
"""

from __future__ import annotations

from pdfmill.schemas.codes import ERROR_CODES
from pdfmill.schemas.public import as_message
from pdfmill.schemas.records import Failure


class CodedError(Exception):
    """An object or service is not available, for a reason that has a code.

    code: a key of `pdfmill.schemas.codes.ERROR_CODES`. message: a text that names the object and the reason, and contains no secrets
    (`pdfmill.schemas.public`).
    """

    def __init__(self, code: str, message: str) -> None:
        if code.partition(" ")[0] not in ERROR_CODES:  # Beam puts the step that failed behind the first argument
            raise ValueError(f"{code!r} is not one of the error codes {sorted(ERROR_CODES)}")
        self.code = code
        self.message = as_message(message)
        super().__init__(code, self.message)

    def __str__(self) -> str:
        return self.message

    @property
    def failure(self) -> Failure:
        """Return code and message as a record that can be sent to another process."""
        return Failure(self.code, self.message)


class PdfError(CodedError):
    """A part of a PDF, or the whole, could not be read."""


class DocumentError(PdfError):
    """The document cannot be opened."""


class PageError(PdfError):
    """The page cannot be loaded or read."""
