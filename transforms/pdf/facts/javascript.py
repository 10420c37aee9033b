"""Find scripts wherever a PDF can contain them (ISO 32000-2 §12.6.4.17, §12.6.3). They are never executed."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice
from typing import Final

import pikepdf

from pdfmill.schemas.records import Row
from pdfmill.transforms.pdf.facts.forms import form_fields, xfa_packets
from pdfmill.transforms.pdf.facts.metadata import parse_xml
from pdfmill.transforms.pdf.facts.navigation import outline_items
from pdfmill.transforms.pdf.open.document import PdfDocument, annotations_of
from pdfmill.transforms.pdf.open.objects import (
    Key,
    Object,
    clean,
    decode_text,
    first_time,
    get,
    get_dict,
    is_dict,
    items,
    key_of,
    keys,
    name,
    name_tree,
    shorten_text,
    stream_bytes,
    text,
)

#: Content types of scripts in an XFA form (XFA 3.3, script element).
_XFA_SCRIPT_TYPES: Final = ("application/x-javascript", "application/javascript", "text/javascript", "application/x-formcalc")


#: Beginning of an address that a browser executes as a script.
_SCRIPT_ADDRESS: Final = re.compile(r"\s*javascript:", re.IGNORECASE)
#: Key that occurs in the bytes of every file with a script outside of object streams. Only then are all objects searched.
_SCRIPT_KEY: Final = b"/JS"
#: Objects that are searched for scripts to which nothing in the document refers.
_MAX_OBJECTS: Final = 50_000


class _ScriptCollector:
    """Collects scripts, each once, even if a widget is also the form field."""

    def __init__(self, document: PdfDocument) -> None:
        self._limits = document.limits
        self._seen: set[Key] = set()
        self._holders: set[tuple[int, int, str]] = set()
        self.scripts: list[Row] = []

    def additional(self, location: str, label: str | None, holder: Object) -> None:
        """Add the scripts in the additional actions of a catalog, page, field or annotation. location, label: for the columns `location`
        and `name`."""
        actions = get_dict(holder, "/AA")
        if actions is None or not self._new(actions) or not self._new_holder(holder, "/AA"):
            return
        for trigger in keys(actions):
            self.action(f"{location}.AA.{trigger[1:]}", label, get(actions, trigger))

    def actions(self, location: str, label: str | None, holder: Object) -> None:
        """Add the scripts of all actions of an annotation, field or outline item. location, label: for the columns `location` and
        `name`."""
        for key in ("/A", "/PA"):
            if is_dict(get(holder, key)) and self._new_holder(holder, key):
                self.action(location, label, get(holder, key))
        self.additional(location, label, holder)

    def action(self, location: str, label: str | None, action: Object) -> None:
        """Add the scripts of an action and of all actions that follow it. location, label: for the columns `location` and `name`."""
        waiting = [action]
        while waiting and len(self.scripts) < self._limits.max_nodes:
            current = waiting.pop(0)
            if not isinstance(current, pikepdf.Dictionary) or not self._new(current):
                continue
            if name(get(current, "/S")) in ("JavaScript", "Rendition") or get(current, "/JS") is not None:
                self.script(location, label, get(current, "/JS"))
            if _SCRIPT_ADDRESS.match(text(get(current, "/URI"), self._limits) or ""):
                self.script(location, label, get(current, "/URI"))
            waiting.extend(items(get(current, "/Next"), self._limits))

    def script(self, location: str, label: str | None, code: Object) -> None:
        """Add one script, a text string or a stream. location, label: for the columns `location` and `name`."""
        written = text(code, self._limits)
        if isinstance(code, pikepdf.Stream):
            written = shorten_text(clean(decode_text(stream_bytes(code, self._limits))), self._limits)
        if written:
            self.scripts.append({"location": location, "name": label, "code": written})

    def _new_holder(self, holder: Object, key: str) -> bool:
        """Return whether the entry `key` of an object, the holder, is met for the first time. (A value that is no indirect object has no
        number by which it could be recognised.)"""
        owner = key_of(holder)
        if owner is None:
            return True
        fresh = (*owner, key) not in self._holders
        self._holders.add((*owner, key))
        return fresh

    def _new(self, holder: Object) -> bool:
        key = key_of(holder)
        if key is None:
            return True
        fresh = key not in self._seen
        self._seen.add(key)
        return fresh


def read_javascript(document: PdfDocument) -> Row:
    """Return the column `javascript`: scripts with their locations; None if there are none."""
    found = _ScriptCollector(document)
    root = document.pikepdf.Root
    for label, action in name_tree(get(get_dict(root, "/Names"), "/JavaScript"), document.limits):
        found.action("document", label, action)
    found.action("open_action", None, get(root, "/OpenAction"))
    found.additional("document", None, root)
    _from_pages(document, found)
    _from_fields(document, found)
    _from_outline(document, found)
    for label, action in name_tree(get(get_dict(root, "/Names"), "/Renditions"), document.limits):
        found.action("rendition", label, action)
    if _SCRIPT_KEY in document.data:
        _from_lost_objects(document, found)
    found.scripts.extend(_from_xfa(document))
    return {"javascript": found.scripts or None}


def scripts_of_fdf(document: PdfDocument, form: Object) -> list[Row]:
    """Return the scripts of an FDF file: Before, After, AfterPermsReady, Doc, and the actions of its fields (§12.7.8.3)."""
    found = _ScriptCollector(document)
    holder = get_dict(form, "/JavaScript")
    for key in ("/Before", "/After", "/AfterPermsReady"):
        found.script(f"fdf.{key[1:]}", None, get(holder, key))
    entries = items(get(holder, "/Doc"), document.limits)
    for label, code in zip(entries[::2], entries[1::2], strict=False):
        found.script("fdf.Doc", text(label), code)
    waiting = items(get(form, "/Fields"), document.limits)
    seen: set[Key] = set()
    while waiting and len(seen) < document.limits.max_nodes:
        field = waiting.pop(0)
        if is_dict(field) and first_time(field, seen):
            found.actions("field", text(get(field, "/T")), field)
            waiting += items(get(field, "/Kids"), document.limits)
    return found.scripts


def _from_pages(document: PdfDocument, found: _ScriptCollector) -> None:
    for number, page in enumerate(document.tree.pages, start=1):
        if get(page, "/AA") is not None:
            found.additional("page", str(number), page)
    for _, annotation in annotations_of(document):
        label = text(get(annotation, "/T")) or text(get(annotation, "/NM"))
        kind = "field" if name(get(annotation, "/Subtype")) == "Widget" else "annotation"
        found.actions(kind, label, annotation)
        if (scene := get(get(annotation, "/3DD"), "/OnInstantiate")) is not None:
            found.script(kind, label, scene)
        if kind == "field":
            _from_parents(document, found, label, annotation)


def _from_parents(document: PdfDocument, found: _ScriptCollector, label: str | None, widget: Object) -> None:
    """Add the scripts of the fields above a widget to `found`, because the form may not list these fields."""
    field = get(widget, "/Parent")
    for _ in range(document.limits.max_depth):
        if not is_dict(field):
            return
        found.additional("field", label or text(get(field, "/T")), field)
        field = get(field, "/Parent")


def _from_fields(document: PdfDocument, found: _ScriptCollector) -> None:
    for field in form_fields(document):
        found.actions("field", field.name, field.dictionary)
        for kid in items(get(field.dictionary, "/Kids"), document.limits):
            found.actions("field", field.name, kid)


def _from_outline(document: PdfDocument, found: _ScriptCollector) -> None:
    for item, _ in outline_items(document):
        found.actions("outline", text(get(item, "/Title")), item)


def _from_lost_objects(document: PdfDocument, found: _ScriptCollector) -> None:
    """Add the scripts in objects to which nothing refers, such as those left by an update, to `found`."""
    for holder in islice(document.pikepdf.objects, _MAX_OBJECTS):
        if isinstance(holder, pikepdf.Dictionary):
            label = text(get(holder, "/T"))
            found.actions("unreachable", label, holder)
            if name(get(holder, "/S")) in ("JavaScript", "Rendition"):
                found.action("unreachable", label, holder)


def _from_xfa(document: PdfDocument) -> Iterator[Row]:
    """Yield the scripts of the XFA template as rows, with the name of the form element that contains each."""
    for label, data in xfa_packets(document) or []:
        if label not in (None, "template") or b"script" not in data:
            continue
        root = parse_xml(data)
        for element in root.iter() if root is not None else ():
            if not isinstance(element.tag, str) or not element.tag.endswith("}script"):
                continue
            if element.get("contentType", _XFA_SCRIPT_TYPES[0]) in _XFA_SCRIPT_TYPES and (code := (element.text or "").strip()):
                owner = element.getparent()
                holder = owner.getparent() if owner is not None else None
                yield {"location": "xfa", "name": holder.get("name") if holder is not None else None, "code": clean(code)}
