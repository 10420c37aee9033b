"""Make PDFs with errors in the parts that a parser relies on: cross references, encryption dictionaries, the contents of streams;
pseudo-randomly.

`mutations` beside it changes bytes anywhere, most of them compressed; `object_mutations` changes objects, and qpdf writes the rest right.
Here qpdf writes the file uncompressed, and then its cross-reference tables, trailer and encryption are changed; or streams are decoded,
changed inside (operators, CMaps, font programs, object streams, cross-reference streams), and compressed again.
"""

from __future__ import annotations

import io
import random
import re
import warnings
import zlib
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Final

import pikepdf

from benchmarks.robust.mutations import mutate, usable

Draw = random.Random
_NUMBERS: Final = (b"-1", b"0", b"1", b"3", b"65535", b"2147483648", b"99999999999", b"null", b"[1 2]", b"<<>>", b"(text)", b"9 0 R")
_STREAM: Final = re.compile(rb"<<(?:[^<>]|<[^<>]*>|<<[^<>]*>>)*/Filter\s*/FlateDecode(?:[^<>]|<[^<>]*>|<<[^<>]*>>)*>>\s*stream\r?\n")
_LINE: Final = re.compile(rb"\d{10} \d{5} [nf]")
_KEY: Final = re.compile(rb"/(V|R|P|O|U|OE|UE|Perms|Length|CF|StmF|StrF|EncryptMetadata|CFM|AuthEvent|ID|Filter)\b\s*")
_TRAILER: Final = re.compile(rb"/(Size|Root|Prev|XRefStm|Info|ID|W|Index|First|N|Extends|DecodeParms|Predictor|Columns)\b\s*")


def structure_mutations(seeds: Sequence[Path], count: int, seed: int = 7) -> Iterator[tuple[str, bytes]]:
    """Yield (name, bytes) of `count` files; the file of a number is the same for every count. Seeds that qpdf cannot open are left out;
    those that are encrypted have other keys in each process."""
    pool = usable(seeds)
    for number in range(count):
        draw = random.Random(f"structures/{seed}/{number}")
        kind, data = draw.choice(tuple(_KINDS)), None
        while data is None:
            data = _written(draw.choice(pool), draw.choice(_KINDS[kind][0]))
        for _ in range(draw.choice((1, 1, 2, 5))):
            data = _KINDS[kind][1](data, draw)
        yield f"s{number:05d}.pdf", data


@cache
def _written(path: Path, form: str) -> bytes | None:
    """Return a seed rewritten by qpdf in one of the forms; None if qpdf cannot open it."""
    out = io.BytesIO()
    revision = {"rc4-40": 2, "rc4-128": 3, "aes-128": 4, "aes-256": 6}.get(form)
    try:
        with warnings.catch_warnings(action="ignore"), pikepdf.open(path) as pdf:
            generate, disable = pikepdf.ObjectStreamMode.generate, pikepdf.ObjectStreamMode.disable
            locked = pikepdf.Encryption(owner="owner", user="", R=revision, aes=revision > 3, metadata=revision > 3) if revision else False
            pdf.save(
                out, object_stream_mode=generate if form == "streams" else disable, compress_streams=True, encryption=locked,
                fix_metadata_version=False,
                **({} if revision else {"static_id": True}),
            )  # fmt: skip
    except (pikepdf.PdfError, pikepdf.PasswordError, pikepdf.DependencyError, ValueError, TypeError, RuntimeError, KeyError):
        return None
    return out.getvalue()


def _other_places(data: bytes, draw: Draw) -> bytes:
    """Change the cross-reference table: entries point elsewhere, are free, have other generations, or are too many or too few."""
    lines = list(_LINE.finditer(data))
    if not lines:
        return _other_trailer(data, draw)
    for _ in range(draw.choice((1, 4, 40))):
        line, other = draw.choice(lines), draw.choice(lines)
        place = draw.choice((other[0][:10], b"%010d" % draw.randrange(len(data)), b"9999999999", b"0000000000"))
        new = place + b" " + draw.choice((b"00000", b"00001", b"65535")) + draw.choice((b" n", b" n", b" f"))
        data = data[: line.start()] + new + data[line.end() :]
    return data if draw.random() < 0.6 else re.sub(rb"xref\s+\d+ \d+", b"xref\n%d %d" % draw.choice(((0, 1), (1, 9), (0, 10**9))), data)


def _other_trailer(data: bytes, draw: Draw) -> bytes:
    """Change numbers and references in trailers, cross-reference streams and object streams, also so that a table names itself as the
    previous one."""
    data = _other_values(data, draw, _TRAILER)
    if draw.random() < 0.3:
        start = data.rfind(b"startxref")
        place = draw.choice([*data[start + 9 :].split()[:1], b"0", b"-5", b"%d" % draw.randrange(len(data))])
        data = data[:start] + b"trailer << /Size 9 /Root 1 0 R /Prev " + place + b" >>\nstartxref\n" + place + b"\n%%EOF\n"
    return data


def _other_values(data: bytes, draw: Draw, keys: re.Pattern[bytes]) -> bytes:
    found = list(keys.finditer(data))
    if not found:
        return mutate(data, data, draw)
    at = draw.choice(found).end()
    end = re.compile(rb"[\s/>\]]").search(data, at + 1)
    return data[:at] + draw.choice(_NUMBERS) + b" " + data[end.start() if end else at :]


def _other_encryption(data: bytes, draw: Draw) -> bytes:
    """Change types, lengths and values in the encryption dictionary, and the file identifier from which keys are computed."""
    if draw.random() < 0.3:  # bytes of the encrypted strings
        start = data.rfind(b"/Filter /Standard")
        at = max(0, start - 600) + draw.randrange(1200) if start >= 0 else draw.randrange(len(data))
        return data[:at] + bytes([draw.randrange(256)]) * draw.choice((1, 8, 64)) + data[at + draw.choice((0, 1, 8)) :]
    return _other_values(data, draw, _KEY)


def _inside_streams(data: bytes, draw: Draw) -> bytes:
    """Change bytes, words or numbers in the content of a stream, and compress it again, with the right length."""
    found = list(_STREAM.finditer(data))
    for _ in range(8):
        if not found:
            break
        head = draw.choice(found)
        raw = zlib.decompressobj()
        try:
            inside = raw.decompress(data[head.end() :], 1 << 22)
        except zlib.error:
            continue
        changed = zlib.compress(mutate(inside, inside, draw)[: 1 << 22], 1)
        length = re.sub(rb"/Length \d+(?! \d+ R)", b"/Length %d" % len(changed), head[0])
        rest = raw.unused_data or data[data.find(b"endstream", head.end()) :]
        return data[: head.start()] + length + changed + b"\n" + rest.lstrip(b"\r\n")
    return mutate(data, data, draw)


#: By kind: the forms in which qpdf writes the seed, and the function that changes the result.
_KINDS: Final[dict[str, tuple[tuple[str, ...], Callable[[bytes, Draw], bytes]]]] = {
    "places": (("plain",), _other_places),
    "trailer": (("plain", "streams"), _other_trailer),
    "encryption": (("rc4-40", "rc4-128", "aes-128", "aes-256"), _other_encryption),
    "inside": (("plain", "plain", "streams"), _inside_streams),
}
