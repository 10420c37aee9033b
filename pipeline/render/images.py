"""Cut pictures out of the page as displayed, so that masks, rotation and colours are right, whatever format the PDF stores the image in."""

from __future__ import annotations

import base64
import io
from collections.abc import Iterable
from typing import Final

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from pdfmill.schemas.records import PageLines

#: Smallest side in points of an image that is shown; smaller images are bullets, rules and spacers.
_SMALLEST: Final = 12.0
#: Share of the page from which an image counts as lying behind all text: it is a scan or a background.
_WHOLE: Final = 0.8
#: Largest gap in points between strips that belong to one image.
_TOUCH: Final = 1.0
#: Most images of one page that are examined, because all pairs are compared.
_MOST: Final = 200
_JPEG_QUALITY: Final = 85

_Box = tuple[float, float, float, float]


class Picture(Struct, frozen=True):
    """An image cut out of a page. box: points. width, height: pixels. address: a data URL with the image. text: the page's text in the
    box."""

    page: int
    box: _Box
    width: int
    height: int
    address: str
    text: str = ""


def picture_boxes(page: PageLines) -> list[_Box]:
    """Return the boxes of images in points, top to bottom; strips that touch are joined. An image behind all text only counts without
    text."""
    boxes = [box for box in (_on_page(each, page) for each in page.images[:_MOST].tolist()) if box is not None]
    merged: list[_Box] = []
    for box in boxes:
        while touching := [each for each in merged if _touch(each, box)]:
            merged = [each for each in merged if each not in touching]
            box = _around([box, *touching])
        merged.append(box)
    area = page.width * page.height
    large = [box for box in merged if min(box[2] - box[0], box[3] - box[1]) >= _SMALLEST]
    return sorted((b for b in large if not page.lines or (b[2] - b[0]) * (b[3] - b[1]) <= _WHOLE * area), key=lambda b: (b[1], b[0]))


def cut_pictures(pixels: NDArray[np.uint8], page: PageLines, boxes: Iterable[_Box]) -> list[Picture]:
    """Cut the images out of a drawn page. pixels: the page, uint8[height, width, 3]. boxes: some of `picture_boxes`."""
    scale = pixels.shape[1] / page.width if page.width else 1.0
    found = []
    for box in boxes:
        x0, top, x1, bottom = (round(side * scale) for side in box)
        part = pixels[top:bottom, x0:x1]
        if part.size:
            found.append(Picture(page.page, box, part.shape[1], part.shape[0], _data_url(part)))
    return found


def _on_page(box: list[float], page: PageLines) -> _Box | None:
    x0, top, x1, bottom = max(0.0, box[0]), max(0.0, box[1]), min(page.width, box[2]), min(page.height, box[3])
    return (x0, top, x1, bottom) if x0 < x1 and top < bottom else None


def _touch(a: _Box, b: _Box) -> bool:
    return a[0] <= b[2] + _TOUCH and b[0] <= a[2] + _TOUCH and a[1] <= b[3] + _TOUCH and b[1] <= a[3] + _TOUCH


def _around(boxes: list[_Box]) -> _Box:
    return min(b[0] for b in boxes), min(b[1] for b in boxes), max(b[2] for b in boxes), max(b[3] for b in boxes)


def _data_url(part: NDArray[np.uint8]) -> str:
    """Encode an image as PNG (drawings) or JPEG (photographs), whichever is smaller, and return a data URL."""
    from PIL import Image  # slow to import, and few commands cut out images

    image = Image.fromarray(part)
    files = []
    for name, options in (("png", {"optimize": True}), ("jpeg", {"quality": _JPEG_QUALITY})):
        sink = io.BytesIO()
        image.save(sink, name, **options)
        files.append((len(sink.getvalue()), f"data:image/{name};base64,{base64.b64encode(sink.getvalue()).decode()}"))
    return min(files)[1]
