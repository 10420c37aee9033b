"""Write hits as JSON, as Acrobat's highlight file, and as marks on a page's picture."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageChops, ImageDraw

from pdfmill.pipeline.render.find_text import Box, Hit
from pdfmill.schemas.glyphs import Glyphs

#: The colour of a marker pen.
_YELLOW: Final = (255, 235, 60)
_EDGE: Final = (225, 140, 0)


def render_hits(source_uri: str, hits: Sequence[Hit]) -> str:
    """Return one JSON object: the document's address and its hits in order, boxes in points."""
    rows = [
        {
            "page": hit.page,
            "start": hit.start,
            "end": hit.end,
            "text": hit.text,
            "boxes": [dict(zip(("x0", "top", "x1", "bottom"), (round(side, 2) for side in box), strict=True)) for box in hit.boxes],
        }
        for hit in hits
    ]
    return json.dumps({"source_uri": source_uri, "hits": rows}, ensure_ascii=False, indent=1) + "\n"


def render_acrobat(hits: Iterable[Hit], glyphs: Mapping[int, Glyphs]) -> str:
    """Return hits in Adobe's Highlight File Format (Technical Note 5172). Pages count from 0; positions are characters in drawing order.
    glyphs: of each page with hits, by page number."""
    places = [
        f"<loc pg={hit.page - 1} pos={first} len={length}>"
        for hit in hits
        for first, length in _runs(drawn_within(glyphs[hit.page], hit.boxes))
    ]
    return "\n".join(["<XML>", "<Body units=characters version=2>", "<Highlight>", *places, "</Highlight>", "</Body>", "</XML>", ""])


def drawn_within(glyphs: Glyphs, boxes: Sequence[Box]) -> list[int]:
    """Return the positions, in drawing order, of the characters whose centre lies in a box, and of spaces between two such characters."""
    x, y = (glyphs.x0 + glyphs.x1) / 2, (glyphs.top + glyphs.bottom) / 2
    inside = np.zeros(len(x), np.bool_)
    for x0, top, x1, bottom in boxes:
        inside |= (x >= x0) & (x <= x1) & (y >= top) & (y <= bottom)
    inside &= glyphs.unicode != 32
    between = np.flatnonzero((glyphs.unicode[1:-1] == 32) & inside[:-2] & inside[2:]) + 1
    inside[between] = True
    found: list[int] = np.flatnonzero(inside).tolist()
    return found


def _runs(places: Sequence[int]) -> Iterable[tuple[int, int]]:
    first = last = -2
    for place in places:
        if place == last + 1:
            last = place
            continue
        if first >= 0:
            yield first, last - first + 1
        first = last = place
    if first >= 0:
        yield first, last - first + 1


def mark_page(pixels: NDArray[np.uint8], width: float, hits: Iterable[Hit]) -> Image.Image:
    """Draw a marker over each box of the hits. pixels: uint8[height, width, 3], the drawn page. width: of the page in points."""
    scale = pixels.shape[1] / width if width else 1.0
    page = Image.fromarray(pixels)
    marks = Image.new("RGB", page.size, "white")
    places = [[side * scale for side in box] for hit in hits for box in hit.boxes]
    for place in places:
        ImageDraw.Draw(marks).rectangle(place, fill=_YELLOW)
    page = ImageChops.multiply(page, marks)
    for place in places:
        ImageDraw.Draw(page).rectangle(place, outline=_EDGE, width=max(1, round(scale / 2)))
    return page
