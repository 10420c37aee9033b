"""Make PDFs with correct syntax but wrong objects, pseudo-randomly; the files of `mutations` rarely get past the parser.

qpdf reads the seed and writes the file, so that cross references and lengths are right. Its objects are wrong: entries of the wrong type,
impossible numbers, circular references, operators in another order, streams that do not fit their filter.
"""

from __future__ import annotations

import io
import random
import warnings
from collections.abc import Callable, Iterator, Sequence
from decimal import Decimal
from functools import cache
from pathlib import Path
from typing import Any, Final

import pikepdf

from benchmarks.robust.mutations import usable

#: Objects of a seed with a higher number are not used: listing them would take longer than reading the file.
MAX_OBJECTS: Final = 5000
_NUMBERS: Final = (-1, 0, 1, 2, 7, 255, 65536, 2**31 - 1, -(2**31), 2**31, Decimal("0.000001"), Decimal("-99999.5"), Decimal(10) ** 30)
_NAMES: Final = (
    *("/Page", "/Pages", "/Font", "/Type0", "/Type3", "/Identity-H"),
    *("/DeviceN", "/Separation", "/Image", "/Form", "/Widget", "/OCG"),
)
_STRINGS: Final = (
    b"",
    b"\xfe\xff",
    b"\xfe\xff\xd8\x00",
    b"\xef\xbb\xbf\xff",
    b"D:99999999999999",
    b"\x00" * 40,
    b"\x1b[31m",
    b"A" * 70_000,
)
_FILTERS: Final = (
    *("/FlateDecode", "/LZWDecode", "/ASCII85Decode", "/ASCIIHexDecode"),
    *("/RunLengthDecode", "/DCTDecode", "/JBIG2Decode", "/X"),
)
_OPERATORS: Final = ("q", "Q", "BT", "ET", "Tj", "TJ", "Do", "cm", "Tm", "W", "n", "BMC", "EMC", "BI", "Tf", "re", "f", "sh", "gs", "Tr")

Draw = random.Random


def object_mutations(seeds: Sequence[Path], count: int, seed: int = 7) -> Iterator[tuple[str, bytes]]:
    """Yield (name, bytes) of `count` files; the file of a number is the same for every count. Seeds that qpdf cannot open are left out."""
    pool = usable(seeds)
    for number in range(count):
        draw = random.Random(f"objects/{seed}/{number}")
        data = None
        while data is None:
            data = mutate_objects(_bytes(draw.choice(pool)), draw)
        yield f"o{number:05d}.pdf", data


@cache
def _bytes(path: Path) -> bytes:
    return path.read_bytes()


def mutate_objects(data: bytes, draw: Draw) -> bytes | None:
    """Return the file with one to eight of its objects changed; None if qpdf cannot open it, or cannot write the result."""
    try:
        with warnings.catch_warnings(action="ignore"), pikepdf.open(io.BytesIO(data)) as pdf:  # qpdf's remarks on what we break
            objects = [each for each in pdf.objects[:MAX_OBJECTS] if isinstance(each, pikepdf.Dictionary | pikepdf.Array | pikepdf.Stream)]
            if not objects:
                return None
            for _ in range(draw.choice((1, 2, 4, 8))):
                draw.choice(_KINDS)(pdf, objects, draw)
            out = io.BytesIO()
            modes = (pikepdf.ObjectStreamMode.preserve, pikepdf.ObjectStreamMode.generate, pikepdf.ObjectStreamMode.disable)
            pdf.save(out, object_stream_mode=draw.choice(modes), static_id=True, fix_metadata_version=False)
            return out.getvalue()
    except (pikepdf.PdfError, pikepdf.PasswordError, pikepdf.DependencyError, ValueError, TypeError, RuntimeError, KeyError):
        return None  # of such files `benchmarks.robust.mutations` makes enough


def _place(objects: list[Any], draw: Draw) -> tuple[Any, Any]:
    """Return a dictionary or array, and a key or index in it; (None, None) if it is empty."""
    found = draw.choice(objects)
    for _ in range(draw.choice((0, 0, 1, 2))):  # and down into what stands in it directly
        inner = [each for each in _values(found) if isinstance(each, pikepdf.Dictionary | pikepdf.Array | pikepdf.Stream)]
        found = draw.choice(inner) if inner else found
    keys = list(range(len(found))) if isinstance(found, pikepdf.Array) else sorted(found.keys())
    return (found, draw.choice(keys)) if keys else (None, None)


def _values(found: Any) -> list[Any]:
    return list(found) if isinstance(found, pikepdf.Array) else [found[key] for key in sorted(found.keys())]


def _odd_value(draw: Draw) -> Any:
    kind = draw.randrange(6)
    if kind == 0:
        return draw.choice(_NUMBERS)
    if kind == 1:
        return pikepdf.Name(draw.choice(_NAMES))
    if kind == 2:
        return pikepdf.String(draw.choice(_STRINGS))
    if kind == 3:
        return pikepdf.Array([draw.choice(_NUMBERS) for _ in range(draw.choice((0, 1, 3, 4, 6, 300)))])
    if kind == 4:
        return pikepdf.Dictionary({draw.choice(_NAMES): draw.choice(_NUMBERS)})
    return draw.random() < 0.5


def _wrong_value(_: pikepdf.Pdf, objects: list[Any], draw: Draw) -> None:
    container, key = _place(objects, draw)
    if container is not None:
        container[key] = _odd_value(draw)


def _wrong_number(_: pikepdf.Pdf, objects: list[Any], draw: Draw) -> None:
    """Change all or some numbers of one object: boxes, widths, ranges, sizes, counts."""
    container, _ = _place(objects, draw)
    if container is None:
        return
    keys = range(len(container)) if isinstance(container, pikepdf.Array) else sorted(container.keys())
    for key in keys:
        if isinstance(container[key], int | Decimal) and draw.random() < 0.5:
            container[key] = draw.choice(_NUMBERS)


def _elsewhere(_: pikepdf.Pdf, objects: list[Any], draw: Draw) -> None:
    """Let an entry refer to another object, or to its own: this makes circles, shared children, wrong types."""
    container, key = _place(objects, draw)
    if container is not None:
        container[key] = container if container.is_indirect and draw.random() < 0.2 else draw.choice(objects)


def _taken_away(_: pikepdf.Pdf, objects: list[Any], draw: Draw) -> None:
    container, key = _place(objects, draw)
    if container is not None:
        del container[key]


def _swapped(_: pikepdf.Pdf, objects: list[Any], draw: Draw) -> None:
    """Exchange entries of two objects of one kind: fonts then have the widths and maps of others."""
    (one, key), (two, _) = _place(objects, draw), _place(objects, draw)
    if one is None or two is None or isinstance(one, pikepdf.Array) or isinstance(two, pikepdf.Array) or key not in two:
        return
    one[key], two[key] = two[key], one[key]


def _nested(pdf: pikepdf.Pdf, objects: list[Any], draw: Draw) -> None:
    """Put an entry deep into nested arrays that are separate objects."""
    container, key = _place(objects, draw)
    if container is None:
        return
    value = container[key]
    for _ in range(draw.choice((3, 60, 400))):
        value = pdf.make_indirect(pikepdf.Array([value]))
    container[key] = value


def _streams(objects: list[Any]) -> list[Any]:
    return [each for each in objects if isinstance(each, pikepdf.Stream)]


def _wrong_filter(_: pikepdf.Pdf, objects: list[Any], draw: Draw) -> None:
    """Change a stream so that its bytes do not fit its filter, are cut, or have the parameters of another stream."""
    if not (streams := _streams(objects)):
        return
    chosen, other = draw.choice(streams), draw.choice(streams)
    raw = chosen.read_raw_bytes()
    kind = draw.randrange(3)
    if kind == 0:
        chain = [pikepdf.Name(draw.choice(_FILTERS)) for _ in range(draw.choice((1, 1, 2, 20)))]
        chosen.write(raw, filter=pikepdf.Array(chain))
    elif kind == 1:
        chosen.write(raw[: draw.randrange(len(raw) + 1)], filter=chosen.get("/Filter"))
    else:
        chosen.write(other.read_raw_bytes(), filter=chosen.get("/Filter"), decode_parms=chosen.get("/DecodeParms"))


def _other_operators(pdf: pikepdf.Pdf, objects: list[Any], draw: Draw) -> None:
    """Leave out, double or move operators of a page, or give them operands of others."""
    if not len(pdf.pages):
        return
    page = pdf.pages[draw.randrange(len(pdf.pages))]
    found: list[Any] = [(each.operands, each.operator) for each in pikepdf.parse_content_stream(page)]
    for _ in range(draw.choice((1, 5, 40))):
        if not found:
            return
        at, to, kind = draw.randrange(len(found)), draw.randrange(len(found)), draw.randrange(5)
        if kind == 0:
            del found[at]
        elif kind == 1:
            found[to:to] = [found[at]] * draw.choice((1, 30))
        elif kind == 2:
            found[at], found[to] = found[to], found[at]
        elif kind == 3:
            found[at] = (found[at][0], pikepdf.Operator(draw.choice(_OPERATORS)))
        else:
            found[at] = ([draw.choice(_NUMBERS) if isinstance(each, int | Decimal) else each for each in found[at][0]], found[at][1])
    plain = [each for each in found if str(each[1]) not in ("INLINE IMAGE", "BI")]
    page.Contents = pdf.make_stream(pikepdf.unparse_content_stream(plain))


_KINDS: Final[tuple[Callable[[pikepdf.Pdf, list[Any], Draw], None], ...]] = (
    _wrong_value, _wrong_value, _wrong_number, _wrong_number, _elsewhere, _elsewhere, _taken_away, _swapped, _swapped, _nested,
    _wrong_filter, _other_operators, _other_operators,
)  # fmt: skip
