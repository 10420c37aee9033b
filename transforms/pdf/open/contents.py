"""Notice page contents that a damaged file has lost, cut off or overwritten.

Engines show such a page empty without a message (ISO 32000-2 §7.7.3.3, Contents; §7.3.10, a reference to nothing is null).
"""

from __future__ import annotations

import re
from typing import Final

import pikepdf

from pdfmill.schemas.records import Failure, Notice, PageLines
from pdfmill.transforms.pdf.open.document import PdfDocument, shorten
from pdfmill.transforms.pdf.open.objects import OBJECT_ERRORS, Key, get, items, key_of
from pdfmill.transforms.pdf.open.syntax import balanced, read_remains

_CONTENTS: Final = re.compile(rb"/Contents\s*(?:\[|\d+\s+\d+\s+R)")


def note_lost_content(document: PdfDocument, page: PageLines) -> None:
    """Report missing content. A page that shows nothing because of it fails; any other page gets a warning."""
    if not document.rebuilt:  # nearly all documents
        return
    try:
        parts, lost, cut = _count_parts(document, page.page)
    except OBJECT_ERRORS as error:
        page.warnings.append(Notice("page_facts_unreadable", page.page, f"the page's content cannot be looked for: {shorten(error)}"))
        return
    shows = bool(page.lines or page.hidden or len(page.images) or len(page.rules) or len(page.fills))
    told = "the file ends within its content" if cut else "its content is not in the file"
    if (cut or lost) and not shows:
        page.failure = Failure("content_missing", f"page {page.page}: {told}")
    elif cut or 0 < lost < parts:  # what shows all the same, PDFium found where qpdf did not
        told = told if cut else f"{lost} of the {parts} parts of its content are not in the file"
        page.warnings.append(Notice("content_incomplete", page.page, f"page {page.page}: {told}"))


def _count_parts(document: PdfDocument, number: int) -> tuple[int, int, bool]:
    """Return the number of content streams, how many are lost, and whether the file ends within one."""
    pages = document.tree.pages
    if number > len(pages):
        return 0, 0, False
    if document.remains is None:
        document.remains = read_remains(document.data)
    contents = get(pages[number - 1], "/Contents")
    if contents is None:
        lost = _states_contents(document, key_of(pages[number - 1]))
        return int(lost), int(lost), False
    parts = items(contents)
    cut = document.remains.cut is not None and document.remains.cut in map(key_of, parts)
    return len(parts), sum(not isinstance(part, pikepdf.Stream) for part in parts), cut


def _states_contents(document: PdfDocument, page: Key | None) -> bool:
    """Return whether the page names its content in the file itself, because qpdf drops entries that lead nowhere."""
    assert document.remains is not None
    offset = document.remains.offsets.get(page) if page is not None else None
    return offset is not None and _CONTENTS.search(balanced(document.remains.data, offset)) is not None
