"""Write image streams as files with as little conversion as possible (ISO 32000-2 §7.4, §8.6, §8.9.5).
JPX and JBIG2 data are written unchanged, all other data as TIFF with the same compression; only what TIFF cannot hold (PNG predictors,
palettes of CMYK or Lab colours) is compressed again."""

from __future__ import annotations

import struct
import zlib
from typing import Final

import numpy as np
import pikepdf
from msgspec import Struct
from numpy.typing import NDArray

from pdfmill.transforms.pdf.facts import tiff
from pdfmill.transforms.pdf.open.limits import Limits
from pdfmill.transforms.pdf.open.objects import Object, get, integer, items, name, number, stream_bytes

_COMPONENTS: Final = {
    "DeviceGray": 1,
    "CalGray": 1,
    "Separation": 1,
    "DeviceRGB": 3,
    "CalRGB": 3,
    "Lab": 3,
    "DeviceCMYK": 4,
    "Indexed": 1,
    "G": 1,
    "RGB": 3,
    "CMYK": 4,
}
_PHOTOMETRIC: Final = {1: tiff.MIN_IS_BLACK, 3: tiff.RGB, 4: tiff.SEPARATED}
_COMPRESSIONS: Final = {
    None: tiff.NONE,
    "FlateDecode": tiff.DEFLATE,
    "LZWDecode": tiff.LZW,
    "RunLengthDecode": tiff.PACKBITS,
    "DCTDecode": tiff.JPEG,
}
#: Filters that only encode bytes as text or encrypt them. They are removed; the image format is the filter before them.
_ASCII: Final = frozenset({"ASCIIHexDecode", "ASCII85Decode", "Crypt"})
_JB2_HEADER: Final = b"\x97JB2\r\n\x1a\n\x01\x00\x00\x00\x01"
#: Pixels of an image that must be decoded; more would not fit into the memory of a worker.
_MAX_PIXELS: Final = 200_000_000


class ImageFile(Struct, frozen=True):
    """The bytes of an image file, and its MIME type."""

    data: bytes
    mime_type: str


class _Space(Struct, frozen=True):
    """A colour space: its family, components and ICC profile, and the base space and palette (`table`) of an Indexed space."""

    family: str  # DeviceRGB, ICCBased, Indexed, ...
    components: int  # number of components
    profile: bytes = b""  # ICC profile
    base: _Space | None = None  # base space of an Indexed space
    table: bytes = b""  # palette of an Indexed space


def image_file(stream: pikepdf.Stream, limits: Limits, *, keep_jpeg: bool = False) -> ImageFile:
    """Return the image as a TIFF, JBIG2 or JPEG 2000 file. keep_jpeg: return a JPEG file instead of a TIFF that contains it.

    Raises:
        ValueError: its dictionary states no valid size or bit depth.
    """
    chosen, parameters, data = _encoded(stream, limits)
    if chosen == "JPXDecode":
        return ImageFile(data, "image/jpx")
    if chosen == "JBIG2Decode":
        return ImageFile(_jbig2_file(data, parameters, limits), "image/x-jbig2")
    if chosen == "DCTDecode" and keep_jpeg:
        return ImageFile(data, "image/jpeg")
    return ImageFile(tiff.write_tiff(_tiff_image(stream, chosen, parameters, data, limits)), "image/tiff")


def _encoded(stream: pikepdf.Stream, limits: Limits) -> tuple[str | None, Object, bytes]:
    """Return (filter, parameters, data) of an image stream: the filter that gives the image its format (DCTDecode, ...) or None, the
    parameters of this filter, and the data with all other filters decoded."""
    filters = [name(entry) for entry in items(get(stream, "/Filter"))]
    parameters = items(get(stream, "/DecodeParms"))
    parameters += [None] * (len(filters) - len(parameters))
    while filters and filters[-1] in _ASCII:
        filters.pop()
        parameters.pop()
    if not filters:
        return None, None, stream_bytes(stream, limits)
    raw = bytes(stream.read_raw_bytes())
    if len(items(get(stream, "/Filter"))) == 1:
        return filters[-1], parameters[-1], raw
    return filters[-1], parameters[-1], _without_outer_filters(stream, len(filters) - 1, raw, limits)


def _without_outer_filters(stream: pikepdf.Stream, count: int, raw: bytes, limits: Limits) -> bytes:
    if not count:
        return raw
    with pikepdf.Pdf.new() as scratch:
        outer = pikepdf.Stream(scratch, raw)
        outer["/Filter"] = pikepdf.Array([pikepdf.Name(str(entry)) for entry in items(get(stream, "/Filter"))[:count]])
        return stream_bytes(outer, limits)


def _jbig2_file(data: bytes, parameters: Object, limits: Limits) -> bytes:
    """Return a complete JBIG2 file (ITU-T T.88 Annex D.1)."""
    shared = stream_bytes(get(parameters, "/JBIG2Globals"), limits)
    end_of_page = struct.pack(">IBBBI", 0x7FFFFFFE, 49, 0, 1, 0)
    end_of_file = struct.pack(">IBBBI", 0x7FFFFFFF, 51, 0, 0, 0)
    return _JB2_HEADER + shared + data + end_of_page + end_of_file


def _tiff_image(stream: pikepdf.Stream, chosen: str | None, parameters: Object, data: bytes, limits: Limits) -> tiff.TiffImage:
    width, height = integer(get(stream, "/Width")) or 0, integer(get(stream, "/Height")) or 0
    if width <= 0 or height <= 0 or width * height > _MAX_PIXELS:
        raise ValueError(f"an image of {width} x {height} pixels cannot be written to a file")
    if chosen == "CCITTFaxDecode":
        return _fax_image(stream, width, height, parameters, data)
    bits = 1 if get(stream, "/ImageMask") is True else integer(get(stream, "/BitsPerComponent")) or 8
    space = _space(get(stream, "/ColorSpace"), limits) if get(stream, "/ImageMask") is not True else _Space("DeviceGray", 1)
    inverted = _is_inverted(stream)
    if chosen == "DCTDecode":
        return _jpeg_image(width, height, space, data)
    predictor = integer(get(parameters, "/Predictor")) or 1
    compression = _COMPRESSIONS.get(chosen)
    if space.base is not None and (space.base.components not in (1, 3) or space.base.family == "Lab"):
        return _expanded(stream, width, height, bits, space, limits)
    if compression is None or predictor >= 10 or (chosen == "LZWDecode" and integer(get(parameters, "/EarlyChange")) == 0):
        compression, predictor, data = tiff.DEFLATE, 1, zlib.compress(stream_bytes(stream, limits))
    return tiff.TiffImage(
        width, height, bits, space.components, _photometric(space, inverted), compression, data, predictor,
        _color_map(space, bits) if space.base is not None else (), space.profile,
    )  # fmt: skip


def _photometric(space: _Space, inverted: bool) -> int:
    if space.base is not None:
        return tiff.PALETTE
    if space.family == "Lab":
        return tiff.ICC_LAB
    if space.components == 1:
        return tiff.MIN_IS_WHITE if inverted != (space.family == "Separation") else tiff.MIN_IS_BLACK
    return tiff.MIN_IS_BLACK if space.family == "DeviceN" else _PHOTOMETRIC.get(space.components, tiff.MIN_IS_BLACK)


def _is_inverted(stream: pikepdf.Stream) -> bool:
    decode = items(get(stream, "/Decode"))
    return bool(decode) and (number(decode[0]) or 0.0) >= 1.0


def _fax_image(stream: pikepdf.Stream, width: int, height: int, parameters: Object, data: bytes) -> tiff.TiffImage:
    """Return fax-encoded data as a TIFF image. K below 0 is Group 4, 0 is Group 3 one-dimensional, above 0 is two-dimensional (Table
    11)."""
    k = integer(get(parameters, "/K")) or 0
    options = (1 if k > 0 else 0) | (4 if get(parameters, "/EncodedByteAlign") is True else 0)
    inverted = (get(parameters, "/BlackIs1") is True) != _is_inverted(stream)
    columns = integer(get(parameters, "/Columns")) or 1728
    photometric = tiff.MIN_IS_BLACK if inverted else tiff.MIN_IS_WHITE
    compression = tiff.CCITT_T6 if k < 0 else tiff.CCITT_T4
    return tiff.TiffImage(columns if columns > 0 else width, height, 1, 1, photometric, compression, data, t4_options=options)


def _jpeg_image(width: int, height: int, space: _Space, data: bytes) -> tiff.TiffImage:
    """Return a TIFF image whose only strip is the JPEG. Three components are YCbCr, unless an Adobe marker states otherwise (T.872
    §6.5.3)."""
    samples, transform = _jpeg_header(data)
    samples = samples or space.components
    photometric = _PHOTOMETRIC.get(samples, tiff.MIN_IS_BLACK)
    if photometric == tiff.RGB and transform != 0:
        photometric = tiff.YCBCR
    return tiff.TiffImage(width, height, 8, samples, photometric, tiff.JPEG, data, icc_profile=space.profile)


def _jpeg_header(data: bytes) -> tuple[int | None, int | None]:
    """Return the number of components of a JPEG and the colour transform of its Adobe marker; each None if absent (ITU-T T.81 B.1)."""
    position, components, transform = 2, None, None
    while position + 4 <= len(data) and data[position] == 0xFF:
        marker, length = data[position + 1], int.from_bytes(data[position + 2 : position + 4], "big")
        body = data[position + 4 : position + 2 + length]
        if 0xC0 <= marker <= 0xCF and marker not in (0xC4, 0xC8, 0xCC) and len(body) > 5:
            components = body[5]
        if marker == 0xEE and body.startswith(b"Adobe") and len(body) > 11:
            transform = body[11]
        if marker == 0xDA:
            break
        position += 2 + max(length, 2)
    return components, transform


def _space(value: Object, limits: Limits, depth: int = 0) -> _Space:
    if not isinstance(value, pikepdf.Array) or not len(value):
        family = name(value) or "DeviceGray"
        return _Space(family, _COMPONENTS.get(family, 1))
    family = name(value[0]) or "DeviceGray"
    if family in ("Indexed", "I") and len(value) >= 4 and depth == 0:
        return _Space("Indexed", 1, b"", _space(value[1], limits, 1), stream_bytes(value[3], limits))
    if family == "ICCBased" and len(value) > 1:
        return _Space(family, integer(get(value[1], "/N")) or 3, stream_bytes(value[1], limits))
    if family == "DeviceN" and len(value) > 1:
        return _Space(family, max(1, len(items(value[1]))))
    return _Space(family, _COMPONENTS.get(family, 1))


def _color_map(space: _Space, bits: int) -> list[int]:
    """Return the palette in the order of TIFF: all red, then all green, then all blue values, of 16 bits. bits: per palette index."""
    base = space.base or space
    count = 1 << min(bits, 8)
    table = np.frombuffer(space.table.ljust(count * base.components, b"\0")[: count * base.components], np.uint8).reshape(
        count, base.components
    )
    colors: NDArray[np.uint8] = np.repeat(table[:, :1], 3, axis=1) if base.components == 1 else table[:, :3]
    return [int(value) * 257 for value in colors.T.ravel()]


def _expanded(stream: pikepdf.Stream, width: int, height: int, bits: int, space: _Space, limits: Limits) -> tiff.TiffImage:
    """Return an image with a CMYK or Lab palette as a TIFF image with one full colour per pixel. bits: per palette index."""
    base = space.base or space
    rows = np.frombuffer(stream_bytes(stream, limits), np.uint8)
    stride = (width * bits + 7) // 8
    rows = (
        np.resize(rows, (height, stride))
        if rows.size >= height * stride
        else np.pad(rows, (0, height * stride - rows.size)).reshape(height, stride)
    )
    indexes = rows[:, :width] if bits == 8 else _unpack(rows, bits)[:, :width]
    table = np.frombuffer(space.table.ljust(256 * base.components, b"\0")[: 256 * base.components], np.uint8).reshape(256, base.components)
    pixels = table[indexes]
    photometric = tiff.ICC_LAB if base.family == "Lab" else tiff.SEPARATED if base.components == 4 else tiff.MIN_IS_BLACK
    return tiff.TiffImage(
        width, height, 8, base.components, photometric, tiff.DEFLATE, zlib.compress(pixels.tobytes()), icc_profile=base.profile
    )


def _unpack(rows: NDArray[np.uint8], bits: int) -> NDArray[np.uint8]:
    single = np.unpackbits(rows, axis=1).reshape(rows.shape[0], -1, bits)
    weights = (1 << np.arange(bits - 1, -1, -1)).astype(np.uint8)
    packed: NDArray[np.uint8] = (single * weights).sum(axis=2).astype(np.uint8)
    return packed
