"""Where on the page as it was scanned is what was found on the straight one?"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from schemas.records import PageLines, StructuredPage
from schemas.rows import PageBox
from schemas.statistics import InkLooks
from transforms.layout.ink_looks import settle_looks


def turned_boxes(boxes: NDArray[np.float32], page: PageLines) -> NDArray[np.float32]:
    """float32[n, 4]: the boxes around these ones of the straight page, turned to the right by `PageLines.turn` around its middle."""
    if not page.turn or not len(boxes):
        return boxes
    sine, cosine = math.sin(math.radians(page.turn)), math.cos(math.radians(page.turn))
    middle_x, middle_y = page.width / 2, page.height / 2
    x, y = boxes[:, [0, 2, 2, 0]] - middle_x, boxes[:, [1, 1, 3, 3]] - middle_y
    across, down = cosine * x - sine * y + middle_x, sine * x + cosine * y + middle_y
    return np.stack([across.min(axis=1), down.min(axis=1), across.max(axis=1), down.max(axis=1)], axis=1).astype(np.float32)


def turn_back(structured: StructuredPage, page: PageLines) -> StructuredPage:
    """The same with its words' and blocks' boxes where they are on the scan, in place."""
    if page.turn:
        structured.word_boxes = turned_boxes(structured.word_boxes, page)
        for block in structured.blocks:
            sides = np.array([(box.x0, box.top, box.x1, box.bottom) for box in block.boxes], np.float32).reshape(-1, 4)
            block.boxes = [PageBox(page.page, *turned) for turned in turned_boxes(sides, page).tolist()]
    return structured


def lines_on_page(page: PageLines, looks: InkLooks | None) -> PageLines:
    """A page's lines and words as its rows have them: with the looks of their document, and where they are on the scan."""
    page = settle_looks(page, looks)
    if not page.turn:
        return page
    sides = turned_boxes(np.array([(line.x0, line.top, line.x1, line.bottom) for line in page.lines], np.float32).reshape(-1, 4), page)
    lines = [
        replace(line, x0=x0, top=top, x1=x1, bottom=bottom) for line, (x0, top, x1, bottom) in zip(page.lines, sides.tolist(), strict=True)
    ]
    return replace(page, lines=lines, word_boxes=turned_boxes(page.word_boxes, page), turn=0.0)
