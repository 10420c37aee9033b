"""Parse PDF syntax directly from the bytes of files that neither PDFium nor qpdf opens (ISO 32000-2 §7.3)."""

from __future__ import annotations

import re
from typing import Final

from msgspec import Struct

from pdfmill.transforms.pdf.open.objects import Key

#: The beginning of an indirect object: its number, its generation and `obj`.
OBJECT: Final = re.compile(rb"(?<!\d)(\d{1,9})\s{1,10}(\d{1,5})\s{0,10}obj\b")
#: Bytes read of one dictionary; the longest kind is an Encrypt dictionary with the certificates of many recipients.
MAX_DICTIONARY: Final = 1 << 18

_TOKENS: Final = re.compile(rb"\\.|<<|>>|[()]|<[0-9A-Fa-f\s]*>|[^\s\\<>()]+", re.DOTALL)


def balanced(data: bytes, start: int) -> bytes:
    """Return the dictionary that begins at `start`, or after white space there, with its closing brackets; empty if none begins there.

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


class Remains(Struct, frozen=True):
    """Positions of objects in the bytes of a damaged file."""

    data: bytes  # bytes of the file
    offsets: dict[Key, int]  # by object key the offset after `obj`; of several with one key the last
    cut: Key | None  # key of the stream within which the file ends, or None


def read_remains(data: bytes) -> Remains:
    """Find all objects in the bytes of a damaged file.

    >>> read_remains(b"1 0 obj<</Type/Page>>endobj 2 0 obj<</Length 9>>stream BT").cut
    (2, 0)
    """
    offsets = {(int(match[1]), int(match[2])): match.end() for match in OBJECT.finditer(data)}
    last = data.rfind(b"stream")
    if last < 0 or data.startswith(b"end", last - 3) or data.find(b"endobj", last) >= 0:
        return Remains(data, offsets, None)
    return Remains(data, offsets, max((key for key, offset in offsets.items() if offset < last), key=offsets.__getitem__, default=None))
