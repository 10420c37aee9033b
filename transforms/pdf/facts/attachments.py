"""Read embedded files (ISO 32000-2 §7.11.4): those of the document and its annotations, associated files (§14.13), and portfolios
(§12.3.5)."""

from __future__ import annotations

import mimetypes
import re
from collections.abc import Iterator
from hashlib import sha256
from typing import Final

import pikepdf
from msgspec import Struct

from pdfmill.schemas.codes import DocumentError
from pdfmill.schemas.records import Notice, Row
from pdfmill.transforms.pdf.facts.navigation import file_name
from pdfmill.transforms.pdf.facts.tags import structure_elements
from pdfmill.transforms.pdf.open.document import PdfDocument, annotations_of
from pdfmill.transforms.pdf.open.identify import find_signature, guess_format
from pdfmill.transforms.pdf.open.objects import (
    OBJECT_ERRORS,
    Key,
    Object,
    date_text,
    get,
    get_dict,
    integer,
    is_dict,
    items,
    key_of,
    keys,
    name,
    name_tree,
    stream_bytes,
    text,
    utc_time,
)

# The objects embedded in a document that can be exported: attachments, images, thumbnails, XFA streams.


class Asset(Struct):
    """An object in a document that can be exported as a file: an attachment, an image, a thumbnail or an XFA form. pdf_position: for an
    attached PDF its index among the attachments, from 0."""

    row: Row  # columns of `pdfmill.schemas.tables.ASSETS` that the document states; doc_id, asset, uri and child_doc_id are set later
    data: bytes | None = None  # the bytes to export; None if they were not requested or cannot be read
    pdf_position: int | None = None  # for an attached PDF its index among the attachments, from 0, as `attachment_bytes` takes it


_EMBEDDED_KEYS: Final = ("/UF", "/F", "/Unix", "/Mac", "/DOS")
_MIME_OF_FORMAT: Final = {
    "png": "image/png", "jpeg": "image/jpeg", "gif": "image/gif", "tiff": "image/tiff", "bmp": "image/bmp", "webp": "image/webp",
    "zip": "application/zip", "gzip": "application/gzip", "rtf": "application/rtf", "html": "text/html", "xml": "application/xml",
    "svg": "image/svg+xml", "json": "application/json", "text": "text/plain", "mp4": "video/mp4", "mp3": "audio/mpeg",
    "docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    "pptx": "application/vnd.openxmlformats-officedocument.presentationml.presentation",
    "ole": "application/x-ole-storage", "postscript": "application/postscript", "epub": "application/epub+zip",
}  # fmt: skip
_MIME: Final = re.compile(r"[\w.+-]+/[\w.+-]+")


def read_attachments(document: PdfDocument, *, with_data: bool = True) -> tuple[list[Asset], list[Notice]]:
    """Return the embedded files, in the same order on every run, and the reading errors. with_data: keep the bytes for export."""
    assets: list[Asset] = []
    warnings: list[Notice] = []
    total = 0
    for position, (specification, page, holder, key) in enumerate(_with_holders(document)):
        if total > document.limits.max_attached:
            document.limits.reach(f"the attachments have more than {document.limits.max_attached} bytes; the rest are not read")
            break
        try:
            asset = _asset(document, specification, page, position, with_data)
            asset.row["attached_to"] = holder
            asset.row["name"] = asset.row["name"] or key
            total += integer(asset.row["byte_size"]) or 0
            assets.append(asset)
            if document.attachments_locked:
                warnings.append(
                    Notice("attachment_unreadable", page, f"attachment {position + 1} is encrypted and needs a password of its own")
                )
        except OBJECT_ERRORS as error:
            warnings.append(Notice("attachment_unreadable", page, f"attachment {position + 1} cannot be read: {error}"[:300]))
    return assets, warnings


def attachment_bytes(document: PdfDocument, index: int) -> bytes:
    """Return the bytes of an attachment. index: its position in the order of `file_specifications`, from 0.

    Raises:
        DocumentError: there is none at this position, or it cannot be read.
    """
    try:
        specification = next((each for position, (each, _) in enumerate(file_specifications(document)) if position == index), None)
        stream = embedded_stream(specification)
        if stream is not None:
            return stream_bytes(stream, document.limits)
    except OBJECT_ERRORS as error:
        raise DocumentError("damaged", f"{document.name}: attachment {index + 1} cannot be read: {error}") from error
    raise DocumentError("damaged", f"{document.name}: there is no attachment {index + 1}")


def file_specifications(document: PdfDocument) -> Iterator[tuple[pikepdf.Dictionary, int | None]]:
    """Yield each file specification that contains a file, once, with the page, from 1, on which it is attached, or None."""
    for specification, page, _, _ in _with_holders(document):
        yield specification, page


def _with_holders(document: PdfDocument) -> Iterator[tuple[pikepdf.Dictionary, int | None, str, str | None]]:
    """Yield each embedded file once for each of its names, as (specification, page, holder, name).
    page: from 1; None for a file of no page. holder: document, annotation, rich_media or associated. name: key in the name tree, or
    None."""
    seen: set[Key] = set()
    listed: set[tuple[Key, str | None]] = set()
    given = 0
    for specification, page, holder, label in _all_specifications(document):
        stream = embedded_stream(specification)
        key = key_of(stream)
        name_ = file_name(specification) or label
        again = key is not None and (key in seen if holder != "document" else (key, name_) in listed)
        if stream is None or again:
            continue
        if key is not None:
            seen.add(key)
            listed.add((key, name_))
        given += 1
        if given > document.limits.max_assets:
            document.limits.reach(f"there are more than {document.limits.max_assets} attachments; the rest are left out")
            return
        yield specification, page, holder, label


def _all_specifications(document: PdfDocument) -> Iterator[tuple[Object, int | None, str, str | None]]:
    """Yield all file specifications as (specification, page, holder, name), those of the document first; see `_with_holders`."""
    root = document.pikepdf.Root
    for label, specification in name_tree(get(get_dict(root, "/Names"), "/EmbeddedFiles"), document.limits):
        yield specification, None, "document", label
    for specification in items(get(get_dict(root, "/FDF"), "/EmbeddedFDFs"), document.limits):
        yield specification, None, "document", None
    for page, annotation in annotations_of(document):
        yield get(annotation, "/FS"), page, "annotation", None
        for label, specification in name_tree(get(get_dict(annotation, "/RichMediaContent"), "/Assets"), document.limits):
            yield specification, page, "rich_media", label
        clip = get_dict(get_dict(get_dict(annotation, "/A"), "/R"), "/C")  # of a media rendition (§13.2.3)
        yield get(clip, "/D"), page, "rich_media", None
    holders: list[tuple[int | None, Object]] = [(None, root), *annotations_of(document), *enumerate(document.tree.pages, start=1)]
    holders += [(None, element) for element in structure_elements(document)]
    for place, holder in holders:
        for specification in items(get(holder, "/AF"), document.limits):
            yield specification, place, "associated", None


def embedded_stream(specification: Object) -> pikepdf.Stream | None:
    """Return the stream of the embedded file; None if the specification only names a file outside the document."""
    embedded = get_dict(specification, "/EF")
    streams = (get(embedded, key) for key in _EMBEDDED_KEYS)
    return next((stream for stream in streams if isinstance(stream, pikepdf.Stream)), None)


def _asset(document: PdfDocument, specification: pikepdf.Dictionary, page: int | None, position: int, with_data: bool) -> Asset:
    stream = embedded_stream(specification)
    data = None if document.attachments_locked else stream_bytes(stream, document.limits)
    parameters = get_dict(stream, "/Params")
    title = file_name(specification)
    row: Row = {
        "kind": "attachment",
        "name": title,
        "page": page,
        "mime_type": _mime_type(stream, title, data or b""),
        "byte_size": None if data is None else len(data),
        "sha256": None if data is None else sha256(data).hexdigest(),
        "description": text(get(specification, "/Desc")),
        "created": utc_time(date_text(get(parameters, "/CreationDate"))),
        "modified": utc_time(date_text(get(parameters, "/ModDate"))),
        "filter": _last_filter(stream),
        "stated_size": integer(get(parameters, "/Size")),
        "stated_md5": _checksum(get(parameters, "/CheckSum")),
        "relationship": name(get(specification, "/AFRelationship")),
        "collection_values": _collection_values(specification),
    }
    signature = find_signature(data or b"")
    is_pdf = signature is not None and signature.kind == "pdf"
    return Asset(row, data if with_data else None, position if is_pdf else None)


def _mime_type(stream: pikepdf.Stream | None, title: str | None, data: bytes) -> str | None:
    stated = name(get(stream, "/Subtype"))
    if stated and _MIME.fullmatch(stated):
        return stated
    if (signature := find_signature(data[:4096])) is not None and signature.kind == "pdf":
        return "application/pdf"
    return mimetypes.guess_type(title or "")[0] or _MIME_OF_FORMAT.get(guess_format(data))


def _last_filter(stream: Object) -> str | None:
    filters = items(get(stream, "/Filter"))
    return name(filters[-1]) if filters else None


def _checksum(value: Object) -> str | None:
    return bytes(value).hex() if isinstance(value, pikepdf.String) and len(bytes(value)) == 16 else None


def _collection_values(specification: Object) -> list[Row] | None:
    """Return rows (name, value) of a file's fields in a portfolio (§7.11.6), with their prefixes; None if it has none."""
    values = get_dict(specification, "/CI")
    if values is None:
        return None
    return [
        {"name": key[1:], "value": written}
        for key in keys(values)
        if key != "/Type" and (written := _collection_value(get(values, key))) is not None
    ]


def _collection_value(value: Object) -> str | None:
    if is_dict(value):
        return (text(get(value, "/P")) or "") + (_collection_value(get(value, "/D")) or "")
    if isinstance(value, pikepdf.String):
        written = text(value) or ""
        return date_text(value) if written.startswith("D:") else written
    return str(value) if value is not None and not isinstance(value, pikepdf.Object) else None


# Read portfolios and packages (ISO 32000-2 §12.3.5): a cover sheet whose embedded files are the real content.


def read_portfolio(document: PdfDocument) -> Row:
    """Return the columns `is_portfolio` and `collection_fields` (the displayed names of the portfolio's fields, in its order)."""
    collection = get(document.pikepdf.Root, "/Collection")
    schema = get_dict(collection, "/Schema")
    if schema is None:
        return {"is_portfolio": collection is not None, "collection_fields": None}
    fields = [
        (integer(get(entry, "/O")) or 0, text(get(entry, "/N")) or key[1:])
        for key in keys(schema)
        if (entry := get_dict(schema, key)) is not None
    ]
    return {"is_portfolio": True, "collection_fields": [shown for _, shown in sorted(fields)]}
