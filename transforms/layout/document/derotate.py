"""Convert boxes on the straightened page back to the page as it was scanned."""

from __future__ import annotations

import math

import numpy as np
from msgspec.structs import replace
from numpy.typing import NDArray

from pdfmill.schemas.records import PageLines, StructuredPage
from pdfmill.schemas.rows import PageBox
from pdfmill.schemas.statistics import InkLooks
from pdfmill.transforms.layout.document.ink_looks import settle_looks


def quarter_boxes(boxes: NDArray[np.float32], quarters: int, width: float, height: float) -> NDArray[np.float32]:
    """Return float32[n, 4]: the boxes after the page, `width` by `height` points, is rotated clockwise by `quarters` right angles."""
    x0, top, x1, bottom = boxes.reshape(-1, 4).T
    turned = {
        0: (x0, top, x1, bottom),
        1: (height - bottom, x0, height - top, x1),
        2: (width - x1, height - bottom, width - x0, height - top),
        3: (top, width - x1, bottom, width - x0),
    }[quarters % 4]
    return np.stack(turned, axis=1).astype(np.float32)


def righted(page: PageLines, quarters: int) -> PageLines:
    """Return the page with its size and graphics rotated counterclockwise by `quarters` right angles. The text is unchanged."""
    if not quarters:
        return page
    rules, fills, images, beads = (
        quarter_boxes(boxes, -quarters, page.width, page.height) for boxes in (page.rules, page.fills, page.images, page.beads)
    )
    width, height = displayed_size(page, quarters)
    return replace(page, width=width, height=height, rules=rules, fills=fills, images=images, beads=beads, tables=[], quarters=quarters)


def displayed_size(page: PageLines, quarters: int | None = None) -> tuple[float, float]:
    """Return the width and height, points, of the page rotated by `quarters` right angles, or if that is None by `page.quarters`."""
    quarters = page.quarters if quarters is None else quarters
    return (page.height, page.width) if quarters % 2 else (page.width, page.height)


def turned_boxes(boxes: NDArray[np.float32], page: PageLines) -> NDArray[np.float32]:
    """Return float32[n, 4]: the boxes of a straightened page where they are on the page as it was scanned."""
    if not len(boxes):
        return boxes
    return quarter_boxes(_tilted(boxes, page), page.quarters, page.width, page.height)


def _tilted(boxes: NDArray[np.float32], page: PageLines) -> NDArray[np.float32]:
    if not page.turn:
        return boxes
    sine, cosine = math.sin(math.radians(page.turn)), math.cos(math.radians(page.turn))
    middle_x, middle_y = page.width / 2, page.height / 2
    x, y = boxes[:, [0, 2, 2, 0]] - middle_x, boxes[:, [1, 1, 3, 3]] - middle_y
    across, down = cosine * x - sine * y + middle_x, sine * x + cosine * y + middle_y
    return np.stack([across.min(axis=1), down.min(axis=1), across.max(axis=1), down.max(axis=1)], axis=1).astype(np.float32)


def turn_back(structured: StructuredPage, page: PageLines) -> StructuredPage:
    """Rotate the boxes of words and blocks back to the page as it was scanned, in place."""
    if page.turn or page.quarters:
        structured.word_boxes = turned_boxes(structured.word_boxes, page)
        for block in structured.blocks:
            sides = np.array([(box.x0, box.top, box.x1, box.bottom) for box in block.boxes], np.float32).reshape(-1, 4)
            block.boxes = [PageBox(page.page, *turned) for turned in turned_boxes(sides, page).tolist()]
    return structured


def lines_on_page(page: PageLines, looks: InkLooks | None) -> PageLines:
    """Return the page as the output shows it: with the text styles decided for the document and the positions on the scanned page."""
    page = settle_looks(page, looks)
    if not page.turn and not page.quarters:
        return page
    sides = turned_boxes(np.array([(line.x0, line.top, line.x1, line.bottom) for line in page.lines], np.float32).reshape(-1, 4), page)
    lines = [
        replace(line, x0=x0, top=top, x1=x1, bottom=bottom) for line, (x0, top, x1, bottom) in zip(page.lines, sides.tolist(), strict=True)
    ]
    boxes = turned_boxes(page.word_boxes, page)
    return replace(righted(page, -page.quarters), lines=lines, word_boxes=boxes, turn=0.0, quarters=0)
