"""Read the character codes, font dictionary and layer of text objects, which PDFium does not give.
PDFium makes one text object of each text-showing operator (ISO 32000-2 §9.4.3), in their order, forms included. Interpreting them in Python
is slow, and is done only where needed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

import pikepdf
from msgspec import Struct

from pdfmill.transforms.pdf.facts.layers import LayerView, layer_view
from pdfmill.transforms.pdf.open.document import PdfDocument
from pdfmill.transforms.pdf.open.objects import Object, get, get_dict, is_dict, items, name
from pdfmill.transforms.pdf.text.text_objects import TextObject

#: Operators read of one page. A page with more is not interpreted.
_MAX_OPERATORS: Final = 2_000_000
_MAX_DEPTH: Final = 12


class Shown(Struct, frozen=True):
    """A text-showing operator of a content stream: the bytes of its strings, its font dictionary, and whether its layer is hidden."""

    codes: bytes  # the bytes of its strings
    font: Object  # its font dictionary, or None
    hidden: bool  # its layer is hidden


def shown_by_object(placed: Sequence[TextObject], number: int, document: PdfDocument) -> dict[int, Shown]:
    """Return the text-showing operators of page `number`, from 1, by the handle of their text object. Return {} if there are not as many
    operators as text objects."""
    shown = read_shown(document.tree.pages[number - 1], document.tree.attribute(number, "/Resources"), layer_view(document))
    return {each.handle: operator for each, operator in zip(placed, shown, strict=True)} if len(placed) == len(shown) else {}


def read_shown(content: Object, resources: Object, layers: LayerView) -> list[Shown]:
    """Return the text-showing operators of a page or form, in order, without those of empty strings. layers: which layers are hidden."""
    return list(_Program(layers).run(content, resources, False, 0))


class _Program:
    def __init__(self, layers: LayerView) -> None:
        self._layers = layers
        self._left = _MAX_OPERATORS

    def run(self, content: Object, resources: Object, hidden: bool, depth: int) -> Iterator[Shown]:
        """Interpret the operators of a content stream that select fonts, layers and forms, and yield its text-showing operators.
        hidden: the stream's layer is hidden. depth: number of enclosing forms."""
        font: Object = None
        saved: list[Object] = []
        marks: list[bool] = []
        for instruction in pikepdf.parse_content_stream(content, "q Q Tf gs Tj TJ ' \" Do BDC BMC EMC"):
            self._left -= 1
            if self._left < 0:
                return
            operator, operands = str(instruction.operator), instruction.operands
            if operator in _SHOW:
                codes = _strings(operands)
                if codes:
                    yield Shown(codes, font, hidden or any(marks))
            elif operator == "Tf" and operands:
                font = get(get_dict(resources, "/Font"), str(operands[0]))
            elif operator == "gs" and operands:
                own = items(get(get(get_dict(resources, "/ExtGState"), str(operands[0])), "/Font"))
                font = own[0] if own else font
            elif operator == "q":
                saved.append(font)
            elif operator == "Q" and saved:
                font = saved.pop()
            elif operator in ("BDC", "BMC"):
                marks.append(self._is_hidden_mark(operands, resources))
            elif operator == "EMC" and marks:
                marks.pop()
            elif operator == "Do" and operands and depth < _MAX_DEPTH:
                yield from self._form(get(get_dict(resources, "/XObject"), str(operands[0])), resources, hidden or any(marks), depth)

    def _form(self, form: Object, resources: Object, hidden: bool, depth: int) -> Iterator[Shown]:
        """Yield the text-showing operators of a form XObject. hidden: the layer around the form is hidden. depth: number of enclosing
        forms."""
        if isinstance(form, pikepdf.Stream) and name(get(form, "/Subtype")) == "Form":
            own = get_dict(form, "/Resources")
            hides = hidden or self._layers.hides(get(form, "/OC"))
            yield from self.run(form, resources if own is None else own, hides, depth + 1)

    def _is_hidden_mark(self, operands: Object, resources: Object) -> bool:
        if len(operands) < 2 or str(operands[0]) != "/OC":
            return False
        properties = operands[1]
        if isinstance(properties, pikepdf.Name):
            properties = get(get_dict(resources, "/Properties"), str(properties))
        return self._layers.hides(properties)


_SHOW: Final = frozenset({"Tj", "TJ", "'", '"'})


def _strings(operands: Object) -> bytes:
    parts = operands[-1] if len(operands) else None
    if isinstance(parts, pikepdf.String):
        return bytes(parts)
    return b"".join(bytes(part) for part in items(parts) if isinstance(part, pikepdf.String)) if not is_dict(parts) else b""
