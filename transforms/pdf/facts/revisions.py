"""Read the PDF version of a document (ISO 32000-2 §7.2.2, §7.5.2, §7.12, Annex F), and its incremental updates (§7.5.6)."""

from __future__ import annotations

import re
from typing import Final

import pikepdf
from msgspec import Struct

from pdfmill.schemas.records import Row
from pdfmill.transforms.pdf.open.document import PdfDocument
from pdfmill.transforms.pdf.open.identify import Signature
from pdfmill.transforms.pdf.open.objects import Object, get, get_dict, integer, is_dict, items, keys, text

_VERSION: Final = re.compile(r"\d{1,2}\.\d{1,2}")


def signature_row(signature: Signature | None) -> Row:
    """Return the columns that are read from the header: format, version and position. signature: the header; None if there is none."""
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
    """Return the later of the two versions: in the file's header and in its catalog.

    >>> later_version("1.7", "1.6"), later_version("1.7", "2.0"), later_version(None, "1.4")
    ('1.7', '2.0', '1.4')
    """
    known = [written for written in (header, catalog) if written and _VERSION.fullmatch(written)]
    return max(known, key=lambda written: tuple(map(int, written.split("."))), default=header)


def _extension_level(extensions: Object) -> int | None:
    """Return the highest extension level that any developer states; None if there is none."""
    if not is_dict(extensions):
        return None
    entries = [entry for key in keys(extensions) for entry in items(get(extensions, key)) if isinstance(entry, pikepdf.Dictionary)]
    return max((level for entry in entries if (level := integer(get(entry, "/ExtensionLevel"), 32)) is not None), default=None)


_START: Final = re.compile(rb"startxref\s*(\d{1,15})")
_PREVIOUS: Final = re.compile(rb"/Prev\s+(\d{1,15})(?!\s+\d+\s+R)")
_TABLE: Final = re.compile(rb"\s*xref\b")
_STREAM: Final = re.compile(rb"\s*\d+\s+\d+\s+obj\b")
_SUBSECTION: Final = re.compile(rb"(?:^|[\r\n])[ \t]*(\d{1,10})[ \t]+(\d{1,10})[ \t]*(?=[\r\n])")
_INDEX: Final = re.compile(rb"/Index\s*\[([\d\s]*)\]")
_SIZE: Final = re.compile(rb"/Size\s+(\d{1,10})")
_END: Final = re.compile(rb"%%EOF[ \t]*(?:\r\n|\r|\n)?")
#: Cross-reference sections that are followed; editors make fewer.
_MAX_SECTIONS: Final = 10_000
#: Bytes after a cross-reference table that are searched for its trailer dictionary.
_TRAILER_WINDOW: Final = 1 << 16


class Section(Struct, frozen=True):
    """A cross-reference section, of which each saved revision adds one. offset, previous: positions of this section and of the one before
    it. objects: (first number, count) of each range of objects."""

    offset: int  # position of its first byte
    previous: int | None  # offset of the section before it, if any
    objects: tuple[tuple[int, int], ...]  # (first number, count) of its subsections


def read_revisions(document: PdfDocument) -> Row:
    """Return the columns `revisions`, `revision_ends` and `has_obsolete_content`; all None if the chain of sections is broken."""
    base = document.signature.offset if document.signature else 0
    sections = _without_linearized_half(chain(document.data, base))
    if not sections:
        return {"revisions": None, "revision_ends": None, "has_obsolete_content": None}
    ends = sorted({end for section in sections if (end := _end_after(document.data, section.offset)) is not None})
    return {"revisions": len(sections), "revision_ends": ends or None, "has_obsolete_content": _replaces_objects(sections)}


def chain(data: bytes, base: int) -> list[Section]:
    """Return the cross-reference sections, latest first. Each states the offset of the one before it, from the header or the file's
    beginning.
    base: offset of the header in the file."""
    starts = list(_START.finditer(data, max(0, len(data) - (1 << 20)))) or list(_START.finditer(data))
    sections: list[Section] = []
    seen: set[int] = set()
    offset: int | None = int(starts[-1][1]) if starts else None
    while offset is not None and offset not in seen and len(sections) < _MAX_SECTIONS:
        seen.add(offset)
        section = _section(data, offset + base) or (_section(data, offset) if base else None)
        if section is None:
            break
        sections.append(section)
        offset = section.previous
    return sections


def _section(data: bytes, offset: int) -> Section | None:
    if _TABLE.match(data, offset):
        return _table_section(data, offset)
    if _STREAM.match(data, offset):
        end = data.find(b"stream", offset)
        return _dictionary_section(offset, data[offset : end if 0 <= end < offset + _TRAILER_WINDOW else offset + _TRAILER_WINDOW])
    return None


def _table_section(data: bytes, offset: int) -> Section | None:
    start = data.find(b"trailer", offset)
    if start < 0:
        return None
    end = data.find(b"startxref", start)
    trailer = data[start : end if 0 <= end < start + _TRAILER_WINDOW else start + _TRAILER_WINDOW]
    previous = _PREVIOUS.search(trailer)
    ranges = tuple((int(match[1]), int(match[2])) for match in _SUBSECTION.finditer(data, offset + 4, start))
    return Section(offset, int(previous[1]) if previous else None, ranges)


def _dictionary_section(offset: int, dictionary: bytes) -> Section | None:
    if b"/XRef" not in dictionary:
        return None
    previous, index, size = _PREVIOUS.search(dictionary), _INDEX.search(dictionary), _SIZE.search(dictionary)
    if index is not None:
        bounds = [int(written) for written in index[1].split()]
        ranges = tuple(zip(bounds[::2], bounds[1::2], strict=False))
    else:
        ranges = ((0, int(size[1])),) if size is not None else ()
    return Section(offset, int(previous[1]) if previous else None, ranges)


def _without_linearized_half(sections: list[Section]) -> list[Section]:
    """Drop one of the two sections of the first revision of a linearized file, which is only for the first page (Annex F.3.4)."""
    if len(sections) > 1 and sections[-2].offset < sections[-1].offset:
        return [*sections[:-2], sections[-1]]
    return sections


def _end_after(data: bytes, offset: int) -> int | None:
    match = _END.search(data, offset)
    return match.end() if match else None


def _replaces_objects(sections: list[Section]) -> bool:
    """Return whether a later section redefines an object of an earlier one. Object 0, the head of the free list, is ignored."""
    earlier: list[tuple[int, int]] = []
    for section in reversed(sections):
        ranges = [(max(first, 1), first + count) for first, count in section.objects if first + count > 1]
        if any(first < other_end and other < end for first, end in ranges for other, other_end in earlier):
            return True
        earlier += ranges
    return False
