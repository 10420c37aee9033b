"""Draw a page with its lines, words, blocks by role, and reading order."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont

from pdfmill.pipeline.render.rows import DocumentRows, box_in, structs_in, text_in, whole_in
from pdfmill.schemas.codes import FURNITURE_ROLES, ROLES
from pdfmill.schemas.records import PageLines, Row

#: Colours of the roles, distinct on white and for colour-blind readers (Okabe and Ito 2008, and darker variants).
COLORS: Final[dict[str, tuple[int, int, int]]] = {
    "title": (213, 0, 100),
    "heading": (213, 94, 0),
    "paragraph": (0, 114, 178),
    "list_item": (0, 158, 115),
    "table": (140, 80, 200),
    "caption": (180, 130, 0),
    "footnote": (120, 90, 60),
    "code": (60, 60, 60),
    "formula": (200, 60, 160),
    "contents": (0, 90, 90),
    "index": (0, 90, 90),
    "reference": (90, 110, 0),
    "page_header": (150, 150, 150),
    "page_footer": (150, 150, 150),
    "page_margin": (150, 150, 150),
    "page_number": (150, 150, 150),
    "other": (86, 180, 233),
}
_LINE: Final = (190, 190, 190)
_WORD: Final = (225, 205, 160)
_ARROW: Final = (200, 0, 0)
_FILL_SHARE: Final = 0.10
_LEGEND_WIDTH: Final = 200

_Box = tuple[float, float, float, float]
_Color = tuple[int, int, int]
_Font = ImageFont.ImageFont | ImageFont.FreeTypeFont

#: Formats in which a picture can be written.
_PICTURE_KINDS: Final = frozenset({"PNG", "JPEG", "TIFF", "WEBP"})


def draw_page(pixels: NDArray[np.uint8], lines: PageLines, rows: DocumentRows, *, words: bool = False) -> Image.Image:
    """Draw the layout on a page, with a legend at its right, and return the image.
    pixels: uint8[height, width, 3], the drawn page. lines: its text lines. rows: of this page only. words: draw the boxes of words too."""
    scale = pixels.shape[1] / lines.width if lines.width else 1.0
    page = Image.fromarray(pixels)
    _tint(page, rows.blocks, scale)
    pen = ImageDraw.Draw(page)
    unit = max(1, round(scale / 2))
    if words:
        for word in (word for row in rows.pages for word in structs_in(row, "words")):
            pen.rectangle(_pixels(box_in(word), scale), outline=_WORD)
    for line in lines.lines:
        pen.rectangle(_pixels((line.x0, line.top, line.x1, line.bottom), scale), outline=_LINE)
    _draw_arrows(pen, [block for block in rows.blocks if text_in(block, "role") not in FURNITURE_ROLES], scale, unit)
    _draw_blocks(pen, rows.blocks, scale, unit, lines, page.width)
    return _with_legend(page, lines, rows, words)


def _pixels(box: _Box, scale: float) -> _Box:
    x0, top, x1, bottom = (value * scale for value in box)
    return x0, top, max(x0, x1), max(top, bottom)


def _boxes(block: Row) -> list[_Box]:
    return [box_in(struct) for struct in structs_in(block, "boxes")]


def _color(block: Row) -> _Color:
    return COLORS[text_in(block, "role")]


def _tint(page: Image.Image, blocks: Sequence[Row], scale: float) -> None:
    wash = Image.new("RGB", page.size, "white")
    mask = Image.new("L", page.size, 0)
    for block in blocks:
        for box in _boxes(block):
            ImageDraw.Draw(wash).rectangle(_pixels(box, scale), fill=_color(block))
            ImageDraw.Draw(mask).rectangle(_pixels(box, scale), fill=round(255 * _FILL_SHARE))
    page.paste(wash, mask=mask)


def _draw_blocks(pen: ImageDraw.ImageDraw, blocks: Sequence[Row], scale: float, unit: int, lines: PageLines, width: int) -> None:
    font = ImageFont.load_default(size=max(8.0, 5.5 * scale))
    rtl = 2 * sum(line.rtl for line in lines.lines) > len(lines.lines)
    taken = [_pixels((line.x0, line.top, line.x1, line.bottom), scale) for line in lines.lines]
    for block in blocks:
        for box in _boxes(block):
            pen.rectangle(_pixels(box, scale), outline=_color(block), width=unit)
    for block in blocks:
        if boxes := _boxes(block):
            places = _Places(_pixels(boxes[0], scale), width, rtl)
            taken.append(_label(pen, _label_text(block), places, taken, _color(block), font))


def _label_text(block: Row) -> str:
    role, level = text_in(block, "role"), whole_in(block, "level")
    depth = f" {level}" if level is not None and role in ("heading", "list_item") else ""
    carried = " (continues)" if block.get("continues") else ""
    return f"{whole_in(block, 'block')} {role}{depth}{carried}"


class _Places(NamedTuple):
    """Possible positions of a block's label. box: box of the block's first part; width: of the picture; both pixels. rtl: the text runs
    from right to left."""

    box: _Box
    width: int
    rtl: bool

    def around(self, wide: float, high: float) -> list[tuple[float, float]]:
        """Return (left, top) in pixels of possible positions of a label of this size: above the box, at the side where lines end first, or
        beside it."""
        x0, top, x1, _ = self.box
        over = max(0.0, top - high)
        corners, sides = [(x1 - wide, over), (x0, over)], [(x1, top), (x0 - wide, top)]
        places = [*corners[::-1], *sides[::-1]] if self.rtl else [*corners, *sides]
        return [(x, y) for x, y in places if 0 <= x <= self.width - wide] or [(0.0, over)]


def _label(pen: ImageDraw.ImageDraw, text: str, places: _Places, taken: Sequence[_Box], color: _Color, font: _Font) -> _Box:
    """Draw a block's label where it covers the least of other labels and text, and return its box. taken: their boxes, pixels."""
    left, top, right, bottom = pen.textbbox((0, 0), text, font=font)
    width, height = right - left + 4, bottom - top + 4
    x, y = min(places.around(width, height), key=lambda place: _hidden(taken, (*place, place[0] + width, place[1] + height)))
    pen.rectangle((x, y, x + width, y + height), fill=color)
    pen.text((x + 2 - left, y + 2 - top), text, fill="white", font=font)
    return x, y, x + width, y + height


def _hidden(taken: Sequence[_Box], label: _Box) -> float:
    """Return how many pixels of the boxes in `taken` a label would cover. label: its box."""
    boxes = np.array(taken, np.float64).reshape(-1, 4)
    across = np.minimum(boxes[:, 2], label[2]) - np.maximum(boxes[:, 0], label[0])
    down = np.minimum(boxes[:, 3], label[3]) - np.maximum(boxes[:, 1], label[1])
    return float((across.clip(0) * down.clip(0)).sum())


def _draw_arrows(pen: ImageDraw.ImageDraw, blocks: Sequence[Row], scale: float, unit: int) -> None:
    centers = [((box[0] + box[2]) / 2 * scale, (box[1] + box[3]) / 2 * scale) for block in blocks for box in _boxes(block)]
    for start, end in pairwise(centers):
        pen.line((*start, *end), fill=_ARROW, width=unit)
        _draw_tip(pen, start, end, 5 * unit + 4)


def _draw_tip(pen: ImageDraw.ImageDraw, start: tuple[float, float], end: tuple[float, float], size: float) -> None:
    angle = math.atan2(end[1] - start[1], end[0] - start[0])
    sides = [(end[0] - size * math.cos(angle + turn), end[1] - size * math.sin(angle + turn)) for turn in (0.4, -0.4)]
    pen.polygon([end, *sides], fill=_ARROW)


def _with_legend(page: Image.Image, lines: PageLines, rows: DocumentRows, words: bool) -> Image.Image:
    used = {text_in(block, "role") for block in rows.blocks}
    entries = [(role, COLORS[role]) for role in ROLES if role in used]
    entries += [("text line", _LINE), *([("word", _WORD)] if words else []), ("reading order", _ARROW)]
    facts = _facts(lines, rows)
    whole = Image.new("RGB", (page.width + _LEGEND_WIDTH, max(page.height, 32 + 18 * len(facts) + 20 * len(entries))), "white")
    whole.paste(page)
    pen = ImageDraw.Draw(whole)
    font = ImageFont.load_default(size=13)
    x, y = page.width + 12, 12
    for text in facts:
        pen.text((x, y), text, fill="black", font=font)
        y += 18
    y += 8
    for name, color in entries:
        pen.rectangle((x, y + 2, x + 14, y + 14), outline=color, width=3)
        pen.text((x + 22, y), name, fill="black", font=font)
        y += 20
    return whole


def _facts(lines: PageLines, rows: DocumentRows) -> list[str]:
    page = rows.pages[0] if rows.pages else {}
    facts = [f"page {lines.page}", f"{lines.width:.0f} x {lines.height:.0f} pt", f"{len(lines.lines)} lines, {len(rows.blocks)} blocks"]
    columns = whole_in(page, "column_count") or 0
    facts.append(f"{columns} column{'s' * (columns != 1)}, {text_in(page, 'status') or 'no status'}")
    return [*facts, *(["needs OCR"] if page.get("needs_ocr") else [])]


def save_picture(picture: Image.Image, path: str) -> None:
    """Write a picture in the format given by the suffix of its name; PNG without a suffix.

    Raises:
        OSError: the picture cannot be written, or the suffix is not that of a picture format.
    """
    kind = Image.registered_extensions().get(ending) if (ending := Path(path).suffix.lower()) else "PNG"
    if kind not in _PICTURE_KINDS:
        raise OSError(None, f"pictures cannot be written as {ending}; choose .png, .jpg, .tiff or .webp")
    picture.convert("RGB").save(path, format=kind)
