"""Read the text that appearance streams draw (ISO 32000-2 §12.5.5).

PDFium reads text of pages only, so the streams become the pages of a document that lives in memory for the moment.
"""

from __future__ import annotations

import io
from collections.abc import Sequence
from typing import Final

import pikepdf
import pypdfium2

from pdfmill.transforms.pdf.open.document import PdfDocument
from pdfmill.transforms.pdf.open.objects import clean, get, get_dict
from pdfmill.transforms.pdf.open.pdfium_api import open_engine

#: A media box large enough for every appearance that has none of its own.
_BOX: Final = (0, 0, 1000, 1000)


def appearance_texts(document: PdfDocument, streams: Sequence[pikepdf.Stream]) -> list[str]:
    """Return the text of each stream, "" if it draws none.

    Raises:
        One of `objects.OBJECT_ERRORS`: the streams cannot be copied.
    """
    if not streams:
        return []
    try:
        engine = open_engine(_as_pages(document, streams))
    except pypdfium2.PdfiumError as error:
        raise ValueError(f"PDFium cannot open the appearances: {error}") from error
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
    """An indirect object, as copying takes it. One that is so keeps its number,
    on which the key of an encrypted stream depends (§7.6.3.1)."""
    return entry if entry.is_indirect else document.pikepdf.make_indirect(entry)


def _box(stream: pikepdf.Stream) -> pikepdf.Array:
    box = get(stream, "/BBox")
    return pikepdf.Array([float(side) for side in box]) if isinstance(box, pikepdf.Array) and len(box) == 4 else pikepdf.Array(_BOX)


def _page_text(engine: pypdfium2.PdfDocument, position: int) -> str:
    try:
        page = engine[position]
        text_page = page.get_textpage()
    except pypdfium2.PdfiumError as error:
        raise ValueError(f"PDFium cannot read an appearance: {error}") from error
    written = clean(text_page.get_text_range(errors="replace"))
    text_page.close()
    page.close()
    return "\n".join(line for each in written.splitlines() if (line := " ".join(each.split())))
