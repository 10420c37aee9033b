"""Read files that contain only form data: FDF (ISO 32000-2 §12.7.8) and XFDF (ISO 19444-1)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import pikepdf
from lxml import etree

from pdfmill.schemas.records import Row
from pdfmill.transforms.pdf.facts.forms import values
from pdfmill.transforms.pdf.facts.javascript import scripts_of_fdf
from pdfmill.transforms.pdf.facts.metadata import parse_xml
from pdfmill.transforms.pdf.facts.navigation import file_name
from pdfmill.transforms.pdf.facts.revisions import later_version
from pdfmill.transforms.pdf.open.document import PdfDocument
from pdfmill.transforms.pdf.open.objects import (
    Key,
    Object,
    clean,
    date_text,
    first_time,
    get,
    get_dict,
    integer,
    is_dict,
    iso_date,
    items,
    name,
    rectangle,
    text,
)

#: Python codecs for string encodings of FDF, by their names in the standard in lower case.
_CODECS: Final = {
    "shift-jis": "cp932",
    "bigfive": "big5",
    "gbk": "gbk",
    "uhc": "cp949",
    "utf-8": "utf-8",
    "utf_8": "utf-8",
    "utf-16": "utf-16-be",
    "utf_16": "utf-16-be",
}
_XHTML: Final = "{http://www.w3.org/1999/xhtml}"


def read_fdf(document: PdfDocument) -> Row:
    """Return the columns `form_fields`, `fdf_annotations`, `annotation_types` and `fdf_target`; for an FDF file also `pdf_version`,
    `catalog_version` and `javascript`.

    Raises:
        ValueError: the file contains no form data.
    """
    row = _read_xfdf(document) if document.kind == "xfdf" else _read_fdf(document)
    types: dict[str, int] = {}
    for annotation in row["fdf_annotations"] if isinstance(row["fdf_annotations"], list) else []:
        types[annotation["type"]] = types.get(annotation["type"], 0) + 1
    row["annotation_types"] = [{"type": kind, "count": types[kind]} for kind in sorted(types)] or None
    return row


def _read_fdf(document: PdfDocument) -> Row:
    root = document.pikepdf.Root
    form = get_dict(root, "/FDF")
    if form is None:
        raise ValueError("the catalog of the file has no FDF dictionary")
    header = document.signature.version if document.signature else None
    catalog = text(get(root, "/Version"))
    return {
        "pdf_version": later_version(header, catalog),
        "catalog_version": catalog,
        "form_fields": list(_fdf_fields(document, form)) or None,
        "fdf_annotations": [_fdf_annotation(entry) for entry in items(get(form, "/Annots"), document.limits) if is_dict(entry)] or None,
        "fdf_target": file_name(get(form, "/F")),
        "javascript": scripts_of_fdf(document, form) or None,
    }


def _fdf_fields(document: PdfDocument, form: Object) -> Iterator[Row]:
    seen: set[Key] = set()
    waiting: list[tuple[Object, str, int]] = [(entry, "", 0) for entry in reversed(items(get(form, "/Fields"), document.limits))]
    given = 0
    while waiting and not document.limits.too_many(given):
        node, path, depth = waiting.pop()
        if not is_dict(node) or document.limits.too_deep(depth) or not first_time(node, seen):
            continue
        partial = text(get(node, "/T"))
        full = f"{path}.{partial}" if path and partial else partial or path
        kids = items(get(node, "/Kids"), document.limits)
        waiting.extend((kid, full, depth + 1) for kid in reversed(kids))
        if get(node, "/V") is not None or not kids:
            given += 1
            yield _field(full, _values(get(node, "/V"), get(form, "/Encoding")), integer(get(node, "/Ff")))


def _values(value: Object, encoding: Object) -> list[str] | None:
    """Return the values of a field as strings; None if it has none. encoding: that of strings without byte order mark (Table 246)."""
    codec = _CODECS.get((name(encoding) or "").lower())
    if codec is None:
        return values(value)
    found = [_decoded(entry, codec) for entry in items(value)]
    return [written for each in found if each is not None for written in each] or None


def _decoded(value: Object, codec: str) -> list[str] | None:
    if isinstance(value, pikepdf.String) and not (raw := bytes(value)).startswith((b"\xfe\xff", b"\xff\xfe", b"\xef\xbb\xbf")):
        return [clean(raw.decode(codec, "replace"))]
    return values(value)


def _field(full: str, written: list[str] | None, flags: int | None) -> Row:
    return {"name": full, "type": None, "alternate_name": None, "mapping_name": None, "value": written, "options": None, "flags": flags}


def _fdf_annotation(annotation: pikepdf.Dictionary) -> Row:
    page = integer(get(annotation, "/Page"), 31)
    box = rectangle(get(annotation, "/Rect"))
    return {
        "type": name(get(annotation, "/Subtype")) or "unknown",
        "page": None if page is None else page + 1,
        "contents": text(get(annotation, "/Contents")),
        "rich_text": text(get(annotation, "/RC")),
        "author": text(get(annotation, "/T")),
        "created": date_text(get(annotation, "/CreationDate")),
        "modified": date_text(get(annotation, "/M")),
        "rect": None if box is None else list(box),
    }


def _read_xfdf(document: PdfDocument) -> Row:
    root = parse_xml(document.data)
    if root is None or _local(root) != "xfdf":
        raise ValueError("the XML file has no root element xfdf")
    target = next((element.get("href") for element in root if _local(element) == "f"), None)
    fields = [entry for element in root if _local(element) == "fields" for entry in _xfdf_fields(element, document)]
    found = [_xfdf_annotation(entry) for element in root if _local(element) == "annots" for entry in _with_popups(element)]
    return {"form_fields": fields or None, "fdf_annotations": found[: document.limits.max_nodes] or None, "fdf_target": target}


def _local(element: etree._Element) -> str:
    return element.tag.rpartition("}")[2] if isinstance(element.tag, str) else ""


def _xfdf_fields(element: etree._Element, document: PdfDocument) -> Iterator[Row]:
    waiting = [(child, "", 0) for child in reversed(element) if _local(child) == "field"]
    given = 0
    while waiting and not document.limits.too_many(given):
        field, path, depth = waiting.pop()
        if document.limits.too_deep(depth):
            continue
        partial = field.get("name") or ""
        full = f"{path}.{partial}" if path else partial
        nested = [child for child in field if _local(child) == "field"]
        waiting.extend((child, full, depth + 1) for child in reversed(nested))
        written = ["".join(child.itertext()) for child in field if _local(child) in ("value", "value-richtext")]
        if written or not nested:
            given += 1
            yield _field(clean(full), [clean(each) for each in written] or None, None)


def _with_popups(element: etree._Element) -> Iterator[etree._Element]:
    for child in element:
        if _local(child):
            yield child
            yield from (each for each in child if _local(each) == "popup")


def _xfdf_annotation(element: etree._Element) -> Row:
    page = element.get("page", "")
    plain = next(("".join(child.itertext()) for child in element if _local(child) == "contents"), None)
    rich = next((child for child in element if _local(child) == "contents-richtext"), None)
    return {
        "type": _local(element),
        "page": int(page) + 1 if page.isdigit() and len(page) < 9 else None,
        "contents": clean(plain.strip()) if plain else _rich_as_text(rich),
        "rich_text": None if rich is None else clean("".join(etree.tostring(child, encoding="unicode", with_tail=False) for child in rich)),
        "author": element.get("title"),
        "created": iso_date(element.get("creationdate", "")) or None,
        "modified": iso_date(element.get("date", "")) or None,
        "rect": _rect(element.get("rect")),
    }


def _rich_as_text(rich: etree._Element | None) -> str | None:
    """Return the text of an XHTML element without markup, one line per paragraph; None if there is no text."""
    if rich is None:
        return None
    paragraphs = list(rich.iter(f"{_XHTML}p")) or [rich]
    return clean("\n".join("".join(each.itertext()).strip() for each in paragraphs)).strip() or None


def _rect(written: str | None) -> list[float] | None:
    try:
        sides = [float(side) for side in (written or "").split(",")]
    except ValueError:
        return None
    return sides if len(sides) == 4 else None
