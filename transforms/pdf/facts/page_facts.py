"""Read a page's dictionary, without its content (ISO 32000-2 §7.7.3.3, §12.4.2)."""

from __future__ import annotations

from pdfmill.schemas.records import Notice, PageFacts
from pdfmill.transforms.pdf.facts.page_labels import read_page_labels
from pdfmill.transforms.pdf.open.document import PdfDocument, once_per_document, shorten
from pdfmill.transforms.pdf.open.objects import OBJECT_ERRORS
from pdfmill.transforms.pdf.open.page_transform import stored_box, user_unit


def read_page_facts(document: PdfDocument, number: int, warnings: list[Notice]) -> PageFacts:
    """Return the facts of page `number`, from 1. warnings: errors are added here."""
    try:
        if number > len(document.tree.pages):
            return PageFacts(_label(document, number))
        media = stored_box(document.tree, number, "/MediaBox")
        crop = stored_box(document.tree, number, "/CropBox") or media
        return PageFacts(_label(document, number), media, crop, user_unit(document.tree, number))
    except OBJECT_ERRORS as error:
        warnings.append(Notice("page_facts_unreadable", number, f"the page's dictionary cannot be read: {shorten(error)}"))
        return PageFacts()


def _label(document: PdfDocument, number: int) -> str | None:
    labels = _labels(document)
    return labels[number - 1] if isinstance(labels, list) and number <= len(labels) else None


@once_per_document
def _labels(document: PdfDocument) -> object:
    return read_page_labels(document)["page_labels"]
