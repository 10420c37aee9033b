"""Objects of object streams (ISO 32000-2 §7.5.7) written plainly, for files that lost the cross-reference streams that lead to them.

Both engines look for plain objects alone when they rebuild a file: of a download that broke off they see no page whose dictionary is
packed, as most writers pack them.
"""

from __future__ import annotations

import re
import zlib
from bisect import bisect_left
from collections.abc import Iterator
from itertools import pairwise
from typing import Final

from transforms.pdf.syntax import OBJECT, balanced

_PACKED: Final = re.compile(rb"/Type\s*/ObjStm\b")
_NUMBER_OF: Final = {key: re.compile(rb"/%s\s+(\d{1,9})(?!\s+\d+\s+R)" % key) for key in (b"N", b"First", b"Length", b"Predictor")}
_FILTER: Final = re.compile(rb"/Filter\s*(?:/FlateDecode\b|\[\s*(?:/FlateDecode\s*)?\]|(.))")
_STREAM: Final = re.compile(rb"\s*stream\r?\n")
#: Bytes of the numbers and offsets before an object stream's objects.
_MAX_HEAD: Final = 4 << 20


def unpacked_objects(data: bytes, most: int) -> bytes:
    """The objects of a file's object streams as plain ones, but for those that the file has plainly further on; of several of a number the
    last. A stream that is cut off gives what is left of it. most: bytes."""
    heads = [(match.start(), match.end(), int(match[1])) for match in OBJECT.finditer(data)]
    if not heads:
        return b""
    plain = {number: start for start, _, number in heads}
    found: dict[int, bytes] = {}
    left = most
    for match in _PACKED.finditer(data):
        place = bisect_left(heads, (match.start(),)) - 1
        if place < 0:
            continue
        start, end, _ = heads[place]
        for number, text in _packed(data, end, left):
            if plain.get(number, -1) < start:
                left -= len(text)
                found.pop(number, None)
                found[number] = text
    return b"".join(b"\n%d 0 obj\n%s\nendobj" % (number, text) for number, text in found.items())


def _packed(data: bytes, start: int, most: int) -> Iterator[tuple[int, bytes]]:
    """The numbers and texts of the object stream whose dictionary begins at `start`; none where it cannot be read."""
    entries = balanced(data, start)
    stream = _STREAM.match(data, data.find(entries, start) + len(entries)) if entries else None
    told = {key: int(match[1]) if (match := pattern.search(entries)) else None for key, pattern in _NUMBER_OF.items()}
    first, filtered = told[b"First"], _FILTER.search(entries)
    if stream is None or first is None or first > _MAX_HEAD or (filtered and filtered[1]) or (told[b"Predictor"] or 1) > 1:
        return
    length = told[b"Length"]
    end = stream.end() + length if length is not None else data.find(b"endstream", stream.end())
    samples = data[stream.end() : end if end >= 0 else len(data)]
    if filtered and b"FlateDecode" in filtered[0]:
        try:
            samples = zlib.decompressobj().decompress(samples, max(1, most))
        except zlib.error:
            return
    numbers = [int(word) for word in samples[:first].split()[: 2 * (told[b"N"] or 0)] if word.isdigit()]
    places = [first + offset for offset in numbers[1::2]]
    ends = [after for _, after in pairwise(places)] + ([len(samples)] if end >= 0 and end <= len(data) else [])
    for number, place, after in zip(numbers[::2], places, ends, strict=False):
        if place < after <= len(samples):
            yield number, samples[place:after].strip()
