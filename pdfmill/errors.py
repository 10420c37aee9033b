"""The error of this package."""


class PdfmillError(Exception):
    """Something could not be done; the message names the object and the reason.

    code: a key of `schemas.codes.ERROR_CODES`, e.g. "not_pdf", "password_needed" or "not_found"; "usage" for arguments that make no sense.
    """

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code
