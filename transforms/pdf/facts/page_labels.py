"""Read page labels (ISO 32000-2 §12.4.2)."""

from __future__ import annotations

from typing import Final

import pikepdf

from pdfmill.schemas.records import Notice, PageFacts, Row
from pdfmill.transforms.pdf.open.document import PdfDocument, once_per_document, shorten
from pdfmill.transforms.pdf.open.objects import OBJECT_ERRORS, get, get_dict, integer, name, number_tree, text
from pdfmill.transforms.pdf.open.page_transform import stored_box, user_unit

_ROMAN: Final = (
    (1000, "m"),
    (900, "cm"),
    (500, "d"),
    (400, "cd"),
    (100, "c"),
    (90, "xc"),
    (50, "l"),
    (40, "xl"),
    (10, "x"),
    (9, "ix"),
    (5, "v"),
    (4, "iv"),
    (1, "i"),
)

#: Largest page number written as a Roman or letter numeral. Larger ones would be too long to print and are written in digits.
_MAX_NUMERAL: Final = 10_000


def read_page_labels(document: PdfDocument) -> Row:
    """Return the column `page_labels`, one label per page; None if the document defines none."""
    root = get_dict(document.pikepdf.Root, "/PageLabels")
    if root is None or not document.page_count:
        return {"page_labels": None}
    ranges = sorted(((start, label) for start, label in number_tree(root, document.limits) if start >= 0), key=lambda each: each[0])
    if not ranges:
        return {"page_labels": None}
    labels = [str(position + 1) for position in range(document.page_count)]
    for (start, label), (end, _) in zip(ranges, [*ranges[1:], (document.page_count, None)], strict=True):
        for position in range(start, min(end, document.page_count)):
            labels[position] = _label(label, position - start)
    return {"page_labels": labels}


def _label(label: pikepdf.Object, offset: int) -> str:
    start = integer(get(label, "/St"))
    prefix = text(get(label, "/P")) or ""
    return prefix + numeral((1 if start is None else start) + offset, name(get(label, "/S")))


def numeral(value: int, style: str | None) -> str:
    """Format a page number in a numbering style: D, R, r, A or a. Without a style, return "".

    >>> numeral(4, "r"), numeral(28, "A"), numeral(3, None)
    ('iv', 'BB', '')
    """
    if style is None:
        return ""
    if style == "D" or not 0 < value <= _MAX_NUMERAL:
        return str(value)
    if style in ("R", "r"):
        return _roman(value) if style == "r" else _roman(value).upper()
    if style in ("A", "a"):
        return chr(ord(style) + (value - 1) % 26) * ((value - 1) // 26 + 1)
    return str(value)


def _roman(value: int) -> str:
    written = ""
    for amount, digits in _ROMAN:
        count, value = divmod(value, amount)
        written += digits * count
    return written


# Read a page's dictionary, without its content (ISO 32000-2 §7.7.3.3, §12.4.2).


def read_page_facts(document: PdfDocument, number: int, warnings: list[Notice]) -> PageFacts:
    """Return the facts of page `number`, from 1. warnings: list that receives reading errors."""
    try:
        if number > len(document.tree.pages):
            return PageFacts(_page_facts_label(document, number))
        media = stored_box(document.tree, number, "/MediaBox")
        crop = stored_box(document.tree, number, "/CropBox") or media
        return PageFacts(_page_facts_label(document, number), media, crop, user_unit(document.tree, number))
    except OBJECT_ERRORS as error:
        warnings.append(Notice("page_facts_unreadable", number, f"the page's dictionary cannot be read: {shorten(error)}"))
        return PageFacts()


def _page_facts_label(document: PdfDocument, number: int) -> str | None:
    labels = _labels(document)
    return labels[number - 1] if isinstance(labels, list) and number <= len(labels) else None


@once_per_document
def _labels(document: PdfDocument) -> object:
    return read_page_labels(document)["page_labels"]
