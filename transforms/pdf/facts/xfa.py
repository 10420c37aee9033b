"""Read XFA forms (ISO 32000-2 §12.7.8, Annex K.2; XFA 3.3), whose packets are joined to one XML file."""

from __future__ import annotations

import re
from hashlib import sha256
from typing import Final

import pikepdf

from pdfmill.schemas.records import Row
from pdfmill.transforms.pdf.facts.attachments import Asset
from pdfmill.transforms.pdf.open.document import PdfDocument, once_per_document
from pdfmill.transforms.pdf.open.objects import get, get_dict, items, stream_bytes, text

#: Setting in the configuration packet that requires viewers to lay out the form (XFA 3.3, dynamicRender).
_DYNAMIC: Final = re.compile(rb"<dynamicRender\s*>\s*required")


def read_xfa(document: PdfDocument) -> Row:
    """Return the columns `xfa_packets` (empty if the form is one stream) and `xfa_dynamic`; both None if there is no XFA form."""
    found = xfa_packets(document)
    if not found:
        return {"xfa_packets": None, "xfa_dynamic": None}
    packets: list[Row] = [{"name": label, "byte_size": len(data)} for label, data in found if label is not None]
    rendered = get(document.pikepdf.Root, "/NeedsRendering") is True or any(_DYNAMIC.search(data) for _, data in found)
    return {"xfa_packets": packets, "xfa_dynamic": rendered}


@once_per_document
def xfa_packets(document: PdfDocument) -> list[tuple[str | None, bytes]]:
    """Return (packet name, bytes) in order; a form in one stream is one packet with the name None. Empty if there is no XFA form."""
    resource = get(get_dict(document.pikepdf.Root, "/AcroForm"), "/XFA")
    if isinstance(resource, pikepdf.Stream):
        return [(None, stream_bytes(resource, document.limits))]
    if not isinstance(resource, pikepdf.Array):
        return []
    entries = items(resource, document.limits)
    pairs = zip(entries[::2], entries[1::2], strict=False)
    return [(text(label) or "", stream_bytes(stream, document.limits)) for label, stream in pairs]


def xfa_asset(document: PdfDocument) -> Asset | None:
    """Return the joined XFA packets as an embedded file; None if there is no XFA form."""
    found = xfa_packets(document)
    if not found:
        return None
    data = b"".join(packet for _, packet in found)
    row: Row = {
        "kind": "xfa",
        "name": "xfa.xml",
        "mime_type": "application/vnd.adobe.xdp+xml",
        "byte_size": len(data),
        "sha256": sha256(data).hexdigest(),
    }
    return Asset(row, data)
