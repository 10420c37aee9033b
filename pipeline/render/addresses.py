"""Addresses of links as they may stand in a document: known schemes only, percent-encoded where the URL standard wants it."""

from __future__ import annotations

import re
from typing import Final
from urllib.parse import quote, urlsplit

#: What a reader may follow from an untrusted document; above all not `javascript:`, `data:` and `file:`.
SCHEMES: Final = frozenset({"http", "https", "mailto", "ftp", "tel"})
_HOST: Final = re.compile(r"[\w-]+(\.[\w-]+)*\.?")
_LONE_PERCENT: Final = re.compile(r"%(?![0-9A-Fa-f]{2})")


def safe_address(uri: str) -> str | None:
    """The address as a valid URL, None when its scheme or host cannot be followed safely.

    >>> safe_address("https://a.org/b c#d")
    'https://a.org/b%20c#d'
    >>> safe_address("javascript:alert(1)") is None
    True
    """
    uri = uri.strip()
    try:
        parts = urlsplit(uri)
        port = parts.port
    except ValueError:  # an unclosed bracket, or a port that is no number
        return None
    if parts.scheme not in SCHEMES or port == 0:
        return None
    if parts.scheme in ("http", "https", "ftp") and not (parts.hostname and _HOST.fullmatch(parts.hostname) and "@" not in parts.netloc):
        return None
    head, mark, fragment = uri.partition("#")
    return _encode(head) + mark + _encode(fragment.replace("#", "%23"))


def _encode(text: str) -> str:
    return quote(_LONE_PERCENT.sub("%25", text), safe="%;/?:@&=+$,-_.!~*'()")
