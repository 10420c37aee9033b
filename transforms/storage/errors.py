"""The one error of this room."""

from __future__ import annotations

from schemas.records import Failure


class SourceError(Exception):
    """An object or a listing could not be had.

    code: a key of `schemas.codes.ERROR_CODES`: not_found, no_such_bucket, permission_denied, changed, store_error, bad_source or
    too_large. message: names the object and the reason.
    """

    def __init__(self, code: str, message: str) -> None:
        super().__init__(code, message)
        self.code = code
        self.message = message

    def __str__(self) -> str:
        return self.message

    @property
    def failure(self) -> Failure:
        """The error as the record that flows."""
        return Failure(self.code, self.message)


class AlreadyExistsError(SourceError):
    """A create-only put found an object in its place; nothing was written."""

    def __init__(self, uri: str) -> None:
        super().__init__("changed", f"{uri}: there is an object already")
        self.uri = uri

    def __reduce__(self) -> tuple[type[AlreadyExistsError], tuple[str]]:
        return (AlreadyExistsError, (self.uri,))
