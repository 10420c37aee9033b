"""List the text objects of a page in drawing order, with the matrices of the forms that contain them (ISO 32000-2 §8.10, §9.4), and read
their character codes, font dictionary and layer, which PDFium does not give. It makes one text object of each text-showing operator
(§9.4.3), in their order, forms included. Interpreting the operators in Python is slow, and is done only where needed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import repeat
from typing import Final

import numpy as np
import pikepdf
from msgspec import Struct
from numpy.typing import NDArray

from pdfmill.transforms.pdf.facts.layers import LayerView, layer_view
from pdfmill.transforms.pdf.open import pdfium_api as calls
from pdfmill.transforms.pdf.open.document import PdfDocument
from pdfmill.transforms.pdf.open.objects import Object, get, get_dict, is_dict, items, name
from pdfmill.transforms.pdf.open.pdfium_api import OBJECT_BOUNDS, OBJECT_MATRIX, OBJECT_TYPE, of_objects, page_objects

_FORM, _TEXT = 5, 1
_MAX_DEPTH: Final = 12


class TextObject(Struct, frozen=True):
    """An object of a page that draws text, made by one text-showing operator. matrix: to user space; None if it is in user space."""

    handle: int  # in PDFium
    matrix: NDArray[np.float64] | None  # float64[3, 2], from its space to user space; None if its space is user space


def text_objects(page: int) -> list[TextObject]:
    """Return all text objects of a page and its forms, in drawing order. page: PDFium's handle."""
    return list(_walk(page_objects(page), None, _MAX_DEPTH))


def lone_objects(page: int) -> NDArray[np.uint64] | None:
    """Return the handles of a page's text objects in drawing order; None if forms on the page may contain more."""
    handles = page_objects(page)
    kinds = of_objects(OBJECT_TYPE, handles, np.zeros(len(handles), np.int32))
    return None if (kinds == _FORM).any() else handles[kinds == _TEXT]


def boxes_of(objects: Sequence[TextObject]) -> NDArray[np.float64]:
    """Return float64[n, 4]: left, bottom, right, top of each text object in user space."""
    handles = np.array([each.handle for each in objects], np.uint64)
    found = of_objects(OBJECT_BOUNDS, handles, np.zeros((len(objects), 4), np.float32)).astype(np.float64)
    for index, each in enumerate(objects):
        if each.matrix is not None:
            left, bottom, right, top = found[index]
            corners = np.array([(x, y, 1) for x in (left, right) for y in (bottom, top)]) @ each.matrix
            found[index] = (*corners.min(axis=0), *corners.max(axis=0))
    return found


def _walk(handles: NDArray[np.uint64], matrix: NDArray[np.float64] | None, left: int) -> Iterator[TextObject]:
    kinds = of_objects(OBJECT_TYPE, handles, np.zeros(len(handles), np.int32))
    wanted = (kinds == _TEXT) | (kinds == _FORM)
    for handle, kind in zip(handles[wanted].tolist(), kinds[wanted].tolist(), strict=True):
        if kind == _TEXT:
            yield TextObject(handle, matrix)
        elif left:
            own = object_matrix(handle)
            inner = np.array(list(map(calls.get_form_object, repeat(handle), range(calls.count_form_objects(handle)))), np.uint64)
            yield from _walk(inner, own if matrix is None else joined(own, matrix), left - 1)


def object_matrix(handle: int) -> NDArray[np.float64]:
    """Return float64[3, 2], the matrix from an object's space to the space that contains it. handle: PDFium's handle of the object."""
    return of_objects(OBJECT_MATRIX, np.array([handle], np.uint64), np.zeros((1, 6), np.float32)).reshape(3, 2).astype(np.float64)


def joined(first: NDArray[np.float64], second: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the matrix, float64[3, 2], that applies `first` and then `second` (§8.3.4)."""
    total: NDArray[np.float64] = first @ second[:2]
    total[2] += second[2]
    return total


#: Operators read of one page. A page with more is not interpreted.
_MAX_OPERATORS: Final = 2_000_000


class Shown(Struct, frozen=True):
    """A text-showing operator of a content stream: the bytes of its strings, its font dictionary, and whether its layer is hidden."""

    codes: bytes  # the bytes of its strings
    font: Object  # its font dictionary, or None
    hidden: bool  # its layer is hidden


def shown_by_object(placed: Sequence[TextObject], number: int, document: PdfDocument) -> dict[int, Shown]:
    """Return the text-showing operators of page `number`, from 1, by the handle of their text object. Return {} if there are not as many
    operators as text objects."""
    content, resources = document.tree.pages[number - 1], document.tree.attribute(number, "/Resources")
    shown = list(_Program(layer_view(document)).run(content, resources, False, 0))
    return {each.handle: operator for each, operator in zip(placed, shown, strict=True)} if len(placed) == len(shown) else {}


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
