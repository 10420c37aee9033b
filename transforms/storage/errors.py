"""The exceptions of `pdfmill.transforms.storage`."""

from __future__ import annotations

from typing import Final

from pdfmill.schemas.codes import CodedError


class SourceError(CodedError):
    """An object or a listing is not available: not_found, no_such_bucket, permission_denied, archived, changed, store_error, bad_source,
    too_large, or damaged (of objects in an archive)."""


#: Exceptions that clients raise, besides their own, for invalid responses: a size that is no number, a time in the year 99999, endless
#: redirections. Clients validate only some of a response; each store lists its client's own exceptions.
STRANGE_ANSWERS: Final = (ArithmeticError, LookupError, RecursionError, TypeError, ValueError)


class AlreadyExistsError(SourceError):
    """An object of this name exists already, so a write that may only create an object wrote nothing."""

    def __init__(self, uri: str) -> None:
        super().__init__("changed", f"{uri}: there is already an object of this name")
        self.uri = uri

    def __reduce__(self) -> tuple[type[AlreadyExistsError], tuple[str]]:
        return (AlreadyExistsError, (self.uri,))
