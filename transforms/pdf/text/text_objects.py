"""List the text objects of a page in drawing order, with the matrices of the forms that contain them (ISO 32000-2 §8.10, §9.4)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import repeat
from typing import Final

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from pdfmill.transforms.pdf.open import pdfium_api as calls
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
