"""A selection of pages as users write it: `1-3,7,12-`."""

from __future__ import annotations

import re
from typing import Final

from msgspec import Struct

_RANGE: Final = re.compile(r"(\d+)?(-)?(\d+)?")


class PageSelection(Struct, frozen=True):
    """Ranges of page numbers from 1, both ends included; None as an end means the last page. Without ranges all pages are selected."""

    ranges: tuple[tuple[int, int | None], ...] = ()

    @staticmethod
    def parse(text: str) -> PageSelection:
        """Parse a page selection. Raises ValueError for other text.

        >>> PageSelection.parse("1-3,7,12-").ranges
        ((1, 3), (7, 7), (12, None))
        """
        return PageSelection(tuple(_range(part.strip()) for part in text.split(",")))

    def __contains__(self, page: int) -> bool:
        return not self.ranges or any(first <= page and (last is None or page <= last) for first, last in self.ranges)


def _range(text: str) -> tuple[int, int | None]:
    found = _RANGE.fullmatch(text)
    if found is None or not (found[1] or found[3]):
        raise ValueError(f"{text!r} is no page range; write 3, 1-3, 5- or -2")
    first = int(found[1]) if found[1] else 1
    last = int(found[3]) if found[3] else None if found[2] else first
    if first < 1 or (last is not None and last < first):
        raise ValueError(f"{text!r}: pages count from 1 and a range ascends")
    return first, last
