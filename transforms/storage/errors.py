"""The one error of this room."""

from __future__ import annotations

from typing import Final

from pdfmill.schemas.errors import CodedError


class SourceError(CodedError):
    """An object or a listing is not available: not_found, no_such_bucket, permission_denied, archived, changed, store_error, bad_source,
    too_large, or damaged (of objects in an archive).
    """


#: What clients raise, beside their own errors, when an answer is nothing that they expect: a size that is no number, a time in the year
#: 99999, redirections without end. They check some of what they are told; each store names its client's own errors beside these.
STRANGE_ANSWERS: Final = (ArithmeticError, LookupError, RecursionError, TypeError, ValueError)


class AlreadyExistsError(SourceError):
    """A create-only put found an object in its place; nothing was written."""

    def __init__(self, uri: str) -> None:
        super().__init__("changed", f"{uri}: there is an object already")
        self.uri = uri

    def __reduce__(self) -> tuple[type[AlreadyExistsError], tuple[str]]:
        return (AlreadyExistsError, (self.uri,))
