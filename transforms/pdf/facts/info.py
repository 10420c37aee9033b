"""Read the document information dictionary (ISO 32000-2 §14.3.3)."""

from __future__ import annotations

from typing import Final

from pdfmill.schemas.records import Row
from pdfmill.transforms.pdf.facts.forms import form_fields
from pdfmill.transforms.pdf.open.document import PdfDocument
from pdfmill.transforms.pdf.open.objects import Object, date_text, get, get_dict, is_dict, keys, name, number, text, utc_time

_TEXTS: Final = {
    "title": "/Title",
    "author": "/Author",
    "subject": "/Subject",
    "keywords": "/Keywords",
    "creator": "/Creator",
    "producer": "/Producer",
}
_DATES: Final = {"created": "/CreationDate", "modified": "/ModDate"}
_STANDARD: Final = frozenset({*_TEXTS.values(), *_DATES.values(), "/Trapped"})


def read_info(document: PdfDocument) -> Row:
    """Return the columns `info`, `info_custom`, `author`, `created` and `modified`; all None if there is no information dictionary."""
    info = get_dict(document.pikepdf.trailer, "/Info")
    if info is None:
        return {"info": None, "info_custom": None, "author": None, **dict.fromkeys(_DATES)}
    row: dict[str, str | None] = {column: text(get(info, key)) for column, key in _TEXTS.items()}
    row |= {column: date_text(get(info, key)) for column, key in _DATES.items()}
    row["trapped"] = _scalar(get(info, "/Trapped"))
    custom = [
        {"key": key[1:], "value": value} for key in keys(info) if key not in _STANDARD and (value := _scalar(get(info, key))) is not None
    ]
    dates = {column: utc_time(row[column]) for column in _DATES}
    return {"info": row, "info_custom": custom, "author": (row["author"] or "").strip() or None, **dates}


def _scalar(value: Object) -> str | None:
    """Return a string, name, number or boolean as text; None for other types."""
    if isinstance(value, bool):
        return str(value)
    if (word := name(value)) is not None:
        return word
    if (amount := number(value)) is not None:
        return f"{amount:g}"
    return text(value)


# Read digital signatures, without verifying them (ISO 32000-2 §12.8).


def read_signatures(document: PdfDocument) -> Row:
    """Return the column `signatures`: signature fields that are signed; None if there are none."""
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
