"""Read PDF objects (ISO 32000-2 §7.3) from files in which they may have wrong types, loops, great depth or great size.
Each function returns a value of one type; None or an empty one for objects of other types. Only `OBJECT_ERRORS` are raised."""

from __future__ import annotations

import base64
import re
import unicodedata
import zlib
from collections.abc import Iterator
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any, Final, TypeGuard

import pikepdf

from pdfmill.transforms.pdf.open.limits import DEFAULT_LIMITS, Limits

#: Exceptions that reading a broken object can raise. Callers catch this tuple.
OBJECT_ERRORS: Final = (
    pikepdf.PdfError,
    pikepdf.PasswordError,
    pikepdf.DataDecodingError,
    pikepdf.DependencyError,  # a stream packed as JBIG2, where the program that decodes it is missing
    pikepdf.ForeignObjectError,
    ValueError,
    KeyError,
    IndexError,
    TypeError,
    AttributeError,
    ArithmeticError,
    RecursionError,
    RuntimeError,
    NotImplementedError,
    zlib.error,
)

#: A PDF object of any type, None if absent. pikepdf returns int, bool and Decimal as Python values.
Object = Any

Key = tuple[int, int]

_NOT_HEX: Final = re.compile(rb"[^0-9A-Fa-f]+")
_SPACES: Final = b" \t\n\r\x0b\x0c\x00"
#: Filters of one stream that are decoded to find a decompression bomb; ordinary streams have at most two.
_MAX_FILTERS: Final = 8
_ESCAPE: Final = re.compile("\x1b[^\x1b]{0,10}\x1b")
#: Characters that `clean` removes.
_STEERING: Final = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
#: Years written as 19100 for 2000, by Distiller 3 and others.
_Y2K: Final = re.compile(r"^(\s*D:)19(1\d\d)(?=\d{10}(?!\d))")
_DATE: Final = re.compile(
    r"\s*(?:D\s*:)?\s*(\d{4})(?:\D?(\d{2}))?(?:\D?(\d{2}))?(?:[T\s]?(\d{2}))?(?::?(\d{2}))?(?::?(\d{2}))?(?:\.\d+)?\s*(?:(Z|[+-])\s*(\d{1,2})?'?:?(\d{2})?'?)?"
)


def is_dict(value: Object) -> TypeGuard[pikepdf.Dictionary]:
    """Return whether the object is a dictionary or a stream, which contains one."""
    return isinstance(value, (pikepdf.Dictionary, pikepdf.Stream))


def get(holder: Object, key: str) -> Object:
    """Return the value under `key`; None if the holder is no dictionary or has no such key."""
    # Asked first, because pikepdf's `get` throws and catches an exception of C++ for a missing key: 5 µs in place of .3.
    return holder[key] if isinstance(holder, (pikepdf.Dictionary, pikepdf.Stream)) and key in holder else None


def get_dict(holder: Object, key: str) -> pikepdf.Dictionary | None:
    """Return the dictionary or stream under `key`; None if there is none."""
    value = get(holder, key)
    return value if is_dict(value) else None


def keys(holder: Object, limits: Limits = DEFAULT_LIMITS) -> list[str]:
    """Return the keys of a dictionary or stream, sorted, with their slash, at most `max_nodes`; [] for other types.
    Names that are empty or not valid UTF-8 are left out, because pikepdf cannot look them up."""
    # Sorted: the library gives them as a set, and the tables must be the same on every run.
    found = sorted(key for key in map(str, holder.keys()) if len(key) > 1 and _is_unicode(key)) if is_dict(holder) else []
    return found[: limits.max_nodes] if len(found) > limits.max_nodes and limits.too_many(len(found)) else found


def _is_unicode(key: str) -> bool:
    return not any("\ud800" <= character <= "\udfff" for character in key)


def items(value: Object, limits: Limits = DEFAULT_LIMITS) -> list[Object]:
    """Return the entries of an array, up to `max_nodes` of them; [value] for any other object; [] for None."""
    if value is None:
        return []
    if not isinstance(value, pikepdf.Array):
        return [value]
    if len(value) <= limits.max_nodes:
        return list(value)
    limits.too_many(len(value))
    return [value[index] for index in range(limits.max_nodes)]


def text(value: Object, limits: Limits = DEFAULT_LIMITS) -> str | None:
    """Return a text string (§7.9.2.2) or a name as Unicode NFC; None for other types. Escape sequences that state the language are
    removed."""
    if isinstance(value, pikepdf.Name):
        return shorten_text(clean(str(value)[1:]), limits)
    if not isinstance(value, pikepdf.String):
        return None
    raw = bytes(value)
    if len(raw) > limits.max_text:
        raw = raw[: 4 * limits.max_text + 4]
    return shorten_text(clean(_ESCAPE.sub("", decode_text(raw))), limits)


def shorten_text(written: str, limits: Limits) -> str:
    """Return the first `max_text` characters of the text; if it has more, record in `limits` that the limit was reached."""
    if len(written) > limits.max_text:
        limits.reach(f"a string has more than {limits.max_text} characters; the rest is left out")
    return written[: limits.max_text]


def decode_text(raw: bytes) -> str:
    """Decode the bytes of a text string, by its byte order mark or as PDFDocEncoding."""
    if raw.startswith(b"\xfe\xff"):
        return raw[2:].decode("utf-16-be", "replace")
    if raw.startswith(b"\xff\xfe"):
        return raw[2:].decode("utf-16-le", "replace")
    if raw.startswith(b"\xef\xbb\xbf"):
        return raw[3:].decode("utf-8", "replace")
    return raw.decode("pdfdoc", "replace")


def clean(characters: str) -> str:
    """Return the text in NFC, without lone surrogates, control characters (tabs and line ends are kept) and characters that change the
    direction of display (Unicode Standard Annex 9 §2), which can make a text look different from what it is.

    >>> clean("Invoice \\u202efdp.exe\\x1b[2J")
    'Invoice fdp.exe[2J'
    """
    if characters.isascii() and characters.isprintable():
        return characters
    kept = _STEERING.sub("", characters).encode("utf-8", "replace").decode("utf-8")
    return unicodedata.normalize("NFC", kept)


def name(value: Object) -> str | None:
    """Return a name object without its slash; None for other types."""
    return clean(str(value)[1:]) if isinstance(value, pikepdf.Name) else None


def integer(value: Object, bits: int = 64) -> int | None:
    """Return a whole number; None for other types and for numbers that do not fit into a signed integer of this many bits."""
    if isinstance(value, bool) or not isinstance(value, (int, Decimal)) or not -(2 ** (bits - 1)) <= value < 2 ** (bits - 1):
        return None
    return int(value)


def number(value: Object) -> float | None:
    """Return a number; None for other types."""
    if isinstance(value, bool) or not isinstance(value, (int, Decimal, float)):
        return None
    return float(value)


def sides(value: Object) -> tuple[float, float, float, float] | None:
    """Return the four numbers of a rectangle (§7.9.5) in user space as they are written, not sorted; None for other objects."""
    if not isinstance(value, pikepdf.Array) or len(value) != 4:
        return None
    found = [number(side) for side in value]
    if any(side is None for side in found):
        return None
    left, bottom, right, top = (float(side or 0.0) for side in found)
    return left, bottom, right, top


def rectangle(value: Object) -> tuple[float, float, float, float] | None:
    """Return a rectangle (§7.9.5) as (left, bottom, right, top) in user space, its sides sorted; None for other objects."""
    if (written := sides(value)) is None:
        return None
    x0, y0, x1, y1 = written
    return min(x0, x1), min(y0, y1), max(x0, x1), max(y0, y1)


def key_of(value: Object) -> Key | None:
    """Return (object number, generation) of an indirect object; None for a direct one."""
    if not isinstance(value, pikepdf.Object):
        return None
    number_, generation = value.objgen
    return (number_, generation) if number_ else None


def date_text(value: Object) -> str | None:
    """Return a date string (§7.9.4) in ISO 8601, other text unchanged; None for other types and empty text."""
    written = text(value)
    return None if written is None or not written.strip() else iso_date(written)


def iso_date(written: str) -> str:
    """Return a PDF date string in ISO 8601; unchanged if it is no date. Years from 2000 that old producers wrote as 19100, 19101 ... are
    corrected.

    >>> iso_date("D:20170627084223+02'00'"), iso_date("D:191010627084223")
    ('2017-06-27T08:42:23+02:00', '2001-06-27T08:42:23')
    """
    match = _DATE.match(_Y2K.sub(lambda found: f"{found[1]}{1900 + int(found[2])}", written))
    if match is None:
        return written
    year, month, day, hour, minute, second = (
        int(part) if part else default for part, default in zip(match.groups()[:6], (0, 1, 1, 0, 0, 0), strict=True)
    )
    try:
        moment = datetime(year, month, day, hour, minute, min(second, 59))
    except ValueError:
        return written
    return moment.isoformat() + _zone(match[7], match[8], match[9])


def utc_time(date: str | None) -> datetime | None:
    """Return the moment of a date written by `iso_date`, in UTC; without a zone it counts as UTC. Return None for text that is no date."""
    try:
        moment = datetime.fromisoformat(date or "")
        return moment.astimezone(UTC) if moment.tzinfo else moment.replace(tzinfo=UTC)
    except (ValueError, OverflowError):  # no date, or one outside the years 1 to 9999
        return None


def _zone(sign: str | None, hours: str | None, minutes: str | None) -> str:
    if sign is None:
        return ""
    if sign == "Z" or hours is None:
        return "Z"
    return f"{sign}{int(hours):02d}:{int(minutes or 0):02d}" if int(hours) < 24 else ""


def stream_bytes(value: Object, limits: Limits = DEFAULT_LIMITS) -> bytes:
    """Return the decoded bytes of a stream, as far as they can be decoded, or the bytes of a string; empty for other objects.

    Raises:
        ValueError: the stream is larger than `max_stream`, before or after decoding.
    """
    if isinstance(value, pikepdf.String):
        return bytes(value)
    if not isinstance(value, pikepdf.Stream):
        return b""
    try:
        if _filters(value) == ["FlateDecode"] and get(value, "/DecodeParms") is None:
            return inflate(_raw(value, limits), limits)
        _check_inflated(value, _raw(value, limits), limits)
        decoded = bytes(value.read_bytes())
    except (pikepdf.PdfError, pikepdf.DataDecodingError):
        return bytes(value.read_raw_bytes())
    if len(decoded) > limits.max_stream:
        raise ValueError(f"a stream has {len(decoded)} bytes; the limit is {limits.max_stream}")
    return decoded


def _check_inflated(stream: pikepdf.Stream, raw: bytes, limits: Limits) -> None:
    """Check the size of a stream by its leading ASCII and Flate filters, because qpdf decodes it without a limit. raw: its encoded bytes.

    Raises:
        ValueError: decoding gives more than `max_stream` bytes.
    """
    for filter_ in _filters(stream)[:_MAX_FILTERS]:
        if filter_ in ("ASCIIHexDecode", "AHx"):
            digits = _NOT_HEX.sub(b"", raw).decode()
            raw = bytes.fromhex(digits[: len(digits) & ~1])
        elif filter_ in ("ASCII85Decode", "A85"):
            raw = base64.a85decode(raw.rpartition(b"~>")[0] or raw, ignorechars=_SPACES)
        elif filter_ in ("FlateDecode", "Fl"):
            raw = inflate(raw, limits)
        else:
            return


def _filters(stream: pikepdf.Stream) -> list[str | None]:
    return [name(entry) for entry in items(stream.get("/Filter"))]


def _raw(stream: pikepdf.Stream, limits: Limits) -> bytes:
    raw = bytes(stream.read_raw_bytes())
    if len(raw) > limits.max_stream:
        raise ValueError(f"a stream has {len(raw)} bytes; the limit is {limits.max_stream}")
    return raw


def inflate(raw: bytes, limits: Limits = DEFAULT_LIMITS) -> bytes:
    """Decompress Flate data up to its end or its first error (§7.4.4).

    Raises:
        ValueError: the result has more than `max_stream` bytes, or is too large for its input (`max_ratio`).
    """
    engine = zlib.decompressobj()
    out: list[bytes] = []
    size = 0
    for start in range(0, len(raw), 1 << 14):
        try:
            piece = engine.decompress(raw[start : start + (1 << 14)], limits.max_stream + 1 - size)
        except zlib.error:
            break
        out.append(piece)
        size += len(piece)
        if size > limits.max_stream:
            raise ValueError(f"a stream inflates to more than {limits.max_stream} bytes")
        if size > limits.ratio_from and size > limits.max_ratio * len(raw):
            raise ValueError(f"a stream inflates to more than {limits.max_ratio} times its {len(raw)} bytes")
    return b"".join(out)


def name_tree(root: Object, limits: Limits = DEFAULT_LIMITS) -> Iterator[tuple[str, Object]]:
    """Yield the pairs (key, value) of a name tree in their order (§7.9.6); broken branches are left out."""
    for key, value in _tree(root, "/Names", limits):
        if (word := text(key, limits)) is not None:
            yield word, value


def number_tree(root: Object, limits: Limits = DEFAULT_LIMITS) -> Iterator[tuple[int, Object]]:
    """Yield the pairs (key, value) of a number tree in their order (§7.9.7); broken branches are left out."""
    for key, value in _tree(root, "/Nums", limits):
        if (position := integer(key)) is not None:
            yield position, value


def _tree(root: Object, leaf_key: str, limits: Limits) -> Iterator[tuple[Object, Object]]:
    seen: set[Key] = set()
    waiting: list[tuple[Object, int]] = [(root, 0)]
    given = 0
    while waiting:
        node, depth = waiting.pop()
        if not is_dict(node) or limits.too_deep(depth) or not first_time(node, seen):
            continue
        leaves = items(get(node, leaf_key), limits)
        for key, value in zip(leaves[::2], leaves[1::2], strict=False):
            if limits.too_many(given):
                return
            given += 1
            yield key, value
        waiting.extend((kid, depth + 1) for kid in reversed(items(get(node, "/Kids"), limits)))


def first_time(value: Object, seen: set[Key]) -> bool:
    """Return whether the object's key is not yet in `seen`, and add it. Direct objects have no key and always count as new."""
    key = key_of(value)
    if key is None:
        return True
    if key in seen:
        return False
    seen.add(key)
    return True
