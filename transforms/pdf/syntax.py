"""Reading PDF syntax off the bytes, for files that no engine opens (ISO 32000-2 §7.3)."""

from __future__ import annotations

import re
from typing import Final

#: Bytes read of one dictionary; an Encrypt dictionary with the certificates of many recipients is the longest kind.
MAX_DICTIONARY: Final = 1 << 18

_TOKENS: Final = re.compile(rb"\\.|<<|>>|[()]|<[0-9A-Fa-f\s]*>|[^\s\\<>()]+", re.DOTALL)


def balanced(data: bytes, start: int) -> bytes:
    """The dictionary that begins at `start`, after white space, up to its closing brackets; empty when none begins there.

    Brackets inside strings do not count.

    >>> balanced(b"  << /A << /B (>>) >> >> rest", 0)
    b'<< /A << /B (>>) >> >>'
    """
    window = data[start : start + MAX_DICTIONARY]
    depth = nesting = 0
    for token in _TOKENS.finditer(window):
        word = token[0]
        if depth == 0 and word != b"<<":
            return b""
        if word == b"(":
            nesting += 1
        elif word == b")":
            nesting = max(0, nesting - 1)
        elif nesting:
            continue
        elif word == b"<<":
            depth += 1
        elif word == b">>":
            depth -= 1
            if depth == 0:
                return window[: token.end()].strip()
    return b""
