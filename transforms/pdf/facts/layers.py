"""Read layers, which the standard calls optional content groups, and whether viewers show them by default (ISO 32000-2 §8.11)."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Final

import pikepdf
from msgspec import Struct, field

from pdfmill.schemas.records import Row
from pdfmill.transforms.pdf.open.document import PdfDocument
from pdfmill.transforms.pdf.open.objects import Key, Object, get, get_dict, is_dict, items, key_of, name, text


def read_layers(document: PdfDocument) -> Row:
    """Return the column `layers`; None if the document has no optional content."""
    properties = get_dict(document.pikepdf.Root, "/OCProperties")
    if properties is None:
        return {"layers": None}
    default = get_dict(properties, "/D")
    shown, hidden = _keys(get(default, "/ON")), _keys(get(default, "/OFF"))
    base = name(get(default, "/BaseState")) != "OFF"
    groups = [group for group in items(get(properties, "/OCGs"), document.limits) if is_dict(group)]
    return {
        "layers": [{"name": text(get(group, "/Name")) or "", "visible": _visible(key_of(group), base, shown, hidden)} for group in groups]
    }


def _keys(groups: Object) -> set[Key]:
    return {key for group in items(groups) if (key := key_of(group)) is not None}


def _visible(key: Key | None, base: bool, shown: set[Key], hidden: set[Key]) -> bool:
    if key is None:
        return base
    return key not in hidden if base else key in shown


class LayerView(Struct, frozen=True):
    """Which layers viewers show by default (§8.11.4.3): if `base` is True all but those in `hidden`, else only those in `shown`."""

    base: bool = True  # layers that are not listed are visible
    shown: set[Key] = field(default_factory=set)  # keys of groups listed as on
    hidden: set[Key] = field(default_factory=set)  # keys of groups listed as off

    @property
    def hides_any(self) -> bool:
        """Whether any layer can be hidden."""
        return not self.base or bool(self.hidden)

    def hides(self, content: Object, depth: int = 0) -> bool:
        """Return whether content is hidden. content: its group or membership dictionary (§8.11.2). depth: number of enclosing groups."""
        if not is_dict(content) or depth > _MAX_NESTING:
            return False
        if name(get(content, "/Type")) != "OCMD":
            return not _visible(key_of(content), self.base, self.shown, self.hidden)
        if isinstance(expression := get(content, "/VE"), pikepdf.Array):
            return not self._holds(expression, depth + 1)
        states = [not self.hides(group, depth + 1) for group in items(get(content, "/OCGs")) if is_dict(group)]
        return bool(states) and not _POLICIES.get(name(get(content, "/P")) or "AnyOn", any)(states)

    def _holds(self, expression: Object, depth: int) -> bool:
        """Return the value of a visibility expression: a group (true if it is shown), or an array And, Or or Not. depth: enclosing
        expressions."""
        if not isinstance(expression, pikepdf.Array):
            return not self.hides(expression, depth)
        if depth > _MAX_NESTING or not len(expression):
            return True
        states = [self._holds(part, depth + 1) for part in items(expression)[1:]]
        operator = name(expression[0])
        return all(states) if operator == "And" else any(states) if operator == "Or" else not any(states)


_MAX_NESTING: Final = 20
_POLICIES: Final[dict[str, Callable[[Iterable[bool]], bool]]] = {
    "AnyOn": any,
    "AllOn": all,
    "AnyOff": lambda states: not all(states),
    "AllOff": lambda states: not any(states),
}


def layer_view(document: PdfDocument) -> LayerView:
    """Return which layers of the document viewers show by default."""
    properties = get_dict(document.pikepdf.Root, "/OCProperties")
    if properties is None:
        return LayerView()
    default = get_dict(properties, "/D")
    return LayerView(name(get(default, "/BaseState")) != "OFF", _keys(get(default, "/ON")), _keys(get(default, "/OFF")))
