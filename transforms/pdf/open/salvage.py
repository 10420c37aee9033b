"""Recover a file that has lost its trailer, catalog or page tree, by appending new ones that refer to the remaining pages.
This is the last attempt. PDFium and qpdf scan for objects (ISO 32000-2 §7.3.10), and so find the appended catalog."""

from __future__ import annotations

import re
import zlib
from bisect import bisect_left
from collections.abc import Iterator
from typing import Final, NamedTuple

from msgspec import Struct

from pdfmill.transforms.pdf.open.objects import Key

#: The beginning of an indirect object: its number, its generation and `obj`.
OBJECT: Final = re.compile(rb"(?<!\d)(\d{1,9})\s{1,10}(\d{1,5})\s{0,10}obj\b")
#: Bytes read of one dictionary; the longest kind is an Encrypt dictionary with the certificates of many recipients.
MAX_DICTIONARY: Final = 1 << 18

_TOKENS: Final = re.compile(rb"\\.|<<|>>|[()]|<[0-9A-Fa-f\s]*>|[^\s\\<>()]+", re.DOTALL)


def balanced(data: bytes, start: int) -> bytes:
    """Return the dictionary << ... >> that begins at offset `start`, or after white space there; empty if none begins there.

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
    """The bytes of a damaged file and the positions of its objects. cut: key of the stream within which the file ends, or None."""

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


# Extract objects of object streams (ISO 32000-2 §7.5.7), for files that lost the cross-reference streams that lead to them.
#
# When PDFium and qpdf rebuild a file they only see plain objects. Of a download that broke off they thus miss all pages whose dictionaries
# are in object streams, as those of most writers are.


_PACKED: Final = re.compile(rb"/Type\s*/ObjStm\b")
_NUMBER_OF: Final = {key: re.compile(rb"/%s\s+(\d{1,9})(?!\s+\d+\s+R)" % key) for key in (b"N", b"First", b"Length", b"Predictor")}
_FILTER: Final = re.compile(rb"/Filter\s*(?:/FlateDecode\b|\[\s*(?:/FlateDecode\s*)?\]|(.))")
_STREAM: Final = re.compile(rb"\s*stream\r?\n")
#: Bytes of the list of numbers and offsets that precedes the objects of an object stream.
_MAX_HEAD: Final = 4 << 20


class _ObjectStream(NamedTuple):
    """A decoded object stream. samples: its bytes. whole: they are complete. first: offset of the first object. number: number of
    objects."""

    samples: bytes  # decoded bytes
    whole: bool  # the bytes are complete
    first: int  # offset of the first object
    number: int  # number of objects


def unpacked_objects(data: bytes, most: int) -> bytes:
    """Return the objects in a file's object streams as plain objects. most: the largest number of decoded bytes.
    The last object of each number is returned, unless a plain one of that number follows in the file."""
    heads = [(match.start(), match.end(), int(match[1])) for match in OBJECT.finditer(data)]
    if not heads:
        return b""
    plain = {number: start for start, _, number in heads}
    places = (bisect_left(heads, (match.start(),)) - 1 for match in _PACKED.finditer(data))
    found: dict[int, bytes] = {}
    for start, end, _ in dict.fromkeys(heads[place] for place in places if place >= 0):
        stream = _read_stream(data, end, most) if most > 0 else None
        if stream is None:
            continue
        most -= len(stream.samples)
        for number, text in _objects(stream):
            if plain.get(number, -1) < start:
                found.pop(number, None)
                found[number] = text
    return b"".join(b"\n%d 0 obj\n%s\nendobj" % (number, text) for number, text in found.items())


def _read_stream(data: bytes, start: int, most: int) -> _ObjectStream | None:
    """Decode an object stream, up to `most` bytes; None if it cannot be read. start: offset of its dictionary in the file."""
    entries = balanced(data, start)
    stream = _STREAM.match(data, data.find(entries, start) + len(entries)) if entries else None
    stated = {key: int(match[1]) if (match := pattern.search(entries)) else 0 for key, pattern in _NUMBER_OF.items()}
    first, filtered = stated[b"First"], _FILTER.search(entries)
    if stream is None or not 0 < first <= _MAX_HEAD or (filtered and filtered[1]) or stated[b"Predictor"] > 1:
        return None
    end = stream.end() + stated[b"Length"] if stated[b"Length"] else data.find(b"endstream", stream.end())
    whole = stream.end() <= end <= len(data)
    samples = data[stream.end() : end if whole else len(data)]
    if filtered and b"FlateDecode" in filtered[0]:
        try:
            samples = zlib.decompressobj().decompress(samples, most)
        except zlib.error:
            return None
        whole = whole and len(samples) < most
    return _ObjectStream(samples, whole, first, stated[b"N"])


def _objects(stream: _ObjectStream) -> Iterator[tuple[int, bytes]]:
    """Yield the object number and the source text of each complete object in the stream."""
    numbers = [int(word) for word in stream.samples[: stream.first].split()[: 2 * stream.number] if word.isdigit()]
    places = [stream.first + offset for offset in numbers[1::2]]
    ends = [*places[1:], *([len(stream.samples)] if stream.whole else [])]
    for number, place, after in zip(numbers[::2], places, ends, strict=False):
        if place < after <= len(stream.samples):
            yield number, stream.samples[place:after].strip()


_PAGE: Final = re.compile(rb"/Type\s*/Page(?![A-Za-z])")
_KIDS: Final = re.compile(rb"/Kids\s*\[")
_ROOT: Final = re.compile(rb"/Root\s*(?:(\d+)\s+(\d+)\s+R|(?=<<))")
_PAGES_KEY: Final = re.compile(rb"/Pages(?![A-Za-z])")
_KEPT: Final = re.compile(rb"/(?:Info|Encrypt)\s+\d+\s+\d+\s+R|/ID\s*\[[^\]]{0,400}\]")
_FDF_CATALOG: Final = re.compile(rb"(?<!\d)(\d{1,9})\s+(\d{1,5})\s+obj\s*<<\s*(?:/Version\s*/[\d.]+\s*)?/FDF\s*(?:<<|\d)")
#: Catalog entries that make it worthwhile to read a catalog without pages.
_WORTH: Final = re.compile(rb"/(?:OpenAction|AA|Names|AcroForm)(?![A-Za-z])")
#: Bytes of an object searched for its type; the dictionary of a page is shorter.
_WINDOW: Final = 1 << 14
#: Bytes of the file for each object number; qpdf itself requires 3. Higher object numbers than `_MAX_NUMBER` are damage: a file padded for
#: the highest number of Annex C.2 has 33 MB, which qpdf scans for three seconds.
_BYTES_PER_OBJECT: Final = 4
_MAX_NUMBER: Final = 1_000_000
#: Decoded bytes of all object streams; those of a book of thousands of pages have some ten million.
_MAX_UNPACKED: Final = 64 << 20
#: Pages put under the new page tree.
_MAX_PAGES: Final = 100_000


class Salvage(Struct, frozen=True):
    """A recovered file with a new catalog, and its number of pages. A file without pages gets an empty page, which is not counted."""

    data: bytes
    pages: int


def with_new_catalog(data: bytes) -> Salvage | None:
    """Return the file with its objects unpacked and a new page tree, catalog and trailer; None if it has neither pages nor a catalog.
    Its pages are the objects of type Page in file order, else the dictionaries written directly in Kids arrays."""
    if packed := unpacked_objects(data, _MAX_UNPACKED):
        data += b"\nendobj" + packed + b"\n"
    pages, highest = _page_objects(data)
    kids = [b"%d %d R" % key for key in pages[:_MAX_PAGES]]
    extra: list[bytes] = []
    if not kids:
        extra = list(_direct_pages(data))
        kids = [b"%d 0 R" % (highest + 3 + position) for position in range(len(extra))]
    catalog = _catalog(data)
    if not kids and not _WORTH.search(catalog):
        return None
    count = len(kids)
    if not kids:
        extra, kids = [b"/MediaBox[0 0 1 1]"], [b"%d 0 R" % (highest + 3)]
    return Salvage(_header(data) + _tail(data, highest, kids, extra, catalog), count)


def _tail(data: bytes, highest: int, kids: list[bytes], extra: list[bytes], catalog: bytes) -> bytes:
    kept = b" ".join(dict.fromkeys(match[0] for match in _KEPT.finditer(data, max(0, len(data) - (1 << 20)))))
    tree, root = highest + 1, highest + 2
    objects = [b"/Type/Pages/Count %d/Kids[%s]" % (len(kids), b" ".join(kids)), b"%s/Type/Catalog/Pages %d 0 R" % (catalog, tree)]
    objects += [entries + b"/Type/Page" for entries in extra]
    written = b"".join(b"%d 0 obj\n<<%s>>\nendobj\n" % (tree + position, entries) for position, entries in enumerate(objects))
    return b"\nendobj\n" + written + b"trailer\n<</Size %d/Root %d 0 R %s>>\nstartxref\n0\n%%%%EOF\n" % (tree + len(objects), root, kept)


def _header(data: bytes) -> bytes:
    return data if data.startswith(b"%PDF-1") else b"%PDF-1.7\n" + data


def _page_objects(data: bytes) -> tuple[list[tuple[int, int]], int]:
    """Return (number, generation) of all page objects in file order, and the highest object number of the file."""
    offsets: dict[tuple[int, int], int] = {}
    highest = 0
    for match in OBJECT.finditer(data):
        key = int(match[1]), int(match[2])
        highest = max(highest, key[0])
        offsets.pop(key, None)
        if _is_page(data, match.end()):
            offsets[key] = match.start()
    return list(offsets), highest


def _is_page(data: bytes, start: int) -> bool:
    end = data.find(b"endobj", start, start + _WINDOW)
    stream = data.find(b"stream", start, end if end >= 0 else start + _WINDOW)
    return stream < 0 and _PAGE.search(data, start, end if end >= 0 else start + _WINDOW) is not None


def _direct_pages(data: bytes) -> Iterator[bytes]:
    """Yield the page dictionaries written directly in a Kids array, which §7.7.3.2 forbids and Acrobat accepts."""
    given = 0
    for match in _KIDS.finditer(data):
        position = match.end()
        while given < _MAX_PAGES and (entry := balanced(data, position)):
            position = data.index(entry, position) + len(entry)
            if b"/Kids" not in entry:
                given += 1
                yield entry[2:-2]


def _catalog(data: bytes) -> bytes:
    """Return the entries of the last catalog to which a trailer refers, with its entry Pages renamed; empty if there is none."""
    for match in reversed(list(_ROOT.finditer(data))):
        if match[1] is None:
            written = balanced(data, match.end())
        else:
            objects = list(re.finditer(rb"(?<!\d)" + match[1] + rb"\s+" + match[2] + rb"\s*obj\b", data))
            written = balanced(data, objects[-1].end()) if objects else b""
        if written:
            return _PAGES_KEY.sub(b"/LostPages", written[2:-2])
    return b""


def with_room(data: bytes) -> bytes | None:
    """Return the file with line ends appended if it is too short for its highest object number; None if it is long enough.
    qpdf drops objects whose number exceeds a third of the file's size in bytes."""
    highest = max((number for match in OBJECT.finditer(data) if (number := int(match[1])) <= _MAX_NUMBER), default=0)
    missing = _BYTES_PER_OBJECT * highest - len(data)
    return data + b"\n" * missing if missing > 0 else None


def with_pages(data: bytes) -> bytes:
    """Turn an FDF file into a PDF that qpdf opens, by adding a page tree with one empty page to its catalog (§12.7.8)."""
    numbers = [int(match[1]) for match in OBJECT.finditer(data)]
    number = max(numbers, default=0) + 1
    root = next((match for match in _ROOT.finditer(data) if match[1]), None)
    if root is None and (catalog := _FDF_CATALOG.search(data)) is not None:
        data += b"\ntrailer\n<</Root %s %s R>>\n" % catalog.groups()
        root = _ROOT.search(data, catalog.end())
    if root is None:
        return data
    written = re.compile(rb"(?<!\d)" + root[1] + rb"\s+" + root[2] + rb"\s+obj\s*<<")
    data = written.sub(lambda match: match[0] + b"/Pages %d 0 R " % number, data)
    pages = b"\n%d 0 obj\n<</Type/Pages/Count 1/Kids[%d 0 R]>>\nendobj\n" % (number, number + 1)
    pages += b"%d 0 obj\n<</Type/Page/Parent %d 0 R/MediaBox[0 0 1 1]>>\nendobj\n" % (number + 1, number)
    start = data.rfind(b"trailer")
    data = data[:start] + pages + data[start:] if start >= 0 else data + pages
    return re.sub(rb"%FDF-", b"%PDF-", data, count=1)
