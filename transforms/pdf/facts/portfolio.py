"""Read portfolios and packages (ISO 32000-2 §12.3.5): a cover sheet whose embedded files are the real content."""

from __future__ import annotations

from pdfmill.schemas.records import Row
from pdfmill.transforms.pdf.open.document import PdfDocument
from pdfmill.transforms.pdf.open.objects import get, get_dict, integer, keys, text


def read_portfolio(document: PdfDocument) -> Row:
    """Return the columns `is_portfolio` and `collection_fields` (shown names, in the portfolio's order)."""
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
