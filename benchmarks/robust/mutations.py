"""Make broken PDFs from valid ones ("seeds"), pseudo-randomly, so that a harmful file can be made again from its number."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Final

#: Larger seeds, in bytes, are left out: their mutations show no more and take longer.
MAX_SEED_BYTES: Final = 300_000
_NUMBER: Final = re.compile(rb"\d+")
_REFERENCE: Final = re.compile(rb"\d+ \d+ (?:R|obj)")
_KEYWORDS: Final = b"endobj endstream stream obj xref trailer startxref /Kids /Type /Length /Filter >> << ]".split()
_ODD_NUMBERS: Final = b"-1 0 2147483647 2147483648 4294967295 9223372036854775807 99999999999999999999 1e38 0.0000001".split()


def mutate(data: bytes, other: bytes, draw: random.Random) -> bytes:
    """Return the file with one to four mutations of different kinds. other: the file from which pieces are inserted."""
    for _ in range(draw.choice((1, 1, 2, 4))):
        data = draw.choice(_KINDS)(data, other, draw)
    return data


def mutations(seeds: Sequence[Path], count: int, seed: int = 7) -> Iterator[tuple[str, bytes]]:
    """Yield (name, bytes) of `count` files; the file of a number is the same for every count."""
    pool = [path.read_bytes() for path in usable(seeds)]
    for number in range(count):
        draw = random.Random(f"{seed}/{number}")
        yield f"m{number:05d}.pdf", mutate(draw.choice(pool), draw.choice(pool), draw)


def usable(seeds: Sequence[Path]) -> list[Path]:
    """Return the seeds that are neither empty nor too large, in order."""
    return [path for path in sorted(seeds) if 0 < path.stat().st_size <= MAX_SEED_BYTES]


def _flip(data: bytes, __: bytes, draw: random.Random) -> bytes:
    changed = bytearray(data)
    for _ in range(draw.choice((1, 3, 20, 200))):
        if changed:
            changed[draw.randrange(len(changed))] ^= 1 << draw.randrange(8)
    return bytes(changed)


def _truncate(data: bytes, __: bytes, draw: random.Random) -> bytes:
    return data[: draw.randrange(len(data) + 1)]


def _behead(data: bytes, __: bytes, draw: random.Random) -> bytes:
    return data[draw.randrange(min(len(data), 2000) + 1) :]


def _chunk(data: bytes, draw: random.Random) -> tuple[int, int]:
    start = draw.randrange(len(data) + 1)
    return start, min(len(data), start + draw.choice((1, 10, 100, 1000, 10_000)))


def _delete(data: bytes, __: bytes, draw: random.Random) -> bytes:
    start, end = _chunk(data, draw)
    return data[:start] + data[end:]


def _double(data: bytes, __: bytes, draw: random.Random) -> bytes:
    start, end = _chunk(data, draw)
    return data[:end] + data[start:end] * draw.choice((1, 2, 50)) + data[end:]


def _splice(data: bytes, other: bytes, draw: random.Random) -> bytes:
    (start, end), (first, last) = _chunk(data, draw), _chunk(other, draw)
    return data[:start] + other[first:last] + data[end:]


def _join(data: bytes, other: bytes, draw: random.Random) -> bytes:
    return data[: draw.randrange(len(data) + 1)] + other[draw.randrange(len(other) + 1) :]


def _some(pattern: re.Pattern[bytes], data: bytes, draw: random.Random) -> re.Match[bytes] | None:
    """Return a match of the pattern near a random offset; None without one."""
    return pattern.search(data, draw.randrange(len(data) + 1)) or pattern.search(data)


def _renumber(data: bytes, __: bytes, draw: random.Random) -> bytes:
    """Change object references, so that they form loops, or point to wrong types or to nothing."""
    for _ in range(draw.choice((1, 5, 30))):
        if (match := _some(_REFERENCE, data, draw)) is not None:
            number = str(draw.choice((0, 1, 2, 3, draw.randrange(60), 8_388_607, 999_999_999))).encode()
            data = data[: match.start()] + number + data[match.start() + len(match[0].split()[0]) :]
    return data


def _odd_number(data: bytes, __: bytes, draw: random.Random) -> bytes:
    for _ in range(draw.choice((1, 5, 30))):
        if (match := _some(_NUMBER, data, draw)) is not None:
            data = data[: match.start()] + draw.choice(_ODD_NUMBERS) + data[match.end() :]
    return data


def _keyword(data: bytes, __: bytes, draw: random.Random) -> bytes:
    word = draw.choice(_KEYWORDS)
    start = data.find(word, draw.randrange(len(data) + 1))
    return data if start < 0 else data[:start] + draw.choice((b"", word * 2, draw.choice(_KEYWORDS))) + data[start + len(word) :]


def _nest(data: bytes, __: bytes, draw: random.Random) -> bytes:
    start, _ = _chunk(data, draw)
    return data[:start] + draw.choice((b"[", b"<<", b"(", b"<</A")) * draw.choice((10, 1000, 50_000)) + data[start:]


_KINDS: Final[tuple[Callable[[bytes, bytes, random.Random], bytes], ...]] = (
    _flip, _flip, _truncate, _behead, _delete, _double, _splice, _join, _renumber, _renumber, _odd_number, _odd_number, _keyword, _nest,
)  # fmt: skip
