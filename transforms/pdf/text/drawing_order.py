"""Read the characters of a page in the order of its content stream. (PDFium sorts the characters of a line by position.)"""

from __future__ import annotations

import numpy as np
from msgspec.structs import replace

from pdfmill.schemas.glyphs import Glyphs
from pdfmill.transforms.pdf.open.document import PdfDocument
from pdfmill.transforms.pdf.open.limits import DEFAULT_PAGE_LIMITS, PageLimits
from pdfmill.transforms.pdf.text.glyphs import read_glyphs
from pdfmill.transforms.pdf.text.page import loaded_page, page_space
from pdfmill.transforms.pdf.text.text_objects import text_objects


def read_drawn(document: PdfDocument, number: int, *, limits: PageLimits = DEFAULT_PAGE_LIMITS) -> Glyphs:
    """Return the glyphs of page `number`, from 1, text object by text object in the order of the content stream.

    Raises:
        PageError: PDFium cannot load the page or its text.
        OverflowError: the page has more characters than `limits.max_glyphs`.
    """
    with loaded_page(document.pdfium, number) as (page, text_page):
        glyphs, handles = read_glyphs(text_page, page_space(page, document, number), limits.max_glyphs)
        place = {each.handle: order for order, each in enumerate(text_objects(page))}
        rank = np.array([place.get(handle, len(place)) for handle in handles], np.int64)
        order = np.argsort(rank[glyphs.run], kind="stable")
        columns = {name: getattr(glyphs, name)[order] for name in glyphs.__struct_fields__ if name != "styles"}
        return replace(glyphs, **columns)
