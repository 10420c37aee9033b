"""The bullet or number at the beginning of a list item."""

from __future__ import annotations

import re
from enum import Enum
from typing import Final

from pdfmill.transforms.layout.page.patterns import ITEM_BULLET

#: A letter may follow at once ("1.open"), a digit may not ("2.1").
_DECIMAL: Final = re.compile(r"\d{1,9}[.)](?:\s+|(?=[^\W\d_]))")


class Marker(Enum):
    """BULLET: a sign without meaning. DECIMAL: `3.` or `3)`. OTHER: part of the text, as `(a)`, `iv.`, `2.1`."""

    BULLET = "bullet"
    DECIMAL = "decimal"
    OTHER = "other"


def split_marker(text: str) -> tuple[Marker, int]:
    """Return the kind of marker, and its length with the space after it; 0 for OTHER.

    >>> split_marker("• milk"), split_marker("12) eggs"), split_marker("3.bread"), split_marker("(a) salt")
    ((<Marker.BULLET: 'bullet'>, 2), (<Marker.DECIMAL: 'decimal'>, 4), (<Marker.DECIMAL: 'decimal'>, 2), (<Marker.OTHER: 'other'>, 0))
    """
    if found := ITEM_BULLET.match(text):
        return Marker.BULLET, found.end()
    if found := _DECIMAL.match(text):
        return Marker.DECIMAL, found.end()
    return Marker.OTHER, 0
