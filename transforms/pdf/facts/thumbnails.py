"""Thumbnails of pages and embedded files (ISO 32000-2 §12.3.4)."""

from __future__ import annotations

import pikepdf

from pdfmill.schemas.records import Notice
from pdfmill.transforms.pdf.facts.assets import Asset
from pdfmill.transforms.pdf.facts.attachments import file_specifications
from pdfmill.transforms.pdf.facts.images import AsFile, image_asset
from pdfmill.transforms.pdf.open.document import PdfDocument, shorten
from pdfmill.transforms.pdf.open.objects import OBJECT_ERRORS, Object, get


def read_thumbnails(document: PdfDocument, as_file: AsFile) -> tuple[list[Asset], list[Notice]]:
    """A thumbnail for each page or embedded file that has one, and what could not be read."""
    assets: list[Asset] = []
    warnings: list[Notice] = []
    holders: list[tuple[int | None, Object]] = [*enumerate(document.tree.pages, start=1)]
    holders += [(page, specification) for specification, page in file_specifications(document)]
    for page, holder in holders[: document.limits.max_assets]:
        stream = get(holder, "/Thumb")
        if not isinstance(stream, pikepdf.Stream):
            continue
        try:
            assets.append(image_asset(as_file, stream, "thumbnail", None, page, []))
        except OBJECT_ERRORS as error:
            warnings.append(Notice("image_unreadable", page, f"thumbnail: {shorten(error)}"))
    return assets, warnings
