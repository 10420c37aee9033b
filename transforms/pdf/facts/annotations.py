"""Read annotations (ISO 32000-2 §12.5): their text, links and files, and text that is only in their appearance streams."""

from __future__ import annotations

import io
import re
from collections import Counter
from collections.abc import Sequence
from typing import Final

import pikepdf
import pypdfium2

from pdfmill.schemas.records import Notice, Row
from pdfmill.transforms.pdf.facts.attachments import embedded_stream
from pdfmill.transforms.pdf.facts.forms import answer, written_value
from pdfmill.transforms.pdf.facts.navigation import file_name, target_of
from pdfmill.transforms.pdf.open.document import PdfDocument, annotations_of, once_per_document, shorten
from pdfmill.transforms.pdf.open.objects import (
    OBJECT_ERRORS,
    Key,
    clean,
    date_text,
    get,
    get_dict,
    integer,
    items,
    key_of,
    name,
    rectangle,
    stream_bytes,
    text,
)
from pdfmill.transforms.pdf.open.page_tree import Box, PageFrame, box_row, page_frame
from pdfmill.transforms.pdf.open.pdfium_api import open_engine

# Read the text that appearance streams draw (ISO 32000-2 §12.5.5).
#
# PDFium reads only the text of pages, so the streams become the pages of a temporary document in memory.


#: Media box for appearance streams without a bounding box; it is larger than any real one.
_BOX: Final = (0, 0, 1000, 1000)


def appearance_texts(document: PdfDocument, streams: Sequence[pikepdf.Stream]) -> list[str]:
    """Return the text that each appearance stream draws, as lines; "" for a stream without text.

    Raises:
        One of the errors in `objects.OBJECT_ERRORS`: the streams cannot be copied.
    """
    if not streams:
        return []
    try:
        engine = open_engine(_as_pages(document, streams))
    except pypdfium2.PdfiumError as error:
        raise ValueError(f"PDFium cannot open the appearance streams: {error}") from error
    try:
        return [_page_text(engine, position) for position in range(len(streams))]
    finally:
        engine.close()


def _as_pages(document: PdfDocument, streams: Sequence[pikepdf.Stream]) -> bytes:
    fallback = get_dict(get_dict(document.pikepdf.Root, "/AcroForm"), "/DR")
    with pikepdf.Pdf.new() as target:
        for stream in streams:
            resources = get_dict(stream, "/Resources") or fallback
            page = pikepdf.Dictionary(Type=pikepdf.Name.Page, MediaBox=_box(stream), Contents=target.copy_foreign(stream))
            if resources is not None:
                page["/Resources"] = target.copy_foreign(_with_number(document, resources))
            target.pages.append(pikepdf.Page(target.make_indirect(page)))
        sink = io.BytesIO()
        target.save(sink, static_id=True)
        return sink.getvalue()


def _with_number(document: PdfDocument, entry: pikepdf.Object) -> pikepdf.Object:
    """Return the object as an indirect one, because only those can be copied to another document. An indirect object is returned unchanged:
    the key of an encrypted stream depends on its object number (§7.6.3.1)."""
    return entry if entry.is_indirect else document.pikepdf.make_indirect(entry)


def _box(stream: pikepdf.Stream) -> pikepdf.Array:
    box = get(stream, "/BBox")
    return pikepdf.Array([float(side) for side in box]) if isinstance(box, pikepdf.Array) and len(box) == 4 else pikepdf.Array(_BOX)


def _page_text(engine: pypdfium2.PdfDocument, position: int) -> str:
    try:
        page = engine[position]
        text_page = page.get_textpage()
    except pypdfium2.PdfiumError as error:
        raise ValueError(f"PDFium cannot read an appearance stream: {error}") from error
    written = clean(text_page.get_text_range(errors="replace"))
    text_page.close()
    page.close()
    return "\n".join(line for each in written.splitlines() if (line := " ".join(each.split())))


#: Annotations read of one page; forms have up to some thousands.
MAX_PER_PAGE: Final = 20_000

#: Operators that can show text, in an appearance stream or in a form that it draws (§9.4.3, §8.8).
_SHOWS_TEXT: Final = re.compile(rb"T[jJ]|['\"]|Do\b")

#: Annotation flags hidden and no view: the annotation is not on the screen (§12.5.3).
_UNSEEN: Final = 1 << 1 | 1 << 5
#: Annotation types whose appearance contains no text of its own, such as the border of a link; the others are searched.
_NO_APPEARANCE_TEXT: Final = frozenset({"Link", "Popup", "Highlight", "Underline", "StrikeOut", "Squiggly"})


def read_annotation_types(document: PdfDocument) -> Row:
    """Return the column `annotation_types`: the number of annotations of each type in the document; None if there are none."""
    counts = Counter(name(get(annotation, "/Subtype")) or "unknown" for _, annotation in annotations_of(document))
    return {"annotation_types": [{"type": kind, "count": counts[kind]} for kind in sorted(counts)] or None}


def read_annotations(document: PdfDocument, number: int, warnings: list[Notice] | None = None) -> list[Row]:
    """Return the rows of `pages.annotations` for page `number`, from 1, in the order of the page. Boxes are points on the displayed page.
    warnings: list to which reading errors are added."""
    warnings = [] if warnings is None else warnings
    try:
        found = _page_annotations(document, number)
        if not found:
            return []
        return _rows(document, found, page_frame(document.tree, number), number, warnings)
    except OBJECT_ERRORS as error:
        warnings.append(Notice("annotations_unreadable", number, f"annotations cannot be read: {shorten(error)}"))
        return []


def read_answers(document: PdfDocument, number: int) -> list[tuple[str, Box]]:
    """Return the values that the form fields of page `number`, from 1, show, each with the box of its field in points on the displayed
    page.
    Errors are not reported here, because `read_annotations` reports those of the same page."""
    try:
        if get_dict(document.pikepdf.Root, "/AcroForm") is None:
            return []
        found = {
            position: each
            for position, each in enumerate(_page_annotations(document, number))
            if name(get(each, "/Subtype")) == "Widget" and not _unseen(each)
        }
        if not found:
            return []
        shown, frame = _appearances(document, number)[0], page_frame(document.tree, number)
        answers = [(answer(document, each, shown.get(position, "")), rectangle(get(each, "/Rect"))) for position, each in found.items()]
        return [(text, frame.show(box)) for text, box in answers if text and box is not None]
    except OBJECT_ERRORS:
        return []


def _unseen(annotation: pikepdf.Dictionary) -> bool:
    return bool((integer(get(annotation, "/F")) or 0) & _UNSEEN)


def _page_annotations(document: PdfDocument, number: int) -> list[pikepdf.Dictionary]:
    if number > len(document.tree.pages):
        return []
    annotations = get(document.tree.pages[number - 1], "/Annots")
    return [entry for entry in items(annotations)[:MAX_PER_PAGE] if isinstance(entry, pikepdf.Dictionary)]


def _rows(document: PdfDocument, found: list[pikepdf.Dictionary], frame: PageFrame, number: int, warnings: list[Notice]) -> list[Row]:
    shown, problems = _appearances(document, number)
    warnings += problems
    found_rows: list[tuple[Row, Key | None, Key | None, bool]] = []  # row, own key, parent's key, has content
    for position, annotation in enumerate(found):
        try:
            row = _row(document, annotation, frame) | {"appearance_text": shown.get(position)}
            parent = key_of(get(annotation, "/Parent") if row["type"] == "Popup" else get(annotation, "/IRT"))
            found_rows.append((row, key_of(annotation), parent, _holds_something(row, annotation)))
        except OBJECT_ERRORS as error:
            warnings.append(Notice("annotation_unreadable", number, f"annotation {position + 1} cannot be read: {shorten(error)}"))
    kept = {key for _, key, _, holds in found_rows if holds and key is not None}
    found_rows = [each for each in found_rows if each[3] or (each[0]["type"] == "Popup" and each[2] in kept)]
    place_of = {key: place for place, (_, key, _, _) in enumerate(found_rows) if key is not None}
    return [row | {"parent": place_of.get(parent) if parent is not None else None} for row, _, parent, _ in found_rows]


def _row(document: PdfDocument, annotation: pikepdf.Dictionary, frame: PageFrame) -> Row:
    kind = name(get(annotation, "/Subtype"))
    page, uri = target_of(document, annotation)
    box = rectangle(get(annotation, "/Rect"))
    return {
        "type": kind,
        "contents": text(get(annotation, "/Contents"), document.limits) or _file(annotation),
        "rich_text": _rich_text(annotation),
        "author": None if kind == "Widget" else text(get(annotation, "/T")),
        "created": date_text(get(annotation, "/CreationDate")),
        "modified": date_text(get(annotation, "/M")),
        "uri": uri,
        "target_page": page,
        **box_row(frame.show(box) if box is not None else None),
    }


def _file(annotation: pikepdf.Dictionary) -> str | None:
    return file_name(get(annotation, "/FS"))


def _rich_text(annotation: pikepdf.Dictionary) -> str | None:
    value = get(annotation, "/RC")
    return clean(stream_bytes(value).decode("utf-8", "replace")) if isinstance(value, pikepdf.Stream) else text(value)


def _holds_something(row: Row, annotation: pikepdf.Dictionary) -> bool:
    stated = (row["contents"], row["rich_text"], row["uri"], row["appearance_text"])
    return any(stated) or row["target_page"] is not None or embedded_stream(get(annotation, "/FS")) is not None


@once_per_document
def _appearances(document: PdfDocument, number: int) -> tuple[dict[int, str], list[Notice]]:
    """Return the text that each annotation of a page shows, by its index from 0, and the reading errors."""
    found = _page_annotations(document, number)
    streams = {position: stream for position, annotation in enumerate(found) if (stream := _normal_appearance(annotation)) is not None}
    try:
        texts = appearance_texts(document, list(streams.values()))
    except OBJECT_ERRORS as error:
        return {}, [Notice("annotations_unreadable", number, f"appearance streams cannot be read: {shorten(error)}")]
    shown = {position: written for position, written in zip(streams, texts, strict=True) if written}
    return _made_by_viewers(document, found) | shown, []


def _made_by_viewers(document: PdfDocument, found: list[pikepdf.Dictionary]) -> dict[int, str]:
    """Return the text that viewers generate for form fields, by index in `found`: for fields without an appearance, or with NeedAppearances
    for all."""
    form = get_dict(document.pikepdf.Root, "/AcroForm")
    if form is None:
        return {}
    all_anew = get(form, "/NeedAppearances") is True
    return {
        position: written
        for position, annotation in enumerate(found)
        if (all_anew or get(annotation, "/AP") is None)
        and name(get(annotation, "/Subtype")) == "Widget"
        and not _unseen(annotation)
        and (written := clean(written_value(document, annotation)))
    }


def _normal_appearance(annotation: pikepdf.Dictionary) -> pikepdf.Stream | None:
    """Return the appearance stream of an annotation, in its current state; None if it shows no text. Check boxes and radio buttons give
    None."""
    if (kind := name(get(annotation, "/Subtype"))) in _NO_APPEARANCE_TEXT:
        return None
    stream = get(get(annotation, "/AP"), "/N")
    if isinstance(stream, pikepdf.Dictionary) and kind != "Widget" and (state := name(get(annotation, "/AS"))):
        stream = get(stream, f"/{state}")
    if not isinstance(stream, pikepdf.Stream):
        return None
    try:
        return stream if _SHOWS_TEXT.search(stream_bytes(stream)) else None
    except OBJECT_ERRORS:
        return None  # an appearance that cannot be decoded shows nothing
