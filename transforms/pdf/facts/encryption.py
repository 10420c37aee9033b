"""Read the Encrypt dictionary (ISO 32000-2 §7.6). It is not encrypted itself, so it is read even from documents that cannot be opened."""

from __future__ import annotations

import re
from typing import Final

import pikepdf

from pdfmill.schemas.records import Row
from pdfmill.transforms.pdf.open.document import PdfDocument
from pdfmill.transforms.pdf.open.objects import OBJECT_ERRORS, Object, get, get_dict, integer, name
from pdfmill.transforms.pdf.open.salvage import balanced

_REFERENCE: Final = re.compile(rb"/Encrypt\s+(\d+)\s+(\d+)\s+R")
_DIRECT: Final = re.compile(rb"/Encrypt\s*<<")

#: Bit positions of the entry P, from 1, and the permissions that they grant (Table 22).
PERMISSIONS: Final = {
    3: "print",
    4: "modify",
    5: "extract",
    6: "annotate",
    9: "fill_forms",
    10: "extract_for_accessibility",
    11: "assemble",
    12: "print_high_quality",
}
_METHODS: Final = {"None": "none", "V2": "RC4", "AESV2": "AESV2", "AESV3": "AESV3", "AESV4": "AESV4"}


def read_encryption(document: PdfDocument) -> Row:
    """Return the column `encryption` of an open document; None if it is not encrypted."""
    dictionary = get_dict(document.pikepdf.trailer, "/Encrypt")
    row = describe(dictionary) if dictionary is not None else encryption_of_bytes(document.data) if document.opened_with else None
    return {"encryption": row | {"opened_with": document.opened_with} if row else None}


def encryption_of_bytes(data: bytes) -> Row | None:
    """Return the value of the column `encryption` for a document that cannot be opened; None if its bytes contain no Encrypt dictionary."""
    for written in _dictionaries(data):
        try:
            dictionary = pikepdf.Object.parse(_without_references(written))
        except OBJECT_ERRORS:
            continue
        if isinstance(dictionary, pikepdf.Dictionary) and get(dictionary, "/Filter") is not None:
            return describe(dictionary)
    return None


def _dictionaries(data: bytes) -> list[bytes]:
    found = []
    references = {match[0]: match for match in _REFERENCE.finditer(data)}
    for match in reversed(references.values()):
        objects = list(re.finditer(rb"(?<!\d)" + match[1] + rb"\s+" + match[2] + rb"\s+obj", data))
        found += [balanced(data, each.end()) for each in reversed(objects)]
    found += [balanced(data, match.end() - 2) for match in _DIRECT.finditer(data)]
    return [written for written in found if written]


def _without_references(written: bytes) -> bytes:
    return re.sub(rb"(?<=[\s\]>)])\d+\s+\d+\s+R\b", b"null", written)


def describe(dictionary: Object) -> Row:
    """Return the value of the column `encryption` for an Encrypt dictionary; its entry `opened_with` is None."""
    version = integer(get(dictionary, "/V")) or 0
    handler = name(get(dictionary, "/Filter"))
    permissions = integer(get(dictionary, "/P"))
    return {
        "handler": handler,
        "method": _method(dictionary, version),
        "revision": integer(get(dictionary, "/R"), 32),
        "key_bits": _key_bits(dictionary, version),
        "opened_with": None,
        "permissions": None if permissions is None else [word for bit, word in PERMISSIONS.items() if permissions >> (bit - 1) & 1],
    }


def _crypt_filter(dictionary: Object) -> Object:
    chosen = name(get(dictionary, "/StmF")) or "Identity"
    return get_dict(get_dict(dictionary, "/CF"), f"/{chosen}")


def _method(dictionary: Object, version: int) -> str | None:
    if version in (1, 2, 3):
        return "RC4"
    if version not in (4, 5, 6):
        return None
    written = name(get(_crypt_filter(dictionary), "/CFM")) or "None"
    return _METHODS.get(written, written)


def _key_bits(dictionary: Object, version: int) -> int | None:
    length = integer(get(dictionary, "/Length"), 32)
    if version == 1:
        return 40
    if version in (2, 3):
        return length if length and 40 <= length <= 128 else 40
    if version == 4:
        return 128
    return 256 if version in (5, 6) else length
