"""Read CMaps, which map character codes to character identifiers (CIDs, ISO 32000-2 §9.7.5), and the characters of registered collections.
Predefined CMaps come from pdfminer, those of Adobe-KR from Adobe's files in `cmap_resources`, with their licences."""

from __future__ import annotations

import lzma
import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, Final

import pikepdf
from msgspec import Struct, field

from pdfmill.transforms.pdf.open.limits import DEFAULT_LIMITS
from pdfmill.transforms.pdf.open.objects import Object, get, integer, name, stream_bytes

_BEGIN: Final = re.compile(rb"begin(codespacerange|cidrange|cidchar|bfchar|bfrange)")
_HEX: Final = rb"<([0-9A-Fa-f\s]*)>\s*"
_DIGITS: Final = re.compile(_HEX)
_SPACE, _RANGE, _CHAR = re.compile(_HEX * 2), re.compile(_HEX * 2 + rb"(\d{1,9})"), re.compile(_HEX + rb"(\d{1,9})")
_TEXT_RANGE: Final = re.compile(_HEX * 2 + rb"(<[0-9A-Fa-f\s]*>|\[[^\]]*\])")
#: Bounds: bytes of a CMap, codes of one range of a ToUnicode map (codes of two bytes), codes of all its ranges, codespace ranges.
_MAX_BYTES, _MAX_RANGE, _MAX_CODES, _MAX_SPACES = 16 << 20, 0xFFFF, 1 << 20, 100
_USES: Final = re.compile(rb"/([^\s/<>\[\]()]+)\s+usecmap")
_WRITES_DOWN: Final = re.compile(rb"/WMode\s+1\b")
#: Predefined CMaps that only list differences, and the CMap that each extends.
_BUILDS_ON: Final = {"ETenms-B5-H": "ETen-B5-H", "UniJIS-UCS2-HW-H": "UniJIS-UCS2-H"}
#: Private-use characters and presentation forms that pdfminer's tables have for glyphs of vertical writing.
_FORMS: Final = re.compile("[\ue000-\uf8ff\ufe10-\ufe4f]")
#: Codespace ranges of UTF-16 CMaps: two bytes, or a surrogate pair.
_UNICODE_SPACES: Final = [(b"\0\0", b"\xd7\xff"), (b"\xd8\0\xdc\0", b"\xdb\xff\xdf\xff"), (b"\xe0\0", b"\xff\xff")]
_RESOURCES: Final = Path(__file__).with_name("cmap_resources")
#: Encodings of the Unicode CMaps of Adobe-KR, and the codespace ranges of each.
_KR_ENCODINGS: Final = {"UniAKR-UTF8-H": "utf-8", "UniAKR-UTF16-H": "utf-16-be", "UniAKR-UTF32-H": "utf-32-be"}
_KR_SPACES: Final = {
    "utf-8": [(b"\0", b"\x7f"), (b"\xc2\x80", b"\xdf\xbf"), (b"\xe0\x80\x80", b"\xef\xbf\xbf"), (b"\xf0\x80\x80\x80", b"\xf4\xbf\xbf\xbf")],
    "utf-16-be": _UNICODE_SPACES,
    "utf-32-be": [(b"\0\0\0\0", b"\0\x10\xff\xff")],
}
#: CMap by collection that has an identifier for every code point of the collection.
_UTF32: Final = {"GB1": "UniGB-UTF32-H", "CNS1": "UniCNS-UTF32-H", "Japan1": "UniJIS2004-UTF32-H", "Korea1": "UniKS-UTF32-H"}
#: Bounds: CMaps that extend one another, and bytes of a code (§9.7.6.2).
_MAX_CHAIN: Final = 8
_MAX_CODE: Final = 4


class CMap(Struct):
    """A CMap: how a string is divided into character codes (`spaces`: lowest and highest code of each range), and the identifier (CID) of
    each."""

    spaces: list[tuple[bytes, bytes]] = field(default_factory=list)  # lowest and highest code of each codespace range
    #: By length of codes in bytes: sorted (first code, last code, identifier of the first code).
    ranges: dict[int, list[tuple[int, int, int]]] = field(default_factory=dict)
    base: CMap | None = None  # the CMap that this one extends
    predefined: Mapping[int, Any] | None = None  # nested mapping, by the bytes of a code, to identifiers
    vertical: bool = False  # it is for vertical writing

    def codes(self, string: bytes) -> list[bytes]:
        """Divide a string that a page shows into character codes. A byte that begins no code of the CMap is a code by itself."""
        found: list[bytes] = []
        start = 0
        while start < len(string):
            length = self._length(string, start)
            found.append(string[start : start + length])
            start += length
        return found

    def _length(self, string: bytes, start: int) -> int:
        for length in range(1, _MAX_CODE + 1):
            code = string[start : start + length]
            if any(len(low) == length and _between(low, code, high) for low, high in self.spaces):
                return length
        found = _depth(self.predefined, string[start : start + _MAX_CODE]) if self.predefined is not None else 0
        return found or (self.base._length(string, start) if self.base is not None else 1)

    def identifier(self, code: bytes) -> int | None:
        """Return the character identifier (CID) of a code; None if the CMap has none."""
        number, ranges = int.from_bytes(code, "big"), self.ranges.get(len(code), [])
        place = bisect_right(ranges, number, key=lambda each: each[0]) - 1
        if place >= 0 and number <= ranges[place][1]:
            return ranges[place][2] + number - ranges[place][0]
        found = _look_up(self.predefined, code) if self.predefined is not None else None
        return self.base.identifier(code) if found is None and self.base is not None else found


def _between(low: bytes, code: bytes, high: bytes) -> bool:
    """Return whether each byte of `code` lies between those of `low` and `high`, as codespace ranges require (§9.7.6.2)."""
    return len(code) == len(low) == len(high) and all(a <= byte <= b for a, byte, b in zip(low, code, high, strict=True))


def _depth(table: Mapping[int, Any], string: bytes) -> int:
    """Return the length in bytes of the character code at the start of `string`, by pdfminer's nested mapping (one level for each byte).
    0 if no code begins with its first byte. An unknown code ends with the byte at which it leaves the table."""
    node: Any = table
    for length, byte in enumerate(string, start=1):
        node = node.get(byte)
        if not isinstance(node, Mapping):
            return length if node is not None or length > 1 else 0
    return len(string)


def _look_up(table: Mapping[int, Any], code: bytes) -> int | None:
    node: Any = table
    for byte in code:
        node = node.get(byte) if isinstance(node, Mapping) else None
    return node if isinstance(node, int) else None


def read_cmap(encoding: Object, depth: int = 0) -> CMap | None:
    """Return the CMap that the entry Encoding of a composite font names or embeds; None if it is unknown. depth: level of `usecmap`."""
    if isinstance(encoding, pikepdf.Stream):
        return _embedded(encoding, depth)
    return named_cmap(name(encoding) or "")


def named_cmap(label: str) -> CMap | None:
    """Return a predefined CMap (Table 116) or an identity CMap by its name; None if the name is unknown."""
    vertical = label == "V" or label.endswith("-V")
    if label in ("Identity-H", "Identity-V"):
        return CMap([(b"\0\0", b"\xff\xff")], {2: [(0, 0xFFFF, 0)]}, vertical=vertical)
    if label in _KR_ENCODINGS:
        return _kr_cmap(_KR_ENCODINGS[label])
    from pdfminer.cmapdb import CMap as PredefinedCMap  # slow to import, and few documents need it
    from pdfminer.cmapdb import CMapDB

    try:
        found = CMapDB.get_cmap(label)
    except CMapDB.CMapNotFound:
        return None
    if not isinstance(found, PredefinedCMap):
        return None
    # A vertical CMap only holds the differences from the horizontal one of the same name (§9.7.5.2).
    below = f"{label[:-1]}H" if vertical else _BUILDS_ON.get(label)
    return CMap(
        spaces=_UNICODE_SPACES if "-UCS2-" in label or "-UTF16-" in label else [],
        base=named_cmap(below) if below else None,
        predefined=found.code2cid,
        vertical=vertical,
    )


@cache
def _kr_cmap(encoding: str) -> CMap:
    """Return the CMap of the collection Adobe-KR for an encoding such as "utf-8", derived from its UTF-32 CMap."""
    ranges: dict[int, list[tuple[int, int, int]]] = {}
    for low, high, identifier in _parsed(_resource("UniAKR-UTF32-H")).ranges[4]:
        for number in range(low, high + 1):
            code = chr(number).encode(encoding)
            ranges.setdefault(len(code), []).append((int.from_bytes(code, "big"),) * 2 + (identifier + number - low,))
    return CMap(_KR_SPACES[encoding], ranges)


def _kr_characters() -> Mapping[int, str]:
    """Return the characters of Adobe-KR by identifier (CID). Those beyond the Basic Multilingual Plane come from its UTF-32 CMap."""
    beyond = {identifier: chr(low) for low, _, identifier in _kr_cmap("utf-32-be").ranges[4] if low > 0xFFFF}
    return beyond | {
        identifier: text for identifier, text in _texts(_resource("Adobe-KR-UCS2")).items() if text.strip("\0\N{REPLACEMENT CHARACTER}")
    }


def _resource(label: str) -> bytes:
    return lzma.decompress((_RESOURCES / f"{label}.xz").read_bytes())


def _embedded(stream: pikepdf.Stream, depth: int) -> CMap:
    data = stream_bytes(stream, DEFAULT_LIMITS)[:_MAX_BYTES]
    cmap = _parsed(data)
    cmap.vertical |= integer(get(stream, "/WMode")) == 1
    if depth < _MAX_CHAIN:
        used = _USES.search(data)
        below = get(stream, "/UseCMap")
        cmap.base = read_cmap(below, depth + 1) if below is not None else named_cmap(used[1].decode("latin-1")) if used else None
    return cmap


def _parsed(data: bytes) -> CMap:
    cmap = CMap(vertical=bool(_WRITES_DOWN.search(data)))
    for kind, body in _blocks(data):
        if kind == b"codespacerange":
            cmap.spaces += [(_bytes(low), _bytes(high)) for low, high in _SPACE.findall(body)][:_MAX_SPACES]
            continue
        for low, high, first in _entries(kind, body):
            cmap.ranges.setdefault(len(low), []).append((int.from_bytes(low, "big"), int.from_bytes(high, "big"), first))
    for ranges in cmap.ranges.values():
        ranges.sort()
    return cmap


def _blocks(data: bytes) -> Iterator[tuple[bytes, bytes]]:
    """Yield the kind and the content of each block from `beginKIND` to `endKIND` in a CMap."""
    endless: set[bytes] = set()
    place = 0
    while (match := _BEGIN.search(data, place)) is not None:
        place = match.end()
        end = -1 if match[1] in endless else data.find(b"end" + match[1], place)
        if end < 0:
            endless.add(match[1])
            continue
        yield match[1], data[place:end]
        place = end


def _entries(kind: bytes, body: bytes) -> Iterator[tuple[bytes, bytes, int]]:
    if kind == b"cidchar":
        yield from ((_bytes(code), _bytes(code), int(first)) for code, first in _CHAR.findall(body))
    elif kind == b"cidrange":
        yield from ((_bytes(low), _bytes(high), int(first)) for low, high, first in _RANGE.findall(body))


def _bytes(digits: bytes) -> bytes:
    written = b"".join(digits.split()).decode()
    return bytes.fromhex(written if len(written) % 2 == 0 else written + "0")


@cache
def collection_characters(ordering: str) -> Mapping[int, str]:
    """Return the characters of a registered collection (GB1, CNS1, Japan1, Korea1 or KR) by identifier (CID); empty for other names."""
    if ordering == "KR":
        return _kr_characters()
    from pdfminer.cmapdb import CMapDB  # slow to import, and few documents need it

    try:
        across, down = (CMapDB.get_unicode_map(f"Adobe-{ordering}", vertical).cid2unichr for vertical in (False, True))
    except CMapDB.CMapNotFound:
        return {}
    return {
        **_beyond_basic_plane(ordering),
        **down,
        **{identifier: text for identifier, text in across.items() if identifier not in down or not _FORMS.match(text)},
    }


def _beyond_basic_plane(ordering: str) -> Mapping[int, str]:
    """Return a collection's characters beyond the Basic Multilingual Plane, by identifier (CID), from its UTF-32 CMap. pdfminer lacks
    them."""
    cmap = named_cmap(_UTF32[ordering]) if ordering in _UTF32 else None
    planes = cmap.predefined.get(0, {}) if cmap is not None and cmap.predefined is not None else {}
    return {
        identifier: chr(plane << 16 | high << 8 | low)
        for plane, rows in planes.items()
        if plane
        for high, row in rows.items()
        for low, identifier in row.items()
    }


def to_unicode(stream: Object) -> dict[int, str]:
    """Return the text of each code of a ToUnicode CMap (§9.10.3), as far as it can be read; empty if the object is no stream."""
    return _texts(stream_bytes(stream, DEFAULT_LIMITS)[:_MAX_BYTES]) if isinstance(stream, pikepdf.Stream) else {}


def _texts(data: bytes) -> dict[int, str]:
    found: dict[int, str] = {}
    left = _MAX_CODES
    for kind, body in _blocks(data):
        if kind == b"bfchar":
            found |= {int.from_bytes(_bytes(code), "big"): _characters(_bytes(text)) for code, text in _SPACE.findall(body)}
        for low, high, texts in _TEXT_RANGE.findall(body) if kind == b"bfrange" else ():
            first, last = (int.from_bytes(_bytes(code), "big") for code in (low, high))
            listed = [_bytes(digits) for digits in _DIGITS.findall(texts)]
            codes = range(first, min(last, first + min(_MAX_RANGE, left)) + 1)
            left = max(left - len(codes), 0)
            for code in codes:
                if texts.startswith(b"<") and listed:
                    found[code] = _characters(_raised(listed[0], code - first))
                elif code - first < len(listed):
                    found[code] = _characters(listed[code - first])
    return found


def _raised(text: bytes, by: int) -> bytes:
    """Return a UTF-16 text with its last code unit increased by `by`, carried into the byte before it; b"" on overflow."""
    tail = int.from_bytes(text[-2:], "big") + by
    return text[:-2] + tail.to_bytes(len(text[-2:]), "big") if tail < 1 << (8 * len(text[-2:])) else b""


def _characters(text: bytes) -> str:
    return text.decode("utf-16-be", "ignore")


# Match PDFium's characters to the codes of a shown string where their numbers differ.
#
# PDFium takes the characters of a code from the font's ToUnicode map. Of several spaces in a row it keeps only the first one, and into wide
# gaps it inserts a space that has no code (`CPDF_TextPage`).


_align_codes_SPACE: Final = ord(" ")


def place_codes(texts: Sequence[str | None], characters: Sequence[int]) -> list[int] | None:
    """Align the character codes of a string with the characters that PDFium extracts for it. Return the index of the first character of
    each code, followed by the number of characters; None if they cannot be aligned.
    texts: the text that PDFium gives for each code, None if unknown. characters: the code points of the extracted characters.

    >>> place_codes(["a", " ", " ", "b"], [*map(ord, "a b")])
    [0, 1, 2, 2, 3]
    >>> place_codes([None, None, "c"], [*map(ord, "a bc")])
    [0, 2, 3, 4]
    >>> place_codes(["a", "fi"], [*map(ord, "afi")]), place_codes(["a", "b"], [*map(ord, "ac")])
    ([0, 1, 3], None)
    """
    starts, at, end = [], 0, len(characters)
    for text in texts:
        if text == " ":
            starts.append(at)
            at += at < end and characters[at] == _align_codes_SPACE
            continue
        while at < end and characters[at] == _align_codes_SPACE:
            at += 1
        starts.append(at)
        if at >= end or (text is not None and len(text) == 1 and ord(text) != characters[at]):
            return None
        at += len(text or " ")
    return [*starts, end] if at <= end and all(character == _align_codes_SPACE for character in characters[at:]) else None
