"""Read the PDF version that a document states (ISO 32000-2 §7.2.2, §7.5.2, §7.12, Annex F)."""

from __future__ import annotations

import re
from typing import Final

import pikepdf

from pdfmill.schemas.records import Row
from pdfmill.transforms.pdf.open.document import PdfDocument
from pdfmill.transforms.pdf.open.identify import Signature
from pdfmill.transforms.pdf.open.objects import Object, get, get_dict, integer, is_dict, items, keys, text

_VERSION: Final = re.compile(r"\d{1,2}\.\d{1,2}")


def signature_row(signature: Signature | None) -> Row:
    """Return the columns that are read from the header: format, version and position."""
    version = signature.version if signature else None
    return {
        "format": signature.kind if signature else "pdf",
        "header_version": version,
        "header_offset": signature.offset if signature else None,
        "pdf_version": version,
    }


def read_version(document: PdfDocument) -> Row:
    """Return the columns `pdf_version`, `catalog_version`, `extension_level`, `linearized`, `object_streams` and `declared_language`."""
    pdf = document.pikepdf
    header = document.signature.version if document.signature else None
    catalog = text(get(pdf.Root, "/Version"))
    return {
        "pdf_version": later_version(header, catalog),
        "catalog_version": catalog,
        "extension_level": _extension_level(get_dict(pdf.Root, "/Extensions")),
        "linearized": bool(pdf.is_linearized) if document.kind == "pdf" else False,
        "object_streams": b"/ObjStm" in document.data,
        "declared_language": text(get(pdf.Root, "/Lang")) or None,
    }


def later_version(header: str | None, catalog: str | None) -> str | None:
    """Return the version in the catalog if it is later than that in the header; else the header's.

    >>> later_version("1.7", "1.6"), later_version("1.7", "2.0"), later_version(None, "1.4")
    ('1.7', '2.0', '1.4')
    """
    known = [written for written in (header, catalog) if written and _VERSION.fullmatch(written)]
    return max(known, key=lambda written: tuple(map(int, written.split("."))), default=header)


def _extension_level(extensions: Object) -> int | None:
    """Return the highest extension level stated by any developer; a developer's entry may be an array in PDF 2.0."""
    if not is_dict(extensions):
        return None
    entries = [entry for key in keys(extensions) for entry in items(get(extensions, key)) if isinstance(entry, pikepdf.Dictionary)]
    return max((level for entry in entries if (level := integer(get(entry, "/ExtensionLevel"), 32)) is not None), default=None)
