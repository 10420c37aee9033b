"""Write a TIFF file around image data that is already compressed (TIFF 6.0, sections 2 and 8; Adobe TIFF Technical Note 2 for JPEG)."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from typing import Final

from msgspec import Struct

#: Values of the TIFF field Compression.
NONE, CCITT_T4, CCITT_T6, LZW, JPEG, DEFLATE, PACKBITS = 1, 3, 4, 5, 7, 8, 32773
#: Values of the TIFF field PhotometricInterpretation.
MIN_IS_WHITE, MIN_IS_BLACK, RGB, PALETTE, SEPARATED, YCBCR, ICC_LAB = 0, 1, 2, 3, 5, 6, 9

_SHORT, _LONG, _UNDEFINED = 3, 4, 7
_WIDTH_OF: Final = {_SHORT: ">H", _LONG: ">I"}


class TiffImage(Struct, frozen=True):
    """An image that is written as one strip, in big-endian byte order."""

    width: int  # pixels
    height: int  # pixels
    bits: int  # per sample
    samples: int  # per pixel
    photometric: int
    compression: int
    data: bytes  # the strip, compressed by the scheme `compression`
    predictor: int = 1  # 2 for TIFF's horizontal differencing
    color_map: Sequence[int] = ()  # 3 * 2**bits values of 16 bits, reds first
    icc_profile: bytes = b""
    t4_options: int = 0  # bit 0: two-dimensional coding; bit 2: byte-aligned lines


def write_tiff(image: TiffImage) -> bytes:
    entries = _entries(image)
    directory = 8 + len(image.data) + len(image.data) % 2
    tail_start = directory + 2 + 12 * len(entries) + 4
    table, tail = b"", b""
    for tag, kind, values in sorted(entries, key=lambda entry: entry[0]):
        payload = values if isinstance(values, bytes) else b"".join(struct.pack(_WIDTH_OF[kind], value) for value in values)
        if len(payload) > 4:
            place = struct.pack(">I", tail_start + len(tail))
            tail += payload + b"\0" * (len(payload) % 2)
        else:
            place = payload.ljust(4, b"\0")
        table += struct.pack(">HHI", tag, kind, len(values)) + place
    head = b"MM\x00*" + struct.pack(">I", directory) + image.data + b"\0" * (len(image.data) % 2)
    return head + struct.pack(">H", len(entries)) + table + b"\0\0\0\0" + tail


def _entries(image: TiffImage) -> list[tuple[int, int, Sequence[int] | bytes]]:
    entries: list[tuple[int, int, Sequence[int] | bytes]] = [
        (256, _LONG, [image.width]),
        (257, _LONG, [image.height]),
        (258, _SHORT, [image.bits] * image.samples),
        (259, _SHORT, [image.compression]),
        (262, _SHORT, [image.photometric]),
        (273, _LONG, [8]),
        (277, _SHORT, [image.samples]),
        (278, _LONG, [image.height]),
        (279, _LONG, [len(image.data)]),
        (284, _SHORT, [1]),
    ]
    if image.predictor != 1:
        entries.append((317, _SHORT, [image.predictor]))
    if image.compression == CCITT_T4:
        entries.append((292, _LONG, [image.t4_options]))
    if image.color_map:
        entries.append((320, _SHORT, image.color_map))
    colors = {RGB: 3, YCBCR: 3, SEPARATED: 4, ICC_LAB: 3}.get(image.photometric, 1)
    if image.samples > colors:
        entries.append((338, _SHORT, [0] * (image.samples - colors)))
    if image.icc_profile:
        entries.append((34675, _UNDEFINED, image.icc_profile))
    return entries
