"""Extract objects of object streams (ISO 32000-2 §7.5.7), for files that lost the cross-reference streams that lead to them.

Both engines look for plain objects alone when they rebuild a file: of a download that broke off they see no page whose dictionary is
packed, as most writers pack them.
"""

from __future__ import annotations

import re
import zlib
from bisect import bisect_left
from collections.abc import Iterator
from typing import Final, NamedTuple

from pdfmill.transforms.pdf.open.syntax import OBJECT, balanced

_PACKED: Final = re.compile(rb"/Type\s*/ObjStm\b")
_NUMBER_OF: Final = {key: re.compile(rb"/%s\s+(\d{1,9})(?!\s+\d+\s+R)" % key) for key in (b"N", b"First", b"Length", b"Predictor")}
_FILTER: Final = re.compile(rb"/Filter\s*(?:/FlateDecode\b|\[\s*(?:/FlateDecode\s*)?\]|(.))")
_STREAM: Final = re.compile(rb"\s*stream\r?\n")
#: Bytes of the numbers and offsets before an object stream's objects.
_MAX_HEAD: Final = 4 << 20


class _ObjectStream(NamedTuple):
    """samples: unpacked. whole: they are there to their end. first: where the objects begin in them. number: of the objects."""

    samples: bytes
    whole: bool
    first: int
    number: int


def unpacked_objects(data: bytes, most: int) -> bytes:
    """The objects of a file's object streams as plain ones, but for those that the file has plainly further on; of several of a number the
    last. A stream that is cut off gives what is left of it. most: bytes that are unpacked."""
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
    """Read the object stream whose dictionary begins at `start`, up to so many bytes; None if it cannot be read."""
    entries = balanced(data, start)
    stream = _STREAM.match(data, data.find(entries, start) + len(entries)) if entries else None
    told = {key: int(match[1]) if (match := pattern.search(entries)) else 0 for key, pattern in _NUMBER_OF.items()}
    first, filtered = told[b"First"], _FILTER.search(entries)
    if stream is None or not 0 < first <= _MAX_HEAD or (filtered and filtered[1]) or told[b"Predictor"] > 1:
        return None
    end = stream.end() + told[b"Length"] if told[b"Length"] else data.find(b"endstream", stream.end())
    whole = stream.end() <= end <= len(data)
    samples = data[stream.end() : end if whole else len(data)]
    if filtered and b"FlateDecode" in filtered[0]:
        try:
            samples = zlib.decompressobj().decompress(samples, most)
        except zlib.error:
            return None
        whole = whole and len(samples) < most
    return _ObjectStream(samples, whole, first, told[b"N"])


def _objects(stream: _ObjectStream) -> Iterator[tuple[int, bytes]]:
    """Yield numbers and texts of a stream's objects, as far as they exist."""
    numbers = [int(word) for word in stream.samples[: stream.first].split()[: 2 * stream.number] if word.isdigit()]
    places = [stream.first + offset for offset in numbers[1::2]]
    ends = [*places[1:], *([len(stream.samples)] if stream.whole else [])]
    for number, place, after in zip(numbers[::2], places, ends, strict=False):
        if place < after <= len(stream.samples):
            yield number, stream.samples[place:after].strip()
