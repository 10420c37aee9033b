"""Make text fit to be shown and stored: remove secrets from addresses in it, and escape unprintable characters."""

from __future__ import annotations

import re
from hashlib import sha256
from typing import Final
from urllib.parse import unquote

#: Parameters of a URL's query that are removed, because they only prove a permission: signatures (AWS Signature Version 4, Google's V4,
#: Azure's SAS, the older forms of AWS and Google) and passwords. Without them an object has the same id whoever signed its URL.
_PROOFS: Final = r"x-amz-[\w-]+|x-goog-[\w-]+|sig|signature|awsaccesskeyid|googleaccessid|password|passwd|pwd|secret|client_secret"
#: Parameters that give access and may also select the object. A short digest replaces their value, so that two objects keep different
#: addresses.
_TOKENS: Final = r"(?:\w+[-_.])?token|(?:x-)?api[-_]?key|auth|authorization|credentials?|session[-_]?id"
#: Punctuation that may follow an address in a sentence and does not belong to it.
_STOPS: Final = r":,;.)'\""
_DONE: Final = rf"redacted(?:-[0-9a-f]{{8}})?(?:[&#\s{_STOPS}]|$)"
_SECRET: Final = re.compile(rf"(?i)([?&](?:(?P<proof>{_PROOFS})|{_TOKENS})=)(?!{_DONE})([^&#\s]*[^&#\s{_STOPS}])")
_LOGIN: Final = re.compile(r"(?i)(https?://)[^\s/?#]*@")
_ON_WEB: Final = re.compile(r"(?i)(?:[a-z]+\+)?https?://")


def without_secrets(text: str) -> str:
    """Return the text with user names and passwords removed from its URLs, and their signatures and access tokens replaced by `redacted`.

    >>> without_secrets("https://me:hush@host/a.pdf?page=2&sig=c2VjcmV0: gone")
    'https://host/a.pdf?page=2&sig=redacted: gone'
    """
    return _SECRET.sub(_redacted, _LOGIN.sub(r"\1", text))


def public_uri(uri: str) -> str:
    """Return an address without secrets. Only in web addresses is the text after `?` a query."""
    return without_secrets(uri) if _ON_WEB.match(uri) else uri


def _redacted(part: re.Match[str]) -> str:
    digest = "" if part["proof"] else "-" + sha256(part[3].encode("utf-8", "surrogatepass")).hexdigest()[:8]
    return f"{part[1]}redacted{digest}"


def printable(text: str) -> str:
    """Escape control characters, lone surrogates and invisible marks, so that a file name cannot control a terminal.

    >>> printable("a\\x1b[2J.pdf")
    'a\\\\x1b[2J.pdf'
    """
    return text if text.isprintable() else "".join(char if char.isprintable() else _escaped(char) for char in text)


def _escaped(char: str) -> str:
    return char.encode("unicode_escape").decode("ascii")


def as_message(text: str) -> str:
    """Remove secrets from a text and escape unprintable characters, so that it is fit for a terminal, a log and a table."""
    return printable(without_secrets(text))


def with_name(message: str, uri: str) -> str:
    """Return the message with the object's address before it, unless the message contains the address or its path already.

    >>> with_name("/a/b.pdf: No such file", "file:///a/b.pdf")
    '/a/b.pdf: No such file'
    """
    shown, path = printable(uri), printable(unquote(uri.removeprefix("file://")))
    return message if shown in message or path in message else f"{shown}: {message}"
