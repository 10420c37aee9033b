"""What is drawn over a page, seen by its colours."""

from __future__ import annotations

import numpy as np
import pytest
from PIL import Image

from pdfmill.pipeline.render.picture import COLORS, _facts, draw_page
from pdfmill.pipeline.render.rows import DocumentRows
from pdfmill.schemas.records import PageLines, Row, TextLine

WIDTH, HEIGHT = 300, 100
RED = (200, 0, 0)


def draw(*blocks: Row, **page: object) -> Image.Image:
    """A white page with a text line in each block's box."""
    boxes = [box for block in blocks for box in block["boxes"]]
    lines = [TextLine("x", box["x0"], box["top"], box["x1"], box["bottom"], box["bottom"], 0, ((0, 0),)) for box in boxes]
    pixels = np.full((HEIGHT, WIDTH, 3), 255, np.uint8)
    return draw_page(pixels, PageLines(1, WIDTH, HEIGHT, lines=lines), DocumentRows({}, [{"page": 1, **page}], list(blocks)))


def block(number: int, role: str, x0: float, top: float, x1: float, bottom: float) -> Row:
    return {"block": number, "role": role, "boxes": [{"page": 1, "x0": x0, "top": top, "x1": x1, "bottom": bottom}]}


def pixels_of(picture: Image.Image, color: tuple[int, int, int]) -> list[tuple[int, int]]:
    """(x, y) on the page, legend left out."""
    found = np.argwhere((np.asarray(picture)[:HEIGHT, :WIDTH] == color).all(axis=2))
    return [(int(x), int(y)) for y, x in found]


def test_labels_leave_full_lines_readable():
    picture = draw(block(1, "paragraph", 10, 40, 200, 60), block(2, "table", 10, 60, 200, 80))
    assert all(y >= 60 for _, y in pixels_of(picture, COLORS["table"]))
    assert any(x > 210 for x, _ in pixels_of(picture, COLORS["table"]))


def test_running_heads_are_no_part_of_the_reading_order():
    assert not pixels_of(draw(block(1, "page_header", 10, 20, 50, 30), block(2, "paragraph", 10, 40, 200, 60)), RED)
    assert pixels_of(draw(block(1, "heading", 10, 20, 50, 30), block(2, "paragraph", 10, 40, 200, 60)), RED)


def test_the_legend_is_whole_beside_a_low_page():
    roles = ["title", "heading", "paragraph", "list_item", "table", "caption"]
    picture = draw(*(block(n, role, 10, 20, 50, 30) for n, role in enumerate(roles, start=1)))
    last = np.asarray(picture)[HEIGHT:, WIDTH:]
    assert (last == RED).all(axis=2).any()


def test_a_scan_without_text_is_told():
    assert np.asarray(draw(needs_ocr=True)).tobytes() != np.asarray(draw(needs_ocr=False)).tobytes()


@pytest.mark.parametrize(("count", "said"), [(1, "1 column, ok"), (2, "2 columns, ok")])
def test_the_legend_counts_columns(count: int, said: str) -> None:
    rows = DocumentRows({}, [{"column_count": count, "status": "ok"}])
    assert said in _facts(PageLines(1, 612.0, 792.0), rows)
