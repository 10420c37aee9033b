"""Read digital signatures, without verifying them (ISO 32000-2 §12.8)."""

from __future__ import annotations

from pdfmill.schemas.records import Row
from pdfmill.transforms.pdf.facts.forms import form_fields
from pdfmill.transforms.pdf.open.document import PdfDocument
from pdfmill.transforms.pdf.open.objects import date_text, get, is_dict, name, text


def read_signatures(document: PdfDocument) -> Row:
    """Return the column `signatures`, the signed signature fields; None if there are none."""
    found = []
    for field in form_fields(document):
        value = field.attributes.get("/V")
        if name(field.attributes.get("/FT")) != "Sig" or not is_dict(value):
            continue
        found.append(
            {
                "field": field.name,
                "name": text(get(value, "/Name")),
                "subfilter": name(get(value, "/SubFilter")),
                "signed": date_text(get(value, "/M")),
                "reason": text(get(value, "/Reason")),
            }
        )
    return {"signatures": found or None}
