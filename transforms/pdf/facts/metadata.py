"""Read the document information dictionary (ISO 32000-2 §14.3.3) and the catalog's XMP packet (§14.3.2; ISO 16684-1 §7 for its RDF)."""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator
from hashlib import sha256
from typing import Final

from lxml import etree

from pdfmill.schemas.records import Row
from pdfmill.transforms.pdf.open.document import PdfDocument
from pdfmill.transforms.pdf.open.objects import (
    Object,
    clean,
    date_text,
    get,
    get_dict,
    keys,
    name,
    number,
    shorten_text,
    stream_bytes,
    text,
    utc_time,
)

_TEXTS: Final = {
    "title": "/Title",
    "author": "/Author",
    "subject": "/Subject",
    "keywords": "/Keywords",
    "creator": "/Creator",
    "producer": "/Producer",
}
_DATES: Final = {"created": "/CreationDate", "modified": "/ModDate"}
_STANDARD: Final = frozenset({*_TEXTS.values(), *_DATES.values(), "/Trapped"})


def read_info(document: PdfDocument) -> Row:
    """Return the columns `info`, `info_custom`, `author`, `created` and `modified`; all None if there is no information dictionary."""
    info = get_dict(document.pikepdf.trailer, "/Info")
    if info is None:
        return {"info": None, "info_custom": None, "author": None, **dict.fromkeys(_DATES)}
    row: dict[str, str | None] = {column: text(get(info, key)) for column, key in _TEXTS.items()}
    row |= {column: date_text(get(info, key)) for column, key in _DATES.items()}
    row["trapped"] = _scalar(get(info, "/Trapped"))
    custom = [
        {"key": key[1:], "value": value} for key in keys(info) if key not in _STANDARD and (value := _scalar(get(info, key))) is not None
    ]
    dates = {column: utc_time(row[column]) for column in _DATES}
    return {"info": row, "info_custom": custom, "author": (row["author"] or "").strip() or None, **dates}


def _scalar(value: Object) -> str | None:
    if isinstance(value, bool):
        return str(value)
    if (word := name(value)) is not None:
        return word
    if (amount := number(value)) is not None:
        return f"{amount:g}"
    return text(value)


#: Preferred prefixes by namespace (ISO 16684-1 §8, ISO 19005, ISO 14289); old writers use `xap` for `xmp`.
_PREFIXES: Final = {
    "http://purl.org/dc/elements/1.1/": "dc",
    "http://ns.adobe.com/xap/1.0/": "xmp",
    "http://ns.adobe.com/xap/1.0/mm/": "xmpMM",
    "http://ns.adobe.com/xap/1.0/rights/": "xmpRights",
    "http://ns.adobe.com/pdf/1.3/": "pdf",
    "http://ns.adobe.com/pdfx/1.3/": "pdfx",
    "http://ns.adobe.com/photoshop/1.0/": "photoshop",
    "http://www.aiim.org/pdfa/ns/id/": "pdfaid",
    "http://www.aiim.org/pdfua/ns/id/": "pdfuaid",
    "http://www.npes.org/pdfx/ns/id/": "pdfxid",
}

XML_HEADER: Final = '<?xml version="1.0" encoding="UTF-8"?>\n'

_RDF: Final = "{http://www.w3.org/1999/02/22-rdf-syntax-ns#}"
_XML: Final = "{http://www.w3.org/XML/1998/namespace}"
_DECLARATION: Final = re.compile(r"^\s*<\?xml[^>]*\?>\s*")
_ENCODING: Final = re.compile(rb"\s*<\?xml[^>]*?\sencoding\s*=\s*[\"']([A-Za-z][\w.-]*)")
_BOMS: Final = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
)


def read_xmp(document: PdfDocument) -> Row:
    """Return the columns `xmp`, `xmp_size`, `xmp_sha256` and `xmp_properties`; all None if there is no packet."""
    packet = stream_bytes(get(document.pikepdf.Root, "/Metadata"), document.limits)
    if not packet.strip():
        return {"xmp": None, "xmp_size": None, "xmp_sha256": None, "xmp_properties": None}
    return {
        "xmp": with_header(shorten_text(decode_packet(packet), document.limits)),
        "xmp_size": len(packet),
        "xmp_sha256": sha256(packet).hexdigest(),
        "xmp_properties": [{"name": key, "values": values} for key, values in properties(packet)],
    }


def decode_packet(packet: bytes) -> str:
    """Decode an XMP packet. UTF-16 and UTF-32 are recognised by byte order marks or NUL bytes, other encodings by the XML declaration."""
    for mark, encoding in _BOMS:
        if packet.startswith(mark):
            return packet[len(mark) :].decode(encoding, "replace")
    if packet[:2] == b"\x00<":
        return packet.decode("utf-16-be", "replace")
    if packet[:2] == b"<\x00":
        return packet.decode("utf-16-le", "replace")
    stated = _ENCODING.match(packet)
    try:
        return packet.decode(stated[1].decode() if stated else "utf-8", "replace")
    except LookupError:
        return packet.decode("utf-8", "replace")


def with_header(characters: str) -> str:
    """Return a decoded XMP packet as the text of a stand-alone XML file, which states UTF-8."""
    return XML_HEADER + _DECLARATION.sub("", characters.replace("\x00", ""), count=1)


def parse_xml(data: bytes) -> etree._Element | None:
    """Return the root element of an XML file, recovered as far as possible; None if nothing can be read. Entities are not resolved."""
    parser = etree.XMLParser(recover=True, resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False)
    try:
        return etree.fromstring(data.strip(b"\x00 \r\n\t"), parser)
    except (etree.XMLSyntaxError, ValueError):
        return None


def properties(packet: bytes) -> Iterator[tuple[str, list[str]]]:
    """Yield the prefixed name and the values of each top-level property of an XMP packet; of several languages the default one."""
    root = parse_xml(packet)
    if root is None:
        return
    for description in root.iter(f"{_RDF}Description"):
        if _is_nested(description):
            continue
        for key, value in description.attrib.items():
            if not key.startswith((_RDF, _XML)) and key.startswith("{"):
                yield _prefixed(key, description), [clean(value)]
        for child in description.iterchildren(tag=etree.Element):
            if values := _values(child):
                yield _prefixed(child.tag, child), values


def _is_nested(description: etree._Element) -> bool:
    parent = description.getparent()
    return parent is not None and parent.tag != f"{_RDF}RDF"


def _values(element: etree._Element) -> list[str]:
    container = next((child for child in element if child.tag in (f"{_RDF}Alt", f"{_RDF}Seq", f"{_RDF}Bag")), None)
    if container is None:
        written = (element.text or "").strip() or element.get(f"{_RDF}resource", "")
        return [clean(written)] if written and not len(element) else []
    entries = [(entry, clean((entry.text or "").strip())) for entry in container if entry.tag == f"{_RDF}li"]
    if container.tag == f"{_RDF}Alt":
        default = [written for entry, written in entries if entry.get(f"{_XML}lang") == "x-default"]
        return default[:1] or [written for _, written in entries][:1]
    return [written for _, written in entries if written]


def _prefixed(tag: str, element: etree._Element) -> str:
    """Return a name with a prefix: `dc:title` for `{http://purl.org/dc/elements/1.1/}title`."""
    space, _, local = tag[1:].partition("}")
    if space in _PREFIXES:
        return f"{_PREFIXES[space]}:{local}"
    prefix = next((prefix for prefix, uri in element.nsmap.items() if uri == space and prefix), None)
    return f"{prefix}:{local}" if prefix else local
