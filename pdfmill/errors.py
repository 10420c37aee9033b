"""The exception of the package `pdfmill`, and the conversion of paths that callers give."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager

from pdfmill.schemas.extras import missing_extra

#: Packages that users install themselves to get data frames; no extra of pdfmill contains them.
_OF_USERS = ("pandas", "polars")


class PdfmillError(Exception):
    """Raised when pdfmill cannot do what was asked; the message names the object and the reason.

    code: a key of `schemas.codes.ERROR_CODES`, e.g. "not_pdf", "password_needed" or "not_found"; "usage" for wrong arguments;
    "not_installed" if an optional extra is missing, which the message names.
    """

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


@contextmanager
def missing_extra_as_error(asked: str) -> Iterator[None]:
    """Turn a ModuleNotFoundError in the block into a PdfmillError that names the missing extra. asked: name of the called function."""
    try:
        yield
    except ModuleNotFoundError as error:
        lack = missing_extra(error, asked)
        if lack is None and error.name in _OF_USERS:
            lack = f"{asked} needs {error.name}, which is not installed: pip install {error.name}"
        if lack is None:
            raise
        raise PdfmillError("not_installed", lack) from error


def path_text(path: str | os.PathLike[str]) -> str:
    """Return a path or an address as text; a leading `~` becomes the home folder."""
    text = os.fspath(path)
    if not isinstance(text, str):
        raise PdfmillError("usage", f"{path!r}: give the path as text, not as bytes")
    return os.path.expanduser(text)
