"""Read interactive forms: their fields (ISO 32000-2 §12.7), XFA packets (Annex K) and signatures, which are not verified (§12.8)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from hashlib import sha256
from typing import Final

import pikepdf
from msgspec import Struct

from pdfmill.schemas.records import Row
from pdfmill.transforms.pdf.facts.attachments import Asset
from pdfmill.transforms.pdf.open.document import PdfDocument, annotations_of, once_per_document
from pdfmill.transforms.pdf.open.objects import (
    Key,
    Object,
    date_text,
    first_time,
    get,
    get_dict,
    integer,
    is_dict,
    items,
    name,
    number,
    stream_bytes,
    text,
)

#: Field entries that are inherited from the parent if the field itself has none (§12.7.4.1).
_INHERITED = ("/FT", "/V", "/Ff", "/Opt", "/DV")
#: Field flags: a password field, whose text is not shown (§12.7.5.3); a push button, which has no value (§12.7.5.2); a drop-down list,
#: which shows only the choice (§12.7.5.4).
_PASSWORD: Final = 1 << 13
_PUSH_BUTTON: Final = 1 << 16
_COMBO: Final = 1 << 17
#: The text of a check box or radio button that is on.
CHECKED: Final = "\N{BALLOT BOX WITH CHECK}"


class Field(Struct, frozen=True):
    """A terminal form field: one that has a value of its own and no child fields. attributes: its own and inherited entries by key."""

    dictionary: pikepdf.Dictionary
    name: str  # full name
    attributes: dict[str, Object]  # its own or inherited entries, by key


def read_forms(document: PdfDocument) -> Row:
    """Return the column `form_fields`; None if the document has no form."""
    if get_dict(document.pikepdf.Root, "/AcroForm") is None:
        return {"form_fields": None}
    return {"form_fields": [_row(field) for field in form_fields(document)]}


def form_fields(document: PdfDocument) -> Iterator[Field]:
    """Yield each terminal field once, in the order of the hierarchy; if the form lists none, the fields of the widgets on the pages."""
    seen: set[Key] = set()
    roots = items(get(get_dict(document.pikepdf.Root, "/AcroForm"), "/Fields"), document.limits)
    if not roots and get_dict(document.pikepdf.Root, "/AcroForm") is not None:
        roots = [_root_of(widget, document) for _, widget in annotations_of(document) if _is_widget(widget)]
    waiting: list[tuple[Object, str, dict[str, Object], int]] = [(node, "", {}, 0) for node in reversed(roots)]
    given = 0
    while waiting and not document.limits.too_many(given):
        node, path, passed, depth = waiting.pop()
        if not is_dict(node) or document.limits.too_deep(depth) or not first_time(node, seen):
            continue
        partial = text(get(node, "/T"))
        full = f"{path}.{partial}" if path and partial else partial or path
        attributes = passed | {key: value for key in _INHERITED if (value := get(node, key)) is not None}
        kids = [kid for kid in items(get(node, "/Kids"), document.limits) if is_dict(kid)]
        fields = [kid for kid in kids if get(kid, "/T") is not None or (get(kid, "/Kids") is not None and not _is_widget(kid))]
        if fields or (kids and "/FT" not in attributes and not all(_is_widget(kid) for kid in kids)):
            waiting.extend((kid, full, attributes, depth + 1) for kid in reversed(kids) if kid in fields or not _is_widget(kid))
        else:
            given += 1
            yield Field(node, full, attributes)


def _root_of(widget: Object, document: PdfDocument) -> Object:
    """Return the topmost field above a widget (the annotation that displays a form field)."""
    for _ in range(document.limits.max_depth):
        if not is_dict(parent := get(widget, "/Parent")):
            break
        widget = parent
    return widget


def _is_widget(node: Object) -> bool:
    return name(get(node, "/Subtype")) == "Widget"


def _row(field: Field) -> Row:
    kind = name(field.attributes.get("/FT"))
    return {
        "name": field.name,
        "type": kind,
        "alternate_name": text(get(field.dictionary, "/TU")),
        "mapping_name": text(get(field.dictionary, "/TM")),
        "value": values(field.attributes.get("/V"), kind),
        "options": _options(field.attributes.get("/Opt")) or None,
        "flags": integer(field.attributes.get("/Ff")),
    }


def written_value(document: PdfDocument, widget: pikepdf.Dictionary) -> str:
    """Return the text that viewers write into a widget without an appearance (§12.7.4.3): the value of a text field, the choice of a
    drop-down list, or all options of a list box; "" for other fields."""
    attributes = _attributes(document, widget)
    kind, flags = name(attributes.get("/FT")), integer(attributes.get("/Ff")) or 0
    if kind == "Tx":
        return "" if flags & _PASSWORD else "\n".join(values(attributes.get("/V"), kind) or ())
    if kind != "Ch":
        return ""
    return _choices(document, attributes) if flags & _COMBO else "\n".join(_options(attributes.get("/Opt")))


def answer(document: PdfDocument, widget: pikepdf.Dictionary, shown: str) -> str:
    """Return the value that a form field shows: for a text field or drop-down list `shown`, the text that its appearance draws; for a list
    box the chosen options; `CHECKED` for a check box or radio button that is on; "" for passwords, push buttons and signatures."""
    attributes = _attributes(document, widget)
    kind, flags = name(attributes.get("/FT")), integer(attributes.get("/Ff")) or 0
    if kind == "Tx":
        return "" if flags & _PASSWORD else shown
    if kind == "Ch":
        return shown if flags & _COMBO else _choices(document, attributes)
    state = name(get(widget, "/AS")) or "Off"
    on = kind == "Btn" and not flags & _PUSH_BUTTON and state != "Off" and get(get(get(widget, "/AP"), "/N"), f"/{state}") is not None
    return CHECKED if on else ""


def _attributes(document: PdfDocument, widget: pikepdf.Dictionary) -> dict[str, Object]:
    """Return the entries that describe a widget's field, by key: its own entries, and those inherited from the fields above it."""
    attributes: dict[str, Object] = {}
    node: Object = widget
    for _ in range(document.limits.max_depth):
        attributes = {key: value for key in _INHERITED if (value := get(node, key)) is not None} | attributes
        if not is_dict(node := get(node, "/Parent")):
            break
    return attributes


def _choices(document: PdfDocument, attributes: dict[str, Object]) -> str:
    """Return the displayed texts of the chosen options, one on each line. attributes: entries of the field by key ("/Opt")."""
    pairs = [items(entry) for entry in items(attributes.get("/Opt"), document.limits)]
    shown = {_scalar(entry[0]): _scalar(entry[-1]) for entry in pairs if entry}
    return "\n".join(shown.get(value) or value for value in values(attributes.get("/V"), "Ch") or ())


def values(value: Object, kind: str | None = None) -> list[str] | None:
    """Return the values of a field as strings, several for a multiple choice; None if it has no value or is a signature.
    kind: the field's entry FT, such as "Tx"."""
    if value is None or kind == "Sig":
        return None
    found = [written for entry in items(value) if (written := _scalar(entry)) is not None]
    return found or None


def _scalar(value: Object) -> str | None:
    if isinstance(value, pikepdf.Stream):
        return stream_bytes(value).decode("utf-8", "replace")
    if (amount := number(value)) is not None:
        return f"{amount:g}"
    return text(value)


def _options(value: Object) -> list[str]:
    """Return the displayed texts of the options of a choice field: a text, or an array of export value and text (§12.7.5.4)."""
    shown = (items(entry)[-1:] for entry in items(value))
    return [written for entry in shown if entry and (written := _scalar(entry[0])) is not None]


#: Setting in the configuration packet that requires viewers to lay out the form (XFA 3.3, dynamicRender).
_DYNAMIC: Final = re.compile(rb"<dynamicRender\s*>\s*required")


def read_xfa(document: PdfDocument) -> Row:
    """Return the columns `xfa_packets` (empty if the form is one stream) and `xfa_dynamic`; both None if there is no XFA form."""
    found = xfa_packets(document)
    if not found:
        return {"xfa_packets": None, "xfa_dynamic": None}
    packets: list[Row] = [{"name": label, "byte_size": len(data)} for label, data in found if label is not None]
    rendered = get(document.pikepdf.Root, "/NeedsRendering") is True or any(_DYNAMIC.search(data) for _, data in found)
    return {"xfa_packets": packets, "xfa_dynamic": rendered}


@once_per_document
def xfa_packets(document: PdfDocument) -> list[tuple[str | None, bytes]]:
    """Return the name and the bytes of each XFA packet in order; a form in one stream is one packet with the name None."""
    resource = get(get_dict(document.pikepdf.Root, "/AcroForm"), "/XFA")
    if isinstance(resource, pikepdf.Stream):
        return [(None, stream_bytes(resource, document.limits))]
    if not isinstance(resource, pikepdf.Array):
        return []
    entries = items(resource, document.limits)
    pairs = zip(entries[::2], entries[1::2], strict=False)
    return [(text(label) or "", stream_bytes(stream, document.limits)) for label, stream in pairs]


def xfa_asset(document: PdfDocument) -> Asset | None:
    """Return the XFA form as one embedded XML file; None if there is no XFA form."""
    found = xfa_packets(document)
    if not found:
        return None
    data = b"".join(packet for _, packet in found)
    row: Row = {
        "kind": "xfa",
        "name": "xfa.xml",
        "mime_type": "application/vnd.adobe.xdp+xml",
        "byte_size": len(data),
        "sha256": sha256(data).hexdigest(),
    }
    return Asset(row, data)


def read_signatures(document: PdfDocument) -> Row:
    """Return the column `signatures`: one row for each signed signature field; None if there are none."""
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
